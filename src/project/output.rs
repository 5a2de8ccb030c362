//! Writing results to files: in one step, through no link, over nothing that was read.
#![allow(
    clippy::disallowed_methods,
    reason = "a result is written; World only reads"
)]

use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::manifest;
use crate::project::Run;
use crate::text::inert_json;
use crate::world::write::{Rights, Target, Walls, link_in};
use crate::world::{DiskWorld, Kind};
use std::collections::BTreeSet;
#[cfg(feature = "capture")]
use std::fs::TryLockError;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, IsTerminal as _, Seek as _, Write};
use std::path::{Path, PathBuf};

/// Writes `bytes` to the file at `path`: whole, or not at all.
pub(crate) fn to_file(path: &Path, bytes: &[u8], run: &mut Run) -> Result<(), ErrorReported> {
    write(path, bytes, Rights::Usual, run)
}

/// Writes `text` over the manifest at `path`, unless it is not what was read as `before` any more: somebody else has changed
/// it meanwhile.
pub(crate) fn replace_manifest(
    path: &Path,
    before: &str,
    text: &str,
    run: &mut Run,
) -> Result<(), ErrorReported> {
    let name = manifest::shown(&DiskWorld, path);
    let now = manifest::read_program(&DiskWorld, path, &name, "manifest", &mut run.diags)?;
    if *now != *before {
        let message = format!("`{name}` has changed since it was read, so it is not written");
        let found = Diagnostic::error(diagnostic::OUTPUT_NOT_WRITTEN, message);
        return Err(run.diags.push(found.help("run the command again")));
    }
    to_file(path, text.as_bytes(), run)
}

/// Writes `bytes` to the file at `path`, with no access for other users.
pub(crate) fn to_private_file(
    path: &Path,
    bytes: &[u8],
    run: &mut Run,
) -> Result<(), ErrorReported> {
    write(path, bytes, Rights::Private, run)
}

fn write(
    path: &Path,
    mut bytes: &[u8],
    rights: Rights<'_>,
    run: &mut Run,
) -> Result<(), ErrorReported> {
    let written = Destination::of(path, &run.walls).and_then(|place| match place {
        Destination::Reader(mut file) => file.write_all(bytes).and_then(|()| file.flush()),
        Destination::File(target) => target.write(&mut bytes, rights),
    });
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(run.diags.push(not_written(Some(path), &error)))
        }
        _ => Ok(()),
    }
}

/// Fails if a link that must not be followed is on the way to a file: before anything else is changed.
pub(crate) fn check(path: &Path, run: &mut Run) -> Result<(), ErrorReported> {
    match run.walls.check(path) {
        Err(error) if link_in(&error).is_some() => {
            Err(run.diags.push(not_written(Some(path), &error)))
        }
        _ => Ok(()),
    }
}

/// Fails if a file that the user did not name cannot be written: a link is on the way, or its place holds something other than a file.
pub(crate) fn check_unnamed(path: &Path, run: &mut Run) -> Result<(), ErrorReported> {
    check(path, run)?;
    match run.walls.target(path).and_then(|target| target.kind()) {
        Ok(Some(kind)) if kind != Kind::File => {
            let error = match kind {
                Kind::Folder => ErrorKind::IsADirectory,
                _ => ErrorKind::AlreadyExists,
            };
            Err(run.diags.push(not_written(Some(path), &error.into())))
        }
        _ => Ok(()),
    }
}

/// The error of an output that could not be written; `None` is standard output.
pub(crate) fn not_written(path: Option<&Path>, error: &io::Error) -> Diagnostic {
    let name = path.map_or("standard output".to_owned(), |p| {
        format!("`{}`", p.display())
    });
    if let Some(link) = link_in(error) {
        return is_linked(&format!("{name} is not written"), link);
    }
    let message = format!("{name} could not be written: {}", reason(error));
    Diagnostic::error(diagnostic::OUTPUT_NOT_WRITTEN, message).help(match path {
        Some(_) => way_out(error),
        None => "look at what reads it, or at the disk that it is sent to",
    })
}

/// The error of a file that is a link or below one, which others may have put there; `what` is what is not done for it.
pub(crate) fn is_linked(what: &str, link: &Path) -> Diagnostic {
    let message = format!("{what}: `{}` is a link", link.display());
    Diagnostic::error(diagnostic::LINKED_FILE, message).help(
        "remove the link if you did not make it; else name the file by the path that it leads to",
    )
}

/// The error of an output that would take the place of an input.
pub(crate) fn is_input(path: &Path) -> Diagnostic {
    would_replace(path, "this prompt", "-o")
}

fn would_replace(path: &Path, what: &str, option: &str) -> Diagnostic {
    let path = path.display();
    let message = format!("`{path}` was read for {what}, and {option} would replace it");
    Diagnostic::error(diagnostic::OUTPUT_IS_INPUT, message).help("name another file")
}

/// Fails if the file at `path`, which this option names, was read for `what`.
pub(crate) fn check_unread(
    path: &Path,
    (what, option): (&str, &str),
    run: &mut Run,
) -> Result<(), ErrorReported> {
    if is_among(path, &run.read) {
        Err(run.diags.push(would_replace(path, what, option)))
    } else {
        Ok(())
    }
}

/// Whether the file at `path` is one of those that were read, under whatever name.
pub(crate) fn is_among(path: &Path, read: &BTreeSet<PathBuf>) -> bool {
    // A missing one has the place of its folder.
    let in_folder = |path: &Path| {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
        let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
        Some(folder.join(path.file_name()?))
    };
    let place = |path: &Path| fs::canonicalize(path).ok().or_else(|| in_folder(path));
    let Some(output) = place(path) else {
        return false;
    };
    read.iter()
        .any(|read| place(read).as_ref() == Some(&output))
}

/// Creates the folder of a file.
pub(crate) fn folder_of(path: &Path, run: &mut Run) -> Result<(), ErrorReported> {
    let target = run.walls.target(path);
    let made = target.and_then(|mut target| target.make_folders().map(|_| ()));
    made.map_err(|error| {
        let (folder, why) = (path.parent().unwrap_or(path).display(), reason(&error));
        let found = match link_in(&error) {
            Some(link) => is_linked(&format!("`{}` is not written", path.display()), link),
            None => {
                let message = format!("the folder `{folder}` could not be made: {why}");
                Diagnostic::error(diagnostic::OUTPUT_NOT_WRITTEN, message).help(way_out(&error))
            }
        };
        run.diags.push(found)
    })
}

/// Removes a file if it is there.
pub(crate) fn remove(path: &Path, run: &mut Run) -> Result<(), ErrorReported> {
    let target = run.walls.target(path);
    let removed = target.and_then(|target| target.folder()?.remove(target.name()));
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            let (shown, why) = (path.display(), reason(&error));
            let what = format!("`{shown}` could not be removed");
            let found = match link_in(&error) {
                Some(link) => is_linked(&what, link),
                None => {
                    let message = format!("{what}: {why}");
                    Diagnostic::error(diagnostic::OUTPUT_NOT_WRITTEN, message)
                        .help("remove it by hand")
                }
            };
            Err(run.diags.push(found))
        }
        _ => Ok(()),
    }
}

/// Removes a folder if nothing is in it.
pub(crate) fn remove_empty(folder: &Path, walls: &Walls) {
    if let Ok(target) = walls.target(folder)
        && let Ok(around) = target.folder()
    {
        // One that is not empty stays.
        let _ = around.remove_folder(target.name());
    }
}

/// Where a result goes.
enum Destination {
    /// To a device or FIFO: it has no old content to keep, and must not be replaced by a file.
    Reader(Box<dyn Write>),
    /// To this place.
    File(Target),
}

/// Names of the descriptor of standard output. Where that leads to a file, others may have written to it, and may go on.
const STDOUT: [&str; 3] = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

impl Destination {
    fn of(path: &Path, walls: &Walls) -> io::Result<Self> {
        if STDOUT.iter().any(|name| path == Path::new(name)) {
            return Ok(Self::Reader(Box::new(io::stdout())));
        }
        let target = walls.target(path)?;
        match target.kind()? {
            None | Some(Kind::File) => Ok(Self::File(target)),
            Some(Kind::Folder) => Err(ErrorKind::IsADirectory.into()),
            Some(Kind::Other | Kind::Link) => Ok(Self::Reader(Box::new(target.open_device()?))),
        }
    }
}

/// A result that is written piece by piece.
pub(crate) enum Output {
    /// A reader takes each piece as it comes.
    Reader(BufWriter<Box<dyn Write>>),
    /// A terminal takes pieces of JSON, without characters that it would obey.
    Terminal(io::Stdout),
    /// A file appears only when it is complete. The pieces wait in an unnamed file in the same folder, which no build
    /// can find, and which disappears if the program is ended.
    File {
        /// The bytes that were written so far.
        pieces: BufWriter<File>,
        /// Where it belongs.
        target: Target,
        /// The users that may read it.
        rights: Rights<'static>,
    },
}

impl Output {
    /// To standard output: whole lines of JSON.
    pub(crate) fn stdout() -> Self {
        let out = io::stdout();
        if out.is_terminal() {
            Self::Terminal(out)
        } else {
            Self::Reader(BufWriter::new(Box::new(out)))
        }
    }

    /// To the file at `path`.
    pub(crate) fn open(path: &Path, walls: &Walls) -> io::Result<Self> {
        Self::with(path, Rights::Usual, walls)
    }

    /// To the file at `path`, with no access for other users.
    pub(crate) fn open_private(path: &Path, walls: &Walls) -> io::Result<Self> {
        Self::with(path, Rights::Private, walls)
    }

    fn with(path: &Path, rights: Rights<'static>, walls: &Walls) -> io::Result<Self> {
        Ok(match Destination::of(path, walls)? {
            Destination::Reader(reader) => Self::Reader(BufWriter::new(reader)),
            Destination::File(target) => Self::File {
                pieces: BufWriter::new(target.scratch()?),
                target,
                rights,
            },
        })
    }

    /// Adds a piece.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Reader(out) => out.write_all(bytes),
            Self::Terminal(out) => {
                out.write_all(inert_json(&String::from_utf8_lossy(bytes)).as_bytes())
            }
            Self::File { pieces, .. } => pieces.write_all(bytes),
        }
    }

    /// Lets a reader have what was written so far.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Reader(out) => out.flush(),
            Self::Terminal(out) => out.flush(),
            Self::File { .. } => Ok(()),
        }
    }

    /// Puts the file in its place.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        match self {
            Self::Reader(_) | Self::Terminal(_) => Ok(()),
            Self::File {
                pieces,
                target,
                rights,
            } => {
                let mut pieces = pieces.into_inner().map_err(|e| e.into_error())?;
                pieces.rewind()?;
                target.write(&mut pieces, rights)
            }
        }
    }
}

/// A file for its owner alone, to which whole pieces are added: each is there as soon as it was written.
#[cfg(feature = "capture")]
pub(crate) struct Growing {
    file: File,
    /// The end of the last whole piece; none of what is no file.
    end: Option<u64>,
}

#[cfg(feature = "capture")]
impl Growing {
    /// Whether there can be one at `path`, as far as it shows before it is opened.
    pub(crate) fn check(path: &Path, walls: &Walls) -> io::Result<()> {
        let target = walls.target(path)?;
        match target.kind()? {
            Some(Kind::Folder) => Err(ErrorKind::IsADirectory.into()),
            Some(Kind::File) => Self::is_free(&target),
            Some(Kind::Other | Kind::Link) => Ok(()),
            None => target.folder().map(|_| ()),
        }
    }

    /// The file at `path`, which begins with this; one that is there is replaced, unless another recorder adds to it.
    pub(crate) fn open(path: &Path, mut start: &[u8], walls: &Walls) -> io::Result<Self> {
        let end = Some(start.len() as u64);
        let target = walls.target(path)?;
        match target.kind()? {
            kind @ (None | Some(Kind::File)) => {
                if kind.is_some() {
                    Self::is_free(&target)?;
                }
                target.write(&mut start, Rights::Private)?;
                let file = target.folder()?.open_to_append(target.name())?;
                locked(&file)?;
                Ok(Self { file, end })
            }
            Some(Kind::Folder) => Err(ErrorKind::IsADirectory.into()),
            Some(Kind::Other | Kind::Link) => {
                let mut file = target.open_device()?;
                file.write_all(start)?;
                Ok(Self { file, end: None })
            }
        }
    }

    /// Fails if another recorder adds to the file that is there.
    fn is_free(target: &Target) -> io::Result<()> {
        match target.folder()?.open_to_append(target.name()) {
            Ok(file) => locked(&file),
            // A file that may not be written may still be replaced.
            Err(_) => Ok(()),
        }
    }

    /// Adds a piece: all of it, or nothing.
    pub(crate) fn add(&mut self, piece: &[u8]) -> io::Result<()> {
        let written = self.file.write_all(piece);
        match (&mut self.end, &written) {
            (Some(end), Ok(())) => *end += piece.len() as u64,
            // If that fails too, the piece is cut, and its reader passes it over.
            (Some(end), Err(_)) => _ = self.file.set_len(*end),
            (None, _) => {}
        }
        written
    }
}

/// Takes the lock of a log that grows; an error if another recorder has it.
#[cfg(feature = "capture")]
fn locked(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(ErrorKind::ResourceBusy.into()),
        // Not every file system has locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// The advice for a failed write.
pub(crate) fn way_out(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::NotFound => "make the folder, or name another place",
        ErrorKind::IsADirectory => "name a file in it",
        ErrorKind::PermissionDenied => {
            "give the user who runs promptc the right to write there, or name another place"
        }
        ErrorKind::StorageFull => "make room there, or name another place",
        ErrorKind::FileTooLarge => "raise the limit (`ulimit -f`), or name another place",
        _ => "name another place",
    }
}

/// Why writing failed, without paths (that of a temporary file would differ from run to run).
pub(crate) fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "the folder does not exist".to_owned(),
        ErrorKind::AlreadyExists => "something else is in its place".to_owned(),
        ErrorKind::NotADirectory => "a file is where the path needs a folder".to_owned(),
        ErrorKind::IsADirectory => "it is a folder".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::ReadOnlyFilesystem => "the file system is read-only".to_owned(),
        ErrorKind::StorageFull => "no space is left on the device".to_owned(),
        ErrorKind::ResourceBusy => "another recorder adds to it".to_owned(),
        ErrorKind::FileTooLarge => "it is larger than a file may be here".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What an editor saves between reading and writing is not lost.
    #[test]
    fn a_manifest_that_was_changed_meanwhile_is_not_written() {
        let path = std::env::temp_dir().join(format!("promptc-replace-{}.kdl", std::process::id()));
        let mut run = Run::default();
        fs::write(&path, "promptc 1\n").unwrap();
        replace_manifest(&path, "promptc 1\n", "promptc 1\nname a\n", &mut run).unwrap();
        fs::write(&path, "promptc 1\nname mine\n").unwrap();
        let refused = replace_manifest(&path, "promptc 1\nname a\n", "promptc 1\n", &mut run);
        assert!(refused.is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "promptc 1\nname mine\n");
        fs::remove_file(&path).unwrap();
    }
}
