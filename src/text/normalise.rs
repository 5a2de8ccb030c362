//! The first steps of every document: decoding, line ends, byte order mark, outer white space.

use std::borrow::Cow;
use std::ops::Range;

/// The text of a document's bytes.
///
/// # Errors
/// The offset of the first byte that is not UTF-8.
pub fn decode(bytes: Vec<u8>) -> Result<String, usize> {
    String::from_utf8(bytes).map_err(|error| error.utf8_error().valid_up_to())
}

/// CRLF and lone CR become LF; nothing else changes.
#[must_use]
pub fn newlines(text: &str) -> Cow<'_, str> {
    if !text.contains('\r') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\r') {
        out.push_str(&rest[..at]);
        out.push('\n');
        rest = &rest[at + 1..];
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The text without one leading byte order mark.
#[must_use]
pub fn bom(text: &str) -> &str {
    text.strip_prefix('\u{FEFF}').unwrap_or(text)
}

/// The byte order marks at the start of a document that are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marks {
    /// None.
    None,
    /// The first.
    First,
    /// All consecutive ones.
    All,
}

/// The text without those byte order marks.
#[must_use]
pub fn unmarked(text: &str, marks: Marks) -> &str {
    match marks {
        Marks::None => text,
        Marks::First => bom(text),
        Marks::All => text.trim_start_matches('\u{FEFF}'),
    }
}

/// The changes of line ends and byte order marks of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cleaning {
    /// Whether CRLF and lone CR become LF.
    pub newlines: bool,
    /// The byte order marks to remove.
    pub marks: Marks,
}

impl Cleaning {
    /// The text with these steps done.
    #[must_use]
    pub fn clean(self, text: String) -> String {
        let mut text = text;
        if self.newlines
            && let Cow::Owned(changed) = newlines(&text)
        {
            text = changed;
        }
        let rest = unmarked(&text, self.marks);
        if rest.len() < text.len() {
            text = rest.to_owned();
        }
        text
    }
}

/// The range of the text without its outer white space; an empty range at its end if it is blank.
#[must_use]
pub fn trim_range(text: &str) -> Range<usize> {
    let start = text.len() - text.trim_start_matches(is_space).len();
    start..start + text[start..].trim_end_matches(is_space).len()
}

/// Whether there is nothing but white space.
#[must_use]
pub fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}

/// Unicode `White_Space`, and the four separators U+001C to U+001F.
///
/// Python's `str.strip` takes the same set away, and most hand-made prompt code is written in it.
#[must_use]
pub fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1C}'..='\u{1F}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};

    #[test]
    fn decode_reports_the_first_bad_byte() {
        assert_eq!(decode(b"ab\xffcd\xfe".to_vec()), Err(2));
        assert_eq!(decode("é\u{0}".into()), Ok("é\u{0}".to_owned()));
        // A surrogate and an overlong form are no UTF-8.
        assert_eq!(decode(b"a\xed\xa0\x80".to_vec()), Err(1));
        assert_eq!(decode(b"\xc0\x80".to_vec()), Err(0));
    }

    #[test]
    fn newlines_know_three_forms() {
        assert_eq!(newlines("a\r\nb\rc\nd\r\r\ne\r"), "a\nb\nc\nd\n\ne\n");
        assert!(matches!(newlines("a\nb\u{85}\u{2028}"), Cow::Borrowed(_)));
    }

    #[test]
    fn one_byte_order_mark_is_removed() {
        assert_eq!(bom("\u{FEFF}\u{FEFF}a"), "\u{FEFF}a");
        assert_eq!(bom("a\u{FEFF}"), "a\u{FEFF}");
        assert_eq!(
            unmarked("\u{FEFF}\u{FEFF}a\u{FEFF}", Marks::All),
            "a\u{FEFF}"
        );
    }

    #[test]
    fn trim_knows_unicode_and_separators() {
        let text = "\u{1C}\u{A0}\u{3000}\n a b \u{1F}\u{2029}\t";
        assert_eq!(&text[trim_range(text)], "a b");
        assert_eq!(trim_range("  "), 2..2);
        assert_eq!(trim_range(""), 0..0);
        // A zero-width space is no white space.
        assert_eq!(trim_range("\u{200B}"), 0..3);
        assert!(is_blank("\u{1E} \n") && is_blank("") && !is_blank("\u{FEFF}"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn newlines_settle(text in "[a\r\né]{0,20}") {
            let once = newlines(&text).into_owned();
            prop_assert!(!once.contains('\r'));
            prop_assert_eq!(newlines(&once), once.as_str());
        }

        #[test]
        fn trim_settles(text in "[a \u{1c}\u{a0}\n]{0,20}") {
            let inner = &text[trim_range(&text)];
            prop_assert_eq!(trim_range(inner), 0..inner.len());
            prop_assert_eq!(inner.is_empty(), is_blank(&text));
        }
    }
}
