//! Prints the tree: four columns for each level, one line for nodes that are on one line and fit.

use super::columns::{Cell, Out, Row, place, text};
use super::tree::{Block, Item, ItemKind, Line, Node};
use super::value::Value;
use super::{STEP, WIDTH, width};

/// The text of a whole file.
pub(super) fn print(tree: &Block) -> String {
    lines(tree, 0, false)
}

/// The lines of a block. `split`: it was on one line and is too long for that, so each node has a line of its own.
fn lines(block: &Block, indent: usize, split: bool) -> String {
    let mut outs = Vec::new();
    for line in &block.lines {
        if line.blank {
            outs.push(Out::Blank);
        }
        if line.nodes.is_empty() {
            outs.push(Out::Text {
                text: format!("{}{}", " ".repeat(indent), line.notes.join(" ")),
                comment: None,
                between: true,
            });
        } else if let Some(text) = joined(line, indent, split) {
            outs.push(text);
        } else {
            let alone = !split && line.nodes.len() == 1;
            outs.extend(line.nodes.iter().map(|n| node(n, indent, alone)));
        }
    }
    text(outs)
}

/// Nodes that share a line, if they may.
fn joined(line: &Line, indent: usize, split: bool) -> Option<Out> {
    let (last, others) = line.nodes.split_last()?;
    if split || others.is_empty() || others.iter().any(|n| n.comment.is_some()) {
        return None;
    }
    let nodes: Option<Vec<String>> = line.nodes.iter().map(flat).collect();
    let text = nodes?.join("; ");
    (indent + width(&text) <= WIDTH).then(|| Out::Text {
        text: format!("{}{text}", " ".repeat(indent)),
        comment: last.comment.clone(),
        between: false,
    })
}

/// A node on a line of its own, or on several. `alone`: it had its own before, so that its columns mean something.
fn node(node: &Node, indent: usize, alone: bool) -> Out {
    let children = |item: &Item| matches!(item.kind, ItemKind::Children(..));
    if let Some(cells) = cells(node, alone) {
        let length: usize = cells.iter().map(|c| 1 + width(&c.text)).sum();
        if indent + length.saturating_sub(1) <= WIDTH || !node.items.iter().any(children) {
            return Out::Row(Row {
                indent,
                cells,
                comment: node.comment.clone(),
            })
            .plain_if(node.dashed);
        }
    }
    Out::Text {
        text: open(node, indent),
        comment: node.comment.clone(),
        between: false,
    }
}

impl Out {
    /// A row that takes no part in a table, nor parts one.
    fn plain_if(self, dashed: bool) -> Self {
        match self {
            Self::Row(row) if dashed => {
                let cells: Vec<&str> = row.cells.iter().map(|c| c.text.as_str()).collect();
                Self::Text {
                    text: format!("{}{}", " ".repeat(row.indent), cells.join(" ")),
                    comment: row.comment,
                    between: true,
                }
            }
            out => out,
        }
    }
}

/// A node over several lines.
fn open(node: &Node, indent: usize) -> String {
    let pad = " ".repeat(indent);
    let inner = " ".repeat(indent + STEP);
    let mut out = pad.clone();
    let mut start = true;
    for item in &node.items {
        let space = if start { "" } else { " " };
        start = false;
        match &item.kind {
            ItemKind::Value(Value { head, body }) => {
                out += space;
                out += head;
                for line in body {
                    out.push('\n');
                    if !line.is_empty() {
                        out += &inner;
                        out += line;
                    }
                }
            }
            ItemKind::Note(text) => {
                out += space;
                out += text;
            }
            ItemKind::Break(comment) => {
                out += space;
                out.push('\\');
                if let Some(comment) = comment {
                    place(&mut out, comment);
                }
                out.push('\n');
                out += &inner;
                start = true;
            }
            ItemKind::Children(dash, block) => {
                let column = width(out.rsplit('\n').next().unwrap_or(""));
                let whole = one_line(dash, block);
                out += space;
                match whole.filter(|text| column + 1 + width(text) <= WIDTH) {
                    Some(text) => out += &text,
                    None => {
                        out += dash;
                        children(block, indent, &mut out);
                    }
                }
            }
        }
    }
    out
}

/// Children over several lines.
fn children(block: &Block, indent: usize, out: &mut String) {
    out.push('{');
    for note in &block.notes {
        out.push(' ');
        *out += note;
    }
    if let Some(comment) = &block.comment {
        place(out, comment);
    }
    out.push('\n');
    *out += &lines(block, indent + STEP, block.inline);
    *out += &" ".repeat(indent);
    out.push('}');
}

/// The parts of a node, if it can be on one line.
fn cells(node: &Node, alone: bool) -> Option<Vec<Cell>> {
    let from = node.items.first().map_or(0, |item| item.column);
    let cell = |item: &Item| {
        let text = match &item.kind {
            ItemKind::Value(value) if value.body.is_empty() => Some(value.head.clone()),
            ItemKind::Note(text) => Some(text.clone()),
            ItemKind::Children(dash, block) => one_line(dash, block),
            _ => None,
        };
        Some(Cell {
            text: text.filter(|t| !t.contains('\n'))?,
            apart: alone && item.gap > 1,
            column: item.column.saturating_sub(from),
        })
    };
    node.items.iter().map(cell).collect()
}

/// A node on one line, if it can be there.
fn flat(node: &Node) -> Option<String> {
    let cells = cells(node, false)?;
    let cells: Vec<&str> = cells.iter().map(|c| c.text.as_str()).collect();
    Some(cells.join(" "))
}

/// Children that were on one line, if they still fit on it.
fn one_line(dash: &str, block: &Block) -> Option<String> {
    if !block.inline {
        return None;
    }
    let mut parts = Vec::new();
    for line in &block.lines {
        let nodes: Option<Vec<String>> = line.nodes.iter().map(flat).collect();
        parts.extend(line.notes.iter().cloned());
        parts.push(nodes?.join("; "));
    }
    parts.retain(|part| !part.is_empty());
    Some(if parts.is_empty() {
        format!("{dash}{{ }}")
    } else {
        format!("{dash}{{ {} }}", parts.join(" "))
    })
}
