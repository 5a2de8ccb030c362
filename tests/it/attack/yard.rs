//! A folder in which every command finds what it works on.

use super::snapshot::Snapshot;
use crate::case::{self, Line};
use crate::run::{PROGRAM, Place};
use std::fs;
use std::path::Path;
use std::process::Command;

const FILES: &[(&str, &str)] = &[
    (
        "promptc.kdl",
        r###"promptc 1
name yard
root workspace default="ws"
fact user string default=Ann
fact mood string default=calm
fact today date clock=UTC changes=day
fact key string optional=#true private=#true
fact topic string optional=#true changes=turn
scan words { scopes all; rule bad "ignore all" scope=all }
tier tools changes=session deliver=tools { layer defs { json "tools.json" } }
tier stable changes=session {
    layer rules { file "AGENTS.md" { scan words on-hit=warn; budget 4000 } }
    layer more { glob "rules/*.md" { frontmatter parse; wrap "## {{ meta.title | default(name) }}\n\n{{ text }}" } }
    layer skills { skills "skills" }
    layer who { template file="who.j2" }
    layer notes { memory "NOTES.md" capacity=2000 about="what you learned" }
}
tier daily changes=day { layer clock { template "Today is {{ today | date('%d %B %Y') }}." } }
tier turn changes=turn deliver=user { layer topic { fact topic } }
session { refresh event=compaction; refresh fact=mood }
directory-rules { file "AGENTS.md" { budget 800 } }
scenario ann { root workspace "ws"; set today "2026-11-23" }
scenario bob { root workspace "ws"; set today "2026-11-23"; set user Bob }
"###,
    ),
    (
        "who.j2",
        "Hello {{ user | sanitize }}, be {{ mood }}.{% if key is defined %} There is a key.{% endif %}\n\
         {% for w in [\"a\", \"b\"] %}{{ loop.index }} {{ w | upper }}\n{% endfor %}",
    ),
    (
        "ws/tools.json",
        r#"[{"name":"read","description":"Reads."},{"name":"write","input_schema":{"type":"object"}}]"#,
    ),
    ("ws/AGENTS.md", "Be brief.\n"),
    ("ws/src/AGENTS.md", "No recursion.\n"),
    (
        "ws/rules/one.md",
        "---\ntitle: One\ntags: [a, b]\n---\nFirst rule.\n",
    ),
    ("ws/rules/two.md", "Second rule.\n\n- a\n- b\n"),
    (
        "ws/skills/tide/SKILL.md",
        "---\nname: tide\ndescription: Reads tides.\n---\nLook.\n",
    ),
    ("ws/skills/tide/references/gauge.md", "The gauge.\n"),
    (
        "ws/NOTES.md",
        "Tea at four.\n§\nThe crane lifts 12 tonnes.\n",
    ),
    (
        "facts.json",
        r#"{"user":"Ann","mood":"calm","topic":"the tide","key":"k"}"#,
    ),
    (
        "facts.jsonl",
        "{\"user\":\"Ann\"}\n{\"user\":\"Bob\",\"mood\":\"cross\"}\n{\"topic\":\"mail\"}\n",
    ),
    (
        "ugly.kdl",
        "promptc 1\n// A comment.\ntier  a   changes=session {layer x {text \"one\"}\n  layer   y { text   \"two\" } }\n",
    ),
    (
        "fixable.kdl",
        "promptc 1\nfact today   date clock=UTC changes=day\n\
         tier daily changes=day { layer day { template \"{{ today }}\" } }\n\
         tier calm changes=deploy { layer who { text \"You are Atlas.\" } }\n",
    ),
    (
        "prices.json",
        r#"{"claude-opus-5-5":{"litellm_provider":"anthropic","mode":"chat","input_cost_per_token":0.000005,
        "output_cost_per_token":0.000025,"cache_read_input_token_cost":0.0000005,"max_input_tokens":200000},
        "deepseek-v4-pro":{"litellm_provider":"deepseek","mode":"chat","input_cost_per_token":0.000001}}"#,
    ),
    (
        "monday.txt",
        "# Rules\n\nBe brief.\n\n# User\n\nToday is Monday.\nAnn is here.\n",
    ),
    (
        "friday.txt",
        "# Rules\n\nBe brief.\n\n# User\n\nToday is Friday.\nAnn is here.\n",
    ),
    (
        "messages.json",
        r#"[{"role":"user","content":"Hello."},{"role":"assistant","content":"Yes?"},{"role":"user","content":"Go on."}]"#,
    ),
    (
        "call.json",
        r#"{"operations":[{"action":"add","content":"Rain."},{"action":"remove","old_text":"crane"}]}"#,
    ),
    ("answers.txt", "A\n"),
    (
        "bodies.jsonl",
        "{\"model\":\"claude-opus-5-5\",\"max_tokens\":9,\"system\":\"Be brief.\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}\n\
         {\"model\":\"claude-opus-5-5\",\"max_tokens\":9,\"system\":\"Be kind.\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}\n",
    ),
    (
        "capture.key",
        "0000000000000000000000000000000000000000000000000000000000000000\n",
    ),
    // The file that a command replaces.
    ("out.txt", "An older output.\n"),
    ("table.kdl", "An older table.\n"),
    ("other/.keep", ""),
];

/// A folder that is as it was made whenever that is asked for. It stays where it is, since stores hold its path.
pub(super) struct Yard {
    place: Place,
    made: Snapshot,
}

impl Yard {
    /// The program itself creates the inputs of other commands.
    pub(super) fn new() -> Self {
        let place = Place::new();
        for folder in ["home", "tmp"] {
            fs::create_dir(place.path().join(folder)).unwrap();
        }
        place.file("beside.txt", "No command has a reason to touch this.\n");
        for (path, text) in FILES {
            place.file(&format!("work/{path}"), text);
        }
        let run = |line: &str| {
            let line = case::command(&format!("promptc {line}"));
            let ran = crate::run::run(command(place.path(), &line), b"");
            assert_eq!(ran.code, 0, "{line:?}: {}", ran.stderr);
            ran.stdout
        };
        let earlier = "--now 2026-11-21T10:00:00Z";
        run(&format!("build --session chat-1 {earlier}"));
        run(&format!("build --session chat-2 {earlier}"));
        run("build --session chat-1 --event compaction --set user=Zoe --now 2026-11-22T10:00:00Z");
        run("agent rules src/x --session chat-1");
        run(&format!("build {earlier} --format json -o old.json"));
        run(&format!(
            "build {earlier} --set user=Bob --format json -o new.json"
        ));
        run("session export chat-1 -o chat.json");
        run("capture import bodies.jsonl --hash-key capture.key -o requests.jsonl");
        run("test -m promptc.kdl --accept");
        let own = run("providers import prices.json --as-of 2026-11-20");
        let own = String::from_utf8(own).unwrap();
        place.file("work/own.kdl", own.replace("claude-opus-5-5", "own-1"));
        git(&place, &["init", "-q", "--template="]);
        git(
            &place,
            &[
                "add",
                "promptc.kdl",
                "promptc.lock",
                "snapshots",
                "who.j2",
                "ws",
            ],
        );
        git(&place, &["commit", "-q", "-m", "one"]);
        // A snapshot differs, one is stale, and one is new.
        place.file(
            "work/ws/AGENTS.md",
            "Be brief, and say what you do not know.\n",
        );
        let manifest = place.read("work/promptc.kdl");
        place.file(
            "work/promptc.kdl",
            manifest.replace("scenario bob", "scenario cid"),
        );
        let made = Snapshot::of(place.path());
        Self { place, made }
    }

    pub(super) fn path(&self) -> &Path {
        self.place.path()
    }

    /// The id that it was created with.
    pub(super) fn made(&self) -> &Snapshot {
        &self.made
    }

    /// As it was made.
    pub(super) fn fresh(&self) -> &Self {
        let now = Snapshot::of(self.path());
        let changed = now.changed(&self.made);
        // The content of a folder comes after it, and is removed before it.
        for path in changed
            .iter()
            .rev()
            .filter(|path| now.0.contains_key(*path))
        {
            let at = self.path().join(path.trim_end_matches(" ->"));
            if path.ends_with('/') {
                fs::remove_dir(at).unwrap()
            } else {
                fs::remove_file(at).unwrap()
            }
        }
        for path in changed
            .iter()
            .filter(|path| self.made.0.contains_key(*path))
        {
            match path.strip_suffix('/') {
                Some(folder) => fs::create_dir(self.path().join(folder)).unwrap(),
                None => fs::write(self.path().join(path), &self.made.0[path]).unwrap(),
            }
        }
        self
    }
}

fn git(place: &Place, args: &[&str]) {
    let mut command = Command::new("git");
    let identity = [
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@example.com",
        "-c",
        "commit.gpgsign=false",
    ];
    command
        .args(identity)
        .args(args)
        .current_dir(place.path().join("work"));
    assert!(
        command
            .env("HOME", place.path().join("home"))
            .status()
            .unwrap()
            .success()
    );
}

/// The program in a yard, with its folders for home and for temporary files.
pub(super) fn command(place: &Path, line: &Line) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(&line.args);
    within(place, line, command)
}

/// A command in a yard that runs the program.
pub(super) fn within(place: &Path, line: &Line, mut command: Command) -> Command {
    command.current_dir(place.join("work")).env_clear();
    command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command
        .env("HOME", place.join("home"))
        .env("TMPDIR", place.join("tmp"));
    command.envs(line.env.iter().map(|(name, value)| (name, value)));
    command
}

/// The standard input of a line.
pub(super) fn stdin(place: &Path, line: &Line) -> Vec<u8> {
    let file = line.stdin.as_ref();
    file.map_or(Vec::new(), |file| {
        fs::read(place.join("work").join(file)).unwrap_or_default()
    })
}
