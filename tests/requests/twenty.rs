//! Conversations whose truth was written first, from the pages: `twenty/NAME` (see its README).
//!
//! In `truth.json` a number may be `[least, most]`; a key that ends in `_has` has words that the value must have, one that ends in `_re` the words of
//! a pattern of which one must be there.

use crate::program::{run, words};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;

/// Whether a value is what is wanted.
fn fits(want: &Value, said: &Value) -> bool {
    match (want.as_array(), said.as_f64()) {
        (Some(range), Some(said)) => {
            let of = |at: usize| range[at].as_f64().unwrap();
            of(0) <= said && said <= of(1)
        }
        // A number may be written with a fraction.
        _ => want == said || said.as_f64().is_some() && want.as_f64() == said.as_f64(),
    }
}

/// The keys of a cause that are not as they are wanted.
fn of_cause(want: &Map<String, Value>, said: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    for (key, want) in want {
        let name = key.trim_end_matches("_has").trim_end_matches("_re");
        let value = said.get(name).cloned().unwrap_or(Value::Null);
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        let words = want.as_str().unwrap_or_default();
        let holds = match key.rsplit_once('_') {
            Some((_, "has")) => text.contains(words),
            Some((_, "re")) => regex::Regex::new(words).unwrap().is_match(&text),
            _ => fits(want, &value),
        };
        if !holds {
            wrong.push(format!("{key}: wanted {want}, said {text}"));
        }
    }
    wrong
}

/// What is wrong of the comparisons of a log.
fn compared(truth: &Value, said: &[Value]) -> Vec<String> {
    let wants = truth["requests"].as_array().unwrap();
    let mut wrong = Vec::new();
    if wants.len() != said.len() {
        wrong.push(format!("{} requests, wanted {}", said.len(), wants.len()));
    }
    for (number, (want, said)) in (1..).zip(wants.iter().zip(said)) {
        for key in ["state", "across"] {
            let want = want.get(key).unwrap_or(&said[key]);
            if *want != said[key] {
                wrong.push(format!("#{number}: {key} {}, wanted {want}", said[key]));
            }
        }
        if want.get("after").is_some_and(|after| *after != said["a"]) {
            wrong.push(format!("#{number}: after {}", said["a"]));
        }
        let causes = [want, said].map(|of| of["causes"].as_array().unwrap());
        let kinds = causes.map(|of| of.iter().map(|one| &one["kind"]).collect::<Vec<_>>());
        if kinds[0] != kinds[1] {
            wrong.push(format!("#{number}: {:?}, wanted {:?}", kinds[1], kinds[0]));
            continue;
        }
        for (want, said) in causes[0].iter().zip(causes[1]) {
            let found = of_cause(want.as_object().unwrap(), said);
            wrong.extend(found.iter().map(|one| format!("#{number}: {one}")));
        }
    }
    wrong
}

/// By the number of the request the tokens of each cause, and what was avoidable.
type Bill = BTreeMap<String, (BTreeMap<String, u64>, f64)>;

fn billed(report: &Value) -> Bill {
    let mut bill = Bill::new();
    for row in report["rows"].as_array().unwrap() {
        let cause = row["cause"].as_str().unwrap();
        let number = row["request"].as_str().unwrap().trim_start_matches('#');
        let buckets = row["buckets"].as_object().unwrap();
        let input = buckets.iter().filter(|(name, _)| *name != "output");
        let tokens: u64 = input.map(|(_, count)| count.as_u64().unwrap()).sum();
        let (causes, avoidable) = bill.entry(number.to_owned()).or_default();
        if tokens > 0 {
            causes.insert(cause.to_owned(), tokens);
        }
        *avoidable += row["avoidable"].as_str().unwrap().parse::<f64>().unwrap();
    }
    bill
}

/// What is wrong of the bill.
fn counted(truth: &Value, report: &Value) -> Vec<String> {
    let bill = billed(report);
    let mut wrong = Vec::new();
    let none = (BTreeMap::new(), 0.0);
    for (number, want) in truth["usage"].as_object().unwrap() {
        let (said, _) = bill.get(number).unwrap_or(&none);
        let want = want.as_object().unwrap();
        for cause in said.keys().chain(want.keys()) {
            let tokens = said.get(cause).copied().unwrap_or(0);
            let zero = Value::from(0);
            if !fits(want.get(cause).unwrap_or(&zero), &tokens.into()) {
                wrong.push(format!("#{number}: {cause} {tokens}, wanted {want:?}"));
            }
        }
    }
    for number in truth["avoidable_zero"].as_array().into_iter().flatten() {
        let (_, avoidable) = bill.get(number.as_str().unwrap()).unwrap_or(&none);
        if *avoidable > 0.0 {
            wrong.push(format!("#{number}: {avoidable} is avoidable"));
        }
    }
    for pair in truth["equal"].as_array().into_iter().flatten() {
        let of = |at: usize| {
            bill.get(pair[at].as_str().unwrap())
                .map(|(causes, _)| causes)
        };
        if of(0) != of(1) {
            wrong.push(format!("{pair}: {:?} and {:?}", of(0), of(1)));
        }
    }
    let said = &report["prediction"];
    let names = [("agree", "agree"), ("less", "evicted"), ("more", "shared")];
    for (name, field) in names {
        let want = &truth["prediction"][name];
        if !want.is_null() && *want != said[field] {
            wrong.push(format!("{name}: {}, wanted {want}", said[field]));
        }
    }
    wrong
}

#[expect(clippy::disallowed_methods, reason = "files of a test")]
fn judge(case: &Path) -> Vec<String> {
    let read = |name: &str| std::fs::read_to_string(case.join(name)).unwrap();
    let truth: Value = serde_json::from_str(&read("truth.json")).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    std::fs::write(at.join("input.jsonl"), read("input.jsonl")).unwrap();
    let said = run(
        at,
        &[
            "capture",
            "import",
            "--as",
            "bodies",
            "input.jsonl",
            "-o",
            "log.jsonl",
        ],
    );
    assert!(said.status.success(), "{}", words(&said));
    let json = |args: &[&str]| -> Value { serde_json::from_slice(&run(at, args).stdout).unwrap() };
    let report = json(&["capture", "diff", "log.jsonl", "--format", "json"]);
    let mut wrong = compared(&truth, report["comparisons"].as_array().unwrap());
    if let Some(want) = truth.get("diagnoses") {
        let said = words(&run(at, &["capture", "diff", "log.jsonl"]));
        let line = said
            .lines()
            .find(|line| line.contains("of providers: "))
            .unwrap_or_default();
        let parts = [
            format!("{} diagnos", want["counted"]),
            format!("{} as here", want["as_here"]),
        ];
        if !parts.iter().all(|part| line.contains(part)) {
            wrong.push(format!("`{line}`, wanted {want}"));
        }
    }
    if truth.get("usage").is_some() {
        let args = [
            "usage",
            "log.jsonl",
            "--by",
            "request,cause",
            "--format",
            "json",
        ];
        wrong.extend(counted(&truth, &json(&args)));
    }
    wrong
}

#[test]
#[expect(clippy::disallowed_methods, reason = "files of a test")]
fn all_are_as_their_truth_says() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/requests/twenty");
    let all = std::fs::read_dir(&dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut all: Vec<_> = all.filter(|path| path.is_dir()).collect();
    all.sort();
    assert_eq!(all.len(), 20);
    let mut wrong = 0;
    for case in &all {
        let found = judge(case);
        wrong += usize::from(!found.is_empty());
        found
            .iter()
            .for_each(|one| println!("{}: {one}", case.display()));
    }
    assert_eq!(wrong, 0, "{wrong} of 20 are wrong");
}
