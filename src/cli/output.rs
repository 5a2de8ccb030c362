//! Writing results: to stdout, or to a file in one step.
#![allow(
    clippy::disallowed_methods,
    reason = "the commands write; World only reads"
)]

use crate::diagnostic::{self, Diagnostic, Diagnostics, Reported};
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read, Seek as _, Write};
use std::path::{Path, PathBuf};

/// Writes `bytes` to stdout. A reader that went away is no error.
pub(crate) fn to_stdout(bytes: &[u8], diags: &mut Diagnostics) -> Result<(), Reported> {
    to_reader(bytes, diags).map(|_| ())
}

/// The same; whether the reader was there to the end.
pub(crate) fn to_reader(bytes: &[u8], diags: &mut Diagnostics) -> Result<bool, Reported> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(diags.push(not_written(None, &error))),
    }
}

/// The file that an option names; `-` is standard output.
pub(crate) fn named(option: Option<&PathBuf>) -> Option<&Path> {
    option.map(PathBuf::as_path).filter(|path| !is_stdout(path))
}

fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// The file that an option names, of a command that has its report on standard output.
pub(crate) fn file_alone(path: PathBuf) -> Result<PathBuf, &'static str> {
    match is_stdout(&path) {
        true => {
            Err("standard output has the report; name a file, or write ./- for one of that name")
        }
        false => Ok(path),
    }
}

/// Writes `bytes` to the file at `path`: whole, or not at all.
pub(crate) fn to_file(path: &Path, bytes: &[u8], diags: &mut Diagnostics) -> Result<(), Reported> {
    let written = Place::of(path).and_then(|place| match place {
        Place::Reader(mut file) => file.write_all(bytes).and_then(|()| file.flush()),
        Place::File { path, keep } => replace(&path, &mut &*bytes, keep),
    });
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(diags.push(not_written(Some(path), &error)))
        }
        _ => Ok(()),
    }
}

/// The error of an output that could not be written; `None` is standard output.
pub(crate) fn not_written(path: Option<&Path>, error: &io::Error) -> Diagnostic {
    let name = path.map_or("standard output".to_owned(), |p| {
        format!("`{}`", p.display())
    });
    let message = format!("{name} could not be written: {}", reason(error));
    Diagnostic::error(diagnostic::OUTPUT_NOT_WRITTEN, message).help(match path {
        Some(_) => way_out(error),
        None => "look at what reads it, or at the disk that it is sent to",
    })
}

/// The error of an output that would take the place of an input.
pub(crate) fn is_input(path: &Path) -> Diagnostic {
    let path = path.display();
    let message = format!("`{path}` was read for this prompt, and -o would replace it");
    Diagnostic::error(diagnostic::OUTPUT_IS_INPUT, message).help("name another file")
}

/// Whether the file at `path` is one of those that were read, under whatever name.
pub(crate) fn is_among(path: &Path, read: &BTreeSet<PathBuf>) -> bool {
    let place = |path: &Path| fs::canonicalize(path).ok();
    let Some(output) = place(path) else {
        return false;
    };
    read.iter()
        .any(|read| place(read).as_ref() == Some(&output))
}

/// Makes the folder that a file is to stand in.
pub(crate) fn folder_of(path: &Path, diags: &mut Diagnostics) -> Result<(), Reported> {
    let folder = path.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder).map_err(|error| {
        let (shown, why) = (folder.display(), reason(&error));
        let message = format!("the folder `{shown}` could not be made: {why}");
        let found = Diagnostic::error(diagnostic::OUTPUT_NOT_WRITTEN, message);
        diags.push(found.help(way_out(&error)))
    })
}

/// Removes a file if it is there, and its folder if nothing else is in it and it is one of snapshots.
pub(crate) fn remove(path: &Path, diags: &mut Diagnostics) -> Result<(), Reported> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            let (shown, why) = (path.display(), reason(&error));
            let message = format!("`{shown}` could not be removed: {why}");
            let found = Diagnostic::error(diagnostic::OUTPUT_NOT_WRITTEN, message);
            return Err(diags.push(found.help("remove it by hand")));
        }
        _ => {}
    }
    let folders = path.ancestors().skip(1);
    let mut folders = folders.take_while(|f| f.components().any(|c| c.as_os_str() == "snapshots"));
    // One that is not empty stays.
    while folders.next().is_some_and(|f| fs::remove_dir(f).is_ok()) {}
    Ok(())
}

/// Where a result goes.
enum Place {
    /// To a device or FIFO: it has no old content to keep, and must not be replaced by a file.
    Reader(File),
    /// To this place; with the mode of the file that stands there.
    File {
        path: PathBuf,
        keep: Option<fs::Permissions>,
    },
}

impl Place {
    fn of(path: &Path) -> io::Result<Self> {
        match fs::metadata(path) {
            Ok(meta) if meta.is_file() => {
                // A link stays, the file behind it is replaced. Opening it says whether it may be written: a rename would
                // replace a file that its owner has locked.
                let path = fs::canonicalize(path)?;
                OpenOptions::new().append(true).open(&path)?;
                let keep = Some(meta.permissions());
                Ok(Self::File { path, keep })
            }
            Ok(_) => Ok(Self::Reader(OpenOptions::new().write(true).open(path)?)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::File {
                path: behind(path)?,
                keep: None,
            }),
            Err(error) => Err(error),
        }
    }
}

/// A result that is written piece by piece.
pub(crate) enum Output {
    /// A reader takes each piece as it comes.
    Reader(BufWriter<Box<dyn Write>>),
    /// Of a file nothing shows before the end. The pieces wait in one without a name, which no build can find, and which is
    /// gone if the program is ended.
    File {
        /// What was written so far.
        pieces: BufWriter<File>,
        /// Where it belongs.
        path: PathBuf,
        /// The mode of the file that stood there.
        keep: Option<fs::Permissions>,
    },
}

impl Output {
    /// To standard output.
    pub(crate) fn stdout() -> Self {
        Self::Reader(BufWriter::new(Box::new(io::stdout())))
    }

    /// To the file at `path`.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(match Place::of(path)? {
            Place::Reader(file) => Self::Reader(BufWriter::new(Box::new(file))),
            Place::File { path, keep } => Self::File {
                pieces: BufWriter::new(tempfile::tempfile_in(folder_around(&path))?),
                path,
                keep,
            },
        })
    }

    /// Adds a piece.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Reader(out) => out.write_all(bytes),
            Self::File { pieces, .. } => pieces.write_all(bytes),
        }
    }

    /// Lets a reader have what was written so far.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Reader(out) => out.flush(),
            Self::File { .. } => Ok(()),
        }
    }

    /// Puts the file in its place.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        match self {
            Self::Reader(_) => Ok(()),
            Self::File { pieces, path, keep } => {
                let mut pieces = pieces.into_inner().map_err(|e| e.into_error())?;
                pieces.rewind()?;
                replace(&path, &mut pieces, keep)
            }
        }
    }
}

/// Where a link leads that ends nowhere, so that the file comes to stand there and the link stays; any other path as it is.
fn behind(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    // The system has followed them all and found nothing, so there is no circle; it counts to 40 itself.
    for _ in 0..40 {
        match fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_symlink() => {
                let target = fs::read_link(&path)?;
                path = path.parent().unwrap_or(Path::new("")).join(target);
            }
            _ => break,
        }
    }
    Ok(path)
}

/// Writes a file beside `path` and puts it in its place; `keep` is the mode of the file that stood there.
fn replace(path: &Path, content: &mut impl Read, keep: Option<fs::Permissions>) -> io::Result<()> {
    let mut file = fresh().tempfile_in(folder_around(path))?;
    io::copy(content, file.as_file_mut())?;
    if let Some(permissions) = keep {
        file.as_file().set_permissions(permissions)?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

fn folder_around(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// A temporary file with the mode that a new file has, which is the umask's to narrow.
fn fresh() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".promptc-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}

/// What to do where writing failed.
pub(crate) fn way_out(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::NotFound => "make the folder, or name another place",
        ErrorKind::IsADirectory => "name a file in it",
        ErrorKind::PermissionDenied => {
            "give the user who runs promptc the right to write there, or name another place"
        }
        ErrorKind::StorageFull => "make room there, or name another place",
        _ => "name another place",
    }
}

/// Why writing failed, without paths (that of a temporary file would differ from run to run).
pub(crate) fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "the folder does not exist".to_owned(),
        ErrorKind::AlreadyExists => "something else stands in its place".to_owned(),
        ErrorKind::NotADirectory => "a file stands where the path needs a folder".to_owned(),
        ErrorKind::IsADirectory => "it is a folder".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::ReadOnlyFilesystem => "the file system is read-only".to_owned(),
        ErrorKind::StorageFull => "no space is left on the device".to_owned(),
        other => other.to_string(),
    }
}
