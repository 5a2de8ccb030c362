//! Names of models against patterns.

/// Whether `name` matches `pattern`, in which `*` matches any characters.
pub(in crate::request) fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// A name without what hosts add to it: a date, `@…`, `-latest`, the size of a window in brackets.
pub(in crate::request) fn bare(name: &str) -> &str {
    let mut name = name;
    loop {
        let shorter = without_one(name);
        if shorter.len() == name.len() || shorter.is_empty() {
            return name;
        }
        name = shorter;
    }
}

fn without_one(name: &str) -> &str {
    if let Some((front, _)) = name.split_once('@') {
        return front;
    }
    for suffix in ["-latest", "[1m]"] {
        if let Some(front) = name.strip_suffix(suffix) {
            return front;
        }
    }
    let shape = |digits: &[usize]| {
        let mut rest = name;
        for &count in digits.iter().rev() {
            let at = rest.len().checked_sub(count + 1)?;
            let part = rest.get(at..)?.strip_prefix('-')?;
            if !part.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            rest = &rest[..at];
        }
        Some(rest)
    };
    shape(&[4, 2, 2]).or_else(|| shape(&[8])).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::{bare, matches};

    #[test]
    fn a_star_matches_any_characters() {
        assert!(matches("gpt-4o", "gpt-4o"));
        assert!(!matches("gpt-4o", "gpt-4o-mini"));
        assert!(matches("MiniMax-M2*", "MiniMax-M2"));
        assert!(matches(
            "*.anthropic.claude-opus-5-5*",
            "us.anthropic.claude-opus-5-5-v1:0"
        ));
        assert!(!matches(
            "*.anthropic.claude-opus-5-5*",
            "anthropic.claude-opus-5-5"
        ));
        assert!(matches("*", "anything"));
        assert!(!matches("a*a", "a"));
        assert!(matches("a*b*b", "abb"));
        assert!(!matches("a*b*b", "ab"));
    }

    #[test]
    fn additions_of_hosts_are_removed() {
        for (name, wanted) in [
            ("claude-opus-5-5-20261007", "claude-opus-5-5"),
            ("gpt-4o-2024-08-06", "gpt-4o"),
            ("claude-sonnet-5@20260401", "claude-sonnet-5"),
            ("claude-fable-5-2-latest", "claude-fable-5-2"),
            ("claude-sonnet-4-5-20250929[1m]", "claude-sonnet-4-5"),
            ("gpt-5.5", "gpt-5.5"),
            ("grok-4.7-2026", "grok-4.7-2026"),
            ("-latest", "-latest"),
        ] {
            assert_eq!(bare(name), wanted);
        }
    }
}
