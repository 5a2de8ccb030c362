//! Warns of sources and folders of roots that are missing. A misspelt name would silently leave text out of every prompt.
//!
//! What is looked up here decides about no byte: the folders of missing files are listed for the nearest name.

use super::bind::ResolvedInputs;
use super::load::Loaded;
use super::missing::{MissingName, MissingSource, NearMemo};
use super::plan::Plan;
use super::roots::{self, RootOrigin};
use crate::diagnostic::span::Span;
use crate::diagnostic::suggest::{choice, is_slip, nearest};
use crate::diagnostic::{Diagnostic, Diagnostics, MISSING_SOURCE};
use crate::manifest::Missing;
use crate::prompt::Ingredient;
use crate::source::kind::Names;
use crate::source::pattern::Pattern;
use crate::source::place::{BoundRoot, RootFolder, join};
use crate::source::skills;
use crate::source::wall::shown;
use crate::syntax::write;
use crate::text::measure::thousands;
use crate::world::{Kind, World};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// The most sources of a build that are reported one by one.
const MOST_SOURCES: usize = 20;
/// The most names of a source that a message lists.
const MOST_NAMES: usize = 5;
/// Names of more characters are not compared: that costs the product of their lengths.
const LONGEST: usize = 100;

/// Where the names of what is missing are looked up.
pub(super) struct Lookup<'a> {
    pub(super) world: &'a dyn World,
    /// What is known of the snapshot of this number.
    pub(super) memo: Option<(&'a NearMemo, u64)>,
    /// The root that is searched folder by folder: most of its folders have nothing.
    pub(super) searched: Option<&'a str>,
}

impl<'a> Lookup<'a> {
    pub(super) fn new(world: &'a dyn World) -> Self {
        Self {
            world,
            memo: None,
            searched: None,
        }
    }
}

/// Warns of each source that found nothing (in a `first` of which another member was taken, only where the name is
/// probably misspelt), of files that a listing passes over because of the case of their names, and of each folder that an argument or an environment variable gives to a
/// root and that does not exist; unless the manifest says `missing=` about it.
pub(super) fn warn(
    plan: &Plan,
    bound: &ResolvedInputs,
    loaded: &Loaded<'_>,
    place: &Lookup<'_>,
    diags: &mut Diagnostics,
) {
    let missing_roots = missing_roots(plan, bound, place, diags);
    let records = || loaded.records().map(|record| &record.missing);
    for (node, path) in records()
        .flat_map(|missing| &missing.skipped)
        .take(MOST_SOURCES)
    {
        let message = format!(
            "`{path}` is not listed: the document of a skill is called `{}`",
            skills::FILE
        );
        let found = Diagnostic::warning(MISSING_SOURCE, message).at(*node);
        diags.push(found.help("rename it"));
    }
    let sources = records().flat_map(|missing| missing.unmet());
    let mut sources = sources
        .filter(|(source, _)| !missing_roots.contains(&*source.root))
        .filter(|(source, _)| place.searched != Some(&*source.root))
        .peekable();
    if sources.peek().is_none() {
        return;
    }
    let mut search = NearNames {
        world: place.world,
        looked_for: looked_for(loaded),
        listed: BTreeMap::new(),
        memo: place.memo,
    };
    let mut reported = 0;
    let mut beyond = Vec::new();
    for (source, replaced_by) in sources {
        let Some(root) = bound.roots.get(&*source.root) else {
            continue;
        };
        let Some(message) = message(source, root, &search) else {
            continue;
        };
        if let Some(other) = replaced_by {
            let near = search.near_name(root, source);
            if near.is_some() && reported < MOST_SOURCES {
                let message = format!("{message}, and {} takes its place", other.shown());
                diags.push(with_help(message, source, near));
                reported += 1;
            }
        } else if reported == MOST_SOURCES {
            beyond.push(source.node);
        } else {
            let near = search.near_name(root, source);
            diags.push(with_help(message, source, near));
            reported += 1;
        }
    }
    if let Some(first) = beyond.first() {
        let message = match beyond.len() {
            1 => "another source found nothing".to_owned(),
            more => format!(
                "{} more sources found nothing",
                thousands(&more.to_string())
            ),
        };
        let help = "`promptc explain` shows what each layer looked for";
        diags.push(
            Diagnostic::warning(MISSING_SOURCE, message)
                .at(*first)
                .help(help),
        );
    }
}

/// Whether the root of that name says that it may be missing.
fn is_skipped(plan: &Plan, name: &str) -> bool {
    let declared = roots::declared(&plan.manifest, name);
    let missing = declared.and_then(|root| root.missing.as_ref());
    missing.is_some_and(|missing| missing.value == Missing::Skip)
}

/// Warns of folders of roots that were given and do not exist. Returns the names of roots that have no other folder.
fn missing_roots<'b>(
    plan: &Plan,
    bound: &'b ResolvedInputs,
    place: &Lookup<'_>,
    diags: &mut Diagnostics,
) -> BTreeSet<&'b str> {
    let world = place.world;
    let mut out = BTreeSet::new();
    let origins = bound.root_origins.iter();
    for (name, origin) in origins.filter(|(name, _)| place.searched != Some(name)) {
        let Some(root) = bound.roots.get(name) else {
            continue;
        };
        let declared = roots::declared(&plan.manifest, name);
        if is_skipped(plan, name) {
            continue;
        }
        let given = match origin {
            RootOrigin::Argument(given) => *given,
            RootOrigin::Environment(_) => 1,
        };
        let missing = root.missing_folders(world, given);
        for folder in &missing {
            let by = match origin {
                RootOrigin::Argument(_) => "--root gives".to_owned(),
                RootOrigin::Environment(variable) => {
                    format!("the environment variable {variable} gives")
                }
            };
            let message = format!(
                "the folder `{}`, which {by} the root `{name}`, does not exist",
                shown(&folder.to_string_lossy())
            );
            let place = declared.map(|root| root.name.span);
            let help = match nearest_folder(folder, world) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "create it, or name another; write missing=skip at the root if it may be missing".to_owned(),
            };
            let found = Diagnostic::warning(MISSING_SOURCE, message).help(help);
            diags.push(Diagnostic {
                span: place,
                ..found
            });
        }
        if !missing.is_empty() && missing.len() == root.folders.len() {
            out.insert(name.as_str());
        }
    }
    misspelt_roots(plan, bound, place, &mut out, diags);
    out
}

/// Warns of folders that the manifest gives to a root and that do not exist, where the name of a folder next to them is near;
/// what another program has at home is no slip. Adds the roots that have no other folder to `all`.
fn misspelt_roots<'b>(
    plan: &Plan,
    bound: &'b ResolvedInputs,
    place: &Lookup<'_>,
    all: &mut BTreeSet<&'b str>,
    diags: &mut Diagnostics,
) {
    let written = bound.roots.iter().filter(|(name, _)| {
        !bound.root_origins.contains_key(*name)
            && name.as_str() != roots::TEXT
            && place.searched != Some(name)
            && !is_skipped(plan, name)
    });
    for (name, root) in written {
        let Some(declared) = roots::declared(&plan.manifest, name) else {
            continue;
        };
        if declared.default.iter().any(|d| d.value.starts_with('~')) {
            continue;
        }
        let missing = root.missing_folders(place.world, usize::MAX);
        let mut is_near = false;
        for folder in &missing {
            let Some(near) = nearest_folder(folder, place.world) else {
                continue;
            };
            let mut own = root.folders.iter().map(|own| own.folder.path());
            if own.any(|own| shown(&own.to_string_lossy()) == near) {
                continue;
            }
            is_near = true;
            let message = format!(
                "the folder `{}` of the root `{name}` does not exist",
                shown(&folder.to_string_lossy())
            );
            let found = Diagnostic::warning(MISSING_SOURCE, message).at(declared.name.span);
            diags.push(found.help(format!(
                "did you mean `{near}`? If it may be missing, write missing=skip at the root"
            )));
        }
        if is_near && missing.len() == root.folders.len() {
            all.insert(name.as_str());
        }
    }
}

/// The path next to `folder` that was probably meant.
fn nearest_folder(folder: &Path, world: &dyn World) -> Option<String> {
    let name = folder.file_name()?.to_str()?;
    let above = folder.parent()?;
    let is_here = above.as_os_str().is_empty();
    let entries = world
        .list(if is_here { Path::new(".") } else { above })
        .ok()?;
    let folders = entries.iter().filter(|entry| entry.kind == Kind::Folder);
    let near = nearest(name, folders.filter_map(|entry| entry.name.to_str()))?;
    Some(shown(&above.join(near).to_string_lossy()))
}

/// What is missing; none if all that the source names is there, and only empty.
fn message(source: &MissingSource, root: &BoundRoot, search: &NearNames<'_>) -> Option<String> {
    let in_root = format!("the root `{}`", root.name);
    let names: Vec<&str> = source.names.iter().map(|name| name.path.as_str()).collect();
    let wanted = some_of(&names);
    if !root.folders.iter().any(RootFolder::is_somewhere) {
        // A list of folders without any: it looks for nothing.
        return None;
    }
    let missing_folder = root.missing_folder(search.world);
    Some(match (source.kind.names, &missing_folder) {
        (_, Some(folder)) => format!(
            "{in_root} has no folder `{}`, where {wanted} is looked for",
            shown(&folder.to_string_lossy())
        ),
        (Names::File | Names::Files, None) => {
            let kinds = names
                .iter()
                .filter_map(|name| Some((name, search.kind(root, name)?)));
            match kinds.into_iter().next() {
                Some((name, Kind::Folder)) => {
                    format!("`{name}` in {in_root} is a folder, not a file")
                }
                Some((name, _)) => format!("`{name}` in {in_root} is not a regular file"),
                None => format!("there is no {wanted} in {in_root}"),
            }
        }
        (Names::Folder, None) => match search.kind(root, names.first()?) {
            None => format!("there is no folder {wanted} in {in_root}"),
            Some(Kind::Folder) => {
                format!("there is no {} below {wanted} in {in_root}", skills::FILE)
            }
            Some(_) => format!("{wanted} in {in_root} is not a folder"),
        },
        (Names::Patterns, None) => {
            let (start, rest) = Pattern::parse(names.first()?).ok()?.literal_start();
            if rest.is_none() {
                format!("there is no {wanted} in {in_root}")
            } else if search.kind(root, &start) == Some(Kind::Folder) {
                return None;
            } else {
                format!("there is no folder `{start}` in {in_root}, where {wanted} is looked for")
            }
        }
    })
}

/// The warning, with its place and the name that was probably meant.
fn with_help(
    message: String,
    source: &MissingSource,
    near: Option<(&MissingName, String)>,
) -> Diagnostic {
    let found = Diagnostic::warning(MISSING_SOURCE, message);
    let Some((name, near)) = near else {
        return found
            .at(source.place())
            .help("create it, or write missing=skip here if it may be missing");
    };
    let found = found.help(format!(
        "did you mean `{near}`? If it may be missing, write missing=skip here"
    ));
    match name.written {
        // A brace would stand for a fact.
        Some(span) if !near.contains(['{', '}']) => {
            found.at(span).suggest(span, write::one_line(&near))
        }
        _ => found.at(source.node),
    }
}

impl MissingSource {
    /// Its only name in the manifest, else the whole node.
    fn place(&self) -> Span {
        match self.names.as_slice() {
            [only] => only.written.unwrap_or(self.node),
            _ => self.node,
        }
    }
}

/// "`a`, `b` or `c`", of the first of many.
fn some_of(names: &[&str]) -> String {
    // One more is named, too: it takes no more room than its count.
    let Some(more) = names.len().checked_sub(MOST_NAMES + 2) else {
        return choice(names.iter().copied());
    };
    let shown: Vec<String> = (names.iter().take(MOST_NAMES))
        .map(|name| format!("`{name}`"))
        .collect();
    let more = thousands(&(more + 2).to_string());
    format!("{} or {more} other names", shown.join(", "))
}

/// Roots and paths.
type Paths<'p> = BTreeSet<(&'p str, &'p str)>;

/// The files that the layers read or look for, none of which is a misspelt name of another.
fn looked_for<'l>(loaded: &'l Loaded<'_>) -> Paths<'l> {
    let mut out = BTreeSet::new();
    for record in loaded.records() {
        let unused = record.unused.iter();
        out.extend(unused.map(|unused| (unused.root.as_str(), unused.path.as_str())));
        let read = record.ingredients.iter();
        out.extend(read.filter_map(|ingredient| match ingredient {
            Ingredient::Document { root, path, .. } => Some((root.as_str(), path.as_str())),
            _ => None,
        }));
    }
    out
}

/// Looks for files of similar names next to missing ones.
struct NearNames<'a> {
    world: &'a dyn World,
    looked_for: Paths<'a>,
    /// Names of one kind in a folder of a root.
    listed: BTreeMap<(Arc<str>, String, Kind), Vec<String>>,
    memo: Option<(&'a NearMemo, u64)>,
}

impl NearNames<'_> {
    fn kind(&self, root: &BoundRoot, path: &str) -> Option<Kind> {
        if path.is_empty() {
            return root
                .missing_folder(self.world)
                .is_none()
                .then_some(Kind::Folder);
        }
        let mut folders = root.folders.iter();
        folders.find_map(|folder| folder.kind(self.world, path))
    }

    /// The first name of a source for which another one was probably meant, and that one.
    fn near_name<'s>(
        &mut self,
        root: &BoundRoot,
        source: &'s MissingSource,
    ) -> Option<(&'s MissingName, String)> {
        let memo = self.memo;
        let kind = source.kind.names;
        let mut find = |path: &str| match memo {
            Some((memo, snapshot)) => {
                let key = (source.root.clone(), path.to_owned());
                memo.get(snapshot, key, || self.near_path(root, path, kind))
            }
            None => self.near_path(root, path, kind),
        };
        let names = source.names.iter().take(MOST_SOURCES);
        let mut near = names.filter_map(|name| Some((name, find(&name.path)?)));
        near.next()
    }

    /// The existing path that was probably meant: it has the nearest name in place of the first part that is missing.
    fn near_path(&mut self, root: &BoundRoot, path: &str, names: Names) -> Option<String> {
        let (path, pattern) = match names {
            Names::Patterns => Pattern::parse(path).ok()?.literal_start(),
            Names::File | Names::Files | Names::Folder => (path.to_owned(), None),
        };
        let last = match names {
            Names::File | Names::Files => Kind::File,
            Names::Patterns if pattern.is_none() => Kind::File,
            Names::Folder | Names::Patterns => Kind::Folder,
        };
        let parts: Vec<&str> = path.split('/').collect();
        let is_there = |parts: &&[&str]| self.kind(root, &parts.join("/")).is_some();
        let there = (1..=parts.len())
            .take_while(|n| is_there(&&parts[..*n]))
            .count();
        let (folder, part) = (parts[..there].join("/"), parts.get(there)?);
        let after = &parts[there + 1..];
        let kind = if after.is_empty() { last } else { Kind::Folder };
        let near = self.nearest_in(root, &folder, part, kind)?;
        let near = after.iter().fold(near, |path, part| join(&path, part));
        if self.kind(root, &near)? != last {
            return None;
        }
        Some(pattern.iter().fold(near, |path, rest| join(&path, rest)))
    }

    /// The path of the entry of a folder whose name `part` is probably a slip of.
    fn nearest_in(
        &mut self,
        root: &BoundRoot,
        folder: &str,
        part: &str,
        kind: Kind,
    ) -> Option<String> {
        let key = (root.name.clone(), folder.to_owned(), kind);
        let names = self.listed.entry(key);
        let names = names.or_insert_with(|| root.names(self.world, folder, kind));
        let (stem, extension) = name_parts(part);
        let short = |name: &str| name.chars().count() <= LONGEST;
        let known = names.iter().filter(|other| {
            let (other_stem, other_extension) = name_parts(other);
            short(other)
                && other_extension.eq_ignore_ascii_case(extension)
                // `part1.md` is no slip of `part2.md`.
                && (without_digits(other_stem) != without_digits(stem) || other_stem == stem)
                && is_slip(other_stem, stem)
                && !self.looked_for.contains(&(&*root.name, join(folder, other).as_str()))
        });
        let stems: BTreeMap<&str, &str> =
            known.map(|other| (name_parts(other).0, &**other)).collect();
        let found = nearest(stem, stems.keys().copied())?;
        Some(join(folder, stems.get(found)?))
    }
}

/// The name before its extension, and the extension.
fn name_parts(name: &str) -> (&str, &str) {
    name.rsplit_once('.').unwrap_or((name, ""))
}

fn without_digits(stem: &str) -> String {
    stem.chars().filter(|c| !c.is_ascii_digit()).collect()
}
