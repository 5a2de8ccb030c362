//! The world as it is.

use super::{Entry, Kind, World};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The world as it is: the only code of the library that touches files, environment and clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct DiskWorld;

#[expect(
    clippy::disallowed_methods,
    reason = "this is the door that the others have to use"
)]
impl World for DiskWorld {
    fn kind(&self, path: &Path) -> io::Result<Kind> {
        Ok(kind_of(std::fs::metadata(path)?.file_type()))
    }

    fn kind_of_name(&self, path: &Path) -> io::Result<Kind> {
        Ok(kind_of(std::fs::symlink_metadata(path)?.file_type()))
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        std::fs::canonicalize(path)
    }

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let (file, size) = open_file(path)?;
        content(file, size, limit)
    }

    fn read_found(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        // Another process may just have replaced the file: the next attempt finds the new one.
        for _ in 0..LOOKS {
            if let Some((file, size)) = open_found(path)? {
                return content(file, size, limit);
            }
        }
        Err(super::elsewhere())
    }

    fn stream(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path)?;
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        std::fs::read_dir(path)?
            .map(|entry| {
                let entry = entry?;
                Ok(Entry {
                    name: entry.file_name(),
                    kind: kind_of(entry.file_type()?),
                })
            })
            .collect()
    }

    fn env(&self, name: &str) -> Option<OsString> {
        // The system's function panics on names that no variable can have.
        let possible = !name.is_empty() && !name.contains(['=', '\0']);
        possible.then(|| std::env::var_os(name)).flatten()
    }

    fn home(&self) -> Option<PathBuf> {
        let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        let home = std::env::var_os(name).filter(|home| !home.is_empty());
        home.map(PathBuf::from)
    }

    fn now(&self) -> i64 {
        let seconds = |d: Duration| i64::try_from(d.as_secs()).unwrap_or(i64::MAX);
        match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => seconds(since),
            Err(before) => -seconds(before.duration()),
        }
    }

    fn stdin(&self, limit: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let most = limit.saturating_add(1);
        io::stdin().lock().take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

impl DiskWorld {
    /// A regular file, to be read piece by piece, with its size in bytes.
    pub(crate) fn open(&self, path: &Path) -> io::Result<(Box<dyn BufRead>, u64)> {
        let (file, size) = open_file(path)?;
        Ok((Box::new(BufReader::with_capacity(PIECE, file)), size))
    }

    /// The beginning of standard input, as far as it has arrived; it is still to be read.
    pub(crate) fn stdin_begins(&self) -> Vec<u8> {
        let mut stdin = io::stdin().lock();
        stdin.fill_buf().map(<[u8]>::to_vec).unwrap_or_default()
    }

    /// Standard input, to be read piece by piece. It is locked for each piece only, so that `stdin_begins` never waits
    /// for its end.
    pub(crate) fn open_stdin(&self) -> Box<dyn BufRead> {
        Box::new(BufReader::with_capacity(PIECE, io::stdin()))
    }
}

/// The number of bytes that are read at once.
const PIECE: usize = 1 << 18;

fn kind_of(kind: std::fs::FileType) -> Kind {
    if kind.is_file() {
        Kind::File
    } else if kind.is_dir() {
        Kind::Folder
    } else if kind.is_symlink() {
        Kind::Link
    } else {
        Kind::Other
    }
}

fn regular(kind: std::fs::FileType) -> io::Result<()> {
    if kind.is_file() {
        return Ok(());
    }
    let kind = if kind.is_dir() {
        io::ErrorKind::IsADirectory
    } else {
        io::ErrorKind::InvalidInput
    };
    Err(kind.into())
}

/// The number of times that a file is opened before the obstacle is reported.
const LOOKS: usize = 8;

/// Opens a regular file; with its size.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the door that the others have to use"
)]
fn open_file(path: &Path) -> io::Result<(File, u64)> {
    // Opening alone can block (a FIFO) if non-blocking mode is unavailable. The opened file is checked in any case,
    // since another file may have taken the name in between.
    if cfg!(not(unix)) {
        regular(std::fs::metadata(path)?.file_type())?;
    }
    of_size(open(path)?)
}

/// Opens the regular file at `path`, a canonical path; with its size. None if there is a link in the path.
fn open_found(path: &Path) -> io::Result<Option<(File, u64)>> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
        use rustix::io::Errno;
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let opened = openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS);
        match opened {
            Ok(file) => return of_size(file.into()).map(Some),
            Err(Errno::LOOP) => return Ok(None),
            // A kernel before 5.6, or a sandbox that does not know the call.
            Err(Errno::NOSYS | Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let (file, size) = open_file(path)?;
    Ok(is_at(&file, path)?.then_some((file, size)))
}

/// A file that was opened, with its size.
fn of_size(file: File) -> io::Result<(File, u64)> {
    let metadata = file.metadata()?;
    regular(metadata.file_type())?;
    Ok((file, metadata.len()))
}

fn content(mut file: File, size: u64, limit: u64) -> io::Result<Vec<u8>> {
    let most = limit.saturating_add(1);
    let size = usize::try_from(size.min(most)).unwrap_or(usize::MAX);
    foresee(size)?;
    let mut bytes = room(size.saturating_add(1))?;
    // Most files are as long as they were said to be, and end where a read gives less than it has room for.
    bytes.resize(size.saturating_add(1), 0);
    let first = loop {
        match file.read(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => break read?,
        }
    };
    bytes.truncate(first);
    if first != size {
        let rest = most.saturating_sub(first as u64);
        file.take(rest).read_to_end(&mut bytes)?;
    }
    bytes.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    Ok(bytes)
}

/// From this size on, in bytes, the room for the result of a file is checked.
const LARGE: usize = 1 << 20;

/// How many times its size is at least needed for what is made of a file: the text, and copies of it on the way to a prompt.
const COPIES: usize = 8;

/// Fails if there is no room for what is made of a file of this size. Where the system gives none, the program could only be
/// aborted later.
fn foresee(size: usize) -> io::Result<()> {
    if size > LARGE {
        std::hint::black_box(room(size.saturating_mul(COPIES))?);
    }
    Ok(())
}

fn room(size: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let got = bytes.try_reserve_exact(size);
    got.map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    Ok(bytes)
}

/// Whether an opened file is the one at `path`, a canonical path, and not one behind a link that appeared in it.
#[cfg_attr(
    any(target_os = "linux", target_os = "android"),
    expect(
        clippy::disallowed_methods,
        reason = "this is the door that the others have to use"
    )
)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        use std::os::fd::AsRawFd as _;
        // The system's own name of an open file: whatever happens to the path, it is that of the file whose bytes are
        // read.
        let opened = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
        if let Ok(opened) = opened
            && opened.is_absolute()
            && (is_named(&opened, path) || !may_be_named(&opened, path))
        {
            return Ok(is_named(&opened, path));
        }
    }
    is_still_at(file, path)
}

/// Whether an open file is still at `path`, if the system does not report it: the path is looked up again. Only an attacker
/// who swaps the file in step with these lookups gets through.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the door that the others have to use"
)]
pub(super) fn is_still_at(file: &File, path: &Path) -> io::Result<bool> {
    if !may_be_named(&std::fs::canonicalize(path)?, path) {
        return Ok(false);
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let (opened, there) = (file.metadata()?, std::fs::symlink_metadata(path)?);
        Ok((opened.dev(), opened.ino()) == (there.dev(), there.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        Ok(true)
    }
}

/// Whether this is the system's name of a file. Linux marks a file that was replaced or removed since as deleted.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn is_named(opened: &Path, path: &Path) -> bool {
    let [opened, path] = [opened, path].map(|p| p.as_os_str().as_encoded_bytes());
    opened == path || opened.strip_suffix(b" (deleted)") == Some(path)
}

/// Whether it may call it so on a disk that folds case.
fn may_be_named(opened: &Path, path: &Path) -> bool {
    let [opened, path] = [opened, path].map(|p| p.to_string_lossy().to_lowercase());
    opened == path
}

/// Opens for reading, without waiting for the other end of a FIFO.
pub(super) fn open(path: &Path) -> io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // O_NONBLOCK
        options.custom_flags(if cfg!(target_vendor = "apple") {
            0x4
        } else {
            0o4000
        });
    }
    options.open(path)
}
