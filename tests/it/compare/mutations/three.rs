//! The causes at the break that are not at the first difference, and what else altered a byte: by the pieces of both sides,
//! and of B without one of the mutations.

use super::alone::{Hit, common};
use super::mutation::{Expected, Mutation};
use super::oracle::pieces;
use super::print::{Owner, Piece, Printed, print};
use super::world::World;

/// What the other side has of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    Nothing,
    /// The piece with other bytes.
    Changed,
    /// The piece, equal as far as it is compared.
    Same,
}

impl Found {
    /// The piece of `own` at `at` on the other side: the one of the same owner and member, and of several the one at the
    /// same place among them. Its first `upto` bytes are compared.
    fn of(own: &[Piece], (at, upto): (usize, usize), other: &[Piece]) -> Self {
        let piece = &own[at];
        let alike = |p: &&Piece| (&p.owner, &p.within) == (&piece.owner, &piece.within);
        let nth = own[..at].iter().filter(alike).count();
        match other.iter().filter(alike).nth(nth) {
            None => Self::Nothing,
            Some(p)
                if p.text
                    .as_bytes()
                    .starts_with(&piece.text.as_bytes()[..upto]) =>
            {
                Self::Same
            }
            Some(_) => Self::Changed,
        }
    }
}

/// A layer's pieces on both sides, and in B without one of the mutations.
pub(super) struct Three<'p> {
    a: &'p [Piece],
    b: &'p [Piece],
    rest: Vec<Piece>,
}

impl<'p> Three<'p> {
    /// None if the layer is on one side only.
    pub(super) fn of(
        name: &str,
        n: usize,
        (world, mutations): (&World, &[Mutation]),
        (a, b): (&'p [Printed], &'p [Printed]),
    ) -> Option<Self> {
        Some(Self {
            a: pieces(a, name)?,
            b: pieces(b, name)?,
            rest: without(world, mutations, n, name).unwrap_or_default(),
        })
    }

    fn sides(&self, in_a: bool) -> [&'p [Piece]; 2] {
        if in_a {
            [self.a, self.b]
        } else {
            [self.b, self.a]
        }
    }

    /// Whether the mutation decided about the first `upto` bytes of a piece of one side; then also what the other one has.
    fn decided(&self, in_a: bool, (at, upto): (usize, usize)) -> Option<Found> {
        let [own, other] = self.sides(in_a);
        let facing = Found::of(own, (at, upto), other);
        let rest = Found::of(own, (at, upto), &self.rest);
        let decided = if in_a {
            rest > facing
        } else {
            facing != Found::Same && rest <= facing
        };
        decided.then_some(facing)
    }

    /// Whether the mutation edited a join of one side, in its first `upto` bytes.
    fn joined(&self, in_a: bool, (at, upto): (usize, usize)) -> bool {
        let [own, other] = self.sides(in_a);
        let join = &own[at].text.as_bytes()[..upto];
        // Of a side without joins it is not known what they would say.
        let says = |pieces: &[Piece]| {
            let joins = pieces.iter().filter(|p| p.owner == Owner::Join);
            let says = joins.map(|p| p.text.as_bytes().starts_with(join));
            says.reduce(|some, says| some || says)
        };
        let edited = says(other) == Some(false) && says(&self.rest) == Some(in_a);
        own[at].owner == Owner::Join && edited
    }

    /// Where the two sides break, in bytes.
    fn byte(&self) -> usize {
        common(&text(self.a), &text(self.b))
    }

    /// Whether the prefix breaks in the text around a document that came where another one went: it is unknown whether that
    /// came and went too.
    pub(super) fn around_two(&self) -> bool {
        let byte = self.byte();
        [true, false].into_iter().all(|in_a| {
            let [own, other] = self.sides(in_a);
            place(own, byte).is_some_and(|(at, upto)| {
                let around = matches!(own[at].owner, Owner::Template(_) | Owner::Manifest);
                let of = own[at].within.clone().map(Owner::Document);
                let gone = Found::of(own, (at, upto), other) == Found::Nothing;
                around && gone && own.iter().any(|p| Some(&p.owner) == of.as_ref())
            })
        })
    }

    /// Whether the texts with the mutation and without it differ.
    pub(super) fn differs(&self) -> bool {
        text(self.b) != text(&self.rest)
    }

    /// Whether the mutation altered a byte: it is listed with the cause of another one.
    pub(super) fn altered(&self) -> bool {
        let somewhere = |in_a: bool| {
            let [own, _] = self.sides(in_a);
            (0..own.len()).any(|at| match (&own[at].owner, own[at].text.len()) {
                (Owner::Join, upto) => self.joined(in_a, (at, upto)),
                (_, upto) => self.decided(in_a, (at, upto)).is_some(),
            })
        };
        self.differs() && (somewhere(true) || somewhere(false))
    }

    /// The part of the mutation that is a cause because of A's byte at the break, or because of B's.
    pub(super) fn at_break(&self, hit: &Hit, mutation: &Mutation) -> Vec<Expected> {
        let byte = self.byte();
        let mut out = Vec::new();
        let mut add = |causes: &[Expected]| {
            for cause in causes {
                if !out.contains(cause) {
                    out.push(cause.clone());
                }
            }
        };
        for in_a in [true, false].into_iter().filter(|_| self.differs()) {
            let [own, other] = self.sides(in_a);
            let Some((mut at, mut upto)) = place(own, byte) else {
                continue;
            };
            if self.joined(in_a, (at, upto)) {
                add(&hit.causes);
                continue;
            }
            // A join belongs to the text after it. Of several equal ones it is unknown which one is new.
            if own[at].owner == Owner::Join {
                if other.iter().any(|p| p.owner == Owner::Join) {
                    continue;
                }
                at += 1;
                let first = own.get(at).and_then(|p| p.text.chars().next());
                upto = first.map_or(0, char::len_utf8);
            }
            let Some(facing) = own.get(at).and_then(|_| self.decided(in_a, (at, upto))) else {
                continue;
            };
            let owned = mutation.changes.iter().filter(|c| {
                let known = facing == Found::Changed || hit.causes.contains(&c.expected);
                known && c.owner == own[at].owner
            });
            let owned: Vec<Expected> = owned.map(|c| c.expected.clone()).collect();
            if owned.is_empty() {
                add(&hit.causes)
            } else {
                add(&owned)
            }
        }
        out
    }
}

pub(super) fn text(pieces: &[Piece]) -> String {
    pieces.iter().map(|p| p.text.as_str()).collect()
}

/// The piece with a byte of a layer, and where the character there ends in it.
fn place(pieces: &[Piece], mut byte: usize) -> Option<(usize, usize)> {
    for (at, piece) in pieces.iter().enumerate() {
        if let Some(next) = piece.text.get(byte..).and_then(|rest| rest.chars().next()) {
            return Some((at, byte + next.len_utf8()));
        }
        byte -= piece.text.len();
    }
    None
}

/// The text of a layer after all mutations but one.
fn without(world: &World, mutations: &[Mutation], n: usize, layer: &str) -> Option<Vec<Piece>> {
    let mut changed = world.clone();
    for (other, mutation) in mutations.iter().enumerate() {
        if other != n {
            (mutation.apply)(&mut changed);
        }
    }
    pieces(&print(&changed), layer).map(<[Piece]>::to_vec)
}
