//! Requests by hand, with answers from the page: `hand/*.jsonl`.
//!
//! A line that begins with `#` says what the page says, and `# open:` what it leaves open. A line `{"expect": …}` has
//! the answers for requests, by their `b`: each key that is there must be as it is in the answer of the program;
//! `causes` are all of them, each with the keys that are there. The other lines are the input.

use std::path::Path;

use serde_json::Value;

use crate::program::said;

/// Whether all that is wanted is said.
fn holds(want: &Value, said: &Value) -> bool {
    match (want, said) {
        (Value::Object(w), Value::Object(s)) => w
            .iter()
            .all(|(k, v)| holds(v, s.get(k).unwrap_or(&Value::Null))),
        (Value::Array(w), Value::Array(s)) => {
            w.len() == s.len() && w.iter().zip(s).all(|(w, s)| holds(w, s))
        }
        (Value::Number(w), Value::Number(s)) => match (w.as_f64(), s.as_f64()) {
            (Some(w), Some(s)) => (w - s).abs() < 0.001,
            _ => w == s,
        },
        _ => want == said,
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "files of a test")]
fn by_hand() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/requests/hand");
    let mut files: Vec<_> = std::fs::read_dir(&dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    files.sort();
    let name = |f: &Path| {
        f.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    files.retain(|f| name(f).ends_with(".jsonl"));
    assert!(!files.is_empty(), "no file is there");
    let mut wrong = 0;
    let mut count = 0;
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        let mut input = String::new();
        let mut wants: Vec<Value> = Vec::new();
        for line in text.lines().filter(|l| !l.starts_with('#')) {
            if line.starts_with("{\"expect\"") {
                wants.push(serde_json::from_str::<Value>(line).unwrap()["expect"].take())
            } else {
                input = input + line + "\n"
            }
        }
        let name = name(file);
        let said = said(&input);
        assert!(!wants.is_empty(), "{name} expects nothing");
        for want in wants {
            count += 1;
            let b = usize::try_from(want["b"].as_u64().unwrap_or(0)).unwrap_or(0);
            let v = said.of(b).unwrap_or(&Value::Null);
            if !holds(&want, v) {
                wrong += 1;
                println!("{name}, request {b}:\n    wanted {want}\n    said   {v}");
            }
        }
    }
    assert!(wrong == 0, "{wrong} of {count} answers are wrong");
}
