//! The causes of a difference: what, taken back, moves the break. Each is proven by a build without it.
//!
//! A round is one break with its causes. The next round is the break that is left when they are taken back, until nothing differs from A: so what
//! each round keeps is exact.

use super::leaves::{Leaves, Mix, Unit};
use crate::compare::order::merged;
use crate::compare::side::Sides;
use crate::prompt::{Deliver, Prompt};
use crate::text::prefix;
use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// More candidates than this are tried by halves.
const MOST_SINGLE: usize = 24;

/// With fewer units than this no guess is made: each is tried.
const FEW: usize = 4;

/// How many guesses are tried.
const MOST_GUESSES: usize = 3;

/// With more candidates than this none is tried alone.
const MOST_ALONE: usize = 40;

/// With more needed units than this only the one that keeps most is named.
const MOST_NEEDED: usize = 12;

/// Of more causes than this it is not tried whether any of them would do.
const MOST_EQUAL: usize = 6;

/// How many builds it may take to see what could take a cause's place.
const MOST_STAND_INS: usize = 64;

/// How many prompts of mixes are held; one that is asked for again later is built again, so that memory does not grow with the builds.
const MOST_HELD: usize = 4;

/// Builds mixes of two inputs.
pub(super) trait Mixes {
    /// The differences.
    fn leaves(&self) -> &Leaves;

    /// The prompt of a mix; none if it does not build.
    fn build(&mut self, mix: &Mix) -> Option<Arc<Prompt>>;

    /// Whether the mixes took as many steps of templates as all together may: no further one is built.
    fn is_spent(&self) -> bool {
        false
    }

    /// The units that a prompt shows at a place, the likeliest first: a guess, which is proven before it counts.
    fn owners(&self, _prompt: &Prompt, _at: Kept) -> Vec<Unit> {
        Vec::new()
    }
}

/// How far a search goes. No clock decides it: the same inputs have the same answer on every machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) builds: usize,
    pub(super) rounds: usize,
}

/// What two prompts have in common, from the beginning of the first channel on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kept {
    /// So many bytes of a channel, and all channels before it.
    UpTo(Deliver, usize),
    All,
}

/// How causes of one break belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Without it the break is gone.
    Alone,
    /// Each makes this break by itself.
    Each,
    /// They do something only together: without any one of them the break is gone.
    Together,
    /// Not each makes it by itself, and it takes to undo all of them.
    Several,
    /// It takes to undo so many of them, whichever.
    Any(usize),
}

/// What was found to be a cause.
#[derive(Debug, Clone)]
pub(super) struct Named {
    pub(super) unit: Unit,
    /// The leaves of it that matter.
    pub(super) leaves: Vec<usize>,
    /// How these belong together.
    pub(super) role: Role,
}

/// A break with its causes.
#[derive(Debug, Clone)]
pub(super) struct Round {
    /// The causes, and how they belong together; none if what was not recorded is the cause.
    pub(super) causes: Vec<Named>,
    pub(super) role: Role,
    /// What could take the place of one of them.
    pub(super) stand_ins: Vec<Unit>,
    /// The mix with this break, and without it.
    pub(super) mix: Mix,
    pub(super) without: Mix,
    /// The prompt whose prefix breaks: A's, or what A's recorded inputs give.
    pub(super) from: Arc<Prompt>,
    /// The prompt that breaks it.
    pub(super) broken: Arc<Prompt>,
    /// The prompts without the break, and with it.
    pub(super) prompts: [Arc<Prompt>; 2],
    /// What is kept if this and all rounds before it are taken back.
    pub(super) kept: Kept,
}

/// What was found besides the rounds.
#[derive(Debug, Clone, Default)]
pub(super) struct Found {
    /// The units of no round that change a byte of B, or of what is left of it in a later round.
    pub(super) also: Vec<Unit>,
    /// The builds after which a limit ended the search, if one did.
    pub(super) stopped: Option<usize>,
}

/// The limit of builds is reached.
#[derive(Debug)]
struct Full;

/// The causes of one break, by their places among the candidates.
struct Causes {
    /// The causes.
    named: Vec<usize>,
    /// All that had to be taken back together; `named` if that is all.
    every: Vec<usize>,
    role: Role,
    /// Whether the causes act only together, so that the first is enough to take back.
    is_joint: bool,
    /// Those that move the break too.
    passed: Vec<usize>,
}

/// Finds the causes of all breaks between `a` and the mix in which all is B's, and gives each round to `each` as soon as it is found.
/// `ends` are the prompts of A's and of B's inputs: where that of A's is another prompt than `a`, something that was not recorded made the
/// difference.
pub(super) fn rounds(
    mixes: &mut dyn Mixes,
    a: &Arc<Prompt>,
    [base, whole]: [Arc<Prompt>; 2],
    limits: Limits,
    each: &mut dyn FnMut(&Leaves, Round),
) -> Found {
    let b = mixes.leaves().b();
    let mut search = Search {
        mixes,
        a: a.clone(),
        base,
        whole,
        b,
        known: BTreeMap::new(),
        held: VecDeque::new(),
        left: limits.builds,
        settled: Mix::new(),
        passed: Vec::new(),
    };
    let mut found = Found::default();
    let ended = search.all(limits.rounds, each, &mut found);
    found.stopped = ended.is_err().then(|| limits.builds - search.left);
    found
}

struct Search<'m> {
    mixes: &'m mut dyn Mixes,
    a: Arc<Prompt>,
    /// The prompt of A's recorded inputs.
    base: Arc<Prompt>,
    /// The prompt of B's, and its mix.
    whole: Arc<Prompt>,
    b: Mix,
    /// What each mix that was built has in common with A; none if it does not build.
    known: BTreeMap<Mix, Option<Kept>>,
    /// The prompts of the last mixes.
    held: VecDeque<(Mix, Arc<Prompt>)>,
    /// The number of builds that are left.
    left: usize,
    /// The leaves of all rounds: those that were taken back, and the causes.
    settled: Mix,
    /// The units that move a break and were not named for it: another one does more.
    passed: Vec<Unit>,
}

/// A mix without some leaves.
fn without<'s>(mix: &Mix, gone: impl IntoIterator<Item = &'s Mix>) -> Mix {
    let mut out = mix.clone();
    for set in gone {
        out.retain(|leaf| !set.contains(leaf));
    }
    out
}

/// Those of `sets` at these places.
fn these<'s>(sets: &'s [Mix], at: &'s [usize]) -> impl Iterator<Item = &'s Mix> {
    at.iter().map(|at| &sets[*at])
}

/// What two prompts have in common.
pub(super) fn kept(a: &Prompt, b: &Prompt) -> Kept {
    let mut all = Deliver::ALL.into_iter();
    let differs = all.find(|channel| a.text(*channel) != b.text(*channel));
    differs.map_or(Kept::All, |channel| {
        Kept::UpTo(channel, prefix::common(a.text(channel), b.text(channel)))
    })
}

/// A layer as a prompt has it: its channel, the join before it, and its text.
type Seen = Option<(Deliver, String, String)>;

/// A layer of a prompt.
fn seen(sides: &Sides<'_>, name: &str) -> Seen {
    let mut all = Deliver::ALL.into_iter();
    all.find_map(|channel| {
        let side = sides.get(name, channel);
        side.present?;
        Some((channel, side.join().to_owned(), side.text().to_owned()))
    })
}

/// The layers of two prompts in one order.
fn order(a: &Prompt, b: &Prompt) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for channel in Deliver::ALL {
        let names = |prompt: &'_ Prompt| -> Vec<String> {
            let layers = prompt.channel(channel).map_or(&[][..], |c| &c.layers);
            layers.iter().map(|layer| layer.name.clone()).collect()
        };
        let (x, y) = (names(a), names(b));
        let [of_x, of_y] = [&x, &y].map(|all| all.iter().map(String::as_str).collect());
        let (of_x, of_y): (Vec<&str>, Vec<&str>) = (of_x, of_y);
        for place in merged(&of_x, &of_y) {
            let name = place.a.map(|at| &x[at]).or(place.b.map(|at| &y[at]));
            out.extend(
                name.filter(|name| !out.contains(name))
                    .cloned()
                    .into_iter()
                    .collect::<Vec<_>>(),
            );
        }
    }
    out
}

/// The layers in which two prompts differ, in their order; with `joins` also where only the join before them does.
pub(super) fn changed(a: &Prompt, b: &Prompt, joins: bool) -> Vec<String> {
    let sides = [a, b].map(Sides::of);
    let mut out = order(a, b);
    out.retain(|name| {
        let [x, y] = sides.each_ref().map(|sides| seen(sides, name));
        match (x, y) {
            (Some(x), Some(y)) => (x.0, x.2) != (y.0, y.2) || joins && x.1 != y.1,
            (x, y) => x.is_some() != y.is_some(),
        }
    });
    out
}

impl Search<'_> {
    fn build(&mut self, mix: &Mix) -> Result<Option<Arc<Prompt>>, Full> {
        if mix.is_empty() {
            return Ok(Some(self.base.clone()));
        }
        if *mix == self.b {
            return Ok(Some(self.whole.clone()));
        }
        if let Some((_, held)) = self.held.iter().find(|(held, _)| held == mix) {
            return Ok(Some(held.clone()));
        }
        match self.known.get(mix) {
            Some(None) => return Ok(None),
            Some(Some(_)) => {}
            None => {
                let left = self.left.checked_sub(1);
                self.left = left.filter(|_| !self.mixes.is_spent()).ok_or(Full)?;
            }
        }
        let built = self.mixes.build(mix);
        let common = built.as_ref().map(|prompt| kept(&self.a, prompt));
        self.known.insert(mix.clone(), common);
        if let Some(prompt) = &built {
            self.held.truncate(MOST_HELD - 1);
            self.held.push_front((mix.clone(), prompt.clone()));
        }
        Ok(built)
    }

    /// What a mix has in common with A; none if it does not build.
    fn kept(&mut self, mix: &Mix) -> Result<Option<Kept>, Full> {
        if let Some(known) = self.known.get(mix) {
            return Ok(*known);
        }
        let built = self.build(mix)?;
        Ok(built.map(|prompt| kept(&self.a, &prompt)))
    }

    /// Whether a mix builds, and breaks later.
    fn is_later(&mut self, mix: &Mix, at: Kept) -> Result<bool, Full> {
        Ok(self.kept(mix)?.is_some_and(|kept| kept > at))
    }

    /// Whether these leaves alone break as early.
    fn is_enough(&mut self, set: &Mix, at: Kept) -> Result<bool, Full> {
        Ok(self.kept(set)?.is_some_and(|kept| kept <= at))
    }

    /// Finds round by round.
    fn all(
        &mut self,
        most: usize,
        each: &mut dyn FnMut(&Leaves, Round),
        found: &mut Found,
    ) -> Result<(), Full> {
        let mut mix = self.b.clone();
        for _ in 0..most {
            let Some(at @ Kept::UpTo(..)) = self.kept(&mix)? else {
                return self.rest(found);
            };
            let round = if self.is_unrecorded(&mix, at)? {
                self.unrecorded(&mix)?
            } else {
                self.round(&mix, at)?
            };
            let gone = round.mix.difference(&round.without);
            let causes = round.causes.iter().flat_map(|cause| &cause.leaves);
            self.settled.extend(gone.chain(causes));
            mix = round.without.clone();
            each(self.mixes.leaves(), round);
        }
        Ok(())
    }

    /// Whether what was not recorded breaks as early as a mix, or in the same layer: that the texts after it begin alike says nothing.
    fn is_unrecorded(&mut self, mix: &Mix, at: Kept) -> Result<bool, Full> {
        let of_base = kept(&self.a, &self.base);
        if of_base == Kept::All {
            return Ok(false);
        }
        let layers = changed(&self.a, &self.base, false);
        let is_same = layers.first() == self.broken(mix)?.first();
        Ok(of_base <= at || is_same)
    }

    /// The break that is left when all that was recorded is taken back. Later ones are measured from there.
    fn unrecorded(&mut self, mix: &Mix) -> Result<Round, Full> {
        let base = self.base.clone();
        let from = std::mem::replace(&mut self.a, base.clone());
        self.known.clear();
        let kept = self.kept(mix)?.unwrap_or(Kept::All);
        Ok(Round {
            causes: Vec::new(),
            role: Role::Alone,
            stand_ins: Vec::new(),
            mix: mix.clone(),
            without: mix.clone(),
            kept,
            broken: self.build(mix)?.unwrap_or_else(|| base.clone()),
            prompts: [from.clone(), base],
            from,
        })
    }

    /// The unit that a guess found: it makes the break alone, and without it the break is later.
    fn guess(
        &mut self,
        mix: &Mix,
        at: Kept,
        (units, sets): (&[Unit], &[Mix]),
    ) -> Result<Option<Causes>, Full> {
        if units.len() < FEW {
            return Ok(None);
        }
        let Some(with) = self.build(mix)? else {
            return Ok(None);
        };
        let mut guesses = self.mixes.owners(&with, at);
        guesses.extend(self.mixes.owners(&self.a, at));
        let places = guesses
            .iter()
            .filter_map(|guess| units.iter().position(|unit| unit == guess));
        let mut tried: Vec<usize> = Vec::new();
        for place in places {
            if tried.contains(&place) || tried.len() == MOST_GUESSES {
                continue;
            }
            tried.push(place);
            let set = &sets[place];
            if self.is_enough(set, at)? && self.is_later(&without(mix, [set]), at)? {
                return Ok(Some(Causes {
                    named: vec![place],
                    every: vec![place],
                    role: Role::Alone,
                    is_joint: false,
                    passed: Vec::new(),
                }));
            }
        }
        Ok(None)
    }

    /// The units that are on in a mix, each with those of its leaves.
    fn units(&self, mix: &Mix) -> (Vec<Unit>, Vec<Mix>) {
        let units = self.mixes.leaves().units.iter();
        let on = units.map(|(unit, leaves)| (unit.clone(), leaves & mix));
        on.filter(|(_, leaves)| !leaves.is_empty()).unzip()
    }

    /// The causes of the break of a mix.
    fn round(&mut self, mix: &Mix, at: Kept) -> Result<Round, Full> {
        let (units, sets) = self.units(mix);
        let mut causes = match self.guess(mix, at, (&units, &sets))? {
            Some(causes) => causes,
            None => self.find(mix, at, &sets)?,
        };
        let passed = causes.passed.iter().map(|place| units[*place].clone());
        self.passed.extend(passed);
        let mut stand_ins = Vec::new();
        if causes.role != Role::Alone {
            self.first_layer(mix, &mut causes, &sets)?;
            stand_ins = self.stand_ins(mix, at, &causes, &sets)?;
            if self.are_equal(mix, at, (&causes, &stand_ins), &sets)? {
                causes.role = Role::Any(causes.every.len());
                causes.named.append(&mut stand_ins);
                causes.named.sort_unstable();
            }
        }
        let mut named = Vec::new();
        let mut gone = Mix::new();
        for (number, cause) in causes.named.iter().enumerate() {
            let others = causes.every.iter().copied().filter(|other| other != cause);
            let others: Vec<usize> = others.take(causes.every.len() - 1).collect();
            let base = match causes.role {
                Role::Alone | Role::Together => mix.clone(),
                _ => without(mix, these(&sets, &others)),
            };
            let (leaves, role) = self.split(&base, at, &sets[*cause])?;
            let unit = units[*cause].clone();
            let is_taken_back = causes.every.contains(cause);
            if is_taken_back && (number == 0 || !causes.is_joint) {
                match unit {
                    Unit::Layer { .. } => gone.extend(&leaves),
                    _ => gone.extend(&sets[*cause]),
                }
            }
            named.push(Named { unit, leaves, role });
        }
        let next = self.next(mix, at, &causes, (&sets, gone))?;
        let kept = self.kept(&next)?.unwrap_or(at);
        let [with, without] = [self.build(mix)?, self.build(&next)?];
        let with = with.unwrap_or_else(|| self.a.clone());
        let prompts = [without.unwrap_or_else(|| with.clone()), with.clone()];
        Ok(Round {
            from: self.a.clone(),
            broken: with,
            prompts,
            causes: named,
            role: causes.role,
            stand_ins: stand_ins.into_iter().map(|at| units[at].clone()).collect(),
            mix: mix.clone(),
            without: next,
            kept,
        })
    }

    /// The mix in which the causes are taken back.
    fn next(
        &mut self,
        mix: &Mix,
        at: Kept,
        causes: &Causes,
        (sets, gone): (&[Mix], Mix),
    ) -> Result<Mix, Full> {
        // Where other causes of the same break are left, it stays at the same byte.
        let is_split = causes.named.len() < causes.every.len();
        let mut named = causes.named.clone();
        named.retain(|place| causes.every.contains(place));
        let whole = without(mix, these(sets, &named));
        for next in [without(mix, [&gone]), whole] {
            let kept = self.kept(&next)?;
            if kept.is_some_and(|kept| kept > at || is_split && kept == at) {
                return Ok(next);
            }
        }
        Ok(without(mix, these(sets, &causes.every)))
    }

    /// The leaves of a unit that are the cause.
    fn split(&mut self, mix: &Mix, at: Kept, unit: &Mix) -> Result<(Vec<usize>, Role), Full> {
        let leaves: Vec<usize> = unit.iter().copied().collect();
        if leaves.len() == 1 {
            return Ok((leaves, Role::Alone));
        }
        let sets: Vec<Mix> = leaves.iter().map(|leaf| Mix::from([*leaf])).collect();
        let found = self.find(mix, at, &sets)?;
        let named = found.named.iter().map(|at| leaves[*at]);
        Ok((named.collect(), found.role))
    }

    /// The causes among these sets.
    fn find(&mut self, mix: &Mix, at: Kept, sets: &[Mix]) -> Result<Causes, Full> {
        let needed = self.needed(mix, at, sets)?;
        if !needed.is_empty() {
            return self.acting(mix, needed, sets);
        }
        let mut enough = Vec::new();
        if sets.len() <= MOST_ALONE {
            for (place, set) in sets.iter().enumerate() {
                if self.is_enough(set, at)? {
                    enough.push(place);
                }
            }
        }
        let all_that_is_enough = without(mix, these(sets, &enough));
        let do_they = !enough.is_empty() && self.is_later(&all_that_is_enough, at)?;
        let from = if do_they {
            enough
        } else {
            (0..sets.len()).collect()
        };
        let named = self.minimal(mix, at, from, sets)?;
        let mut role = Role::Each;
        for place in &named {
            if !self.is_enough(&sets[*place], at)? {
                role = Role::Several;
            }
        }
        Ok(Causes {
            every: named.clone(),
            named,
            role,
            is_joint: false,
            passed: Vec::new(),
        })
    }

    /// Those without which it breaks later: tried one by one, or by halves if they are many.
    fn needed(&mut self, mix: &Mix, at: Kept, sets: &[Mix]) -> Result<Vec<usize>, Full> {
        let mut open: Vec<Vec<usize>> = match sets.len() {
            ..=MOST_SINGLE => (0..sets.len()).rev().map(|place| vec![place]).collect(),
            many => vec![(0..many).collect()],
        };
        let mut out = Vec::new();
        while let Some(group) = open.pop() {
            let kept = self.kept(&without(mix, these(sets, &group)))?;
            match group.as_slice() {
                [one] => out.extend(kept.filter(|kept| *kept > at).map(|_| *one)),
                // One that does not build says nothing of its parts.
                many if kept.is_none_or(|kept| kept > at) => {
                    let (front, back) = many.split_at(many.len() / 2);
                    open.extend([back.to_vec(), front.to_vec()]);
                }
                _ => {}
            }
        }
        Ok(out)
    }

    /// Of those that are needed: the one whose reverting keeps most, and those that do something only together with it.
    ///
    /// Left out are those that do nothing without it, and those that do something of their own: they have their own round, if they change a byte.
    fn acting(&mut self, mix: &Mix, mut needed: Vec<usize>, sets: &[Mix]) -> Result<Causes, Full> {
        let mut gains = BTreeMap::new();
        for place in &needed {
            let gain = self.kept(&without(mix, [&sets[*place]]))?;
            gains.insert(*place, gain);
        }
        needed.sort_by_key(|place| (Reverse(gains[place]), *place));
        let mut named = vec![needed[0]];
        if needed.len() <= MOST_NEEDED && needed.len() > 1 {
            let layers = self.broken(mix)?;
            for first in needed.clone() {
                named = self.joint(mix, (&layers, first), &needed, sets)?;
                let equal = needed.iter().filter(|other| gains[*other] == gains[&first]);
                let equal: Vec<usize> = equal.copied().collect();
                if self.acts_alone(mix, (&layers, first), &equal, &named, sets)? {
                    break;
                }
            }
        }
        needed.retain(|place| !named.contains(place));
        Ok(Causes {
            passed: needed,
            every: named.clone(),
            is_joint: named.len() > 1,
            role: match named.len() {
                1 => Role::Alone,
                _ => Role::Together,
            },
            named,
        })
    }

    /// The layer that the break is in: the first that differs from A.
    fn broken(&mut self, mix: &Mix) -> Result<Vec<String>, Full> {
        let built = self.build(mix)?;
        let mut layers = built.map_or_else(Vec::new, |prompt| changed(&self.a, &prompt, false));
        layers.truncate(1);
        Ok(layers)
    }

    /// Some layers as a mix has them; none if it does not build.
    fn view(&mut self, mix: &Mix, layers: &[String]) -> Result<Option<Vec<Seen>>, Full> {
        let built = self.build(mix)?;
        Ok(built.map(|prompt| {
            let sides = Sides::of(&prompt);
            layers.iter().map(|name| seen(&sides, name)).collect()
        }))
    }

    /// A needed set, with those that do nothing in the broken layer without it, and without which it does nothing there.
    fn joint(
        &mut self,
        mix: &Mix,
        (layers, first): (&[String], usize),
        needed: &[usize],
        sets: &[Mix],
    ) -> Result<Vec<usize>, Full> {
        let mut out = vec![first];
        for other in needed.iter().copied().filter(|other| *other != first) {
            let neither = without(mix, [&sets[first], &sets[other]]);
            let neither = self.view(&neither, layers)?;
            let [no_first, no_other] = [first, other].map(|gone| without(mix, [&sets[gone]]));
            let is_idle = self.view(&no_first, layers)? == neither;
            if neither.is_some() && is_idle && self.view(&no_other, layers)? == neither {
                out.push(other);
            }
        }
        Ok(out)
    }

    /// Whether a needed set does something without those that keep as much.
    fn acts_alone(
        &mut self,
        mix: &Mix,
        (layers, first): (&[String], usize),
        equal: &[usize],
        named: &[usize],
        sets: &[Mix],
    ) -> Result<bool, Full> {
        for other in equal.iter().filter(|other| !named.contains(other)) {
            let no_first = self.view(&without(mix, [&sets[first]]), layers)?;
            let no_other = self.view(&without(mix, [&sets[*other]]), layers)?;
            let neither = without(mix, [&sets[first], &sets[*other]]);
            let neither = self.view(&neither, layers)?;
            if no_other.is_some() && neither.is_some() && no_first != neither {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A list of `from` that it takes to move the break, of which none can be left out (delta debugging).
    fn minimal(
        &mut self,
        mix: &Mix,
        at: Kept,
        mut from: Vec<usize>,
        sets: &[Mix],
    ) -> Result<Vec<usize>, Full> {
        let mut parts = 2;
        'smaller: while from.len() > 1 {
            let size = from.len().div_ceil(parts).max(1);
            let pieces: Vec<Vec<usize>> = from.chunks(size).map(<[usize]>::to_vec).collect();
            for piece in pieces.iter().filter(|piece| piece.len() < from.len()) {
                if self.is_later(&without(mix, these(sets, piece)), at)? {
                    (from, parts) = (piece.clone(), 2);
                    continue 'smaller;
                }
            }
            for piece in &pieces {
                let rest: Vec<usize> = from
                    .iter()
                    .copied()
                    .filter(|p| !piece.contains(p))
                    .collect();
                if !rest.is_empty() && self.is_later(&without(mix, these(sets, &rest)), at)? {
                    (from, parts) = (rest, (parts - 1).max(2));
                    continue 'smaller;
                }
            }
            if parts >= from.len() {
                break;
            }
            parts = (2 * parts).min(from.len());
        }
        Ok(from)
    }

    /// Of several causes only those that change the layer which comes first: the others are breaks of their own, at the same byte.
    fn first_layer(&mut self, mix: &Mix, causes: &mut Causes, sets: &[Mix]) -> Result<(), Full> {
        if causes.is_joint || causes.named.len() < 2 {
            return Ok(());
        }
        let Some(whole) = self.build(mix)? else {
            return Ok(());
        };
        let order = order(&self.a, &whole);
        let mut ranks = Vec::new();
        for place in &causes.named {
            let set = &sets[*place];
            let reverted = self.build(&without(mix, [set]))?;
            let alone = self.build(set)?;
            let mut layers = Vec::new();
            for joins in [false, true] {
                if layers.is_empty() {
                    let gone = reverted.iter().flat_map(|p| changed(&whole, p, joins));
                    let came = alone.iter().flat_map(|p| changed(&self.a, p, joins));
                    layers.extend(gone.chain(came));
                }
            }
            let places = layers
                .iter()
                .filter_map(|name| order.iter().position(|n| n == name));
            ranks.push(places.min());
        }
        // One of which no build says which layers it changes says nothing of the order.
        let first = ranks.iter().flatten().min().copied();
        let named = causes.named.iter().zip(&ranks);
        let named = named.filter(|(_, rank)| **rank == first);
        let named: Vec<usize> = named.map(|(place, _)| *place).collect();
        // What has to be taken back with them is named with them.
        let at = self.kept(mix)?;
        if self.kept(&without(mix, these(sets, &named)))? >= at {
            causes.named = named;
        }
        Ok(())
    }

    /// The sets that could take the place of a cause: without the other causes it takes these to move the break.
    fn stand_ins(
        &mut self,
        mix: &Mix,
        at: Kept,
        causes: &Causes,
        sets: &[Mix],
    ) -> Result<Vec<usize>, Full> {
        let mut out = Vec::new();
        if causes.is_joint || sets.len() * causes.named.len() > MOST_STAND_INS {
            return Ok(out);
        }
        for cause in &causes.named {
            let others = causes.every.iter().copied().filter(|other| other != cause);
            let others: Vec<usize> = others.collect();
            let rest = without(mix, these(sets, &others));
            for (other, set) in sets.iter().enumerate() {
                let is_known = causes.every.contains(&other) || out.contains(&other);
                if !is_known && self.is_later(&without(&rest, [set]), at)? {
                    out.push(other);
                }
            }
        }
        Ok(out)
    }

    /// Whether any of the causes and stand-ins, as many as there are causes, move the break together.
    fn are_equal(
        &mut self,
        mix: &Mix,
        at: Kept,
        (causes, stand_ins): (&Causes, &[usize]),
        sets: &[Mix],
    ) -> Result<bool, Full> {
        let is_whole = causes.named.len() == causes.every.len();
        if causes.role != Role::Several || stand_ins.is_empty() || !is_whole {
            return Ok(false);
        }
        let all: Vec<usize> = causes.every.iter().chain(stand_ins).copied().collect();
        if all.len() > MOST_EQUAL {
            return Ok(false);
        }
        let number = causes.every.len();
        for chosen in (0_usize..1 << all.len()).filter(|set| set.count_ones() as usize == number) {
            let some = all.iter().enumerate();
            let some = some.filter(|(at, _)| chosen >> at & 1 == 1);
            let some: Vec<usize> = some.map(|(_, place)| *place).collect();
            if !self.is_later(&without(mix, these(sets, &some)), at)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Notes the units of no round that change a byte of B: they act only through what was named.
    fn rest(&mut self, found: &mut Found) -> Result<(), Full> {
        let (b, whole) = (self.b.clone(), self.whole.clone());
        let (units, mut sets) = self.units(&b);
        sets.iter_mut()
            .for_each(|set| set.retain(|leaf| !self.settled.contains(leaf)));
        // Those that undo each other's change say nothing when all are taken back at once.
        for (unit, set) in units.iter().zip(&mut sets) {
            if !set.is_empty() && self.passed.contains(unit) {
                found.also.push(unit.clone());
                set.clear();
            }
        }
        let open = (0..sets.len()).filter(|place| !sets[*place].is_empty());
        let mut open: Vec<Vec<usize>> = vec![open.collect()];
        while let Some(group) = open.pop().filter(|group| !group.is_empty()) {
            let reverted = self.build(&without(&b, these(&sets, &group)))?;
            if reverted
                .as_ref()
                .is_some_and(|prompt| kept(&whole, prompt) == Kept::All)
            {
                continue;
            }
            match group.as_slice() {
                [one] if reverted.is_some() => found.also.push(units[*one].clone()),
                [_] => {}
                many => {
                    let (front, back) = many.split_at(many.len() / 2);
                    open.extend([back.to_vec(), front.to_vec()]);
                }
            }
        }
        Ok(())
    }
}
