//! `promptc init`.

mod report;
mod write;
mod preset;
mod from;
mod look;

use super::Context;
use crate::adopt::Report;
use crate::adopt::look::LookReport;
use crate::cli::format::Format;
use crate::cli::ui::Page;
use crate::diagnostic::ErrorReported;
use crate::manifest::FILE_NAME;
use schemars::JsonSchema;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use write::{New, plain};

/// Write a first manifest
///
/// Looks for files of agents in the folder: SOUL.md, AGENTS.md, CLAUDE.md and similar files, skills, tool
/// definitions, memory. The manifest uses them, the most stable first, and the report lists what was found and what
/// was left out. Files that git ignores are skipped, no link is followed out of the folder, and nothing is run. If
/// nothing is found, the manifest is the preset `minimal`.
///
/// With `--preset` it is a manifest that promptc carries, with its comments, templates and texts.
///
/// With `--from` it divides an existing prompt instead: at headings, at sections in tags, or at blank lines, into a
/// manifest and files. Differences between several dumps of one agent become facts, and every dump a scenario.
/// Facts and layers are named after headings, tags and labels, and tiers follow which texts changed together. The
/// report shows the confidence of each guess. Nothing is written unless the build of each scenario is its dump,
/// byte for byte.
///
/// Nothing is overwritten.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc init                                    # for what is in the current directory
  promptc init shop --format json                 # for the folder shop, reported as JSON
  promptc init agent --preset mushroom            # a known agent's layers, in the folder agent
  promptc init code --preset claude-code          # what Claude Code reads, in the folder code
  promptc init --list-presets                             # the presets
  promptc init today --from prompt.txt            # today's prompt, in the folder today
  promptc init days --from monday.txt friday.txt  # two dumps: what differs becomes facts
  promptc init week --from dumps/                 # the files in a folder, by their names
  promptc init harbor --from requests.jsonl       # the system prompts of a log of requests
  promptc init piped --from - < prompt.txt        # from standard input")]
pub(super) struct Args {
    /// The folder; created if it does not exist
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// Start from a preset, ignoring the folder's content
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// List the presets
    #[arg(long)]
    list_presets: bool,
    /// Start from dumps of a prompt: files, folders, or `-` for standard input; write DIR before this option
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["preset", "list_presets"])]
    from: Vec<PathBuf>,
    /// The output format
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "human",
        conflicts_with_all = ["preset", "list_presets"]
    )]
    format: Format,
}

/// The output of `--format json`.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(
    dead_code,
    reason = "each is written where it is made; this is their schema"
)]
pub(super) enum JsonReport {
    /// The findings in the folder.
    Folder(LookReport),
    /// The findings in dumps, with `--from`.
    Dumps(Report),
}

impl Args {
    /// Whether something is to be written.
    pub(super) fn writes(&self) -> bool {
        !self.list_presets
    }
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    if !args.from.is_empty() {
        return from::run(args, context);
    }
    if args.list_presets {
        let page = Page::drawn(preset::list());
        return context.ui.result(&page, &mut context.run.diags);
    }
    let Some(name) = &args.preset else {
        return look::run(args, context);
    };
    let files = preset::find(name, &args.folder, &mut context.run.diags)?;
    write::all(&args.folder, &files, &mut context.run)?;
    let said = wrote(&files) + &next(&args.folder, &["build", "explain"]);
    context.ui.remark(&said);
    Ok(())
}

/// A line for each file.
fn wrote(files: &[New]) -> String {
    files
        .iter()
        .map(|file| format!("wrote {}\n", plain(&file.path)))
        .collect()
}

/// The next commands, in the folder of the manifest.
fn next(folder: &Path, commands: &[&str]) -> String {
    let manifest = if folder == Path::new(".") {
        String::new()
    } else {
        format!(" -m {}", plain(&folder.join(FILE_NAME)))
    };
    let mut out = "\nNext:\n".to_owned();
    for command in commands {
        let _ = writeln!(out, "  promptc {command}{manifest}");
    }
    out
}
