//! A file that an argument names, or standard input, read whole; and what is said of one that cannot be read.

use crate::diagnostic::{self, Code, Diagnostic, Diagnostics, ErrorReported};
use crate::manifest;
use crate::world::{self, DiskWorld, Kind, World};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, Cursor, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The content of inputs, by their names: all streams, which can be read once, and files of which there is room.
pub(crate) type Streams = Mutex<Held>;

/// The content that is held.
#[derive(Debug, Default)]
pub(crate) struct Held {
    inputs: BTreeMap<PathBuf, Bytes>,
    /// The bytes of files among it.
    files: u64,
    /// The sizes that files which are not held had when they were opened first.
    sizes: BTreeMap<PathBuf, u64>,
}

/// The content of an input, shared by all who read it.
#[derive(Debug, Clone)]
pub(crate) struct Bytes(Arc<Vec<u8>>);

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// The kind of an input, and the wording of its errors.
pub(crate) struct What {
    /// The noun before its name; may be empty.
    pub(crate) noun: &'static str,
    /// The error if it is missing, or is a folder.
    pub(crate) missing: Code,
    /// The alternative that can be passed in its place.
    pub(crate) help: &'static str,
    /// The advice for a folder.
    pub(crate) folder: &'static str,
    /// The error if it cannot be read.
    pub(crate) unreadable: Code,
    /// The most that is read, in bytes.
    pub(crate) limit: u64,
    /// The advice for larger files.
    pub(crate) large: &'static str,
    /// The other inputs next to files.
    pub(crate) takes: Takes,
}

/// The values of an argument besides the path of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// Nothing.
    Files,
    /// `-` for standard input.
    Stdin,
    /// `-`, and pipes and devices, such as what a shell puts in place of <(COMMAND).
    Streams,
}

/// The advice for a folder in place of a file.
pub(crate) const NAME_A_FILE: &str = "name a file in it";

/// The content that was read.
pub(crate) struct Input {
    /// Its name in messages.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// Reads the file at `path`, or with `-` standard input.
pub(crate) fn read(world: &dyn World, path: &Path, what: &What) -> Result<Input, Box<Diagnostic>> {
    read_once(world, path, what, &Streams::default())
}

/// Opens the file at `path`, or with `-` standard input, to be read piece by piece, however large it is. Returns its
/// name in messages, too. With `held`, streams are held there, and can be opened again; so are files, as long as there is room, so that
/// one is read once, and its content does not change in between.
pub(crate) fn open(
    path: &Path,
    what: &What,
    held: Option<&Streams>,
) -> Result<(String, Box<dyn BufRead>), Box<Diagnostic>> {
    let stdin = path == Path::new("-") && what.takes != Takes::Files;
    let name = if stdin {
        "<stdin>".to_owned()
    } else {
        manifest::shown(&DiskWorld, path)
    };
    let is_stream = stdin || matches!(DiskWorld.kind(path), Ok(Kind::Other));
    let opened: io::Result<Box<dyn BufRead>> = match held.filter(|_| is_stream) {
        Some(held) => match once(held, path, || stream(&DiskWorld, path, MOST_HELD)) {
            Ok(bytes) if bytes.0.len() as u64 > MOST_HELD => {
                let what = What {
                    limit: MOST_HELD,
                    large: "write it to a file, and name that: only what cannot be read twice is held in memory",
                    ..*what
                };
                return Err(Box::new(what.too_large(&name)));
            }
            bytes => bytes.map(|bytes| Box::new(Cursor::new(bytes)) as _),
        },
        None if stdin => Ok(DiskWorld.open_stdin()),
        None => match held.and_then(|held| file(held, path)) {
            Some(bytes) => Ok(Box::new(Cursor::new(bytes)) as _),
            None => pieces(held, path),
        },
    };
    match opened {
        Ok(input) => Ok((name, input)),
        Err(error) => Err(Box::new(what.unopened(path, &name, &error))),
    }
}

/// A file that is read piece by piece. Agents append to their transcripts at any time: what was added since it was opened first is left out,
/// so that each reading gives the same.
fn pieces(held: Option<&Streams>, path: &Path) -> io::Result<Box<dyn BufRead>> {
    let (input, size) = DiskWorld.open(path)?;
    let Some(held) = held else {
        return Ok(input);
    };
    let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
    let first = *held.sizes.entry(path.to_owned()).or_insert(size);
    Ok(Box::new(input.take(first)))
}

/// The most bytes of a stream that are held.
const MOST_HELD: u64 = 1 << 30;

/// The most bytes of files that are held.
const MOST_FILES: u64 = 32 << 20;

/// The content of a file that is held; none if there is no room, or it cannot be read.
fn file(held: &Streams, path: &Path) -> Option<Bytes> {
    let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(bytes) = held.inputs.get(path) {
        return Some(bytes.clone());
    }
    let room = MOST_FILES - held.files;
    let read = (room > 0).then(|| DiskWorld.read(path, room).ok())??;
    let size = read.len() as u64;
    if size > room {
        // Later files are not read for nothing, only to see that they do not fit either.
        held.files = MOST_FILES;
        return None;
    }
    held.files += size;
    let bytes = Bytes(Arc::new(read));
    held.inputs.insert(path.to_owned(), bytes.clone());
    Some(bytes)
}

/// The content of a FIFO or device, or with `-` of standard input.
fn stream(world: &dyn World, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    if path == Path::new("-") {
        world.stdin(limit)
    } else {
        world.stream(path, limit)
    }
}

/// Whether an input can be opened again: a file, or a stream that is held.
pub(crate) fn is_repeatable(path: &Path, held: Option<&Streams>) -> bool {
    let is_file = path != Path::new("-") && matches!(DiskWorld.kind(path), Ok(Kind::File));
    is_file || held.is_some()
}

/// Whether nothing is held.
pub(crate) fn is_empty(held: &Streams) -> bool {
    let held = held.lock().unwrap_or_else(PoisonError::into_inner);
    held.inputs.is_empty()
}

/// The first bytes of an input that [can be opened again](is_repeatable). None if it cannot be read.
pub(crate) fn head(path: &Path, what: &What, most: u64, held: Option<&Streams>) -> Option<Vec<u8>> {
    let (_, input) = open(path, what, held).ok()?;
    let mut bytes = Vec::new();
    input.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Whether a file, by whatever path it is named, was not met before. Streams are taken as they come.
pub(crate) fn is_new(path: &Path, met: &mut BTreeSet<PathBuf>) -> bool {
    let is_file = path != Path::new("-") && matches!(DiskWorld.kind(path), Ok(Kind::File));
    let real = is_file.then(|| DiskWorld.canonical(path).ok()).flatten();
    real.is_none_or(|real| met.insert(real))
}

/// Fails if several of these paths are standard input, which has one content.
pub(crate) fn one_stdin(paths: &[PathBuf], diags: &mut Diagnostics) -> Result<(), ErrorReported> {
    let stdin = paths.iter().filter(|path| *path == Path::new("-"));
    match stdin.count() {
        0 | 1 => Ok(()),
        _ => {
            let message = "`-` is named twice, and standard input is read once";
            let found = Diagnostic::error(diagnostic::USAGE, message);
            Err(diags.push(found.help("name it once")))
        }
    }
}

/// [`read`] for inputs that may be named more than once in a run. An error is reported.
pub(crate) fn read_input(
    world: &dyn World,
    path: &Path,
    what: &What,
    streams: &Streams,
    diags: &mut Diagnostics,
) -> Result<Input, ErrorReported> {
    read_once(world, path, what, streams).map_err(|problem| diags.push(*problem))
}

fn read_once(
    world: &dyn World,
    path: &Path,
    what: &What,
    streams: &Streams,
) -> Result<Input, Box<Diagnostic>> {
    let stdin = path == Path::new("-") && what.takes != Takes::Files;
    let (name, bytes) = if stdin {
        let read = once(streams, path, || stream(world, path, what.limit));
        ("<stdin>".to_owned(), read.map(|bytes| bytes.0.to_vec()))
    } else {
        let read = read_file(world, path, what, streams);
        (manifest::shown(world, path), read)
    };
    match bytes {
        Ok(bytes) if bytes.len() as u64 <= what.limit => Ok(Input { name, bytes }),
        Ok(_) => Err(Box::new(what.too_large(&name))),
        Err(error) => Err(Box::new(what.unopened(path, &name, &error))),
    }
}

fn read_file(
    world: &dyn World,
    path: &Path,
    what: &What,
    streams: &Streams,
) -> io::Result<Vec<u8>> {
    match world.kind(path)? {
        Kind::File => world.read(path, what.limit),
        Kind::Folder => Err(ErrorKind::IsADirectory.into()),
        Kind::Other if what.takes == Takes::Streams => {
            let read = once(streams, path, || stream(world, path, what.limit));
            read.map(|bytes| bytes.0.to_vec())
        }
        Kind::Other | Kind::Link => Err(ErrorKind::InvalidInput.into()),
    }
}

/// The content of a stream, also if it was read before: a stream gives it once.
fn once(
    streams: &Streams,
    path: &Path,
    read: impl FnOnce() -> io::Result<Vec<u8>>,
) -> io::Result<Bytes> {
    // A noted input was read completely.
    let mut held = streams.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(bytes) = held.inputs.get(path) {
        return Ok(bytes.clone());
    }
    let bytes = Bytes(Arc::new(read()?));
    held.inputs.insert(path.to_owned(), bytes.clone());
    Ok(bytes)
}

impl What {
    /// Why `path` was not read.
    fn unopened(&self, path: &Path, name: &str, error: &io::Error) -> Diagnostic {
        if path == Path::new("") {
            Diagnostic::error(self.missing, "the name of a file is empty")
                .help(manifest::EMPTY_NAME)
        } else {
            self.unread(name, error)
        }
    }

    /// Why the one called `name` was not read.
    pub(crate) fn unread(&self, name: &str, error: &io::Error) -> Diagnostic {
        let shown = self.shown(name);
        if world::is_missing(error) {
            let noun = if self.noun.is_empty() { "file " } else { "" };
            let message = format!("there is no {noun}{shown}");
            return Diagnostic::error(self.missing, message).help(self.help);
        }
        match error.kind() {
            ErrorKind::IsADirectory => {
                let message = format!("{shown} is a folder");
                Diagnostic::error(self.missing, message).help(self.folder)
            }
            // The error of a world for a path that is neither file nor folder.
            ErrorKind::InvalidInput => {
                let message = format!("{shown} is not a regular file");
                Diagnostic::error(self.unreadable, message).help(match self.takes {
                    Takes::Files => "write what comes out of it to a file, and name that",
                    _ => "write what comes out of it to a file and name that, or pipe it in and name `-`",
                })
            }
            _ => {
                let (why, help) = failed(error);
                let message = format!("{shown} cannot be read: {why}");
                Diagnostic::error(self.unreadable, message).help(help)
            }
        }
    }

    /// The error of an input called `name` that is larger than the limit.
    pub(crate) fn too_large(&self, name: &str) -> Diagnostic {
        let message = format!(
            "{} is larger than {} MiB",
            self.shown(name),
            self.limit >> 20
        );
        Diagnostic::error(diagnostic::DOCUMENT_TOO_LARGE, message).help(self.large)
    }

    fn shown(&self, name: &str) -> String {
        match self.noun {
            "" => format!("`{name}`"),
            noun => format!("{noun} `{name}`"),
        }
    }
}

/// Why reading an existing file failed, and the fix; the words are the same on every system.
pub(crate) fn failed(error: &io::Error) -> (String, &'static str) {
    match error.kind() {
        ErrorKind::PermissionDenied => (
            "permission denied".to_owned(),
            "give the user who runs promptc the right to read it, and to enter the folders above it",
        ),
        ErrorKind::IsADirectory => ("it is a folder".to_owned(), NAME_A_FILE),
        ErrorKind::InvalidInput => (
            "it is not a regular file".to_owned(),
            "put a file in its place",
        ),
        _ if world::is_loop(error) => (
            "its links lead in a circle".to_owned(),
            "name the file itself, or fix the link",
        ),
        _ => (
            error.to_string(),
            "see that it can be read to its end, and try again",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    const FILE: What = What {
        noun: "file",
        missing: diagnostic::USAGE,
        help: "",
        folder: "",
        unreadable: diagnostic::USAGE,
        limit: u64::MAX,
        large: "",
        takes: Takes::Streams,
    };

    #[test]
    fn what_is_appended_to_a_large_file_is_not_in_its_second_reading() {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        let large = vec![b'a'; usize::try_from(MOST_FILES).expect("a size") + 1];
        file.write_all(&large).expect("written");
        let held = Streams::default();
        let length = || {
            let (_, mut input) = open(file.path(), &FILE, Some(&held)).expect("opened");
            let mut read = Vec::new();
            input.read_to_end(&mut read).expect("read");
            read.len()
        };
        assert_eq!(length(), large.len());
        let mut writer = file.as_file();
        writer.write_all(b"more").expect("appended");
        assert_eq!(length(), large.len());
    }
}
