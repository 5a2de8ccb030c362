//! Snapshots of prompts in a Rust project's own [insta](https://insta.rs) tests (feature `insta`).
//!
//! ```no_run
//! #[test]
//! fn prompts() {
//!     promptc::assert_prompts!("promptc.kdl");
//! }
//! ```
//!
//! That builds every scenario of the manifest and compares each with its snapshots: the bytes of each channel, and an
//! outline of the map. New and changed ones are reviewed with `cargo insta review` like any other snapshot.
//!
//! The bytes are *binary* snapshots: insta compares text without its trailing white space and with normalized line
//! ends, and the prompt cache does not. Of a binary snapshot insta shows only a file name, so the outline, a text, is
//! stored next to it: its difference names the layer and the layer's sources.

mod outline;

pub use outline::outline;

use crate::compile::{GivenInputs, compile};
use crate::diagnostic::span::Files;
use crate::diagnostic::{self, Diagnostic, Diagnostics};
use crate::manifest::{self, Manifest};
use crate::project::{Error, Findings};
use crate::prompt::{Deliver, Prompt};
use crate::world::DiskWorld;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

#[doc(hidden)]
pub use ::insta as engine;

/// A manifest whose scenarios are built in tests.
#[derive(Debug)]
pub struct Scenarios {
    stem: String,
    manifest: Arc<Manifest>,
    files: Files,
}

/// The expectation of one snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Its name.
    pub name: String,
    /// Its content.
    pub content: Content,
}

/// The content of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Bytes that are sent: every one counts.
    Bytes(Vec<u8>),
    /// A text for people.
    Outline(String),
}

impl Scenarios {
    /// Reads the manifest at `path`, which counts from the current directory: for tests, the folder of the package.
    ///
    /// # Errors
    /// When it is missing or wrong, or has no scenario.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let (mut files, mut diags) = (Files::default(), Diagnostics::default());
        let reference = path.to_string_lossy();
        let opened = manifest::open(&DiskWorld, Some(&reference), &mut files, &mut diags);
        let manifest = opened.map_err(|_| Error(Findings::new(&diags, &files)))?;
        if manifest.tried().next().is_none() {
            let message = format!("`{reference}` has no scenario");
            let found = Diagnostic::error(diagnostic::NOTHING_SELECTED, message);
            diags.push(found.help("`scenario NAME { set FACT VALUE }` says what to build"));
            return Err(Error(Findings::new(&diags, &files)));
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        Ok(Self {
            stem: stem.into_owned(),
            manifest,
            files,
        })
    }

    /// The scenarios, in the order of the manifest.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.manifest.tried().map(|s| &*s.name.value)
    }

    /// Builds a scenario.
    ///
    /// # Errors
    /// When there is no such scenario, or it does not build.
    pub fn build(&self, scenario: &str) -> Result<Prompt, Error> {
        let given = GivenInputs {
            scenario: Some(scenario.to_owned()),
            ..GivenInputs::default()
        };
        let (mut files, mut diags) = (self.files.clone(), Diagnostics::default());
        compile(&self.manifest, &given, &DiskWorld, &mut files, &mut diags)
            .map_err(|_| Error(Findings::new(&diags, &files)))
    }

    /// Builds a scenario and gives what its snapshots are compared with.
    ///
    /// # Errors
    /// As [`Self::build`].
    pub fn shots(&self, scenario: &str) -> Result<Vec<Snapshot>, Error> {
        Ok(shots(
            &format!("{}@{scenario}", self.stem),
            &self.build(scenario)?,
        ))
    }

    /// Hands the snapshots of every scenario to `assert`. All are looked at, so that one review shows all changes.
    ///
    /// # Panics
    /// When a scenario does not build, or `assert` panics for any snapshot.
    pub fn check_all(&self, mut assert: impl FnMut(&Snapshot)) {
        let mut wrong = Vec::new();
        for scenario in self.names() {
            match self.shots(scenario) {
                Ok(shots) => check(&shots, &mut assert, &mut wrong),
                Err(failed) => wrong.push(format!("scenario `{scenario}`: {failed}")),
            }
        }
        report(&wrong);
    }
}

/// Hands each snapshot of a prompt to `assert`, as [`Scenarios::check_all`] does.
///
/// # Panics
/// When `assert` panics for any snapshot.
pub fn check_prompt(name: &str, prompt: &Prompt, mut assert: impl FnMut(&Snapshot)) {
    let mut wrong = Vec::new();
    check(&shots(name, prompt), &mut assert, &mut wrong);
    report(&wrong);
}

fn check(shots: &[Snapshot], assert: &mut impl FnMut(&Snapshot), wrong: &mut Vec<String>) {
    for shot in shots {
        // The snapshot is only read here, so a panic leaves nothing half done.
        if catch_unwind(AssertUnwindSafe(|| assert(shot))).is_err() {
            wrong.push(format!("snapshot `{}` differs", shot.name));
        }
    }
}

fn report(wrong: &[String]) {
    assert!(
        wrong.is_empty(),
        "prompts are not as recorded:\n{}",
        wrong.join("\n")
    );
}

/// The snapshots of a prompt: its outline, then the bytes of each channel.
#[must_use]
pub fn shots(name: &str, prompt: &Prompt) -> Vec<Snapshot> {
    // insta takes the text after the first dot for the extension of a file.
    let name = name.replace('.', "%2E");
    let mut out = vec![Snapshot {
        name: format!("{name}@outline"),
        content: Content::Outline(outline(prompt)),
    }];
    for channel in &prompt.channels {
        let suffix = match channel.deliver {
            Deliver::System => String::new(),
            other => format!("@{other}"),
        };
        out.push(Snapshot {
            name: format!("{name}{suffix}.txt"),
            content: Content::Bytes(channel.text.clone().into_bytes()),
        });
    }
    out
}

/// Compares every scenario of a manifest with its snapshots; see [`insta`](crate::insta).
///
/// The path counts from the package's folder, where `cargo test` runs tests.
#[macro_export]
macro_rules! assert_prompts {
    ($manifest:expr $(,)?) => {
        match $crate::insta::Scenarios::open($manifest) {
            Ok(scenarios) => scenarios.check_all(|shot| $crate::assert_shot!(shot)),
            Err(failed) => panic!("{failed}"),
        }
    };
}

/// Compares one prompt, built with whatever facts a test wants, with its snapshots; see [`insta`](crate::insta).
#[macro_export]
macro_rules! assert_prompt {
    ($name:expr, $prompt:expr $(,)?) => {
        $crate::insta::check_prompt($name, &$prompt, |shot| $crate::assert_shot!(shot))
    };
}

/// Compares one snapshot. The macro expands in the caller's code so that insta puts the files next to the caller.
#[doc(hidden)]
#[macro_export]
macro_rules! assert_shot {
    ($shot:expr) => {
        match &$shot.content {
            $crate::insta::Content::Bytes(bytes) => {
                $crate::insta::engine::assert_binary_snapshot!(&$shot.name, bytes.clone(), "prompt")
            }
            $crate::insta::Content::Outline(text) => {
                $crate::insta::engine::assert_snapshot!($shot.name.clone(), text, "outline")
            }
        }
    };
}

#[cfg(test)]
mod tests;
