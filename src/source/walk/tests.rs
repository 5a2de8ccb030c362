use super::*;
use crate::diagnostic;
use crate::source::exclude::Exclude;
use crate::world::{MapWorld, ShuffledWorld, as_in};
use proptest::prelude::{Just, ProptestConfig, Strategy, prop_assert_eq, prop_oneof, proptest};
use std::ffi::OsStr;
use std::io;

fn root(path: &str) -> Folder {
    Folder::new(path, false)
}

fn find_all(world: &dyn World, pattern: &str) -> Result<Vec<String>, Obstacle> {
    let pattern = Pattern::parse(pattern)?;
    paths(world, &root("/r"), &pattern, &NONE, "")
}

fn paths(
    world: &dyn World,
    folder: &Folder,
    pattern: &Pattern,
    exclude: &Rules,
    base: &str,
) -> Result<Vec<String>, Obstacle> {
    let hits = glob(world, folder, pattern, exclude, base)?;
    Ok(hits.into_iter().map(|hit| hit.path).collect())
}

const NONE: Rules = Rules::none();

fn rules(names: &[&str], beside: Option<&str>) -> Rules {
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    let beside = beside.map(str::to_owned);
    Rules::parse(&[Exclude { names, beside }]).unwrap()
}

fn check(world: &dyn World, pattern: &str, expected: &[&str]) {
    assert_eq!(find_all(world, pattern).unwrap(), expected, "{pattern}");
}

fn tree() -> MapWorld {
    MapWorld::new()
        .file("/r/a.md", "")
        .file("/r/b.txt", "")
        .file("/r/.hidden.md", "")
        .file("/r/sub/a.md", "")
        .file("/r/sub/deep/a.md", "")
        .file("/r/sub/deep/.git/a.md", "")
        .file("/r/sub.md/a.md", "")
        .file("/r/sub-a/a.md", "")
        .other("/r/pipe.md")
}

#[test]
fn patterns() {
    let world = tree();
    check(&world, "*.md", &["a.md"]);
    check(&world, "a.md", &["a.md"]);
    check(&world, "A.md", &[]);
    check(&world, "*", &["a.md", "b.txt"]);
    check(&world, ".*", &[".hidden.md"]);
    check(&world, "*/a.md", &["sub-a/a.md", "sub.md/a.md", "sub/a.md"]);
    check(
        &world,
        "**/a.md",
        &[
            "a.md",
            "sub-a/a.md",
            "sub.md/a.md",
            "sub/a.md",
            "sub/deep/a.md",
        ],
    );
    check(&world, "sub/**", &["sub/a.md", "sub/deep/a.md"]);
    check(&world, "sub/**/**/deep/**/*.md", &["sub/deep/a.md"]);
    check(&world, "**/.git/*", &["sub/deep/.git/a.md"]);
    check(&world, "{sub,none}/{a,b}.*", &["sub/a.md"]);
    check(&world, "a.md/**", &[]);
    check(&world, "pipe.md", &[]);
    check(&world, "none/**", &[]);
}

#[test]
fn base_and_exclude() {
    let world = tree();
    let pattern = Pattern::parse("**/*.md").unwrap();
    let from = |base, exclude: &Rules| paths(&world, &root("/r"), &pattern, exclude, base).unwrap();
    assert_eq!(from("sub", &NONE), ["sub/a.md", "sub/deep/a.md"]);
    assert_eq!(from(".", &NONE), from("", &NONE));
    assert!(from("none", &NONE).is_empty() && from("a.md", &NONE).is_empty());
    let exclude = rules(&["sub*", "*.md"], None);
    assert_eq!(from("", &exclude), ["a.md"]);
    let all = paths(&world, &root("/none"), &pattern, &NONE, "");
    assert_eq!(all, Ok(Vec::new()));
}

#[test]
fn exclude_next_to_a_file() {
    let world = MapWorld::new()
        .file("/r/a/out/x.md", "")
        .file("/r/a/far/x.md", "")
        .file("/r/b/out/x.md", "")
        .file("/r/c/out/x.md", "")
        .file("/r/own", "")
        .folder("/r/d")
        .link("/r/a/own", "../own")
        .link("/r/b/own", "nowhere")
        .link("/r/c/own", "../d");
    let pattern = Pattern::parse("**/x.md").unwrap();
    let exclude = rules(&["out"], Some("own"));
    let all = |world: &MapWorld| paths(world, &root("/r"), &pattern, &exclude, "");
    let expected = ["a/far/x.md", "b/out/x.md", "c/out/x.md"];
    assert_eq!(all(&world).unwrap(), expected);
    // Looked up only if there is something to exclude.
    let world = world.file("/p/own", "").link("/r/d/own", "/p/own");
    assert_eq!(all(&world).unwrap(), expected);
    let leaves = Obstacle::Link {
        path: "c/own/own".into(),
    };
    assert_eq!(all(&world.file("/r/d/out/x.md", "")), Err(leaves));
}

#[test]
fn links() {
    let world = MapWorld::new()
        .file("/out/x.md", "")
        .file("/r/a.md", "")
        .file("/r/d/b.md", "")
        .link("/r/e", "d")
        .link("/r/d/up", "..")
        .link("/r/d/c.md", "../a.md")
        .link("/r/lost.md", "nowhere");
    check(
        &world,
        "**/*.md",
        &["a.md", "d/b.md", "d/c.md", "e/b.md", "e/c.md"],
    );
    // Spelled out, a detour equals the path that was looked up.
    check(&world, "d/up/d/*.md", &["d/up/d/b.md", "d/up/d/c.md"]);
    check(&world, "*/*/*.md", &["d/up/a.md", "e/up/a.md"]);
    let circle = world.clone().link("/r/x.md", "y").link("/r/y", "x.md");
    assert_eq!(
        find_all(&circle, "*.md"),
        Err(Obstacle::Loop {
            path: "x.md".into()
        })
    );
    check(&circle, "**/b.md", &["d/b.md", "e/b.md"]);
}

#[test]
fn links_that_leave() {
    let link = |path: &str| Err(Obstacle::Link { path: path.into() });
    let world = MapWorld::new().file("/out/x.md", "").file("/r/a.md", "");
    let world = world.link("/r/z.md", "../out/x.md").link("/r/out", "/out");
    assert_eq!(find_all(&world, "*.md"), link("z.md"));
    assert_eq!(find_all(&world, "**/a.md"), link("out"));
    assert_eq!(find_all(&world, "out/*"), link("out"));
    check(&world, "a*", &["a.md"]);
    // Not even to the folders above it.
    let above = MapWorld::new().file("/p/r/a.md", "").link("/p/r/up", "/p");
    let all = paths(
        &above,
        &root("/p/r"),
        &Pattern::parse("**").unwrap(),
        &NONE,
        "",
    );
    assert_eq!(all, link("up"));
    let exclude = rules(&["out"], None);
    let pattern = Pattern::parse("**/a.md").unwrap();
    assert_eq!(
        paths(&world, &root("/r"), &pattern, &exclude, "").unwrap(),
        ["a.md"]
    );
    let open = Folder::new("/r", true);
    let pattern = Pattern::parse("**/*.md").unwrap();
    assert_eq!(
        paths(&world, &open, &pattern, &NONE, "").unwrap(),
        ["a.md", "out/x.md", "z.md"]
    );
}

#[test]
fn links_without_end_are_given_up() {
    let mut world = MapWorld::new();
    for a in 0..12 {
        world = world.folder(format!("/r/{a}"));
        for b in 0..12 {
            world = world.link(format!("/r/{a}/{b}"), format!("../{b}"));
        }
    }
    let error = find_all(&world, "**/*.md").unwrap_err();
    assert_eq!(error.code(), diagnostic::TOO_MANY_DOCUMENTS);
}

#[test]
fn too_many() {
    let world = (0..2_001).fold(MapWorld::new(), |w, i| w.file(format!("/r/{i:04}.md"), ""));
    assert_eq!(find_all(&world, "0*").unwrap().len(), 1_000);
    let error = find_all(&world, "*.md").unwrap_err();
    assert_eq!(error.to_string(), "`*.md` finds more than 2,000 files");
}

#[test]
fn locked_folders_are_errors_where_they_matter() {
    let world = tree().unreadable("/r/sub");
    assert_eq!(
        find_all(&world, "**/*.md").unwrap_err().code(),
        diagnostic::UNREADABLE_FILE
    );
    assert_eq!(
        find_all(&world, "sub/a.md").unwrap_err().code(),
        diagnostic::UNREADABLE_FILE
    );
    check(&world, "*.md", &["a.md"]);
    check(&world, "sub-a/*", &["sub-a/a.md"]);
}

#[test]
fn names_that_no_prompt_may_see() {
    let world = MapWorld::new()
        .file("/r/a\nb.md", "")
        .file("/r/a\tb/c.txt", "");
    let error = find_all(&world, "*.md").unwrap_err();
    assert_eq!(
        error,
        Obstacle::Name {
            path: "a\\nb.md".into()
        }
    );
    check(&world, "*.txt", &[]);
    let error = find_all(&world, "**/*.txt").unwrap_err();
    assert_eq!(
        error,
        Obstacle::Name {
            path: "a\\tb/c.txt".into()
        }
    );
}

/// Folders in folders, ten thousand deep, with a file at the bottom.
struct Deep;

impl World for Deep {
    fn kind(&self, _: &Path) -> io::Result<Kind> {
        Ok(Kind::Folder)
    }
    fn kind_of_name(&self, _: &Path) -> io::Result<Kind> {
        Ok(Kind::Folder)
    }
    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(path.to_owned())
    }
    fn read(&self, _: &Path, _: u64) -> io::Result<Vec<u8>> {
        Ok(Vec::new())
    }
    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        let (name, kind) = if path.as_os_str().len() < 20_000 {
            ("d", Kind::Folder)
        } else {
            ("a.md", Kind::File)
        };
        Ok(vec![Entry {
            name: name.into(),
            kind,
        }])
    }
    as_in!(self => MapWorld::new(); env home now stdin);
}

#[test]
fn depth_is_no_danger() {
    assert_eq!(find_all(&Deep, "**/*.md").unwrap().len(), 1);
}

#[test]
fn climbing() {
    let world = MapWorld::new()
        .folder("/p/a/b")
        .link("/short", "/p/a/b")
        .folder("/q")
        .file("/p/file", "");
    let up = |from: &str| climb(&world, &root("/p"), &root(from));
    assert_eq!(up("/p/a/b").unwrap(), ["a/b", "a", ""]);
    assert_eq!(up("/short").unwrap(), ["a/b", "a", ""]);
    assert_eq!(up("/p").unwrap(), [""]);
    assert_eq!(up("p/a").unwrap(), ["a", ""]);
    // Not there, and still in its place.
    assert_eq!(up("/p/a/none/x").unwrap(), ["a/none/x", "a/none", "a", ""]);
    assert_eq!(up("/short/x").unwrap(), ["a/b/x", "a/b", "a", ""]);
    assert_eq!(up("/p/none/../../q"), Err(Obstacle::Outside));
    for outside in ["/q", "/", "/none", "/pp"] {
        assert_eq!(up(outside), Err(Obstacle::Outside), "{outside}");
    }
    assert_eq!(climb(&world, &root("/none"), &root("/p")), Ok(Vec::new()));
    assert_eq!(
        climb(&world, &root("/p/file"), &root("/p")),
        Err(Obstacle::NotFolder)
    );
}

#[cfg(unix)]
#[test]
#[expect(clippy::disallowed_methods, reason = "a test makes its own disk")]
fn on_disk() {
    use crate::world::DiskWorld;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::{PermissionsExt, symlink};
    let temp = tempfile::tempdir().unwrap();
    let top = temp.path().join("r");
    for folder in ["r/sub/deep", "r/c.md", "out", "r/locked"] {
        std::fs::create_dir_all(temp.path().join(folder)).unwrap();
    }
    for file in ["r/a.md", "r/sub/deep/b.md", "out/x.md", "r/locked/l.md"] {
        std::fs::write(temp.path().join(file), file).unwrap();
    }
    symlink("../a.md", top.join("sub/in.md")).unwrap();
    symlink("..", top.join("sub/up")).unwrap();
    symlink("nowhere", top.join("lost.md")).unwrap();
    let pipe = std::process::Command::new("mkfifo")
        .arg(top.join("pipe.md"))
        .status();
    assert!(pipe.unwrap().success());
    let folder = Folder::new(top.clone(), false);
    let all = |pattern: &str| {
        paths(
            &DiskWorld,
            &folder,
            &Pattern::parse(pattern).unwrap(),
            &NONE,
            "",
        )
    };
    let md = ["a.md", "locked/l.md", "sub/deep/b.md", "sub/in.md"];
    assert_eq!(all("**/*.md").unwrap(), md);
    let find = |name: &str| super::super::wall::find(&DiskWorld, &folder, name);
    let a = find("sub/up/sub/in.md").unwrap().unwrap();
    assert_eq!(
        super::super::wall::read(&DiskWorld, &a, "a").unwrap(),
        b"r/a.md"
    );
    for name in ["pipe.md", "c.md", "lost.md", "a.MD", "a.md/b"] {
        assert_eq!(find(name), Ok(None), "{name}");
    }
    symlink(temp.path().join("out"), top.join("leaves")).unwrap();
    assert_eq!(
        find("leaves/x.md"),
        Err(Obstacle::Link {
            path: "leaves/x.md".into()
        })
    );
    assert_eq!(
        all("**/*.md"),
        Err(Obstacle::Link {
            path: "leaves".into()
        })
    );
    std::fs::remove_file(top.join("leaves")).unwrap();
    symlink("loop.md", top.join("loop.md")).unwrap();
    assert_eq!(
        all("*.md"),
        Err(Obstacle::Loop {
            path: "loop.md".into()
        })
    );
    std::fs::remove_file(top.join("loop.md")).unwrap();
    std::fs::write(top.join(OsStr::from_bytes(b"bad\xff.md")), "").unwrap();
    assert_eq!(
        all("*.md"),
        Err(Obstacle::Name {
            path: "bad\u{FFFD}.md".into()
        })
    );
    assert_eq!(all("*.txt"), Ok(Vec::new()));
    // The superuser may enter anything, so that there is nothing to see for it.
    std::fs::set_permissions(top.join("locked"), PermissionsExt::from_mode(0o0)).unwrap();
    if std::fs::read_dir(top.join("locked")).is_err() {
        assert_eq!(
            find("locked/l.md").unwrap_err().code(),
            diagnostic::UNREADABLE_FILE
        );
        assert_eq!(
            all("locked/*").unwrap_err().code(),
            diagnostic::UNREADABLE_FILE
        );
    }
    std::fs::set_permissions(top.join("locked"), PermissionsExt::from_mode(0o700)).unwrap();
}

fn worlds() -> impl Strategy<Value = MapWorld> {
    let name = || {
        prop_oneof![
            Just("a"),
            Just("b"),
            Just("c.md"),
            Just(".d"),
            Just("e\u{1}")
        ]
    };
    let path = move || {
        proptest::collection::vec(name(), 1..4).prop_map(|names| format!("/r/{}", names.join("/")))
    };
    let thing = (0..6_u8, path(), path());
    proptest::collection::vec(thing, 0..25).prop_map(|things| {
        let mut taken: Vec<String> = Vec::new();
        let mut world = MapWorld::new().file("/out/a", "").folder("/r");
        for (kind, path, target) in things {
            // No file takes another's name, nor is below one that is not a folder.
            if taken
                .iter()
                .any(|t| t.starts_with(&path) || path.starts_with(t))
            {
                continue;
            }
            world = match kind {
                0..=2 => world.file(&path, ""),
                3 => world.link(&path, target),
                4 if path.len() % 3 == 0 => world.link(&path, "/out"),
                4 => world.folder(&path),
                _ => world.other(&path),
            };
            taken.push(path);
        }
        world
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn listing_order_is_nothing(
        world in worlds(),
        seed in 0_u64..1000,
        pattern in prop_oneof![
            Just("**"), Just("**/c.md"), Just("*/*"), Just("{a,b}/**/*"), Just("a/b"), Just("**/.*"), Just("[!a]/**")
        ],
    ) {
        let expected = find_all(&world, pattern);
        let shuffled = ShuffledWorld { world, seed };
        prop_assert_eq!(find_all(&shuffled, pattern), expected.clone());
        if let Ok(hits) = expected {
            prop_assert_eq!(hits.is_sorted_by(|a, b| a.as_bytes() < b.as_bytes()), true);
            for hit in hits {
                let found = super::super::wall::find(&shuffled, &root("/r"), &hit);
                prop_assert_eq!(found.is_ok_and(|f| f.is_some()), true);
            }
        }
    }
}
