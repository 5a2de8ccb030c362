//! An answer on a terminal, or in a log.

mod line;
mod table;
mod blocks;

use super::change::{ASCII, Signs, UNICODE};
use super::document::{Block, Document, Fact, Facts, Items};
use super::escape::plain;
use super::fit::width;
use super::text::{Part, Style, Text};
use line::paint;

/// The fewest columns that a line is wrapped at.
const LEAST: usize = 20;

/// The columns of what has no terminal.
const LINE: usize = 80;

/// How an answer is drawn.
#[derive(Debug, Clone, Copy, Default)]
pub struct Terminal {
    /// The columns of the terminal; none if it is none, such as a file.
    pub width: Option<usize>,
    /// No character beyond ASCII, apart from what texts from outside hold.
    pub ascii: bool,
}

impl Terminal {
    /// The answer with colours, which the writer removes where they are not wanted.
    #[must_use]
    pub fn draw(self, document: &Document) -> String {
        let mut out = String::new();
        let mut follows = false;
        for block in &document.blocks {
            if follows {
                out.push('\n');
            }
            out.push_str(&self.block(block));
            // Content follows a heading without an empty line.
            follows = !matches!(block, Block::Heading(_));
        }
        out
    }

    /// The answer without colours.
    #[must_use]
    pub fn draw_bare(self, document: &Document) -> String {
        line::bare(&self.draw(document))
    }

    fn block(self, block: &Block) -> String {
        match block {
            Block::Heading(text) => format!("{}\n", self.text(text, None)),
            Block::Facts(facts) => self.facts(facts),
            Block::Lines(lines) => {
                let lines = lines.iter().map(|text| self.text(text, None) + "\n");
                lines.collect()
            }
            Block::Items(items) => self.items(items),
            Block::Table(table) => table::draw(self, table),
            Block::Bar(bar) => blocks::bar(self, bar),
            Block::Spark(spark) => blocks::spark(self, spark),
            Block::Hunk(hunk) => blocks::hunk(self, hunk),
            Block::Excerpt(excerpt) => blocks::excerpt(self, excerpt),
            Block::Code(code) => blocks::code(code),
        }
    }

    fn signs(self) -> &'static Signs {
        if self.ascii { &ASCII } else { &UNICODE }
    }

    /// The columns of a line.
    fn columns(self) -> usize {
        self.width.unwrap_or(LINE)
    }

    fn facts(self, facts: &Facts) -> String {
        let words = facts.facts.iter().map(|fact| width(&plain(&fact.word)));
        let column = words.max().unwrap_or(0).max(facts.least) + 2;
        let mut out = String::new();
        for fact in &facts.facts {
            let style = match (fact.alarm, facts.faint) {
                (true, _) => Style::Error,
                (false, true) => Style::Faint,
                (false, false) => Style::Name,
            };
            let word = plain(&fact.word);
            let mut word = format!("{word}{:1$}", "", column - width(&word));
            let room = self.columns().saturating_sub(column);
            for text in self.fact(fact, room) {
                let painted = match word.trim() {
                    "" => word,
                    _ => paint(style, &word),
                };
                out.push_str(format!("{painted}{text}").trim_end());
                out.push('\n');
                word = " ".repeat(column);
            }
        }
        out
    }

    /// The lines of a fact: a brief one is shortened, another one is wrapped where the terminal has a width.
    fn fact(self, fact: &Fact, room: usize) -> Vec<String> {
        if let Some(room) = self.width.and(Some(room)).filter(|_| !fact.brief) {
            let lines = table::wrapped(self, &fact.text, room.max(LEAST));
            return lines.into_iter().map(|(line, _)| line).collect();
        }
        let lines = fact.text.each_line();
        lines
            .map(|line| self.parts(line, fact.brief.then_some(room)))
            .collect()
    }

    fn items(self, items: &Items) -> String {
        let mut out = String::new();
        for (text, below) in &items.items {
            out.push_str(&indented(&self.text(text, None), items.indent));
            out.push('\n');
            let inside = Self {
                width: self.width.map(|w| w.saturating_sub(items.inner)),
                ..self
            };
            for line in inside.draw(below).lines() {
                out.push_str(&indented(line, items.inner));
                out.push('\n');
            }
        }
        out
    }

    /// A text; in at most `room` columns, if that is said.
    fn text(self, text: &Text, room: Option<usize>) -> String {
        let lines = text.each_line().map(|line| self.parts(line, room));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn parts(self, parts: &[Part], room: Option<usize>) -> String {
        line::draw(parts, self.signs(), room)
    }
}

/// The line after a number of blanks; an empty one stays empty.
fn indented(line: &str, columns: usize) -> String {
    format!("{:columns$}{line}", "").trim_end().to_owned()
}
