//! The sources of values: names from outside, and the operations on each on its way.

use super::{Kind, Walker};
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

/// One step on the way from a name to the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The operation.
    pub kind: StepKind,
    /// Bytes in the source: of a filter's argument if that is text, else of the whole expression.
    pub range: Range<usize>,
}

/// The effect of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepKind {
    /// A filter, with its first argument if that is plain text.
    Filter {
        /// Its name.
        name: String,
        /// The text.
        argument: Option<String>,
    },
    /// An attribute or item is taken, of this name if that is plain text.
    Item(Option<String>),
    /// A range of it is taken, with bounds where they are plain numbers.
    Slice {
        /// The first that is taken.
        start: Option<i64>,
        /// The first that is not.
        stop: Option<i64>,
    },
    /// A loop takes one after the other.
    Each,
    /// It is an argument of a filter, function or macro, or an operand: what becomes of it is not known.
    Into,
}

/// A name from outside that reaches the output, or the value of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flow {
    /// The name.
    pub name: String,
    /// Where it is read.
    pub range: Range<usize>,
    /// The operations on it, in order.
    pub steps: Vec<Step>,
}

/// The most ways by which a value may have come; beyond that, one is recorded for each name. If every `set` or let uses
/// the one before it twice, the ways double each time.
const MOST_WAYS: usize = 64;

/// The most steps of a way that are recorded; later ones are only noted as unknown.
pub const MOST_STEPS: usize = 64;

/// The most ways that one program may copy or extend; later ones are not recorded.
pub(super) const MOST_COPIES: usize = 500_000;

/// Of `ways`, each once, the first `MOST_WAYS`, and of the others the first from each thing that they come from.
pub fn few<W: PartialEq, F: Ord>(
    ways: impl IntoIterator<Item = W>,
    from: impl Fn(&W) -> F,
) -> Vec<W> {
    let mut out: Vec<W> = Vec::new();
    let mut seen = BTreeSet::new();
    for way in ways {
        let new = seen.insert(from(&way));
        if new || out.len() < MOST_WAYS && !out.contains(&way) {
            out.push(way);
        }
    }
    out
}

/// A value by its kind and its sources.
#[derive(Debug, Clone, Default)]
pub(super) struct TracedValue<'a> {
    pub(super) kind: Kind,
    pub(super) ways: Vec<Way<'a>>,
}

/// A way on which a value came, while it is walked. Ways share the steps that they have in common.
#[derive(Debug, Clone)]
pub(super) struct Way<'a> {
    name: &'a str,
    range: Range<usize>,
    last: Option<Rc<Link>>,
}

#[derive(Debug)]
struct Link {
    step: Rc<Step>,
    before: Option<Rc<Link>>,
    length: usize,
    /// The hash of the places of all steps up to here.
    hash: u64,
}

impl PartialEq for Way<'_> {
    /// Whether it begins at the same place and goes the same steps.
    fn eq(&self, other: &Self) -> bool {
        let steps = |way: &Self| way.last.as_ref().map(|link| (link.length, link.hash));
        self.range == other.range && steps(self) == steps(other)
    }
}

impl<'a> Way<'a> {
    pub(super) fn new(name: &'a str, range: Range<usize>) -> Self {
        Self {
            name,
            range,
            last: None,
        }
    }

    /// The name that it comes from.
    pub(super) fn name(&self) -> &'a str {
        self.name
    }

    fn push(&mut self, step: &Rc<Step>) {
        let (length, hash) = (self.last.as_ref()).map_or((0, 0), |link| (link.length, link.hash));
        if length > MOST_STEPS {
            return;
        }
        let step = match length {
            MOST_STEPS => Rc::new(Step {
                kind: StepKind::Into,
                range: step.range.clone(),
            }),
            _ => step.clone(),
        };
        let place = step.range.start as u64 ^ (step.range.end as u64).rotate_left(32);
        self.last = Some(Rc::new(Link {
            hash: (hash.rotate_left(5) ^ place).wrapping_mul(0x0100_0000_01b3),
            length: length + 1,
            before: self.last.take(),
            step,
        }));
    }

    pub(super) fn into_flow(self) -> Flow {
        let links = std::iter::successors(self.last.as_deref(), |link| link.before.as_deref());
        let mut steps: Vec<Step> = links.map(|link| (*link.step).clone()).collect();
        steps.reverse();
        Flow {
            name: self.name.to_owned(),
            range: self.range,
            steps,
        }
    }
}

impl<'a> TracedValue<'a> {
    /// A value of no kind that matters.
    pub(super) fn of_ways(ways: Vec<Way<'a>>) -> Self {
        let kind = Kind::Other;
        Self { kind, ways }
    }

    /// A value that is either of the two.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            kind: self.kind.or(other.kind),
            ways: joined(self.ways, other.ways),
        }
    }
}

/// The ways of two values, in one.
pub(super) fn joined<'a>(one: Vec<Way<'a>>, other: Vec<Way<'a>>) -> Vec<Way<'a>> {
    match (one, other) {
        (ways, none) | (none, ways) if none.is_empty() => ways,
        (one, other) => few(one.into_iter().chain(other), Way::name),
    }
}

impl<'a> Walker<'a> {
    /// The ways, with one more step.
    pub(super) fn stepped(
        &mut self,
        ways: Vec<Way<'a>>,
        step: impl FnOnce() -> (StepKind, Range<usize>),
    ) -> Vec<Way<'a>> {
        let mut ways = self.afforded(ways);
        if !ways.is_empty() {
            let (kind, range) = step();
            let step = Rc::new(Step { kind, range });
            ways.iter_mut().for_each(|way| way.push(&step));
        }
        ways
    }

    /// The ways, if so many more may be walked; else they end here.
    pub(super) fn afforded(&mut self, ways: Vec<Way<'a>>) -> Vec<Way<'a>> {
        match self.left.checked_sub(ways.len()) {
            Some(left) => {
                self.left = left;
                ways
            }
            None => Vec::new(),
        }
    }
}
