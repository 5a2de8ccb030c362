//! Texts from outside, as each medium shows them and nothing in them works: the one place where texts are escaped.

use crate::text::{TextKind, begins_command, inert, is_invisible};
use std::fmt::Write as _;

/// A text from outside as a part of a line.
pub fn plain(text: &str) -> String {
    inert(text, TextKind::Word)
}

/// As [`plain`], of a text that may have several lines.
pub fn plain_lines(text: &str) -> String {
    inert(text, TextKind::Lines)
}

/// Text as HTML takes it, in an element or in the value of an attribute. `leads`: it may be at the beginning of a
/// line.
pub(super) fn html(text: &str, mut leads: bool, out: &mut String) {
    for (at, c) in text.char_indices() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // A page on standard output ends up in the log of a job.
            ':' | '#' if begins_command(&text[at..], leads) => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            _ => out.push(c),
        }
        leads = c == '\n' || leads && c.is_whitespace();
    }
}

/// A text character by character, for a script: an invisible character becomes its number between two NUL
/// characters.
pub(super) fn inert_marked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            let _ = write!(out, "\0U+{:04X}\0", u32::from(c));
        } else {
            out.push(c)
        }
    }
    out
}

/// Whether a character of a text is not seen.
pub(super) fn is_hidden(c: char) -> bool {
    !matches!(c, '\n' | '\t') && (c.is_control() || is_invisible(c))
}

/// JSON as an element of HTML takes it: nothing in its strings ends the element, or is a command in the log of a job.
pub(super) fn json_in_html(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for (at, c) in json.char_indices() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            '#' if begins_command(&json[at..], false) => out.push_str("\\u0023"),
            _ => out.push(c),
        }
    }
    out
}

/// A message as the parser of GitHub's workflow commands wants it.
pub(super) fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// The value of a property as it wants it.
pub(super) fn property(text: &str) -> String {
    data(&plain(text)).replace(':', "%3A").replace(',', "%2C")
}

/// Lines as a block of code, in a fence longer than any in them.
pub fn block(language: &str, lines: &str) -> String {
    let fence = fence(lines, 3);
    format!("{fence}{language}\n{lines}{fence}\n")
}

/// At least `least` backquotes, more than the longest run in a text.
fn fence(text: &str, least: usize) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max();
    "`".repeat((longest.unwrap_or_default() + 1).max(least))
}

/// Text inside of a tag, where what escapes in Markdown does not.
pub(super) fn in_tag(text: &str) -> String {
    let text = plain(text);
    let refers = refers(&text);
    let text = text.replace('&', "&amp;");
    let text = text.replace('<', "&lt;").replace('>', "&gt;");
    if refers {
        format!("<code>{text}</code>")
    } else {
        text
    }
}

/// Whether a host that shows Markdown may find someone's name, an issue or an address in a line. It searches the
/// text that the reader sees, so that Markdown escapes do not help, but not code.
pub fn refers(text: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let digit = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    let lower = text.to_ascii_lowercase();
    let after = |sign: &'static str| {
        lower
            .match_indices(sign)
            .map(move |(at, _)| at + sign.len())
    };
    after("@").any(|at| !lower[..at - 1].ends_with(is_word) && lower[at..].starts_with(is_word))
        || ["#", "!", "gh-"]
            .into_iter()
            .any(|sign| after(sign).any(|at| digit(&lower[at..])))
        || ["://", "www.", "mailto:"]
            .into_iter()
            .any(|sign| lower.contains(sign))
}

/// A line as one span of code.
pub fn code(text: &str) -> String {
    let fence = fence(text, 1);
    if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) {
        format!("{fence} {text} {fence}")
    } else {
        format!("{fence}{text}{fence}")
    }
}

/// A line without Markdown. Text between two single backquotes stays a code span. All other special characters are
/// escaped, since their markup would end anywhere or nowhere. A line that refers to something becomes code.
pub fn escaped(text: &str) -> String {
    let text = plain(text);
    if refers(&text) {
        return code(&text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find('`') {
        let (front, from) = rest.split_at(at);
        escape(front, &mut out);
        let taken = match span(from) {
            Some(bytes) => {
                out.push_str(&from[..bytes]);
                bytes
            }
            None => {
                out.push_str(&"\\`".repeat(run(from)));
                run(from)
            }
        };
        rest = &from[taken..];
    }
    escape(rest, &mut out);
    out
}

/// A line in a table, where a bar ends a cell even in code.
pub(super) fn cell(text: &str) -> String {
    let mut out = String::new();
    let mut backslashes = 0;
    for c in escaped(text).chars() {
        if c == '|' && backslashes % 2 == 0 {
            out.push('\\');
        }
        out.push(c);
        backslashes = if c == '\\' { backslashes + 1 } else { 0 };
    }
    out
}

fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        if "\\*_[]<>#|~$&".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
}

/// The bytes of the code span at the start of a text: from one backquote to the next, if that is single too.
fn span(text: &str) -> Option<usize> {
    let end = 1 + text.get(1..)?.find('`')?;
    (run(text) == 1 && run(&text[end..]) == 1).then_some(end + 1)
}

/// The number of backquotes at the start of a text.
fn run(text: &str) -> usize {
    text.len() - text.trim_start_matches('`').len()
}

#[cfg(test)]
mod tests {
    use super::{block, cell, escaped, in_tag, plain, refers};
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser};

    /// The text and code of one line as a Markdown reader sees them, if it finds nothing else there.
    fn read(line: &str) -> Option<String> {
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_MATH;
        let mut out = String::new();
        for event in Parser::new_ext(&format!("x{line}x"), options) {
            match event {
                Event::Text(text) => out.push_str(&text),
                Event::Code(text) => out.push_str(&format!("`{text}`")),
                Event::Start(pulldown_cmark::Tag::Paragraph) | Event::End(_) => {}
                _ => return None,
            }
        }
        Some(out)
    }

    #[test]
    fn text_that_a_host_would_link_is_code() {
        for (text, shown) in [
            ("@octocat said", "`@octocat said`"),
            ("see #12", "`see #12`"),
            ("a/b#12 `x`", "`` a/b#12 `x` ``"),
            ("GH-12", "`GH-12`"),
            ("![x](https://evil.example)", "`![x](https://evil.example)`"),
            ("www.evil.example", "`www.evil.example`"),
        ] {
            assert_eq!(escaped(text), shown);
        }
        for text in [
            "session:chat-7@2",
            "a.md:12 changed: 1 to 2",
            "100 %",
            "a ! b",
        ] {
            assert_eq!(escaped(text), text);
        }
        assert_eq!(in_tag("layer @a<b>"), "<code>layer @a&lt;b&gt;</code>");
    }

    proptest! {
        #[test]
        fn any_text_is_read_as_itself(text in "[a `\\\\<!>\\[\\]()*_~$&;|#\n\u{1b}-]{0,40}|.{0,40}") {
            let line = escaped(&text);
            // A code span loses a blank on each side.
            let bare = |text: &str| text.replace(' ', "");
            let mark = if refers(&plain(&text)) { "`" } else { "" };
            let wanted = bare(&format!("x{mark}{}{mark}x", plain(&text)));
            prop_assert_eq!(read(&line).map(|t| bare(&t)), Some(wanted), "{}", line);
        }

        #[test]
        fn no_text_ends_its_cell(text in "[a `|\\\\]{0,20}") {
            let table = format!("|h|i|\n|-|-|\n|x{}x|y|\n", cell(&text));
            let events = Parser::new_ext(&table, Options::ENABLE_TABLES);
            let cells = events.filter(|e| matches!(e, Event::Start(pulldown_cmark::Tag::TableCell)));
            prop_assert_eq!(cells.count(), 4, "{}", table);
            prop_assert!(Parser::new_ext(&table, Options::ENABLE_TABLES).any(|e| e == Event::Text("y".into())));
        }

        #[test]
        fn no_text_ends_its_block(text in "[a` <\n]{0,40}") {
            let lines = format!("{text}\n");
            let drawn = block("text", &lines);
            let events: Vec<Event> = Parser::new(&drawn).collect();
            prop_assert_eq!(&events[1..events.len() - 1].iter().map(|e| match e {
                Event::Text(text) => text.to_string(),
                other => format!("{other:?}"),
            }).collect::<String>(), &lines);
        }
    }
}
