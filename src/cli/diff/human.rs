//! The comparison for people at a terminal, or in a log.

use super::bar::bar;
use super::fit::underline;
use super::picture::{self, Look};
use super::rows::{Changed, Row, Rows, changed, rows};
use crate::cli::ui::words::{count, plain};
use crate::cli::ui::{ERROR, FAINT, NAME};
use crate::project::Compared;
use anstyle::{AnsiColor, Style};
use similar::ChangeTag;
use std::fmt::Write as _;

/// How many lines of a layer's diff are shown without `--full`.
const MOST: usize = 60;

/// The same of a layer that only one side has.
const MOST_OF_WHOLE: usize = 10;

const REMOVED: Style = AnsiColor::Red.on_default();
const ADDED: Style = AnsiColor::Green.on_default();

/// Draws all comparisons, each under its record's name.
pub(super) fn draw_all(all: &[Compared], look: Look) -> String {
    let mut out = String::new();
    for (index, compared) in all.iter().enumerate() {
        let (a, b) = (plain(&compared.a_name), plain(&compared.b_name));
        if all.len() > 1 {
            let line = if index > 0 { "\n" } else { "" };
            let arrow = if look.ascii { "->" } else { "→" };
            let _ = writeln!(out, "{line}{NAME}{a} {arrow} {b}{NAME:#}");
        }
        out.push_str(&draw(compared, look));
    }
    out
}

/// Draws the comparison.
pub(super) fn draw(compared: &Compared, look: Look) -> String {
    let mut out = String::new();
    for line in picture::head(compared, look) {
        let style = match line.word {
            "broke" => ERROR,
            _ => NAME,
        };
        let _ = writeln!(out, "{style}{:<9}{style:#}{}", line.word, line.text);
    }
    if let Some(bar) = bar(compared, look) {
        let _ = write!(out, "\n{bar}");
    }
    let more = picture::more(compared, look);
    if !more.is_empty() {
        out.push('\n');
    }
    for line in more {
        let _ = writeln!(out, "{NAME}{:<9}{NAME:#}{}", line.word, line.text);
    }
    for layer in changed(compared) {
        out.push_str(&text(&layer, look));
    }
    out
}

/// The text diff of one layer, line by line, with the words that differ marked.
fn text(layer: &Changed, look: Look) -> String {
    let mut out = format!("\n{FAINT}--- {}{FAINT:#}\n", plain(&layer.name));
    let Rows { rows, beyond } = rows(layer, look);
    let gap = || {
        let sign = if look.ascii { "..." } else { "⋮" };
        vec![format!("{FAINT}  {sign}{FAINT:#}")]
    };
    let drawn = rows.iter().flat_map(|row| match row {
        Row::Gap => gap(),
        Row::Line(tag, parts) => line(*tag, parts),
    });
    let lines: Vec<String> = drawn.collect();
    let most = match layer.old.is_empty() || layer.new.is_empty() {
        true => MOST_OF_WHOLE,
        false => MOST,
    };
    let shown = if look.full { lines.len() } else { most };
    let hidden = lines.len().saturating_sub(shown) + beyond;
    for line in lines.iter().take(shown) {
        out.push_str(line);
        out.push('\n');
    }
    if hidden > 0 {
        let _ = writeln!(
            out,
            "{FAINT}  {} more (--full){FAINT:#}",
            count(hidden, "line")
        );
    }
    out
}

/// One line; under a line of which only some words differ, carets say which: colour alone says nothing.
fn line(tag: ChangeTag, parts: &[(bool, String)]) -> Vec<String> {
    let (sign, style) = match tag {
        ChangeTag::Equal => (' ', Style::new()),
        ChangeTag::Delete => ('-', REMOVED),
        ChangeTag::Insert => ('+', ADDED),
    };
    let mut drawn = format!("{style}{sign} ");
    let mut plain = String::new();
    let mut marks = Vec::new();
    for (emphasised, part) in parts {
        let start = plain.len();
        plain.push_str(part);
        match emphasised {
            true => {
                marks.push(start..plain.len());
                let strong = style.underline();
                let _ = write!(drawn, "{style:#}{strong}{part}{strong:#}{style}");
            }
            false => drawn.push_str(part),
        }
    }
    let _ = write!(drawn, "{style:#}");
    let mut out = vec![drawn.trim_end().to_owned()];
    let words = marks.iter().any(|m| !m.is_empty());
    if tag != ChangeTag::Equal && words {
        out.push(format!(
            "{FAINT}  {}{FAINT:#}",
            underline(&plain, &marks, '^')
        ));
    }
    out
}
