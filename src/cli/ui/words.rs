//! Numbers in words, the same in every command.

use crate::prompt::Tokens;
use crate::text::{TextKind, inert, measure};

/// "1 error", "3 errors".
pub(crate) fn count(n: usize, noun: &str) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{} {noun}{s}", thousands(n))
}

/// A text from outside as a part of a line.
pub(crate) fn plain(text: &str) -> String {
    inert(text, TextKind::Word)
}

/// As [`plain`], of a text that may have several lines.
pub(crate) fn plain_lines(text: &str) -> String {
    inert(text, TextKind::Lines)
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
    use super::{count, share, thousands};

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
