//! How much of the prompt each session shares with the one before, while the memory grows: in the order of the manifest
//! next to this file, in the order of `check --fix`, and with `step=` on the memory's budget.

use std::fs;
use std::path::Path;
use std::process::Command;

const MANIFEST: &str = include_str!("promptc.kdl");
/// How many prompts are built one after the other.
pub(crate) const SESSIONS: usize = 24;
/// The texts besides the memory, and their characters.
const TEXTS: [(&str, usize); 6] = [
    ("persona", 2_600),
    ("rules", 8_000),
    ("skills", 6_000),
    ("project", 6_000),
    ("runtime", 2_000),
    ("notes", 2_000),
];
/// The memory before the first session, in characters.
const MEMORY: usize = 16_000;
const WORDS: [&str; 16] = [
    "the", "agent", "reads", "every", "file", "before", "it", "answers", "and", "keeps", "what",
    "people", "told", "in", "mind", "today",
];

/// The shared prefixes of 24 sessions of one manifest.
#[derive(Debug)]
pub(crate) struct Row {
    /// The order.
    pub(crate) order: &'static str,
    /// `step=`, if there is one.
    pub(crate) step: Option<usize>,
    /// The mean share of a prompt that the one before begins with, in bytes.
    pub(crate) mean: f64,
    /// The smallest.
    pub(crate) least: f64,
    /// In how many sessions the newest entry is in the prompt.
    pub(crate) newest: usize,
}

/// Every row, built with the program at `promptc` in `folder`, which is empty.
pub(crate) fn rows(promptc: &str, folder: &Path) -> Vec<Row> {
    let place = |name: &str| folder.join(name);
    for (name, size) in TEXTS {
        fs::write(place(&format!("{name}.md")), prose(name, size)).unwrap();
    }
    fs::create_dir_all(place("memory")).unwrap();
    fs::write(place("promptc.kdl"), MANIFEST).unwrap();
    fs::write(place("fixed.kdl"), MANIFEST).unwrap();
    run(promptc, folder, &["check", "--fix", "-m", "fixed.kdl"]);
    let fixed = fs::read_to_string(place("fixed.kdl")).unwrap();
    assert_ne!(fixed, MANIFEST, "--fix changed nothing");
    let mut out = Vec::new();
    for (order, manifest) in [
        ("of the fixture", MANIFEST),
        ("after `check --fix`", &fixed),
    ] {
        for step in [None, Some(256), Some(512), Some(1024)] {
            let stepped = match step {
                None => manifest.to_owned(),
                Some(step) => manifest.replace("at=line", &format!("at=line step={step}")),
            };
            fs::write(place("now.kdl"), stepped).unwrap();
            out.push(row(promptc, folder, order, step));
        }
    }
    out
}

fn row(promptc: &str, folder: &Path, order: &'static str, step: Option<usize>) -> Row {
    let prompts: Vec<(Vec<u8>, bool)> = (0..SESSIONS)
        .map(|session| {
            let entries = memory(session);
            fs::write(folder.join("memory/MEMORY.md"), entries.join("\n")).unwrap();
            let prompt = run(promptc, folder, &["build", "-q", "-m", "now.kdl"]);
            let text = String::from_utf8(prompt.clone()).unwrap();
            let newest = text.contains(entries.last().unwrap().as_str());
            (prompt, newest)
        })
        .collect();
    #[expect(clippy::cast_precision_loss, reason = "shares of some 30,000 bytes")]
    let shares: Vec<f64> = prompts
        .windows(2)
        .map(|pair| {
            let (before, after) = (&pair[0].0, &pair[1].0);
            let common = before.iter().zip(after).take_while(|(a, b)| a == b);
            common.count() as f64 / before.len() as f64
        })
        .collect();
    #[expect(clippy::cast_precision_loss, reason = "23 shares")]
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    Row {
        order,
        step,
        mean,
        least: shares.iter().copied().fold(1.0, f64::min),
        newest: prompts.iter().filter(|(_, newest)| *newest).count(),
    }
}

/// The entries of the memory in a session: one more than in the one before.
fn memory(session: usize) -> Vec<String> {
    let mut out = Vec::new();
    let mut size = 0;
    let mut number = 0;
    let mut more = session;
    while size < MEMORY || more > 0 {
        more -= usize::from(size >= MEMORY);
        let entry = format!("- {number}: {}", entry(number));
        size += entry.len() + 1;
        number += 1;
        out.push(entry);
    }
    out
}

/// One line.
fn entry(number: usize) -> String {
    let text = prose(&format!("entry {number}"), 70 + number * 37 % 80);
    text.replace('\n', " ").trim_end().to_owned()
}

/// So many characters of something like English, always the same for a name.
fn prose(name: &str, size: usize) -> String {
    let mut state: u64 = name
        .bytes()
        .fold(7, |s, b| s.wrapping_mul(31).wrapping_add(b.into()));
    let mut out = format!("{name}:");
    let mut words = 0;
    while out.len() < size {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        words += 1;
        // Lines of a text; an entry of the memory is shorter than one.
        out.push(if words % 24 == 0 { '\n' } else { ' ' });
        let at = usize::try_from(state >> 60).unwrap();
        out.push_str(WORDS[at]);
    }
    out.truncate(size);
    out
}

fn run(promptc: &str, folder: &Path, args: &[&str]) -> Vec<u8> {
    let ran = Command::new(promptc)
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(
        ran.status.code().is_some_and(|code| code < 2),
        "{args:?}: {}",
        String::from_utf8_lossy(&ran.stderr)
    );
    ran.stdout
}
