//! `promptc fmt`.

use super::Context;
use super::ui::Page;
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported};
use crate::manifest::{self, MAX_PROGRAM};
use crate::project::Run;
use crate::project::{input, output};
use crate::report::{Code, Document, Text, words};
use crate::world::{DiskWorld, World as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Format manifests
///
/// The layout (indentation, columns, blank lines, braces) becomes uniform; comments, strings, numbers and the
/// meaning of a manifest stay unchanged. A file is written only if it changes. The input need only be valid KDL 2:
/// an overlay or an included file is formatted without its base.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc fmt                      # the nearest promptc.kdl
  promptc fmt *.kdl                # these files
  promptc fmt --check              # write nothing; exit 1 and show what would change
  promptc fmt --diff               # the same, and exit 0
  promptc fmt - < promptc.kdl      # from standard input to standard output")]
pub(super) struct Args {
    /// Files, or folders with a promptc.kdl; `-` for standard input to standard output [default: promptc.kdl here or above]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The manifest
    #[arg(
        help_heading = "Input",
        short,
        long,
        value_name = "FILE",
        conflicts_with = "files"
    )]
    manifest: Option<PathBuf>,
    /// Write nothing; exit with 1 and show the changes if a file would change
    #[arg(long)]
    check: bool,
    /// Show the changes, and write nothing
    #[arg(long)]
    diff: bool,
}

impl Args {
    /// Whether something is to be written.
    pub(super) fn writes(&self) -> bool {
        !self.check && !self.diff
    }
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let named = args.files.iter().chain(&args.manifest);
    let mut files: Vec<PathBuf> = named.map(|path| in_folder(path)).collect();
    if files.is_empty() {
        files.push(manifest::nearest(&DiskWorld, &mut context.run.diags)?);
    }
    for path in files.iter().filter(|path| args.writes() && !is_stdin(path)) {
        context.run.walls.add_around(path);
        // A missing file is reported later.
        let _ = output::check(path, &mut context.run);
    }
    context.run.diags.check()?;
    let mut seen = Document::new();
    let mut done = Ok(());
    for path in &files {
        // Each file is its own; what is wrong with one says nothing about the next.
        match one(path, args, context) {
            Ok(shown) => seen.extend(shown.blocks),
            Err(reported) => done = Err(reported),
        }
    }
    let page = context.ui.drawn(&seen);
    context.ui.result(&page, &mut context.run.diags)?;
    done
}

/// Formats one file. Returns what stdout is to show.
fn one(path: &Path, args: &Args, context: &mut Context) -> Result<Document, ErrorReported> {
    let stdin = is_stdin(path);
    let (name, text) = if stdin {
        ("<stdin>".to_owned(), from_stdin(&mut context.run.diags)?)
    } else {
        from_disk(path, &mut context.run.diags)?
    };
    let Run { files, diags, .. } = &mut context.run;
    let file = files.add(name.as_str(), text.clone());
    let new = manifest::formatted(file, files, diags)?;
    let changed = *new != *text;
    if !args.writes() {
        context.verdict &= !(changed && args.check);
        if changed {
            return Ok(difference(&name, &text, &new));
        }
    } else if stdin {
        context
            .ui
            .product(&new, Page::foreign, &mut context.run.diags)?;
    } else if changed {
        output::replace_manifest(path, &text, &new, &mut context.run)?;
        context.run.wrote = true;
        context
            .ui
            .remark(&format!("formatted {}\n", words::plain(&name)));
    }
    Ok(Document::new())
}

/// The manifest of a folder.
fn in_folder(path: &Path) -> PathBuf {
    match path.to_str() {
        Some(name) => manifest::in_folder(&DiskWorld, name).into(),
        None => path.to_owned(),
    }
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

fn from_stdin(diags: &mut Diagnostics) -> Result<Arc<str>, ErrorReported> {
    let bytes = DiskWorld.stdin(MAX_PROGRAM).map_err(|error| {
        let (why, help) = input::failed(&error);
        let message = format!("standard input cannot be read: {why}");
        diags.push(Diagnostic::error(diagnostic::UNREADABLE_PROGRAM, message).help(help))
    })?;
    manifest::program_text(bytes, "<stdin>", "manifest", diags)
}

fn from_disk(path: &Path, diags: &mut Diagnostics) -> Result<(String, Arc<str>), ErrorReported> {
    if let Some(built_in) = path
        .to_str()
        .and_then(|p| p.strip_prefix(manifest::BUILT_IN))
    {
        let message = format!("builtin:{} is not a file", words::plain(built_in));
        return Err(diags.push(
            Diagnostic::error(diagnostic::MANIFEST_NOT_FOUND, message)
                .help("`promptc init --preset` writes a copy that you can change"),
        ));
    }
    let name = manifest::shown(&DiskWorld, path);
    let text = manifest::read_program(&DiskWorld, path, &name, "manifest", diags)?;
    Ok((name, text))
}

/// The changed lines.
fn difference(name: &str, old: &str, new: &str) -> Document {
    let mut out = Document::new();
    out.heading(Text::new().name(name));
    out.push(Code::diff(old, new));
    out
}
