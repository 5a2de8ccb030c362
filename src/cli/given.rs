//! The options that say what to build from what; shared by the commands that build.

use crate::compile::GivenInputs;
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported, suggest};
use crate::manifest::Manifest;
use crate::project::input::Streams;
use crate::project::{BuildCall, BuildInputs, Built, Project, Run};
use crate::text::tokens::{self, Tokenizer};
use crate::world::{DiskWorld, Hermetic, ShuffledWorld, World};
use clap::{ArgAction, Args};
use std::path::PathBuf;
use std::sync::Arc;

/// The help heading of these options.
const INPUT: &str = "Input";

#[derive(Debug, Args)]
pub(crate) struct ManifestArgs {
    /// The manifest: a file, a folder with a promptc.kdl, or builtin:NAME@N [default: promptc.kdl here or above]
    #[arg(help_heading = INPUT, short, long, value_name = "FILE", action = ArgAction::Set)]
    manifest: Vec<String>,
    /// Shuffle the entries of folders, to show that their order does not matter
    #[arg(long, value_name = "SEED", hide = true)]
    shuffle_listings: Option<u64>,
    /// Ignore the environment and the home folder, like the snapshot of a manifest without scenarios
    #[arg(long, hide = true)]
    as_snapshot: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BuildArgs {
    #[command(flatten)]
    source: ManifestArgs,
    /// A root's folder; repeatable
    #[arg(help_heading = INPUT, long = "root", value_name = "NAME=PATH")]
    roots: Vec<String>,
    /// A JSON file with facts, `-` for standard input; repeatable, a later one wins
    #[arg(help_heading = INPUT, long, value_name = "FILE")]
    facts: Vec<PathBuf>,
    /// A fact; lists and maps as JSON; repeatable, wins over --facts
    #[arg(help_heading = INPUT, long = "set", value_name = "NAME=VALUE")]
    sets: Vec<String>,
    /// A scenario of the manifest
    #[arg(help_heading = INPUT, long, value_name = "NAME")]
    scenario: Option<String>,
    /// Count tokens with this tokenizer [default: that of the prompt's budget in tokens]
    #[arg(help_heading = INPUT, long, value_name = "NAME", value_parser = tokenizer)]
    tokenizer: Option<Tokenizer>,
    /// The current time, RFC 3339 [default: the clock]
    #[arg(help_heading = INPUT, long, value_name = "TIME")]
    now: Option<String>,
    /// Fail where a fact or root would be read from the environment, the clock or the home folder, as for CI
    #[arg(help_heading = INPUT, long)]
    hermetic: bool,
    /// The content of standard input and of pipes among the facts files: they can be read only once.
    #[arg(skip)]
    streams: Arc<Streams>,
}

impl ManifestArgs {
    /// The manifest that is named, or that is found here or above, in the world that this run reads.
    pub(crate) fn project(&self) -> Project {
        let world = DiskWorld;
        let world: Arc<dyn World + Send + Sync> = match (self.shuffle_listings, self.as_snapshot) {
            (None, false) => Arc::new(world),
            (None, true) => Arc::new(Hermetic { world }),
            (Some(seed), false) => Arc::new(ShuffledWorld { world, seed }),
            (Some(seed), true) => Arc::new(Hermetic {
                world: ShuffledWorld { world, seed },
            }),
        };
        Project::named(self.manifest.first().cloned(), world)
    }
}

impl BuildArgs {
    /// The manifest and what is given to it.
    pub(crate) fn call(&self) -> BuildCall {
        let mut wrong = Vec::new();
        let mut pairs = |option: &str, all: &[String]| -> Vec<(String, String)> {
            let pairs = all.iter().map(|written| pair(option, written));
            let good = |found: Result<_, Box<Diagnostic>>| found.map_err(|d| wrong.push(*d)).ok();
            pairs.filter_map(good).collect()
        };
        let sets = pairs("--set", &self.sets);
        let roots = pairs("--root", &self.roots).into_iter();
        let inputs = BuildInputs {
            scenario: self.scenario.clone(),
            facts: self.facts.clone(),
            sets,
            roots: roots.map(|(name, path)| (name, path.into())).collect(),
            tokenizer: self.tokenizer,
            now: self.now.clone(),
            hermetic: self.hermetic,
            wrong,
            streams: self.streams.clone(),
            ..BuildInputs::default()
        };
        BuildCall {
            project: self.source.project(),
            inputs,
        }
    }

    /// The manifest, or where to find it.
    pub(crate) fn project(&self) -> Project {
        self.source.project()
    }

    /// Reads the manifest and builds it.
    pub(crate) fn build(&self, run: &mut Run) -> Result<Built, ErrorReported> {
        self.call().build(run)
    }

    /// The world that this run reads.
    pub(crate) fn world(&self) -> Arc<dyn World + Send + Sync> {
        self.project().shared_world()
    }

    /// The given inputs, without the manifest.
    pub(crate) fn given(&self, world: &dyn World, diags: &mut Diagnostics) -> GivenInputs {
        self.call().inputs.read(world, diags)
    }

    /// Reads the manifest in `world`.
    pub(crate) fn open(
        &self,
        world: &dyn World,
        run: &mut Run,
    ) -> Result<Arc<Manifest>, ErrorReported> {
        self.project().open_in(world, run)
    }

    /// Whether standard input holds facts for all that is built.
    pub(crate) fn takes_stdin(&self) -> bool {
        self.call().inputs.takes_stdin()
    }

    /// `--now`, as written.
    pub(crate) fn now(&self) -> Option<&str> {
        self.now.as_deref()
    }

    /// The tokenizer that is asked for.
    pub(crate) fn tokenizer(&self) -> Option<Tokenizer> {
        self.tokenizer
    }

    /// The manifests that are named. Only some commands take several.
    pub(crate) fn manifests(&self) -> &[String] {
        &self.source.manifest
    }
}

/// A tokenizer by its name.
pub(crate) fn tokenizer(name: &str) -> Result<Tokenizer, String> {
    Tokenizer::parse(name).ok_or_else(|| {
        let names = suggest::list(tokens::ALL.iter().map(|t| t.name));
        format!("the tokenizers are {names}")
    })
}

/// `NAME=VALUE`. The value is not shown: it may be private.
fn pair(option: &str, written: &str) -> Result<(String, String), Box<Diagnostic>> {
    let wrong = |message: String, help: &str| {
        let found = Diagnostic::error(diagnostic::INVALID_SET, message);
        Err(Box::new(found.help(help)))
    };
    let help = match option {
        "--root" => "such as --root workspace=examples/agent",
        _ => "such as --set user_name=Ann, or --set 'tools=[\"read\"]' for a list",
    };
    match written.split_once('=') {
        Some((name, "")) if !name.is_empty() && option == "--root" => wrong(
            format!("--root {name}= has no folder"),
            "an unset variable is the usual cause; the current directory is `.`",
        ),
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        None => wrong(
            format!("{option} needs NAME=VALUE, and there is no `=`"),
            help,
        ),
        Some(_) => wrong(
            format!("{option} needs NAME=VALUE, and there is no name before the `=`"),
            help,
        ),
    }
}
