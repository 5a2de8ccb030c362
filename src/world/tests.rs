//! The worlds behave alike.

use super::disk::{is_still_at, open};
use super::*;

fn kind<T>(result: io::Result<T>) -> Option<io::ErrorKind> {
    result.err().map(|e| e.kind())
}

#[test]
#[cfg(target_os = "linux")]
fn files_that_say_they_are_empty_are_read() {
    let read = |limit| DiskWorld.read(Path::new("/proc/self/status"), limit);
    assert!(read(1 << 20).unwrap().starts_with(b"Name:"));
    assert_eq!(read(3).unwrap(), b"Name");
}

#[test]
#[cfg(unix)]
#[expect(
    clippy::disallowed_methods,
    reason = "the world only reads; what it reads has to come from somewhere"
)]
fn a_found_file_is_not_read_through_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let top = DiskWorld.canonical(folder.path()).unwrap();
    std::fs::create_dir(top.join("a")).unwrap();
    std::fs::write(top.join("a/b.md"), "text").unwrap();
    std::os::unix::fs::symlink("a", top.join("link")).unwrap();
    std::os::unix::fs::symlink("a/b.md", top.join("b.md")).unwrap();
    let read = |path: &str| DiskWorld.read_found(&top.join(path), 10);
    assert_eq!(read("a/b.md").unwrap(), b"text");
    assert!(is_missing(&read("a/c.md").unwrap_err()));
    for path in ["link/b.md", "b.md"] {
        assert!(is_elsewhere(&read(path).unwrap_err()), "{path}");
        // A caller that does not pass the path that was found gets the target of the link.
        assert_eq!(DiskWorld.read(&top.join(path), 10).unwrap(), b"text");
    }
    // The lookups if the system does not report the location of an open file.
    let file = open(&top.join("a/b.md")).unwrap();
    let stands = |path: &str| is_still_at(&file, &top.join(path)).unwrap();
    assert!(stands("a/b.md") && !stands("link/b.md") && !stands("b.md"));
    std::fs::write(top.join("a/new.md"), "new").unwrap();
    std::fs::rename(top.join("a/new.md"), top.join("a/b.md")).unwrap();
    assert!(!stands("a/b.md"));
    assert_eq!(read("a/b.md").unwrap(), b"new");
}

#[test]
fn map_world_follows_links() {
    let world = MapWorld::new()
        .file("/r/a/b.md", "text")
        .link("/r/up", "a/../a")
        .link("/r/abs", "/r/a/b.md")
        .link("/r/x", "y")
        .link("/r/y", "x")
        .link("/r/lost", "nowhere")
        .other("/r/pipe")
        .file("/r/locked/c", "c")
        .unreadable("/r/locked");
    assert_eq!(world.read(Path::new("r/up/b.md"), 2).unwrap(), b"tex");
    assert_eq!(
        world.canonical(Path::new("/r/up/./b.md")).unwrap(),
        Path::new("/r/a/b.md")
    );
    assert_eq!(world.kind_of_name(Path::new("/r/abs")).unwrap(), Kind::Link);
    assert_eq!(world.kind(Path::new("/r/abs")).unwrap(), Kind::File);
    assert!(is_loop(&world.kind(Path::new("/r/x")).unwrap_err()));
    assert!(is_missing(&world.kind(Path::new("/r/lost")).unwrap_err()));
    assert!(is_missing(
        &world.kind(Path::new("/r/abs/more")).unwrap_err()
    ));
    let denied = Some(io::ErrorKind::PermissionDenied);
    assert_eq!(kind(world.list(Path::new("/r/locked"))), denied);
    assert_eq!(kind(world.kind(Path::new("/r/locked/c"))), denied);
    let listed = world.list(Path::new("/r")).unwrap();
    let listed: Vec<_> = listed.iter().filter_map(|e| e.name.to_str()).collect();
    assert_eq!(
        listed,
        ["a", "abs", "locked", "lost", "pipe", "up", "x", "y"]
    );
    assert_eq!(world.list(Path::new("/")).unwrap().len(), 1);
    assert!(MapWorld::new().list(Path::new("/")).unwrap().is_empty());
}

#[test]
fn shuffled_is_another_order_and_always_the_same() {
    let world = (0..20).fold(MapWorld::new(), |w, i| w.file(format!("/{i:02}"), ""));
    let list = |seed| {
        let world = world.clone();
        ShuffledWorld { world, seed }.list(Path::new("/")).unwrap()
    };
    assert_eq!(list(7), list(7));
    assert_ne!(list(7), list(8));
    let mut sorted = list(7);
    sorted.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(sorted, world.list(Path::new("/")).unwrap());
}

#[cfg(unix)]
#[test]
fn disk_never_waits_for_a_fifo() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    assert_eq!(DiskWorld.kind(&pipe).unwrap(), Kind::Other);
    assert_eq!(
        kind(DiskWorld.read(&pipe, 9)),
        Some(io::ErrorKind::InvalidInput)
    );
    // Even if the FIFO replaces a file unnoticed.
    drop(open(&pipe).unwrap());
    assert_eq!(
        kind(DiskWorld.read(folder.path(), 9)),
        Some(io::ErrorKind::IsADirectory)
    );
}

#[cfg(unix)]
#[test]
fn disk_reads_up_to_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a");
    #[expect(clippy::disallowed_methods, reason = "a test makes its own disk")]
    std::fs::write(&file, "0123456789").unwrap();
    assert_eq!(DiskWorld.read(&file, 3).unwrap(), b"0123");
    assert_eq!(DiskWorld.read(&file, u64::MAX).unwrap().len(), 10);
    std::os::unix::fs::symlink("b", folder.path().join("c")).unwrap();
    std::os::unix::fs::symlink("c", folder.path().join("b")).unwrap();
    assert!(is_loop(
        &DiskWorld.kind(&folder.path().join("b")).unwrap_err()
    ));
    assert!(is_missing(&DiskWorld.kind(&file.join("x")).unwrap_err()));
    assert!(is_missing(
        &DiskWorld
            .kind(&folder.path().join("x".repeat(300)))
            .unwrap_err()
    ));
    assert_eq!(
        DiskWorld.kind_of_name(&folder.path().join("c")).unwrap(),
        Kind::Link
    );
    assert_eq!(DiskWorld.env("A=B"), None);
}

/// A world in which everything is another at each look.
#[derive(Default)]
struct Fickle(std::sync::Mutex<u64>);

impl Fickle {
    fn next(&self) -> u64 {
        let mut looks = self.0.lock().unwrap();
        *looks += 1;
        *looks
    }

    fn path(&self) -> PathBuf {
        format!("/{}", self.next()).into()
    }
}

impl World for Fickle {
    fn kind(&self, _: &Path) -> io::Result<Kind> {
        match self.next() {
            1 => Err(io::ErrorKind::NotFound.into()),
            _ => Ok(Kind::File),
        }
    }

    fn kind_of_name(&self, path: &Path) -> io::Result<Kind> {
        self.kind(path)
    }

    fn canonical(&self, _: &Path) -> io::Result<PathBuf> {
        Ok(self.path())
    }

    fn read(&self, _: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let bytes = self.next().to_string().repeat(8).into_bytes();
        let end = bytes.len().min(limit as usize + 1);
        Ok(bytes[..end].to_vec())
    }

    fn list(&self, _: &Path) -> io::Result<Vec<Entry>> {
        let (name, kind) = (self.next().to_string().into(), Kind::File);
        Ok(vec![Entry { name, kind }])
    }

    fn env(&self, _: &str) -> Option<OsString> {
        Some(self.next().to_string().into())
    }

    fn home(&self) -> Option<PathBuf> {
        Some(self.path())
    }

    as_in!(self => MapWorld::new(); now stdin);
}

/// All answers of a world about one path.
fn answers(world: &dyn World) -> String {
    let path = Path::new("/a");
    let reported = (
        world.kind(path).map_err(|e| e.kind()),
        world.kind_of_name(path).map_err(|e| e.kind()),
        world.canonical(path).unwrap(),
        world.read(path, 100).unwrap(),
        world.list(path).unwrap(),
        (world.env("A"), world.home()),
    );
    format!("{reported:?}")
}

#[test]
fn a_repeated_query_is_answered_once() {
    let fickle = Fickle::default();
    let recorder = Recorder::new(&fickle);
    let first = answers(&recorder);
    assert_eq!(answers(&recorder), first);
    assert_eq!(answers(&recorder.tape().replayed()), first);
    assert_ne!(answers(&fickle), first);
}

#[test]
fn a_longer_read_of_a_file_is_another_query() {
    let fickle = Fickle::default();
    let recorder = Recorder::new(&fickle);
    let read = |limit| recorder.read(Path::new("/a"), limit).unwrap();
    assert_eq!(read(0), b"1");
    assert_eq!(read(5), b"222222");
    assert_eq!(read(2), b"222");
    assert_eq!(read(100), b"33333333");
    assert_eq!(read(1000), b"33333333");
    let tape = recorder.tape();
    assert_eq!(
        tape.replayed().read(Path::new("/a"), 100).unwrap(),
        b"33333333"
    );
}
