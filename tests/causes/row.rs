//! The rows of pieces that a world prints: each byte with its owner.

use super::world::{Doc, Id};
use std::collections::{BTreeMap, BTreeSet};

/// A byte with the use that put it there, and its position in the source of that use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cell {
    pub(crate) byte: u8,
    pub(crate) used: usize,
    pub(crate) at: usize,
}

/// The origins of bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Owner {
    Doc(Doc),
    /// The text that a `wrap` prints around a document.
    Wrap(Doc),
    Fact(String),
    /// A text of the manifest.
    Text,
    /// A text of a template in the manifest, or of a template file.
    Inline,
    File(String),
    /// The mark of the cut of a document, or of a whole text.
    Mark(Option<Doc>),
    /// A join of a group or tier.
    Join(Id),
}

/// One use of an owner.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Use {
    pub(crate) owner: Owner,
    /// The nodes around it, from outside to inside.
    pub(crate) chain: Vec<Id>,
    /// The facts whose values made a template print it.
    pub(crate) asks: BTreeSet<String>,
    /// The branches of the template that print it.
    pub(crate) branch: Vec<(usize, bool)>,
    /// For a join: a use after it.
    pub(crate) behind: Option<usize>,
    /// Whether it was taken in by a part.
    pub(crate) part: bool,
}

impl Use {
    /// Its identity on both sides.
    pub(crate) fn key(&self) -> (&Owner, &[Id], &[(usize, bool)]) {
        (&self.owner, &self.chain, &self.branch)
    }
}

/// The text of one layer.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) layer: String,
    pub(crate) user: bool,
    pub(crate) cells: Vec<Cell>,
    pub(crate) uses: Vec<Use>,
    /// Which member each `first` took, and which file each search or list of names.
    pub(crate) took: BTreeMap<Id, Took>,
    /// The budgets that cut or dropped something.
    pub(crate) cuts: BTreeSet<Id>,
    /// Of what: the owners in a text that was cut, each with its nodes.
    pub(crate) lost: BTreeSet<(Id, Owner, Vec<Id>)>,
    /// The answers of the conditions that were asked.
    pub(crate) whens: BTreeMap<Id, bool>,
    /// The documents that yielded text, by node.
    pub(crate) yielded: BTreeSet<(Id, Doc)>,
    /// Whether the layer is in the prompt.
    pub(crate) there: bool,
}

/// The members that a choice took.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Took {
    Member(Id),
    File(Doc),
}

impl Row {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&bytes(&self.cells)).into_owned()
    }

    /// Whether a budget in a chain took something of what an owner shows.
    pub(crate) fn took_of(&self, chain: &[Id], owner: &Owner) -> bool {
        let of = |o: &Owner, nodes: &[Id]| match (owner, o) {
            (Owner::Mark(_), _) => true,
            (Owner::Doc(own) | Owner::Wrap(own), Owner::Doc(d)) => own == d && nodes == chain,
            _ => owner == o && nodes == chain,
        };
        let mut lost = self.lost.iter();
        lost.any(|(id, o, nodes)| chain.contains(id) && of(o, nodes))
    }

    /// Whether a document yielded text for its node.
    pub(crate) fn yields(&self, u: &Use) -> bool {
        let id = u.chain.last().copied().unwrap_or_default();
        matches!(&u.owner, Owner::Doc(d) if self.yielded.contains(&(id, d.clone())))
    }

    /// The uses that show something, in order, each with its bytes.
    pub(crate) fn pieces(&self) -> Vec<(usize, Vec<Cell>)> {
        let mut out: Vec<(usize, Vec<Cell>)> = Vec::new();
        for c in &self.cells {
            match out.iter_mut().find(|p| p.0 == c.used) {
                Some(p) => p.1.push(*c),
                None => out.push((c.used, vec![*c])),
            }
        }
        out
    }
}

/// The bytes of cells.
pub(crate) fn bytes(cells: &[Cell]) -> Vec<u8> {
    cells.iter().map(|c| c.byte).collect()
}

/// Whether something other than white space is there.
pub(crate) fn inked(cells: &[Cell]) -> bool {
    cells.iter().any(|c| !c.byte.is_ascii_whitespace())
}

/// Without white space at both ends.
pub(crate) fn trimmed(cells: &[Cell]) -> Vec<Cell> {
    let ink = |c: &Cell| !c.byte.is_ascii_whitespace();
    let Some(first) = cells.iter().position(ink) else {
        return Vec::new();
    };
    let last = cells.iter().rposition(ink).unwrap_or(first);
    cells[first..=last].to_vec()
}
