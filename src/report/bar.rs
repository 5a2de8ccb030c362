//! The prefix as a bar, tier by tier.

use crate::project::Compared;
use crate::prompt::{Changes, Channel, Tier};
use std::ops::Range;

/// The meaning of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cell {
    /// Kept.
    Kept,
    /// In the broken layer.
    Broken,
    /// To be recomputed.
    Lost,
}

impl Cell {
    /// How it is drawn.
    pub(super) fn drawn(self, ascii: bool) -> char {
        match (self, ascii) {
            (Self::Kept, false) => '█',
            (Self::Broken, false) => '▓',
            (Self::Lost, false) => '░',
            (Self::Kept, true) => '#',
            (Self::Broken, true) => 'X',
            (Self::Lost, true) => '.',
        }
    }
}

impl Cell {
    /// All, in the order in which a legend names them.
    pub(super) const ALL: [Self; 3] = [Self::Kept, Self::Broken, Self::Lost];

    /// Its meaning, as a legend writes it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Broken => "broken",
            Self::Lost => "rewritten",
        }
    }
}

/// A cached prefix, tier by tier.
#[derive(Debug, Clone)]
pub struct Bar {
    /// The bytes of all tiers.
    whole: usize,
    /// Where the prefix breaks.
    offset: usize,
    /// The bytes of the broken layer after that.
    broken: Range<usize>,
    tiers: Vec<Tier>,
}

/// A tier of the bar.
#[derive(Debug, Clone)]
pub(super) struct Strip<'a> {
    /// Its name.
    pub(super) tier: &'a str,
    /// How often it may change.
    pub(super) changes: Changes,
    /// Its cells; none if it has no text.
    pub(super) cells: Vec<Cell>,
}

impl Bar {
    /// The channel that broke, as A has it; none if nothing is known of it.
    pub(super) fn of(compared: &Compared) -> Option<Self> {
        let first = compared.diff.first.as_ref()?;
        let channel = compared.a.channel(first.channel)?;
        (!channel.tiers.is_empty()).then(|| Self {
            whole: channel.text.len(),
            offset: first.offset,
            broken: broken(channel, first.layer.as_deref(), first.offset),
            tiers: channel.tiers.clone(),
        })
    }

    /// The tiers with about `room` cells together.
    pub(super) fn strips(&self, room: usize) -> Vec<Strip<'_>> {
        let strip = |tier| self.strip(tier, room);
        self.tiers.iter().map(strip).collect()
    }

    /// The names of the tiers.
    pub(super) fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.tiers.iter().map(|tier| tier.name.as_str())
    }

    fn strip<'a>(&self, tier: &'a Tier, room: usize) -> Strip<'a> {
        Strip {
            tier: &tier.name,
            changes: tier.changes,
            cells: cells(tier, room, self.whole, self.offset, &self.broken),
        }
    }
}

/// The bytes of A that the broken layer has behind the break.
fn broken(channel: &Channel, layer: Option<&str>, offset: usize) -> Range<usize> {
    let own = channel
        .layers
        .iter()
        .find(|l| Some(l.name.as_str()) == layer);
    own.map_or(offset..offset, |l| l.start.max(offset)..l.end.max(offset))
}

fn cells(
    tier: &Tier,
    room: usize,
    whole: usize,
    offset: usize,
    broken: &Range<usize>,
) -> Vec<Cell> {
    let bytes = tier.end - tier.start;
    if bytes == 0 || whole == 0 {
        return Vec::new();
    }
    let count = (bytes * room / whole).max(1).min(bytes);
    (0..count)
        .map(|n| {
            let from = tier.start + bytes * n / count;
            let to = tier.start + bytes * (n + 1) / count;
            let breaks_here = from <= offset && offset < to;
            match () {
                () if breaks_here || (broken.start < to && from < broken.end) => Cell::Broken,
                () if to <= offset => Cell::Kept,
                () => Cell::Lost,
            }
        })
        .collect()
}
