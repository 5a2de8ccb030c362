//! The text of a manifest or a template, from a file or from inside the program.

use super::model::Origin;
use crate::diagnostic::span::{FileId, Files, Span};
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported, suggest};
use crate::source::builtin;
use crate::syntax::write;
use crate::world::{Kind, World};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file that is looked for without `-m`.
pub const FILE_NAME: &str = "promptc.kdl";

/// The largest manifest or template, in bytes.
pub const MAX_PROGRAM: u64 = 1024 * 1024;

/// The prefix of a reference to a built-in.
pub(crate) const BUILT_IN: &str = "builtin:";

/// Reads a built-in manifest; `at` is the place of its whole reference, if that is in a file.
pub(super) fn read_builtin(
    name: &str,
    at: Option<Span>,
    files: &mut Files,
    diags: &mut Diagnostics,
) -> Result<(FileId, Origin), ErrorReported> {
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
    let (meant, help) = match (versions.last(), suggest::nearest(name, known())) {
        (Some(newest), _) => (
            Some(*newest),
            format!("the version is part of the name: builtin:{newest}"),
        ),
        (None, Some(near)) => (Some(near), format!("did you mean `builtin:{near}`?")),
        (None, None) => (None, format!("built in are {}", suggest::list(known()))),
    };
    let found = diagnostic.help(help);
    Err(diags.push(match at.zip(meant) {
        Some((at, meant)) => found.suggest(at, write::one_line(&format!("{BUILT_IN}{meant}"))),
        None => found,
    }))
}

pub(super) fn read_disk(
    world: &dyn World,
    path: &Path,
    files: &mut Files,
    diags: &mut Diagnostics,
) -> Result<(FileId, Origin), ErrorReported> {
    let name = shown(world, path);
    let text = read_program(world, path, &name, "manifest", diags)?;
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    Ok((files.add(name, text), Origin::Disk { folder }))
}

/// The manifest that a name means: of a folder with a `promptc.kdl` that file, else the name itself.
#[must_use]
pub fn in_folder(world: &dyn World, name: &str) -> String {
    let inside = Path::new(name).join(FILE_NAME);
    let is_folder = |path| matches!(world.kind(path), Ok(Kind::Folder));
    let is_inside =
        is_folder(Path::new(name)) && world.kind(&inside).is_ok_and(|k| k != Kind::Folder);
    match inside.to_str().filter(|_| is_inside) {
        Some(inside) => inside.to_owned(),
        None => name.to_owned(),
    }
}

/// A path in messages: from the current directory if it lies below, else as it was given. Below the top folder every path is.
#[must_use]
pub fn shown(world: &dyn World, path: &Path) -> String {
    let below = path
        .is_absolute()
        .then(|| world.canonical(Path::new(".")).ok())
        .flatten()
        .filter(|here| here.parent().is_some())
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

/// The fix for an empty name.
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
) -> Result<Arc<str>, ErrorReported> {
    let bytes = match world.kind(path) {
        Ok(Kind::Folder) => return Err(diags.push(is_folder(name, what))),
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
                .help("`promptc init` writes one; else name a file, a folder or builtin:NAME@N")
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
) -> Result<Arc<str>, ErrorReported> {
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

fn is_folder(name: &str, what: &str) -> Diagnostic {
    let message = format!("`{name}` is a folder, not a {what}");
    let help = match what {
        "manifest" => format!(
            "a folder is a manifest's name if it has a `{FILE_NAME}`: `promptc init` writes one"
        ),
        _ => "name the file in it".to_owned(),
    };
    Diagnostic::error(diagnostic::MANIFEST_NOT_FOUND, message).help(help)
}
