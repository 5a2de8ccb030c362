//! The storage of values: numbers of 32 bits with the kind and the position of a value.

use serde_json::Number;
use std::ops::Range;

/// Values and their items.
#[derive(Debug)]
pub(super) struct Tree {
    /// The values of all lists and maps, those of one next to each other; a map alternates names and values.
    pub(super) slots: Vec<Slot>,
    /// Where the slots of each list or map begin, which is where those before it end.
    pub(super) groups: Vec<u32>,
    /// All strings, and all numbers that do not fit a slot, one after the other.
    pub(super) text: String,
    /// Where each of them begins, which is where the one before it ends.
    pub(super) texts: Vec<u32>,
}

/// Kind and payload of a value: the payload is the value itself or where it is found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot(pub(super) u32);

/// The kinds of slots, with their payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing.
    Null,
    /// 0 or 1.
    Bool,
    /// A whole number above [`SMALLEST`].
    Small,
    /// The index of a text.
    Number,
    /// The index of a text.
    Text,
    /// The index of a group.
    List,
    /// The index of a group.
    Map,
}

/// Bits of a payload.
const BITS: u32 = 29;

/// The smallest number that is in a slot; the payload is the distance from it.
const SMALLEST: i64 = -(1 << (BITS - 1));

impl Slot {
    /// None if the payload has too many bits.
    pub(super) fn new(kind: Kind, payload: usize) -> Option<Self> {
        let payload = u32::try_from(payload).ok().filter(|p| p >> BITS == 0)?;
        Some(Self((kind as u32) << BITS | payload))
    }

    pub(super) fn kind(self) -> Kind {
        use Kind::{Bool, List, Map, Null, Number, Small, Text};
        [Null, Bool, Small, Number, Text, List, Map, Null][(self.0 >> BITS) as usize]
    }

    /// The number in it.
    pub(super) fn small(self) -> i64 {
        // Each payload has 29 bits.
        SMALLEST + i64::try_from(self.payload()).unwrap_or(0)
    }

    pub(super) fn payload(self) -> usize {
        (self.0 & ((1 << BITS) - 1)) as usize
    }
}

impl Tree {
    /// A tree without values. The first group and the first text are empty, for all that are.
    pub(super) fn new() -> Self {
        Self {
            slots: Vec::new(),
            groups: vec![0, 0],
            text: String::new(),
            texts: vec![0, 0],
        }
    }

    pub(super) fn range(starts: &[u32], index: usize) -> Range<usize> {
        starts[index] as usize..starts[index + 1] as usize
    }

    pub(super) fn text(&self, slot: Slot) -> &str {
        &self.text[Self::range(&self.texts, slot.payload())]
    }

    pub(super) fn group(&self, slot: Slot) -> &[Slot] {
        &self.slots[Self::range(&self.groups, slot.payload())]
    }

    pub(super) fn add_text(&mut self, kind: Kind, text: &str) -> Option<Slot> {
        if text.is_empty() {
            return Slot::new(kind, 0);
        }
        self.text.push_str(text);
        self.texts.push(u32::try_from(self.text.len()).ok()?);
        Slot::new(kind, self.texts.len() - 2)
    }

    pub(super) fn add_group(&mut self, kind: Kind, slots: &[Slot]) -> Option<Slot> {
        if slots.is_empty() {
            return Slot::new(kind, 0);
        }
        self.slots.extend(slots);
        self.groups.push(u32::try_from(self.slots.len()).ok()?);
        Slot::new(kind, self.groups.len() - 2)
    }

    pub(super) fn add_number(&mut self, number: &Number) -> Option<Slot> {
        let small = number.as_i64().and_then(|n| n.checked_sub(SMALLEST));
        let small = small.and_then(|payload| usize::try_from(payload).ok());
        if let Some(slot) = small.and_then(|payload| Slot::new(Kind::Small, payload)) {
            return Some(slot);
        }
        let text = match number.as_f64().filter(|_| number.is_f64()) {
            Some(double) => short(double),
            None => number.to_string(),
        };
        self.add_text(Kind::Number, &text)
    }
}

/// A double as short as it can be written, so that `1e300` takes no more room here than in its file; never as a whole number.
fn short(double: f64) -> String {
    let text = format!("{double:e}");
    match text.strip_suffix("e0") {
        Some(text) if text.contains('.') => text.to_owned(),
        Some(text) => format!("{text}."),
        None => text,
    }
}

/// The number that [`Tree::add_number`] wrote.
pub(super) fn number(text: &str) -> Number {
    let whole =
        (text.parse::<i64>().map(Number::from)).or_else(|_| text.parse::<u64>().map(Number::from));
    let double = || text.parse().ok().and_then(Number::from_f64);
    whole.ok().or_else(double).unwrap_or_else(|| 0.into())
}
