//! `promptc --version --verbose`: what a report of a bug should say, and what bytes may depend on.

use super::Context;
use crate::cli::ui::{Page, answer};
use crate::compare::snapshot::FORMAT;
use crate::diagnostic::ErrorReported;
use crate::prompt::{LANGUAGE, SCHEMA};
use crate::request::provider;
use crate::session::store::sqlite;
use crate::source::builtin;
use crate::text::tokens;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::{Display, Write as _};

/// The engines whose bytes reach prompts, as they are pinned; a test compares them with `Cargo.lock`.
const ENGINES: [(&str, &str); 1] = [("minijinja", "3.1.0")];

/// The commit, if it was given at build time. No build asks git, so that the same sources give the same program.
const COMMIT: Option<&str> = option_env!("PROMPTC_COMMIT");

/// The version and build of this program.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Version {
    promptc: &'static str,
    commit: Option<&'static str>,
    /// Architecture, system, and the C library if the system has several.
    target: String,
    features: Vec<&'static str>,
    /// The language of manifests.
    language: u32,
    engines: BTreeMap<&'static str, &'static str>,
    /// The shapes of what is written: artifacts, locks, stores of sessions.
    schemas: BTreeMap<&'static str, i64>,
    /// The day of the table of providers.
    providers: String,
    tokenizers: Vec<&'static str>,
    builtins: Vec<&'static str>,
}

/// Whether arguments that ask for the version want all of it.
pub(super) fn is_long(args: impl Iterator<Item = impl AsRef<OsStr>>) -> bool {
    let asks = |arg: &str| match arg.strip_prefix("--") {
        Some(long) => long == "verbose",
        None => arg.starts_with('-') && arg.contains('v'),
    };
    let mut args = args.take_while(|arg| arg.as_ref() != "--");
    args.any(|arg| arg.as_ref().to_str().is_some_and(asks))
}

/// Prints it.
pub(super) fn run(context: &mut Context) -> Result<(), ErrorReported> {
    let version = version();
    let text = if context.ui.is_json() {
        answer::page(&version)
    } else {
        Page::drawn(lines(&version))
    };
    context.ui.result(&text, &mut context.run.diags)
}

fn version() -> Version {
    let features = [
        ("capture", cfg!(feature = "capture")),
        ("insta", cfg!(feature = "insta")),
        ("sqlite", cfg!(feature = "sqlite")),
        ("watch", cfg!(feature = "watch")),
    ];
    let env = if cfg!(target_env = "gnu") {
        "-gnu"
    } else if cfg!(target_env = "musl") {
        "-musl"
    } else if cfg!(target_env = "msvc") {
        "-msvc"
    } else {
        ""
    };
    let (arch, os) = (std::env::consts::ARCH, std::env::consts::OS);
    Version {
        promptc: env!("CARGO_PKG_VERSION"),
        commit: COMMIT.filter(|commit| !commit.is_empty()),
        target: format!("{arch}-{os}{env}"),
        features: features.iter().filter(|f| f.1).map(|f| f.0).collect(),
        language: LANGUAGE,
        engines: ENGINES.into_iter().collect(),
        schemas: BTreeMap::from([
            ("artifact", i64::from(SCHEMA)),
            ("lock", i64::from(FORMAT)),
            ("store", sqlite::NEWEST),
        ]),
        providers: provider::as_of().to_string(),
        tokenizers: tokens::ALL.iter().map(|t| t.name).collect(),
        builtins: builtin::MANIFESTS.iter().map(|m| m.name).collect(),
    }
}

/// A line for each part.
fn lines(version: &Version) -> String {
    let mut out = format!("promptc {}\n", version.promptc);
    let mut line = |word: &str, text: String| {
        let _ = writeln!(out, "{:<12}{text}", format!("{word}:"));
    };
    if let Some(commit) = version.commit {
        line("commit", commit.to_owned());
    }
    line("target", version.target.clone());
    line("features", version.features.join(", "));
    line("language", version.language.to_string());
    line("engines", pairs(&version.engines));
    line("schemas", pairs(&version.schemas));
    line("providers", format!("as of {}", version.providers));
    line("tokenizers", version.tokenizers.join(", "));
    line("builtins", version.builtins.join(", "));
    out
}

/// "artifact 1, lock 1".
fn pairs<T: Display>(of: &BTreeMap<&str, T>) -> String {
    let pairs: Vec<String> = of.iter().map(|(name, v)| format!("{name} {v}")).collect();
    pairs.join(", ")
}
