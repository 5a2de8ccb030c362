//! The comparison for people at a terminal, or in a log.

use super::Compared;
use super::bar::bar;
use super::fit::{underline, width};
use super::picture::{self, Look};
use super::window::{self, AROUND, Window};
use crate::cli::ui::words::{count, plain};
use crate::cli::ui::{ERROR, FAINT, NAME};
use crate::diff::Sure;
use crate::prompt::{Deliver, Prompt};
use anstyle::{AnsiColor, Style};
use similar::{ChangeTag, TextDiff};
use std::fmt::Write as _;
use unicode_width::UnicodeWidthChar as _;

/// How many lines of a layer's diff are shown without `--full`.
const MOST: usize = 60;

/// The same of a layer that only one side has.
const MOST_OF_WHOLE: usize = 10;

/// Of a longer line only this many columns are shown without `--full`, around the first words that differ.
const COLUMNS: usize = 120;

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

/// A layer whose text differs.
pub(super) struct Changed {
    pub(super) name: String,
    pub(super) old: String,
    pub(super) new: String,
}

/// The layers whose text differs, in order; the whole texts if nothing is known of layers.
pub(super) fn changed(compared: &Compared) -> Vec<Changed> {
    // Of one side there is no text to show.
    if compared.diff.sure == Sure::Hashes {
        return Vec::new();
    }
    let breaks = compared.diff.first.iter().chain(&compared.diff.hidden);
    breaks
        .filter_map(|b| {
            let (name, [old, new]) = match &b.layer {
                None => (
                    "text".to_owned(),
                    [&compared.a, &compared.b].map(|p| p.text(b.channel).to_owned()),
                ),
                Some(layer) => (
                    format!("layer {layer}"),
                    [&compared.a, &compared.b].map(|p| own(p, b.channel, layer)),
                ),
            };
            // A last line that is not ended is a line like any other.
            let [ended_old, ended_new] =
                [&old, &new].map(|text| match text.ends_with('\n') || text.is_empty() {
                    true => text.clone(),
                    false => format!("{text}\n"),
                });
            let (old, new) = match ended_old == ended_new {
                true => (old, new),
                false => (ended_old, ended_new),
            };
            (old != new).then_some(Changed { name, old, new })
        })
        .collect()
}

/// The text of a layer without the join in front.
fn own(prompt: &Prompt, deliver: Deliver, layer: &str) -> String {
    crate::diff::own_text(prompt, deliver, layer).to_owned()
}

/// The text diff of one layer, line by line, with the words that differ marked.
fn text(layer: &Changed, look: Look) -> String {
    let mut out = format!("\n{FAINT}--- {}{FAINT:#}\n", plain(&layer.name));
    let Window { old, new, beyond } = window::window(&layer.old, &layer.new, look.full);
    let diff = TextDiff::from_lines(old, new);
    let around = if look.full { usize::MAX / 4 } else { AROUND };
    let mut lines: Vec<String> = Vec::new();
    for (index, group) in diff.grouped_ops(around).iter().enumerate() {
        if index > 0 {
            lines.push(format!(
                "{FAINT}  {}{FAINT:#}",
                if look.ascii { "..." } else { "⋮" }
            ));
        }
        for op in group {
            for change in diff.iter_inline_changes(op) {
                let parts: Vec<(bool, String)> = change
                    .iter_strings_lossy()
                    .map(|(emphasised, part)| (emphasised, plain(part.trim_end_matches('\n'))))
                    .collect();
                let parts = match look.full {
                    true => parts,
                    false => columns(parts, look.ascii),
                };
                lines.extend(line(change.tag(), &parts));
            }
        }
    }
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

/// The part of a long line that is around the first words that differ.
fn columns(parts: Vec<(bool, String)>, ascii: bool) -> Vec<(bool, String)> {
    let whole: usize = parts.iter().map(|(_, part)| width(part)).sum();
    if whole <= COLUMNS {
        return parts;
    }
    let before: usize = parts
        .iter()
        .take_while(|(marked, _)| !marked)
        .map(|(_, part)| width(part))
        .sum();
    let from = match before < whole {
        true => before.saturating_sub(COLUMNS / 3),
        false => 0,
    };
    let ellipsis = if ascii { "..." } else { "…" };
    let mut out = Vec::new();
    if from > 0 {
        out.push((false, ellipsis.to_owned()));
    }
    let mut at = 0;
    for (marked, part) in parts {
        let kept: String = part
            .chars()
            .filter(|c| {
                at += c.width().unwrap_or(0);
                from < at && at <= from + COLUMNS
            })
            .collect();
        out.push((marked, kept));
    }
    if from + COLUMNS < whole {
        out.push((false, ellipsis.to_owned()));
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
