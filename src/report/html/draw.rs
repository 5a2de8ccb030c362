//! Blocks of an answer.

use super::picture::{bar, chip, share_bar, spark};
use super::write::Html;
use crate::prompt::Changes;
use crate::report::change::UNICODE;
use crate::report::code::Code;
use crate::report::document::Document;
use crate::report::document::{Block, Facts, Items};
use crate::report::hunk::{Extent, Hunk, Row};
use crate::report::table::{Cell, Table};
use crate::report::terminal::Terminal;
use crate::report::text::{Part, Style, Text};
use crate::report::words::count;
use crate::text::difference::Line;
use similar::ChangeTag;

/// The number of rows of a layer's diff that are shown by default.
const MOST: usize = 400;

/// The columns of a line that a part of is shown.
const LONG: usize = 120;

/// Blocks; what scrolls is named by the heading with this id.
pub(in crate::report) fn blocks(html: &mut Html, document: &Document, heading: &str) {
    for one in &document.blocks {
        block(html, one, heading);
    }
}

/// A block.
pub(in crate::report) fn block(html: &mut Html, block: &Block, heading: &str) {
    match block {
        Block::Heading(text) => said(html, "h3", text),
        Block::Facts(facts) => self::facts(html, facts),
        Block::Lines(lines) => lines.iter().for_each(|text| said(html, "p", text)),
        Block::Items(items) => self::items(html, items, heading),
        Block::Table(table) => self::table(html, table, heading, "sums"),
        Block::Bar(of) => bar(html, of),
        Block::Spark(of) => spark(html, of),
        Block::Hunk(hunk) => self::hunk(html, hunk),
        Block::Excerpt(_) => {
            let document = Document {
                blocks: vec![block.clone()],
            };
            lines(html, Terminal::default().draw_bare(&document).lines());
        }
        Block::Code(code) => lines(html, code.lines.iter().map(String::as_str)),
    }
}

pub(in crate::report) fn said(html: &mut Html, tag: &'static str, text: &Text) {
    html.open(tag, &[]);
    inline(html, text);
    html.close(tag);
}

/// A text; every line of it but the first is a paragraph.
pub(in crate::report) fn inline(html: &mut Html, text: &Text) {
    for (at, line) in text.each_line().enumerate() {
        if at > 0 {
            html.open("p", &[]);
        }
        line.iter().for_each(|part| self::part(html, part));
        if at > 0 {
            html.close("p");
        }
    }
}

fn part(html: &mut Html, part: &Part) {
    match part {
        Part::Words(words) => html.prose(words),
        Part::Styled(Style::Name | Style::Error | Style::Warning, words) => {
            html.leaf("b", &[], words);
        }
        Part::Styled(Style::Faint, words) => html.leaf("small", &[], words),
        Part::Styled(Style::Code, words) => html.leaf("code", &[], words),
        Part::Styled(Style::Class(changes), words) => {
            html.leaf("b", &[], words);
            html.text(" ");
            chip(html, *changes);
        }
        Part::Link(id, words) => html.leaf("a", &[("href", &format!("#{id}"))], words),
        Part::Class(changes) => chip(html, *changes),
        Part::Change(_) | Part::Side(..) | Part::To | Part::Break => {
            html.text(&part.flat(&UNICODE, None))
        }
    }
}

fn facts(html: &mut Html, facts: &Facts) {
    html.markup("<dl class=\"lines\">");
    for fact in &facts.facts {
        html.open("div", &[("class", &fact.word)]);
        html.leaf("dt", &[], &fact.word);
        said(html, "dd", &fact.text);
        html.close("div");
    }
    html.markup("</dl>");
}

fn items(html: &mut Html, items: &Items, heading: &str) {
    html.markup("<ul>");
    for (text, below) in &items.items {
        html.markup("<li>");
        inline(html, text);
        blocks(html, below, heading);
        html.markup("</li>");
    }
    html.markup("</ul>");
}

fn lines<'a>(html: &mut Html, lines: impl Iterator<Item = &'a str>) {
    html.markup("<div class=\"diff\">");
    lines.for_each(|line| html.leaf("div", &[], line));
    html.markup("</div>");
}

/// The lines of a patch.
pub(in crate::report) fn patch(html: &mut Html, code: &Code) {
    for (at, line) in code.lines.iter().enumerate() {
        let gap = [("class", "gap")];
        let (tag, attrs): (_, &[_]) = match line.bytes().next() {
            _ if at < 2 && line.starts_with(["---", "+++"][at]) => ("div", &gap),
            Some(b'@') => ("div", &gap),
            Some(b'-') => ("del", &[]),
            Some(b'+') => ("ins", &[]),
            _ => ("div", &[]),
        };
        html.leaf(tag, attrs, line);
    }
}

/// A table, of a class that has its style.
pub(in crate::report) fn table(html: &mut Html, table: &Table, heading: &str, class: &'static str) {
    let attrs = [
        ("class", "scroll"),
        ("tabindex", "0"),
        ("role", "group"),
        ("aria-labelledby", heading),
    ];
    html.open("div", &attrs);
    html.open("table", &[("class", class)]);
    if table.has_heads() {
        html.markup("<thead><tr>");
        for (at, column) in table.columns.iter().enumerate() {
            let class = match (table.is_bar(at), column.numbers) {
                (true, _) => &[("scope", "col"), ("class", "wide")][..],
                (false, true) => &[("scope", "col"), ("class", "n")],
                (false, false) => &[("scope", "col")],
            };
            if column.name.is_empty() {
                html.leaf("td", &class[1..], "")
            } else {
                html.leaf("th", class, &column.name)
            }
        }
        html.markup("</tr></thead>");
    }
    html.markup("<tbody>");
    for row in &table.rows {
        html.markup("<tr>");
        for (at, cell) in row.cells.iter().enumerate() {
            let below = if at == 0 { &row.below[..] } else { &[] };
            let numbers = table.columns.get(at).is_some_and(|column| column.numbers);
            self::cell(html, cell, (at == 0, numbers), below);
        }
        html.markup("</tr>");
    }
    html.markup("</tbody></table></div>");
    if let Some(more) = &table.more {
        html.leaf("p", &[("class", "none")], more);
    }
}

fn cell(html: &mut Html, cell: &Cell, (heads, numbers): (bool, bool), below: &[Text]) {
    let (tag, attrs): (_, &[(&str, &str)]) = match (heads, cell, numbers) {
        (true, _, true) => ("th", &[("scope", "row"), ("class", "n")]),
        (true, ..) => ("th", &[("scope", "row")]),
        (_, Cell::Share { .. }, _) => ("td", &[("class", "wide")]),
        (_, _, true) => ("td", &[("class", "n")]),
        (_, _, false) => ("td", &[]),
    };
    html.open(tag, attrs);
    match cell {
        Cell::Text(text) => inline(html, text),
        Cell::Share {
            part,
            most,
            changes,
        } => {
            share_bar(html, *part, *most, changes.map_or("used", Changes::name));
        }
    }
    below.iter().for_each(|text| said(html, "p", text));
    html.close(tag);
}

/// The text diff of one layer.
fn hunk(html: &mut Html, hunk: &Hunk) {
    let (gone, new) = (hunk.count(ChangeTag::Delete), hunk.count(ChangeTag::Insert));
    html.markup("<details open><summary>");
    html.leaf("b", &[], &hunk.name);
    let (gone, new) = (count(gone, "line"), count(new, "line"));
    html.text(&format!(" {gone} removed, {new} added"));
    html.markup("</summary>");
    let label = format!("changed text of {}", hunk.name);
    let class = if hunk.both { "diff two" } else { "diff" };
    let attrs = [
        ("class", class),
        ("role", "group"),
        ("tabindex", "0"),
        ("aria-label", label.as_str()),
    ];
    html.open("div", &attrs);
    let most = match hunk.extent {
        Extent::Full => hunk.rows.len(),
        Extent::Around => MOST,
    };
    let rows = &hunk.rows[..most.min(hunk.rows.len())];
    if hunk.both {
        side_by_side(html, hunk, rows)
    } else {
        rows.iter().for_each(|row| line(html, hunk, row))
    }
    html.close("div");
    let hidden = hunk.rows.len().saturating_sub(most) + hunk.beyond;
    if hidden > 0 {
        let more = count(hidden, "line");
        let more = format!("{more} more: promptc diff --full shows all");
        html.leaf("p", &[("class", "none")], &more);
    }
    html.markup("</details>");
}

fn line(html: &mut Html, hunk: &Hunk, row: &Row) {
    let Row::Line(tag, line) = row else {
        html.leaf("div", &[("class", "gap")], UNICODE.gap);
        return;
    };
    words(html, hunk, (*tag, line));
}

/// A line, in an element that says what became of it to those who do not see signs and colours.
fn words(html: &mut Html, hunk: &Hunk, (tag, line): (ChangeTag, &Line)) {
    let (tag, sign) = match tag {
        ChangeTag::Equal => ("div", "  "),
        ChangeTag::Delete => ("del", "- "),
        ChangeTag::Insert => ("ins", "+ "),
    };
    html.open(tag, &[]);
    html.text(sign);
    for (marked, part) in hunk.parts(line, LONG, UNICODE.ellipsis) {
        if marked {
            html.leaf("u", &[], &part)
        } else {
            html.text(&part)
        }
    }
    html.close(tag);
}

/// The lines of both sides, those that took each other's place beside each other.
fn side_by_side(html: &mut Html, hunk: &Hunk, rows: &[Row]) {
    html.markup("<div class=\"names\"><span>before (A)</span><span>now (B)</span></div>");
    let is_changed = |row: &Row| matches!(row, Row::Line(ChangeTag::Delete | ChangeTag::Insert, _));
    for run in rows.chunk_by(|a, b| is_changed(a) && is_changed(b)) {
        match run {
            [Row::Gap] => html.leaf("div", &[("class", "gap")], UNICODE.gap),
            [Row::Line(ChangeTag::Equal, line)] => {
                html.markup("<div class=\"same\"><div aria-hidden=\"true\">  ");
                for (_, part) in hunk.parts(line, LONG, UNICODE.ellipsis) {
                    html.text(&part);
                }
                html.markup("</div>");
                words(html, hunk, (ChangeTag::Equal, line));
                html.markup("</div>");
            }
            run => {
                let side = |wanted: ChangeTag| {
                    run.iter().filter_map(move |row| match row {
                        Row::Line(tag, line) if *tag == wanted => Some((*tag, line)),
                        _ => None,
                    })
                };
                let (mut old, mut new) = (side(ChangeTag::Delete), side(ChangeTag::Insert));
                loop {
                    let both = [old.next(), new.next()];
                    if both.iter().all(Option::is_none) {
                        break;
                    }
                    html.markup("<div>");
                    for side in both {
                        match side {
                            Some(line) => words(html, hunk, line),
                            None => html.markup("<div></div>"),
                        }
                    }
                    html.markup("</div>");
                }
            }
        }
    }
}
