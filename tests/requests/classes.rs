//! Conversations of each class: what the program says against what has to be said.
//!
//! `PROMPTC_PAIRS` says how many pairs are drawn (300 if it does not),
//! `PROMPTC_FROM` the first seed, `PROMPTC_SHOWN` how many failures are shown, and `PROMPTC_SEED` shows one
//! conversation.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::class::Class;
use crate::generate::{Conversation, of_class};
use crate::model::{breakpoints, cached};
use crate::pairs::{check, groups, input, order, setting};
use crate::program::said;
use crate::want::Want;

fn drawn(class: Class) -> Vec<Conversation> {
    let pairs = setting("PROMPTC_PAIRS").unwrap_or(300) as usize;
    let one = setting("PROMPTC_SEED");
    let mut seed = one.or(setting("PROMPTC_FROM")).unwrap_or(0);
    let mut out = Vec::new();
    let mut count = 0;
    while count < pairs {
        let c = of_class(seed, class);
        let after = c.lines.iter().filter(|l| matches!(l.want, Want::After(..)));
        count += after.count();
        out.push(c);
        seed += 1;
        if one.is_some() {
            break;
        }
    }
    out
}

/// How many requests there are, and the errors by class, each with its words.
type Found = (usize, BTreeMap<&'static str, Vec<String>>);

/// All that is wrong of the conversations of a class. `only` leaves out what another test looks at, and `whole` is
/// whether conversations and chains are looked at.
fn found(class: Class, only: fn(&Want) -> bool, whole: bool) -> Found {
    let all = drawn(class);
    let order = order(&all);
    let (text, numbers) = input(&all, &order);
    let said = said(&text);
    let mut out: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    for (c, l) in &order {
        let (line, n) = (&all[*c].lines[*l], numbers[*c][*l]);
        let v = said.of(n);
        if !only(&line.want) {
            continue;
        }
        for (kind, words) in check(line, &numbers[*c], v) {
            let words = format!("seed {}, request {n}: {words}", all[*c].seed);
            out.entry(kind).or_default().push(words);
        }
        if setting("PROMPTC_SEED").is_some() {
            let v = v.unwrap_or(&Value::Null);
            println!("{}\nwanted {:?}\nsaid {v}\n", line.json, line.want);
        }
    }
    if whole {
        for (seed, (kind, words)) in groups(&all, &order, &said) {
            let words = format!("seed {seed}: {words}");
            out.entry(kind).or_default().push(words);
        }
    }
    (order.len(), out)
}

fn holds((count, found): Found) {
    let shown = setting("PROMPTC_SHOWN").unwrap_or(5) as usize;
    for (kind, all) in &found {
        println!("{kind}: {}", all.len());
        for words in all.iter().take(shown) {
            println!("    {words}");
        }
    }
    let wrong: usize = found.values().map(Vec::len).sum();
    assert!(
        wrong == 0,
        "{wrong} answers about {count} requests are wrong"
    );
}

fn all(_: &Want) -> bool {
    true
}

/// Requests are not one because their answers have one id.
#[test]
fn constant_id() {
    holds(found(Class::ConstantId, all, true));
}

/// A request that failed is shown as failed.
#[test]
fn failed_is_shown() {
    holds(found(Class::Failed, |w| matches!(w, Want::Failed), false));
}

/// A request that failed is not what the next one is compared with.
#[test]
fn failed_is_not_before() {
    holds(found(Class::Failed, |w| !matches!(w, Want::Failed), true));
}

/// A key that is new with each request is a cause, and the chain goes on.
#[test]
fn cache_key() {
    holds(found(Class::CacheKey, all, true));
}

/// A request follows the one that it extends, whatever else is open. Which chain two requests are in that go on from
/// one is not said.
#[test]
fn agents_go_on() {
    holds(found(Class::Agents, |w| !matches!(w, Want::First), false));
}

/// The first request of an agent edits nothing of another one's.
#[test]
fn agents_begin() {
    holds(found(Class::Agents, |w| matches!(w, Want::First), false));
}

/// A request without a time stands where it was recorded, and no gap is known next to it.
#[test]
fn timeless() {
    holds(found(Class::Timeless, all, true));
}

/// A change after the last breakpoint of the request before is no cause; one before it is.
#[test]
fn after_the_last_breakpoint() {
    holds(found(Class::Marked, all, true));
}

/// Where the last breakpoint of a request is.
fn section(c: &Conversation, a: usize) -> &'static str {
    let line = &c.lines[a];
    let (tools, system) = (line.full.tools.len(), line.full.system.len());
    match cached(line.api, &line.full) {
        usize::MAX => "none",
        end if end <= tools => "tools",
        end if end <= tools + system => "system",
        _ => "messages",
    }
}

/// The drawn requests have changes before, at and after the last breakpoint, wherever it is, and also where there are
/// several.
#[test]
fn changes_are_drawn_around_each_breakpoint() {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for c in drawn(Class::Marked) {
        for line in &c.lines {
            let Want::After(a, answer, _) = &line.want else {
                continue;
            };
            let before = &c.lines[*a];
            let end = cached(before.api, &before.full);
            let mut count = |place: &'static str| {
                *counts.entry((section(&c, *a), place)).or_default() += 1;
                if breakpoints(before.api, &before.full).len() > 1 {
                    *counts.entry(("several", place)).or_default() += 1;
                }
            };
            for cause in answer
                .causes
                .iter()
                .filter(|c| c.rank.is_some_and(|r| r > 0))
            {
                count(if cause.part.0 + 1 == end {
                    "at"
                } else {
                    "before"
                });
            }
            if answer.after > 0 {
                count("after");
            }
        }
    }
    println!("{counts:?}");
    for section in ["tools", "system", "messages", "several"] {
        for place in ["before", "at", "after"] {
            assert!(counts.contains_key(&(section, place)), "{section}, {place}");
        }
    }
    assert!(counts.contains_key(&("none", "before")));
    assert!(!counts.contains_key(&("none", "after")));
}
