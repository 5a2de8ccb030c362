//! Pictures and texts on a terminal.

use super::line::paint;
use super::{Terminal, indented};
use crate::report::bar::{Bar, Cell};
use crate::report::code::Code;
use crate::report::escape::plain;
use crate::report::excerpt::Excerpt;
use crate::report::fit::{fit, underline, width};
use crate::report::hunk::{Extent, Hunk, Row};
use crate::report::spark::Spark;
use crate::report::text::Style;
use crate::report::words::count;
use similar::ChangeTag;
use std::fmt::Write as _;

/// The columns of the widest bar.
const WIDEST: usize = 120;

/// The number of lines of a layer's diff that are shown by default.
const MOST: usize = 60;

/// The limit for a layer that only one side has.
const MOST_OF_WHOLE: usize = 10;

/// The columns of a line that a part of is shown, where there is no terminal.
const LONG: usize = 120;

const REMOVED: &str = "\u{1b}[31m";
const ADDED: &str = "\u{1b}[32m";
const MARKED: &str = "\u{1b}[4m";
const RESET: &str = "\u{1b}[0m";

/// The bar, and what its cells mean.
pub(super) fn bar(terminal: Terminal, bar: &Bar) -> String {
    let line = terminal.columns().min(WIDEST);
    let tiers = bar.names().len();
    let names: usize = bar.names().map(|name| width(&plain(name)) + 3).sum();
    let (room, between) = match line.checked_sub(names).filter(|room| *room >= tiers * 3) {
        Some(room) => (room, "  "),
        None => (line / 2, "\n"),
    };
    let strips = bar.strips(room);
    let strips = strips.iter().map(|strip| {
        let cells: String = strip
            .cells
            .iter()
            .map(|c| c.drawn(terminal.ascii))
            .collect();
        let drawn = format!("{} {cells}", plain(strip.tier));
        paint(Style::Class(strip.changes), &drawn)
    });
    let drawn = strips.collect::<Vec<_>>().join(between);
    let legend = Cell::ALL.map(|cell| format!("{} {}", cell.drawn(terminal.ascii), cell.word()));
    format!("{drawn}\n{}\n", legend.join("  "))
}

/// A row of signs, when that was, and what the signs mean.
pub(super) fn spark(terminal: Terminal, spark: &Spark) -> String {
    let column = spark.word.len().max(7) + 2;
    let room = terminal.columns().saturating_sub(column);
    let word = format!("{:column$}", spark.word);
    let legend = format!("{}{}", spark.legend(terminal.ascii), spark.each("; "));
    format!(
        "{}{}\n{}\n{}\n",
        paint(Style::Name, &word),
        spark.signs(terminal.ascii),
        indented(&fit(&plain(&spark.about()), room, terminal.ascii), column),
        indented(&paint(Style::Faint, &legend), column),
    )
}

/// The text diff of one layer, line by line, with the words that differ marked.
pub(super) fn hunk(terminal: Terminal, hunk: &Hunk) -> String {
    let mut out = paint(Style::Faint, &format!("--- {}", plain(&hunk.name)));
    out.push('\n');
    let signs = terminal.signs();
    let drawn = hunk.rows.iter().flat_map(|row| match row {
        Row::Gap => vec![paint(Style::Faint, &format!("  {}", signs.gap))],
        Row::Line(tag, of) => {
            let columns = terminal.width.map_or(LONG, |width| width.max(20) - 6);
            line(*tag, &hunk.parts(of, columns, signs.ellipsis))
        }
    });
    let lines: Vec<String> = drawn.collect();
    let shown = match (hunk.extent, hunk.both) {
        (Extent::Full, _) => lines.len(),
        (Extent::Around, true) => MOST,
        (Extent::Around, false) => MOST_OF_WHOLE,
    };
    let hidden = lines.len().saturating_sub(shown) + hunk.beyond;
    for line in lines.iter().take(shown) {
        out.push_str(line);
        out.push('\n');
    }
    if hidden > 0 {
        let more = format!("  {} more (--full)", count(hidden, "line"));
        let _ = writeln!(out, "{}", paint(Style::Faint, &more));
    }
    out
}

/// One line; under a line of which only some words differ, carets say which: colour alone says nothing.
fn line(tag: ChangeTag, parts: &[(bool, String)]) -> Vec<String> {
    let (sign, style) = match tag {
        ChangeTag::Equal => (' ', ""),
        ChangeTag::Delete => ('-', REMOVED),
        ChangeTag::Insert => ('+', ADDED),
    };
    let reset = if style.is_empty() { "" } else { RESET };
    let mut drawn = format!("{style}{sign} ");
    let mut bare = String::new();
    let mut marks = Vec::new();
    for (marked, part) in parts {
        let start = bare.len();
        bare.push_str(part);
        match marked {
            true => {
                marks.push(start..bare.len());
                let _ = write!(drawn, "{reset}{MARKED}{style}{part}{RESET}{style}");
            }
            false => drawn.push_str(part),
        }
    }
    drawn.push_str(reset);
    let mut out = vec![drawn.trim_end().to_owned()];
    let words = marks.iter().any(|mark| !mark.is_empty());
    if tag != ChangeTag::Equal && words {
        let carets = underline(&bare, &marks, '^');
        out.push(paint(Style::Faint, &format!("  {carets}")));
    }
    out
}

/// Lines of code; of a diff those that are gone and new have their colours.
pub(super) fn code(code: &Code) -> String {
    let lines = code.lines.iter().map(|line| {
        let style = match (code.language, line.chars().next()) {
            ("diff", Some('-')) => REMOVED,
            ("diff", Some('+')) => ADDED,
            _ => return plain(line) + "\n",
        };
        format!("{style}{}{RESET}\n", plain(line))
    });
    lines.collect()
}

/// A line with what its parts are below it.
pub(super) fn excerpt(terminal: Terminal, excerpt: &Excerpt) -> String {
    let number = excerpt.number.to_string();
    let blank = " ".repeat(number.len());
    let shown = excerpt.shown(terminal.width);
    let line = format!(" {}", shown.text);
    let faint = |text: String| paint(Style::Faint, &text);
    let mut out = format!("{}{}\n", faint(format!("{number} |")), line.trim_end());
    let marks = shown.marks.iter().zip(&shown.unseen).zip(&excerpt.marks);
    for ((carets, unseen), mark) in marks {
        let text = terminal.text(&mark.text, None);
        let elsewhere = if *unseen { mark.elsewhere.as_str() } else { "" };
        let carets = paint(Style::Warning, carets);
        let front = faint(format!("{blank} |"));
        let _ = writeln!(out, "{front} {carets}  {text}{elsewhere}");
    }
    for text in &excerpt.below {
        out.push_str(&terminal.text(text, None));
        out.push('\n');
    }
    out
}
