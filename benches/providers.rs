//! The table of providers: its cost if no price is needed, and a request of a stored artifact compared with `cat`.

use super::{EXAMPLE, PROMPTC, in_turn, ms, words};
use std::path::Path;

/// Rounds; `PROMPTC_ROUNDS` says another number.
fn rounds() -> usize {
    let asked = std::env::var("PROMPTC_ROUNDS").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(100)
}

/// Runs both comparisons.
pub(super) fn figures() {
    let folder = tempfile::tempdir().unwrap();
    asked_for(folder.path());
    emitted(folder.path());
}

/// Commands that need no price, compared with the same ones that do. A table that is not read takes no time: the rows
/// of a command without `--model` are those of a program without the table.
fn asked_for(folder: &Path) {
    let artifact = |name: &str, now: &str| {
        let out = folder.join(name).to_str().unwrap().to_owned();
        let build = [
            PROMPTC, "build", "-q", "-m", EXAMPLE, "--now", now, "--format", "json", "-o", &out,
        ];
        super::run(&words(&build));
        out
    };
    let old = artifact("old.json", "2026-11-21T10:00:00Z");
    let new = artifact("new.json", "2026-11-22T10:00:00Z");
    let diff = [PROMPTC, "diff", "-m", "builtin:minimal@1", &old, &new];
    let with = |more: &[&str]| words(&[&diff[..], more].concat());
    // A table of the caller that has the model: the one inside the program is not read.
    let own = folder.join("own.kdl");
    std::fs::write(&own, OWN).unwrap();
    let own = own.to_str().unwrap();
    let commands = [
        words(&[PROMPTC, "--version"]),
        with(&[]),
        with(&["--model", "own-1", "--providers", own]),
        with(&["--model", "claude-opus-5-5"]),
    ];
    let names = [
        "`promptc --version`",
        "`promptc diff`",
        "the same with `--model` of a small table by `--providers`",
        "the same with `--model` of the table inside",
    ];
    let rounds = rounds();
    println!("\na diff without and with a price, medians of {rounds}");
    for (name, (time, ratio)) in names.iter().zip(in_turn(&commands, rounds)) {
        println!("| {name} | {:.2} ms | {ratio:.1} |", ms(time));
    }
}

const OWN: &str = r#"providers 1 currency=USD as-of="2026-11-21"
provider "own" match=lcp tokenizer=o200k { source "this measurement" as-of="2026-11-21" }
model "own-1" provider="own" {
    price input=1 read=0.1
    source "this measurement" as-of="2026-11-21"
}
"#;

/// A request of an artifact with a text of 66 KB, compared with `cat` of the same file.
fn emitted(folder: &Path) {
    let line = "Say what was done, what was not, and which file shows it.\n";
    std::fs::write(folder.join("promptc.kdl"), MANIFEST).unwrap();
    std::fs::write(folder.join("rules.md"), line.repeat(66_000 / line.len())).unwrap();
    let manifest = folder.join("promptc.kdl").to_str().unwrap().to_owned();
    let artifact = folder.join("large.json").to_str().unwrap().to_owned();
    super::run(&words(&[
        PROMPTC, "build", "-q", "-m", &manifest, "--format", "json", "-o", &artifact,
    ]));
    let emit = |shape, model| {
        words(&[
            PROMPTC,
            "emit",
            shape,
            "--model",
            model,
            "--artifact",
            &artifact,
        ])
    };
    let commands = [
        words(&["cat", &artifact]),
        words(&[PROMPTC, "--version"]),
        emit("chat", "deepseek-v4-pro"),
        emit("anthropic", "claude-opus-5-5"),
    ];
    let names = [
        "`cat` of the artifact",
        "`promptc --version`",
        "`promptc emit chat --artifact` it",
        "`promptc emit anthropic --artifact` it, with breakpoints",
    ];
    let bytes = std::fs::metadata(&artifact).unwrap().len();
    let rounds = rounds();
    println!("\na request of a stored artifact of {bytes} bytes, medians of {rounds}");
    for (name, (time, ratio)) in names.iter().zip(in_turn(&commands, rounds)) {
        println!("| {name} | {:.2} ms | {ratio:.1} |", ms(time));
    }
}

const MANIFEST: &str = r#"promptc 1
name large
root workspace default="."
tier stable changes=deploy { layer rules { file "rules.md" } }
tier own changes=session { layer user { text "You talk to Ann." } }
"#;
