//! `promptc fmt`.

use super::Context;
use super::ui::{FAINT, NAME, Page, words};
use crate::diagnostic::span::FileId;
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported};
use crate::manifest::{self, MAX_PROGRAM};
use crate::project::Run;
use crate::project::{input, output};
use crate::world::{DiskWorld, World as _};
use anstyle::{AnsiColor, Style};
use similar::{ChangeTag, TextDiff};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Lay manifests out
///
/// Indentation, columns, blank lines and braces come out the same from everyone; comments, strings, numbers and what a
/// manifest means stay as they are. A file is written only if it changes. KDL 2 is enough: an overlay or an included file
/// needs no base.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc fmt                      # the nearest promptc.kdl
  promptc fmt *.kdl                # these files
  promptc fmt --check              # write nothing; exit 1 and show what would change
  promptc fmt - < promptc.kdl      # from standard input to standard output")]
pub(super) struct Args {
    /// The files, `-` for standard input to standard output [default: promptc.kdl here or above]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The manifest, as other commands take it
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
}

impl Args {
    /// Whether something is to be written.
    pub(super) fn writes(&self) -> bool {
        !self.check
    }
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let mut files: Vec<&Path> = args.files.iter().map(PathBuf::as_path).collect();
    files.extend(args.manifest.as_deref());
    let nearest;
    if files.is_empty() {
        nearest = manifest::nearest(&DiskWorld, &mut context.run.diags)?;
        files.push(&nearest);
    }
    for path in files.iter().filter(|path| !args.check && !is_stdin(path)) {
        context.run.walls.add_around(path);
        // One that is not there is told in its turn.
        let _ = output::check(path, &mut context.run);
    }
    context.run.diags.check()?;
    let mut seen = String::new();
    let mut done = Ok(());
    for path in files {
        // Each file is its own; what is wrong with one says nothing about the next.
        match one(path, args.check, context) {
            Ok(shown) => seen += &shown,
            Err(reported) => done = Err(reported),
        }
    }
    context
        .ui
        .result(&Page::drawn(seen), &mut context.run.diags)?;
    done
}

/// Formats one file. Returns what stdout is to show.
fn one(path: &Path, check: bool, context: &mut Context) -> Result<String, ErrorReported> {
    let stdin = is_stdin(path);
    let (name, text) = match stdin {
        true => ("<stdin>".to_owned(), from_stdin(&mut context.run.diags)?),
        false => from_disk(path, &mut context.run.diags)?,
    };
    let Run { files, diags, .. } = &mut context.run;
    let file = files.add(name.as_str(), text.clone());
    let new = manifest::formatted(file, files, diags)?;
    let changed = *new != *text;
    if check {
        context.verdict &= !changed;
        if changed {
            return Ok(difference(&name, file, new, &mut context.run));
        }
    } else if stdin {
        context
            .ui
            .product(&new, Page::foreign, &mut context.run.diags)?;
    } else if changed {
        output::to_file(path, new.as_bytes(), &mut context.run)?;
        context.run.wrote = true;
        context
            .ui
            .remark(&format!("formatted {}\n", words::plain(&name)));
    }
    Ok(String::new())
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
    if let Some(built_in) = path.to_str().and_then(|p| p.strip_prefix("builtin:")) {
        let message = format!("builtin:{} is no file", words::plain(built_in));
        return Err(diags.push(
            Diagnostic::error(diagnostic::MANIFEST_NOT_FOUND, message)
                .help("`promptc init --preset` writes one of which a copy can be changed"),
        ));
    }
    let name = manifest::shown(&DiskWorld, path);
    let text = manifest::read_program(&DiskWorld, path, &name, "manifest", diags)?;
    Ok((name, text))
}

/// What would change, line by line; values of private facts are covered on both sides.
fn difference(name: &str, file: FileId, new: String, run: &mut Run) -> String {
    let Run { files, diags, .. } = &mut *run;
    let after = files.add(name, new);
    // It was laid out once already, so this only hides what must not be shown.
    let _ = manifest::formatted(after, files, diags);
    let (old, new) = (files.get(file).shown(), files.get(after).shown());
    let diff = TextDiff::from_lines(old, new);
    let mut out = format!("{NAME}{}{NAME:#}\n", words::plain(name));
    for (index, group) in diff.grouped_ops(2).iter().enumerate() {
        if index > 0 {
            let _ = writeln!(out, "{FAINT}  …{FAINT:#}");
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let (sign, style) = match change.tag() {
                ChangeTag::Equal => (' ', Style::new()),
                ChangeTag::Delete => ('-', AnsiColor::Red.on_default()),
                ChangeTag::Insert => ('+', AnsiColor::Green.on_default()),
            };
            let line = change.value();
            let text = words::plain(line.strip_suffix('\n').unwrap_or(line));
            let _ = writeln!(out, "{style}{sign} {text}{style:#}");
        }
    }
    out
}
