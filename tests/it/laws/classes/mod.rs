//! `changes` is sound: whatever changes more often than a tier may, the tier keeps its bytes.
//!
//! Every fact and every root has a class of its own, and templates are those of a deployment. All that changes more often than
//! some class gets other values, other files, or none; then no tier that was inferred to change at most as often as that class
//! may have another byte, and where no budget is around whole tiers no such layer either.
//!
//! The law is itself tested: the classes are inferred again without one source of change after the other, and each time it
//! has to fail.

pub(super) mod sample;

use super::config;
use promptc::compile::{Plan, Reason, What};
use promptc::prompt::{Changes, Prompt};
use proptest::prelude::{prop_assert_eq, proptest};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use sample::{CLASSES, samples};
use std::collections::BTreeMap;

/// Which reasons of reasons are left out of what is inferred.
type LeftOut = fn(&Reason) -> bool;

/// Every tier, and without budgets of whole tiers every layer, with the highest class of the reasons that are not left out.
fn inferred(plan: &Plan, left_out: LeftOut) -> Vec<(Location<'_>, Changes)> {
    let bounded =
        plan.manifest().budget.is_some() || plan.tiers().any(|tier| tier.written.budget.is_some());
    let mut out = Vec::new();
    let mut before = Changes::Never;
    for tier in plan.tiers() {
        for layer in &tier.layers {
            let ways = layer.why.reasons.iter().filter(|way| !left_out(way));
            let class = ways.map(|way| way.changes).max().unwrap_or(Changes::Never);
            before = before.max(class);
            if !bounded {
                out.push((Location::Layer(&layer.written.name.value), class));
            }
        }
        out.push((Location::Tier(&tier.written.name.value), before));
    }
    out
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Location<'p> {
    Tier(&'p str),
    Layer(&'p str),
}

/// Every tier and layer, and its text; of a layer without what joins it to the one before.
fn texts(prompt: &Prompt) -> BTreeMap<Location<'_>, &str> {
    let mut out = BTreeMap::new();
    for channel in &prompt.channels {
        for tier in &channel.tiers {
            let text = &channel.text[tier.start..tier.end];
            out.insert(Location::Tier(&tier.name), text);
        }
        for layer in &channel.layers {
            let text = channel.text[layer.start..layer.end].trim_start();
            out.insert(Location::Layer(&layer.name), text);
        }
    }
    out
}

/// Of the tiers and layers that may not change where nothing below the class `from` does, the texts before and after.
fn held<'p>(
    plan: &'p Plan,
    from: usize,
    left_out: LeftOut,
    before: &'p Prompt,
    after: &'p Prompt,
) -> Vec<(Location<'p>, &'p str, &'p str)> {
    let bound = Changes::ALL[from];
    assert_eq!(Changes::ALL[from + 1].name(), CLASSES[from]);
    let (before, after) = (texts(before), texts(after));
    let text = |texts: &BTreeMap<_, &'p str>, at| texts.get(&at).copied().unwrap_or("");
    let held = inferred(plan, left_out).into_iter();
    held.filter(|(_, class)| *class <= bound)
        .map(|(at, _)| (at, text(&before, at), text(&after, at)))
        .collect()
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn no_tier_changes_more_often_than_inferred(sample in samples(), from in 0..CLASSES.len()) {
        if let (Ok((plan, before)), Ok((_, after))) = (sample.built(None), sample.built(Some(from))) {
            let of_plan: Vec<Changes> = plan.tiers().map(|tier| tier.inferred).collect();
            let all = inferred(&plan, |_| false).into_iter();
            let tiers = all.filter(|(at, _)| matches!(at, Location::Tier(_)));
            prop_assert_eq!(of_plan, tiers.map(|(_, class)| class).collect::<Vec<_>>());
            for (at, before, after) in held(&plan, from, |_| false, &before, &after) {
                prop_assert_eq!(before, after, "{:?} from {}\n{}", at, CLASSES[from], sample.manifest);
            }
        }
    }
}

/// Samples that do not build, or of which nothing changes or nothing must stay, would prove nothing.
#[test]
fn samples_change_and_have_tiers_that_must_not() {
    let mut runner = TestRunner::deterministic();
    let (mut built, mut telling) = (0, 0);
    let mut errors: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..120 {
        let sample = samples().new_tree(&mut runner).unwrap().current();
        for from in 1..CLASSES.len() {
            match (sample.built(None), sample.built(Some(from))) {
                (Ok((plan, before)), Ok((_, after))) => {
                    built += 1;
                    let held = held(&plan, from, |_| false, &before, &after);
                    let stays = held.iter().any(|(_, text, _)| !text.is_empty());
                    telling += usize::from(stays && texts(&before) != texts(&after));
                }
                (Err(found), _) | (_, Err(found)) => {
                    *errors.entry(found[0].clone()).or_default() += 1;
                }
            }
        }
    }
    assert!(
        built > 240 && telling > 15,
        "{built} built, {telling} telling; {errors:#?}"
    );
}

fn leads_through(way: &Reason, what: What) -> bool {
    way.links.iter().any(|link| link.what == what)
}

/// Whether the links end with these.
fn ends(way: &Reason, last: &[What]) -> bool {
    let links: Vec<What> = way.links.iter().map(|link| link.what).collect();
    links.ends_with(last)
}

/// The sources of change, each with the reasons that are left out without it.
const SOURCES: &[(&str, LeftOut)] = &[
    ("conditions", |way| leads_through(way, What::Condition)),
    ("where", |way| leads_through(way, What::Filter)),
    ("templates", |way| leads_through(way, What::Template)),
    ("included templates", |way| {
        way.links
            .iter()
            .filter(|link| link.what == What::Template)
            .count()
            > 1
    }),
    ("wrap", |way| leads_through(way, What::Wrap)),
    ("wrap of imports", |way| leads_through(way, What::Imports)),
    ("scope and except of scans", |way| {
        leads_through(way, What::Scan)
    }),
    ("placeholders", |way| leads_through(way, What::Placeholder)),
    ("hide", |way| leads_through(way, What::Hide)),
    ("markers", |way| leads_through(way, What::Marker)),
    ("numbers of budgets", |way| leads_through(way, What::Budget)),
    ("numbers around tiers", |way| {
        way.links.len() == 1 && leads_through(way, What::Fact)
    }),
    ("labels", |way| leads_through(way, What::Label)),
    ("facts in sources", |way| {
        ends(way, &[What::Source, What::Fact])
    }),
    ("roots of documents", |way| {
        ends(way, &[What::Source, What::Root])
    }),
    ("roots that others come from", |way| {
        ends(way, &[What::Root, What::Root])
    }),
    ("exists()", |way| leads_through(way, What::Exists)),
    ("loaded()", |way| leads_through(way, What::Loaded)),
    ("lets", |way| leads_through(way, What::Let)),
    ("facts", |way| leads_through(way, What::Fact)),
    ("clocks", |way| {
        way.links
            .iter()
            .any(|link| link.what == What::Fact && link.name.starts_with('c'))
    }),
    ("text of the manifest and its templates", |way| {
        leads_through(way, What::Program)
    }),
];

/// How many samples there are at most to notice that a source was left out.
const MOST_SAMPLES: usize = 6_000;

#[test]
fn the_law_notices_each_source_of_change_that_is_left_out() {
    let mut runner = TestRunner::deterministic();
    let mut unnoticed = SOURCES.to_vec();
    for at in 0..MOST_SAMPLES {
        if unnoticed.is_empty() {
            return;
        }
        let sample = samples().new_tree(&mut runner).unwrap().current();
        let from = at % CLASSES.len();
        if let (Ok((plan, before)), Ok((_, after))) = (sample.built(None), sample.built(Some(from)))
        {
            unnoticed.retain(|(_, left_out)| {
                let held = held(&plan, from, *left_out, &before, &after);
                held.iter().all(|(_, before, after)| before == after)
            });
        }
    }
    let names: Vec<&str> = unnoticed.iter().map(|(name, _)| *name).collect();
    assert!(names.is_empty(), "the law holds without {names:?}");
}
