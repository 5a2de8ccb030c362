//! The texts of changed layers, line by line.

use super::escape::plain;
use super::fit::width;
use super::window::{self, AROUND, Window};
use crate::compare::Confidence;
use crate::project::Compared;
use crate::prompt::{Deliver, Prompt};
use crate::text::common::pairs;
use crate::text::difference::{self, Line};
use similar::{ChangeTag, DiffOp, TextDiff};
use std::collections::BTreeSet;
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
    /// A line.
    Line(ChangeTag, Line),
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
    let mut seen = BTreeSet::new();
    let layers = breaks.flat_map(|b| {
        let others = b
            .layers
            .iter()
            .filter(|name| Some(*name) != b.layer.as_ref());
        let own = std::iter::once(b.layer.as_ref());
        own.chain(others.map(Some)).map(move |layer| (b, layer))
    });
    layers
        .filter(|(_, layer)| seen.insert(*layer))
        .filter_map(|(b, layer)| {
            let (name, [old, new]) = match layer {
                None => (
                    "text".to_owned(),
                    [&compared.a, &compared.b].map(|p| p.text(b.channel).to_owned()),
                ),
                Some(layer) => (
                    format!("layer {layer}"),
                    [&compared.a, &compared.b].map(|p| own(p, b.channel, layer)),
                ),
            };
            let [old, new] = ended([old, new]);
            (old != new).then_some(Changed { name, old, new })
        })
        .collect()
}

/// Two texts of which the last line is ended, as a last line that is not is one like any other.
pub(super) fn ended(texts: [String; 2]) -> [String; 2] {
    let ended = texts.each_ref().map(|text| {
        if text.ends_with('\n') || text.is_empty() {
            text.clone()
        } else {
            format!("{text}\n")
        }
    });
    if ended[0] == ended[1] { texts } else { ended }
}

/// The text of a layer without the join before it.
fn own(prompt: &Prompt, deliver: Deliver, layer: &str) -> String {
    crate::compare::own_text(prompt, deliver, layer).to_owned()
}

/// The changed layers, each with the lines that differ.
pub(super) fn hunks(compared: &Compared, extent: Extent) -> Vec<Hunk> {
    let all = changed(compared).into_iter();
    all.map(|layer| hunk(layer.name, [&layer.old, &layer.new], extent))
        .collect()
}

/// The lines of two texts that differ.
pub(super) fn hunk(name: String, [old, new]: [&str; 2], extent: Extent) -> Hunk {
    let full = extent == Extent::Full;
    let both = !old.is_empty() && !new.is_empty();
    let Window { old, new, beyond } = window::window(old, new, full);
    let diff = TextDiff::from_lines(old, new);
    let around = if full { usize::MAX / 4 } else { AROUND };
    let mut rows: Vec<Row> = Vec::new();
    for (index, group) in diff.grouped_ops(around).iter().enumerate() {
        if index > 0 {
            rows.push(Row::Gap);
        }
        let op_rows = |op: &DiffOp| {
            let old = op.old_range().filter_map(|at| diff.old_slice(at));
            let new = op.new_range().filter_map(|at| diff.new_slice(at));
            op_rows(op, (&old.collect::<Vec<_>>(), &new.collect::<Vec<_>>()))
        };
        rows.extend(group.iter().flat_map(op_rows));
    }
    Hunk {
        name,
        extent,
        both,
        rows,
        beyond,
    }
}

/// The rows of an operation: lines that took each other's place are shown so that they look different.
fn op_rows(op: &DiffOp, (old, new): (&[&str], &[&str])) -> Vec<Row> {
    let bare = |line: &str| line.trim_end_matches('\n').to_owned();
    if let DiffOp::Equal { .. } = op {
        let same = old.iter().map(|line| difference::line(&bare(line)));
        return same.map(|line| Row::Line(ChangeTag::Equal, line)).collect();
    }
    let [mut gone, mut come] = [old, new].map(|lines| -> Vec<Line> {
        lines
            .iter()
            .map(|line| difference::line(&bare(line)))
            .collect()
    });
    for (a, b) in counterparts(old, new) {
        let [x, y] = [old[a], new[b]].map(bare);
        // Only the ends of the two lines differ.
        let [x, y] = if x == y {
            [old[a], new[b]].map(str::to_owned)
        } else {
            [x, y]
        };
        [gone[a], come[b]] = difference::lines(&x, &y);
    }
    let rows = |tag| move |line| Row::Line(tag, line);
    let gone = gone.into_iter().map(rows(ChangeTag::Delete));
    gone.chain(come.into_iter().map(rows(ChangeTag::Insert)))
        .collect()
}

/// The lines that took each other's place: those that look alike, and between them one after the other.
fn counterparts(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let looks = |lines: &[&str]| -> Vec<String> {
        lines.iter().map(|line| difference::looks(line)).collect()
    };
    let alike = pairs(&looks(old), &looks(new));
    let mut out = Vec::new();
    let (mut i, mut j) = (0, 0);
    for (to_a, to_b) in alike.into_iter().chain([(old.len(), new.len())]) {
        out.extend((i..to_a).zip(j..to_b));
        if to_a < old.len() {
            out.push((to_a, to_b));
        }
        (i, j) = (to_a + 1, to_b + 1);
    }
    out
}

impl Hunk {
    /// The number of lines of this kind.
    pub(super) fn count(&self, tag: ChangeTag) -> usize {
        let of = |row: &&Row| matches!(row, Row::Line(t, _) if *t == tag);
        self.rows.iter().filter(of).count()
    }

    /// The parts of a line as they are shown: of a long line only what is in `columns` around its first difference, if
    /// not all is wanted.
    pub(super) fn parts(&self, line: &Line, columns: usize, ellipsis: &str) -> Vec<(bool, String)> {
        let parts = line.parts.iter();
        let parts: Vec<(bool, String)> =
            parts.map(|(marked, part)| (*marked, plain(part))).collect();
        let whole: usize = parts.iter().map(|(_, part)| width(part)).sum();
        if self.extent == Extent::Full || whole <= columns {
            parts
        } else {
            clipped(parts, (line.at.unwrap_or(0), whole), columns, ellipsis)
        }
    }
}

fn clipped(
    parts: Vec<(bool, String)>,
    (place, whole): (usize, usize),
    columns: usize,
    ellipsis: &str,
) -> Vec<(bool, String)> {
    let from = if place <= columns / 2 {
        0
    } else {
        place - columns / 3
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
