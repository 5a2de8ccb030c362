//! The comparison for a pull request or a job's summary.

use super::Compared;
use super::picture::{self, Look};
use super::rows::{Changed, changed};
use super::window::{self, Window};
use crate::cli::ui::words::plain_lines;
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
        let _ = writeln!(out, "\n```text\n{}```", anstream::adapter::strip_str(&bar));
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
    // A fence longer than any in the text.
    let longest = shown
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let mut out = format!(
        "\n<details><summary>{}</summary>\n\n{fence}diff\n",
        escaped(&layer.name)
    );
    for line in lines.iter().take(most) {
        out.push_str(&plain_lines(line));
        out.push('\n');
    }
    let hidden = lines.len().saturating_sub(most) + beyond;
    if hidden > 0 {
        let _ = writeln!(out, "# {hidden} lines more");
    }
    let _ = writeln!(out, "{fence}\n\n</details>");
    out
}

/// Text that Markdown leaves alone; code spans stay.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    let mut code = false;
    for c in text.chars() {
        match c {
            '`' => code = !code,
            '\\' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '$' if !code => {
                out.push('\\');
            }
            _ => {}
        }
        out.push(c);
    }
    out
}
