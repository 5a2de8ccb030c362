//! `promptc session drift`: the changes that a rebuild would make, reported once.

mod compared;
mod note;
mod told;

use crate::run::{Place, Ran};
use serde_json::Value;

const MANIFEST: &str = r#"promptc 1
name atlas
root workspace default="."
fact model string default=small
fact today date clock=utc changes=day
fact beat bool default=#false changes=turn
tier stable changes=session {
    layer identity { text "You are a careful assistant." }
    layer rules { file "AGENTS.md" }
    layer notes { file "notes.md" missing=skip }
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

    /// The reports to a conversation, each once.
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
        let is_verdict = !more.contains(&"--reminder");
        assert_eq!(value["drift"] == true && is_verdict, ran.code == 1);
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

/// The output for people; it fits their terminal.
fn shown(ran: &Ran) -> &str {
    let shown = ran.stdout();
    for line in shown.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    shown
}
