//! New files, all or none.
#![allow(
    clippy::disallowed_methods,
    reason = "the commands write; World only reads"
)]

use crate::cli::output;
use crate::diagnostic::{self, Diagnostic, Diagnostics, Reported};
use std::borrow::Cow;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// A file that is to be written.
pub(super) struct New {
    pub(super) path: PathBuf,
    pub(super) text: Cow<'static, str>,
}

/// Writes the files, or none of them: nothing that exists is replaced.
pub(super) fn all(files: &[New], diags: &mut Diagnostics) -> Result<(), Reported> {
    refuse_to_overwrite(files, diags)?;
    write_all(files, diags)
}

fn refuse_to_overwrite(files: &[New], diags: &mut Diagnostics) -> Result<(), Reported> {
    for New { path, .. } in files {
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
fn write_all(files: &[New], diags: &mut Diagnostics) -> Result<(), Reported> {
    let mut made = Vec::new();
    for New { path, text } in files {
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
            let found = Diagnostic::error(diagnostic::OUTPUT_NOT_WRITTEN, message);
            return Err(diags.push(found.help(output::way_out(&error))));
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

/// A path without a leading `./`.
pub(super) fn plain(path: &Path) -> String {
    match path.strip_prefix(".") {
        Ok(below) if below != Path::new("") => below.display().to_string(),
        _ => path.display().to_string(),
    }
}
