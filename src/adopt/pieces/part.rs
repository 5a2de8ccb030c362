//! The pieces of a stretch.

use std::ops::Range;

/// Bytes by dump; none where a dump has nothing.
pub(in crate::adopt) type Places = Vec<Option<Range<usize>>>;

/// A piece of a stretch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::adopt) enum BodyPart {
    /// A text that is equal in all dumps with the stretch.
    Text(String),
    /// Something else in each: its bytes in every dump that has it.
    Slot(Places),
    /// Lines that only some dumps have.
    Lines(Places, Vec<BodyPart>),
}

impl BodyPart {
    /// The number of places that change in it.
    pub(in crate::adopt) fn slots(&self) -> usize {
        match self {
            Self::Text(_) => 0,
            Self::Slot(_) => 1,
            Self::Lines(_, parts) => 1 + parts.iter().map(Self::slots).sum::<usize>(),
        }
    }

    /// Adds the places that change in it.
    pub(in crate::adopt) fn places(&self, out: &mut Vec<Places>) {
        match self {
            Self::Text(_) => {}
            Self::Slot(at) => out.push(at.clone()),
            Self::Lines(_, parts) => parts.iter().for_each(|part| part.places(out)),
        }
    }

    /// Whether no value in it has more bytes than `most`.
    pub(in crate::adopt) fn is_short(&self, most: usize) -> bool {
        match self {
            Self::Text(_) => true,
            Self::Slot(at) => at.iter().flatten().all(|at| at.len() <= most),
            Self::Lines(_, parts) => parts.iter().all(|part| part.is_short(most)),
        }
    }
}
