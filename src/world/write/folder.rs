//! A folder that is held open: what is done in it is done there, whatever takes its path meanwhile.

#[cfg(not(unix))]
pub(crate) use by_path::Folder;
#[cfg(unix)]
pub(crate) use held::Folder;

#[cfg(unix)]
mod held {
    use crate::world::Kind;
    use rustix::fs::{self, AtFlags, CWD, FileType, Mode, OFlags};
    use rustix::io::Errno;
    use std::ffi::{OsStr, OsString};
    use std::fs::{File, Metadata};
    use std::io;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStringExt as _;
    use std::path::Path;

    /// A folder that is held open. No name in it is followed if it is a link.
    #[derive(Debug)]
    pub(crate) struct Folder(OwnedFd);

    /// To hold a folder takes no right to list it where the system can do without.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    const HOLD: OFlags = OFlags::PATH.union(OFlags::DIRECTORY);
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const HOLD: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY);

    impl Folder {
        /// Opens the folder at `path`, links followed.
        pub(crate) fn open(path: &Path) -> io::Result<Self> {
            let flags = HOLD | OFlags::CLOEXEC;
            Ok(Self(fs::openat(CWD, path, flags, Mode::empty())?))
        }

        /// Opens a folder in this one, which is no link.
        pub(crate) fn enter(&self, name: &OsStr) -> io::Result<Self> {
            self.open_at(name, HOLD, Mode::empty()).map(Self)
        }

        fn open_at(&self, name: &OsStr, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
            let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            Ok(fs::openat(&self.0, name, flags, mode)?)
        }

        /// Makes a folder in this one.
        pub(crate) fn make(&self, name: &OsStr) -> io::Result<()> {
            Ok(fs::mkdirat(&self.0, name, Mode::from_raw_mode(0o777))?)
        }

        /// The entry of this name; none if there is none.
        pub(crate) fn kind(&self, name: &OsStr) -> io::Result<Option<Kind>> {
            match fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => Ok(Some(match FileType::from_raw_mode(stat.st_mode) {
                    FileType::RegularFile => Kind::File,
                    FileType::Directory => Kind::Folder,
                    FileType::Symlink => Kind::Link,
                    _ => Kind::Other,
                })),
                Err(Errno::NOENT) => Ok(None),
                Err(error) => Err(error.into()),
            }
        }

        /// Whether the file of this name is this open one.
        pub(crate) fn is(&self, name: &OsStr, file: &File) -> io::Result<bool> {
            let (there, open) = (
                fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?,
                fs::fstat(file)?,
            );
            Ok((there.st_dev, there.st_ino) == (open.st_dev, open.st_ino))
        }

        /// The metadata of the folder itself.
        pub(crate) fn metadata(&self) -> io::Result<Metadata> {
            File::from(self.0.try_clone()?).metadata()
        }

        /// Opens a file to read and to write it, without waiting for the other end of a FIFO.
        pub(crate) fn open_to_change(&self, name: &OsStr) -> io::Result<File> {
            let flags = OFlags::RDWR | OFlags::NONBLOCK;
            self.open_at(name, flags, Mode::empty()).map(File::from)
        }

        /// Opens a file to read it, without waiting for the other end of a FIFO.
        pub(crate) fn open_to_read(&self, name: &OsStr) -> io::Result<File> {
            let flags = OFlags::RDONLY | OFlags::NONBLOCK;
            self.open_at(name, flags, Mode::empty()).map(File::from)
        }

        /// Opens a file to write at its end, without waiting for the other end of a FIFO.
        pub(crate) fn open_to_append(&self, name: &OsStr) -> io::Result<File> {
            let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::NONBLOCK;
            self.open_at(name, flags, Mode::empty()).map(File::from)
        }

        /// Opens a device or a FIFO to write to it.
        pub(crate) fn open_device(&self, name: &OsStr) -> io::Result<File> {
            let file = self.open_at(name, OFlags::WRONLY, Mode::empty())?;
            Ok(File::from(file))
        }

        /// Makes a file where nothing is yet.
        pub(crate) fn create(&self, name: &OsStr, mode: u32) -> io::Result<File> {
            let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL;
            let mode = Mode::from_raw_mode(mode as _);
            self.open_at(name, flags, mode).map(File::from)
        }

        /// Makes a file without a name, which is gone with the process; not every file system can.
        #[cfg(any(target_os = "linux", target_os = "android"))]
        pub(crate) fn create_unnamed(&self, mode: u32) -> io::Result<File> {
            let flags = OFlags::RDWR | OFlags::TMPFILE;
            self.open_at(OsStr::new("."), flags, Mode::from_raw_mode(mode))
                .map(File::from)
        }

        /// Gives a file without a name one that nothing has.
        #[cfg(any(target_os = "linux", target_os = "android"))]
        pub(crate) fn name(&self, file: &File, name: &OsStr) -> io::Result<()> {
            use std::os::fd::AsRawFd as _;
            let open = format!("/proc/self/fd/{}", file.as_raw_fd());
            Ok(fs::linkat(
                CWD,
                open,
                &self.0,
                name,
                AtFlags::SYMLINK_FOLLOW,
            )?)
        }

        /// Gives a file another name that nothing has.
        pub(crate) fn link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
            Ok(fs::linkat(&self.0, from, &self.0, to, AtFlags::empty())?)
        }

        /// Gives a file another name, in place of what has it.
        pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
            Ok(fs::renameat(&self.0, from, &self.0, to)?)
        }

        /// Removes a file or a link.
        pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
            Ok(fs::unlinkat(&self.0, name, AtFlags::empty())?)
        }

        /// Removes a folder without anything in it.
        pub(crate) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
            Ok(fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
        }

        /// The names in it.
        pub(crate) fn names(&self) -> io::Result<Vec<OsString>> {
            let mut names = Vec::new();
            for entry in fs::Dir::new(self.open_at(
                OsStr::new("."),
                OFlags::RDONLY | OFlags::DIRECTORY,
                Mode::empty(),
            )?)? {
                names.push(OsString::from_vec(entry?.file_name().to_bytes().to_vec()));
            }
            names.retain(|name| name != "." && name != "..");
            Ok(names)
        }

        /// Gives the folder the owner of another, where that is allowed.
        pub(crate) fn own(&self, like: &Metadata) {
            use std::os::unix::fs::{MetadataExt as _, fchown};
            let open = self.open_at(
                OsStr::new("."),
                OFlags::RDONLY | OFlags::DIRECTORY,
                Mode::empty(),
            );
            if let Ok(open) = open
                && self.metadata().is_ok_and(|own| own.uid() != like.uid())
            {
                let _ = fchown(open, Some(like.uid()), Some(like.gid()));
            }
        }

        /// Makes what it lists outlast a power cut.
        pub(crate) fn sync(&self) -> io::Result<()> {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY;
            let open = self.open_at(OsStr::new("."), flags, Mode::empty())?;
            match fs::fsync(open) {
                // Some file systems cannot, and have no other way either.
                Err(Errno::INVAL | Errno::NOTSUP) => Ok(()),
                synced => Ok(synced?),
            }
        }
    }
}

/// Where a folder cannot be held open, its path is looked at before each step: who swaps link and folder in step with that
/// gets through.
#[cfg(not(unix))]
mod by_path {
    use crate::world::Kind;
    use std::ffi::{OsStr, OsString};
    use std::fs::{self, File, Metadata, OpenOptions};
    use std::io::{self, ErrorKind};
    use std::path::{Path, PathBuf};

    /// A folder. No name in it is followed if it is a link.
    #[derive(Debug)]
    pub(crate) struct Folder(PathBuf);

    impl Folder {
        pub(crate) fn open(path: &Path) -> io::Result<Self> {
            match fs::metadata(path)?.is_dir() {
                true => Ok(Self(path.to_owned())),
                false => Err(ErrorKind::NotADirectory.into()),
            }
        }

        pub(crate) fn enter(&self, name: &OsStr) -> io::Result<Self> {
            match self.kind(name)? {
                Some(Kind::Folder) => Ok(Self(self.0.join(name))),
                Some(_) => Err(ErrorKind::NotADirectory.into()),
                None => Err(ErrorKind::NotFound.into()),
            }
        }

        fn open_with(&self, name: &OsStr, options: &OpenOptions) -> io::Result<File> {
            match self.kind(name)? {
                Some(Kind::Link) => Err(ErrorKind::AlreadyExists.into()),
                _ => options.open(self.0.join(name)),
            }
        }

        pub(crate) fn make(&self, name: &OsStr) -> io::Result<()> {
            fs::create_dir(self.0.join(name))
        }

        pub(crate) fn kind(&self, name: &OsStr) -> io::Result<Option<Kind>> {
            match fs::symlink_metadata(self.0.join(name)) {
                Ok(meta) if meta.is_symlink() => Ok(Some(Kind::Link)),
                Ok(meta) if meta.is_file() => Ok(Some(Kind::File)),
                Ok(meta) if meta.is_dir() => Ok(Some(Kind::Folder)),
                Ok(_) => Ok(Some(Kind::Other)),
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
                Err(error) => Err(error),
            }
        }

        pub(crate) fn is(&self, name: &OsStr, _: &File) -> io::Result<bool> {
            Ok(self.kind(name)? == Some(Kind::File))
        }

        pub(crate) fn metadata(&self) -> io::Result<Metadata> {
            fs::metadata(&self.0)
        }

        pub(crate) fn open_to_change(&self, name: &OsStr) -> io::Result<File> {
            self.open_with(name, OpenOptions::new().read(true).write(true))
        }

        pub(crate) fn open_to_read(&self, name: &OsStr) -> io::Result<File> {
            self.open_with(name, OpenOptions::new().read(true))
        }

        pub(crate) fn open_to_append(&self, name: &OsStr) -> io::Result<File> {
            self.open_with(name, OpenOptions::new().append(true))
        }

        pub(crate) fn open_device(&self, name: &OsStr) -> io::Result<File> {
            self.open_with(name, OpenOptions::new().write(true))
        }

        pub(crate) fn create(&self, name: &OsStr, _: u32) -> io::Result<File> {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create_new(true);
            options.open(self.0.join(name))
        }

        pub(crate) fn link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
            fs::hard_link(self.0.join(from), self.0.join(to))
        }

        pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
            fs::rename(self.0.join(from), self.0.join(to))
        }

        pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
            fs::remove_file(self.0.join(name))
        }

        pub(crate) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
            fs::remove_dir(self.0.join(name))
        }

        pub(crate) fn names(&self) -> io::Result<Vec<OsString>> {
            let entries = fs::read_dir(&self.0)?;
            entries.map(|entry| Ok(entry?.file_name())).collect()
        }

        pub(crate) fn own(&self, _: &Metadata) {}

        pub(crate) fn sync(&self) -> io::Result<()> {
            Ok(())
        }
    }
}
