//! `promptc session history` through the binary, on sessions that `build --session` made over some days.

use crate::run::{Place, Ran};
use serde_json::Value;

const MANIFEST: &str = r#"promptc 1
name atlas
root workspace default="."
fact model string default=gpt-5
fact today date clock=utc changes=day
fact recall string optional=#true changes=turn
tier stable changes=session {
    layer identity { file "SOUL.md" }
    layer rules { file "AGENTS.md" }
    layer parallel when="'gpt' in model" { text "Call several tools at once where that is possible." }
}
tier context changes=session {
    layer memory { memory "MEMORY.md"; template "What you remember:\n{{ content }}" }
}
tier daily changes=day { layer clock { template "Today is {{ today }}." } }
tier turn changes=turn { layer recall { fact recall } }
session { refresh event=compaction; refresh idle="1d"; refresh fact=model }
"#;

fn lines(begin: &str, n: usize) -> String {
    (1..=n).map(|at| format!("{begin} {at}.\n")).collect()
}

fn place() -> Place {
    let place = Place::new();
    place.file("promptc.kdl", MANIFEST);
    place.file("SOUL.md", lines("You take care of thing", 30));
    place.file("AGENTS.md", lines("Heed rule", 40));
    place.file("MEMORY.md", "Ann likes tea\n§\nShort answers\n");
    place
}

fn build(place: &Place, id: &str, now: &str, args: &[&str]) {
    let head = ["build", "-q", "--session", id, "--now", now];
    place.run(&[&head, args].concat()).exits(0);
}

fn edit(place: &Place, file: &str, old: &str, new: &str) {
    let text = place.read(file);
    assert!(text.contains(old), "{file} has no {old:?}");
    place.file(file, text.replacen(old, new, 1));
}

/// Three sessions over a week in which a rule and the memory were edited and one session got another model.
fn week() -> Place {
    let place = place();
    let compaction = ["--event", "compaction"];
    for (id, time) in [("chat-1", "09:00"), ("chat-2", "09:05"), ("mail", "10:00")] {
        build(&place, id, &format!("2026-03-02T{time}:00Z"), &[]);
    }
    edit(
        &place,
        "MEMORY.md",
        "Short answers",
        "Short answers\n§\nNo jokes",
    );
    build(&place, "chat-1", "2026-03-02T09:30:00Z", &compaction);
    build(&place, "chat-2", "2026-03-03T09:30:00Z", &[]);
    edit(&place, "AGENTS.md", "rule 30.", "rule 30 twice.");
    build(&place, "chat-1", "2026-03-03T10:00:00Z", &["--refresh"]);
    // Queried so often that it is rebuilt for another model, and not for a pause.
    for time in ["2026-03-03T09:50:00Z", "2026-03-03T20:00:00Z"] {
        build(&place, "mail", time, &[]);
    }
    build(
        &place,
        "mail",
        "2026-03-04T10:00:00Z",
        &["--set", "model=claude"],
    );
    build(&place, "chat-2", "2026-03-06T10:00:00Z", &compaction);
    build(&place, "chat-2", "2026-03-06T10:01:00Z", &compaction);
    build(&place, "chat-1", "2026-03-08T10:01:00Z", &compaction);
    place
}

fn history(place: &Place, args: &[&str]) -> Ran {
    place.run(&[&["session", "history"], args].concat())
}

fn json(place: &Place, args: &[&str]) -> Value {
    let ran = history(place, &[args, &["--format", "json"]].concat()).exits(0);
    let value: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let schema = place.run(&["schema", "session", "history"]).exits(0);
    let schema: Value = serde_json::from_slice(&schema.stdout).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let errors: Vec<_> = validator
        .iter_errors(&value)
        .map(|e| e.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
    value
}

/// The names of the layers, the breaks that each was the first of, and those that it hid behind.
fn breaks(history: &Value) -> Vec<(&str, u64, u64)> {
    let layers = history["layers"].as_array().unwrap();
    let row = |l: &'_ Value| (l["broke"].as_u64().unwrap(), l["hidden"].as_u64().unwrap());
    let rows = layers
        .iter()
        .map(|l| (l["layer"].as_str().unwrap(), row(l)));
    rows.map(|(name, (broke, hidden))| (name, broke, hidden))
        .collect()
}

#[test]
fn a_week_for_people() {
    let place = week();
    let ran = history(&place, &[]).exits(0);
    assert_eq!(ran.stderr, "");
    assert!(ran.stdout().is_ascii());
    assert!(ran.stdout().lines().all(|line| line.len() <= 80));
    insta::assert_snapshot!("session_history_human", ran.stdout());
    // The clock is asked for nothing but how long ago something was.
    let later = history(&place, &["--now", "2030-01-01T00:00:00Z"]).exits(0);
    assert_eq!(later.stdout(), ran.stdout());
}

#[test]
fn a_week_for_a_comment() {
    let place = week();
    let ran = history(&place, &["--format", "markdown", "--tokenizer", "o200k"]).exits(0);
    insta::assert_snapshot!("session_history_markdown", ran.stdout());
}

#[test]
fn a_week_for_programs() {
    let place = week();
    let whole = json(&place, &[]);
    // By hand, build by build: memory; memory before the date; rules; rules before memory and date; rules before the date;
    // nothing; the date alone.
    assert_eq!(
        breaks(&whole),
        [
            ("rules", 3, 0),
            ("memory", 2, 1),
            ("clock", 1, 4),
            ("parallel", 0, 1)
        ]
    );
    assert_eq!(
        (&whole["all"]["rebuilds"], &whole["all"]["broke"]),
        (&7.into(), &6.into())
    );
    let rebuilds = whole["rebuilds"].as_array().unwrap();
    let when: Vec<_> = (rebuilds.iter())
        .map(|r| {
            let layer = r["break"]["layer"].as_str().unwrap_or("none");
            let (at, reason) = (r["built"].as_str().unwrap(), r["reason"].as_str().unwrap());
            format!(
                "{at} {} {} {reason} {layer}",
                r["session"].as_str().unwrap(),
                r["to"]
            )
        })
        .collect();
    assert_eq!(
        when,
        [
            "2026-03-02T09:30:00Z chat-1 2 event:compaction memory",
            "2026-03-03T09:30:00Z chat-2 2 idle:87900 memory",
            "2026-03-03T10:00:00Z chat-1 3 asked rules",
            "2026-03-04T10:00:00Z mail 2 fact:model rules",
            "2026-03-06T10:00:00Z chat-2 3 event:compaction rules",
            "2026-03-06T10:01:00Z chat-2 4 event:compaction none",
            "2026-03-08T10:01:00Z chat-1 4 event:compaction clock",
        ]
    );
    let cause = &rebuilds[2]["break"]["causes"][0];
    assert_eq!(cause["kind"], "document-changed");
    assert_eq!(
        (&cause["path"], &cause["line"]),
        (&"AGENTS.md".into(), &30.into())
    );
    assert_eq!(rebuilds[6]["break"]["causes"][0]["fact"], "today");
    // A break of one session, from the newest build, and with other tokens.
    let one = json(&place, &["chat-1", "--since", "2026-03-08"]);
    assert_eq!(breaks(&one), [("clock", 1, 0)]);
    let claude = json(&place, &["--tokenizer", "claude"]);
    assert_eq!(
        claude["counted"]["tokenizers"],
        serde_json::json!(["claude"])
    );
}

#[test]
fn figures_are_those_of_a_diff_of_the_same_prompts() {
    let place = place();
    let artifact = |name: &str, now: &str| {
        let args = ["build", "-q", "--now", now, "--format", "json", "-o", name];
        place
            .run(&[&args[..], &["--tokenizer", "o200k"]].concat())
            .exits(0);
    };
    let (first, second) = ("2026-03-02T09:00:00Z", "2026-03-03T09:00:00Z");
    build(&place, "a", first, &["--tokenizer", "o200k"]);
    artifact("a.json", first);
    edit(&place, "SOUL.md", "thing 20.", "all that is thing 20.");
    build(&place, "a", second, &["--refresh"]);
    artifact("b.json", second);
    let ran = place
        .run(&["diff", "a.json", "b.json", "--format", "json"])
        .exits(0);
    let diffs: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let diff = &diffs["comparisons"][0];
    let rebuild = &json(&place, &[])["rebuilds"][0];
    assert_eq!(
        (&rebuild["kept"], &rebuild["lost"]),
        (&diff["kept"], &diff["lost"])
    );
    assert!(diff["lost"]["tokens"].as_u64().unwrap() > 100);
    assert_eq!(rebuild["break"]["layer"], diff["break"]["layer"]);
    let hidden = |of: &Value| -> Vec<Value> {
        let hidden = of["hidden"].as_array().unwrap().iter();
        hidden.map(|b| b["layer"].clone()).collect()
    };
    assert_eq!(hidden(rebuild), hidden(diff));
}

#[test]
fn times_are_drawn_by_hours_days_weeks_and_months() {
    let place = week();
    let row = |args: &[&str], word: &str| {
        let ran = history(&place, args).exits(0);
        let line = ran.stdout().lines().find(|l| l.starts_with(word));
        line.unwrap_or_else(|| panic!("{}", ran.stdout()))
            .to_owned()
    };
    // Tokens differ from day to day, so what is compared is where something is.
    let signs = |row: String| row.replace(|c: char| c.is_ascii_digit(), "9");
    assert_eq!(signs(row(&[], "days")), "days     999-9-9");
    assert_eq!(signs(row(&["--every", "week"], "weeks")), "weeks    9");
    assert_eq!(signs(row(&["--every", "month"], "months")), "months   9");
    let some = ["--since", "2026-03-06", "--until", "2026-03-07"];
    assert_eq!(signs(row(&some, "hours")), "hours    9");
    // 145 hours do not fit into the row: three to a sign, of which the last ends where the last rebuild is.
    let hours = signs(row(&["--every", "hour"], "hours"));
    assert_eq!(hours.len(), "hours    ".len() + 145_usize.div_ceil(3));
    assert_eq!(hours.matches('9').count(), 5);
    assert!(
        hours.starts_with("hours    9") && hours.ends_with("-9"),
        "{hours}"
    );
}

#[test]
fn few_layers_are_drawn_if_few_are_wanted() {
    let place = week();
    let ran = history(&place, &["--top", "1"]).exits(0);
    ran.shows("3 layers more (--top N)\n");
    assert!(!ran.stdout().contains("MEMORY.md"));
    let ran = history(&place, &["--top", "1", "--format", "markdown"]).exits(0);
    ran.shows("\n3 layers more (--top N)\n");
    let whole = json(&place, &[]);
    assert_eq!(whole["layers"].as_array().unwrap().len(), 4);
}

#[test]
fn two_prompts_with_a_layer_of_one_name_are_distinguished() {
    let place = place();
    place.file("other.kdl", MANIFEST.replace("name atlas", "name other"));
    let both = ["-m", "other.kdl"];
    build(&place, "a", "2026-03-02T09:00:00Z", &[]);
    build(&place, "o", "2026-03-02T09:00:00Z", &both);
    edit(&place, "AGENTS.md", "rule 30.", "rule 30 twice.");
    build(&place, "a", "2026-03-02T09:10:00Z", &["--refresh"]);
    build(
        &place,
        "o",
        "2026-03-02T09:10:00Z",
        &["-m", "other.kdl", "--refresh"],
    );
    let ran = history(&place, &[]).exits(0);
    for name in ["\natlas/rules ", "\nother/rules "] {
        ran.shows(name);
    }
}

#[test]
fn a_history_without_rebuilds_reports_that() {
    let place = place();
    let ran = history(&place, &[]).exits(0);
    assert_eq!(ran.stdout(), "");
    assert_eq!(ran.stderr, "there is no store `.promptc/store.db`\n");
    assert!(!place.path().join(".promptc").is_dir());
    assert_eq!(json(&place, &[])["sessions"], 0);
    build(&place, "a", "2026-03-02T09:00:00Z", &[]);
    build(&place, "b", "2026-03-02T09:00:00Z", &[]);
    let ran = history(&place, &[]).exits(0);
    assert_eq!(
        ran.stdout(),
        "none     2 sessions, and none of them was rebuilt\n"
    );
    let ran = history(&place, &["--format", "markdown"]).exits(0);
    assert_eq!(
        ran.stdout(),
        "### Session history\n\n- **none** 2 sessions, and none of them was rebuilt\n"
    );
    let ran = history(&place, &["--since", "2026-03-03"]).exits(0);
    assert_eq!(
        (ran.stdout(), &*ran.stderr),
        ("", "no builds in that time, of 2 sessions\n")
    );
    build(&place, "a", "2026-03-02T09:10:00Z", &["--refresh"]);
    let ran = history(&place, &["a"]).exits(0);
    let same = "same     1 rebuild of 1 session gave the same bytes as before\n";
    assert!(ran.stdout().starts_with(same), "{}", ran.stdout());
}

#[test]
fn builds_that_were_collected_leave_a_gap() {
    let place = week();
    place.run(&["session", "gc", "--keep", "2"]).exits(0);
    let rest = json(&place, &[]);
    assert_eq!(rest["all"]["rebuilds"], 3);
    let gap = |session: &str, to: u64| serde_json::json!({"session": session, "from": 1, "to": to});
    assert_eq!(
        rest["gaps"],
        serde_json::json!([gap("chat-1", 2), gap("chat-2", 2)])
    );
    let ran = history(&place, &[]).exits(0);
    let said = "\ngone     4 builds of 2 sessions are gone; their rewrites are unknown\n";
    ran.shows(said);
    place.run(&["session", "gc", "--keep", "1"]).exits(0);
    let ran = history(&place, &["mail"]).exits(0);
    assert_eq!(
        ran.stdout(),
        "none     1 session with 1 build, and nothing to compare\n\n\
         gone     build 1 of `mail` is gone; their rewrites are unknown\n"
    );
}

#[test]
fn the_costliest_break_can_be_looked_at() {
    let place = place();
    let id = "it's me";
    build(&place, id, "2026-03-02T09:00:00Z", &[]);
    edit(&place, "SOUL.md", "thing 20.", "all that is thing 20.");
    build(&place, id, "2026-03-02T09:10:00Z", &["--refresh"]);
    let ran = history(&place, &[]).exits(0);
    let command = r"
look     promptc diff 'session:it'\''s me@1' 'session:it'\''s me@2'
";
    assert!(ran.stdout().ends_with(command), "{}", ran.stdout());
    // From another folder the command leads to the same store.
    place.file("a b/x.md", "");
    for (option, path) in [
        ("--store", "../.promptc/store.db"),
        ("-m", "../promptc.kdl"),
    ] {
        let mut command = place.command(&["session", "history", option, path]);
        command.current_dir(place.path().join("a b"));
        let ran = crate::run::run(command, b"").exits(0);
        let end = format!("' {option} {path}\n");
        assert!(ran.stdout().ends_with(&end), "{}", ran.stdout());
    }
    place.file(
        "a b/s.db",
        std::fs::read(place.path().join(".promptc/store.db")).unwrap(),
    );
    let ran = history(&place, &["--store", "a b/s.db"]).exits(0);
    assert!(
        ran.stdout().ends_with(" --store 'a b/s.db'\n"),
        "{}",
        ran.stdout()
    );
}

#[test]
fn contradictory_options_are_reported() {
    let place = week();
    let says = |args: &[&str], code: i32, what: &str| {
        let ran = history(&place, args).exits(code);
        assert_eq!(ran.stdout(), "");
        ran.says(what);
        ran.stderr
    };
    let stderr = says(&["chat-3", "nope", "mail"], 2, "no session `nope`");
    assert!(stderr.contains("no session `chat-3`"), "{stderr}");
    says(
        &["mail", "--store", "none.db"],
        2,
        "there is no store `none.db`",
    );
    assert!(!place.path().join("none.db").exists());
    says(&["--since", "yesterday"], 2, "2026-03-30");
    says(&["--since", "2026-03-30T09:00:00"], 2, "--since");
    says(&["--until", "0d"], 2, "--until");
    says(&["--now", "then"], 2, "error[invalid-time]");
    let swapped = ["--since", "2026-03-05", "--until", "2026-03-04"];
    says(
        &swapped,
        2,
        "error[invalid-time]: --since is not before --until",
    );
    says(&["--top", "0"], 2, "--top");
    says(&["--tokenizer", "words"], 2, "the tokenizers are");
    says(&["--every", "year"], 2, "--every");
    place.file(
        "file.db",
        "not a store, and longer than nothing\n".repeat(30),
    );
    says(&["--store", "file.db"], 3, "error[not-a-store]");
}

const TABLE: &str = r#"providers 1 currency=USD as-of="2026-03-01"
provider "acme" match=breakpoint lookback-blocks=20 tokenizer=o200k {
    order "tools" "system" "messages"
    marker "cache_control"
    source "this test" as-of="2026-03-01"
}
provider "guess" match=opaque-prefix tokenizer=claude {
    source "this test" as-of="2026-03-01"
}
provider "free" match=lcp { source "this test" as-of="2026-03-01" }
model "acme-1" provider="acme" {
    price input=10 read=0.1
    prefix min=100 breakpoints=4
    ttl "5m" write=1.25
    source "this test" as-of="2026-03-02"
}
model "guess-1" provider="guess" {
    price input=10 read=0.1
    source "this test" as-of="2026-03-02"
}
"#;

fn with_table() -> Place {
    let place = week();
    place.file("table.kdl", TABLE);
    place
}

fn asked<'a>(model: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["--providers", "table.kdl", "--model", model], more].concat()
}

#[test]
fn a_week_with_its_costs() {
    let place = with_table();
    let args = asked("acme-1", &["--requests-per-day", "1000"]);
    let human = history(&place, &args).exits(0);
    assert!(human.stdout().lines().all(|line| line.len() <= 80));
    insta::assert_snapshot!("session_history_cost_human", human.stdout());
    let markdown = [&args[..], &["--format", "markdown"]].concat();
    let markdown = history(&place, &markdown).exits(0);
    insta::assert_snapshot!("session_history_cost_markdown", markdown.stdout());
}

/// Dollars of tokens at $10 for a million, times 1.25 - 0.1: 11.5 millionths each.
fn dollars(tokens: u64) -> f64 {
    let tenths = tokens * 115;
    f64::from(u32::try_from(tenths).unwrap()) / 1e7
}

#[test]
fn costs_are_those_of_a_diff_and_add_up() {
    let place = with_table();
    let whole = json(&place, &asked("acme-1", &["--requests-per-day", "1000"]));
    let mut sums: std::collections::BTreeMap<String, u64> = std::collections::BTreeMap::new();
    for rebuild in whole["rebuilds"].as_array().unwrap() {
        let operand = |n: &str| {
            format!(
                "session:{}@{}",
                rebuild["session"].as_str().unwrap(),
                rebuild[n]
            )
        };
        let args = asked(
            "acme-1",
            &["--requests-per-day", "1000", "--format", "json"],
        );
        let ran = place.run(&[&["diff", &operand("from"), &operand("to")], &args[..]].concat());
        let diffs: Value = serde_json::from_slice(&ran.exits(0).stdout).unwrap();
        let diff = &diffs["comparisons"][0];
        let cost = rebuild.get("cost").unwrap_or(&Value::Null);
        assert_eq!(diff["cost"], *cost);
        let Some(layer) = rebuild["break"]["layer"].as_str() else {
            continue;
        };
        let tokens = cost["rewritten"].as_u64().unwrap();
        assert_eq!(cost["usd"], dollars(tokens));
        let kind = rebuild["break"]["causes"][0]["kind"].as_str().unwrap();
        let reason = rebuild["reason"]
            .as_str()
            .unwrap()
            .split(':')
            .next()
            .unwrap();
        for name in ["all", layer, kind, reason] {
            *sums.entry(name.to_owned()).or_default() += tokens;
        }
    }
    let same = |name: &str, cost: &Value| {
        let tokens = sums.get(name).copied().unwrap_or(0);
        assert_eq!(cost["rewritten"], tokens, "{name}");
        assert_eq!(cost["usd"], dollars(tokens), "{name}");
    };
    same("all", &whole["cost"]);
    same("all", &whole["all"]["cost"]);
    same("idle", &whole["cost"]["cold"]);
    assert!(sums["all"] > sums["idle"] && sums["idle"] > 0);
    for layer in whole["layers"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|l| l["broke"] != 0)
    {
        same(layer["layer"].as_str().unwrap(), &layer["cost"]);
        // Every break of a layer has one cause in this week.
        same(
            layer["layer"].as_str().unwrap(),
            &layer["causes"][0]["cost"],
        );
    }
    for kind in whole["causes"].as_array().unwrap() {
        same(kind["kind"].as_str().unwrap(), &kind["cost"]);
    }
    // Six breaks, each a thousand times a day.
    let a_day = whole["cost"]["usd_per_day"].as_f64().unwrap();
    assert!((a_day - dollars(sums["all"]) * 1000.0 / 6.0).abs() < 1e-9);
}

#[test]
fn bounds_and_missing_prices_are_reported() {
    let place = with_table();
    let ran = history(&place, &asked("guess-1", &[])).exits(0);
    ran.shows("\ncost     at most ~$");
    assert!(
        ran.stdout()
            .contains(" with guess-1 (prices of 2026-03-02)\n")
    );
    let ran = history(&place, &asked("free/any", &["--requests-per-day", "1000"])).exits(0);
    let none = "\ncost     no price of free/any is known (as of 2026-03-01)\n";
    ran.shows(none);
    assert!(!ran.stdout().contains('$') && !ran.stdout().contains("a day at"));
    let ran = history(&place, &asked("none-such", &[]));
    assert_eq!(ran.code, 2);
    ran.says("unknown-model");
    // Without a model no costs are reported.
    assert!(!json(&place, &[]).to_string().contains("\"cost\""));
}
