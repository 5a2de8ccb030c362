//! The judge is checked: correct reports are falsified, and it has to notice.

use super::run::{Draw, draw};
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

const WAYS: [(&str, Falsify); 12] = [
    ("no cause", |r| {
        let mut out = r.clone();
        out["break"]["causes"] = json!([]);
        Some(out)
    }),
    ("one round less", |r| {
        let mut out = r.clone();
        out["hidden"].as_array_mut()?.pop()?;
        Some(out)
    }),
    ("more is kept", |r| {
        let mut out = r.clone();
        let undone = out["break"]["undone"].as_u64()?;
        out["break"]["undone"] = json!(undone + 1);
        Some(out)
    }),
    ("a layer less", |r| {
        let mut out = r.clone();
        out["hidden"].as_array()?.is_empty().then_some(())?;
        out["break"]["layers"].as_array_mut()?.pop()?;
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
            // Of a condition the judge reads what flipped it.
            if c["fact"].is_string() && c["because"].is_null() {
                c["fact"] = json!("f9");
            }
        })
    }),
    ("unexplained", |r| {
        first(r, |c| c["kind"] = json!("unexplained"))
    }),
    ("another line", |r| {
        first(r, |c| {
            let document = c["kind"] == "document-changed" && c["new"].is_string();
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
        let Draw::Pair(pair) = draw(seed) else {
            continue;
        };
        let report = pair.report();
        if !pair.judged(&report).wrong.is_empty() {
            continue;
        }
        for (way, falsify) in WAYS {
            let Some(wrong) = falsify(&report) else {
                continue;
            };
            let entry = seen.entry(way).or_default();
            entry.0 += 1;
            if pair.judged(&wrong).wrong.is_empty() {
                entry.2 = seed
            } else {
                entry.1 += 1
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
