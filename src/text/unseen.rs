//! Characters that nobody sees.

use unicode_general_category::{GeneralCategory, get_general_category};

/// Whether a character is not seen and changes how those around it are read: a format character (class Cf of Unicode, such as
/// those that turn the direction of a line), or one of the separators U+2028 and U+2029.
#[must_use]
pub fn is_unseen(c: char) -> bool {
    matches!(
        get_general_category(c),
        GeneralCategory::Format
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator
    )
}

#[cfg(test)]
mod tests {
    use super::is_unseen;

    #[test]
    fn what_is_seen_stays() {
        for c in "aé👋 \u{a0}\u{301}\u{fe0f}\n".chars() {
            assert!(!is_unseen(c), "{c:?}");
        }
        for c in "\u{ad}\u{200b}\u{200d}\u{202e}\u{2028}\u{2029}\u{2066}\u{feff}".chars() {
            assert!(is_unseen(c), "{c:?}");
        }
    }
}
