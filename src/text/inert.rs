//! Texts from outside, written so that neither a terminal nor a host that reads a log obeys them.

use std::fmt::Write as _;
use unicode_general_category::{GeneralCategory, get_general_category};

/// Whether a character is not seen and changes how those around it are read: a format character (class Cf of Unicode, such as
/// those that turn the direction of a line), or one of the separators U+2028 and U+2029.
#[must_use]
pub fn is_invisible(c: char) -> bool {
    !c.is_ascii()
        && matches!(
            get_general_category(c),
            GeneralCategory::Format
                | GeneralCategory::LineSeparator
                | GeneralCategory::ParagraphSeparator
        )
}

/// The kind of a text that is written for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    /// A part of a line.
    Word,
    /// Lines that may have a prefix.
    Lines,
    /// All that is written, with the colours of the command line.
    Page,
}

/// `text` for people: a character that controls a terminal, is invisible or begins a command of a CI host is replaced
/// by its escape, `\u{…}`, so that none of them takes effect.
#[must_use]
pub fn inert(text: &str, of: TextKind) -> String {
    let mut out = String::with_capacity(text.len());
    let page = of == TextKind::Page;
    let mut leads = page;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let style = if page { style(rest) } else { 0 };
        if style > 0 {
            out.push_str(&rest[..style]);
            rest = &rest[style..];
            continue;
        }
        let parts = of != TextKind::Word && matches!(c, '\n' | '\t');
        if !parts && (c.is_control() || is_invisible(c)) {
            out.extend(c.escape_default());
            leads = false;
        } else if begins_command(rest, leads) {
            out.extend(c.escape_unicode());
            leads = false;
        } else {
            out.push(c);
            leads = page && (c == '\n' || leads && c.is_whitespace());
        }
        rest = &rest[c.len_utf8()..];
    }
    out
}

/// JSON for a terminal: the same value, with the characters of its strings that a terminal or a host would obey as escapes.
#[must_use]
pub fn inert_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for (at, c) in json.char_indices() {
        let works = c.is_control() && c != '\n' || c == '#' && begins_command(&json[at..], false);
        if works {
            _ = write!(out, "\\u{:04x}", u32::from(c))
        } else {
            out.push(c)
        }
    }
    out
}

/// Whether a host that reads a log would take a command from here on; `leads`: only white space is before it on its
/// line.
///
/// GitHub takes `::name …::` at the beginning of a line and `##[name …]` anywhere (`ActionCommand.cs` of its runner),
/// and Azure `##vso[…]` and TeamCity `##teamcity[…]`. A `::stop-commands::` ends at any word that a workflow has
/// chosen.
#[must_use]
pub fn begins_command(text: &str, leads: bool) -> bool {
    if !(leads && text.starts_with(':') || text.starts_with('#')) {
        return false;
    }
    let mut seen = Seen(text);
    let after = (seen.next(), seen.next());
    match after {
        // The third colon is that of an excerpt's path; no command's name begins with one.
        (Some(':'), Some(':')) => seen.next().is_some_and(|c| c != ':' && !c.is_whitespace()),
        (Some('#'), Some('#')) => seen.find(|c| !c.is_ascii_alphabetic()) == Some('['),
        _ => false,
    }
}

/// The characters of a page without its colours, which are removed where colours are off.
struct Seen<'a>(&'a str);

impl Iterator for Seen<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        loop {
            match style(self.0) {
                0 => break,
                bytes => self.0 = &self.0[bytes..],
            }
        }
        let mut chars = self.0.chars();
        let c = chars.next();
        self.0 = chars.as_str();
        c
    }
}

/// The bytes of the escape sequence that a text begins with, if it is one of those that the command line draws with:
/// reset, bold, faint, italic, underlined, or one of 16 foreground colours. Others hide a text or have other effects.
fn style(text: &str) -> usize {
    let Some(rest) = text.strip_prefix("\u{1b}[") else {
        return 0;
    };
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    match rest[..digits].parse::<u8>() {
        Ok(0..=4 | 30..=37 | 90..=97) if rest[digits..].starts_with('m') => 2 + digits + 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::{TextKind, inert, is_invisible};

    #[test]
    fn visible_text_stays() {
        for c in "aé👋 \u{a0}\u{301}\u{fe0f}\n".chars() {
            assert!(!is_invisible(c), "{c:?}");
        }
        for c in "\u{ad}\u{200b}\u{200d}\u{202e}\u{2028}\u{2029}\u{2066}\u{feff}".chars() {
            assert!(is_invisible(c), "{c:?}");
        }
    }

    #[test]
    fn nothing_from_outside_works_on_a_terminal() {
        let text = "é👋 a\u{1b}[31m\tb\u{202e}\u{200b}\u{2028}\r\nc";
        assert_eq!(
            inert(text, TextKind::Word),
            "é👋 a\\u{1b}[31m\\tb\\u{202e}\\u{200b}\\u{2028}\\r\\nc"
        );
        assert_eq!(
            inert(text, TextKind::Lines),
            "é👋 a\\u{1b}[31m\tb\\u{202e}\\u{200b}\\u{2028}\\r\nc"
        );
    }

    #[test]
    fn a_page_has_its_colours_and_no_other_sequence() {
        let page =
            "\u{1b}[1m\u{1b}[91merror\u{1b}[0m: \u{1b}[8mx\u{1b}[38;5;1my\u{1b}]0;t\u{7}\u{9b}2J\n";
        assert_eq!(
            inert(page, TextKind::Page),
            "\u{1b}[1m\u{1b}[91merror\u{1b}[0m: \\u{1b}[8mx\\u{1b}[38;5;1my\\u{1b}]0;t\\u{7}\\u{9b}2J\n"
        );
    }

    #[test]
    fn commands_for_a_host_are_escaped() {
        for (page, shown) in [
            ("::stop-commands::x", "\\u{3a}:stop-commands::x"),
            (" \u{a0}\t::1f2e::\n", " \u{a0}\t\\u{3a}:1f2e::\n"),
            ("a\n  ::add-mask::x", "a\n  \\u{3a}:add-mask::x"),
            ("a\r::x::", "a\\r::x::"),
            ("\u{feff}::x::", "\\u{feff}::x::"),
            ("\u{1b}[31m:\u{1b}[0m:x::", "\u{1b}[31m\\u{3a}\u{1b}[0m:x::"),
            ("a ##[group]b", "a \\u{23}#[group]b"),
            ("###[add-mask]b", "#\\u{23}#[add-mask]b"),
            ("a##vso[task.x]b", "a\\u{23}#vso[task.x]b"),
            ("#\u{1b}[4m#teamcity[x]", "\\u{23}\u{1b}[4m#teamcity[x]"),
        ] {
            assert_eq!(inert(page, TextKind::Page), shown);
        }
        for plain in [
            "- ::x::",
            "std::mem",
            "::",
            ":::tip",
            ":: a",
            "  ::: a.kdl:1:2",
            "## a [b]",
            "##a",
            "# [x]",
            "#[cfg]",
        ] {
            assert_eq!(inert(plain, TextKind::Page), plain);
        }
    }
}
