//! Law 1: same inputs, same bytes.

use super::choices::Choices;
use super::sample::{ALL, MANIFEST, Sample, sample};
use super::text::{newlines_off, with_crlf};
use super::{build, built, config, config_of_processes, given};
use crate::run::{PROGRAM, Place, run};
use promptc::prompt::Prompt;
use promptc::world::{DiskWorld, ShuffledWorld};
use proptest::collection::vec;
use proptest::prelude::{any, prop_assert_eq, proptest};
use proptest::test_runner::TestRunner;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn places_and_orders_do_not_matter(sample in sample(ALL), seed in any::<u64>()) {
        let (here, there) = (Place::new(), Place::new());
        lay_out(&sample, here.path(), false);
        let elsewhere = there.path().join("a folder/deeper");
        lay_out(&sample, &elsewhere, true);
        let given = given(&sample);
        let first = build(&DiskWorld, &here.path().join(MANIFEST), &given);
        prop_assert_eq!(&first, &build(&DiskWorld, &elsewhere.join(MANIFEST), &given));
        let world = ShuffledWorld { world: DiskWorld, seed };
        prop_assert_eq!(&first, &build(&world, &here.path().join(MANIFEST), &given));
        prop_assert_eq!(&first, &built(&sample));
        if let Ok(prompt) = first {
            // The artifact is what is compared elsewhere, so its JSON must be the same too.
            let json = serde_json::to_string(&prompt).unwrap();
            prop_assert_eq!(&json, &serde_json::to_string(&built(&sample).unwrap()).unwrap());
            prop_assert_eq!(serde_json::from_str::<Prompt>(&json).unwrap(), prompt);
        }
    }
}

proptest! {
    #![proptest_config(config(64))]

    #[test]
    fn line_ends_do_not_matter(sample in sample(ALL)) {
        if newlines_off(&sample.manifest) {
            return Ok(());
        }
        let (feeds, returns) = (built(&sample), built(&with_crlf(&sample)));
        match (feeds, returns) {
            (Ok(feeds), Ok(returns)) => {
                prop_assert_eq!(texts(&feeds), texts(&returns));
                prop_assert_eq!(spans(&feeds), spans(&returns));
            }
            (feeds, returns) => prop_assert_eq!(feeds.err(), returns.err()),
        }
    }
}

proptest! {
    #![proptest_config(config(48))]

    #[test]
    fn session_settings_do_not_change_a_build(sample in sample(ALL), picks in vec(any::<u16>(), 8..30)) {
        let mut with = sample.clone();
        let manifest = with.files.get_mut(MANIFEST).unwrap();
        let session = session(&String::from_utf8_lossy(manifest), &Choices::new(&picks));
        manifest.extend_from_slice(session.as_bytes());
        let [plain, with] = [built(&sample), built(&with)].map(|b| b.map(|prompt| Prompt {
            manifest_sha256: String::new(),
            ..prompt
        }));
        prop_assert_eq!(plain, with, "{}", session);
    }
}

/// A session block that goes with this manifest.
fn session(manifest: &str, c: &Choices) -> String {
    let mut out = String::from("\nsession {\n");
    for event in ["compaction", "reset", "new-day.2"] {
        if c.odds(8) {
            out.push_str(&format!("refresh event={event}\n"));
        }
    }
    if c.odds(8) {
        let (minutes, seconds) = (1 + c.below(90), c.below(60));
        out.push_str(&format!("refresh idle=\"{minutes}m{seconds}s\"\n"));
    }
    let calm = |line: &&str| !line.contains("private") && !line.contains("changes=turn");
    // A content of a layer may begin like a fact.
    let facts = manifest
        .lines()
        .take_while(|l| !l.starts_with("tier "))
        .filter(|l| l.starts_with("fact "))
        .filter(calm);
    for fact in facts.filter_map(|line| line.split(' ').nth(1)) {
        if c.odds(5) {
            out.push_str(&format!("refresh fact={fact}\n"));
        }
    }
    if c.odds(8) {
        let template = "template \"{% for c in changes %}{{ c.layer }}: {{ c.text }}{% endfor %}\"";
        let (max, marker) = (1 + c.below(500), "marker=\"[{{ omitted }}]\"");
        out.push_str(&format!(
            "reminder {{ {template}; budget {max} {marker} }}\n"
        ));
    }
    out.push_str("}\n");
    out
}

#[test]
fn the_process_does_not_matter() {
    // The macro would take all of `PROPTEST_CASES`.
    let mut runner = TestRunner::new(config_of_processes(10));
    let inputs = (sample(ALL), 0_u64..1_000_000);
    let ran = runner.run(&inputs, |(sample, seed)| {
        let place = Place::new();
        lay_out(&sample, place.path(), false);
        let facts = serde_json::Value::from(sample.facts.clone()).to_string();
        let facts = place.file("facts.json", facts);
        let mut args = vec!["--facts".to_owned(), facts.display().to_string()];
        for (name, value) in &sample.sets {
            args.extend(["--set".to_owned(), format!("{name}={value}")]);
        }
        check_process(&place.path().join(MANIFEST), &args, seed);
        Ok(())
    });
    if let Err(error) = ran {
        panic!("{error}");
    }
}

#[test]
fn the_process_does_not_matter_to_the_examples() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    for scenario in ["cli", "incident", "quiet"] {
        let args = ["--scenario".to_owned(), scenario.to_owned()];
        assert!(
            check_process(&top.join("examples/atlas/promptc.kdl"), &args, 7) == 0,
            "{scenario}"
        );
    }
}

#[test]
fn an_empty_folder_does_not_matter() {
    let files = [("a/x.md", "x"), ("b.md", "b")];
    let prompt = super::small("tier t { layer a { glob \"**/*.md\" } }", &files);
    assert_eq!(prompt.text(promptc::prompt::Deliver::System), "x\n\nb");
}

fn texts(prompt: &Prompt) -> Vec<&str> {
    prompt.channels.iter().map(|c| c.text.as_str()).collect()
}

fn spans(prompt: &Prompt) -> Vec<&[promptc::prompt::Span]> {
    prompt
        .channels
        .iter()
        .flat_map(|c| &c.layers)
        .map(|l| l.spans.as_slice())
        .collect()
}

fn lay_out(sample: &Sample, folder: &Path, reverse: bool) {
    let mut files: Vec<_> = sample.files.iter().collect();
    if reverse {
        files.reverse();
    }
    for (path, bytes) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// One way of starting the program, all of which must come to the same.
struct Start {
    cwd: PathBuf,
    manifest: String,
    env: Vec<(&'static str, &'static str)>,
    umask: &'static str,
    shuffle: Option<u64>,
}

impl Start {
    fn run(&self, args: &[String], format: &str) -> (i32, Vec<u8>) {
        let mut command = Command::new("sh");
        command.args([
            "-c",
            &format!("umask {}; exec \"$@\"", self.umask),
            "sh",
            PROGRAM,
            "build",
        ]);
        command
            .args(["-m", &self.manifest, "--format", format])
            .args(args);
        command.args(
            self.shuffle
                .map(|seed| format!("--shuffle-listings={seed}")),
        );
        command.current_dir(&self.cwd).env_clear();
        command
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .envs(self.env.iter().copied());
        let ran = run(command, b"");
        assert!([0, 2].contains(&ran.code), "{}", ran.stderr);
        assert!(ran.code == 0 || ran.stdout.is_empty());
        (ran.code, ran.stdout)
    }
}

/// Builds in several processes that differ in all that must not matter; the exit code.
fn check_process(manifest: &Path, args: &[String], seed: u64) -> i32 {
    let folder = manifest.parent().unwrap();
    let other = Place::new();
    let starts = [
        Start {
            cwd: folder.to_owned(),
            manifest: "promptc.kdl".to_owned(),
            env: vec![("HOME", "/"), ("TZ", "UTC"), ("LANG", "C")],
            umask: "022",
            shuffle: None,
        },
        Start {
            cwd: other.path().to_owned(),
            manifest: manifest.display().to_string(),
            env: vec![
                ("HOME", "/nowhere"),
                ("TZ", "Pacific/Kiritimati"),
                ("LANG", "tr_TR.UTF-8"),
                ("LC_ALL", "de_DE.ISO-8859-1"),
                ("NO_COLOR", "1"),
                ("RUST_BACKTRACE", "1"),
            ],
            umask: "077",
            shuffle: Some(seed),
        },
        Start {
            cwd: folder.parent().unwrap().to_owned(),
            manifest: format!("{}/promptc.kdl", folder.file_name().unwrap().display()),
            env: Vec::new(),
            umask: "000",
            shuffle: Some(seed + 1),
        },
    ];
    let mut code = 0;
    for format in ["text", "json"] {
        let first = starts[0].run(args, format);
        for start in &starts[1..] {
            assert_eq!(first, start.run(args, format), "{format}");
        }
        code = first.0;
    }
    code
}

#[test]
fn a_root_above_a_missing_folder() {
    let place = Place::new();
    place.file(".marker", "");
    place.file("R.md", "above");
    let manifest = place.file(
        "sub/promptc.kdl",
        "promptc 1\nroot workspace default=\"nowhere\"\nroot project above=workspace holding=\".marker\"\ntier t { layer l { file \"R.md\" root=project } }\n",
    );
    for (folder, named) in [(".", "sub/promptc.kdl"), ("sub", "promptc.kdl")] {
        let mut command = place.command(&["build", "-m", named]);
        command.current_dir(place.path().join(folder));
        assert_eq!(run(command, b"").exits(0).stdout(), "above");
    }
    let absolute = place
        .run(&["build", "-m", manifest.to_str().unwrap()])
        .exits(0);
    assert_eq!(absolute.stdout(), "above");
}
