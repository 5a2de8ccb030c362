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

/// The columns of a word that is broken only where it is longer.
const LONG_WORD: usize = 20;

/// The columns in which sentences can be read.
const READABLE: usize = 24;

/// The columns before a line below a row.
const BELOW: usize = 2;

pub(super) fn draw(terminal: Terminal, table: &Table) -> String {
    let layout = layout(terminal, table);
    let mut out = String::new();
    if table.has_heads() {
        let heads = table.columns.iter().map(|column| column.name.as_str());
        let row: Vec<Cell> = heads.map(Cell::from).collect();
        for line in lines(terminal, table, &row, &layout) {
            out.push_str(&paint(Style::Faint, &line));
            out.push('\n');
        }
    }
    for Row { cells, below } in &table.rows {
        for line in lines(terminal, table, cells, &layout) {
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

/// The layout of the columns.
struct Layout {
    /// The columns of each.
    widths: Vec<usize>,
    /// The columns between two.
    gap: usize,
}

impl Layout {
    fn whole(&self) -> usize {
        self.widths.iter().sum::<usize>() + self.gap * self.widths.len().saturating_sub(1)
    }

    /// Makes that column narrower which costs the fewest lines, until all fit or each has its least.
    fn shrink(&mut self, line: usize, least: &[usize], cells: &[Vec<Size>]) {
        while self.whole() > line {
            let widths = self.widths.iter().enumerate();
            let wide = widths.filter(|(at, width)| **width > least[*at]);
            let cost = |(at, width): &(usize, &usize)| {
                let more = cells[*at].iter().map(|cell| cell.more(**width));
                (more.sum::<usize>(), usize::MAX - **width)
            };
            let Some((at, _)) = wide.min_by_key(cost) else {
                return;
            };
            self.widths[at] -= 1;
        }
    }
}

/// The columns of a cell.
struct Size {
    /// Where there is room.
    natural: usize,
    /// The width of its longest word.
    word: usize,
}

/// A line, in the unit in which lines are weighed against each other.
const ONE: usize = 1000;
/// The number of lines that a broken word counts for.
const BROKEN: usize = 4;

impl Size {
    /// About how many lines it takes in so many columns.
    fn lines(&self, columns: usize) -> usize {
        let lines = if self.natural <= columns {
            ONE
        } else {
            (self.natural * ONE / columns.max(1)).max(2 * ONE)
        };
        if self.word > columns {
            lines * BROKEN
        } else {
            lines
        }
    }

    /// The number of lines that it takes in addition with one column less.
    fn more(&self, columns: usize) -> usize {
        self.lines(columns - 1).saturating_sub(self.lines(columns))
    }
}

/// The layout of a table. If it is wider than the terminal, bars shrink first, then cells, and at last the white
/// space between them.
fn layout(terminal: Terminal, table: &Table) -> Layout {
    let columns = 0..table.columns.len();
    let size = |cell: &Cell| Size {
        natural: natural(terminal, cell),
        word: longest_word(terminal, cell),
    };
    let cells = |at: usize| -> Vec<Size> {
        let head = Cell::from(table.columns[at].name.as_str());
        let cells = table.rows.iter().filter_map(|row| row.cells.get(at));
        cells.map(size).chain([size(&head)]).collect()
    };
    let cells: Vec<Vec<Size>> = columns.clone().map(cells).collect();
    let widest = |at: usize, of: fn(&Size) -> usize| cells[at].iter().map(of).max().unwrap_or(0);
    let mut layout = Layout {
        widths: columns
            .clone()
            .map(|at| widest(at, |c| c.natural))
            .collect(),
        gap: GAP,
    };
    let bar = |at: usize| width(&table.columns[at].name).max(SHORT_BAR);
    let bars = columns.clone().map(|at| {
        if table.is_bar(at) {
            bar(at)
        } else {
            layout.widths[at]
        }
    });
    let bars: Vec<usize> = bars.collect();
    layout.shrink(terminal.columns(), &bars, &cells);
    let Some(line) = terminal.width else {
        return layout;
    };
    let words = columns.clone().map(|at| {
        if table.is_bar(at) {
            bar(at)
        } else {
            widest(at, |cell| cell.word).min(LONG_WORD)
        }
    });
    let words: Vec<usize> = words.collect();
    let readable = |at: usize| words[at].max(widest(at, |cell| cell.natural).min(READABLE));
    let readable: Vec<usize> = columns.map(readable).collect();
    layout.shrink(line, &readable, &cells);
    if layout.whole() > line {
        layout.gap = 1;
        layout.shrink(line, &words, &cells);
    }
    layout
}

/// The columns of the longest word in a cell.
fn longest_word(terminal: Terminal, cell: &Cell) -> usize {
    match cell {
        Cell::Share { .. } => SHORT_BAR,
        Cell::Text(text) => {
            let lines = text.each_line().map(|parts| flat(terminal, parts));
            let words = lines.map(|line| line.split(' ').map(width).max().unwrap_or(0));
            words.max().unwrap_or(0)
        }
    }
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
fn lines(terminal: Terminal, table: &Table, cells: &[Cell], layout: &Layout) -> Vec<String> {
    let cells = cells.iter().zip(&layout.widths);
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
        for ((cell, columns), column) in drawn.iter().zip(&layout.widths).zip(&table.columns) {
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
            out.push_str(&" ".repeat(layout.gap));
        }
        out.trim_end().to_owned()
    };
    (0..height).map(line).collect()
}

/// A text in lines of so many columns, each with the columns that it takes.
pub(super) fn wrapped(terminal: Terminal, text: &Text, columns: usize) -> Vec<(String, usize)> {
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
