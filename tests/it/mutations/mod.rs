//! An oracle for diffs: random worlds are mutated, each mutation says what it does, and the diff has to find it out.
//!
//! What a diff must say follows from the mutations alone. Nothing here is shared with the code that is judged; what a world
//! prints is known from a small compiler of its own, which every build is held against too.
//! `PROMPTC_PAIRS` sets how many pairs are judged, `PROMPTC_SEED` picks one of them.

mod ink;
mod world;
mod kdl;
mod print;
mod generate;
mod build;
mod mutation;
mod mutators;
mod oracle;
mod judge;

use ink::Ink;
use mutation::{Effect, Mutation};
use oracle::Answer;
use promptc::diff::diff;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use world::World;

/// Tests that share the pairs, so that they run side by side.
const SHARES: u64 = 4;

/// One pair with what has to be said about it.
struct Pair {
    before: World,
    after: World,
    mutations: Vec<Mutation>,
    answer: Answer,
}

#[derive(Default)]
struct Counts {
    judged: BTreeMap<&'static str, usize>,
    skipped: BTreeMap<&'static str, usize>,
    same: usize,
    pairs: usize,
}

/// The pair of a seed. Combinations that the rules leave open are drawn again.
fn pair(seed: u64, counts: &mut Counts) -> Option<Pair> {
    let mut ink = Ink::new(seed);
    let before = generate::world(&mut ink);
    for _ in 0..8 {
        let mutations = mutations(&before, &mut ink);
        let mut after = before.clone();
        for mutation in &mutations {
            (mutation.apply)(&mut after);
        }
        match oracle::answer(&before, &after, &mutations) {
            Ok(answer) => {
                return Some(Pair {
                    before,
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

/// What is wrong about the pair of a seed.
fn check(seed: u64, counts: &mut Counts) -> Option<String> {
    let pair = pair(seed, counts)?;
    let (a, b) = (build::build(&pair.before), build::build(&pair.after));
    let diff = diff(&a, &b);
    counts.pairs += 1;
    counts.same += usize::from(pair.answer.breaks.is_empty());
    for mutation in &pair.mutations {
        *counts.judged.entry(mutation.kind).or_default() += 1;
    }
    let bb = b.clone(); for x in &pair.answer.breaks { if let Some(g) = x.gap { println!("GAP {seed} {g} {}", if judge::judge(&a, &bb, &diff, &pair.answer).iter().any(|w| w.contains("causes of") || w.contains("also of")) { "bad" } else { "ok" }); } }
    let wrong = judge::judge(&a, &b, &diff, &pair.answer);
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
    if one().is_some() {
        writeln!(out, "{}", kdl::manifest(&pair.before)).unwrap();
        writeln!(out, "A:\n{}\nB:\n{}", build::texts(&a), build::texts(&b)).unwrap();
        writeln!(out, "{}", serde_json::to_string_pretty(&diff).unwrap()).unwrap();
    }
    Some(out)
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// The only seed, if one is asked for.
fn one() -> Option<u64> {
    number("PROMPTC_SEED")
}

/// Judges a share of the pairs.
fn run(share: u64) {
    let pairs = number("PROMPTC_PAIRS").unwrap_or(2_000);
    let seeds: Vec<u64> = match one() {
        Some(seed) => std::iter::once(seed).filter(|s| s % SHARES == share).collect(),
        None => (0..pairs).filter(|s| s % SHARES == share).collect(),
    };
    let mut counts = Counts::default();
    let wrong: Vec<String> = seeds.iter().filter_map(|s| check(*s, &mut counts)).collect();
    println!(
        "{} pairs, {} without a break; judged {:#?}, skipped {:#?}",
        counts.pairs, counts.same, counts.judged, counts.skipped
    );
    let shown = wrong.iter().take(600).cloned().collect::<String>();
    assert!(wrong.is_empty(), "{} of {} pairs:\n{shown}", wrong.len(), counts.pairs);
    if seeds.len() >= 500 {
        for (kind, _) in mutators::KINDS {
            assert!(counts.judged.contains_key(kind), "no pair of kind `{kind}`");
        }
        assert!(counts.pairs * 10 > seeds.len() * 9, "too many are skipped");
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
