//! Two logs of the same requests: what one is, and what is made of its export.

use super::run::Place;
use serde_json::Value;
use std::collections::BTreeMap;

/// Exports a log of a place and imports that: the new log is the same but for ids, which are hashed again, and for places in files.
pub(crate) fn same_again(place: &Place, log: &str) {
    let (bodies, again) = (format!("again.{log}.bodies"), format!("again.{log}"));
    place
        .run(&["capture", "export", log, "--inline", "-o", &bodies])
        .exits(0);
    place
        .run(&["capture", "import", &bodies, "-o", &again])
        .exits(0);
    let (one, two) = (plain(&place.read(log)), plain(&place.read(&again)));
    for (line, (a, b)) in one.iter().zip(&two).enumerate() {
        assert_eq!(a, b, "line {} of {log}", line + 1);
    }
    assert_eq!(one.len(), two.len(), "{log}");
    let said = |log: &str| {
        let ran = place
            .run(&["capture", "diff", log, "--format", "json"])
            .exits(0);
        let mut said: Value = serde_json::from_str(ran.stdout()).unwrap();
        for one in said["comparisons"].as_array_mut().unwrap() {
            // Names are hashes, and those of settings may be in a cause.
            for key in ["conversation", "chain"] {
                one[key].take();
            }
            for cause in one["causes"].as_array_mut().unwrap() {
                if cause["at"] == "prompt_cache_key" {
                    cause.take();
                }
            }
        }
        said["comparisons"].take()
    };
    assert_eq!(said(log), said(&again), "{log}");
}

/// The lines of a log with names in the place of hashes.
fn plain(log: &str) -> Vec<Value> {
    let mut names = Names::default();
    let lines = log.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        let members = line.as_object_mut().unwrap();
        members.remove("origin");
        // A body that is whole continues nothing.
        members.remove("continues");
        let conversation = members.get("conversation").and_then(Value::as_str);
        let conversation = conversation.unwrap_or_default().to_owned();
        if let Some(chain) = members.get("chain").and_then(Value::as_str) {
            let rest = chain.strip_prefix(&conversation).unwrap_or(chain);
            let rest = if rest.starts_with("/a-") {
                names.of(rest)
            } else {
                rest.to_owned()
            };
            members.insert("chain".to_owned(), rest.into());
        }
        if conversation.starts_with("c-") {
            let name = names.of(&conversation);
            members.insert("conversation".to_owned(), name.into());
        }
        if let Some(account) = members.get_mut("account") {
            *account = names.of(&account.to_string()).into();
        }
        let headers = members.get_mut("headers").and_then(Value::as_object_mut);
        for (name, value) in headers.into_iter().flatten() {
            if name.starts_with("x-claude-code-") {
                *value = names.of(&value.to_string()).into();
            }
        }
        let settings = members.get_mut("settings").and_then(Value::as_array_mut);
        for setting in settings.into_iter().flatten() {
            if setting["name"] == "prompt_cache_key" {
                setting["value"] = names.of(&setting["value"].to_string()).into();
            }
        }
        line
    });
    lines.collect()
}

#[derive(Default)]
struct Names(BTreeMap<String, usize>);

impl Names {
    fn of(&mut self, hash: &str) -> String {
        let next = self.0.len();
        format!("name-{}", self.0.entry(hash.to_owned()).or_insert(next))
    }
}
