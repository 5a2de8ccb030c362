//! An answer as Markdown, for a pull request, a comment or a job's summary.

use super::document::{Block, Document, Items};
use super::escape::{block, cell, code, escaped, in_tag, plain, plain_lines, refers};
use super::hunk::{Extent, Hunk, Row};
use super::table::{Cell, Column, Table};
use super::terminal::Terminal;
use super::text::Text;
use similar::ChangeTag;
use std::fmt::Write as _;

/// The number of lines of a layer's diff that are shown by default.
const MOST: usize = 80;

/// The answer as Markdown.
#[must_use]
pub fn draw(document: &Document) -> String {
    let blocks = document.blocks.iter().map(one);
    blocks.collect::<Vec<_>>().join("\n")
}

fn one(part: &Block) -> String {
    match part {
        Block::Heading(text) => format!("### {}\n", inline(text)),
        Block::Facts(facts) => {
            let facts = facts.facts.iter();
            let lines = facts.map(|fact| match fact.word.trim() {
                // A sign of a line that was removed or added is no bullet.
                "" => match inline(&fact.text) {
                    text if text.starts_with(['-', '+']) => format!("- \\{text}\n"),
                    text => format!("- {text}\n"),
                },
                word => format!("- **{}** {}\n", escaped(word), inline(&fact.text)),
            });
            lines.collect()
        }
        Block::Lines(lines) => {
            let lines = lines.iter().map(|text| inline(text) + "\n");
            lines.collect::<Vec<_>>().join("\n")
        }
        Block::Items(items) => self::items(items),
        Block::Table(table) => self::table(table),
        // A picture is the same everywhere, and colours are not Markdown's.
        Block::Bar(_) | Block::Spark(_) | Block::Excerpt(_) => block("text", &bare(part)),
        Block::Hunk(hunk) => self::hunk(hunk),
        Block::Code(code) => {
            let lines = code.lines.iter().map(|line| plain(line) + "\n");
            block(code.language, &lines.collect::<String>())
        }
    }
}

/// A text: highlighted parts are escaped separately, so that only they become code where a host would make a link.
fn inline(text: &Text) -> String {
    let parts = text.spans();
    let seen = parts
        .iter()
        .map(|part| if refers(part) { " " } else { part.as_str() });
    // What refers to something only with its neighbours is code with them.
    if refers(&seen.collect::<String>()) {
        code(&plain(&text.flat()))
    } else {
        parts.iter().map(|part| escaped(part)).collect()
    }
}

/// A block as a terminal shows it, without its colours.
fn bare(part: &Block) -> String {
    let document = Document {
        blocks: vec![part.clone()],
    };
    Terminal::default().draw_bare(&document)
}

fn items(items: &Items) -> String {
    let mut out = String::new();
    for (text, below) in &items.items {
        let _ = writeln!(out, "- {}", inline(text));
        for line in draw(below).lines() {
            let _ = writeln!(out, "{}", format!("  {line}").trim_end());
        }
    }
    out
}

/// A table. The numbers after a bar replace it, and the text below a row gets a column of its own.
fn table(table: &Table) -> String {
    let mut bar = None;
    let mut heads = Vec::new();
    for (at, Column { name, numbers }) in table.columns.iter().enumerate() {
        if table.is_bar(at) {
            bar = Some(name);
            continue;
        }
        // What the bar is of, the number of it is of too.
        let name = match bar.filter(|_| name == "tokens") {
            Some(bar) => format!("{name} {bar}"),
            None => name.clone(),
        };
        heads.push((capital(&name), *numbers));
    }
    if !table.below.is_empty() {
        heads.push((capital(&table.below), false));
    }
    let names: Vec<String> = heads.iter().map(|(name, _)| cell(name)).collect();
    let rules = heads
        .iter()
        .map(|(_, numbers)| if *numbers { "--:" } else { "---" });
    let rules: Vec<&str> = rules.collect();
    let mut out = format!("| {} |\n|{}|\n", names.join(" | "), rules.join("|"));
    for row in &table.rows {
        let cells = row.cells.iter().filter_map(|of| match of {
            Cell::Text(text) => Some(cell(&text.flat())),
            Cell::Share { .. } => None,
        });
        let below = row.below.iter().map(|text| cell(&text.flat()));
        let below: Vec<String> = below.collect();
        let below = (!table.below.is_empty()).then(|| below.join("<br>"));
        let cells: Vec<String> = cells.chain(below).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    if let Some(more) = &table.more {
        let _ = writeln!(out, "\n{}", escaped(more));
    }
    out
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string());
    first.unwrap_or_default() + chars.as_str()
}

fn hunk(hunk: &Hunk) -> String {
    let lines = hunk.rows.iter().map(|row| match row {
        Row::Gap => "@@".to_owned(),
        Row::Line(tag, line) => {
            let sign = match tag {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            let parts = line.parts.iter();
            let line: String = parts.map(|(_, part)| plain_lines(part)).collect();
            format!("{sign}{line}")
        }
    });
    let lines: Vec<String> = lines.collect();
    let most = match hunk.extent {
        Extent::Full => lines.len(),
        Extent::Around => MOST,
    };
    let mut rows = String::new();
    for line in lines.iter().take(most) {
        let _ = writeln!(rows, "{line}");
    }
    let hidden = lines.len().saturating_sub(most) + hunk.beyond;
    if hidden > 0 {
        let _ = writeln!(rows, "# {hidden} lines more");
    }
    let (name, rows) = (in_tag(&hunk.name), block("diff", &rows));
    format!("<details><summary>{name}</summary>\n\n{rows}\n</details>\n")
}
