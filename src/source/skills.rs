//! `skills DIR`: every `SKILL.md` below a folder, in byte order of the path.

use super::exclude::{Exclude, Rules};
use super::found::{self, FoundFiles};
use super::kind::{Between, Makes, Names, ReadRequest, SourceKind};
use super::pattern::Pattern;
use super::place::{Read, RootFolder, Wanted, join, nameable};
use super::walk::{self, Hit, Most, Search, Walked};
use super::wall::{Folder, Obstacle};
use crate::world::World;

/// The name of a skill's document.
pub const FILE: &str = "SKILL.md";
/// Folders next to a skill's document that belong to it, so that no file in them is a skill of its own.
const BESIDE: [&str; 4] = ["references", "templates", "assets", "scripts"];

pub(super) static KIND: SourceKind = SourceKind {
    word: "skills",
    one: "skill",
    names: Names::Folder,
    between: Some(Between {
        property: "join",
        default: "\n",
    }),
    many: true,
    read,
    existing,
    makes: Makes::Listed,
};

/// The documents of the skills below each of the names: folder by folder of the root, in byte order of the path. Excluded
/// folders are not entered.
///
/// # Errors
/// When a name is not well formed, there are more than 100,000 skills, or a file cannot be read.
fn read(wish: &ReadRequest<'_>) -> Result<Read, Obstacle> {
    let exclude = Rules::parse(wish.exclude)?;
    let mut out = Read::default();
    for (at, name) in nameable(wish.names) {
        let base = base_of(wish.level, name);
        let mut other_case = Vec::new();
        let mut find = |folder: &RootFolder| {
            let found = below(wish.world, folder, &base, &exclude)?;
            other_case.extend(found.other_case);
            Ok(found.hits)
        };
        let found = FoundFiles::of(wish.root, &mut find)?;
        out.other_case.append(&mut other_case);
        if !found.read(wish.world, wish.root, &mut out)? {
            out.missing.push(at);
            out.unused.push(wish.root.missing(&pattern(&base)));
        }
    }
    let nameless = wish.names.iter().filter(|wanted| wanted.file().is_none());
    out.unused
        .extend(nameless.map(|wanted| wish.root.missing(wanted.shown())));
    Ok(out)
}

/// The documents of the skills below the folder `base` of a root, in byte order of their paths.
///
/// # Errors
/// When a name in `exclude` is not well formed, something on the way cannot be read or leads out of the root, or there are
/// more than 100,000 skills.
pub fn files(
    world: &dyn World,
    folder: &Folder,
    base: &str,
    exclude: &[Exclude],
) -> Result<Vec<Hit>, Obstacle> {
    Ok(find(world, folder, base, &Rules::parse(exclude)?)?.hits)
}

/// The paths of the documents, unread; what cannot be looked at is left out.
fn existing(wish: &ReadRequest<'_>) -> Vec<String> {
    let exclude = Rules::parse(wish.exclude).unwrap_or_else(|_| Rules::none());
    let find = |folder: &RootFolder, base: &str| {
        below(wish.world, folder, base, &exclude).map(|found| found.hits)
    };
    found::paths(wish.root, bases(wish.names, wish.level), find)
}

fn below(
    world: &dyn World,
    folder: &RootFolder,
    base: &str,
    exclude: &Rules,
) -> Result<Walked, Obstacle> {
    find(folder.world(world), &folder.folder, base, exclude)
}

/// The searched files, as a pattern.
fn pattern(base: &str) -> String {
    join(top_of(base), &format!("**/{FILE}"))
}

fn top_of(base: &str) -> &str {
    if base == "." { "" } else { base }
}

/// The folders called `names` at a `level` of a root (`""` for its top); the name `.` is that of the level itself.
#[must_use]
pub fn bases(names: &[Wanted], level: &str) -> Vec<String> {
    let named = names.iter().filter_map(Wanted::file);
    named.map(|name| base_of(level, name)).collect()
}

fn base_of(level: &str, name: &str) -> String {
    match (level, name) {
        ("", name) => name.to_owned(),
        (level, ".") => level.to_owned(),
        (level, name) => join(level, name),
    }
}

/// Folder and category of the skill at `path`, which was found below the nearest of `bases`.
///
/// The folder is the skill's own; the category is the path of folders between it and the base, joined by `/`: at the
/// top the skill's own folder, and `general` if the document is in the base itself. That base is named as it is
/// written, and the top of the root as the `root` is.
#[must_use]
pub fn place<'a>(path: &'a str, bases: &'a [String], root: &'a str) -> (&'a str, &'a str) {
    let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
    let inside = |base: &'a str| match base {
        "" => Some((base, dir)),
        _ if dir == base => Some((base, "")),
        _ => Some((base, dir.strip_prefix(base)?.strip_prefix('/')?)),
    };
    let found = bases.iter().filter_map(|base| inside(top_of(base)));
    let (base, inner) = found
        .max_by_key(|(base, _)| base.len())
        .unwrap_or(("", dir));
    match inner.rsplit_once('/') {
        Some((above, own)) => (own, above),
        None if !inner.is_empty() => (inner, inner),
        None => {
            let last = base.rsplit('/').next().filter(|last| !last.is_empty());
            (last.unwrap_or(root), "general")
        }
    }
}

/// The regular files called `SKILL.md` in `base` and the folders below it, hidden ones too, in byte order of their paths
/// inside the root. Links are followed inside the root, and not back to a folder above.
fn find(
    world: &dyn World,
    folder: &Folder,
    base: &str,
    exclude: &Rules,
) -> Result<Walked, Obstacle> {
    let beside = Exclude {
        names: BESIDE.map(str::to_owned).to_vec(),
        beside: Some(FILE.to_owned()),
    };
    let exclude = Rules::parse(&[beside])?.and(exclude);
    let search = Search {
        pattern: &Pattern::parse(&format!("**/{FILE}"))?,
        shown: &pattern(base),
        hidden: true,
        exact: Some(FILE),
        files: Most(100_000, "100,000 skills"),
        linked: Most(100_000, "100,000 folders reached by links"),
    };
    walk::find(world, folder, &search, &exclude, base)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic;
    use crate::world::{MapWorld, ShuffledWorld};
    use proptest::prelude::{Just, ProptestConfig, Strategy, prop_assert_eq, prop_oneof, proptest};
    use std::collections::BTreeMap;

    fn found(world: &dyn World, base: &str, exclude: &[&str]) -> Result<Vec<String>, Obstacle> {
        found_in(world, &Folder::new("/r", false), base, exclude)
    }

    fn found_in(
        world: &dyn World,
        folder: &Folder,
        base: &str,
        exclude: &[&str],
    ) -> Result<Vec<String>, Obstacle> {
        let names = exclude.iter().map(|name| (*name).to_owned()).collect();
        let exclude = Rules::parse(&[Exclude {
            names,
            beside: None,
        }])
        .unwrap();
        let hits = find(world, folder, base, &exclude)?.hits;
        Ok(hits.into_iter().map(|hit| hit.path).collect())
    }

    fn check(world: &MapWorld, base: &str, expected: &[&str]) {
        assert_eq!(found(world, base, &[]).unwrap(), expected, "{base}");
    }

    #[test]
    fn every_skill_and_nothing_in_one() {
        let world = MapWorld::new()
            .file("/r/s/a-b/SKILL.md", "")
            .file("/r/s/a/SKILL.md", "")
            .file("/r/s/a/assets/SKILL.md", "")
            .file("/r/s/a/scripts/x/SKILL.md", "")
            .file("/r/s/a/more/templates/SKILL.md", "")
            .file("/r/s/assets/b/SKILL.md", "")
            .file("/r/s/.c/SKILL.md", "")
            .file("/r/s/d/skill.md", "")
            .file("/r/s/e/SKILL.md/f/SKILL.md", "")
            .file("/r/SKILL.md", "");
        let in_s = [
            "s/.c/SKILL.md",
            "s/a-b/SKILL.md",
            "s/a/SKILL.md",
            "s/a/more/templates/SKILL.md",
            "s/assets/b/SKILL.md",
            "s/e/SKILL.md/f/SKILL.md",
        ];
        check(&world, "s", &in_s);
        check(&world, ".", &[&["SKILL.md"], &in_s[..]].concat());
        check(
            &world,
            "s/a",
            &["s/a/SKILL.md", "s/a/more/templates/SKILL.md"],
        );
        check(&world, "none", &[]);
        check(&world, "SKILL.md", &[]);
        assert_eq!(
            found(&world, "s", &["a*", ".?"]).unwrap(),
            ["s/e/SKILL.md/f/SKILL.md"]
        );
        assert_eq!(
            found(&world, "../r", &[]).unwrap_err().code(),
            diagnostic::PATH_LEAVES_ROOT
        );
    }

    #[test]
    fn links_stay_inside_and_end() {
        let world = MapWorld::new()
            .file("/out/x/SKILL.md", "")
            .file("/r/a/SKILL.md", "")
            .file("/r/a/notes.md", "")
            .link("/r/b", "a")
            .link("/r/a/up", "/r")
            .link("/r/a/here", ".")
            .link("/r/c/SKILL.md", "../a/notes.md")
            .link("/r/d/SKILL.md", "nowhere")
            .link("/r/lost", "lost");
        check(&world, ".", &["a/SKILL.md", "b/SKILL.md", "c/SKILL.md"]);
        let leaves = world.clone().link("/r/z", "/out/x");
        assert_eq!(
            found(&leaves, ".", &[]),
            Err(Obstacle::Link { path: "z".into() })
        );
        assert_eq!(found(&leaves, ".", &["z"]).unwrap().len(), 3);
        let open = Folder::new("/r", true);
        assert!(
            found_in(&leaves, &open, ".", &[])
                .unwrap()
                .contains(&"z/SKILL.md".to_owned())
        );
        let file = world.clone().link("/r/y/SKILL.md", "/out/x/SKILL.md");
        assert_eq!(
            found(&file, ".", &[]).unwrap_err().code(),
            diagnostic::LINK_LEAVES_ROOT
        );
        let ring = world.link("/r/x/SKILL.md", "SKILL.md");
        assert_eq!(
            found(&ring, ".", &[]).unwrap_err().code(),
            diagnostic::LINK_LOOP
        );
    }

    #[test]
    fn conflicting_names_and_locked_folders_are_obstacles() {
        let world = MapWorld::new()
            .file("/r/a\nb/x.md", "")
            .file("/r/l/SKILL.md", "");
        check(&world, ".", &["l/SKILL.md"]);
        let locked = world.clone().unreadable("/r/l");
        assert_eq!(
            found(&locked, ".", &[]).unwrap_err().code(),
            diagnostic::UNREADABLE_FILE
        );
        let named = world.file("/r/a\nb/SKILL.md", "");
        assert_eq!(
            found(&named, ".", &[]).unwrap_err(),
            Obstacle::Name {
                path: "a\\nb/SKILL.md".into()
            }
        );
    }

    #[test]
    fn places() {
        let bases = ["s".to_owned(), "s/deep".to_owned()];
        for (path, folder, category) in [
            ("s/a/SKILL.md", "a", "a"),
            ("s/b/c/a/SKILL.md", "a", "b/c"),
            ("s/SKILL.md", "s", "general"),
            ("s/deep/a/SKILL.md", "a", "a"),
        ] {
            assert_eq!(place(path, &bases, "home"), (folder, category), "{path}");
        }
        let top = [".".to_owned()];
        assert_eq!(place("SKILL.md", &top, "home"), ("home", "general"));
        assert_eq!(place("a/SKILL.md", &top, "home"), ("a", "a"));
        assert_eq!(place("b/a/SKILL.md", &top, "home"), ("a", "b"));
    }

    /// The entries below a folder, from the list of all paths.
    fn obvious(paths: &BTreeMap<String, ()>, exclude: &str) -> Vec<String> {
        let skill = |path: &str| path.strip_suffix("SKILL.md").map(str::to_owned);
        let homes: Vec<String> = paths.keys().filter_map(|path| skill(path)).collect();
        let counts = |home: &String| {
            let inside = |owner: &String| {
                let rest = home.strip_prefix(owner.as_str()).unwrap_or_default();
                BESIDE.contains(&rest.split('/').next().unwrap_or_default())
            };
            !homes.iter().any(inside) && !home.split('/').any(|name| name == exclude)
        };
        let kept = homes.iter().filter(|home| counts(home));
        kept.map(|home| format!("{home}SKILL.md")).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 200, ..ProptestConfig::default() })]

        #[test]
        fn a_walk_agrees_with_the_list_of_paths(
            paths in proptest::collection::vec(
                (proptest::collection::vec(prop_oneof![Just("a"), Just("b"), Just("assets"), Just("scripts")], 0..5), proptest::bool::ANY)
                    .prop_map(|(folders, skill)| {
                        let name = if skill { "SKILL.md" } else { "other.md" };
                        folders.into_iter().chain([name]).collect::<Vec<_>>().join("/")
                    }),
                0..12,
            ),
            seed in 0_u64..1000,
        ) {
            let world = paths.iter().fold(MapWorld::new().folder("/r"), |w, p| w.file(format!("/r/{p}"), ""));
            let shuffled = ShuffledWorld { world, seed };
            let all = paths.into_iter().map(|path| (path, ())).collect();
            let mut expected = obvious(&all, "b");
            expected.sort_unstable();
            prop_assert_eq!(found(&shuffled, ".", &["b"]), Ok(expected));
        }
    }
}
