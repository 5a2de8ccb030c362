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

/// Write a manifest to start from
///
/// Looks for what agents read in the folder: SOUL.md, AGENTS.md, CLAUDE.md and others of their kind, skills, definitions of
/// tools, memory. The manifest takes them, what changes least first, and it is said what was found and left out. What git
/// ignores is passed over, no link is followed out of the folder, and nothing is run. Where there is nothing to take it is
/// the preset `minimal`.
///
/// With `--preset` it is a manifest that promptc carries, with its comments, and its templates and sentences beside it.
///
/// With `--from` it divides today's prompt instead: at headings, at sections in tags, or at blank lines, into a manifest
/// and files. Of several dumps of one agent, what differs becomes facts, and every dump a scenario. Facts and layers are
/// named after headings, tags and labels, and tiers follow what changed with what; the report says how sure each guess is.
/// Nothing is written unless the build of each scenario is its dump, byte for byte.
///
/// Nothing is overwritten.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc init                                    # for what is in the current directory
  promptc init shop --format json                 # for what is in the folder shop, told as JSON
  promptc init agent --preset mushroom            # a known agent's layers, in the folder agent
  promptc init code --preset claude-code          # what Claude Code reads, in the folder code
  promptc init --list                             # the presets
  promptc init today --from prompt.txt            # today's prompt, in the folder today
  promptc init days --from monday.txt friday.txt  # two dumps: what differs becomes facts
  promptc init week --from dumps/                 # the files in a folder, by their names
  promptc init harbor --from requests.jsonl       # the system texts of a log of requests
  promptc init piped --from - < prompt.txt        # from standard input")]
pub(super) struct Args {
    /// The folder; made if it is not there
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// Start from a preset, whatever is in the folder
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Show the presets
    #[arg(long)]
    list: bool,
    /// Start from dumps of a prompt, files or folders of files, `-` for standard input; a DIR stands in front of this option
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["preset", "list"])]
    from: Vec<PathBuf>,
    /// How it is told what was found, in the folder or by `--from`
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "human",
        conflicts_with_all = ["preset", "list"]
    )]
    format: Format,
}

/// What is written with `--format json`.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(
    dead_code,
    reason = "each is written where it is made; this is their schema"
)]
pub(super) enum JsonReport {
    /// What was found in the folder.
    Folder(LookReport),
    /// What was found in dumps, with `--from`.
    Dumps(Report),
}

impl Args {
    /// Whether something is to be written.
    pub(super) fn writes(&self) -> bool {
        !self.list
    }
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    if !args.from.is_empty() {
        return from::run(args, context);
    }
    if args.list {
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

/// What to run next, in the folder of the manifest.
fn next(folder: &Path, commands: &[&str]) -> String {
    let manifest = if folder == Path::new(".") {
        String::new()
    } else {
        format!(" -m {}", plain(&folder.join(FILE_NAME)))
    };
    let mut out = "\nNext:\n".to_owned();
    for command in commands {
        // `test` finds the manifests below.
        let manifest = if command.starts_with("test") {
            ""
        } else {
            &manifest
        };
        let _ = writeln!(out, "  promptc {command}{manifest}");
    }
    out
}
