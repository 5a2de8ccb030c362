//! The truth against itself: none of it needs the command.

use std::collections::BTreeMap;

use crate::cache::{BLOCK, Cache, Fault};
use crate::money::{dollars, price_of};
use crate::parts::{Api, Kind, Marks, Message, Part, Request, Ttl};
use crate::program::{Row, Rows};
use crate::traffic::{Billed, Mode, days};
use crate::verify::{FULL, Log, PLAIN, Wrong, logs, misplaced};

fn part(kind: Kind, id: u64, tokens: u64) -> Part {
    Part {
        kind,
        id,
        text: format!("{id}"),
        tokens,
        picture: None,
    }
}

fn request(model: &'static str, system: u64, messages: &[u64], marks: Marks) -> Request {
    let message = |(n, tokens): (usize, &u64)| Message {
        user: n % 2 == 0,
        parts: vec![part(Kind::Text, 100 + n as u64, *tokens)],
    };
    Request {
        api: if model.starts_with("gpt") {
            Api::Chat
        } else {
            Api::Anthropic
        },
        model,
        settings: [0; 3],
        key: 0,
        tools: Vec::new(),
        system: vec![part(Kind::System, 1, system)],
        messages: messages.iter().enumerate().map(message).collect(),
        marks,
    }
}

const LAST: Marks = Marks {
    tools: None,
    system: None,
    last: Some(Ttl::Minutes),
    back: 0,
};
const BOTH: Marks = Marks {
    tools: None,
    system: Some(Ttl::Hour),
    last: Some(Ttl::Minutes),
    back: 0,
};

#[test]
fn a_cache_of_marks() {
    let opus = "claude-opus-5-5";
    let take = |c: &mut Cache, r: &Request, at| c.take(r, at, Fault::None).0;
    let mut c = Cache::default();
    let (a, b) = (
        request(opus, 800, &[100], BOTH),
        request(opus, 800, &[100, 50, 60], BOTH),
    );
    assert_eq!(take(&mut c, &a, 0), [0, 0, 100, 800, 0]);
    assert_eq!(
        take(&mut c, &b, 300),
        [0, 900, 110, 0, 0],
        "300 seconds are not over"
    );
    assert_eq!(
        take(&mut c, &b, 601),
        [0, 800, 210, 0, 0],
        "only the hour lives"
    );
    assert_eq!(
        take(&mut c, &b, 4201),
        [0, 800, 210, 0, 0],
        "a read refreshes"
    );
    assert_eq!(take(&mut c, &b, 7802), [0, 0, 210, 800, 0], "no hour lives");
    let other = request("claude-sonnet-5-5", 800, &[100], BOTH);
    assert_eq!(
        take(&mut c, &other, 7803),
        [0, 0, 100, 800, 0],
        "another model"
    );
    assert_eq!(c.take(&b, 7804, Fault::Evicted).0, [0, 800, 210, 0, 0]);
    assert_eq!(c.take(&b, 7805, Fault::Elsewhere).0, [0, 0, 210, 800, 0]);

    let mut c = Cache::default();
    let short = request(opus, 300, &[100], BOTH);
    assert_eq!(
        take(&mut c, &short, 0),
        [400, 0, 0, 0, 0],
        "below the minimum"
    );
    let more = request(opus, 300, &[100, 100, 100], BOTH);
    assert_eq!(
        take(&mut c, &more, 1),
        [0, 0, 600, 0, 0],
        "one mark is too near"
    );

    let mut c = Cache::default();
    take(&mut c, &request(opus, 800, &[100], LAST), 0);
    let near = request(opus, 800, &[100; 21], LAST);
    let far = request(opus, 800, &[100; 22], LAST);
    assert_eq!(take(&mut c, &far, 1)[1], 0, "21 positions are too far");
    let mut c = Cache::default();
    take(&mut c, &request(opus, 800, &[100], LAST), 0);
    assert_eq!(take(&mut c, &near, 1)[1], 900, "20 are not");
}

#[test]
fn a_cache_of_blocks() {
    let take = |c: &mut Cache, m, system, messages: &[u64]| {
        c.take(&request(m, system, messages, LAST), 0, Fault::None)
            .0
    };
    let mut c = Cache::default();
    assert_eq!(take(&mut c, "gpt-5.5", 2000, &[100]), [2100, 0, 0, 0, 0]);
    assert_eq!(
        take(&mut c, "gpt-5.5", 2000, &[100, 300]),
        [352, 2048, 0, 0, 0]
    );
    assert_eq!(take(&mut c, "gpt-4.1", 2000, &[100]), [2100, 0, 0, 0, 0]);
    let mut c = Cache::default();
    take(&mut c, "gpt-5.5", 900, &[100]);
    assert_eq!(
        take(&mut c, "gpt-5.5", 900, &[100, 300])[1],
        0,
        "1000 are below the minimum"
    );
    assert_eq!(take(&mut c, "gpt-5.5", 900, &[100, 300])[1], 1280);
}

fn modes() -> Vec<(Mode, Vec<Billed>)> {
    let all = [(false, false), (true, false), (true, true)];
    let of = |(full, noise)| Mode {
        full,
        noise,
        class: None,
    };
    logs()
        .iter()
        .flat_map(|s| all.map(|m| (of(m), days(s, of(m)))))
        .collect()
}

/// Causes are all that was billed, and cost what it costs.
#[test]
fn causes_add_up() {
    let mut wrong = Wrong::default();
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let mut changes: BTreeMap<&str, u64> = BTreeMap::new();
    for (mode, all) in modes() {
        for (n, b) in all.iter().enumerate() {
            *changes.entry(b.event.change).or_default() += 1;
            let whole: u64 = b.event.request.ends().last().map_or(0, |e| e.tokens);
            let price = price_of(&b.event.request);
            let costs: i128 = (0..5)
                .map(|k| i128::from(b.bill.0[k]) * price.token(k))
                .sum();
            for causes in [&b.causes, &b.estimate] {
                let mut sum = Row::default();
                causes.values().for_each(|r| sum.add(r));
                let fine =
                    sum.tokens[..5] == b.bill.0 && sum.billed == costs && sum.input() == whole;
                wrong.check(
                    fine,
                    format!("{mode:?} #{n}: {causes:?} are not {:?}", b.bill),
                );
            }
            for (cause, row) in &b.causes {
                *counts.entry(cause).or_default() += row.input();
                wrong.check(
                    row.avoidable <= row.billed && row.avoidable >= 0,
                    format!("{mode:?} #{n}: {row:?}"),
                );
            }
            let read = b.bill.read();
            let blocks = !b.event.request.api.marked();
            wrong.check(
                !blocks || read % BLOCK == 0,
                format!("{mode:?} #{n}: half a block"),
            );
            wrong.check(
                read == 0 || read >= price.minimum,
                format!("{mode:?} #{n}: {read} read"),
            );
            if !mode.noise {
                wrong.check(
                    read == b.rule,
                    format!("{mode:?} #{n}: the rule is not kept"),
                );
                let lost = b.causes.get("evicted");
                wrong.check(lost.is_none(), format!("{mode:?} #{n}: evicted {lost:?}"));
            }
            if !mode.full {
                wrong.check(
                    b.causes == b.estimate,
                    format!(
                        "{mode:?} #{n}: {:?} is estimated as {:?}",
                        b.causes, b.estimate
                    ),
                );
            }
        }
    }
    println!("tokens by cause {counts:?}, requests by change {changes:?}");
    let causes = [
        "reused",
        "new",
        "cold",
        "expired",
        "below-minimum",
        "no-breakpoint",
        "changed",
        "rewritten",
        "evicted",
    ];
    wrong.check(
        causes.iter().all(|c| counts.contains_key(c)),
        "a cause is never drawn",
    );
    wrong.end();
}

/// A program that knows only the bytes of a part can say it as well as it has to.
#[test]
fn bytes_are_enough() {
    let (mut want, mut said) = (Rows::new(), Rows::new());
    let (mut want_all, mut said_all) = (Rows::new(), Rows::new());
    for (_, all) in modes().iter().filter(|(m, _)| m.full && !m.noise) {
        for b in all {
            for (causes, rows, sums) in [
                (&b.causes, &mut want, &mut want_all),
                (&b.estimate, &mut said, &mut said_all),
            ] {
                for (cause, row) in causes {
                    let key = vec![b.event.conversation.clone(), (*cause).to_owned()];
                    rows.entry(key).or_default().add(row);
                    sums.entry(vec![(*cause).to_owned()]).or_default().add(row);
                }
            }
        }
    }
    let (over, under, sum) = misplaced(&want, &said);
    println!(
        "by conversation {over} too much, {under} too little of {} dollars, in hundredths of a percent",
        dollars(sum)
    );
    assert!(over.max(under) <= 400);
    let (over, under, _) = misplaced(&want_all, &said_all);
    println!("by cause {over} and {under}");
    assert!(over.max(under) <= 150);
}

/// Where a prediction has to be estimated by shares in bytes, how often it is off by more than a twentieth.
pub(crate) fn estimates(all: &[&Billed]) -> (u64, u64) {
    let mut known: BTreeMap<u64, (u64, bool)> = BTreeMap::new();
    let (mut estimated, mut off) = (0, 0);
    for b in all {
        let r = &b.event.request;
        let (ends, places) = (r.ends(), r.places());
        let found = ends.iter().rfind(|e| known.contains_key(&e.key));
        let wanted = ends.iter().find(|e| e.tokens == b.rule);
        let hit = if r.api.marked() { wanted } else { found };
        if let Some((tokens, false)) = hit.and_then(|e| known.get(&e.key)) {
            let said = match r.api.marked() {
                true => *tokens,
                false if tokens / BLOCK * BLOCK < r.minimum() => 0,
                false => tokens / BLOCK * BLOCK,
            };
            estimated += 1;
            off += u64::from(said.abs_diff(b.bill.read()) * 20 > b.bill.read().max(said));
        }
        let whole = ends.last().map_or((0, 1), |e| (e.tokens, e.bytes));
        let last = places
            .iter()
            .rfind(|(n, _)| ends[n - 1].tokens >= r.minimum());
        for (n, e) in ends.iter().enumerate() {
            let exact = if r.api.marked() {
                last.is_some_and(|(l, _)| l - 1 == n)
            } else {
                n + 1 == ends.len()
            };
            let share = e.bytes * whole.0 / whole.1;
            let new = (if exact { e.tokens } else { share }, exact);
            let old = known.entry(e.key).or_insert(new);
            if exact {
                *old = new;
            }
        }
    }
    (estimated, off)
}

/// Most estimates are within the twentieth that the page allows, though a token has three to five bytes.
#[test]
fn estimates_hold() {
    let (mut estimated, mut off) = ([0, 0], [0, 0]);
    for (mode, all) in modes().iter().filter(|(m, _)| !m.noise) {
        let marked = |b: &&Billed| b.event.request.api.marked();
        let (marked, blocks): (Vec<_>, Vec<_>) = all.iter().partition(marked);
        for (n, of) in [marked, blocks].iter().enumerate() {
            let (e, o) = estimates(of);
            assert!(mode.full || e == 0, "{mode:?} has estimates");
            estimated[n] += e;
            off[n] += o;
        }
    }
    println!("{off:?} of {estimated:?} estimates are off, with marks and with blocks");
    assert!((0..2).all(|n| off[n] <= 8 + estimated[n] / 3));
}

/// The log has the chains that were drawn: the truth is one of requests after each other.
#[test]
fn chains_match_the_generated_ones() {
    let mut wrong = Wrong::default();
    for (seeds, mode) in logs().iter().flat_map(|s| [(s, PLAIN), (s, FULL)]) {
        let log = Log::new(seeds, mode);
        let mut chains: BTreeMap<&str, (&str, usize)> = BTreeMap::new();
        let mut drawn: BTreeMap<(&str, usize), &str> = BTreeMap::new();
        for (n, (b, (_, chain))) in log.billed.iter().zip(&log.names).enumerate() {
            let mine = (b.event.conversation.as_str(), b.event.chain);
            let said = *chains.entry(chain).or_insert(mine) == mine
                && *drawn.entry(mine).or_insert(chain) == chain;
            wrong.check(
                said,
                format!(
                    "{mode:?} {seeds:?}, request {}: {mine:?} is in {chain}, {}",
                    n + 1,
                    b.event.change
                ),
            );
        }
    }
    wrong.end();
}
