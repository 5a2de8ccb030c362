//! The program's report about days of traffic, compared with the bill and its reasons.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::class::Class;
use crate::money::{Amount, dollars, output, price, times};
use crate::parts::Api;
use crate::pictures::Predicted;
use crate::program::{Bench, Row, Rows, Said};
use crate::sound::estimates;
use crate::traffic::{Billed, Mode, days};
use crate::truth::Causes;
use crate::wire::day;

pub(crate) const PLAIN: Mode = Mode {
    full: false,
    noise: false,
    class: None,
};
pub(crate) const FULL: Mode = Mode {
    full: true,
    noise: false,
    class: None,
};
const NOISY: Mode = Mode {
    full: true,
    noise: true,
    class: None,
};

#[expect(clippy::disallowed_methods, reason = "the settings of a test")]
pub(crate) fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// The seeds of each log: at most eight days in one.
pub(crate) fn logs() -> Vec<Vec<u64>> {
    let from = setting("PROMPTC_FROM").unwrap_or(0);
    let count = setting("PROMPTC_DAYS").unwrap_or(6);
    let all: Vec<u64> = (from..from + count).collect();
    all.chunks(8).map(<[u64]>::to_vec).collect()
}

/// A log, and what is true of it.
pub(crate) struct Log {
    pub(crate) billed: Vec<Billed>,
    pub(crate) bench: Bench,
    /// The names of conversations and chains in the log, by request.
    pub(crate) names: Vec<(String, String)>,
}

pub(crate) fn input<'a>(billed: impl IntoIterator<Item = &'a Billed>) -> String {
    let mut out = String::new();
    for b in billed {
        for _ in 0..=b.event.more.copies {
            out += &b.line;
            out.push('\n');
        }
    }
    out
}

impl Log {
    pub(crate) fn new(seeds: &[u64], mode: Mode) -> Self {
        let billed = days(seeds, mode);
        let bench = Bench::new(&input(&billed), None);
        Self::of(billed, bench)
    }

    #[expect(clippy::disallowed_methods, reason = "files of a test")]
    pub(crate) fn of(billed: Vec<Billed>, bench: Bench) -> Self {
        let log = std::fs::read_to_string(bench.dir.path().join("log.jsonl")).unwrap();
        let mut names = Vec::new();
        for line in log
            .lines()
            .filter(|l| l.starts_with("{\"kind\":\"request\""))
        {
            let v: Value = serde_json::from_str(line).unwrap();
            let name = |k: &str| v[k].as_str().unwrap_or_default().to_owned();
            names.push((name("conversation"), name("chain")));
        }
        assert_eq!(names.len(), billed.len(), "requests in the log");
        Self {
            billed,
            bench,
            names,
        }
    }

    /// The true rows by day, model, conversation and cause, of which `keys` are kept.
    pub(crate) fn rows(&self, keys: &str, causes: fn(&Billed) -> &Causes) -> Rows {
        let keys: Vec<&str> = keys.split(',').collect();
        let mut out = Rows::new();
        for (b, (conversation, _)) in self.billed.iter().zip(&self.names) {
            let answer = Row {
                requests: 1,
                tokens: [0, 0, 0, 0, 0, b.output],
                billed: output(b.event.request.model)
                    .map_or(0, |p| p * i128::from(b.output) * times(&b.event.request)),
                ..Row::default()
            };
            let mut mine = Rows::new();
            let answer = (b.output > 0).then_some((&"output", &answer));
            for (cause, row) in causes(b).iter().chain(answer) {
                let key = keys.iter().map(|k| match *k {
                    "day" => day(b.event.time),
                    "model" => b.event.request.model.to_owned(),
                    "conversation" => conversation.clone(),
                    _ => (*cause).to_owned(),
                });
                mine.entry(key.collect()).or_default().add(row);
            }
            for (key, mut row) in mine {
                row.requests = 1;
                out.entry(key).or_default().add(&row);
            }
        }
        out
    }
}

/// The errors, of which the first are shown.
#[derive(Default)]
pub(crate) struct Wrong(pub(crate) Vec<String>);

impl Wrong {
    pub(crate) fn differ(&mut self, name: &str, want: &Rows, said: &Rows) {
        let keys: BTreeSet<_> = want.keys().chain(said.keys()).collect();
        for key in keys {
            let none = Row::default();
            let (w, s) = (
                want.get(key).unwrap_or(&none),
                said.get(key).unwrap_or(&none),
            );
            if w != s {
                self.0.push(format!(
                    "{name} {}:\n        wanted {w:?}\n        said   {s:?}",
                    key.join(" ")
                ));
            }
        }
    }

    pub(crate) fn check(&mut self, fine: bool, why: impl Into<String>) {
        if !fine {
            self.0.push(why.into());
        }
    }

    pub(crate) fn end(self) {
        let shown = usize::try_from(setting("PROMPTC_SHOWN").unwrap_or(12)).unwrap_or(12);
        for w in self.0.iter().take(shown) {
            println!("    {w}");
        }
        assert!(self.0.is_empty(), "{} are wrong", self.0.len());
    }
}

fn without_last(rows: &Rows) -> Rows {
    let mut out = Rows::new();
    for (key, row) in rows {
        let sum = out.entry(key[..key.len() - 1].to_vec()).or_default();
        let mut row = row.clone();
        row.requests = 0;
        sum.add(&row);
    }
    out
}

pub(crate) fn no_requests(rows: &Rows) -> Rows {
    let mut out = rows.clone();
    out.values_mut().for_each(|r| r.requests = 0);
    out
}

fn sum(rows: &Rows) -> Row {
    let mut out = Row::default();
    rows.values().for_each(|r| out.add(r));
    out.requests = 0;
    out
}

/// Buckets and dollars by day and model are exact, causes add up to them, and the total is their sum.
#[test]
fn usage_matches_the_simulated_bill() {
    let mut wrong = Wrong::default();
    for (seeds, mode) in logs().iter().flat_map(|s| [(s, PLAIN), (s, NOISY)]) {
        let log = Log::new(seeds, mode);
        let name = format!("{mode:?} of {seeds:?}");
        let said = log.bench.by("day,model");
        let mut want = log.rows("day,model", |b| &b.causes);
        for (key, row) in &mut want {
            // The avoidable amount is checked elsewhere.
            row.avoidable = said.rows.get(key).map_or(0, |r| r.avoidable);
        }
        wrong.differ(&name, &want, &said.rows);
        let by_cause = log.bench.by("day,model,cause");
        wrong.differ(
            &format!("{name}, causes"),
            &no_requests(&said.rows),
            &without_last(&by_cause.rows),
        );
        let total = Row {
            requests: 0,
            ..said.total.clone()
        };
        wrong.check(
            sum(&said.rows) == total,
            format!("{name}: the total is no sum"),
        );
        wrong.check(
            sum(&by_cause.rows) == total,
            format!("{name}: causes are no sum"),
        );
        let count = log.billed.len() as u64;
        for (key, n) in [
            ("requests", count),
            ("refused", 0),
            ("without_usage", 0),
            ("without_price", without_price(&log)),
        ] {
            wrong.check(
                said.doc[key] == n,
                format!("{name}: {key} is {}, not {n}", said.doc[key]),
            );
        }
    }
    wrong.end();
}

/// Requests of a model of which no price of the answer is known.
fn without_price(log: &Log) -> u64 {
    let no = |b: &&Billed| output(b.event.request.model).is_none();
    log.billed.iter().filter(no).count() as u64
}

/// Names that the page leaves open for providers that keep blocks are one: what no block had is new, what is missed is evicted.
pub(crate) fn folded(rows: &Rows, blocks: &BTreeSet<String>) -> Rows {
    let mut out = Rows::new();
    for (key, row) in rows {
        let mut key = key.clone();
        if blocks.contains(&key[0]) {
            let cause = match key[1].as_str() {
                "no-breakpoint" => "new",
                "unknown" => "evicted",
                c => c,
            };
            key[1] = cause.to_owned();
        }
        let mut row = row.clone();
        row.requests = 0;
        out.entry(key).or_default().add(&row);
    }
    out
}

pub(crate) fn blocks(log: &Log) -> BTreeSet<String> {
    let all = log.billed.iter().zip(&log.names);
    let mine = all.filter(|(b, _)| !b.event.request.marked());
    mine.map(|(_, (c, _))| c.clone()).collect()
}

/// Where nothing has to be estimated, each token of a conversation has its cause and its price.
#[test]
fn causes_without_estimates() {
    let mut wrong = Wrong::default();
    for seeds in logs() {
        let log = Log::new(&seeds, PLAIN);
        let said = log.bench.by("conversation,cause");
        let blocks = blocks(&log);
        let want = folded(&log.rows("conversation,cause", |b| &b.causes), &blocks);
        wrong.differ("plain", &want, &folded(&said.rows, &blocks));
    }
    wrong.end();
}

fn number(said: &Said, key: &str) -> u64 {
    said.doc["prediction"][key].as_u64().unwrap_or(u64::MAX)
}

/// A provider that loses nothing does what its rule says: to the token, or to a twentieth where the rule is estimated.
#[test]
fn predictions_without_noise() {
    let mut wrong = Wrong::default();
    for (seeds, mode) in logs().iter().flat_map(|s| [(s, PLAIN), (s, FULL)]) {
        for marked in [true, false] {
            let billed = days(seeds, mode);
            let mine: Vec<_> = billed
                .iter()
                .filter(|b| b.event.request.api.marked() == marked)
                .collect();
            let count = mine.len() as u64;
            let (_, off) = estimates(&mine);
            let said = Bench::new(&input(mine), None).by("cause");
            let [predicted, agree, estimated] =
                ["predicted", "agree", "estimated"].map(|k| number(&said, k));
            let missed = number(&said, "evicted") + number(&said, "shared");
            let name = format!(
                "{mode:?} of {seeds:?}, marks {marked}, {}",
                said.doc["prediction"]
            );
            println!("{name}");
            wrong.check(
                predicted == count,
                format!("{name}: all {count} can be predicted"),
            );
            wrong.check(
                agree + missed == predicted,
                format!("{name}: not all are counted"),
            );
            // Shares in bytes are off by more than a twentieth now and then: about as often as ours are.
            let allowed = if mode.full { 6 + off * 2 } else { 0 };
            wrong.check(
                mode.full || estimated == 0,
                format!("{name}: nothing is to be estimated"),
            );
            wrong.check(
                missed <= allowed,
                format!("{name}: at most {allowed} may disagree"),
            );
        }
    }
    wrong.end();
}

/// With noise, as many tokens are said to be evicted as were, to 2 % of all.
#[test]
fn evictions() {
    let mut wrong = Wrong::default();
    for seeds in logs() {
        let log = Log::new(&seeds, NOISY);
        let said = log.bench.by("model,cause");
        let want = log.rows("model,cause", |b| &b.causes);
        let blocks = |m: &str| m.starts_with("gpt");
        for of_blocks in [false, true] {
            let share = |rows: &Rows| {
                let mine = rows.iter().filter(|(k, _)| blocks(&k[0]) == of_blocks);
                let (mut lost, mut all) = (0, 0);
                for (k, r) in mine {
                    all += r.input();
                    // Of a provider without a time to live it may be unknown why.
                    if k[1] == "evicted" || (of_blocks && k[1] == "unknown") {
                        lost += r.input();
                    }
                }
                lost as f64 / all as f64
            };
            let (w, s) = (share(&want), share(&said.rows));
            println!(
                "{seeds:?}, blocks {of_blocks}: {:.2} % of the tokens were evicted, {:.2} % are said to be",
                w * 100.0,
                s * 100.0
            );
            wrong.check(
                (w - s).abs() <= 0.02,
                format!("{seeds:?}, blocks {of_blocks}: {w:.4} and {s:.4} are evicted"),
            );
        }
    }
    wrong.end();
}

/// The surplus and the deficit of causes, of all avoidable tokens, in hundredths of a percent.
pub(crate) fn misplaced(want: &Rows, said: &Rows) -> (Amount, Amount, Amount) {
    let keys: BTreeSet<_> = want.keys().chain(said.keys()).collect();
    let (mut over, mut under) = (0, 0);
    for key in keys {
        let of = |rows: &Rows| rows.get(key).map_or(0, |r| r.avoidable);
        let more = of(said) - of(want);
        over += more.max(0);
        under += (-more).max(0);
    }
    let all: Amount = want.values().map(|r| r.avoidable).sum();
    (over * 10_000 / all.max(1), under * 10_000 / all.max(1), all)
}

/// The avoidable tokens are assigned to the change that caused them.
pub(crate) fn blamed(mode: Mode, name: &str) {
    let mut wrong = Wrong::default();
    let (mut all, mut said_all) = (Rows::new(), Rows::new());
    for seeds in logs() {
        let log = Log::new(&seeds, mode);
        let blocks = blocks(&log);
        let said = folded(&log.bench.by("conversation,cause").rows, &blocks);
        let want = folded(&log.rows("conversation,cause", |b| &b.causes), &blocks);
        let (over, under, sum) = misplaced(&want, &said);
        println!(
            "{name}, {seeds:?}: {over} too much, {under} too little by conversation, of {} dollars in hundredths of a percent",
            dollars(sum)
        );
        wrong.check(
            over.max(under) <= 500,
            format!("{name}, {seeds:?}: by conversation {over} and {under} are at the wrong cause"),
        );
        for (rows, sums) in [(&want, &mut all), (&said, &mut said_all)] {
            for (k, r) in rows {
                sums.entry(vec![k[1].clone()]).or_default().add(r);
            }
        }
    }
    let (over, under, _) = misplaced(&all, &said_all);
    for (k, r) in &all {
        let s = said_all.get(k).map_or(0, |r| r.avoidable);
        println!(
            "    {}: {} was to be avoided, {} is said",
            k[0],
            dollars(r.avoidable),
            dollars(s)
        );
    }
    wrong.check(
        over.max(under) <= 200,
        format!("{name}: {over} and {under} hundredths of a percent are at the wrong cause"),
    );
    wrong.end();
}

#[test]
fn blame_without_noise() {
    blamed(FULL, "without noise");
}

#[test]
fn blame_with_noise() {
    blamed(NOISY, "with noise");
}

/// Shards of a log, cut by conversation, say together what the log says.
#[test]
#[expect(clippy::disallowed_methods, reason = "files of a test")]
fn shards() {
    let mut wrong = Wrong::default();
    for seeds in logs() {
        let log = Log::new(&seeds, PLAIN);
        let dir = log.bench.dir.path();
        let mut ordinal: BTreeMap<&str, usize> = BTreeMap::new();
        for b in &log.billed {
            let n = ordinal.len();
            ordinal.entry(&b.event.conversation).or_insert(n);
        }
        for by in ["day,model,cause", "model", "conversation,cause"] {
            let mut files = vec!["--add".to_owned()];
            for shard in 0..3 {
                let mine = |b: &&Billed| ordinal[b.event.conversation.as_str()] % 3 == shard;
                let bench = Bench::new(&input(log.billed.iter().filter(mine)), None);
                let (_, text) = bench.raw(&["log.jsonl", "--by", by]);
                let file = format!("shard-{shard}.json");
                std::fs::write(dir.join(&file), text).unwrap();
                files.push(file);
            }
            let args: Vec<&str> = files.iter().map(String::as_str).collect();
            let added = log.bench.usage(&args);
            let whole = log.bench.by(by);
            wrong.differ(&format!("shards {by}"), &whole.rows, &added.rows);
            for key in [
                "by",
                "total",
                "requests",
                "without_usage",
                "refused",
                "without_price",
                "from",
                "to",
                "prediction",
                "changes",
            ] {
                let (w, a) = (&whole.doc[key], &added.doc[key]);
                wrong.check(
                    w == a,
                    format!("shards {by}: {key} of all is {w}, of shards {a}"),
                );
            }
        }
    }
    wrong.end();
}

/// Makes a usage unreadable.
fn spoilt(api: Api, usage: &mut Value, n: usize) {
    let input = match api {
        Api::Anthropic | Api::Responses => "input_tokens",
        Api::Chat => "prompt_tokens",
        Api::Bedrock => "inputTokens",
    };
    let Some(fields) = usage.as_object_mut() else {
        return;
    };
    match api {
        Api::Chat if n.is_multiple_of(2) => {
            usage["prompt_tokens_details"]["cached_tokens"] = Value::from(9_999_999);
        }
        Api::Responses if n.is_multiple_of(2) => {
            usage["input_tokens_details"]["cached_tokens"] = Value::from(9_999_999);
        }
        _ => {
            fields.remove(input);
        }
    }
}

/// Records that cannot be right are refused, and all else is as if they had no usage.
#[test]
fn refused() {
    let mut wrong = Wrong::default();
    for seeds in logs() {
        let billed = days(&seeds, FULL);
        let (mut bad, mut none) = (String::new(), String::new());
        let mut count = 0;
        for (n, b) in billed.iter().enumerate() {
            let mut v: Value = serde_json::from_str(&b.line).unwrap();
            let mut without = v.clone();
            if n % 9 == 4 {
                count += 1;
                spoilt(b.event.request.api, &mut v["response"]["usage"], n);
                if let Some(o) = without["response"].as_object_mut() {
                    o.remove("usage");
                }
            }
            bad += &(v.to_string() + "\n");
            none += &(without.to_string() + "\n");
        }
        let said = Bench::new(&bad, None).by("day,model,cause");
        let want = Bench::new(&none, None).by("day,model,cause");
        wrong.differ("refused", &want.rows, &said.rows);
        wrong.check(
            said.doc["refused"] == count,
            format!("{} are refused, not {count}", said.doc["refused"]),
        );
        wrong.check(
            want.doc["without_usage"] == count,
            format!(
                "{} are without usage, not {count}",
                want.doc["without_usage"]
            ),
        );
        wrong.check(said.doc["without_usage"] == 0, "a refused record is there");
    }
    wrong.end();
}

/// One day for who looks for a failure: its bodies and its truth are written to a folder.
#[test]
#[expect(clippy::disallowed_methods, reason = "files of a test")]
fn one_day() {
    let (Some(seed), Ok(to)) = (setting("PROMPTC_SEED"), std::env::var("PROMPTC_OUT")) else {
        return;
    };
    let to = std::path::Path::new(&to);
    let of = |class| Mode {
        class: Some(class),
        ..FULL
    };
    for (mode, name) in [
        (PLAIN, "plain"),
        (FULL, "full"),
        (NOISY, "noisy"),
        (of(Class::Images), "images"),
        (of(Class::Unsized), "unsized"),
        (of(Class::LostMarkers), "lost-markers"),
        (
            Mode {
                class: Some(Class::LostMarkers),
                ..PLAIN
            },
            "lost-markers-alone",
        ),
    ] {
        let log = Log::new(&[seed], mode);
        let mut truth = String::new();
        for (n, (b, names)) in log.billed.iter().zip(&log.names).enumerate() {
            let e = &b.event;
            truth += &format!(
                "#{} {} {} {} change {}, rule reads {}{}, billed {:?}, minimum {}\n",
                n + 1,
                names.1,
                day(e.time),
                e.request.model,
                e.change,
                b.rule,
                match b.predicted {
                    Predicted::Yes => "",
                    Predicted::Open => " (open)",
                    Predicted::Not => " (no prediction)",
                },
                b.bill,
                price(e.request.model).minimum,
            );
            for (cause, row) in &b.causes {
                let estimate = b.estimate.get(cause).map_or(0, Row::input);
                truth += &format!(
                    "    {cause}: {:?}, avoidable {}; by bytes {estimate}\n",
                    row.tokens,
                    dollars(row.avoidable)
                );
            }
        }
        std::fs::write(to.join(format!("{name}.jsonl")), input(&log.billed)).unwrap();
        std::fs::write(to.join(format!("{name}.txt")), truth).unwrap();
    }
}
