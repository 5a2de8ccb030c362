//! The note for a conversation.

use super::{Chat, LATER};
use crate::run::run;
use serde_json::Value;

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
    let note = chat.drift(&["--reminder"]).exits(0);
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
fn the_current_manifest_defines_the_reminder() {
    let chat = Chat::new();
    chat.write("AGENTS.md", "Run both linters.")
        .write("notes.md", "Ann is on leave.");
    let template = "{% for c in changes %}{{ c.layer }} {{ c.change }}: {{ c.causes | join('; ') }}. {% endfor %}{{ model }}";
    chat.edit(
        "tier turn",
        &format!("session {{ reminder {{ template \"{template}\" }} }}\ntier turn"),
    );
    let wanted = "rules changed: AGENTS.md:1 changed: “# Rules” → “Run both linters.”. notes added: notes.md:1 appeared: “Ann is on leave.”. small";
    assert_eq!(chat.drift(&["--reminder"]).exits(0).stdout(), wanted);
    assert_eq!(chat.json(&["--reminder"])["reminder"], wanted);

    chat.edit(template, "{{ changes[0].text }}").edit(
        "reminder {",
        "reminder { budget 12 at=char marker=\"[cut]\";",
    );
    let ran = chat.drift(&["--reminder", "--mark-delivered"]).exits(0);
    assert_eq!(ran.stdout(), "Run bot[cut]");
    assert!(ran.stderr.starts_with("warning[cut]"), "{}", ran.stderr);
    assert_eq!(chat.tell(), "", "a note that was cut was told all the same");
}

#[test]
fn a_template_may_have_nothing_to_say() {
    let chat = Chat::new();
    chat.edit("tier turn", "session { reminder { template \"{% for c in changes if c.tier == 'daily' %}x{% endfor %}\" } }\ntier turn");
    chat.write("AGENTS.md", "Run both linters.");
    let ran = chat.drift(&["--reminder", "--mark-delivered"]).exits(0);
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
    let here = chat.drift(&["--reminder"]).exits(0);
    here.shows("promptc.kdl:8 edited");
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
    assert_eq!(run(command, b"").exits(0).stdout(), here.stdout());
}

#[test]
fn a_failed_build_is_an_error_and_nothing_is_noted() {
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
        ran.says(&format!("error[{code}]"));
    }
    chat.write("promptc.kdl", &good);
    assert_eq!(chat.json(&[])["told"], Value::Null);
    assert_eq!(chat.layers(&[]), ["changed rules"]);
}
