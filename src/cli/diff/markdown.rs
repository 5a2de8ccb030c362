//! The comparison for a pull request or a job's summary.

use super::Compared;
use super::picture::{self, Look};
use super::rows::{Changed, changed};
use super::window::{self, Window};
use crate::cli::ui::words::{plain, plain_lines};
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
    let longest = lines.split(|c| c != '`').map(str::len).max();
    let fence = "`".repeat(longest.unwrap_or_default().max(2) + 1);
    format!("{fence}{language}\n{lines}{fence}\n")
}

/// Text inside of a tag, where what escapes in Markdown does not.
fn in_tag(text: &str) -> String {
    let text = plain(text).replace('&', "&amp;");
    text.replace('<', "&lt;").replace('>', "&gt;")
}

/// A line that Markdown leaves alone. What stands between two single backquotes stays a code span; all others are escaped,
/// since what they would begin ends anywhere or nowhere.
pub(crate) fn escaped(text: &str) -> String {
    let text = plain(text);
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
    use super::{block, escaped};
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

    proptest! {
        #[test]
        fn any_text_is_read_as_itself(text in "[a `\\\\<!>\\[\\]()*_~$&;|#\n\u{1b}-]{0,40}|.{0,40}") {
            let line = escaped(&text);
            // A code span loses a blank on each side.
            let bare = |text: &str| text.replace(' ', "");
            let wanted = bare(&format!("x{}x", plain(&text)));
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
