//! Falsified answers: the check has to notice each.

use serde_json::{Value, json};

use crate::generate::conversation;
use crate::maker::Line;
use crate::pairs::check;
use crate::want::Want;

/// The answer that is wanted, in the form of the program.
fn right(line: &Line, b: usize, numbers: &[usize]) -> Value {
    match &line.want {
        Want::First => json!({ "b": b, "api": line.api.name(), "state": "first", "causes": [] }),
        Want::Failed => json!({ "b": b, "api": line.api.name(), "state": "failed", "causes": [] }),
        Want::Incomplete => {
            json!({ "b": b, "api": line.api.name(), "state": "incomplete", "reason": "x" })
        }
        Want::After(a, answer, gap) => {
            let mut causes: Vec<Value> = Vec::new();
            let mut sorted: Vec<_> = answer.causes.iter().collect();
            sorted.sort_by_key(|c| (c.rank.unwrap_or(9), !c.leads));
            for c in sorted {
                let mut v = json!({ "kind": c.kind, "at": c.at[0] });
                for (key, n) in [("line", c.line), ("block", c.block), ("count", c.count)] {
                    if let Some(n) = n {
                        v[key] = json!(n);
                    }
                }
                if let Some(p) = c.path.first() {
                    v["path"] = json!(p);
                }
                causes.push(v);
            }
            json!({
                "a": numbers[*a], "b": b, "api": line.api.name(), "state": answer.state[0], "first": answer.first.first(),
                "gap": gap.map(|g| g as f64 / 1000.0), "causes": causes,
                "reused": { "segments": answer.segments.last(), "bytes": 1, "of": 1 },
            })
        }
    }
}

#[test]
fn falsified_answers_are_noticed() {
    let mut falsified = 0;
    for seed in 0..400 {
        let c = conversation(seed);
        let numbers: Vec<usize> = (1..=c.lines.len()).collect();
        for (l, line) in c.lines.iter().enumerate() {
            let v = right(line, l + 1, &numbers);
            let wrong = check(line, &numbers, Some(&v));
            assert!(wrong.is_empty(), "seed {seed}: {wrong:?}\n{v}");
            let mut lies: Vec<(&str, Value)> = Vec::new();
            let mut lie = |what: &'static str, change: &dyn Fn(&mut Value)| {
                let mut v = v.clone();
                change(&mut v);
                lies.push((what, v));
            };
            lie("another API", &|v| v["api"] = json!("x"));
            lie("another state", &|v| v["state"] = json!("x"));
            if let Want::After(_, answer, gap) = &line.want {
                lie("another request before it", &|v| v["a"] = json!(99));
                if gap.is_some() {
                    lie("another gap", &|v| v["gap"] = json!(-1));
                }
                if !answer.segments.is_empty() {
                    lie("other segments", &|v| v["reused"]["segments"] = json!(99));
                }
                if !answer.first.is_empty() {
                    lie("another first place", &|v| {
                        v["first"] = json!("messages/99")
                    });
                }
                lie("a cause more", &|v| {
                    if let Some(c) = v["causes"].as_array_mut() {
                        c.push(json!({ "kind": "tool-added", "at": "tools/none" }));
                    }
                });
                for n in 0..answer.causes.len() {
                    lie("a cause less", &|v| {
                        if let Some(c) = v["causes"].as_array_mut() {
                            c.remove(n);
                        }
                    });
                    lie("another place", &|v| {
                        v["causes"][n]["at"] = json!("messages/99")
                    });
                    lie("another kind", &|v| v["causes"][n]["kind"] = json!("x"));
                    for key in ["line", "block", "count", "path"] {
                        if v["causes"][n].get(key).is_some() {
                            lie(key, &|v| v["causes"][n][key] = json!(99));
                        }
                    }
                }
            }
            for (what, v) in lies {
                falsified += 1;
                let noticed = !check(line, &numbers, Some(&v)).is_empty();
                assert!(noticed, "seed {seed}, request {}, {what}: {v}", l + 1);
            }
        }
    }
    println!("{falsified} answers were falsified and noticed");
}
