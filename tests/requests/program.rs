//! The program under test.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// The program's report about a file of bodies.
pub(crate) struct Said {
    /// By the number of the request.
    pub(crate) comparisons: Vec<Value>,
    /// All that was written or printed.
    pub(crate) written: String,
}

pub(crate) fn run(at: &Path, args: &[&str]) -> Output {
    match Command::new(env!("CARGO_BIN_EXE_promptc"))
        .args(args)
        .current_dir(at)
        .output()
    {
        Ok(o) => o,
        Err(e) => panic!("promptc {args:?}: {e}"),
    }
}

/// All that a call wrote.
pub(crate) fn words(o: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&o.stdout),
        String::from_utf8_lossy(&o.stderr)
    )
}

/// Imports bodies and compares each request with the one before it.
#[expect(clippy::disallowed_methods, reason = "files of a test")]
pub(crate) fn said(bodies: &str) -> Said {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    std::fs::write(at.join("bodies.jsonl"), bodies).unwrap();
    let import = run(
        at,
        &["capture", "import", "bodies.jsonl", "-o", "requests.jsonl"],
    );
    assert!(import.status.success(), "import: {}", words(&import));
    let diff = run(
        at,
        &["capture", "diff", "requests.jsonl", "--format", "json"],
    );
    let v: Value = match serde_json::from_slice(&diff.stdout) {
        Ok(v) => v,
        Err(e) => panic!("diff: {e}\n{}", words(&diff)),
    };
    let log = std::fs::read_to_string(at.join("requests.jsonl")).unwrap();
    Said {
        comparisons: v["comparisons"].as_array().cloned().unwrap_or_default(),
        written: log + &words(&import) + &words(&diff),
    }
}

impl Said {
    /// The report about request `b`.
    pub(crate) fn of(&self, b: usize) -> Option<&Value> {
        let is = |v: &&Value| v["b"].as_u64() == Some(b as u64);
        self.comparisons
            .get(b.wrapping_sub(1))
            .filter(is)
            .or_else(|| self.comparisons.iter().find(is))
    }
}
