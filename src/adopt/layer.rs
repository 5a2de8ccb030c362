//! A layer before it is written: the origin of its text, and its positions in the dumps.

use super::fact::Confidence;
use crate::prompt::Changes;
use std::ops::Range;

/// A layer.
#[derive(Debug)]
pub(super) struct Layer {
    /// Its name.
    pub(super) name: String,
    /// The name of its files, without an ending.
    pub(super) stem: String,
    /// The confidence in the name.
    pub(super) confidence: Confidence,
    /// Its name in the text, where that can be no name of a layer.
    pub(super) title: Option<String>,
    /// Where its text comes from.
    pub(super) content: Content,
    /// The fact that says whether it is there.
    pub(super) when: Option<usize>,
    /// Its text in each dump.
    pub(super) at: Vec<Option<Range<usize>>>,
    /// How often it changes.
    pub(super) changes: Changes,
    /// Whether its outer white space counts.
    pub(super) is_exact: bool,
    /// Whether it contains CRLF or CR.
    pub(super) has_returns: bool,
    /// Whether it starts with a byte order mark.
    pub(super) has_bom: bool,
}

/// Where the text of a layer comes from.
#[derive(Debug)]
pub(super) enum Content {
    /// A file.
    File,
    /// A template.
    Template(Vec<Part>),
    /// The value of a fact.
    Value(usize),
    /// A file that a fact names.
    Variants(usize),
}

/// A piece of a template.
#[derive(Debug)]
pub(super) enum Part {
    /// Text.
    Text(String),
    /// The value of a fact.
    Fact(usize),
    /// Lines that are present if the fact has a non-empty value.
    Lines(usize, Vec<Part>),
}

impl Part {
    /// Adds the facts that it depends on.
    fn facts(&self, out: &mut Vec<usize>) {
        match self {
            Self::Text(_) => {}
            Self::Fact(fact) => out.push(*fact),
            Self::Lines(fact, parts) => {
                out.push(*fact);
                parts.iter().for_each(|part| part.facts(out));
            }
        }
    }
}

impl Layer {
    /// The facts that it depends on, each once.
    pub(super) fn facts(&self) -> Vec<usize> {
        let mut all: Vec<usize> = self.when.into_iter().collect();
        match &self.content {
            Content::File => {}
            Content::Value(fact) | Content::Variants(fact) => all.push(*fact),
            Content::Template(parts) => parts.iter().for_each(|part| part.facts(&mut all)),
        }
        let mut out = Vec::new();
        all.into_iter().for_each(|fact| {
            if !out.contains(&fact) {
                out.push(fact)
            }
        });
        out
    }
}
