//! `promptc init`.
#![allow(
    clippy::disallowed_methods,
    reason = "the commands write; World only reads"
)]

use super::{Context, output};
use crate::builtin::{self, Preset};
use crate::diagnostic::{self, Diagnostic, Diagnostics, Reported, suggest};
use crate::manifest::FILE_NAME;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Write a manifest to start from
///
/// Copies a built-in manifest with its comments, and its templates and sentences beside it. Nothing is overwritten.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc init                          # promptc.kdl in the current directory
  promptc init agent --preset mushroom  # a known agent's layers, in the folder agent
  promptc init --list                   # the presets")]
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
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), Reported> {
    if args.list {
        return context.ui.result(&list(), &mut context.diags);
    }
    let preset = find(&args.preset, &mut context.diags)?;
    let files = files(preset, &args.folder);
    refuse_to_overwrite(&files, &mut context.diags)?;
    write_all(&files, &mut context.diags)?;
    context.ui.remark(&farewell(&args.folder, &files));
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

fn find(name: &str, diags: &mut Diagnostics) -> Result<&'static Preset, Reported> {
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
fn files(preset: &Preset, folder: &Path) -> Vec<(PathBuf, &'static str)> {
    let manifest = builtin::manifest(preset.manifest).map(|text| (folder.join(FILE_NAME), text));
    let texts = preset
        .texts
        .iter()
        .filter_map(|path| Some((folder.join("text").join(path), builtin::text(path)?)));
    let templates = preset.templates.iter().filter_map(|name| {
        Some((
            folder.join("templates").join(name),
            builtin::template(name)?,
        ))
    });
    manifest.into_iter().chain(texts).chain(templates).collect()
}

fn refuse_to_overwrite(
    files: &[(PathBuf, &'static str)],
    diags: &mut Diagnostics,
) -> Result<(), Reported> {
    for (path, _) in files {
        // A link that leads nowhere is something, too.
        if fs::symlink_metadata(path).is_ok() {
            let message = format!("`{}` exists", plain(path));
            diags.push(
                Diagnostic::error(diagnostic::WOULD_OVERWRITE, message)
                    .help("choose another folder: promptc init DIR"),
            );
        }
    }
    diags.check()
}

/// Writes all files, or takes back those that were written.
fn write_all(files: &[(PathBuf, &'static str)], diags: &mut Diagnostics) -> Result<(), Reported> {
    let mut made = Vec::new();
    for (path, text) in files {
        if let Err(error) = write_new(path, text, &mut made) {
            let message = format!(
                "`{}` could not be written: {}",
                plain(path),
                output::reason(&error)
            );
            for path in made.iter().rev() {
                // What cannot be taken back stays; the message above is the one that matters.
                let _ = fs::remove_file(path).or_else(|_| fs::remove_dir(path));
            }
            return Err(diags.push(Diagnostic::error(diagnostic::OUTPUT_NOT_WRITTEN, message)));
        }
    }
    Ok(())
}

/// Writes a file that must not exist, with the folders above it; `made` is what came into being.
fn write_new(path: &Path, text: &str, made: &mut Vec<PathBuf>) -> io::Result<()> {
    let missing: Vec<&Path> = path
        .ancestors()
        .skip(1)
        .take_while(|folder| *folder != Path::new("") && fs::metadata(folder).is_err())
        .collect();
    for folder in missing.into_iter().rev() {
        fs::create_dir(folder)?;
        made.push(folder.to_owned());
    }
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)?;
    made.push(path.to_owned());
    file.write_all(text.as_bytes())
}

fn farewell(folder: &Path, files: &[(PathBuf, &'static str)]) -> String {
    let mut out = String::new();
    for (path, _) in files {
        let _ = writeln!(out, "wrote {}", plain(path));
    }
    let manifest = if folder == Path::new(".") {
        String::new()
    } else {
        format!(" -m {}", plain(&folder.join(FILE_NAME)))
    };
    let _ = writeln!(
        out,
        "\nNext:\n  promptc build{manifest}\n  promptc explain{manifest}"
    );
    out
}

/// A path without a leading `./`.
fn plain(path: &Path) -> String {
    path.strip_prefix(".").unwrap_or(path).display().to_string()
}
