//! The prefix as a bar, tier by tier.

use super::fit::width;
use super::picture::{Look, WIDTH};
use crate::cli::ui::class;
use crate::project::Compared;
use crate::prompt::{Channel, Tier};
use std::fmt::Write as _;

/// What a cell stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cell {
    /// Kept.
    Kept,
    /// Of the broken layer.
    Broken,
    /// To be read anew.
    Lost,
}

impl Cell {
    /// How it is drawn.
    pub(crate) fn drawn(self, ascii: bool) -> char {
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
    pub(crate) const ALL: [Self; 3] = [Self::Kept, Self::Broken, Self::Lost];

    /// What it means.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Broken => "broken",
            Self::Lost => "rewritten",
        }
    }
}

/// A tier of the bar.
pub(crate) struct Strip<'a> {
    /// The tier, as A has it.
    pub(crate) tier: &'a Tier,
    /// Its cells; none if it has no text.
    pub(crate) cells: Vec<Cell>,
}

/// The tiers of the channel that broke, as A has it, with about `room` cells together.
pub(crate) fn strips(compared: &Compared, room: usize) -> Vec<Strip<'_>> {
    let first = compared.diff.first.as_ref();
    let found = first.and_then(|first| Some((first, compared.a.channel(first.channel)?)));
    let Some((first, channel)) = found else {
        return Vec::new();
    };
    let broken = broken(channel, first.layer.as_deref(), first.offset);
    let tiers = channel.tiers.iter();
    let strip = |tier| Strip {
        tier,
        cells: cells(tier, room, channel.text.len(), first.offset, &broken),
    };
    tiers.map(strip).collect()
}

/// The bar of the channel that broke, as A has it; with what its cells mean.
pub(crate) fn bar(compared: &Compared, look: Look) -> Option<String> {
    let first = compared.diff.first.as_ref()?;
    let channel = compared.a.channel(first.channel)?;
    if channel.tiers.is_empty() {
        return None;
    }
    let names: usize = channel.tiers.iter().map(|t| width(&t.name) + 3).sum();
    let (room, between) = match (WIDTH)
        .checked_sub(names)
        .filter(|r| *r >= channel.tiers.len() * 3)
    {
        Some(room) => (room, "  "),
        None => (WIDTH / 2, "\n"),
    };
    let mut out = String::new();
    for (index, Strip { tier, cells }) in strips(compared, room).iter().enumerate() {
        if index > 0 {
            out.push_str(between);
        }
        let style = class(tier.changes);
        let drawn: String = cells.iter().map(|c| c.drawn(look.ascii)).collect();
        let name = crate::cli::ui::words::plain(&tier.name);
        let _ = write!(out, "{style}{name} {drawn}{style:#}");
    }
    let legend = Cell::ALL.map(|c| format!("{} {}", c.drawn(look.ascii), c.word()));
    let _ = writeln!(out, "\n{}", legend.join("  "));
    Some(out)
}

/// The bytes of A that the broken layer has behind the break.
fn broken(channel: &Channel, layer: Option<&str>, offset: usize) -> std::ops::Range<usize> {
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
    broken: &std::ops::Range<usize>,
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
