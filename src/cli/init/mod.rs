//! `promptc init`.

mod report;
mod write;
mod from;

use super::Context;
use crate::cli::format::Format;
use crate::cli::ui::Page;
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported, suggest};
use crate::manifest::FILE_NAME;
use crate::source::builtin::{self, Preset};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use write::{New, plain};

/// Write a manifest to start from
///
/// Copies a built-in manifest with its comments, and its templates and sentences beside it. Nothing is overwritten.
///
/// With `--from` it divides today's prompt instead: at headings, at sections in tags, or at blank lines, into a manifest
/// and files. Of several dumps of one agent, what differs becomes facts, and every dump a scenario. Nothing is written
/// unless the build of each scenario is its dump, byte for byte.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc init                                    # promptc.kdl in the current directory
  promptc init agent --preset mushroom            # a known agent's layers, in the folder agent
  promptc init --list                             # the presets
  promptc init today --from prompt.txt            # today's prompt, in the folder today
  promptc init days --from monday.txt friday.txt  # two dumps: what differs becomes facts
  promptc init piped --from - < prompt.txt        # from standard input")]
pub(super) struct Args {
    /// The folder; made if it is not there
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// What to start from
    #[arg(long, value_name = "NAME", default_value = "minimal")]
    preset: String,
    /// Show the presets
    #[arg(long)]
    list: bool,
    /// Start from dumps of a prompt, `-` for standard input; a DIR stands in front of this option
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["preset", "list"])]
    from: Vec<PathBuf>,
    /// How it is told what `--from` found
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "human",
        requires = "from"
    )]
    format: Format,
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
        return context
            .ui
            .result(&Page::drawn(list()), &mut context.run.diags);
    }
    let preset = find(&args.preset, &mut context.run.diags)?;
    let files = files(preset, &args.folder);
    write::all(&args.folder, &files, &mut context.run)?;
    let said = wrote(&files) + &next(&args.folder, &["build", "explain"]);
    context.ui.remark(&said);
    Ok(())
}

fn list() -> String {
    let width = builtin::PRESETS
        .iter()
        .map(|p| p.name.len())
        .max()
        .unwrap_or(0);
    let mut out = String::new();
    for preset in builtin::PRESETS {
        let _ = writeln!(
            out,
            "{:width$}  {} (builtin:{})",
            preset.name, preset.about, preset.manifest
        );
    }
    out
}

fn find(name: &str, diags: &mut Diagnostics) -> Result<&'static Preset, ErrorReported> {
    builtin::preset(name).ok_or_else(|| {
        let message = format!("there is no preset `{name}`");
        let diagnostic = Diagnostic::error(diagnostic::UNKNOWN_PRESET, message);
        let known = || builtin::PRESETS.iter().map(|p| p.name);
        diags.push(match suggest::nearest(name, known()) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic.help(format!("the presets are {}", suggest::list(known()))),
        })
    })
}

/// What is written where.
fn files(preset: &Preset, folder: &Path) -> Vec<New> {
    let new = |path: PathBuf, text: &'static str| New {
        path,
        text: text.into(),
    };
    let manifest = builtin::manifest(preset.manifest).map(|text| new(folder.join(FILE_NAME), text));
    let texts = preset
        .texts
        .iter()
        .filter_map(|path| Some(new(folder.join("text").join(path), builtin::text(path)?)));
    let templates = preset.templates.iter().filter_map(|name| {
        Some(new(
            folder.join("templates").join(name),
            builtin::template(name)?,
        ))
    });
    manifest.into_iter().chain(texts).chain(templates).collect()
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
