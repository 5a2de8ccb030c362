//! Two recorded worlds as one, in which each difference is as one of them has it.

use super::recorded::{Answer, Answers, Content, Failure, RecordedWorld};
use super::{Kind, sha256, swapped_case};
use std::collections::{BTreeMap, BTreeSet};

/// Two recorded worlds as one. An answer that only one of them knows is the same in every mix.
pub(crate) struct MixedWorld {
    /// The mix that was chosen last.
    world: RecordedWorld,
    /// What each side knows of the paths that differ.
    differing: BTreeMap<String, [Seen; 2]>,
    /// The folders whose lists follow from what stands in them, with the names that do not differ.
    lists: BTreeMap<String, BTreeMap<String, Kind>>,
    /// The hashes of contents that only the last mix has.
    own: Vec<String>,
}

/// What one side knows of a path.
#[derive(Debug, Clone, Default, PartialEq)]
struct Seen {
    answers: Answers,
    /// Its kind in the list of its folder.
    listed: Option<Kind>,
    is_absent: bool,
}

/// How the two sides of a path differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathDifference<'m> {
    /// Both have the file, with other bytes.
    Content([&'m [u8]; 2]),
    /// Only B has it; the bytes, if it is a file that was read.
    Appeared(Option<&'m [u8]>),
    /// Only A has it.
    Vanished(Option<&'m [u8]>),
    /// It is something else, or leads elsewhere.
    Kind,
}

/// What a path is in a mix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Chosen {
    A,
    B,
    /// A file of both, with these bytes.
    Content(Vec<u8>),
}

/// The folder of a path; none of the topmost one.
fn folder(path: &str) -> Option<&str> {
    let (folder, _) = path.rsplit_once('/')?;
    (!folder.is_empty()).then_some(folder)
}

fn name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// The names in a folder, if it was listed.
fn names<'w>(world: &'w RecordedWorld, folder: &str) -> Option<&'w [(String, Kind)]> {
    match world.paths.get(folder)?.list.as_ref()? {
        Answer::Is(names) => Some(names),
        Answer::Fails { .. } => None,
    }
}

/// What a world knows of a path; none if it knows nothing.
fn seen(world: &RecordedWorld, path: &str) -> Option<Seen> {
    let is_gone = |answers: &Answers| {
        let kinds = [&answers.kind, &answers.name];
        let mut kinds = kinds.into_iter().flatten();
        kinds.any(|kind| {
            let fails = Failure::NotFound;
            *kind == Answer::Fails { fails }
        })
    };
    let own = world.paths.get(path);
    let listed = || {
        let names = names(world, folder(path)?)?;
        let at = names.binary_search_by(|(known, _)| known.as_str().cmp(name(path)));
        Some(at.ok().map(|at| names[at].1))
    };
    let above = || folder(path).and_then(|folder| seen(world, folder));
    match (own, listed()) {
        (Some(own), _) if is_gone(own) => Some(Seen::absent()),
        (own, Some(Some(kind))) => Some(Seen {
            answers: own.cloned().unwrap_or_default(),
            listed: Some(kind),
            is_absent: false,
        }),
        (_, Some(None)) => Some(Seen::absent()),
        (Some(own), None) => Some(Seen {
            answers: own.clone(),
            ..Seen::default()
        }),
        (None, None) => above().filter(|above| above.is_absent),
    }
}

impl Seen {
    fn absent() -> Self {
        fn fails<T>() -> Option<Answer<T>> {
            let fails = Failure::NotFound;
            Some(Answer::Fails { fails })
        }
        Self {
            answers: Answers {
                kind: fails(),
                name: fails(),
                canonical: fails(),
                content: fails(),
                list: fails(),
            },
            listed: None,
            is_absent: true,
        }
    }

    fn kind(&self) -> Option<Kind> {
        let answer = match self.answers.name.as_ref().or(self.answers.kind.as_ref()) {
            Some(Answer::Is(kind)) => Some(*kind),
            _ => None,
        };
        self.listed.or(answer)
    }

    /// Whether both are the same where both know it, but for names in a folder and bytes of a file.
    fn is_alike(&self, other: &Self) -> bool {
        fn same<T: PartialEq>(a: Option<&T>, b: Option<&T>) -> bool {
            a.zip(b).is_none_or(|(a, b)| a == b)
        }
        let (a, b) = (&self.answers, &other.answers);
        let lists = match (&a.list, &b.list) {
            (Some(Answer::Is(_)), Some(Answer::Is(_))) => true,
            (a, b) => same(a.as_ref(), b.as_ref()),
        };
        self.is_absent == other.is_absent
            && same(self.listed.as_ref(), other.listed.as_ref())
            && same(a.kind.as_ref(), b.kind.as_ref())
            && same(a.name.as_ref(), b.name.as_ref())
            && same(a.canonical.as_ref(), b.canonical.as_ref())
            && lists
            && match (&a.content, &b.content) {
                (Some(Answer::Is(_)), Some(Answer::Is(_))) => true,
                (a, b) => same(a.as_ref(), b.as_ref()),
            }
    }
}

impl MixedWorld {
    /// The mixes of A and B; it is B until another one is chosen.
    pub(crate) fn new(sides: [&RecordedWorld; 2]) -> Self {
        let [a, b] = sides;
        let mut world = RecordedWorld::default();
        for side in sides {
            let contents = side.contents.iter();
            let contents = contents.map(|(hash, content)| (hash.clone(), content.clone()));
            world.contents.extend(contents);
        }
        let mut paths: BTreeSet<String> = a.paths.keys().chain(b.paths.keys()).cloned().collect();
        let mut folders = BTreeSet::new();
        for path in paths.clone() {
            let both = sides.map(|side| names(side, &path));
            let both: Vec<BTreeSet<&(String, Kind)>> = both
                .into_iter()
                .flatten()
                .map(|all| all.iter().collect())
                .collect();
            if !both.is_empty() {
                folders.insert(path.clone());
            }
            if let [x, y] = both.as_slice() {
                let other = x.symmetric_difference(y).map(|(name, _)| name);
                paths.extend(other.map(|name| format!("{path}/{name}")));
            }
        }
        let mut differing = BTreeMap::new();
        for path in paths {
            let both = sides.map(|side| seen(side, &path));
            let Some(answers) = differs(&both) else {
                let mut answers = Answers::default();
                both.into_iter()
                    .flatten()
                    .for_each(|seen| answers.add(seen.answers));
                world.paths.insert(path, answers);
                continue;
            };
            differing.insert(path, answers);
        }
        let same = |folder: String| {
            let all = sides
                .into_iter()
                .filter_map(|side| names(side, &folder))
                .flatten();
            let all = all.filter(|(name, _)| !differing.contains_key(&format!("{folder}/{name}")));
            let all = all.cloned().collect();
            (folder, all)
        };
        let lists = folders.into_iter().map(same).collect();
        for path in other_cases(sides) {
            let answers = world.paths.entry(path).or_default();
            let fails = Failure::NotFound;
            answers.name.get_or_insert(Answer::Fails { fails });
        }
        let mut out = Self {
            world,
            differing,
            lists,
            own: Vec::new(),
        };
        out.choose(&|_| Chosen::B);
        out
    }

    /// The paths that differ. A folder that only one side has differs by what is in it.
    pub(crate) fn differences(&self) -> impl Iterator<Item = (&str, PathDifference<'_>)> {
        let all = self
            .differing
            .iter()
            .filter(|(path, _)| !self.is_inner(path));
        all.map(|(path, [a, b])| {
            let [x, y] = [a, b].map(|side| self.content(side));
            let difference = match (a.is_absent, b.is_absent, x, y) {
                (true, _, _, y) => PathDifference::Appeared(y),
                (_, true, x, _) => PathDifference::Vanished(x),
                (_, _, Some(x), Some(y)) if a.is_alike(b) => PathDifference::Content([x, y]),
                _ => PathDifference::Kind,
            };
            (path.as_str(), difference)
        })
    }

    /// The bytes of a file in A and in B, as far as each has read it.
    pub(crate) fn contents(&self, path: &str) -> [Option<&[u8]>; 2] {
        match self.differing.get(path) {
            Some(sides) => sides.each_ref().map(|side| self.content(side)),
            None => {
                let answers = self.world.paths.get(path);
                let answer = answers.and_then(|answers| answers.content.as_ref());
                [answer.and_then(|answer| self.world.content(answer)); 2]
            }
        }
    }

    fn content(&self, side: &Seen) -> Option<&[u8]> {
        self.world.content(side.answers.content.as_ref()?)
    }

    /// Whether a path is a folder of one side in which something differs.
    fn is_inner(&self, path: &str) -> bool {
        let Some([a, b]) = self.differing.get(path) else {
            return false;
        };
        a.is_absent != b.is_absent && self.below(path).next().is_some()
    }

    fn below<'m>(&'m self, folder: &str) -> impl Iterator<Item = (&'m String, &'m [Seen; 2])> {
        let folder = format!("{folder}/");
        let from = self.differing.range(folder.clone()..);
        from.take_while(move |(path, _)| path.starts_with(&folder))
    }

    /// The mix in which each path that differs is as it is chosen.
    pub(crate) fn choose(&mut self, choice: &dyn Fn(&str) -> Chosen) -> &RecordedWorld {
        let mut stands: BTreeMap<&str, Option<Kind>> = BTreeMap::new();
        let mut answers: BTreeMap<String, Answers> = BTreeMap::new();
        let mut contents = Vec::new();
        // What is in a folder comes after it.
        for (path, sides) in self.differing.iter().rev() {
            let mut chosen = choice(path);
            if self.is_inner(path) {
                let folder = format!("{path}/");
                let below = stands.range(folder.as_str()..);
                let mut below = below.take_while(|(path, _)| path.starts_with(&folder));
                let is_there = below.any(|(_, kind)| kind.is_some());
                chosen = if is_there == sides[0].is_absent {
                    Chosen::B
                } else {
                    Chosen::A
                };
            }
            let side = &sides[usize::from(chosen != Chosen::A)];
            let other = &sides[usize::from(chosen == Chosen::A)];
            // That there is nothing says nothing of what exists on the other side.
            let mut own = if side.is_absent || other.is_absent {
                Answers::default()
            } else {
                other.answers.clone()
            };
            own.add(side.answers.clone());
            if let Some(kind) = side.listed {
                own.name.get_or_insert(Answer::Is(kind));
            }
            if let Chosen::Content(bytes) = chosen {
                let hash = sha256(&bytes);
                own.content = Some(Answer::Is(hash.clone()));
                contents.push((hash, bytes));
            }
            let kind = side.kind().or_else(|| other.kind()).unwrap_or(Kind::File);
            stands.insert(path, (!side.is_absent).then_some(kind));
            answers.insert(path.clone(), own);
        }
        for (folder, same) in &self.lists {
            let mut names = same.clone();
            let below = self.below(folder).map(|(path, _)| path.as_str());
            let own = below.filter(|path| self::folder(path) == Some(folder.as_str()));
            let own = own.filter_map(|path| Some((name(path).to_owned(), stands[path]?)));
            names.extend(own);
            let is_gone = stands.get(folder.as_str()).is_some_and(Option::is_none);
            if !is_gone {
                let answers = answers.entry(folder.clone()).or_insert_with(|| {
                    let known = self.world.paths.get(folder);
                    known.cloned().unwrap_or_default()
                });
                answers.list = Some(Answer::Is(names.into_iter().collect()));
            }
        }
        self.world.paths.extend(answers);
        for hash in std::mem::take(&mut self.own) {
            self.world.contents.remove(&hash);
        }
        for (hash, bytes) in contents {
            if !self.world.contents.contains_key(&hash) {
                let content = Content(bytes.into());
                self.world.contents.insert(hash.clone(), content);
                self.own.push(hash);
            }
        }
        &self.world
    }
}

/// The names in another case that are in no folder: a build looks for one of them in each folder that it reads in, and which one depends on
/// the mix.
fn other_cases(sides: [&RecordedWorld; 2]) -> BTreeSet<String> {
    let swapped = |path: &str| Some(format!("{}/{}", folder(path)?, swapped_case(name(path))));
    let mut exact = BTreeSet::new();
    for side in sides {
        let gone = side.paths.iter().filter(|(_, answers)| {
            let fails = Failure::NotFound;
            answers.name == Some(Answer::Fails { fails })
        });
        let is_there = |path: &String| {
            let other = swapped(path).filter(|other| other != path);
            other.is_some_and(|other| seen(side, &other).is_some_and(|seen| !seen.is_absent))
        };
        let gone = gone.filter(|(path, _)| is_there(path));
        exact.extend(gone.filter_map(|(path, _)| folder(path)));
    }
    let all = sides.into_iter().flat_map(|side| side.paths.keys());
    let all = all.filter(|path| folder(path).is_some_and(|folder| exact.contains(folder)));
    let others = all.filter_map(|path| swapped(path));
    let is_there = |path: &String| {
        let mut seen = sides.iter().filter_map(|side| seen(side, path));
        seen.any(|seen| !seen.is_absent)
    };
    others.filter(|path| !is_there(path)).collect()
}

/// Both sides of a path, if they differ.
fn differs([a, b]: &[Option<Seen>; 2]) -> Option<[Seen; 2]> {
    let (a, b) = (a.as_ref()?, b.as_ref()?);
    let contents = |seen: &Seen| seen.answers.content.clone();
    let has_same = contents(a).zip(contents(b)).is_none_or(|(a, b)| a == b);
    (!a.is_alike(b) || !has_same).then(|| [a.clone(), b.clone()])
}
