//! The oracle is checked: correct reports are falsified, and it has to notice.

use super::run::pair;
use super::verify::causes;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A falsified report; none if it cannot be falsified so.
type Falsify = fn(&Value) -> Option<Value>;

fn first(report: &Value, change: impl Fn(&mut Value)) -> Option<Value> {
    let mut out = report.clone();
    let cause = out["break"]["causes"].get_mut(0)?;
    let before = cause.clone();
    change(cause);
    (*cause != before).then_some(out)
}

const WAYS: [(&str, Falsify); 10] = [
    ("no cause", |r| {
        let mut out = r.clone();
        out["break"]["causes"] = json!([]);
        Some(out)
    }),
    ("one cause less", |r| {
        let mut out = r.clone();
        let list = out["break"]["causes"].as_array_mut()?;
        let kinds = |c: &Value| c["kind"] == "cut-moved";
        if list.len() < 2 || list.iter().any(kinds) {
            return None;
        }
        list.pop();
        Some(out)
    }),
    ("one cause more", |r| {
        let mut out = r.clone();
        let one = json!({ "kind": "document-changed", "root": "workspace", "path": "none.md", "line": 1,
            "fact": null, "item": null, "old": null, "new": null });
        out["break"]["causes"].as_array_mut()?.push(one);
        Some(out)
    }),
    ("another document", |r| {
        first(r, |c| {
            if c["path"].is_string() {
                c["path"] = json!("g/none.md");
            }
        })
    }),
    ("another fact", |r| {
        first(r, |c| {
            if c["fact"].is_string() {
                c["fact"] = json!("f9");
            }
        })
    }),
    ("unexplained", |r| {
        first(r, |c| c["kind"] = json!("unexplained"))
    }),
    ("another line", |r| {
        first(r, |c| {
            let document = c["kind"] == "document-changed";
            if let (true, Some(line)) = (document, c["line"].as_u64()) {
                c["line"] = json!(line + 3);
            }
        })
    }),
    ("no because", |r| {
        first(r, |c| {
            if c["kind"] == "cut-moved" {
                c["because"] = json!([]);
            }
        })
    }),
    ("because of another", |r| {
        first(r, |c| {
            if c["kind"] != "cut-moved" {
                return;
            }
            for one in c["because"].as_array_mut().into_iter().flatten() {
                one["path"] = json!("none.md");
                one["fact"] = json!("f9");
            }
        })
    }),
    ("another offset", |r| {
        let mut out = r.clone();
        let offset = out["break"]["offset"].as_u64()?;
        out["break"]["offset"] = json!(offset + 1);
        Some(out)
    }),
];

#[test]
fn notices() {
    let mut seen: BTreeMap<&str, (usize, usize, u64)> = BTreeMap::new();
    for seed in 0..500 {
        let Ok(Ok(pair)) = pair(seed) else { continue };
        let report = promptc::compare::diff(&pair.a.built.prompt, &pair.b.built.prompt);
        let report = serde_json::to_value(&report).expect("a report is JSON");
        let right = pair.verified(&report);
        let moved = |c: &Value| {
            ["layer-moved", "layer-added", "layer-removed"]
                .iter()
                .any(|k| c["kind"] == *k)
        };
        let broken = &report["break"];
        if !right.wrong.is_empty()
            || !right.skipped.is_empty()
            || causes(broken, "causes").iter().any(moved)
        {
            continue;
        }
        for (way, falsify) in WAYS {
            let Some(wrong) = falsify(&report) else {
                continue;
            };
            let entry = seen.entry(way).or_default();
            entry.0 += 1;
            match pair.verified(&wrong).wrong.is_empty() {
                true => entry.2 = seed,
                false => entry.1 += 1,
            }
        }
    }
    println!("{seen:?}");
    for (way, (all, noticed, seed)) in seen {
        assert!(
            noticed * 100 >= all * 94,
            "{way}: {noticed} of {all} noticed, not in seed {seed}"
        );
    }
}
