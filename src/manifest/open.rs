//! Finds and reads the manifest of a run.

use super::model::{Manifest, Origin};
use super::{chain, merge};
use crate::diagnostic::span::{FileId, Files};
use crate::diagnostic::{self, Diagnostic, Diagnostics, Reported, suggest};
use crate::prompt::Notice;
use crate::source::builtin;
use crate::world::{self, Kind, World};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file that is looked for without `-m`.
pub const FILE_NAME: &str = "promptc.kdl";

/// The largest manifest or template, in bytes.
pub const MAX_PROGRAM: u64 = 1024 * 1024;

/// How many folders above the current directory may be missing from a revision.
const MOST_LEVELS: usize = 256;

/// How a reference to a built-in begins.
pub(super) const BUILT_IN: &str = "builtin:";

/// Reads the manifest that `reference` names, with all that it extends and includes: `builtin:NAME@N`, a path, or, if there is none, the nearest
/// `promptc.kdl` in the current directory or above.
///
/// # Errors
/// When there is no such manifest, or it cannot be read or parsed.
pub fn open(
    world: &dyn World,
    reference: Option<&str>,
    files: &mut Files,
    diags: &mut Diagnostics,
) -> Result<Arc<Manifest>, Reported> {
    let (file, origin) = match reference {
        None => read_disk(world, &nearest(world, diags)?, files, diags)?,
        Some(reference) => match reference.strip_prefix(BUILT_IN) {
            Some(name) => read_builtin(name, files, diags)?,
            None => read_disk(world, Path::new(reference), files, diags)?,
        },
    };
    let (levels, whole) = chain::levels(world, file, origin, files, diags);
    // Of a part of several files only guesses could be told.
    if levels.len() > 1 || levels[0].sheets.len() > 1 {
        whole?;
    }
    let merged = merge::merge(levels, files, diags);
    whole.and(merged).map(Arc::new)
}

/// What the reader of a build from a built-in should know: where its folders are.
#[must_use]
pub fn notice(manifest: &Manifest) -> Option<Notice> {
    let Origin::BuiltIn { name } = &manifest.origin else {
        return None;
    };
    manifest
        .roots
        .iter()
        .any(|r| !r.default.is_empty())
        .then(|| Notice {
            code: "builtin-roots".to_owned(),
            layer: None,
            message: format!(
                "the default folders of builtin:{name} count from the current directory"
            ),
        })
}

pub(super) fn read_builtin(
    name: &str,
    files: &mut Files,
    diags: &mut Diagnostics,
) -> Result<(FileId, Origin), Reported> {
    if let Some(text) = builtin::manifest(name) {
        let origin = Origin::BuiltIn {
            name: name.to_owned(),
        };
        return Ok((files.add(format!("builtin:{name}"), text), origin));
    }
    let known = || builtin::MANIFESTS.iter().map(|m| m.name);
    let versions: Vec<&str> = known()
        .filter(|m| m.split_once('@').is_some_and(|(plain, _)| plain == name))
        .collect();
    let message = format!("there is no built-in manifest `{name}`");
    let diagnostic = Diagnostic::error(diagnostic::UNKNOWN_BUILTIN, message);
    Err(
        diags.push(match (versions.last(), suggest::nearest(name, known())) {
            (Some(newest), _) => {
                diagnostic.help(format!("the version is part of the name: builtin:{newest}"))
            }
            (None, Some(near)) => diagnostic.help(format!("did you mean builtin:{near}?")),
            (None, None) => diagnostic.help(format!("built in are {}", suggest::list(known()))),
        }),
    )
}

/// That there is a manifest of a name, for who does not read it: a built-in, or what is no folder.
///
/// # Errors
/// When there is none.
pub fn must_stand(
    world: &dyn World,
    reference: &str,
    diags: &mut Diagnostics,
) -> Result<(), Reported> {
    if let Some(name) = reference.strip_prefix(BUILT_IN) {
        return read_builtin(name, &mut Files::default(), diags).map(drop);
    }
    let path = Path::new(reference);
    match world.kind(path) {
        Ok(Kind::File | Kind::Link | Kind::Other) => Ok(()),
        Ok(Kind::Folder) | Err(_) => {
            read_program(world, path, &shown(world, path), "manifest", diags).map(drop)
        }
    }
}

/// Whether a `promptc.kdl` stands here or above.
pub fn stands_above(world: &dyn World) -> bool {
    nearest(world, &mut Diagnostics::default()).is_ok()
}

/// The nearest `promptc.kdl`, as a path from the current directory.
///
/// # Errors
/// When there is none.
pub fn nearest(world: &dyn World, diags: &mut Diagnostics) -> Result<PathBuf, Reported> {
    let levels = levels(world);
    let mut folder = PathBuf::new();
    for _ in 0..levels {
        let path = folder.join(FILE_NAME);
        // A folder of that name is passed over; anything else that stands there is meant.
        match world.kind(&path) {
            Ok(Kind::Folder) => {}
            Err(error) if world::is_missing(&error) => {}
            _ => return Ok(path),
        }
        folder.push("..");
    }
    let message = format!("there is no `{FILE_NAME}` here or in a folder above");
    Err(diags.push(
        Diagnostic::error(diagnostic::MANIFEST_NOT_FOUND, message).help(
            "`promptc init` writes one; -m names another file or a built-in, such as -m builtin:minimal@1",
        ),
    ))
}

/// How many folders there are from here to the top. A revision need not have the current directory, nor those above it.
fn levels(world: &dyn World) -> usize {
    let mut folder = PathBuf::from(".");
    for below in 0..MOST_LEVELS {
        if let Ok(here) = world.canonical(&folder) {
            return below + here.ancestors().count();
        }
        folder.push("..");
    }
    1
}

pub(super) fn read_disk(
    world: &dyn World,
    path: &Path,
    files: &mut Files,
    diags: &mut Diagnostics,
) -> Result<(FileId, Origin), Reported> {
    let name = shown(world, path);
    let text = read_program(world, path, &name, "manifest", diags)?;
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    Ok((files.add(name, text), Origin::Disk { folder }))
}

/// How a path is named in messages: from the current directory if it lies below, else as it was given.
#[must_use]
pub fn shown(world: &dyn World, path: &Path) -> String {
    let below = path
        .is_absolute()
        .then(|| world.canonical(Path::new(".")).ok())
        .flatten()
        .and_then(|here| path.strip_prefix(here).ok());
    let path = below.unwrap_or(path);
    let bare = path.strip_prefix("./").unwrap_or(path);
    // Of `.` and of the current directory itself nothing is left.
    let named = if bare == Path::new("") {
        Path::new(".")
    } else {
        bare
    };
    named.display().to_string()
}

/// The way out where a name is the empty text.
pub const EMPTY_NAME: &str = "an unset variable is the usual cause";

/// The text of a manifest or template (`what`) that must be there; `name` is how messages call it.
///
/// # Errors
/// When it is missing, unreadable, too large or not UTF-8.
pub fn read_program(
    world: &dyn World,
    path: &Path,
    name: &str,
    what: &str,
    diags: &mut Diagnostics,
) -> Result<Arc<str>, Reported> {
    let bytes = match world.kind(path) {
        Ok(Kind::Folder) => return Err(diags.push(is_folder(world, path, name))),
        Ok(Kind::Other | Kind::Link) => {
            let message = format!("{what} `{name}` is not a regular file");
            let found = Diagnostic::error(diagnostic::UNREADABLE_PROGRAM, message);
            return Err(diags.push(found.help("put a file in its place, or name another")));
        }
        Ok(Kind::File) => world.read(path, MAX_PROGRAM),
        Err(error) => Err(error),
    };
    let bytes = bytes.map_err(|error| {
        diags.push(if path == Path::new("") {
            let message = format!("the name of the {what} is empty");
            Diagnostic::error(diagnostic::MANIFEST_NOT_FOUND, message).help(EMPTY_NAME)
        } else if error.kind() == ErrorKind::NotFound {
            let message = format!("there is no {what} `{name}`");
            Diagnostic::error(diagnostic::MANIFEST_NOT_FOUND, message)
                .help("`promptc init` writes one; without -m the nearest `promptc.kdl` here or above is read")
        } else {
            let message = format!("{what} `{name}` cannot be read: {error}");
            Diagnostic::error(diagnostic::UNREADABLE_PROGRAM, message)
                .help("see that it and the folders above it may be read, or name another")
        })
    })?;
    program_text(bytes, name, what, diags)
}

/// The text of a manifest or template (`what`) that was read; `name` is how messages call it.
///
/// # Errors
/// When it is too large or not UTF-8.
pub fn program_text(
    bytes: Vec<u8>,
    name: &str,
    what: &str,
    diags: &mut Diagnostics,
) -> Result<Arc<str>, Reported> {
    if bytes.len() as u64 > MAX_PROGRAM {
        let message = format!("{what} `{name}` is larger than 1 MiB");
        return Err(diags.push(
            Diagnostic::error(diagnostic::PROGRAM_TOO_LARGE, message)
                .help("put long text into a document and name it with `file`"),
        ));
    }
    String::from_utf8(bytes).map(Arc::from).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..offset]
            .iter()
            .filter(|b| **b == b'\n')
            .count();
        let message =
            format!("{what} `{name}` is not UTF-8 at byte offset {offset}, in line {line}");
        diags.push(
            Diagnostic::error(diagnostic::PROGRAM_NOT_UTF8, message).help("save the file as UTF-8"),
        )
    })
}

fn is_folder(world: &dyn World, path: &Path, name: &str) -> Diagnostic {
    let message = format!("`{name}` is a folder, not a manifest");
    let diagnostic = Diagnostic::error(diagnostic::MANIFEST_NOT_FOUND, message);
    if matches!(world.kind(&path.join(FILE_NAME)), Ok(Kind::File)) {
        diagnostic.help(format!(
            "there is one in it: -m {}",
            Path::new(name).join(FILE_NAME).display()
        ))
    } else {
        diagnostic.help("name the file in it")
    }
}
