//! Days of each class, compared with the bill and its reasons.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::cache::BLOCK;
use crate::class::{Class, Field, Key, Rate};
use crate::forms::Form;
use crate::money::dollars;
use crate::program::{Bench, Row, Rows};
use crate::traffic::{Billed, Mode, days};
use crate::truth::Causes;
use crate::verify::{
    FULL, Log, PLAIN, Wrong, blamed, blocks, folded, input, logs, no_requests, setting,
};
use crate::wire::told;

pub(crate) fn plain(class: Class) -> Mode {
    Mode {
        class: Some(class),
        ..PLAIN
    }
}

pub(crate) fn full(class: Class) -> Mode {
    Mode {
        class: Some(class),
        ..FULL
    }
}

/// What the command says to who reads it.
fn words(bench: &Bench) -> String {
    let said = bench.run(&["usage", "log.jsonl"]);
    String::from_utf8_lossy(&said.stdout).into_owned()
}

/// Buckets and dollars by day and model are exact.
pub(crate) fn bills(log: &Log, name: &str, wrong: &mut Wrong) {
    let said = log.bench.by("day,model");
    let mut want = log.rows("day,model", |b| &b.causes);
    for (key, row) in &mut want {
        row.avoidable = said.rows.get(key).map_or(0, |r| r.avoidable);
    }
    wrong.differ(name, &want, &said.rows);
}

/// Why a request was billed: where a beginning ends that two chains share is a share of bytes.
fn measured(b: &Billed) -> &Causes {
    if b.across { &b.estimate } else { &b.causes }
}

/// The rows of the conversations of which all is known, by conversation and cause, as they are and as they are said.
pub(crate) fn rows(log: &Log, exact: fn(&Billed) -> bool) -> (Rows, Rows) {
    let said = log.bench.by("conversation,cause");
    let blocks = blocks(log);
    let want = folded(&log.rows("conversation,cause", measured), &blocks);
    let mut said = folded(&said.rows, &blocks);
    let mut out = want;
    let inexact: Vec<&String> = log
        .billed
        .iter()
        .zip(&log.names)
        .filter(|(b, _)| !exact(b))
        .map(|(_, (c, _))| c)
        .collect();
    for rows in [&mut out, &mut said] {
        rows.retain(|k, _| !inexact.contains(&&k[0]));
    }
    (out, said)
}

/// Each token of a conversation has its cause and its price.
pub(crate) fn causes(log: &Log, name: &str, exact: fn(&Billed) -> bool, wrong: &mut Wrong) {
    let (mut want, said) = rows(log, exact);
    let named = log.billed.iter().zip(&log.names);
    let shared = named.filter(|(b, _)| b.across).map(|(_, (c, _))| c);
    for conversation in shared.collect::<BTreeSet<_>>() {
        estimated(conversation, &mut want, &said);
    }
    wrong.differ(name, &want, &said);
}

/// Takes what is said of a conversation for what is wanted, where that is the same in tokens to a tenth: where a beginning ends that it shares with
/// another one is a share of bytes.
fn estimated(conversation: &str, want: &mut Rows, said: &Rows) {
    let of = |rows: &Rows| -> Rows {
        let mine = rows.iter().filter(|(k, _)| k[0] == conversation);
        mine.map(|(k, r)| (k.clone(), r.clone())).collect()
    };
    let (mine, theirs) = (of(want), of(said));
    let sum = |rows: &Rows| -> u64 { rows.values().map(Row::input).sum() };
    let all = sum(&mine);
    let keys: BTreeSet<_> = mine.keys().chain(theirs.keys()).collect();
    let is_near = |key: &&Vec<String>| {
        let [a, b] = [&mine, &theirs].map(|rows| rows.get(*key).map_or(0, Row::input));
        // Whether an answer had begun is no place: nothing but the rest of a block may be so on one side alone.
        let of_time = ["concurrent", "unknown"].contains(&key[1].as_str());
        let is_place = !of_time || a.min(b) > 0 || a.max(b) <= BLOCK;
        is_place && a.abs_diff(b) * 10 <= all
    };
    let is_read = |rows: &Rows| rows.values().map(|r| r.tokens[1]).sum::<u64>();
    if all == sum(&theirs) && is_read(&mine) == is_read(&theirs) && keys.iter().all(is_near) {
        want.retain(|k, _| k[0] != conversation);
        want.extend(theirs);
    }
}

/// Requests that follow each other are in one chain of the log, and others are not.
pub(crate) fn chains(log: &Log, name: &str, wrong: &mut Wrong) {
    let mut said: BTreeMap<&str, (&str, usize)> = BTreeMap::new();
    let mut drawn: BTreeMap<(&str, usize), &str> = BTreeMap::new();
    for (n, (b, (_, chain))) in log.billed.iter().zip(&log.names).enumerate() {
        if b.event.more.failed.is_some() {
            continue;
        }
        let mine = (b.event.conversation.as_str(), b.event.chain);
        let fine = *said.entry(chain).or_insert(mine) == mine
            && *drawn.entry(mine).or_insert(chain) == chain;
        wrong.check(
            fine,
            format!("{name}, request {}: {mine:?} is in {chain}", n + 1),
        );
    }
}

fn all(_: &Billed) -> bool {
    true
}

/// No request is lost where all answers have one id, and one with an id of its own that is there again counts once.
#[test]
fn constant_id() {
    let mut wrong = Wrong::default();
    for seeds in logs() {
        let log = Log::new(&seeds, plain(Class::ConstantId));
        bills(&log, "one id", &mut wrong);
        causes(&log, "one id", all, &mut wrong);
        chains(&log, "one id", &mut wrong);
        let log = Log::new(&seeds, full(Class::ConstantId));
        bills(&log, "one id, all changes", &mut wrong);
    }
    wrong.end();
}

/// A log that was recorded in a format.
fn formed(seeds: &[u64], class: Class, form: Form) -> Log {
    let mut billed = days(seeds, plain(class));
    // Each line is another request for a recorder that numbers them itself.
    billed.iter_mut().for_each(|b| b.event.more.copies = 0);
    let text = form.of(&input(&billed));
    let bench = Bench::new(&text, Some(form.name()));
    Log::of(billed, bench)
}

/// The same in the other formats, whose lines have ids of requests (claude-tap) or none.
#[test]
fn constant_id_in_all_formats() {
    let mut wrong = Wrong::default();
    for seeds in logs() {
        for form in Form::ALL {
            let log = formed(&seeds, Class::ConstantId, *form);
            let name = format!("one id in {}", form.name());
            bills(&log, &name, &mut wrong);
            causes(&log, &name, all, &mut wrong);
        }
    }
    wrong.end();
}

/// A request that failed costs nothing, is not the one before, keeps no entry alive, and is shown as failed.
#[test]
fn failed() {
    let mut wrong = Wrong::default();
    for seeds in logs() {
        let log = Log::new(&seeds, plain(Class::Failed));
        bills(&log, "failed", &mut wrong);
        causes(&log, "failed", all, &mut wrong);
        chains(&log, "failed", &mut wrong);
        let count = log.billed.iter().filter(|b| b.event.more.failed.is_some());
        let count = count.count();
        wrong.check(count > 0, "none failed");
        wrong.check(
            words(&log.bench).contains("failed"),
            format!("{count} failed, and it is not said"),
        );
        let log = Log::new(&seeds, full(Class::Failed));
        bills(&log, "failed, all changes", &mut wrong);
    }
    wrong.end();
}

/// The same in the other formats.
#[test]
fn failed_in_all_formats() {
    let mut wrong = Wrong::default();
    for seeds in logs() {
        for form in Form::ALL {
            let log = formed(&seeds, Class::Failed, *form);
            let name = format!("failed in {}", form.name());
            bills(&log, &name, &mut wrong);
            causes(&log, &name, all, &mut wrong);
            chains(&log, &name, &mut wrong);
        }
    }
    wrong.end();
}

/// A key that is new with each request is a cause, and one that all requests share is a name.
#[test]
fn cache_key() {
    let mut wrong = Wrong::default();
    for seeds in logs() {
        let log = Log::new(&seeds, plain(Class::CacheKey));
        bills(&log, "keys", &mut wrong);
        causes(&log, "keys", all, &mut wrong);
        chains(&log, "keys", &mut wrong);
    }
    wrong.end();
}

/// Whether the answer tells the whole input.
fn tells_input(b: &Billed) -> bool {
    let all = !b.event.request.api.marked();
    match b.event.more.missing {
        Some(Field::Read) => false,
        Some(Field::Write) => all,
        _ => true,
    }
}

/// What a usage tells is exact, what it lacks is no reason for anything, and what is partial is said to be.
#[test]
fn missing() {
    let mut wrong = Wrong::default();
    for seeds in logs() {
        let log = Log::new(&seeds, plain(Class::Missing));
        bills(&log, "missing", &mut wrong);
        causes(&log, "missing", tells_input, &mut wrong);
        chains(&log, "missing", &mut wrong);
        let said = log.bench.by("cause");
        // The provider loses nothing here.
        let evicted = said.rows.get(&vec!["evicted".to_owned()]);
        wrong.check(
            evicted.is_none(),
            format!("a field that is missing is evicted: {evicted:?}"),
        );
        let partial = |b: &&Billed| {
            let missing = b.event.more.missing;
            matches!(missing, Some(Field::Output | Field::Reason | Field::Stop))
        };
        let count = log.billed.iter().filter(partial).count() as u64;
        wrong.check(
            said.doc["partial"].as_u64() >= Some(count),
            format!("{} are partial, not {count}", said.doc["partial"]),
        );
        let none = |b: &&Billed| b.event.more.missing == Some(Field::All);
        let none = log.billed.iter().filter(none).count() as u64;
        wrong.check(
            said.doc["without_usage"] == none,
            format!(
                "{} are without a usage, not {none}",
                said.doc["without_usage"]
            ),
        );
        wrong.check(
            said.doc["refused"] == 0,
            format!("{} are refused", said.doc["refused"]),
        );
        wrong.check(
            words(&log.bench).contains("at least"),
            "nothing is said to be at least",
        );
    }
    wrong.end();
}

/// A line that says that a rate is not in the amounts.
fn without(words: &str, rate: Rate) -> bool {
    words.lines().any(|l| {
        let l = l.to_lowercase();
        l.contains("without") && l.contains(rate.word())
    })
}

/// What a request or its answer says of the price is in the amounts, or the answer says that it is not.
#[test]
fn rates() {
    let mut wrong = Wrong::default();
    for seeds in logs() {
        let log = Log::new(&seeds, plain(Class::Rates));
        let words = words(&log.bench);
        let named = log.billed.iter().zip(&log.names);
        let rates: BTreeMap<&String, Rate> = named
            .filter_map(|(b, (c, _))| Some((c, b.event.more.rate?)))
            .collect();
        let (want, said) = rows(&log, all);
        let (mut want, said) = (no_requests(&want), no_requests(&said));
        for (key, row) in &mut want {
            let (Some(rate), Some(s)) = (rates.get(&key[0]), said.get(key)) else {
                continue;
            };
            let times = |n: i128| n * rate.tenths() / 10;
            let applied = Row {
                billed: times(row.billed),
                avoidable: times(row.avoidable),
                ..row.clone()
            };
            let left_out = row == s && without(&words, *rate);
            if !left_out {
                let why = format!(
                    "{} {}: {rate:?} makes {} of {}, said {}",
                    key[0],
                    key[1],
                    dollars(applied.billed),
                    dollars(row.billed),
                    dollars(s.billed)
                );
                wrong.check(applied == *s, why);
            }
            *row = s.clone();
        }
        wrong.differ("rates", &want, &said);
    }
    wrong.end();
}

/// Tokens of agents that start at once have the causes of a chain of their own.
#[test]
fn agents() {
    let mut wrong = Wrong::default();
    for seeds in logs() {
        let log = Log::new(&seeds, plain(Class::Agents));
        causes(&log, "agents", all, &mut wrong);
        met(
            &log,
            &["concurrent", "unknown", "no-breakpoint"],
            &mut wrong,
        );
    }
    wrong.end();
}

/// A request that is sent again at once reads nothing if no answer had begun, and nobody blames the provider where that is not known.
#[test]
fn retries() {
    let mut wrong = Wrong::default();
    for seeds in logs() {
        let log = Log::new(&seeds, plain(Class::Retries));
        bills(&log, "retries", &mut wrong);
        causes(&log, "retries", all, &mut wrong);
        chains(&log, "retries", &mut wrong);
        met(&log, &["concurrent", "unknown", "reused"], &mut wrong);
        let said = log.bench.by("cause");
        for (key, row) in &said.rows {
            // What is never changed and never lost is never avoidable.
            wrong.check(row.avoidable == 0, format!("{} is avoidable", key[0]));
        }
    }
    wrong.end();
}

/// All of these causes are drawn, unless there are few days.
pub(crate) fn met(log: &Log, causes: &[&str], wrong: &mut Wrong) {
    let few = setting("PROMPTC_DAYS").is_some_and(|n| n < 6);
    for cause in causes {
        let is_met = log.billed.iter().any(|b| b.causes.contains_key(cause));
        wrong.check(few || is_met, format!("nothing is {cause}"));
    }
}

/// A request follows the one that it extends, whatever else is open.
#[test]
fn agents_go_on() {
    follows(|b| b.event.after.is_some());
}

/// The first request of an agent edits nothing of another one's.
#[test]
fn agents_begin() {
    follows(|b| b.event.after.is_none());
}

/// Some requests of agents follow what they extend, and nothing is blamed.
fn follows(which: fn(&Billed) -> bool) {
    let mut wrong = Wrong::default();
    for seeds in logs() {
        let log = Log::new(&seeds, plain(Class::Agents));
        let (code, text) = diff(&log.bench);
        let said: Value = match serde_json::from_str(&text) {
            Ok(said) => said,
            Err(e) => panic!("diff: {e}, exit {code:?}\n{text}"),
        };
        let numbers: BTreeMap<usize, usize> = log
            .billed
            .iter()
            .enumerate()
            .map(|(n, b)| (b.event.id, n + 1))
            .collect();
        for (n, b) in log.billed.iter().enumerate() {
            if !which(b) {
                continue;
            }
            let v = &said["comparisons"][n];
            let want = b.event.after.map(|a| numbers[&a] as u64);
            // What a request of another chain has too is no change of that.
            let said = v["a"].as_u64().filter(|_| v["across"] == false);
            let causes = v["causes"].as_array().into_iter().flatten();
            let blamed: Vec<_> = causes
                .filter_map(|c| c["kind"].as_str())
                .filter(|k| !["expired", "concurrent"].contains(k))
                .collect();
            wrong.check(
                said == want && blamed.is_empty(),
                format!(
                    "request {} ({}) is after {want:?}: said {} {blamed:?}",
                    n + 1,
                    b.event.change,
                    v["a"]
                ),
            );
        }
    }
    wrong.end();
}

fn diff(bench: &Bench) -> (Option<i32>, String) {
    let o = bench.run(&["capture", "diff", "log.jsonl", "--format", "json"]);
    (
        o.status.code(),
        String::from_utf8_lossy(&o.stdout).into_owned(),
    )
}

/// A request without a time stands where it was recorded.
#[test]
fn timeless() {
    let mut wrong = Wrong::default();
    for seeds in logs() {
        let log = Log::new(&seeds, plain(Class::Timeless));
        let count = log.billed.iter().filter(|b| b.event.more.timeless).count();
        wrong.check(count > 0, "all have a time");
        causes(&log, "timeless", all, &mut wrong);
        chains(&log, "timeless", &mut wrong);
    }
    wrong.end();
}

/// Whether all is exact where conversations are of all classes.
fn known(b: &Billed) -> bool {
    tells_input(b) && b.event.more.rate.is_none()
}

/// Where anything may change, failed requests and one id of all answers move no blame.
#[test]
fn blame_among_failed() {
    blamed(full(Class::Failed), "among failed ones");
}

#[test]
fn blame_with_one_id() {
    blamed(full(Class::ConstantId), "with one id");
}

/// The kinds of what a request is besides its content.
fn kinds(b: &Billed) -> Vec<String> {
    let m = &b.event.more;
    let all = [
        (m.failed.is_some(), "failed".to_owned()),
        (m.copies > 0, format!("copies, {}", m.ids)),
        (m.constant, format!("one id, {}", m.ids)),
        (m.timeless, "timeless".to_owned()),
        (b.event.change == "twin", "twin".to_owned()),
        (b.event.change == "again", "again".to_owned()),
        (m.begins > 0, format!("begins, told {}", m.tells_begin)),
        (m.missing.is_some(), format!("{:?}", m.missing)),
        (m.rate.is_some(), format!("{:?}", m.rate)),
        (m.marker.is_some(), format!("{:?}", m.marker)),
        (m.key != Key::None, format!("key {}", m.key == Key::Each)),
    ];
    let mine = all.into_iter().filter(|k| k.0);
    mine.map(|k| k.1).collect()
}

/// The truth of all classes against itself: causes are all that an answer tells, and a provider that loses nothing
/// evicts nothing.
#[test]
fn truths_add_up() {
    let mut wrong = Wrong::default();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (seeds, class) in logs().iter().flat_map(|s| CLASSES.map(|c| (s, c))) {
        for b in days(seeds, plain(class)) {
            let mut sum = Row::default();
            b.causes.values().for_each(|r| sum.add(r));
            let billed = b.event.more.failed.is_none() && b.event.more.missing != Some(Field::All);
            let (told, _) = told(&b.event, &b.bill, b.output);
            let fine = !billed || sum.tokens[..5] == told.0;
            let inexact = !tells_input(&b);
            wrong.check(
                fine || inexact,
                format!("{class:?}: {sum:?} is not {told:?}"),
            );
            let evicted = b.causes.contains_key("evicted");
            wrong.check(!evicted || inexact, format!("{class:?}: evicted"));
            for kind in kinds(&b) {
                *seen.entry(kind).or_default() += 1;
            }
        }
    }
    println!("{seen:?}");
    // Few days have not all of them.
    let few = setting("PROMPTC_DAYS").is_some_and(|n| n < 6);
    wrong.check(few || seen.len() == 26, "a kind is never drawn");
    wrong.end();
}

const CLASSES: [Class; 13] = [
    Class::ConstantId,
    Class::Failed,
    Class::CacheKey,
    Class::Missing,
    Class::Rates,
    Class::Agents,
    Class::Retries,
    Class::Timeless,
    Class::Images,
    Class::SmallImages,
    Class::Unsized,
    Class::LostMarkers,
    Class::Any,
];

/// What is billed is known of all classes, whatever the order of requests.
#[test]
fn bills_of_all_classes() {
    let mut wrong = Wrong::default();
    for seeds in logs() {
        for class in [
            Class::Failed,
            Class::CacheKey,
            Class::Missing,
            Class::Agents,
        ] {
            let log = Log::new(&seeds, plain(class));
            bills(&log, &format!("{class:?}"), &mut wrong);
        }
    }
    wrong.end();
}

/// All classes in one log.
#[test]
fn any() {
    let mut wrong = Wrong::default();
    for seeds in logs() {
        let log = Log::new(&seeds, plain(Class::Any));
        causes(&log, "any", known, &mut wrong);
    }
    wrong.end();
}
