//! Drawn pairs: what the program says against what has to be said.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::generate::{Conversation, conversation};
use crate::maker::Line;
use crate::program::{Said, said};
use crate::want::{Answer, Cause, Want};

/// The possible errors of a pair.
pub(crate) type Wrong = (&'static str, String);

#[expect(clippy::disallowed_methods, reason = "the settings of a test")]
pub(crate) fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// The lines of some conversations in the order of their time: conversation and line.
pub(crate) fn order(all: &[Conversation]) -> Vec<(usize, usize)> {
    let mut out: Vec<(usize, usize)> = all
        .iter()
        .enumerate()
        .flat_map(|(c, v)| (0..v.lines.len()).map(move |l| (c, l)))
        .collect();
    out.sort_by_key(|(c, l)| (all[*c].lines[*l].time, *c, *l));
    out
}

/// The input of the program, and for each conversation the numbers of its requests there.
pub(crate) fn input(all: &[Conversation], order: &[(usize, usize)]) -> (String, Vec<Vec<usize>>) {
    let mut numbers: Vec<Vec<usize>> = all.iter().map(|c| vec![0; c.lines.len()]).collect();
    let mut text = String::new();
    for (n, (c, l)) in order.iter().enumerate() {
        numbers[*c][*l] = n + 1;
        text += &all[*c].lines[*l].json;
        text.push('\n');
    }
    (text, numbers)
}

fn has(c: &Value, w: &Cause) -> bool {
    c["kind"] == w.kind && w.at.iter().any(|at| c["at"] == at.as_str())
}

/// The errors in the causes of a pair.
fn causes(said: &[Value], want: &Answer, wrong: &mut Vec<Wrong>) {
    if want.causes.is_empty() && !said.is_empty() {
        wrong.push(("a control has a cause", format!("{said:?}")));
        return;
    }
    let mut used = vec![false; said.len()];
    for w in &want.causes {
        let hit = (0..said.len()).find(|i| !used[*i] && has(&said[*i], w));
        let Some(i) = hit else {
            wrong.push(("a cause is missing", format!("{} at {:?}", w.kind, w.at)));
            continue;
        };
        used[i] = true;
        let c = &said[i];
        for (key, n) in [("line", w.line), ("block", w.block), ("count", w.count)] {
            if n.is_some_and(|n| c[key].as_u64() != Some(n as u64)) {
                wrong.push((
                    "a line, block or count",
                    format!("{} of {} is {}, not {n:?}", key, w.kind, c[key]),
                ));
            }
        }
        if !w.path.is_empty() && !w.path.iter().any(|p| c["path"] == p.as_str()) {
            wrong.push((
                "a path",
                format!("{} is not one of {:?}", c["path"], w.path),
            ));
        }
    }
    for (c, _) in said.iter().zip(&used).filter(|(_, u)| !**u) {
        wrong.push(("a named cause did not change", format!("{c}")));
    }
    let placed = |c: &&Value| c["kind"] != "breakpoint-removed";
    let least = want.causes.iter().find_map(|w| w.rank);
    if let Some(least) = least {
        let first = said.iter().find(placed);
        let leads = want
            .causes
            .iter()
            .filter(|w| w.rank == Some(least) && w.leads);
        if !leads.clone().any(|w| first.is_some_and(|c| has(c, w))) {
            let names: Vec<_> = leads.map(|w| (w.kind, &w.at)).collect();
            wrong.push((
                "the first cause",
                format!("{first:?} is not one of {names:?}"),
            ));
        }
    }
    let ranks: Vec<usize> = said
        .iter()
        .filter(placed)
        .filter_map(|c| want.causes.iter().find(|w| has(c, w)).and_then(|w| w.rank))
        .collect();
    if !ranks.is_sorted() {
        wrong.push(("the order of the causes", format!("{ranks:?}")));
    }
}

/// The errors in the state and the first place.
fn verdict(v: &Value, want: &Answer, wrong: &mut Vec<Wrong>) {
    let state = v["state"].as_str().unwrap_or("");
    if !want.state.contains(&state) {
        wrong.push((
            "the state",
            format!("{state} is not one of {:?}", want.state),
        ));
    }
    if !want.first.is_empty() && !want.first.iter().any(|f| v["first"] == f.as_str()) {
        wrong.push((
            "the place `first`",
            format!("{} is not one of {:?}", v["first"], want.first),
        ));
    }
    if want.causes.is_empty() && !v["first"].is_null() {
        wrong.push((
            "the place `first`",
            format!("{} without a cause", v["first"]),
        ));
    }
}

/// The errors in the reused part.
fn reused(said: &Value, want: &Answer, wrong: &mut Vec<Wrong>) {
    if !want.segments.is_empty()
        && !want
            .segments
            .iter()
            .any(|n| said["segments"].as_u64() == Some(*n as u64))
    {
        wrong.push((
            "reused segments",
            format!("{said} is not one of {:?}", want.segments),
        ));
    }
    let (bytes, of) = (said["bytes"].as_u64(), said["of"].as_u64());
    let unchanged = want.causes.is_empty() && want.after == 0;
    if bytes > of || of.is_none() || unchanged && bytes != of {
        wrong.push(("reused bytes", format!("{said}")));
    }
}

/// The errors in the report about a request.
pub(crate) fn check(line: &Line, numbers: &[usize], v: Option<&Value>) -> Vec<Wrong> {
    let mut wrong = Vec::new();
    let Some(v) = v else {
        return vec![("a request is not listed", String::new())];
    };
    if v["api"] != line.api.name() {
        wrong.push((
            "the API",
            format!("{} is not {}", v["api"], line.api.name()),
        ));
    }
    let state = v["state"].as_str().unwrap_or("");
    match &line.want {
        Want::First => {
            if state != "first" {
                wrong.push((
                    "a chain is missing",
                    format!("state {state}, after {}", v["a"]),
                ));
            }
        }
        Want::Incomplete => {
            if state != "incomplete" || !v["reason"].is_string() {
                wrong.push(("an incomplete request", format!("state {state}")));
            }
        }
        Want::Failed => {
            if state != "failed" || v["causes"].as_array().is_some_and(|c| !c.is_empty()) {
                let words = format!("state {state}, {}", v["causes"]);
                wrong.push(("a request that failed", words));
            }
        }
        Want::After(a, ..) if v["a"].as_u64() != Some(numbers[*a] as u64) => {
            return vec![(
                "another request before it",
                format!("{} ({state}), not {}", v["a"], numbers[*a]),
            )];
        }
        Want::After(_, answer, gap) => {
            causes(
                v["causes"].as_array().map_or(&[], |a| a),
                answer,
                &mut wrong,
            );
            verdict(v, answer, &mut wrong);
            if let Some(gap) = gap
                && !v["gap"]
                    .as_f64()
                    .is_some_and(|g| (g * 1000.0 - *gap as f64).abs() < 1.5)
            {
                wrong.push(("the gap", format!("{} is not {gap} ms", v["gap"])));
            }
            reused(&v["reused"], answer, &mut wrong);
        }
    }
    wrong
}

/// The secrets in a text, with the seeds of their conversations. Secrets of one kind begin alike, so that the text is searched once for
/// each kind.
fn written(all: &[Conversation], text: &str) -> Vec<(u64, String)> {
    const HEAD: usize = 7;
    let mut kinds: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
    let mut lengths: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for c in all {
        for secret in &c.secrets {
            let head = &secret[..HEAD];
            kinds.entry(head).or_default().insert(secret, c.seed);
            lengths.entry(head).or_default().insert(secret.len());
        }
    }
    let mut found = Vec::new();
    for (head, secrets) in kinds {
        for (at, _) in text.match_indices(head) {
            let candidates = lengths[head].iter().filter_map(|n| text.get(at..at + n));
            let known = candidates.filter_map(|secret| Some((*secrets.get(secret)?, secret)));
            found.extend(known.map(|(seed, secret)| (seed, secret.to_owned())));
        }
    }
    found
}

/// The errors in conversations and chains as wholes, with the seed.
pub(crate) fn groups(
    all: &[Conversation],
    order: &[(usize, usize)],
    said: &Said,
) -> Vec<(u64, Wrong)> {
    let mut out = Vec::new();
    for (key, of) in [("conversation", 0), ("chain", 1)] {
        let mut by_name: BTreeMap<String, (String, u64)> = BTreeMap::new();
        let mut by_said: BTreeMap<String, (String, u64)> = BTreeMap::new();
        for (n, (c, l)) in order.iter().enumerate() {
            let line = &all[*c].lines[*l];
            let Some(v) = said
                .of(n + 1)
                .filter(|_| !matches!(line.want, Want::Incomplete | Want::Failed))
            else {
                continue;
            };
            let name = match (&line.conversation, of) {
                (Some(name), 0) => name.clone(),
                (None, 0) => continue,
                _ => format!("{c}/{}", line.chain),
            };
            let (seed, value) = (all[*c].seed, v[key].to_string());
            let had = by_name
                .entry(name.clone())
                .or_insert_with(|| (value.clone(), seed))
                .clone();
            let other = by_said
                .entry(value.clone())
                .or_insert_with(|| (name.clone(), seed))
                .clone();
            if had.0 != value || value == "null" {
                out.push((
                    seed,
                    (
                        "a conversation or chain fell apart",
                        format!("{key} {value} and {}", had.0),
                    ),
                ));
            } else if other.0 != name {
                out.push((
                    seed,
                    (
                        "conversations or chains became one",
                        format!("{key} {value}, with seed {}", other.1),
                    ),
                ));
            }
        }
    }
    out
}

/// Shows a request and the one before it; without a line all of a conversation.
fn show(c: &Conversation, numbers: &[usize], said: &Said, only: Option<usize>) {
    let before = only.and_then(|l| {
        if let Want::After(a, ..) = c.lines[l].want {
            Some(a)
        } else {
            l.checked_sub(1)
        }
    });
    for (l, line) in c
        .lines
        .iter()
        .enumerate()
        .filter(|(l, _)| only.is_none() || only == Some(*l) || before == Some(*l))
    {
        println!(
            "--- request {} of seed {}: changed {:?}\n{}",
            numbers[l], c.seed, line.mutations, line.json
        );
        println!(
            "wanted: {:?}\nsaid:   {}",
            line.want,
            said.of(numbers[l]).unwrap_or(&Value::Null)
        );
    }
}

/// Conversations from a seed on until there are enough pairs, and how many there are; or that of the one seed that is wanted.
fn drawn(from: u64, one: Option<u64>) -> (Vec<Conversation>, usize) {
    let pairs = setting("PROMPTC_PAIRS").unwrap_or(500) as usize;
    let mut all = Vec::new();
    let mut count = 0;
    let mut seed = one.unwrap_or(from);
    while count < pairs {
        let c = conversation(seed);
        count += c
            .lines
            .iter()
            .filter(|l| matches!(l.want, Want::After(..)))
            .count();
        all.push(c);
        seed += 1;
        if one.is_some() {
            break;
        }
    }
    (all, count)
}

/// How often each kind of cause is wanted.
fn kinds(all: &[Conversation]) -> BTreeMap<&'static str, usize> {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for l in all.iter().flat_map(|c| &c.lines) {
        match &l.want {
            Want::First => *kinds.entry("(first)").or_default() += 1,
            Want::Incomplete => *kinds.entry("(incomplete)").or_default() += 1,
            Want::Failed => *kinds.entry("(failed)").or_default() += 1,
            Want::After(_, a, _) if a.causes.is_empty() && a.after > 0 => {
                *kinds.entry("(after the last breakpoint)").or_default() += 1
            }
            Want::After(_, a, _) if a.causes.is_empty() => {
                *kinds.entry("(no cause)").or_default() += 1
            }
            Want::After(_, a, _) => a
                .causes
                .iter()
                .for_each(|c| *kinds.entry(c.kind).or_default() += 1),
        }
    }
    kinds
}

/// The errors, by class: the seed, the number of the request if there is one, and the words.
type Classes = BTreeMap<&'static str, Vec<(u64, usize, String)>>;

/// All errors, and the number of pairs whose first cause is wrong.
fn verified(
    all: &[Conversation],
    order: &[(usize, usize)],
    numbers: &[Vec<usize>],
    said: &Said,
) -> (Classes, usize) {
    let mut classes = Classes::new();
    let mut wrong_first = 0;
    for (c, l) in order {
        let n = numbers[*c][*l];
        let wrong = check(&all[*c].lines[*l], &numbers[*c], said.of(n));
        wrong_first += usize::from(wrong.iter().any(|(class, _)| !DETAILS.contains(class)));
        for (class, words) in wrong {
            classes
                .entry(class)
                .or_default()
                .push((all[*c].seed, n, words));
        }
    }
    for (seed, (class, words)) in groups(all, order, said) {
        classes.entry(class).or_default().push((seed, 0, words));
    }
    for (seed, secret) in written(all, &said.written) {
        let class = classes.entry("a secret is written").or_default();
        class.push((seed, 0, secret));
    }
    (classes, wrong_first)
}

/// Shows some of each class, and the worst request or all of the one conversation that is wanted.
fn report(
    classes: &Classes,
    all: &[Conversation],
    numbers: &[Vec<usize>],
    said: &Said,
    one: Option<u64>,
) {
    let shown = setting("PROMPTC_SHOWN").unwrap_or(5) as usize;
    for (class, found) in classes {
        println!("{class}: {}", found.len());
        for (seed, n, words) in found.iter().take(shown) {
            println!("    seed {seed}, request {n}: {words}");
        }
    }
    let worst = classes
        .values()
        .flatten()
        .map(|(seed, n, _)| (*seed, *n))
        .min();
    if let Some(c) = all
        .iter()
        .position(|c| Some(c.seed) == one.or(worst.map(|w| w.0)))
    {
        let line = worst.and_then(|(_, n)| numbers[c].iter().position(|m| *m == n));
        show(&all[c], &numbers[c], said, line.filter(|_| one.is_none()));
    }
}

#[test]
fn five_thousand_pairs() {
    let from = setting("PROMPTC_FROM").unwrap_or(0);
    let one = setting("PROMPTC_SEED");
    let (all, count) = drawn(from, one);
    let redrawn: usize = all.iter().map(|c| c.redrawn.len()).sum();
    let mut why: BTreeMap<&str, usize> = BTreeMap::new();
    for w in all.iter().flat_map(|c| &c.redrawn) {
        *why.entry(w).or_default() += 1;
    }
    println!(
        "{count} pairs of {} conversations from seed {from}; drawn again {redrawn}: {why:?}",
        all.len()
    );
    println!("wanted: {:?}", kinds(&all));
    assert!(
        one.is_some() || redrawn * 20 <= count,
        "too many pairs were drawn again"
    );

    let order = order(&all);
    let (text, numbers) = input(&all, &order);
    let said = said(&text);
    let (classes, wrong_first) = verified(&all, &order, &numbers, &said);
    report(&classes, &all, &numbers, &said, one);
    for never in [
        "a control has a cause",
        "a named cause did not change",
        "a secret is written",
    ] {
        assert!(!classes.contains_key(never), "{never}");
    }
    assert!(
        wrong_first * 100 <= count,
        "{wrong_first} of {count} pairs have a wrong first cause"
    );
    let wrong: usize = classes.values().map(Vec::len).sum();
    assert!(
        wrong * 100 <= count,
        "{wrong} answers are wrong: PROMPTC_SEED=N shows one"
    );
}

/// Classes that leave the first cause right.
const DETAILS: &[&str] = &[
    "a line, block or count",
    "a path",
    "the place `first`",
    "the gap",
    "reused segments",
    "reused bytes",
    "a cause is missing",
    "the order of the causes",
];
