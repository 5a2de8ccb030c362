//! The findings of `init --from` in the dumps, for people and programs.

use super::Dump;
use super::fact::{Confidence, Fact, FactKind, Pace, Why};
use super::kind::Kind;
use super::layer::{Content, Layer};
use super::layout::Layout;
use super::lines::number;
use super::tokens::tokens;
use super::write::{FOLDER, File, variants};
use crate::prompt::Changes;
use schemars::JsonSchema;
use serde::Serialize;
use std::ops::Range;

/// The most dates and times that are reported.
const MOST_MOMENTS: usize = 10;

/// The findings in the dumps.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Report {
    /// How the text between layers is kept.
    pub style: Style,
    /// The dumps and their scenarios.
    pub dumps: Vec<DumpReport>,
    /// The paths that are written, the manifest first.
    pub files: Vec<String>,
    /// The layers, in order.
    pub layers: Vec<LayerReport>,
    /// A difference between the dumps, in the order of the prompt.
    pub changes: Vec<Change>,
    /// The dates and times of the only dump, which may change from call to call.
    pub moments: Vec<Stands>,
    /// The layers that follow one that changes more often: before it they would be cached longer.
    pub movable: Vec<String>,
    /// The bytes before the first difference; none with one dump.
    pub kept: Option<Kept>,
}

/// How the text between layers is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// The manifest's `join` is used between layers.
    Joined,
    /// Nothing is joined or trimmed: white space is in the files.
    Exact,
    /// Every dump is a file.
    Whole,
}

/// A dump.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DumpReport {
    /// Its name.
    pub name: String,
    /// The scenario that builds it.
    pub scenario: String,
    /// Its size.
    pub bytes: usize,
    /// The name of an earlier dump with the same text.
    pub same_as: Option<String>,
}

/// A layer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LayerReport {
    /// Its name.
    pub layer: String,
    /// Its tier.
    pub tier: String,
    /// How often it changes, as far as the dumps show.
    pub changes: Changes,
    /// The confidence in its name: `sure` after a heading, tag or label, else a `guess` after its first words.
    /// Of dumps only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// Its size in the first dump that has it.
    pub bytes: usize,
    /// Where its text comes from: the paths of files.
    pub files: Vec<String>,
    /// The facts that it uses.
    pub facts: Vec<String>,
}

/// Something that differs between the dumps.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Change {
    /// The fact that it became.
    pub fact: String,
    /// `text` of the prompt, `flag` whether a layer or lines are there, `file` the name of a file.
    pub kind: &'static str,
    /// The type of the fact.
    #[serde(rename = "type")]
    pub fact_type: &'static str,
    /// How often it changes, as far as the dumps show.
    pub changes: Changes,
    /// The first layer that has it.
    pub layer: String,
    /// The confidence in its name, and the origin of the name.
    pub name_guess: Guess,
    /// The confidence in how often it changes, and the evidence.
    pub changes_guess: Guess,
    /// Its text by dump; none where the dump does not have it.
    pub dumps: Vec<Option<Stands>>,
}

/// A confidence, and the reason for it.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct Guess {
    /// The confidence in it.
    pub confidence: Confidence,
    /// The evidence.
    pub because: &'static str,
}

impl Guess {
    fn of_name(why: Why) -> Self {
        let because = match why {
            Why::Label => "the label before it",
            Why::Heading => "the heading above it",
            Why::Before => "the words before it",
            Why::Behind => "the word after it",
            Why::Kind => "what kind of value it is",
            Why::Own => "its first words",
            Why::Layer => "the layer that it is in",
        };
        Self {
            confidence: why.confidence(),
            because,
        }
    }

    fn of_pace(pace: Pace) -> Self {
        let (confidence, because) = match pace {
            Pace::Date => (Confidence::Sure, "it is a date"),
            Pace::ByDay => (Confidence::Likely, "each day has its own value"),
            Pace::Once => (Confidence::Likely, "it changed once, from one day on"),
            Pace::WithinDay => (Confidence::Likely, "it differs between dumps of one day"),
            Pace::WithinConversation => {
                let because = "it differs between dumps of one day that agree in most else";
                (Confidence::Likely, because)
            }
            Pace::Blank => (Confidence::Likely, "it is white space"),
            Pace::Unknown => (Confidence::Guess, "the dumps differ, and show no pattern"),
        };
        Self {
            confidence,
            because,
        }
    }
}

/// The text at a place of a dump.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Stands {
    /// The line, from 1.
    pub line: usize,
    /// The number of its lines.
    pub lines: usize,
    /// The text.
    pub text: String,
}

/// The part of the first dump that may stay cached.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct Kept {
    /// The bytes that all dumps begin with.
    pub bytes: usize,
    /// The line of the first difference in the first dump; none if there is no difference.
    pub line: Option<usize>,
    /// The bytes in stable layers: they would be reused with the others after them.
    pub stable: usize,
    /// The size of the first dump.
    pub of: usize,
}

/// The report about a layout.
pub(super) fn report(
    layout: &Layout,
    style: Style,
    files: &[File],
    dumps: &[Dump],
    scenarios: &[String],
) -> Report {
    let tiers = layout.tiers.iter();
    let layers: Vec<LayerReport> = tiers
        .flat_map(|tier| tier.layers.iter().map(move |layer| (tier, layer)))
        .map(|(tier, layer)| LayerReport {
            tier: tier.name.clone(),
            ..layer_report(layout, layer, dumps, scenarios)
        })
        .collect();
    Report {
        style,
        dumps: dumps_reported(dumps, scenarios),
        files: files.iter().map(|f| f.path.clone()).collect(),
        movable: movable(&layers),
        layers,
        changes: changes(layout, dumps),
        moments: match dumps {
            [one] => moments(&one.text),
            _ => Vec::new(),
        },
        kept: kept(layout, dumps),
    }
}

fn movable(layers: &[LayerReport]) -> Vec<String> {
    let mut most = Changes::Never;
    let mut out = Vec::new();
    for layer in layers {
        most = most.max(layer.changes);
        if layer.changes < most {
            out.push(layer.layer.clone());
        }
    }
    out
}

fn moments(text: &str) -> Vec<Stands> {
    let words = tokens(text, 0..text.len()).into_iter();
    let is_moment = |at: &Range<usize>| {
        let kind = Kind::of(&text[at.clone()]);
        matches!(kind, Kind::Date | Kind::Time | Kind::Moment)
    };
    words
        .filter(is_moment)
        .take(MOST_MOMENTS)
        .map(|at| stands(text, at))
        .collect()
}

fn dumps_reported(dumps: &[Dump], scenarios: &[String]) -> Vec<DumpReport> {
    let each = dumps.iter().zip(scenarios).enumerate();
    each.map(|(index, (dump, scenario))| {
        let same = dumps[..index].iter().find(|d| d.text == dump.text);
        DumpReport {
            name: dump.name.clone(),
            scenario: scenario.clone(),
            bytes: dump.text.len(),
            same_as: same.map(|d| d.name.clone()),
        }
    })
    .collect()
}

fn layer_report(
    layout: &Layout,
    layer: &Layer,
    dumps: &[Dump],
    scenarios: &[String],
) -> LayerReport {
    let name = |fact: usize| layout.facts[fact].name.clone();
    let path = |name: &str| format!("{FOLDER}/{name}");
    let facts = layer.facts().into_iter().map(name).collect();
    let files = match &layer.content {
        Content::File => vec![path(&format!("{}.md", layer.stem))],
        Content::Template(_) => vec![path(&format!("{}.md.j2", layer.stem))],
        Content::Value(_) => Vec::new(),
        Content::Variants(_) => {
            let mut all: Vec<String> = variants(layer, dumps, scenarios)
                .into_iter()
                .flatten()
                .collect();
            all.sort();
            all.dedup();
            all.iter().map(|n| path(n)).collect()
        }
    };
    LayerReport {
        layer: layer.name.clone(),
        tier: String::new(),
        changes: layer.changes,
        confidence: Some(layer.confidence),
        bytes: layer.at.iter().flatten().next().map_or(0, Range::len),
        files,
        facts,
    }
}

fn changes(layout: &Layout, dumps: &[Dump]) -> Vec<Change> {
    let change = |fact: &Fact| Change {
        fact: fact.name.clone(),
        kind: match fact.kind {
            FactKind::Text => "text",
            FactKind::Flag => "flag",
            FactKind::File => "file",
        },
        fact_type: match fact.kind {
            FactKind::Text => fact.form.word(),
            FactKind::Flag => "bool",
            FactKind::File => "string",
        },
        changes: fact.changes,
        layer: fact.layer.clone(),
        name_guess: Guess::of_name(fact.why),
        changes_guess: Guess::of_pace(fact.pace),
        dumps: fact
            .at
            .iter()
            .zip(dumps)
            .map(|(at, dump)| at.clone().map(|at| stands(&dump.text, at)))
            .collect(),
    };
    layout.facts.iter().map(change).collect()
}

fn stands(text: &str, at: Range<usize>) -> Stands {
    let value = &text[at.clone()];
    // A layer may begin with the blank line before it.
    let first = at.start + (value.len() - value.trim_start().len()) % value.len().max(1);
    Stands {
        line: number(text, first),
        lines: value.trim().lines().count(),
        text: value.to_owned(),
    }
}

fn kept(layout: &Layout, dumps: &[Dump]) -> Option<Kept> {
    let (first, rest) = dumps.split_first()?;
    let same = |other: &Dump| {
        let (a, b) = (first.text.as_bytes(), other.text.as_bytes());
        a.iter().zip(b).take_while(|(a, b)| a == b).count()
    };
    let mut bytes = rest.iter().map(same).min()?;
    let differs = rest.iter().any(|d| d.text != first.text);
    while !first.text.is_char_boundary(bytes) {
        bytes -= 1;
    }
    let layers = layout.tiers.iter().flat_map(|t| &t.layers);
    let stable = layers
        .filter(|l| l.changes <= Changes::Deploy || dumps.len() == 1)
        .filter_map(|l| l.at[0].as_ref());
    Some(Kept {
        bytes,
        line: differs.then(|| number(&first.text, bytes)),
        stable: stable.map(Range::len).sum(),
        of: first.text.len(),
    })
}
