//! Tables: nodes of one name on neighbouring lines with aligned parts, and the comments after them.

use super::tree::Comment;
use super::{TABLE, WIDTH, width};
use std::collections::BTreeMap;

/// A node on a line of its own.
#[derive(Debug)]
pub(super) struct Row {
    /// The column at which it starts.
    pub(super) indent: usize,
    /// Its parts.
    pub(super) cells: Vec<Cell>,
    /// The comment after it.
    pub(super) comment: Option<Comment>,
}

/// A part of a row.
#[derive(Debug)]
pub(super) struct Cell {
    /// Its text.
    pub(super) text: String,
    /// Whether more than one column was left free before it.
    pub(super) apart: bool,
    /// Its column, counted from the start of its row.
    pub(super) column: usize,
}

/// Something printed, before its comment has its place.
#[derive(Debug)]
pub(super) enum Out {
    /// An empty line.
    Blank,
    /// A row.
    Row(Row),
    /// One line or many, whole.
    Text {
        /// The text, without the final line end.
        text: String,
        /// The comment after it.
        comment: Option<Comment>,
        /// Whether the rows before and after it belong together anyway.
        between: bool,
    },
}

/// The text of `outs`, in columns.
pub(super) fn text(outs: Vec<Out>) -> String {
    let mut printed = Vec::new();
    let mut table: Vec<Row> = Vec::new();
    let mut waiting: Vec<Out> = Vec::new();
    for out in outs {
        let name = |row: &Row| row.cells.first().map(|c| c.text.clone());
        match out {
            Out::Row(row) if table.first().is_none_or(|first| name(first) == name(&row)) => {
                table.push(row);
                waiting.push(Out::Blank);
            }
            Out::Text { between: true, .. } if !table.is_empty() => waiting.push(out),
            other => {
                flush(&mut table, &mut waiting, &mut printed);
                match other {
                    Out::Row(row) => {
                        table.push(row);
                        waiting.push(Out::Blank);
                    }
                    other => printed.push(other),
                }
            }
        }
    }
    flush(&mut table, &mut waiting, &mut printed);
    joined(printed)
}

/// Ends a table: `waiting` is what was met since it began, with a blank for each of its rows.
fn flush(table: &mut Vec<Row>, waiting: &mut Vec<Out>, printed: &mut Vec<Out>) {
    let mut rows = aligned(std::mem::take(table)).into_iter();
    for out in waiting.drain(..) {
        match out {
            Out::Blank => printed.extend(rows.next()),
            out => printed.push(out),
        }
    }
}

/// The rows with their parts in columns.
fn aligned(rows: Vec<Row>) -> Vec<Out> {
    // The columns of a row from each part to its end, with one space before every part.
    let rests: Vec<Vec<usize>> = rows.iter().map(rests).collect();
    let name = |row: &Row| row.cells.first().map_or(0, |c| width(&c.text));
    let mut ends: Vec<usize> = rows.iter().map(|row| row.indent + name(row)).collect();
    let mut texts: Vec<String> = rows
        .iter()
        .map(|row| {
            let name = row.cells.first().map_or("", |c| &c.text);
            format!("{}{name}", " ".repeat(row.indent))
        })
        .collect();
    let most = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    for k in 1..most {
        let column = column(&rows, &rests, &ends, k);
        for (at, row) in rows.iter().enumerate() {
            let Some(cell) = row.cells.get(k) else {
                continue;
            };
            let fits = |c: &usize| *c > ends[at] && c + rests[at][k] <= TABLE;
            let start = column.filter(fits).unwrap_or(ends[at] + 1);
            texts[at] += &" ".repeat(start - ends[at]);
            texts[at] += &cell.text;
            ends[at] = start + width(&cell.text);
        }
    }
    let rows = rows.into_iter().zip(texts);
    rows.map(|(row, text)| Out::Text {
        text,
        comment: row.comment,
        between: false,
    })
    .collect()
}

fn rests(row: &Row) -> Vec<usize> {
    let mut out = Vec::with_capacity(row.cells.len());
    let mut rest = 0;
    for cell in row.cells.iter().rev() {
        rest += width(&cell.text) + usize::from(rest > 0);
        out.push(rest);
    }
    out.reverse();
    out
}

/// The column of part `k` in all rows: the most frequent one of those that were aligned by hand, if it is after the
/// preceding part in each row; else as far left as possible. `None` if none was aligned, or if only one row has it.
///
/// A row that is too long without any column counts for nothing.
fn column(rows: &[Row], rests: &[Vec<usize>], ends: &[usize], k: usize) -> Option<usize> {
    let has = rows.iter().filter_map(|row| row.cells.get(k));
    if has.clone().count() < 2 || !has.into_iter().any(|cell| cell.apart) {
        return None;
    }
    let short = |at: &usize| {
        rests[*at]
            .get(k)
            .is_some_and(|r| ends[*at] + 1 + r <= TABLE)
    };
    let least = (0..rows.len()).filter(short).map(|at| ends[at] + 1).max()?;
    let cells = rows
        .iter()
        .filter_map(|r| Some((r.indent, r.cells.get(k)?)));
    let stood = cells
        .filter(|(_, c)| c.apart)
        .map(|(indent, c)| indent + c.column);
    Some(most_frequent(stood.filter(|c| *c >= least)).unwrap_or(least))
}

/// The most frequent of `numbers`, the least of those that are equally frequent.
fn most_frequent(numbers: impl Iterator<Item = usize>) -> Option<usize> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for number in numbers {
        *counts.entry(number).or_default() += 1;
    }
    let most = counts.values().copied().max()?;
    counts.into_iter().find(|(_, n)| *n == most).map(|(c, _)| c)
}

/// The lines, with the comments of neighbouring lines below each other.
fn joined(outs: Vec<Out>) -> String {
    let mut text = String::new();
    let mut run: Vec<(String, Comment)> = Vec::new();
    for out in outs {
        match out {
            Out::Text {
                text: line,
                comment: Some(comment),
                ..
            } if !line.contains('\n') => run.push((line, comment)),
            out => {
                end_run(&mut run, &mut text);
                if let Out::Text {
                    text: line,
                    comment,
                    ..
                } = out
                {
                    text += &line;
                    if let Some(comment) = comment {
                        place(&mut text, &comment);
                    }
                }
                text.push('\n');
            }
        }
    }
    end_run(&mut run, &mut text);
    text
}

/// Neighbouring lines with comments: all at one column, unless that made a line too long.
fn end_run(run: &mut Vec<(String, Comment)>, text: &mut String) {
    let run = std::mem::take(run);
    let alone: Vec<usize> = run.iter().map(|(line, c)| own_column(line, c)).collect();
    let least = run.iter().map(|(line, _)| width(line) + 1).max();
    let least = least.unwrap_or(0);
    let column = most_frequent(alone.iter().copied().filter(|c| *c >= least)).unwrap_or(least + 1);
    let fits = run.iter().zip(&alone).all(|((_, comment), alone)| {
        let length = width(&comment.text);
        column + length <= WIDTH.max(alone + length)
    });
    for ((line, comment), alone) in run.into_iter().zip(alone) {
        let column = if fits { column } else { alone };
        let free = column.saturating_sub(width(&line));
        *text += &format!("{line}{}{}\n", " ".repeat(free), comment.text);
    }
}

/// Adds a comment after the last line of `text`.
pub(super) fn place(text: &mut String, comment: &Comment) {
    let line = text.rsplit('\n').next().unwrap_or("");
    let free = own_column(line, comment).saturating_sub(width(line));
    *text += &" ".repeat(free);
    *text += &comment.text;
}

/// The column of a comment after `line` outside a table: its old one; if that is not possible, or too far out, two
/// columns after the line.
fn own_column(line: &str, comment: &Comment) -> usize {
    let end = width(line);
    match comment.column {
        column if column > end && column <= WIDTH => column,
        _ => end + 2,
    }
}
