//! The comparison for a pull request or a job's summary.

use super::picture::{self, Look};
use super::rows::{Changed, changed};
use super::window::{self, Window};
use crate::cli::ui::words::{plain, plain_lines};
use crate::project::Compared;
use anstream::adapter::strip_str;
use similar::TextDiff;
use std::fmt::Write as _;

/// How many lines of a layer's diff are shown without `--full`.
const MOST: usize = 80;

/// Draws the comparison.
pub(super) fn draw(compared: &Compared, full: bool) -> String {
    let look = Look { ascii: false, full };
    let mut out = String::new();
    let _ = writeln!(
        out,
        "### {} → {}\n",
        escaped(&compared.a_name),
        escaped(&compared.b_name)
    );
    for line in picture::head(compared, look) {
        let _ = writeln!(out, "- **{}** {}", line.word, escaped(&line.text));
    }
    if let Some(bar) = super::bar::bar(compared, look) {
        let bar = strip_str(&bar).to_string();
        let _ = write!(out, "\n{}", block("text", &bar));
    }
    let more = picture::more(compared, look);
    if !more.is_empty() {
        out.push('\n');
    }
    for line in more {
        let _ = writeln!(out, "- **{}** {}", line.word, escaped(&line.text));
    }
    for layer in changed(compared) {
        out.push_str(&text(&layer, full));
    }
    out
}

fn text(layer: &Changed, full: bool) -> String {
    let Window { old, new, beyond } = window::window(&layer.old, &layer.new, full);
    let diff = TextDiff::from_lines(old, new);
    let mut unified = diff.unified_diff();
    let shown = unified
        .context_radius(2)
        .missing_newline_hint(false)
        .to_string();
    let lines: Vec<&str> = shown.lines().collect();
    let most = if full { lines.len() } else { MOST };
    let mut rows = String::new();
    for line in lines.iter().take(most) {
        rows.push_str(&plain_lines(line));
        rows.push('\n');
    }
    let hidden = lines.len().saturating_sub(most) + beyond;
    if hidden > 0 {
        let _ = writeln!(rows, "# {hidden} lines more");
    }
    format!(
        "\n<details><summary>{}</summary>\n\n{}\n</details>\n",
        in_tag(&layer.name),
        block("diff", &rows)
    )
}

/// Lines as a block of code, in a fence longer than any in them.
pub(crate) fn block(language: &str, lines: &str) -> String {
    let fence = fence(lines, 3);
    format!("{fence}{language}\n{lines}{fence}\n")
}

/// At least `least` backquotes, more than stand together anywhere in a text.
fn fence(text: &str, least: usize) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max();
    "`".repeat((longest.unwrap_or_default() + 1).max(least))
}

/// Text inside of a tag, where what escapes in Markdown does not.
fn in_tag(text: &str) -> String {
    let text = plain(text);
    let refers = refers(&text);
    let text = text.replace('&', "&amp;");
    let text = text.replace('<', "&lt;").replace('>', "&gt;");
    match refers {
        true => format!("<code>{text}</code>"),
        false => text,
    }
}

/// Whether a host that shows Markdown may find someone's name, an issue or an address in a line: it looks for them in the
/// text that the reader sees, so that no escape of Markdown's keeps them from it, and not in code.
pub(crate) fn refers(text: &str) -> bool {
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
pub(crate) fn code(text: &str) -> String {
    let fence = fence(text, 1);
    match text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) {
        true => format!("{fence} {text} {fence}"),
        false => format!("{fence}{text}{fence}"),
    }
}

/// A line that Markdown leaves alone. What stands between two single backquotes stays a code span; all others are escaped,
/// since what they would begin ends anywhere or nowhere. A line that refers to something is code.
pub(crate) fn escaped(text: &str) -> String {
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

fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        if "\\*_[]<>#|~$&".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
}

/// The bytes of the code span that a text begins with: from one backquote to the next, if that stands alone too.
fn span(text: &str) -> Option<usize> {
    let end = 1 + text.get(1..)?.find('`')?;
    (run(text) == 1 && run(&text[end..]) == 1).then_some(end + 1)
}

/// How many backquotes a text begins with.
fn run(text: &str) -> usize {
    text.len() - text.trim_start_matches('`').len()
}

#[cfg(test)]
mod tests {
    use super::{block, escaped, in_tag, refers};
    use crate::cli::ui::words::plain;
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser};

    /// What a reader of Markdown takes for text and code in one line, if it finds nothing else there.
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
    fn what_a_host_would_link_is_code() {
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
