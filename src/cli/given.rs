//! The options that say what to build from what; shared by the commands that build.

use super::input::{Input, NAME_A_FILE, Streams, Takes, What, read_input};
use super::output;
use crate::project::Run;

use crate::compile::given::FactsFile;
use crate::compile::{Given, compile};
use crate::diagnostic::{self, Diagnostic, Diagnostics, Reported, suggest};
use crate::manifest::{self, Manifest, Origin};
use crate::prompt::Prompt;
use crate::text::tokens::{self, Tokenizer};
use crate::world::{DiskWorld, Hermetic, Noted, Shuffled, World};
use clap::Args;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the help puts these options under.
const INPUT: &str = "Input";

/// The largest facts file, in bytes.
pub(crate) const MAX_FACTS: u64 = 64 * 1024 * 1024;

#[derive(Debug, Args)]
pub(crate) struct ManifestArgs {
    /// The manifest: a file, or builtin:NAME@N [default: promptc.kdl here or above]
    #[arg(help_heading = INPUT, short, long, value_name = "FILE")]
    pub(crate) manifest: Option<String>,
    /// Shuffle what folders list, to show that their order does not matter
    #[arg(long, value_name = "SEED", hide = true)]
    shuffle_listings: Option<u64>,
    /// See neither environment nor home folder, as the record of a manifest without scenarios does
    #[arg(long, hide = true)]
    as_record: bool,
}

#[derive(Debug, Args)]
pub(crate) struct GivenArgs {
    #[command(flatten)]
    source: ManifestArgs,
    /// A root's folder; repeatable
    #[arg(help_heading = INPUT, long = "root", value_name = "NAME=PATH")]
    roots: Vec<String>,
    /// A JSON object of facts, `-` for standard input; repeatable, a later one wins
    #[arg(help_heading = INPUT, long, value_name = "FILE")]
    facts: Vec<PathBuf>,
    /// A fact; lists and maps as JSON; repeatable, wins over --facts
    #[arg(help_heading = INPUT, long = "set", value_name = "NAME=VALUE")]
    sets: Vec<String>,
    /// A scenario of the manifest
    #[arg(help_heading = INPUT, long, value_name = "NAME")]
    scenario: Option<String>,
    /// Count tokens as this tokenizer does [default: that of the prompt's budget, if it counts tokens]
    #[arg(help_heading = INPUT, long, value_name = "NAME", value_parser = tokenizer)]
    tokenizer: Option<Tokenizer>,
    /// What facts with a clock take as now, RFC 3339
    #[arg(help_heading = INPUT, long, value_name = "TIME")]
    now: Option<String>,
    /// Fail where a fact or root would be read from the environment, the clock or the home folder, as for CI
    #[arg(help_heading = INPUT, long)]
    hermetic: bool,
    /// What standard input and pipes among the facts files held: they can be read once.
    #[arg(skip)]
    streams: Streams,
}

impl ManifestArgs {
    /// The world that this run reads.
    pub(crate) fn world(&self) -> Box<dyn World + Send + Sync> {
        let world = DiskWorld;
        match (self.shuffle_listings, self.as_record) {
            (None, false) => Box::new(world),
            (None, true) => Box::new(Hermetic { world }),
            (Some(seed), false) => Box::new(Shuffled { world, seed }),
            (Some(seed), true) => Box::new(Hermetic {
                world: Shuffled { world, seed },
            }),
        }
    }

    /// Whether a manifest is named, or stands here or above.
    pub(crate) fn finds(&self) -> bool {
        self.manifest.is_some() || manifest::stands_above(self.world().as_ref())
    }

    /// Reads the manifest.
    pub(crate) fn open(&self, world: &dyn World, run: &mut Run) -> Result<Arc<Manifest>, Reported> {
        let Run { files, diags, .. } = &mut *run;
        let manifest = manifest::open(world, self.manifest.as_deref(), files, diags)?;
        if let Origin::Disk { folder } = &manifest.origin {
            run.walls.add(folder);
        }
        Ok(manifest)
    }
}

impl GivenArgs {
    /// Reads the manifest and builds it.
    pub(crate) fn build(&self, run: &mut Run) -> Result<Built, Reported> {
        self.build_in(self.source.world().as_ref(), run)
    }

    /// The same in `world`.
    pub(crate) fn build_in(&self, world: &dyn World, run: &mut Run) -> Result<Built, Reported> {
        let world = Noted::new(world);
        let given = self.given(&world, &mut run.diags);
        let manifest = self.source.open(&world, run)?;
        // The plan stops at what is wrong so far, after it has told what else is.
        let Run { files, diags, .. } = &mut *run;
        let mut prompt = compile(&manifest, &given, &world, files, diags)?;
        prompt.notices.extend(manifest::notice(&manifest));
        let read = world.into_read();
        run.read.append(&mut read.clone());
        Ok(Built {
            manifest,
            prompt,
            read,
        })
    }

    /// The world that this run reads.
    pub(crate) fn world(&self) -> Box<dyn World + Send + Sync> {
        self.source.world()
    }

    /// Whether standard input holds facts for all that is built.
    pub(crate) fn takes_stdin(&self) -> bool {
        self.facts.iter().any(|path| path == Path::new("-"))
    }

    /// Reads a file that another argument names, or standard input.
    pub(crate) fn input(
        &self,
        world: &dyn World,
        path: &Path,
        what: &What,
        diags: &mut Diagnostics,
    ) -> Result<Input, Reported> {
        read_input(world, path, what, &self.streams, diags)
    }

    /// Whether a manifest is named, or stands here or above.
    pub(crate) fn finds_manifest(&self) -> bool {
        self.source.finds()
    }

    /// The options that name the manifest.
    pub(crate) fn source(&self) -> &ManifestArgs {
        &self.source
    }

    /// The manifest that is named.
    pub(crate) fn manifest(&self) -> Option<&str> {
        self.source.manifest.as_deref()
    }

    /// The scenario that is named.
    pub(crate) fn scenario(&self) -> Option<&str> {
        self.scenario.as_deref()
    }

    /// `--now`, as written.
    pub(crate) fn now(&self) -> Option<&str> {
        self.now.as_deref()
    }

    /// The tokenizer that is asked for.
    pub(crate) fn tokenizer(&self) -> Option<Tokenizer> {
        self.tokenizer
    }

    /// Whether facts, roots or a scenario are given.
    pub(crate) fn gives_any(&self) -> bool {
        self.gives() || !self.roots.is_empty() || self.scenario.is_some()
    }

    /// Whether facts are given.
    pub(crate) fn gives(&self) -> bool {
        !self.facts.is_empty() || !self.sets.is_empty()
    }

    /// Reads the manifest and nothing else.
    pub(crate) fn open_alone(&self, run: &mut Run) -> Result<Arc<Manifest>, Reported> {
        self.source.open(self.source.world().as_ref(), run)
    }

    /// Reads the manifest in `world`.
    pub(crate) fn open(&self, world: &dyn World, run: &mut Run) -> Result<Arc<Manifest>, Reported> {
        self.source.open(world, run)
    }

    /// What is given, without the manifest.
    pub(crate) fn given(&self, world: &dyn World, diags: &mut Diagnostics) -> Given {
        let mut given = Given {
            scenario: self.scenario.clone(),
            now: self.now.clone(),
            tokenizer: self.tokenizer,
            hermetic: self.hermetic,
            ..Given::default()
        };
        for path in &self.facts {
            given
                .facts
                .extend(read_facts(world, path, &self.streams, diags));
        }
        for set in &self.sets {
            given.sets.extend(pair("--set", set, diags));
        }
        for root in &self.roots {
            let root = pair("--root", root, diags);
            given
                .roots
                .extend(root.map(|(name, path)| (name, path.into())));
        }
        given
    }
}

/// A tokenizer by its name.
pub(crate) fn tokenizer(name: &str) -> Result<Tokenizer, String> {
    Tokenizer::parse(name).ok_or_else(|| {
        let names = suggest::list(tokens::ALL.iter().map(|t| t.name));
        format!("the tokenizers are {names}")
    })
}

/// A prompt and what it was made from.
pub(crate) struct Built {
    pub(crate) manifest: Arc<Manifest>,
    pub(crate) prompt: Prompt,
    read: BTreeSet<PathBuf>,
}

impl Built {
    /// Whether the file at `path` was read to make it, under whatever name.
    pub(crate) fn has_read(&self, path: &Path) -> bool {
        output::is_among(path, &self.read)
    }
}

/// `NAME=VALUE`. The value is not shown: it may be private.
fn pair(option: &str, written: &str, diags: &mut Diagnostics) -> Option<(String, String)> {
    match written.split_once('=') {
        Some((name, "")) if !name.is_empty() && option == "--root" => {
            let message = format!("--root {name}= names no folder");
            diags.push(
                Diagnostic::error(diagnostic::INVALID_SET, message)
                    .help("an unset variable is the usual cause; the current directory is `.`"),
            );
            None
        }
        Some((name, value)) if !name.is_empty() => Some((name.to_owned(), value.to_owned())),
        found => {
            let message = match found {
                None => format!("{option} needs NAME=VALUE, and there is no `=`"),
                Some(_) => {
                    format!("{option} needs NAME=VALUE, and there is no name before the `=`")
                }
            };
            diags.push(Diagnostic::error(diagnostic::INVALID_SET, message).help(
                if option == "--root" {
                    "such as --root workspace=examples/agent"
                } else {
                    "such as --set user_name=Ann, or --set 'tools=[\"read\"]' for a list"
                },
            ));
            None
        }
    }
}

/// How a facts file is told of.
const FACTS: What = What {
    noun: "facts file",
    missing: diagnostic::FACTS_NOT_FOUND,
    help: "--facts takes the path of a JSON file, or `-` for standard input",
    folder: NAME_A_FILE,
    unreadable: diagnostic::UNREADABLE_PROGRAM,
    limit: MAX_FACTS,
    large: "a long text belongs into a document that a layer reads",
    takes: Takes::Streams,
};

/// Whether facts stand where the name of a file is wanted. They are not shown: they may be private.
pub(crate) fn is_value(world: &dyn World, path: &Path) -> bool {
    let written = path.to_string_lossy();
    let is_json = written.trim_start().starts_with(['{', '[']) || written.contains('"');
    is_json && world.kind(path).is_err()
}

/// The error of facts in place of the name of a file.
pub(crate) fn no_file_name(option: &str) -> Diagnostic {
    let message = format!("{option} takes the name of a file, and is given JSON");
    Diagnostic::error(diagnostic::FACTS_NOT_FOUND, message).help(format!(
        "write it to a file, or to standard input with `{option} -`; what is given is not shown, since it may be private"
    ))
}

fn read_facts(
    world: &dyn World,
    path: &Path,
    streams: &Streams,
    diags: &mut Diagnostics,
) -> Option<FactsFile> {
    if is_value(world, path) {
        diags.push(no_file_name("--facts"));
        return None;
    }
    let read = read_input(world, path, &FACTS, streams, diags);
    let Input { name, bytes } = read.ok()?;
    Some(FactsFile::new(name, &bytes))
}
