//! Walking inside a root: patterns downwards, searches upwards.

use super::exclude::{Here, Rules};
use super::pattern::{Part, Pattern};
use super::wall::{Folder, Obstacle, inside, joined, resolve, shown, spelt_so, top};
use crate::world::{Entry, Kind, World, is_missing};
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

/// Files that one pattern may find.
const MOST_HITS: usize = 2_000;
/// Folders that one pattern may enter behind links: without cycles, links can still make exponentially many paths.
const MOST_LINKED: usize = 20_000;

/// A file that a pattern found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hit {
    /// Its path inside the root.
    pub path: String,
    /// Where to read it: this path has no links any more.
    pub file: PathBuf,
}

/// The regular files that match, in byte order of their paths inside the root.
///
/// The pattern counts from `base`, a folder inside the root (`""` for its top). A hidden name is matched only by a pattern
/// component that begins with a dot, and `**` does not enter hidden folders. Folders that `exclude` names are not
/// entered. Only folders that the pattern can lead to are listed. Links are followed inside the root; `**` does
/// not follow one back to a folder above.
///
/// # Errors
/// When a link that could be a hit or a way to one leaves the root, a hit's path cannot be a name in a prompt, a folder
/// cannot be read, or there is too much to find.
pub fn glob(
    world: &dyn World,
    folder: &Folder,
    pattern: &Pattern,
    exclude: &Rules,
    base: &str,
) -> Result<Vec<Hit>, Obstacle> {
    let base = if base == "." { "" } else { base };
    let Some((top, spot)) = start(world, folder, base)? else {
        return Ok(Vec::new());
    };
    let mut walk = Walk {
        world,
        folder,
        top: &top,
        pattern,
        exclude,
        hits: Vec::new(),
        linked: 0,
        todo: Vec::new(),
    };
    walk.todo.push(Place {
        spot,
        states: walk.closure(vec![0]),
        jumps: Vec::new(),
    });
    while let Some(place) = walk.todo.pop() {
        walk.visit(&place)?;
    }
    walk.hits.sort_unstable();
    Ok(walk.hits)
}

/// The canonical path of the root, and where a walk from `base` (`""` for its top) starts; none if nothing is there.
pub(super) fn start(
    world: &dyn World,
    folder: &Folder,
    base: &str,
) -> Result<Option<(PathBuf, Spot)>, Obstacle> {
    let Some(top) = top(world, folder)? else {
        return Ok(None);
    };
    let path = match base {
        "" => top.clone(),
        base => {
            inside(base)?;
            match resolve(world, folder, &top, base)? {
                Some((path, Kind::Folder)) => path,
                _ => return Ok(None),
            }
        }
    };
    let spot = Spot {
        path,
        inner: base.to_owned(),
        bad: false,
    };
    Ok(Some((top, spot)))
}

/// The entries of a folder, in byte order, so that the first obstacle is always the same; none if it went away while we
/// walked.
pub(super) fn list(world: &dyn World, spot: &Spot) -> Result<Vec<Entry>, Obstacle> {
    match world.list(&spot.path) {
        Ok(mut entries) => {
            entries
                .sort_unstable_by(|a, b| a.name.as_encoded_bytes().cmp(b.name.as_encoded_bytes()));
            Ok(entries)
        }
        Err(error) if is_missing(&error) => Ok(Vec::new()),
        Err(error) => Err(Obstacle::from_io(&spot.inner, &error)),
    }
}

/// The entry of that very name, without listing the folder where that can be avoided.
fn entry(
    world: &dyn World,
    folder: &Folder,
    spot: &Spot,
    name: &str,
) -> Result<Option<Entry>, Obstacle> {
    let path = joined(&spot.path, OsStr::new(name));
    let found = world.kind_of_name(&path).and_then(|kind| {
        let exact = spelt_so(world, folder, &spot.path, name)?;
        Ok(exact.then(|| Entry {
            name: OsString::from(name),
            kind,
        }))
    });
    match found {
        Ok(entry) => Ok(entry),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(Obstacle::from_io(&spot.inner(OsStr::new(name)), &error)),
    }
}

/// Whether a regular file of that name stands at a spot below the top of a root.
///
/// # Errors
/// When it is a link that leaves the root or leads to itself, or it cannot be looked up.
pub(super) fn holds(
    world: &dyn World,
    folder: &Folder,
    (top, spot): (&Path, &Spot),
    name: &str,
) -> Result<bool, Obstacle> {
    let Some(entry) = entry(world, folder, spot, name)? else {
        return Ok(false);
    };
    match entry.kind {
        Kind::File => Ok(true),
        Kind::Link => {
            let mut file = spot.child(&entry.name);
            let is_file = behind(world, &mut file)? == Some(Kind::File);
            if is_file {
                stays(folder, top, &file)?;
            }
            Ok(is_file)
        }
        Kind::Folder | Kind::Other => Ok(false),
    }
}

/// What a link leads to, where `spot` is then; none if it leads nowhere.
pub(super) fn behind(world: &dyn World, spot: &mut Spot) -> Result<Option<Kind>, Obstacle> {
    let target = world.canonical(&spot.path);
    match target.and_then(|path| Ok((world.kind(&path)?, path))) {
        Ok((kind, path)) => {
            spot.path = path;
            Ok(Some(kind))
        }
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(Obstacle::from_io(&spot.inner, &error)),
    }
}

/// Fails if a link has left the root, where that is a mistake.
pub(super) fn stays(folder: &Folder, top: &Path, spot: &Spot) -> Result<(), Obstacle> {
    match folder.follows_links() || spot.path.starts_with(top) {
        true => Ok(()),
        false => Err(spot.leaves()),
    }
}

/// A walk under way. Folders wait in a list of their own, so that no depth of folders exhausts the stack.
struct Walk<'a> {
    world: &'a dyn World,
    folder: &'a Folder,
    top: &'a Path,
    pattern: &'a Pattern,
    exclude: &'a Rules,
    hits: Vec<Hit>,
    linked: usize,
    todo: Vec<Place>,
}

/// Something inside the root.
pub(super) struct Spot {
    /// Where it is; canonical once it is entered.
    pub(super) path: PathBuf,
    /// Inside the root, links kept, what is not UTF-8 replaced.
    pub(super) inner: String,
    /// Whether a name on the way is not fit for a prompt.
    bad: bool,
}

impl Spot {
    /// What stands in it under that name.
    pub(super) fn child(&self, name: &OsStr) -> Self {
        Self {
            path: joined(&self.path, name),
            inner: self.inner(name),
            bad: self.bad || !printable(name),
        }
    }

    /// The path of a name in it, inside the root.
    fn inner(&self, name: &OsStr) -> String {
        let lossy = name.to_string_lossy();
        match self.inner.as_str() {
            "" => lossy.into_owned(),
            inner => [inner, "/", &lossy].concat(),
        }
    }

    /// It as a file that was found.
    ///
    /// # Errors
    /// When its path cannot be a name in a prompt.
    pub(super) fn hit(self) -> Result<Hit, Obstacle> {
        match self.bad {
            true => Err(Obstacle::Name {
                path: shown(&self.inner),
            }),
            false => Ok(Hit {
                path: self.inner,
                file: self.path,
            }),
        }
    }

    /// A link to it that leaves the root.
    pub(super) fn leaves(&self) -> Obstacle {
        Obstacle::Link {
            path: shown(&self.inner),
        }
    }
}

/// A folder to look into.
struct Place {
    spot: Spot,
    /// Places in the pattern that its entries are held against, ascending.
    states: Vec<usize>,
    /// The canonical folders that links were taken from on the way here.
    jumps: Vec<PathBuf>,
}

impl Place {
    /// Whether `path` is this folder or one above it.
    fn is_below(&self, path: &Path) -> bool {
        self.spot.path.starts_with(path) || self.jumps.iter().any(|jump| jump.starts_with(path))
    }
}

/// Whether a name may reach a prompt.
fn printable(name: &OsStr) -> bool {
    name.to_str()
        .is_some_and(|name| !name.contains(char::is_control))
}

/// What the pattern makes of a name.
struct Match {
    /// It could be a hit, if it is a file.
    hit: bool,
    /// Where the pattern goes on, if it is a folder: reached by a component of its own.
    named: Vec<usize>,
    /// The same, reached by a `**` that goes on.
    deep: Vec<usize>,
}

impl Walk<'_> {
    /// The states with those that are reached because `**` may stand for nothing, ascending.
    fn closure(&self, mut states: Vec<usize>) -> Vec<usize> {
        let mut at = 0;
        while let Some(&state) = states.get(at) {
            if self.pattern.parts.get(state) == Some(&Part::Deep) && !states.contains(&(state + 1))
            {
                states.push(state + 1);
            }
            at += 1;
        }
        states.sort_unstable();
        states.dedup();
        states
    }

    fn meet(&self, states: &[usize], name: &str) -> Match {
        let mut found = Match {
            hit: false,
            named: Vec::new(),
            deep: Vec::new(),
        };
        for &state in states {
            let matches = match &self.pattern.parts[state] {
                Part::Deep => {
                    if !name.starts_with('.') {
                        found.deep.push(state);
                    }
                    false
                }
                Part::Literal(own) => own == name,
                Part::Name(own) => own.matches_visible(name),
            };
            if matches && state + 1 == self.pattern.parts.len() {
                found.hit = true;
            } else if matches {
                found.named.push(state + 1);
            }
        }
        found
    }

    fn visit(&mut self, place: &Place) -> Result<(), Obstacle> {
        let below = self.todo.len();
        let mut exclude = self.exclude.here();
        for entry in self.entries(place)? {
            self.step(place, &entry, &mut exclude)?;
        }
        // The last in the list is taken next: turned round, folders are visited in order.
        self.todo[below..].reverse();
        Ok(())
    }

    /// The entries that the pattern can be about, in byte order.
    fn entries(&self, place: &Place) -> Result<Vec<Entry>, Obstacle> {
        let names: Option<Vec<&String>> = (place.states.iter())
            .map(|state| match &self.pattern.parts[*state] {
                Part::Literal(name) => Some(name),
                Part::Deep | Part::Name(_) => None,
            })
            .collect();
        if let Some(mut names) = names {
            names.sort_unstable();
            names.dedup();
            let one = |name: &String| entry(self.world, self.folder, &place.spot, name);
            let entries = names.into_iter().map(one);
            return entries.filter_map(Result::transpose).collect();
        }
        list(self.world, &place.spot)
    }

    fn step(
        &mut self,
        place: &Place,
        entry: &Entry,
        exclude: &mut Here<'_>,
    ) -> Result<(), Obstacle> {
        let name = entry.name.to_string_lossy();
        let mut found = self.meet(&place.states, &name);
        let goes_on = !found.named.is_empty() || !found.deep.is_empty();
        let has = |file: &str| holds(self.world, self.folder, (self.top, &place.spot), file);
        if goes_on
            && !matches!(entry.kind, Kind::File | Kind::Other)
            && exclude.keep_out(&name, has)?
        {
            found.named.clear();
            found.deep.clear();
        }
        match entry.kind {
            Kind::File if found.hit => self.hit(place.spot.child(&entry.name)),
            Kind::Folder => {
                found.named.append(&mut found.deep);
                let spot = place.spot.child(&entry.name);
                self.enter(spot, found.named, place.jumps.clone())
            }
            Kind::Link => self.link(place, place.spot.child(&entry.name), found),
            Kind::File | Kind::Other => Ok(()),
        }
    }

    fn hit(&mut self, spot: Spot) -> Result<(), Obstacle> {
        let hit = spot.hit()?;
        if self.hits.len() == MOST_HITS {
            return Err(self.too_many("2,000 files"));
        }
        self.hits.push(hit);
        Ok(())
    }

    /// Follows a link, if the pattern has a use for what it leads to.
    fn link(&mut self, place: &Place, mut spot: Spot, found: Match) -> Result<(), Obstacle> {
        let wanted = found.hit || !found.named.is_empty();
        if !wanted && found.deep.is_empty() {
            return Ok(());
        }
        let kind = match behind(self.world, &mut spot) {
            Ok(Some(kind)) => kind,
            Ok(None) => return Ok(()),
            // Nothing that `**` could enter is behind it.
            Err(Obstacle::Loop { .. }) if !wanted => return Ok(()),
            Err(obstacle) => return Err(obstacle),
        };
        match kind {
            Kind::File if found.hit => {}
            Kind::Folder if !found.named.is_empty() || !found.deep.is_empty() => {}
            _ => return Ok(()),
        }
        stays(self.folder, self.top, &spot)?;
        if kind == Kind::File {
            return self.hit(spot);
        }
        let mut states = found.named;
        if !place.is_below(&spot.path) {
            states.extend(found.deep);
        }
        let mut jumps = place.jumps.clone();
        jumps.push(place.spot.path.clone());
        self.enter(spot, states, jumps)
    }

    /// Puts a folder on the list, if the pattern goes on in it.
    fn enter(
        &mut self,
        spot: Spot,
        states: Vec<usize>,
        jumps: Vec<PathBuf>,
    ) -> Result<(), Obstacle> {
        if states.is_empty() {
            return Ok(());
        }
        if !jumps.is_empty() {
            self.linked += 1;
            if self.linked > MOST_LINKED {
                return Err(self.too_many("20,000 folders behind links"));
            }
        }
        let states = self.closure(states);
        self.todo.push(Place {
            spot,
            states,
            jumps,
        });
        Ok(())
    }

    fn too_many(&self, most: &'static str) -> Obstacle {
        Obstacle::TooMany {
            pattern: self.pattern.as_str().to_owned(),
            most,
        }
    }
}

/// The folders from `from` up to the top of `root`, nearest first, as paths inside the root; the last is `""`.
///
/// A `from` that does not exist still has a place. None if the root does not exist.
///
/// # Errors
/// [`Obstacle::Outside`] if `from` is not inside the root.
pub fn climb(world: &dyn World, root: &Folder, from: &Folder) -> Result<Vec<String>, Obstacle> {
    let Some(top) = top(world, root)? else {
        return Ok(Vec::new());
    };
    let from = match from.known_top() {
        Some(top) => top.to_owned(),
        None => place_of(world, from.path())?,
    };
    let inner = from.strip_prefix(&top).map_err(|_| Obstacle::Outside)?;
    let mut levels = vec![String::new()];
    let mut level = String::new();
    for name in inner.iter() {
        let lossy = name.to_string_lossy();
        if !level.is_empty() {
            level.push('/');
        }
        level.push_str(&lossy);
        if !printable(name) {
            return Err(Obstacle::Name {
                path: shown(&level),
            });
        }
        levels.push(level.clone());
    }
    levels.reverse();
    Ok(levels)
}

/// The canonical path; of one that does not exist, as much of it as does, and the rest by its form.
fn place_of(world: &dyn World, path: &Path) -> Result<PathBuf, Obstacle> {
    let mut rest: Vec<OsString> = Vec::new();
    let mut above = path.to_owned();
    loop {
        let asked = if above.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &above
        };
        match world.canonical(asked) {
            Ok(mut place) => {
                while let Some(name) = rest.pop() {
                    if name == ".." {
                        place.pop();
                    } else {
                        place.push(name);
                    }
                }
                return Ok(place);
            }
            Err(error) if is_missing(&error) => {}
            Err(error) => return Err(Obstacle::from_io("", &error)),
        }
        match above.components().next_back() {
            Some(Component::Normal(name)) => rest.push(name.to_owned()),
            Some(Component::ParentDir) => rest.push("..".into()),
            Some(Component::CurDir) => {}
            _ => return Err(Obstacle::Outside),
        }
        above = above
            .components()
            .as_path()
            .parent()
            .unwrap_or(Path::new(""))
            .to_owned();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic;
    use crate::source::exclude::Exclude;
    use crate::world::{MapWorld, Shuffled};
    use proptest::prelude::{Just, ProptestConfig, Strategy, prop_assert_eq, prop_oneof, proptest};
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
        let from =
            |base, exclude: &Rules| paths(&world, &root("/r"), &pattern, exclude, base).unwrap();
        assert_eq!(from("sub", &NONE), ["sub/a.md", "sub/deep/a.md"]);
        assert_eq!(from(".", &NONE), from("", &NONE));
        assert!(from("none", &NONE).is_empty() && from("a.md", &NONE).is_empty());
        let exclude = rules(&["sub*", "*.md"], None);
        assert_eq!(from("", &exclude), ["a.md"]);
        let all = paths(&world, &root("/none"), &pattern, &NONE, "");
        assert_eq!(all, Ok(Vec::new()));
    }

    #[test]
    fn exclude_beside_a_file() {
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
        // Asked only where there is something to keep out.
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
        // Written out, a way round is what was asked for.
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
            let (name, kind) = match path.as_os_str().len() < 20_000 {
                true => ("d", Kind::Folder),
                false => ("a.md", Kind::File),
            };
            Ok(vec![Entry {
                name: name.into(),
                kind,
            }])
        }
        fn env(&self, _: &str) -> Option<OsString> {
            None
        }
        fn home(&self) -> Option<PathBuf> {
            None
        }
        fn now(&self) -> i64 {
            0
        }
        fn stdin(&self, _: u64) -> io::Result<Vec<u8>> {
            Ok(Vec::new())
        }
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
            proptest::collection::vec(name(), 1..4)
                .prop_map(|names| format!("/r/{}", names.join("/")))
        };
        let thing = (0..6_u8, path(), path());
        proptest::collection::vec(thing, 0..25).prop_map(|things| {
            let mut taken: Vec<String> = Vec::new();
            let mut world = MapWorld::new().file("/out/a", "").folder("/r");
            for (kind, path, target) in things {
                // Nothing takes another's name, nor stands below what is no folder.
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
            let shuffled = Shuffled { world, seed };
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
}
