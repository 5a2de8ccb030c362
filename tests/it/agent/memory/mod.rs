//! `promptc agent memory` through the binary.

mod calls;
mod refusals;
mod undivided;
mod targets;
mod tool;
mod properties;
mod advice;
mod writers;
#[cfg(unix)]
mod disk;

use crate::run::{Place, Ran, run};
use serde_json::Value;
use std::process::Command;

/// A folder with a manifest and a home for its memories.
struct Desk {
    place: Place,
}

impl Desk {
    /// With one memory, `notes`, of these properties and children.
    fn with(source: &str) -> Self {
        Self::manifest(&format!(
            "root home default=\"home\"\ntier t {{ layer notes {{ memory \"NOTES.md\" root=home {source} }} }}\n"
        ))
    }

    /// With this manifest, whose first line is added here.
    fn manifest(text: &str) -> Self {
        let place = Place::new();
        place.file("promptc.kdl", format!("promptc 1\n{text}"));
        place.file("home/.keep", "");
        Self { place }
    }

    /// With a text in the memory's file.
    fn holding(self, text: impl AsRef<[u8]>) -> Self {
        self.place.file("home/NOTES.md", text);
        self
    }

    fn command(&self, args: &[&str]) -> Command {
        self.place.command(&[&["agent", "memory"], args].concat())
    }

    fn run(&self, args: &[&str]) -> Ran {
        run(self.command(args), b"")
    }

    /// The answer for programs, whose exit code agrees.
    fn answer(&self, args: &[&str]) -> Value {
        let (command, rest) = args.split_first().unwrap();
        let args = [&[*command, "--format", "json"], rest].concat();
        answered(run(self.command(&args), b""))
    }

    /// The answer to a tool call.
    fn call(&self, call: &str, args: &[&str]) -> Value {
        let args = [&["apply", "--format", "json"], args].concat();
        answered(run(self.command(&args), call.as_bytes()))
    }

    fn text(&self) -> String {
        self.place.read("home/NOTES.md")
    }

    /// The names in the home, in order, without `.keep`.
    fn names(&self) -> Vec<String> {
        let listed = std::fs::read_dir(self.place.path().join("home")).unwrap();
        let names = listed.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name != ".keep").collect();
        names.sort();
        names
    }
}

fn answered(ran: Ran) -> Value {
    let answer: Value = serde_json::from_slice(&ran.stdout)
        .unwrap_or_else(|error| panic!("{error}: {} {}", ran.stdout(), ran.stderr));
    assert_eq!(ran.stderr, "", "an answer is all that there is to say");
    assert_eq!(ran.stdout().lines().count(), 1, "one object on one line");
    let code = if answer["success"] == true { 0 } else { 1 };
    assert_eq!(ran.code, code, "{answer}");
    answer
}

/// The keys of an object, in the order in which they are written.
fn keys(ran: &Ran) -> Vec<String> {
    let text = ran.stdout().trim();
    let mut keys = Vec::new();
    let (mut depth, mut rest) = (0, text);
    while let Some(at) = rest.find(['{', '}', '[', ']', '"']) {
        let (mark, behind) = (&rest[at..=at], &rest[at + 1..]);
        rest = behind;
        match mark {
            "{" | "[" => depth += 1,
            "}" | "]" => depth -= 1,
            _ => {
                let end = behind.find('"').unwrap();
                if depth == 1 && behind[end + 1..].starts_with(':') {
                    keys.push(behind[..end].to_owned());
                }
                rest = &behind[end + 1..];
            }
        }
    }
    keys
}
