//! The program under test, and what it said.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::money::{Amount, amount};

/// The kinds of tokens, as the page names them.
pub(crate) const BUCKETS: [&str; 6] = [
    "fresh",
    "read",
    "write_5m",
    "write_1h",
    "write_other",
    "output",
];

/// A row of an answer.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Row {
    pub(crate) requests: u64,
    pub(crate) tokens: [u64; 6],
    pub(crate) billed: Amount,
    pub(crate) avoidable: Amount,
    /// By file: what its changes cost, and whether its tokens are a share.
    pub(crate) caused: Amount,
    pub(crate) estimated: bool,
}

impl Row {
    pub(crate) fn add(&mut self, other: &Self) {
        self.requests += other.requests;
        for (t, o) in self.tokens.iter_mut().zip(other.tokens) {
            *t += o;
        }
        self.billed += other.billed;
        self.avoidable += other.avoidable;
        self.caused += other.caused;
        self.estimated |= other.estimated;
    }

    /// All tokens of the input.
    pub(crate) fn input(&self) -> u64 {
        self.tokens[..5].iter().sum()
    }
}

/// Rows by the values of the keys that they are grouped by.
pub(crate) type Rows = BTreeMap<Vec<String>, Row>;

/// The output of a call of `usage`.
pub(crate) struct Said {
    pub(crate) doc: Value,
    pub(crate) rows: Rows,
    pub(crate) total: Row,
}

/// A folder with a log in it.
pub(crate) struct Bench {
    pub(crate) dir: tempfile::TempDir,
}

impl Said {
    pub(crate) fn of(text: &str) -> serde_json::Result<Self> {
        Ok(read(serde_json::from_str(text)?))
    }
}

fn words(o: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&o.stdout),
        String::from_utf8_lossy(&o.stderr)
    )
}

impl Bench {
    /// Imports what is recorded; `name` says what kind of file it is to be.
    #[expect(clippy::disallowed_methods, reason = "files of a test")]
    pub(crate) fn new(input: &str, form: Option<&str>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path();
        std::fs::write(at.join("input.jsonl"), input).unwrap();
        std::fs::write(at.join("log.key"), "0".repeat(64) + "\n").unwrap();
        let mut args = vec!["capture", "import", "input.jsonl", "--hash-key", "log.key"];
        args.extend(form.iter().flat_map(|f| ["--as", f]));
        args.extend(["-o", "log.jsonl"]);
        let import = run(at, &args);
        assert!(import.status.success(), "import: {}", words(&import));
        Self { dir }
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        run(self.dir.path(), args)
    }

    /// The usage of the log, by some keys.
    pub(crate) fn by(&self, keys: &str) -> Said {
        self.usage(&["log.jsonl", "--by", keys])
    }

    pub(crate) fn usage(&self, args: &[&str]) -> Said {
        let (code, text) = self.raw(args);
        match Said::of(&text) {
            Ok(said) => said,
            Err(e) => panic!("usage {args:?}: {e}, exit {code:?}\n{text}"),
        }
    }

    /// The exit code, and what was written.
    pub(crate) fn raw(&self, args: &[&str]) -> (Option<i32>, String) {
        let mut all = vec!["usage"];
        all.extend(args);
        all.extend(["--format", "json"]);
        let o = self.run(&all);
        let text = if o.stdout.is_empty() {
            words(&o)
        } else {
            String::from_utf8_lossy(&o.stdout).into_owned()
        };
        (o.status.code(), text)
    }
}

fn run(at: &Path, args: &[&str]) -> Output {
    match Command::new(env!("CARGO_BIN_EXE_promptc"))
        .args(args)
        .current_dir(at)
        .output()
    {
        Ok(o) => o,
        Err(e) => panic!("promptc {args:?}: {e}"),
    }
}

fn row(v: &Value) -> Row {
    let mut r = Row {
        requests: v["requests"].as_u64().unwrap_or(0),
        billed: amount(v["billed"].as_str().unwrap_or("none")),
        avoidable: amount(v["avoidable"].as_str().unwrap_or("none")),
        caused: v["caused"].as_str().map_or(0, amount),
        estimated: v["estimated"] == true,
        ..Row::default()
    };
    for (t, b) in r.tokens.iter_mut().zip(BUCKETS) {
        *t = match v["buckets"][b].as_u64() {
            Some(n) => n,
            None => panic!("a row has no `{b}`: {v}"),
        };
    }
    r
}

fn read(doc: Value) -> Said {
    let by: Vec<String> = doc["by"]
        .as_array()
        .map(|a| a.iter().filter_map(Value::as_str).map(str::to_owned))
        .map(Iterator::collect)
        .unwrap_or_default();
    let mut rows = Rows::new();
    for v in doc["rows"].as_array().into_iter().flatten() {
        let key = by
            .iter()
            .map(|k| match &v[k] {
                Value::String(s) => s.clone(),
                other => other.to_string(),
            })
            .collect::<Vec<_>>();
        let before = rows.insert(key.clone(), row(v));
        assert!(before.is_none(), "two rows for {key:?}");
    }
    Said {
        total: row(&doc["total"]),
        doc,
        rows,
    }
}
