//! An oracle for diffs: random worlds are mutated, each mutation says what it does, and the diff has to find it out.
//!
//! The expected diff follows from the mutations alone. Nothing here is shared with the checked code; the text of a
//! world comes from a small independent compiler, with which every build is compared too. `PROMPTC_PAIRS` sets how many
//! pairs are checked and `PROMPTC_FROM` the seed of the first; `PROMPTC_SEED` picks one.

mod ink;
mod world;
mod kdl;
mod print;
mod generate;
mod build;
mod mutation;
mod mutators;
mod alone;
mod three;
mod oracle;
mod verify;
mod drift;

use ink::Ink;
use mutation::{Effect, Mutation};
use oracle::Answer;
use promptc::compare::{Diff, diff};
use promptc::prompt::Prompt;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use world::World;

/// Tests that share the pairs, so that they run side by side.
const SHARES: u64 = 4;

/// Pairs that begin with the same world, which is built once for all of them.
const BRANCHES: u64 = 4;

/// Where pairs begin.
struct Start {
    seed: u64,
    world: World,
    built: Result<Prompt, String>,
    ink: Ink,
}

impl Start {
    fn new(seed: u64) -> Self {
        let mut ink = Ink::new(seed);
        let world = generate::world(&mut ink);
        Self {
            seed,
            built: build::build(&world),
            world,
            ink,
        }
    }
}

/// The changed world, with the expected report.
struct Pair {
    after: World,
    mutations: Vec<Mutation>,
    answer: Answer,
}

#[derive(Default)]
struct Counts {
    verified: BTreeMap<&'static str, usize>,
    skipped: BTreeMap<&'static str, usize>,
    same: usize,
    pairs: usize,
}

/// The pair of a seed. Combinations that the rules leave open are drawn again.
fn pair(start: &Start, seed: u64, counts: &mut Counts) -> Option<Pair> {
    let mut ink = start.ink.branch(seed);
    for _ in 0..8 {
        let mutations = mutations(&start.world, &mut ink);
        let mut after = start.world.clone();
        for mutation in &mutations {
            (mutation.apply)(&mut after);
        }
        match oracle::answer(&start.world, &after, &mutations) {
            Ok(answer) => {
                return Some(Pair {
                    after,
                    mutations,
                    answer,
                });
            }
            Err(why) => *counts.skipped.entry(why).or_default() += 1,
        }
    }
    None
}

/// One to three mutations of different things.
fn mutations(world: &World, ink: &mut Ink) -> Vec<Mutation> {
    let wanted = ink.of(&[1, 1, 1, 2, 2, 3]);
    let mut out: Vec<Mutation> = Vec::new();
    for _ in 0..60 {
        if out.len() == wanted {
            break;
        }
        let (kind, make) = ink.of(mutators::KINDS);
        let Some(mut mutation) = make(world, ink) else {
            continue;
        };
        let moves = |m: &Mutation| matches!(m.effect, Effect::Moved(_));
        let known = |t: &String| out.iter().any(|m| m.touches.contains(t));
        if mutation.touches.iter().any(known) || (moves(&mutation) && out.iter().any(moves)) {
            continue;
        }
        mutation.kind = kind;
        out.push(mutation);
    }
    out
}

/// The errors of the pair of a seed.
fn check(start: &Start, seed: u64, counts: &mut Counts) -> Option<String> {
    let pair = pair(start, seed, counts)?;
    counts.pairs += 1;
    counts.same += usize::from(pair.answer.breaks.is_empty());
    for mutation in &pair.mutations {
        *counts.verified.entry(mutation.kind).or_default() += 1;
    }
    let (wrong, shown) = match (&start.built, build::build(&pair.after)) {
        (Ok(a), Ok(b)) => {
            let diff = diff(a, &b);
            let mut wrong = verify::verify((a, &b), &diff, &pair.answer, &pair.mutations);
            let (before, after) = ((&start.world, a), (&pair.after, &b));
            wrong.extend(drift::verify(before, after, &pair.mutations));
            (wrong, shown(&start.world, [a, &b], &diff))
        }
        (Err(why), _) => (vec![why.clone()], String::new()),
        (_, Err(why)) => (vec![why], String::new()),
    };
    if wrong.is_empty() {
        return None;
    }
    let mut out = format!("seed {seed}: PROMPTC_SEED={seed} cargo test --test it mutations\n");
    for mutation in &pair.mutations {
        writeln!(out, "  {}: {}", mutation.kind, mutation.says).unwrap();
    }
    for wrong in wrong {
        writeln!(out, "  WRONG {wrong}").unwrap();
    }
    Some(out + &shown)
}

/// The output for debugging one pair; none if many are checked.
fn shown(world: &World, [a, b]: [&Prompt; 2], diff: &Diff) -> String {
    match one() {
        None => String::new(),
        Some(_) => format!(
            "{}\nA:\n{}\nB:\n{}\n{}\n",
            kdl::manifest(world),
            build::texts(a),
            build::texts(b),
            serde_json::to_string_pretty(diff).unwrap()
        ),
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// The only seed, if one is asked for.
fn one() -> Option<u64> {
    number("PROMPTC_SEED")
}

/// Checks a share of the pairs.
fn run(share: u64) {
    let pairs = number("PROMPTC_PAIRS").unwrap_or(2_000);
    let from = number("PROMPTC_FROM").unwrap_or(0);
    let seeds = match one() {
        Some(seed) => seed..seed + 1,
        None => from..from + pairs,
    };
    let mut counts = Counts::default();
    let (mut start, mut wrong) = (None::<Start>, Vec::new());
    let mut seen = 0;
    for seed in seeds.filter(|s| s / BRANCHES % SHARES == share) {
        let world = seed / BRANCHES;
        let start = match start.take().filter(|s| s.seed == world) {
            Some(known) => start.insert(known),
            None => start.insert(Start::new(world)),
        };
        wrong.extend(check(start, seed, &mut counts));
        seen += 1;
    }
    println!(
        "{} pairs, {} without a break; judged {:#?}, skipped {:#?}",
        counts.pairs, counts.same, counts.verified, counts.skipped
    );
    let shown = wrong.iter().take(25).cloned().collect::<String>();
    assert!(
        wrong.is_empty(),
        "{} of {} pairs:\n{shown}",
        wrong.len(),
        counts.pairs
    );
    if seen >= 500 {
        for (kind, _) in mutators::KINDS {
            assert!(
                counts.verified.contains_key(kind),
                "no pair of kind `{kind}`"
            );
        }
        assert!(counts.pairs * 10 > seen * 9, "too many are skipped");
    }
}

#[test]
fn first_share() {
    run(0);
}

#[test]
fn second_share() {
    run(1);
}

#[test]
fn third_share() {
    run(2);
}

#[test]
fn fourth_share() {
    run(3);
}
