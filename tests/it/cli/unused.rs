//! Options and inputs that have no effect in a call are reported: an error if something else must be meant, else a warning.

use crate::run::{Place, Ran, run};

/// A place with a manifest, two artifacts, and a log of requests.
fn place() -> Place {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\nroot workspace default=\".\"\nroot spare default=\"other\"\nroot base default=\".\"\nroot rules above=base holding=\".git\"\n\
         fact user string default=Ann\n\
         tier t { layer who { template \"Hi {{ user }}.\" }; layer rules { file \"a.md\" missing=skip }; layer more { file \"b.md\" root=rules missing=skip } }\n\
         scenario cli { set user Bo }\n",
    );
    place.file("bodies.jsonl", "{\"model\":\"claude-opus-5-5\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}\n");
    place.file("messages.json", "[{\"role\":\"user\",\"content\":\"Hi\"}]");
    for line in [
        "build --format json -o a.json",
        "build --format json --set user=Cid -o b.json",
        "capture import bodies.jsonl -o log.jsonl",
        "build --session chat-7",
    ] {
        ran(&place, line).exits(0);
    }
    place
}

fn ran(place: &Place, line: &str) -> Ran {
    let words: Vec<&str> = line.split(' ').collect();
    place.run(&words)
}

/// Calls, and the options that have no effect in them.
const WRONG: &[(&str, &str)] = &[
    ("explain --code cut --set user=Bo", "--set"),
    ("explain --code cut -m promptc.kdl", "--manifest"),
    ("explain --code cut --providers t.kdl", "--providers"),
    (
        "explain --merged --root spare=. --facts f.json",
        "--root and --facts",
    ),
    ("explain --merged --now 2026-03-30T09:00:00Z", "--now"),
    ("explain --artifact a.json --hermetic", "--hermetic"),
    ("blame 1 --artifact a.json --hermetic", "--hermetic"),
    (
        "emit anthropic --model claude-opus-5-5 --artifact a.json --hermetic",
        "--hermetic",
    ),
    (
        "report --artifact a.json --hermetic -o x.html",
        "--hermetic",
    ),
    (
        "check --list-rules --set user=Bo --scenario cli",
        "--set and --scenario",
    ),
    ("diff a.json b.json --ascii --format json", "--ascii"),
    ("diff a.json b.json --ascii --format markdown", "--ascii"),
    (
        "capture diff log.jsonl --ascii --format markdown",
        "--ascii",
    ),
    ("diff a.json b.json --full --format json", "--full"),
    ("diff a.json b.json --full --format github", "--full"),
    ("watch --builds 1 --full --format json", "--full"),
    ("watch --builds 1 --ascii --format json", "--ascii"),
    ("session history --ascii --format json", "--ascii"),
    ("session history --top 3 --format json", "--top"),
    (
        "usage --add a.json --recorded --files .",
        "--files and --recorded",
    ),
    ("usage --add a.json --set user=Bo", "--set"),
    ("usage log.jsonl --store s.db", "--store"),
    ("usage log.jsonl --prompt a.json --wait 3", "--wait"),
    (
        "capture report --bill log.jsonl --store s.db -o x.html",
        "--store",
    ),
    (
        "capture report log.jsonl --conversation c-1 --providers x.kdl -o x.html",
        "--providers",
    ),
    ("init --list-presets new", "DIR"),
    ("init --list-presets --preset minimal", "--preset"),
    (
        "capture diff log.jsonl#1 --conversation c-1",
        "--conversation",
    ),
];

#[test]
fn an_option_that_contradicts_the_call_is_an_error() {
    let place = place();
    for (line, options) in WRONG {
        let ran = ran(&place, line).exits(2);
        assert!(ran.stdout.is_empty(), "{line}");
        let verb = if options.contains(" and ") {
            "have"
        } else {
            "has"
        };
        ran.says(&format!("error[usage]: {options} {verb} no effect: "));
    }
    for (line, option) in [
        ("capture diff log.jsonl --store s.db", "--store"),
        ("capture diff log.jsonl --wait 3", "--wait"),
        ("capture report log.jsonl --store s.db -o x.html", "--store"),
    ] {
        ran(&place, line)
            .exits(2)
            .says(&format!("error[usage]: {option}"));
    }
    assert!(!place.path().join("x.html").exists());
}

/// The same options where they have an effect, or where a wrapper gives them to every call.
#[test]
fn an_option_with_an_effect_is_not_reported() {
    let place = place();
    for line in [
        "explain --merged -m promptc.kdl",
        "explain --artifact a.json --tokenizer claude",
        "explain --set user=Bo --now 2026-03-30T09:00:00Z --hermetic",
        "diff a.json a.json --ascii --full",
        "diff a.json a.json --full --format markdown",
        "diff a.json --set user=Ann",
        "session history --top 3",
        "session history --ascii",
        "usage log.jsonl --prompt session:chat-7 --store .promptc/store.db",
        "usage log.jsonl --providers t.kdl",
        "init --list-presets",
        "build --tokenizer claude --stats -o out.txt",
        "build --tokenizer claude --format json",
        "build --no-inputs --format json",
        "build --tokenizer claude --session chat-8",
        "build --now 2026-03-30T09:00:00Z --hermetic --color never --message-format human",
        "build --root workspace=. --root base=.",
        "check --now 2026-03-30T09:00:00Z --hermetic --set user=Bo -q",
        "check --sources --scenario cli --root workspace=. -q",
        "emit anthropic --model claude-opus-5-5 --messages messages.json --last 1 -q",
    ] {
        place.file("t.kdl", "providers 1 currency=USD as-of=\"2026-03-01\"\n");
        let ran = ran(&place, line);
        assert!(!ran.stderr.contains("no effect"), "{line}: {}", ran.stderr);
        assert!(!ran.stderr.contains("unused-"), "{line}: {}", ran.stderr);
    }
    // A variable is for all calls.
    let mut command = place.command(&["build"]);
    command.env("PROMPTC_STORE", "s.db");
    assert_eq!(run(command, b"").exits(0).stderr, "");
}

#[test]
fn an_option_that_does_nothing_and_no_harm_is_a_warning() {
    let place = place();
    for (line, said) in [
        ("build --no-inputs", "unused-option]: --no-inputs has"),
        (
            "build --tokenizer claude",
            "unused-option]: --tokenizer has",
        ),
        (
            "blame 1 --tokenizer claude",
            "unused-option]: --tokenizer has",
        ),
        (
            "emit anthropic --model claude-opus-5-5 --last 2",
            "unused-option]: --last has",
        ),
        ("check --scenario cli", "unused-option]: --scenario has"),
        ("check --root spare=.", "unused-option]: --root has"),
        (
            "build --root spare=.",
            "unused-input]: --root gives `spare`",
        ),
        (
            "explain --root spare=.",
            "unused-input]: --root gives `spare`",
        ),
        (
            "diff a.json b.json --set user=Bo",
            "unused-input]: the given facts",
        ),
        (
            "report a.json b.json --scenario cli -o x.html",
            "unused-input]: the given facts",
        ),
    ] {
        ran(&place, line).exits(0).says(&format!("warning[{said}"));
        let quiet = ran(&place, &format!("{line} -q")).exits(0);
        assert_eq!(quiet.stderr, "", "{line}");
    }
    let words = ["build", "--tokenizer", "claude", "--message-format", "json"];
    let ran = place.run(&words).exits(0);
    let message: serde_json::Value = serde_json::from_str(&ran.stderr).unwrap();
    assert_eq!(message["code"], "unused-option");
}

/// A rule that is not run lets every check pass, as an unknown one would.
#[test]
fn a_rule_that_is_not_run_is_not_denied() {
    let place = place();
    let deny = |name: &str, more: &[&str]| {
        let words = ["check", "--fail-on", name];
        place.run(&[&words[..], more].concat())
    };
    let mut found = 0;
    for rule in promptc::check::RULES {
        let name = rule.code.name;
        let help = match (rule.needs_requests(), rule.needs_sources()) {
            (true, _) => "--usage LOG runs it",
            (false, true) => "--sources runs it",
            (false, false) => continue,
        };
        found += 1;
        let ran = deny(name, &[]).exits(2);
        ran.says(&format!("--fail-on {name} has no effect"));
        ran.says(help);
        let ran = deny(name, &["--sources", "--usage", "log.jsonl"]);
        assert!(!ran.stderr.contains("no effect"), "{name}: {}", ran.stderr);
    }
    assert!(found > 2, "{found}");
    deny("warnings", &[]);
}
