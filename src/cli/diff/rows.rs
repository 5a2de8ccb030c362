//! The texts of changed layers, line by line.

use super::fit::width;
use super::picture::Look;
use super::window::{self, AROUND, Window};
use crate::cli::ui::words::plain;
use crate::compare::Confidence;
use crate::project::Compared;
use crate::prompt::{Deliver, Prompt};
use similar::{ChangeTag, TextDiff};
use unicode_width::UnicodeWidthChar as _;

/// Of a longer line only this many columns are shown without `--full`, around the first words that differ.
const COLUMNS: usize = 120;

/// A layer whose text differs.
pub(crate) struct Changed {
    /// What it is called.
    pub(crate) name: String,
    /// Its text in A.
    pub(crate) old: String,
    /// Its text in B.
    pub(crate) new: String,
}

/// The layers whose text differs, in order; the whole texts if nothing is known of layers.
pub(crate) fn changed(compared: &Compared) -> Vec<Changed> {
    // Of one side there is no text to show.
    if compared.diff.sure == Confidence::Hashes {
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
    crate::compare::own_text(prompt, deliver, layer).to_owned()
}

/// A row of a text diff.
pub(crate) enum Row {
    /// Lines that both have are left out here.
    Gap,
    /// A line in parts, each with whether it is one of the words that differ.
    Line(ChangeTag, Vec<(bool, String)>),
}

/// The text diff of one layer.
pub(crate) struct Rows {
    /// Its rows.
    pub(crate) rows: Vec<Row>,
    /// Lines that were not compared.
    pub(crate) beyond: usize,
}

/// The text diff of one layer, line by line, with the words that differ.
pub(crate) fn rows(layer: &Changed, look: Look) -> Rows {
    let Window { old, new, beyond } = window::window(&layer.old, &layer.new, look.full);
    let diff = TextDiff::from_lines(old, new);
    let around = if look.full { usize::MAX / 4 } else { AROUND };
    let mut rows: Vec<Row> = Vec::new();
    for (index, group) in diff.grouped_ops(around).iter().enumerate() {
        if index > 0 {
            rows.push(Row::Gap);
        }
        for change in group.iter().flat_map(|op| diff.iter_inline_changes(op)) {
            let parts: Vec<(bool, String)> = change
                .iter_strings_lossy()
                .map(|(emphasised, part)| (emphasised, plain(part.trim_end_matches('\n'))))
                .collect();
            let parts = match look.full {
                true => parts,
                false => columns(parts, look.ascii),
            };
            rows.push(Row::Line(change.tag(), parts));
        }
    }
    Rows { rows, beyond }
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
