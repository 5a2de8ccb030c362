//! One call, from the file and back to it.

use super::file::{self, Locked};
use super::select::Memories;
use crate::agent::memory::{Answer, Call, Change, Code, Notes, Refusal, Unnamed, apply};
use crate::compile::MemoryTarget;
use crate::diagnostic::{self as codes, Diagnostic, Diagnostics, ErrorReported};
use crate::manifest;
use crate::project::output;
use crate::source::wall::{self, Obstacle};
use crate::source::writing::{self, WriteTarget};
use crate::text::normalise;
use crate::world::write::{Target, Walls};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;

/// The writer of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writer {
    /// A model. It writes entries of a few lines, and names one by a part of its first line.
    Model,
    /// A person, who may not know where an entry ends.
    Person,
}

impl Writer {
    /// Whether the file is copied before these lines go.
    fn copies(self, unnamed: Unnamed) -> bool {
        let most = match self {
            // No more than an entry of a model usually has. Hermes makes no copy either.
            Self::Model if !unnamed.has_items => 5,
            _ => 0,
        };
        unnamed.lines > most
    }
}

/// The options of a change of a memory.
#[derive(Debug, Clone)]
pub struct MemoryOptions {
    /// The memory: the name of a layer; of a call, where it names none. Without it the only one.
    pub layer: Option<String>,
    /// The longest wait for other processes that write it, in seconds.
    pub wait: u64,
    /// The number of calls of this turn that failed before, one after the other.
    pub failed: u32,
}

impl Default for MemoryOptions {
    fn default() -> Self {
        Self {
            layer: None,
            wait: 10,
            failed: 0,
        }
    }
}

/// Does what the arguments of a tool call say. Whatever is wrong with them is for the model.
pub(crate) fn of_model(
    memories: &Memories,
    write: &MemoryOptions,
    arguments: Result<String, Refusal>,
    diags: &mut Diagnostics,
) -> Result<Answer, ErrorReported> {
    if let Some(name) = &write.layer {
        memories.check(name, diags)?;
    }
    let found = arguments.and_then(|arguments| {
        let call = Call::parse(&arguments)?;
        let name = wanted(memories, call.target.as_deref().or(write.layer.as_deref()))?;
        Ok((call, name))
    });
    match found {
        Err(refusal) => Ok(Answer::without_target(&refusal, write.failed)),
        Ok((call, name)) => {
            let target = memories.target(name, diags)?;
            change(memories, &target, (&call, Writer::Model), write, diags)
        }
    }
}

/// The memory that a call means.
fn wanted<'m>(memories: &'m Memories, asked: Option<&str>) -> Result<&'m str, Refusal> {
    let names = memories.names();
    match (asked, names) {
        (None, [only]) => Ok(only),
        (None, _) => Err(Refusal::no_target(names.to_vec())),
        (Some(asked), _) => match names.iter().find(|name| ***name == *asked) {
            Some(name) => Ok(name),
            None => Err(Refusal::unknown_target(names.to_vec())),
        },
    }
}

/// Does what a call says with one memory.
pub(crate) fn change(
    memories: &Memories,
    target: &MemoryTarget,
    (call, writer): (&Call, Writer),
    write: &MemoryOptions,
    diags: &mut Diagnostics,
) -> Result<Answer, ErrorReported> {
    target.check_writable(diags)?;
    let file = MemoryFile::new(memories, target, diags)?;
    let mut read = file.read(diags)?;
    let mut outcome = apply(&read.notes, call, &target.terms);
    let mut copy = None;
    // A change without effect waits for no lock and leaves no trace.
    if matches!(&outcome, Ok(Change { text: Some(_), .. })) {
        let (_held, place) = file.lock(write, diags)?;
        read = file.read(diags)?;
        outcome = apply(&read.notes, call, &target.terms);
        if let Ok(Change {
            text: Some(text),
            unnamed,
            ..
        }) = &outcome
            && read.bytes.as_deref() != Some(text.as_bytes())
        {
            if writer.copies(*unnamed) {
                let name = file.back_up(read.bytes.as_deref().unwrap_or_default(), diags)?;
                copy = Some((name, unnamed.lines));
            }
            let folder = place.folder();
            let written = folder.and_then(|f| file::replace(f, place.name(), text.as_bytes()));
            written.map_err(|error| file.failed(&error, diags))?;
        }
    }
    let mut answer = Answer::of(target, &read.notes, &outcome, write.failed);
    if answer.code == Code::Drifted {
        answer.backup = Some(file.back_up(&read.bytes.unwrap_or_default(), diags)?);
    }
    Ok(match copy {
        Some((name, unnamed)) => answer.with_copy(name, unnamed),
        None => answer,
    })
}

/// A memory and its file.
pub(crate) struct MemoryFile<'a> {
    memories: &'a Memories,
    target: &'a MemoryTarget,
    place: WriteTarget,
}

/// A memory as it was read.
pub(crate) struct Read {
    /// The bytes of the file, if there is one.
    bytes: Option<Vec<u8>>,
    /// Their texts.
    pub(crate) notes: Notes,
}

impl<'a> MemoryFile<'a> {
    /// Finds the file of a memory.
    pub(crate) fn new(
        memories: &'a Memories,
        target: &'a MemoryTarget,
        diags: &mut Diagnostics,
    ) -> Result<Self, ErrorReported> {
        let place = writing::place(memories.world(), &target.folder, &target.path);
        let place = place.map_err(|obstacle| {
            diags.push(match obstacle {
                Obstacle::NoFolder => no_folder(memories, target),
                other => other.diagnostic().at(target.span),
            })
        })?;
        Ok(Self {
            memories,
            target,
            place,
        })
    }

    /// Reads it; a missing file is an empty memory.
    pub(crate) fn read(&self, diags: &mut Diagnostics) -> Result<Read, ErrorReported> {
        let path = &self.target.path;
        let error = |code, message: String| Diagnostic::error(code, message).at(self.target.span);
        let bytes = match self
            .memories
            .world()
            .read_found(&self.place.file, wall::LARGEST)
        {
            Ok(bytes) if bytes.len() as u64 > wall::LARGEST => {
                let message = format!("`{path}` is larger than 64 MiB");
                let found = error(codes::DOCUMENT_TOO_LARGE, message);
                return Err(diags.push(found.help("split it, or name another")));
            }
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(why) => {
                let message = format!("`{path}` cannot be read: {}", why.kind());
                let found = error(codes::UNREADABLE_FILE, message);
                return Err(diags.push(
                    found.help("let the user who runs this read it, with the folders above it"),
                ));
            }
        };
        let text = match normalise::decode(bytes.clone().unwrap_or_default()) {
            Ok(text) => text,
            Err(at) => {
                let message = format!("`{path}` is not UTF-8: byte {at} is invalid");
                let found = error(codes::INVALID_UTF8, message);
                return Err(
                    diags.push(found.help("save it as UTF-8; nothing is written until then"))
                );
            }
        };
        match Notes::read(&text, &self.target.terms) {
            Some(notes) => Ok(Read { bytes, notes }),
            None => {
                let message = format!("`{path}` has more than 10,000 entries");
                Err(diags.push(error(codes::TOO_MANY_DOCUMENTS, message)))
            }
        }
    }

    /// Where it is written. Links in its root may be on the way if the root follows links.
    fn open(&self) -> io::Result<Target> {
        let folder = &self.target.folder;
        if folder.follows_links() {
            return Walls::default().target(&self.place.file);
        }
        let mut walls = self.memories.walls().clone();
        walls.add(folder.path());
        walls.target(&folder.path().join(&self.target.path))
    }

    /// The right to write it, and where.
    fn lock(
        &self,
        write: &MemoryOptions,
        diags: &mut Diagnostics,
    ) -> Result<(file::Lock, Target), ErrorReported> {
        let target = self.open().and_then(|mut target| {
            file::make_folders(&mut target)?;
            Ok(target)
        });
        let target = target.map_err(|error| self.failed(&error, diags))?;
        let path = &self.target.path;
        let folder = target.folder();
        let locked =
            folder.and_then(|f| file::lock(f, target.name(), Duration::from_secs(write.wait)));
        let locked = locked.map_err(|error| diags.push(no_lock(path, &error)))?;
        let (code, message, help) = match locked {
            Locked::Ours(lock) => return Ok((lock, target)),
            Locked::Theirs => {
                let message = match write.wait {
                    0 => format!("another process is writing `{path}`"),
                    n => format!("another process has been writing `{path}` for more than {n} s"),
                };
                let help = "try again, or wait longer with --wait SECONDS";
                (codes::MEMORY_LOCKED, message, help)
            }
            Locked::Taken => {
                let message = format!("the lock `{path}.lock` is not a regular file");
                let help = "remove it; it is created again";
                (codes::MEMORY_NOT_WRITABLE, message, help)
            }
        };
        Err(diags.push(Diagnostic::error(code, message).help(help)))
    }

    fn back_up(&self, bytes: &[u8], diags: &mut Diagnostics) -> Result<String, ErrorReported> {
        let now = self.memories.world().now();
        let target = self.open();
        let kept = target.and_then(|t| file::back_up(t.folder()?, t.name(), bytes, now));
        kept.map_err(|error| self.failed(&error, diags))
    }

    fn failed(&self, error: &io::Error, diags: &mut Diagnostics) -> ErrorReported {
        let failed = output::not_written(Some(Path::new(&self.target.path)), error);
        diags.push(match error.kind() {
            ErrorKind::ResourceBusy => {
                failed.help("a file that is mounted alone cannot be replaced: mount its folder")
            }
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => failed.help(
                "let the folder of the memory be written: a new file takes the old one's place",
            ),
            _ => failed,
        })
    }
}

/// The error for a missing folder of a memory.
fn no_folder(memories: &Memories, target: &MemoryTarget) -> Diagnostic {
    let root = &target.root;
    let folder = manifest::shown(memories.world(), target.folder.path());
    let message = format!("the folder `{folder}` of the root `{root}` is missing");
    Diagnostic::error(Obstacle::NoFolder.code(), message)
        .at(target.root_span.unwrap_or(target.span))
        .help(format!(
            "make it, or name another with --root {root}=FOLDER"
        ))
}

/// The error of a lock that could not be opened or made.
fn no_lock(path: &str, error: &io::Error) -> Diagnostic {
    let why = output::reason(error);
    let message = format!("the lock `{path}.lock` cannot be opened: {why}");
    let found = Diagnostic::error(codes::OUTPUT_NOT_WRITTEN, message);
    match error.kind() {
        ErrorKind::PermissionDenied => found
            .help("the user who writes the memory must be able to make the lock next to it, or to read it"),
        _ => found.help(output::way_out(error)),
    }
}
