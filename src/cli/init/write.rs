//! New files, all or none.

use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::manifest::FILE_NAME;
use crate::project::Run;
use crate::project::output;
use crate::world::write::{Rights, Walls, link_in};
use crate::world::{DiskWorld, Kind, World as _};
use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

/// A file that is to be written.
pub(super) struct New {
    pub(super) path: PathBuf,
    pub(super) text: Cow<'static, str>,
}

/// Writes the files below `folder`, or none of them: nothing that exists is replaced. The manifest is written last.
/// A run that was stopped before that can be repeated: an existing file with the right text counts as written.
pub(super) fn all(folder: &Path, files: &[New], run: &mut Run) -> Result<(), ErrorReported> {
    run.walls.add(folder);
    let manifest = folder.join(FILE_NAME);
    let mut missing = Vec::new();
    for new in files {
        let found = run.walls.target(&new.path).and_then(|t| t.kind());
        match found {
            Ok(None) => missing.push(new),
            Ok(Some(Kind::File)) if new.path != manifest && is_written(new) => {}
            Ok(Some(_)) => {
                let message = format!("`{}` exists", plain(&new.path));
                run.diags.push(
                    Diagnostic::error(diagnostic::WOULD_OVERWRITE, message)
                        .help("choose another folder: promptc init DIR"),
                );
            }
            Err(error) if link_in(&error).is_some() => {
                run.diags.push(not_written(new, &error));
            }
            // What cannot be looked at is said by the writing.
            Err(_) => missing.push(new),
        }
    }
    run.diags.check()?;
    missing.sort_by_key(|new| new.path == manifest);
    let mut made = Vec::new();
    for new in missing {
        if let Err(error) = write_new(new, &run.walls, &mut made) {
            for path in made.iter().rev() {
                // What cannot be taken back stays; the message below is the one that matters.
                let _ = take_back(path, &run.walls);
            }
            return Err(run.diags.push(not_written(new, &error)));
        }
    }
    Ok(())
}

fn not_written(new: &New, error: &io::Error) -> Diagnostic {
    output::not_written(Some(Path::new(&plain(&new.path))), error)
}

/// Whether the file exists with its text.
fn is_written(new: &New) -> bool {
    let length = new.text.len() as u64;
    let read = DiskWorld.read(&new.path, length);
    read.is_ok_and(|bytes| bytes == new.text.as_bytes())
}

/// Writes a file that must not exist, with the folders above it; `made` is what came into being.
fn write_new(new: &New, walls: &Walls, made: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut target = walls.target(&new.path)?;
    let folders = target.make_folders()?;
    made.extend(folders.into_iter().map(|(path, _)| path));
    let mut text = new.text.as_bytes();
    target
        .folder()?
        .add(target.name(), &mut text, Rights::Usual)?;
    made.push(new.path.clone());
    Ok(())
}

/// Removes a file or folder that was made.
fn take_back(path: &Path, walls: &Walls) -> io::Result<()> {
    let target = walls.target(path)?;
    match target.kind()? {
        Some(Kind::Folder) => target.folder()?.remove_folder(target.name()),
        _ => target.folder()?.remove(target.name()),
    }
}

/// A path without a leading `./`.
pub(super) fn plain(path: &Path) -> String {
    match path.strip_prefix(".") {
        Ok(below) if below != Path::new("") => below.display().to_string(),
        _ => path.display().to_string(),
    }
}
