//! `promptc session drift`: what a rebuild would change, told once.

use crate::run::{Place, Ran, run};
use serde_json::Value;
use std::fmt::Write as _;
use std::process::Stdio;

const MANIFEST: &str = r#"promptc 1
name atlas
root workspace default="."
fact model string default=small
fact today date clock=utc changes=day
fact beat bool default=#false changes=turn
tier stable changes=session {
    layer identity { text "You are a careful assistant." }
    layer rules { file "AGENTS.md" }
    layer notes { file "notes.md" }
    layer model { template "You run on {{ model }}." }
}
tier daily changes=day { layer clock { template "It is {{ today }}." } }
tier turn changes=turn deliver=user { layer beat when=beat { file "beat.md" } }
"#;

const RULES: &str = "# Rules\n\nRun the linter.\n";

/// When the session is built.
const START: &str = "2026-03-30T09:00:00Z";

/// When it is looked at.
const LATER: &str = "2026-03-30T21:00:00Z";

/// A folder with a session `c`.
struct Chat(Place);

impl Chat {
    fn new() -> Self {
        Self::of(MANIFEST)
    }

    fn of(manifest: &str) -> Self {
        let place = Place::new();
        place.file("promptc.kdl", manifest);
        place.file("AGENTS.md", RULES);
        place.file("beat.md", "A heartbeat.");
        let chat = Self(place);
        chat.build(START, &[]);
        chat
    }

    /// The manifest with something else in it.
    fn edit(&self, old: &str, new: &str) -> &Self {
        let manifest = self.0.read("promptc.kdl");
        assert!(manifest.contains(old), "no `{old}`");
        self.0.file("promptc.kdl", manifest.replace(old, new));
        self
    }

    fn write(&self, path: &str, text: &str) -> &Self {
        self.0.file(path, text);
        self
    }

    fn build(&self, now: &str, more: &[&str]) -> String {
        let args = [&["build", "--session", "c", "--now", now][..], more].concat();
        self.0.run(&args).exits(0).stdout().to_owned()
    }

    fn drift_at(&self, now: &str, more: &[&str]) -> Ran {
        let args = [&["session", "drift", "c", "--now", now][..], more].concat();
        self.0.run(&args)
    }

    fn drift(&self, more: &[&str]) -> Ran {
        self.drift_at(LATER, more)
    }

    /// What is told to a conversation, once.
    fn tell(&self) -> String {
        let ran = self.drift(&["--reminder", "--mark-delivered"]);
        assert!(ran.code == 0 || ran.code == 1, "{}", ran.stderr);
        assert_eq!(ran.stderr, "");
        ran.stdout().to_owned()
    }

    fn json(&self, more: &[&str]) -> Value {
        let ran = self.drift(&[&["--format", "json"][..], more].concat());
        assert!(ran.code == 0 || ran.code == 1, "{}", ran.stderr);
        let value: Value = serde_json::from_str(ran.stdout()).unwrap();
        assert_eq!(value["drift"], Value::from(ran.code == 1));
        value
    }

    /// The layers that differ: `changed rules`.
    fn layers(&self, more: &[&str]) -> Vec<String> {
        let value = self.json(more);
        let layers = value["layers"].as_array().unwrap().iter();
        layers
            .map(|l| {
                format!(
                    "{} {}",
                    l["change"].as_str().unwrap(),
                    l["layer"].as_str().unwrap()
                )
            })
            .collect()
    }
}

/// What people are shown; it fits their terminal.
fn shown(ran: &Ran) -> &str {
    let shown = ran.stdout();
    for line in shown.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    shown
}

#[test]
fn what_would_be_built_again_as_it_is_is_no_drift() {
    let chat = Chat::new();
    let human = chat.drift(&[]).exits(0);
    assert_eq!(human.stderr, "");
    assert_eq!(
        human.stdout(),
        "same     a rebuild would freeze the same 92 bytes\n"
    );
    let note = chat.drift(&["--reminder", "--mark-delivered"]).exits(0);
    assert_eq!((note.stdout(), note.stderr.as_str()), ("", ""));
    let json = chat.json(&["--reminder"]);
    assert_eq!(json["layers"], Value::Array(Vec::new()));
    assert_eq!(json["reminder"], "");
    assert_eq!(json["since"], "frozen");
    assert_eq!(json["told"], Value::Null);
    assert_eq!(json["refresh"]["lost"]["bytes"], 0);
}

#[test]
fn what_differs_is_told_by_layer_and_cause() {
    type Edit = fn(&Chat);
    let long = "a model with a name of which nobody would have thought that it is as long as this";
    let cases: [(&str, Edit, &[&str]); 10] = [
        (
            "a document is edited",
            |c| _ = c.write("AGENTS.md", "# Rules\n\nRun both linters.\n"),
            &[],
        ),
        (
            "a document appears",
            |c| _ = c.write("notes.md", "Ann is on leave."),
            &[],
        ),
        ("a fact is given anew", |_| (), &["--set", "model=large"]),
        (
            "a cause is long",
            |_| (),
            &["--set", &format!("model={long}")],
        ),
        (
            "the manifest is edited",
            |c| _ = c.edit("careful", "kind"),
            &[],
        ),
        (
            "a layer is added",
            |c| {
                _ = c.edit(
                    "    layer rules",
                    "    layer tone { text \"Be brief.\" }\n    layer rules",
                )
            },
            &[],
        ),
        (
            "a layer is removed",
            |c| {
                _ = c.edit(
                    "    layer model { template \"You run on {{ model }}.\" }\n",
                    "",
                )
            },
            &[],
        ),
        (
            "a layer is moved",
            |c| {
                c.edit(
                    "    layer identity { text \"You are a careful assistant.\" }\n",
                    "",
                );
                c.edit(
                    "    layer notes",
                    "    layer identity { text \"You are a careful assistant.\" }\n    layer notes",
                );
            },
            &[],
        ),
        (
            "another join",
            |c| _ = c.edit("changes=session {", "changes=session join=\"\\n\" {"),
            &[],
        ),
        (
            "tools are defined otherwise",
            |c| {
                c.edit(
                    "tier stable",
                    "tier tools deliver=tools { layer calls { text \"[]\" } }\ntier stable",
                );
                c.build(START, &["--refresh"]);
                c.edit("\"[]\"", "\"[{}]\"");
            },
            &[],
        ),
    ];
    let mut all = String::new();
    for (name, edit, args) in cases {
        let chat = Chat::new();
        edit(&chat);
        let human = chat.drift(args).exits(1);
        assert_eq!(human.stderr, "");
        write!(all, "== {name}\n{}\n", shown(&human)).unwrap();
    }
    insta::assert_snapshot!("session_drift_human", all);
}

#[test]
fn markdown_says_the_same() {
    let chat = Chat::new();
    chat.write("AGENTS.md", "# Rules\n\nRun both <linters>.\n");
    let ran = chat
        .drift(&["--format", "markdown", "--tokenizer", "o200k"])
        .exits(1);
    insta::assert_snapshot!("session_drift_markdown", ran.stdout());
    chat.drift(&["--format", "markdown", "--reminder"]).exits(2);
}

#[test]
fn programs_get_what_the_schema_says() {
    let chat = Chat::new();
    let schema = chat.0.run(&["schema", "session", "drift"]).exits(0);
    let schema: Value = serde_json::from_str(schema.stdout()).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    chat.write("AGENTS.md", "# Rules\n\nRun both linters.\n")
        .edit("careful", "kind");
    for args in [
        &[][..],
        &["--reminder"],
        &["--reminder", "--mark-delivered", "--tokenizer", "o200k"],
        &[],
    ] {
        let json = chat.json(args);
        let wrong: Vec<String> = validator
            .iter_errors(&json)
            .map(|e| e.to_string())
            .collect();
        assert_eq!(wrong, Vec::<String>::new());
        assert_eq!(json["number"], 1);
        assert_eq!(json["built"], START);
        assert_eq!(json["reminder"].is_string(), args.contains(&"--reminder"));
    }
    let mut json = chat.json(&["--since-frozen"]);
    let rules = &json["layers"][1];
    assert_eq!(rules["text"], "# Rules\n\nRun both linters.");
    assert_eq!(rules["causes"][0]["path"], "AGENTS.md");
    assert_eq!(rules["causes"][0]["line"], 3);
    json["more"] = Value::Null;
    assert!(!validator.is_valid(&json));
}

#[test]
fn at_midnight_the_day_is_another() {
    let chat = Chat::new();
    chat.drift_at("2026-03-30T23:59:59Z", &[]).exits(0);
    let ran = chat
        .drift_at("2026-03-31T00:00:00Z", &["--reminder"])
        .exits(1);
    assert!(
        ran.stdout().contains("It is 2026-03-31."),
        "{}",
        ran.stdout()
    );
    assert!(!ran.stdout().contains("linter"));
}

#[test]
fn what_is_made_anew_for_each_call_never_counts() {
    let chat = Chat::new();
    chat.write("beat.md", "Another heartbeat.");
    chat.drift(&["--set", "beat=true"]).exits(0);
    chat.edit(
        "layer beat when=beat {",
        "layer pulse { text \"x\" }\n layer beat {",
    );
    chat.drift(&[]).exits(0);
    // One that is rendered for each call from now on has not gone: there is nothing to say of it.
    chat.edit("    layer rules { file \"AGENTS.md\" }\n", "");
    chat.edit(
        "layer pulse {",
        "layer rules { file \"AGENTS.md\" }\n layer pulse {",
    );
    for when in ["", "when=beat "] {
        chat.edit("layer rules {", &format!("layer rules {when}{{"));
        assert_eq!(chat.layers(&[]), ["moved rules"]);
        let cause = &chat.json(&[])["layers"][0]["causes"][0];
        assert_eq!(cause["kind"], "layer-moved");
        assert_eq!(cause["line"], 13);
        assert_eq!(chat.drift(&["--reminder"]).exits(1).stdout(), "");
    }
}

#[test]
fn a_text_that_stays_is_no_news() {
    let chat = Chat::new();
    chat.edit("layer model", "layer engine");
    chat.drift(&[]).exits(0);
    chat.edit("careful", "kind");
    assert_eq!(
        chat.layers(&[]),
        ["changed identity", "renamed model", "renamed engine"]
    );
    let note = chat.drift(&["--reminder"]).exits(1);
    let note = note.stdout();
    assert!(
        note.contains("part=\"identity\"") && note.contains("kind"),
        "{note}"
    );
    assert!(
        !note.contains("model") && !note.contains("engine"),
        "{note}"
    );
}

#[test]
fn what_was_told_is_not_told_again() {
    let chat = Chat::new();
    chat.write("AGENTS.md", "Run both linters.")
        .write("notes.md", "Ann is on leave.");
    let first = chat.tell();
    assert!(
        first.contains("Run both linters.") && first.contains("Ann is on leave."),
        "{first}"
    );
    assert_eq!(chat.tell(), "");
    let ran = chat.drift(&[]).exits(0);
    assert!(
        ran.stdout().starts_with(
            "same     nothing differs from what was told at 2026-03-30T21:00:00Z\nrefresh  keeps "
        ),
        "{}",
        shown(&ran)
    );
    assert_eq!(
        chat.layers(&["--since-frozen"]),
        ["changed rules", "added notes"]
    );

    chat.write("AGENTS.md", "Run three linters.");
    let human = chat.drift(&[]).exits(1);
    let head = "drift    1 layer differs from what was told at 2026-03-30T21:00:00Z\n";
    assert!(shown(&human).starts_with(head), "{}", human.stdout());
    let second = chat.tell();
    assert!(
        second.contains("Run three linters.") && !second.contains("Ann"),
        "{second}"
    );
    assert_eq!(chat.tell(), "");
}

#[test]
fn what_goes_back_to_its_frozen_state_is_told_too() {
    let chat = Chat::new();
    chat.write("AGENTS.md", "Run both linters.");
    chat.tell();
    chat.write("AGENTS.md", RULES);
    let back = chat.tell();
    assert!(back.contains("Run the linter."), "{back}");
    let ran = chat.drift(&[]).exits(0);
    assert!(!ran.stdout().contains("refresh"), "{}", ran.stdout());
}

#[test]
fn only_looking_notes_nothing() {
    let chat = Chat::new();
    chat.write("AGENTS.md", "Run both linters.");
    for args in [
        &[][..],
        &["--reminder"],
        &["--format", "json", "--reminder"],
        &["--since-frozen"],
    ] {
        chat.drift(args).exits(1);
    }
    chat.drift(&["--since-frozen", "--mark-delivered"]).exits(2);
    assert_eq!(chat.json(&[])["told"], Value::Null);
    chat.drift(&["--mark-delivered"]).exits(1);
    chat.drift(&[]).exits(0);
}

#[test]
fn a_refresh_forgets_what_was_told() {
    let chat = Chat::new();
    chat.write("AGENTS.md", "Run both linters.");
    chat.tell();
    chat.build(LATER, &["--event", "compaction"]);
    let json = chat.json(&[]);
    assert_eq!(
        (&json["number"], &json["since"], &json["drift"]),
        (&2.into(), &"frozen".into(), &false.into())
    );
    chat.write("AGENTS.md", RULES);
    assert_eq!(chat.layers(&[]), ["changed rules"]);
}

#[test]
fn a_private_fact_is_given_anew_or_missed() {
    let with_key = MANIFEST.replace(
        "fact beat",
        "fact key string private=#true optional=#true\nfact beat",
    );
    let with_key = with_key.replace(
        "layer notes",
        "layer key { template \"Key: {{ key | default('none') }}\" }\n    layer notes",
    );
    let chat = Chat::of(&with_key);
    chat.build(START, &["--refresh", "--set", "key=secret-value"]);
    chat.drift(&["--set", "key=secret-value"]).exits(0);
    let ran = chat.drift(&[]).exits(1);
    assert!(
        ran.stderr.starts_with("warning[private-not-kept]"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stdout().contains("fact `key` changed\n"),
        "{}",
        ran.stdout()
    );
    assert!(!ran.stdout().contains("secret-value") && !ran.stderr.contains("secret-value"));
}

#[test]
fn the_manifest_as_it_is_now_says_how_to_tell() {
    let chat = Chat::new();
    chat.write("AGENTS.md", "Run both linters.")
        .write("notes.md", "Ann is on leave.");
    let template = "{% for c in changes %}{{ c.layer }} {{ c.change }}: {{ c.causes | join('; ') }}. {% endfor %}{{ model }}";
    chat.edit(
        "tier turn",
        &format!("session {{ reminder {{ template \"{template}\" }} }}\ntier turn"),
    );
    let wanted = "rules changed: AGENTS.md:1 changed: “# Rules” → “Run both linters.”. notes added: notes.md:1 appeared: “Ann is on leave.”. small";
    assert_eq!(chat.drift(&["--reminder"]).exits(1).stdout(), wanted);
    assert_eq!(chat.json(&["--reminder"])["reminder"], wanted);

    chat.edit(template, "{{ changes[0].text }}").edit(
        "reminder {",
        "reminder { budget 12 at=char marker=\"[cut]\";",
    );
    let ran = chat.drift(&["--reminder", "--mark-delivered"]).exits(1);
    assert_eq!(ran.stdout(), "Run bot[cut]");
    assert!(ran.stderr.starts_with("warning[cut]"), "{}", ran.stderr);
    assert_eq!(chat.tell(), "", "a note that was cut was told all the same");
}

#[test]
fn a_template_may_have_nothing_to_say() {
    let chat = Chat::new();
    chat.edit("tier turn", "session { reminder { template \"{% for c in changes if c.tier == 'daily' %}x{% endfor %}\" } }\ntier turn");
    chat.write("AGENTS.md", "Run both linters.");
    let ran = chat.drift(&["--reminder", "--mark-delivered"]).exits(1);
    assert_eq!(ran.stdout(), "");
    chat.drift(&[]).exits(0);
}

#[test]
fn the_same_files_give_the_same_note_wherever_it_is_made() {
    let chat = Chat::new();
    let template = "{% for c in changes %}{{ c.tier }}/{{ c.layer }} {{ c.causes | join('; ') }} {{ c.text }}\\n{% endfor %}";
    chat.edit(
        "tier turn",
        &format!("session {{ reminder {{ template \"{template}\" }} }}\ntier turn"),
    );
    chat.edit("careful", "kind")
        .write("AGENTS.md", "Run both linters.");
    let here = chat.drift(&["--reminder"]).exits(1);
    assert!(
        here.stdout().contains("promptc.kdl:8 edited"),
        "{}",
        here.stdout()
    );
    chat.0.file("else/where.txt", "");
    let args = [
        "session",
        "drift",
        "c",
        "-m",
        "../promptc.kdl",
        "--store",
        "../.promptc/store.db",
    ];
    let args = [
        &args[..],
        &["--now", LATER, "--reminder", "--color", "always"],
    ]
    .concat();
    let mut command = chat.0.command(&args);
    command.current_dir(chat.0.path().join("else"));
    command.envs([
        ("TZ", "Asia/Tokyo"),
        ("LANG", "de_DE.UTF-8"),
        ("HOME", "/"),
        ("COLUMNS", "20"),
    ]);
    assert_eq!(run(command, b"").exits(1).stdout(), here.stdout());
}

#[test]
fn what_cannot_be_built_now_is_an_error_and_nothing_is_noted() {
    let chat = Chat::new();
    chat.write("AGENTS.md", "Run both linters.");
    let good = chat.0.read("promptc.kdl");
    for (broken, code) in [
        ("tier stable {", "duplicate-name"),
        ("fact must string", "missing-fact"),
        ("session { reminder { budget 2 } }", "over-budget"),
        (
            "session { reminder { template \"{{ changes[9].text }}\" } }",
            "undefined-value",
        ),
        ("nonsense", "unknown-node"),
    ] {
        let end = if broken.ends_with("stable {") {
            " layer x { text \"x\" } }"
        } else {
            ""
        };
        chat.write("promptc.kdl", &format!("{good}{broken}{end}\n"));
        let ran = chat.drift(&["--reminder", "--mark-delivered"]).exits(2);
        assert_eq!(ran.stdout(), "");
        assert!(
            ran.stderr.contains(&format!("error[{code}]")),
            "{}",
            ran.stderr
        );
    }
    chat.write("promptc.kdl", &good);
    assert_eq!(chat.json(&[])["told"], Value::Null);
    assert_eq!(chat.layers(&[]), ["changed rules"]);
}

#[test]
fn a_session_is_not_used_by_looking_at_its_drift() {
    let chat = Chat::new();
    chat.write("AGENTS.md", "Run both linters.");
    let used = || {
        let list = chat
            .0
            .run(&["session", "list", "--format", "json"])
            .exits(0);
        let list: Value = serde_json::from_str(list.stdout()).unwrap();
        list["sessions"][0]["used"].clone()
    };
    assert_eq!(used(), START);
    chat.drift(&["--reminder", "--mark-delivered"]).exits(1);
    assert_eq!(used(), START);
}

#[test]
fn where_there_is_no_session_none_is_made() {
    let place = Place::new();
    place.file("promptc.kdl", MANIFEST);
    let ran = place.run(&["session", "drift", "c"]).exits(2);
    assert!(
        ran.stderr.starts_with("error[unknown-session]"),
        "{}",
        ran.stderr
    );
    assert!(!place.path().join(".promptc").exists());
    let chat = Chat::new();
    chat.0.run(&["session", "drift", "d"]).exits(2);
    let other = chat.0.file("other/promptc.kdl", "promptc 1\nname borea\n");
    let ran = chat
        .drift(&[
            "--store",
            ".promptc/store.db",
            "-m",
            other.to_str().unwrap(),
        ])
        .exits(2);
    assert!(
        ran.stderr.starts_with("error[other-manifest]"),
        "{}",
        ran.stderr
    );
}

/// A reader that goes away before it has read the note has not told anybody.
#[test]
fn what_nobody_read_was_not_told() {
    let chat = Chat::new();
    chat.write("AGENTS.md", &"Run both linters.\n".repeat(20_000));
    chat.edit(
        "tier turn",
        "session { reminder { budget 400000 } }\ntier turn",
    );
    let args = [
        "session",
        "drift",
        "c",
        "--now",
        LATER,
        "--reminder",
        "--mark-delivered",
    ];
    let mut command = chat.0.command(&args);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("error[output-not-written]"), "{said}");
    assert_eq!(chat.json(&[])["told"], Value::Null);
}

/// What a gateway does at each turn, while people edit files and days go by.
#[test]
fn a_conversation_learns_what_changes_and_its_prompt_stays() {
    let chat = Chat::new();
    let mut conversation: Vec<String> = Vec::new();
    let mut prompts: Vec<String> = Vec::new();
    let turn = |now: &str, conversation: &mut Vec<String>, prompts: &mut Vec<String>| {
        prompts.push(chat.build(now, &[]));
        let note = chat.drift_at(now, &["--reminder", "--mark-delivered"]);
        assert!(note.code == 0 || note.code == 1, "{}", note.stderr);
        if !note.stdout.is_empty() {
            conversation.push(note.stdout().to_owned());
        }
        conversation.push(format!("turn at {now}"));
    };
    turn("2026-03-30T10:00:00Z", &mut conversation, &mut prompts);
    turn("2026-03-30T11:00:00Z", &mut conversation, &mut prompts);
    chat.write("AGENTS.md", "Run both linters.");
    turn("2026-03-30T12:00:00Z", &mut conversation, &mut prompts);
    turn("2026-03-30T13:00:00Z", &mut conversation, &mut prompts);
    chat.write("notes.md", "Ann is on leave.");
    turn("2026-03-31T10:00:00Z", &mut conversation, &mut prompts);
    turn("2026-03-31T11:00:00Z", &mut conversation, &mut prompts);
    assert!(prompts.iter().all(|prompt| *prompt == prompts[0]));
    let notes: Vec<&String> = conversation
        .iter()
        .filter(|m| !m.starts_with("turn"))
        .collect();
    assert_eq!(conversation.len(), 8);
    assert!(
        notes[0].contains("Run both linters.") && !notes[0].contains("careful"),
        "{}",
        notes[0]
    );
    assert!(
        notes[1].contains("Ann is on leave.") && notes[1].contains("2026-03-31"),
        "{}",
        notes[1]
    );
    assert!(!notes[1].contains("linters"), "{}", notes[1]);

    let anew = chat.build("2026-03-31T12:00:00Z", &["--event", "compaction"]);
    for text in ["Run both linters.", "Ann is on leave.", "2026-03-31"] {
        assert!(anew.contains(text), "{anew}");
    }
    chat.drift_at("2026-03-31T12:00:00Z", &[]).exits(0);
}
