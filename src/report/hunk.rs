//! The texts of changed layers, line by line.

use super::escape::plain;
use super::fit::width;
use super::window::{self, AROUND, Window};
use crate::compare::Confidence;
use crate::project::Compared;
use crate::prompt::{Deliver, Prompt};
use similar::{ChangeTag, TextDiff};
use unicode_width::UnicodeWidthChar as _;

/// The part of changed texts that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Unchanged text around the changes.
    Around,
    /// All of it.
    Full,
}

/// The text of a layer that differs, line by line.
#[derive(Debug, Clone)]
pub struct Hunk {
    /// Its name.
    pub(super) name: String,
    /// The part of it that is shown.
    pub(super) extent: Extent,
    /// Whether both sides have a text.
    pub(super) both: bool,
    /// Its rows.
    pub(super) rows: Vec<Row>,
    /// Lines that were not compared.
    pub(super) beyond: usize,
}

/// A row of a text diff.
#[derive(Debug, Clone)]
pub(super) enum Row {
    /// Lines that both have are left out here.
    Gap,
    /// A line in parts, each with whether it is one of the words that differ.
    Line(ChangeTag, Vec<(bool, String)>),
}

/// A layer whose text differs.
struct Changed {
    /// Its name.
    name: String,
    /// Its text in A.
    old: String,
    /// Its text in B.
    new: String,
}

/// The layers whose text differs, in order; the whole texts if the layers are unknown.
fn changed(compared: &Compared) -> Vec<Changed> {
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

/// The text of a layer without the join before it.
fn own(prompt: &Prompt, deliver: Deliver, layer: &str) -> String {
    crate::compare::own_text(prompt, deliver, layer).to_owned()
}

/// The changed layers, each with the lines that differ.
pub(super) fn hunks(compared: &Compared, extent: Extent) -> Vec<Hunk> {
    let all = changed(compared);
    all.iter().map(|layer| hunk(layer, extent)).collect()
}

fn hunk(layer: &Changed, extent: Extent) -> Hunk {
    let full = extent == Extent::Full;
    let Window { old, new, beyond } = window::window(&layer.old, &layer.new, full);
    let diff = TextDiff::from_lines(old, new);
    let around = if full { usize::MAX / 4 } else { AROUND };
    let mut rows: Vec<Row> = Vec::new();
    for (index, group) in diff.grouped_ops(around).iter().enumerate() {
        if index > 0 {
            rows.push(Row::Gap);
        }
        for change in group.iter().flat_map(|op| diff.iter_inline_changes(op)) {
            let parts = change.iter_strings_lossy();
            let parts =
                parts.map(|(marked, part)| (marked, part.trim_end_matches('\n').to_owned()));
            rows.push(Row::Line(change.tag(), parts.collect()));
        }
    }
    Hunk {
        name: layer.name.clone(),
        extent,
        both: !layer.old.is_empty() && !layer.new.is_empty(),
        rows,
        beyond,
    }
}

impl Hunk {
    /// The number of lines of this kind.
    pub(super) fn count(&self, tag: ChangeTag) -> usize {
        let of = |row: &&Row| matches!(row, Row::Line(t, _) if *t == tag);
        self.rows.iter().filter(of).count()
    }

    /// The parts of a line as they are shown: not seen what does harm, and of a long line only what is in `columns` around
    /// the first words that differ, if not all is wanted.
    pub(super) fn parts(
        &self,
        parts: &[(bool, String)],
        columns: usize,
        ellipsis: &str,
    ) -> Vec<(bool, String)> {
        let parts = parts.iter().map(|(marked, part)| (*marked, plain(part)));
        let parts: Vec<(bool, String)> = parts.collect();
        let whole: usize = parts.iter().map(|(_, part)| width(part)).sum();
        match self.extent == Extent::Full || whole <= columns {
            true => parts,
            false => clipped(parts, whole, columns, ellipsis),
        }
    }
}

fn clipped(
    parts: Vec<(bool, String)>,
    whole: usize,
    columns: usize,
    ellipsis: &str,
) -> Vec<(bool, String)> {
    let before: usize = parts
        .iter()
        .take_while(|(marked, _)| !marked)
        .map(|(_, part)| width(part))
        .sum();
    let from = match before < whole {
        true => before.saturating_sub(columns / 3),
        false => 0,
    };
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
                from < at && at <= from + columns
            })
            .collect();
        out.push((marked, kept));
    }
    if from + columns < whole {
        out.push((false, ellipsis.to_owned()));
    }
    out
}
