//! A fact of dumps, and how much of it is known.

use super::form::Form;
use crate::prompt::Changes;
use schemars::JsonSchema;
use serde::Serialize;
use std::ops::Range;

/// The confidence in a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// The text calls it so.
    Sure,
    /// From the words before it.
    Likely,
    /// Nothing calls it so.
    Guess,
}

impl Confidence {
    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Sure => "sure",
            Self::Likely => "likely",
            Self::Guess => "guess",
        }
    }
}

/// Where the name of a fact is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// From the label, tag, key or cell before it.
    Label,
    /// The heading above.
    Heading,
    /// From the words before it.
    Before,
    /// From the word after a number.
    Behind,
    /// From the kind of its value.
    Kind,
    /// The words that it begins with.
    Own,
    /// From the layer that it is in.
    Layer,
}

impl Why {
    /// Where the name of a fact is from that is called like its layer.
    pub(super) fn of_layer(confidence: Confidence) -> Self {
        match confidence {
            Confidence::Sure => Self::Heading,
            Confidence::Likely | Confidence::Guess => Self::Own,
        }
    }

    /// The confidence in such a name.
    pub(super) fn confidence(self) -> Confidence {
        match self {
            Self::Label | Self::Heading => Confidence::Sure,
            Self::Before | Self::Behind | Self::Kind => Confidence::Likely,
            Self::Own | Self::Layer => Confidence::Guess,
        }
    }
}

/// The evidence for how often a fact changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pace {
    /// Nothing.
    Unknown,
    /// It is white space, as at the end of a dump that was saved otherwise.
    Blank,
    /// It is a date.
    Date,
    /// It differs between dumps of one day.
    WithinDay,
    /// It has another value from one day on, once.
    Once,
    /// It has one value on each day.
    ByDay,
    /// It differs between two dumps of one conversation.
    WithinConversation,
}

impl Pace {
    /// The volatility of such changes.
    pub(super) fn changes(self) -> Changes {
        match self {
            Self::Unknown | Self::WithinDay => Changes::Session,
            Self::Once | Self::Blank => Changes::Deploy,
            Self::Date | Self::ByDay => Changes::Day,
            Self::WithinConversation => Changes::Turn,
        }
    }
}

/// The content of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FactKind {
    /// A text of the prompt.
    Text,
    /// Whether a layer is there.
    Flag,
    /// The name of a file.
    File,
}

/// A fact.
#[derive(Debug)]
pub(super) struct Fact {
    /// Its name.
    pub(super) name: String,
    /// Where the name is from.
    pub(super) why: Why,
    /// Its possible names, the best first.
    pub(super) names: Vec<(String, Why)>,
    /// Whether its values are parts of sentences.
    pub(super) is_sentence: bool,
    /// Its type.
    pub(super) kind: FactKind,
    /// The form of a text.
    pub(super) form: Form,
    /// Whether it is tested before it is printed, so that it may be missing.
    pub(super) is_asked: bool,
    /// The evidence for how often it changes.
    pub(super) pace: Pace,
    /// How often it changes, as far as its values show.
    pub(super) changes: Changes,
    /// The layer of its first place.
    pub(super) layer: String,
    /// Its text in each dump; none where the dump does not have it.
    pub(super) at: Vec<Option<Range<usize>>>,
}
