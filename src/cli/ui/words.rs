//! Numbers in words, the same in every command.

use crate::prompt::Tokens;
use crate::text::{is_unseen, measure};

/// "1 error", "3 errors".
pub(crate) fn count(n: usize, noun: &str) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{} {noun}{s}", thousands(n))
}

/// A text from outside as a terminal may see it: characters that control it or are not seen are escaped, so that none of
/// them works there.
pub(crate) fn plain(text: &str) -> String {
    escaped(text, |c| c.is_control() || is_unseen(c))
}

/// As [`plain`], of a text that may have several lines.
pub(crate) fn plain_lines(text: &str) -> String {
    escaped(text, |c| {
        !matches!(c, '\n' | '\t') && (c.is_control() || is_unseen(c))
    })
}

fn escaped(text: &str, escape: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match escape(c) {
            true => out.extend(c.escape_default()),
            false => out.push(c),
        }
    }
    out
}

/// Which entry of its source a document is, behind its path.
pub(crate) fn entry(item: Option<&str>) -> String {
    item.map_or(String::new(), |item| format!(" (entry {})", plain(item)))
}

/// "12,345".
pub(crate) fn thousands(n: usize) -> String {
    measure::thousands(&n.to_string())
}

/// "12,345 tokens", with `~` in front if that is an estimate.
pub(crate) fn tokens(tokens: &Tokens) -> String {
    let mark = if tokens.estimate { "~" } else { "" };
    format!("{mark}{}", count(tokens.count, "token"))
}

/// "12.5 %"; of nothing, "-".
pub(crate) fn share(part: usize, whole: usize) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    // 100 % is all of it, and nothing else is.
    let most = if part < whole { 999 } else { usize::MAX };
    let permille = ((part * 1000 + whole / 2) / whole).min(most);
    format!("{}.{} %", permille / 10, permille % 10)
}

/// "bytes" or "byte"; `unit` is the plural.
pub(crate) fn unit(n: usize, unit: &str) -> &str {
    if n == 1 {
        unit.strip_suffix('s').unwrap_or(unit)
    } else {
        unit
    }
}

#[cfg(test)]
mod tests {
    use super::{count, plain, plain_lines, share, thousands};

    #[test]
    fn nothing_from_outside_works_on_a_terminal() {
        let text = "é👋 a\u{1b}[31m\tb\u{202e}\u{200b}\u{2028}\nc";
        assert_eq!(
            plain(text),
            "é👋 a\\u{1b}[31m\\tb\\u{202e}\\u{200b}\\u{2028}\\nc"
        );
        assert_eq!(
            plain_lines(text),
            "é👋 a\\u{1b}[31m\tb\\u{202e}\\u{200b}\\u{2028}\nc"
        );
    }

    #[test]
    fn words_are_counted_and_grouped() {
        assert_eq!(count(1, "error"), "1 error");
        assert_eq!(count(2, "error"), "2 errors");
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(thousands(999), "999");
        assert_eq!(share(1, 3), "33.3 %");
        assert_eq!(share(0, 0), "-");
    }
}
