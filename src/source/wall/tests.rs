use super::*;
use crate::diagnostic;
use crate::world::{Entry, MapWorld, as_in};

fn root(path: &str) -> Folder {
    Folder::new(path, false)
}

fn found(world: &dyn World, relative: &str) -> Result<Option<PathBuf>, Obstacle> {
    find(world, &root("/r"), relative)
}

#[test]
fn names_that_leave() {
    for name in [
        "/a", "..", "../a", "a/../b", "a//b", "a/", "", "./a", "a/.", "a\\b", "\\\\host", "C:",
        "c:a",
    ] {
        let error = inside(name).unwrap_err();
        assert_eq!(error.code(), diagnostic::PATH_LEAVES_ROOT, "{name:?}");
    }
    for name in [".", "a", ".a", "..a", "a..b/...", "a b/é.md", "ab:c"] {
        assert_eq!(inside(name), Ok(()), "{name:?}");
    }
    for name in ["a\0b", "a\nb"] {
        assert_eq!(inside(name).unwrap_err().code(), diagnostic::BAD_FILE_NAME);
    }
}

#[test]
fn only_regular_files_are_found() {
    let world = MapWorld::new()
        .file("/r/a.md", "")
        .file("/r/sub/b.md", "")
        .folder("/r/c.md")
        .other("/r/pipe")
        .link("/r/lost", "nowhere")
        .link("/r/in", "sub/b.md");
    assert_eq!(found(&world, "a.md"), Ok(Some("/r/a.md".into())));
    assert_eq!(found(&world, "in"), Ok(Some("/r/sub/b.md".into())));
    for name in [
        "c.md",
        "pipe",
        "lost",
        "A.md",
        "a.md/x",
        "sub",
        ".",
        "none/none",
    ] {
        assert_eq!(found(&world, name), Ok(None), "{name}");
    }
    assert_eq!(find(&world, &root("/none"), "a.md"), Ok(None));
    assert_eq!(
        find(&world, &root("/r/a.md"), "a.md"),
        Err(Obstacle::NotFolder)
    );
}

#[test]
fn links_that_leave() {
    let world = MapWorld::new()
        .file("/out/secret", "")
        .file("/r/a.md", "")
        .link("/r/file", "../out/secret")
        .link("/r/folder", "/out")
        .link("/out/back", "/r")
        .link("/r/x", "y")
        .link("/r/y", "x")
        .link("/other", "/r");
    for name in ["file", "folder/secret", "folder"] {
        let link = Obstacle::Link {
            path: name.to_owned(),
        };
        assert_eq!(found(&world, name), Err(link), "{name}");
    }
    // Out and in again is inside.
    assert_eq!(
        found(&world, "folder/back/a.md"),
        Ok(Some("/r/a.md".into()))
    );
    assert_eq!(
        found(&world, "x"),
        Err(Obstacle::Loop {
            path: "x".to_owned()
        })
    );
    // A name that only begins like the root is outside.
    let near = MapWorld::new().file("/r2/a", "").link("/r/a", "/r2/a");
    assert!(found(&near, "a").is_err());
    let open = Folder::new("/r", true);
    assert_eq!(find(&world, &open, "file"), Ok(Some("/out/secret".into())));
    assert_eq!(
        find(&world, &root("/other"), "a.md"),
        Ok(Some("/r/a.md".into()))
    );
}

#[test]
fn a_locked_file_is_not_missing() {
    let world = MapWorld::new()
        .file("/r/locked/a.md", "")
        .unreadable("/r/locked")
        .file("/r/b.md", "text")
        .unreadable("/r/b.md");
    let error = found(&world, "locked/a.md").unwrap_err();
    assert_eq!(
        error.to_string(),
        "`locked/a.md` cannot be read: permission denied"
    );
    let file = found(&world, "b.md").unwrap().unwrap();
    let error = read(&world, &file, "b.md").unwrap_err();
    assert_eq!(error.code(), diagnostic::UNREADABLE_FILE);
}

/// A disk that finds names whatever their case; what it holds is written in lower case.
struct Folding(MapWorld);

impl Folding {
    fn fold(path: &Path) -> PathBuf {
        path.to_string_lossy().to_lowercase().into()
    }
}

impl World for Folding {
    fn kind(&self, path: &Path) -> io::Result<Kind> {
        self.0.kind(&Self::fold(path))
    }
    fn kind_of_name(&self, path: &Path) -> io::Result<Kind> {
        self.0.kind_of_name(&Self::fold(path))
    }
    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        // Some systems return the name as it was asked for.
        self.0.canonical(&Self::fold(path)).map(|_| path.to_owned())
    }
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.0.read(&Self::fold(path), limit)
    }
    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        self.0.list(&Self::fold(path))
    }
    as_in!(self => self.0; env home now stdin);
}

#[test]
fn names_are_compared_byte_for_byte_on_every_disk() {
    let world = Folding(
        MapWorld::new()
            .file("/r/sub/agents.md", "")
            .file("/r/é", ""),
    );
    assert_eq!(
        found(&world, "sub/agents.md"),
        Ok(Some("/r/sub/agents.md".into()))
    );
    assert_eq!(found(&world, "sub/AGENTS.md"), Ok(None));
    assert_eq!(found(&world, "Sub/agents.md"), Ok(None));
    assert_eq!(found(&world, "é"), Ok(Some("/r/é".into())));
    assert_eq!(found(&world, "É"), Ok(None));
}

/// A world that is asked of no entry outside of `/r`.
struct Inside(MapWorld);

impl World for Inside {
    as_in!(self => self.0; kind_of_name canonical read list env home now stdin);

    fn kind(&self, path: &Path) -> io::Result<Kind> {
        assert!(path.starts_with("/r"), "{}", path.display());
        self.0.kind(path)
    }
}

#[test]
fn what_a_link_leads_to_outside_is_not_looked_at() {
    let world = Inside(
        MapWorld::new()
            .file("/r/a.md", "")
            .file("/elsewhere/secret", "")
            .link("/r/out", "/elsewhere/secret")
            .link("/r/folder", "/elsewhere"),
    );
    for name in ["out", "folder/secret"] {
        let leaves = found(&world, name).unwrap_err();
        assert_eq!(leaves.code(), diagnostic::LINK_LEAVES_ROOT, "{name}");
    }
}
