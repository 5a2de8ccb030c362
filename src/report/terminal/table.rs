//! A table in the columns of a terminal.

use super::line::paint;
use super::{Terminal, indented};
use crate::report::bar;
use crate::report::escape::plain;
use crate::report::fit::width;
use crate::report::table::{Cell, Row, Table};
use crate::report::text::{Part, Style, Text};
use unicode_width::UnicodeWidthChar as _;

/// The columns between two cells.
const GAP: usize = 2;

/// The columns of the longest bar.
const BAR: usize = 18;

/// The columns of the longest bar where there is little room.
const SHORT_BAR: usize = 6;

/// The fewest columns that a cell's words are wrapped into.
const LEAST: usize = 8;

/// The columns in front of a line below a row.
const BELOW: usize = 2;

pub(super) fn draw(terminal: Terminal, table: &Table) -> String {
    let widths = widths(terminal, table);
    let mut out = String::new();
    if table.has_heads() {
        let heads = table.columns.iter().map(|column| column.name.as_str());
        let row: Vec<Cell> = heads.map(Cell::from).collect();
        for line in lines(terminal, table, &row, &widths) {
            out.push_str(&paint(Style::Faint, &line));
            out.push('\n');
        }
    }
    for Row { cells, below } in &table.rows {
        for line in lines(terminal, table, cells, &widths) {
            out.push_str(&line);
            out.push('\n');
        }
        let room = terminal.columns().saturating_sub(BELOW);
        for text in below.iter().take(1) {
            out.push_str(&indented(&terminal.text(text, Some(room)), BELOW));
            out.push('\n');
        }
    }
    if let Some(more) = &table.more {
        out.push_str(&paint(Style::Faint, &plain(more)));
        out.push('\n');
    }
    out
}

/// The columns of each column.
fn widths(terminal: Terminal, table: &Table) -> Vec<usize> {
    let column = |(at, column): (usize, &crate::report::table::Column)| {
        let cells = table.rows.iter().filter_map(|row| row.cells.get(at));
        let widest = cells.map(|cell| natural(terminal, cell)).max();
        widest.unwrap_or(0).max(width(&column.name))
    };
    let mut widths: Vec<usize> = table.columns.iter().enumerate().map(column).collect();
    let gaps = GAP * widths.len().saturating_sub(1);
    let over =
        |widths: &[usize], line: usize| (widths.iter().sum::<usize>() + gaps).checked_sub(line);
    if let Some(bar) = (0..widths.len()).find(|at| table.is_bar(*at)) {
        let over = over(&widths, terminal.columns()).unwrap_or(0);
        let least = width(&table.columns[bar].name).max(SHORT_BAR);
        widths[bar] = widths[bar].saturating_sub(over).max(least);
    }
    let Some(line) = terminal.width else {
        return widths;
    };
    // The widest gives way first, as long as words are left of it.
    let wide = |widths: &[usize]| {
        let texts =
            (0..widths.len()).filter(|at| !table.columns[*at].numbers && !table.is_bar(*at));
        texts
            .max_by_key(|at| widths[*at])
            .filter(|at| widths[*at] > LEAST)
    };
    while let Some(1..) = over(&widths, line)
        && let Some(at) = wide(&widths)
    {
        widths[at] -= 1;
    }
    widths
}

/// The columns that a cell takes where there is room.
fn natural(terminal: Terminal, cell: &Cell) -> usize {
    match cell {
        Cell::Share { .. } => BAR,
        Cell::Text(text) => {
            let lines = text.each_line().map(|parts| width(&flat(terminal, parts)));
            lines.max().unwrap_or(0)
        }
    }
}

fn flat(terminal: Terminal, parts: &[Part]) -> String {
    let parts = parts.iter().map(|part| part.flat(terminal.signs(), None));
    plain(&parts.collect::<String>())
}

/// The lines of a row.
fn lines(terminal: Terminal, table: &Table, cells: &[Cell], widths: &[usize]) -> Vec<String> {
    let cells = cells.iter().zip(widths);
    let drawn: Vec<Vec<(String, usize)>> = cells
        .map(|(cell, columns)| match cell {
            Cell::Share {
                part,
                most,
                changes,
            } => {
                let cells = (part * columns).div_ceil(*(most.max(&1)));
                let sign = bar::Cell::Lost.drawn(terminal.ascii);
                let bar: String = std::iter::repeat_n(sign, cells).collect();
                let painted = changes.map(|changes| paint(Style::Class(changes), &bar));
                vec![(painted.unwrap_or(bar), cells)]
            }
            Cell::Text(text) => wrapped(terminal, text, *columns),
        })
        .collect();
    let height = drawn.iter().map(Vec::len).max().unwrap_or(0);
    let line = |at: usize| {
        let mut out = String::new();
        for ((cell, columns), column) in drawn.iter().zip(widths).zip(&table.columns) {
            let none = (String::new(), 0);
            let (text, taken) = cell.get(at).unwrap_or(&none);
            let pad = " ".repeat(columns.saturating_sub(*taken));
            let (front, behind) = if column.numbers {
                (pad, String::new())
            } else {
                (String::new(), pad)
            };
            out.push_str(&front);
            out.push_str(text);
            out.push_str(&behind);
            out.push_str(&" ".repeat(GAP));
        }
        out.trim_end().to_owned()
    };
    (0..height).map(line).collect()
}

/// A text in lines of so many columns, each with the columns that it takes.
fn wrapped(terminal: Terminal, text: &Text, columns: usize) -> Vec<(String, usize)> {
    let mut out = Vec::new();
    for parts in text.each_line() {
        let whole = flat(terminal, parts);
        if width(&whole) <= columns {
            out.push((terminal.parts(parts, None), width(&whole)));
            continue;
        }
        let style = match parts {
            [Part::Styled(style, _)] => Some(*style),
            [Part::Class(changes)] => Some(Style::Class(*changes)),
            _ => None,
        };
        for line in wrap(&whole, columns) {
            let taken = width(&line);
            let painted = style.map(|style| paint(style, &line));
            out.push((painted.unwrap_or(line), taken));
        }
    }
    out
}

/// The words of a text in lines; a word that is too long is broken.
fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut taken = 0;
    for word in text.split(' ') {
        if taken > 0 && taken + 1 + width(word) > columns {
            out.push(String::new());
            taken = 0;
        } else if taken > 0 {
            out.last_mut().into_iter().for_each(|line| line.push(' '));
            taken += 1;
        }
        for c in word.chars() {
            let wide = c.width().unwrap_or(0);
            if taken > 0 && taken + wide > columns {
                out.push(String::new());
                taken = 0;
            }
            out.last_mut().into_iter().for_each(|line| line.push(c));
            taken += wide;
        }
    }
    out
}
