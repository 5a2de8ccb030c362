//! Numbers in words, the same in every command.

pub use super::escape::{plain, plain_lines};
use crate::prompt::Tokens;
use crate::text::measure;

/// "1 error", "3 errors".
pub fn count(n: usize, noun: &str) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{} {noun}{s}", thousands(n))
}

/// The entry of its source that a document is, after its path.
pub fn entry(item: Option<&str>) -> String {
    item.map_or(String::new(), |item| format!(" (entry {})", plain(item)))
}

/// "12,345".
pub fn thousands(n: usize) -> String {
    measure::thousands(&n.to_string())
}

/// "12,345 tokens", with a leading `~` if that is an estimate.
pub fn tokens(tokens: &Tokens) -> String {
    let mark = if tokens.estimate { "~" } else { "" };
    format!("{mark}{}", count(tokens.count, "token"))
}

/// "12.5 %"; of nothing, "-".
pub fn share(part: usize, whole: usize) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    // 100 % is all of it, and nothing else is.
    let most = if part < whole { 999 } else { usize::MAX };
    let permille = ((part * 1000 + whole / 2) / whole).min(most);
    format!("{}.{} %", permille / 10, permille % 10)
}

/// "bytes" or "byte"; `unit` is the plural.
pub fn unit(n: usize, unit: &str) -> &str {
    if n == 1 {
        unit.strip_suffix('s').unwrap_or(unit)
    } else {
        unit
    }
}

/// A share in whole percent, rounded down, so that 100 % is all.
pub fn percent(part: usize, whole: usize) -> String {
    match whole {
        0 => "100 %".to_owned(),
        whole => format!("{} %", part * 100 / whole),
    }
}

/// "2 tiers"; `name` is the plural.
pub fn counted(n: usize, name: &str) -> String {
    format!("{} {}", thousands(n), unit(n, name))
}

/// The messages that breakpoints are planned for.
pub(super) fn assumed(conversation: bool) -> &'static str {
    if conversation {
        "a conversation is assumed"
    } else {
        "no messages are assumed"
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
