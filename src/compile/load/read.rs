//! Sources that read files: where they look, and what they find.

use super::listing::Listing;
use super::loader::{ContentLoader, Missed, Position};
use super::skill::Skill;
use super::tree::Gathered;
use crate::compile::plan::{Climb, Node};
use crate::compile::roots::{LookupRank, TEXT};
use crate::diagnostic::span::Span;
use crate::diagnostic::{self as codes, Diagnostic, ErrorReported, suggest};
use crate::manifest::{Missing, Order, Reading};
use crate::prompt::{Unused, UnusedReason};
use crate::source::kind::{Makes, ReadRequest};
use crate::source::place::{BoundRoot, Raw, Read, Wanted};
use crate::source::walk;
use crate::source::wall::Obstacle;
use crate::text::document::Document;
use crate::world::{self, World};
use std::path::PathBuf;
use std::sync::Arc;

/// After how many bad entries the rest is not looked at.
const MOST_FAILED: usize = 20;

impl<'a> ContentLoader<'a> {
    /// The documents of a source that reads files. Other results go to `out`, and the use of each skill to `skills`, if
    /// it is requested.
    pub(super) fn read(
        &mut self,
        node: &Node,
        reading: &Reading,
        at: Position<'_>,
        skills: Option<&mut Vec<Skill>>,
        out: &mut Gathered,
    ) -> Result<Vec<Arc<Document>>, ErrorReported> {
        let root = self.root(node)?;
        let (read, names, mut listing) = self.look(node, reading, root, at)?;
        if let Some(listing) = &mut listing {
            listing.skills = skills;
        }
        self.search.looked = true;
        self.search.found |= !read.found.is_empty();
        let levels = (at.every && node.climb.is_none()).then_some(&mut out.levels);
        for path in &read.other_case {
            self.record.missing.skip(node.span, path);
        }
        if node.missing.is_none() {
            let place = (node.span, node.root.as_ref().unwrap_or(&root.name));
            self.record.missing.note(place, reading, &names, &read);
        }
        let required = node.missing == Some(Missing::Error);
        let world = self.context.world;
        let stands = |path: &String| {
            let mut folders = root.folders.iter();
            let kind = folders.find_map(|folder| folder.kind(world, path))?;
            (kind != world::Kind::File).then(|| (path.clone(), kind))
        };
        let missed = || Missed {
            root: root.name.clone(),
            names: read.unused.iter().map(|u| u.path.clone()).collect(),
            facts: reading
                .names
                .iter()
                .map(|name| name.written().to_owned())
                .collect(),
            stands: (required.then_some(&read.unused).into_iter().flatten())
                .find_map(|unused| stands(&unused.path)),
            missing_folder: required.then(|| root.missing_folder(world)).flatten(),
            required,
        };
        match (levels, read.found.is_empty()) {
            (Some(levels), true) => levels.missed.push((node.span, missed())),
            (None, true) if !at.higher => self.missing(node.span, &missed())?,
            (None, true) => {}
            (levels, false) => {
                if let Some(levels) = levels {
                    levels.met.insert(node.span);
                }
                for unused in &read.unused {
                    if unused.reason == UnusedReason::Missing {
                        self.search.wanted.push(unused.path.clone());
                    }
                    self.record
                        .unused(&unused.root, &unused.path, unused.reason);
                }
            }
        }
        self.documents(
            (node, reading, root),
            read.found,
            listing,
            &mut out.capacity,
        )
    }

    /// The documents of the files that a source found.
    fn documents(
        &mut self,
        (node, reading, root): (&Node, &Reading, &BoundRoot),
        found: Vec<Raw>,
        mut listing: Option<Listing<'_>>,
        capacity: &mut Option<usize>,
    ) -> Result<Vec<Arc<Document>>, ErrorReported> {
        let mut documents = Vec::new();
        let mut failed = Vec::new();
        for raw in found {
            self.keeps_text(node, root, &raw)?;
            let read = match reading.kind.makes {
                Makes::Entries(split) => self.entries(node, (reading, split), root, raw, capacity),
                Makes::Document | Makes::Data(_) | Makes::Listed => {
                    let document = self.document(node, root, raw, listing.as_mut());
                    document.map(|d| d.into_iter().collect())
                }
            };
            match read {
                Ok(read) => documents.extend(read),
                // There are many entries, and the errors of all are reported in the same run.
                Err(reported) if listing.is_some() && failed.len() < MOST_FAILED => {
                    failed.push(reported);
                }
                Err(reported) => return Err(reported),
            }
        }
        if node.missing.is_none()
            && let Some(listing) = &listing
        {
            self.misspelt_entries(node, listing);
        }
        match failed.pop() {
            Some(reported) => Err(reported),
            None => Ok(documents),
        }
    }

    /// Reports a sentence that an overlay or `--root` would put into a locked layer.
    fn keeps_text(
        &mut self,
        node: &Node,
        root: &BoundRoot,
        raw: &Raw,
    ) -> Result<(), ErrorReported> {
        let Some(lock) = self.context.layer.lock.filter(|_| &*root.name == TEXT) else {
            return Ok(());
        };
        // The last folder is inside the program.
        let all = root.folders.len() - 1;
        let found = LookupRank::in_text(&self.context.plan.manifest, raw.root_index, all);
        if !lock.refuses_found(found) {
            return Ok(());
        }
        let folder = root.folders.get(raw.root_index).map(|f| &f.folder);
        let path = folder.map_or_else(PathBuf::new, |folder| folder.path().join(&raw.path));
        let path = path.display().to_string();
        let found = lock.taken(&self.context.layer.name, &path, node.span);
        Err(self.report(found))
    }

    /// Writes down that a source found nothing.
    pub(super) fn missing(&mut self, span: Span, missed: &Missed) -> Result<(), ErrorReported> {
        for name in &missed.names {
            self.search.wanted.push(name.clone());
            self.record
                .unused(&missed.root, name, UnusedReason::Missing);
        }
        if !missed.required {
            return Ok(());
        }
        let (root, names) = (&missed.root, missed.names.iter().map(String::as_str));
        let (message, help) = match (missed.names.is_empty(), &missed.stands) {
            (false, Some((name, kind))) => (
                format!(
                    "`{name}` in the root `{root}` {}",
                    match kind {
                        world::Kind::Folder => "is a folder",
                        _ => "is not a regular file",
                    }
                ),
                "put a file in its place, or write missing=skip here",
            ),
            (false, None) => (
                match &missed.missing_folder {
                    Some(folder) => format!(
                        "the root `{root}` has no folder `{}`, where {} is looked for",
                        folder.display(),
                        suggest::choice(names)
                    ),
                    None => format!(
                        "there is no {} in the root `{root}`",
                        suggest::choice(names)
                    ),
                },
                "create it, or write missing=skip here",
            ),
            // A fact in place of a name is missing, or a list without items.
            (true, _) => (
                format!(
                    "{} names nothing in the root `{root}`",
                    suggest::choice(missed.facts.iter().map(String::as_str))
                ),
                "give the fact a value, or write missing=skip here",
            ),
        };
        let found = Diagnostic::error(codes::MISSING_FILE, message).at(span);
        Err(self.report(found.help(help)))
    }

    /// The files of a source: at the nearest level that has some, or at each.
    fn look<'s>(
        &mut self,
        node: &Node,
        reading: &Reading,
        root: &BoundRoot,
        at: Position<'_>,
    ) -> Result<(Read, Vec<Wanted>, Option<Listing<'s>>), ErrorReported> {
        let names = self.names(reading)?;
        let exclude = self.excludes(&reading.choice.exclude)?;
        let every = node.climb.as_ref().and_then(|c| c.every);
        let levels = match every {
            Some(order) => self.levels_in(node, root, order, at)?,
            None => self.levels(node, root, at)?,
        };
        let listing = if reading.kind.is_listed() {
            Some(self.listing(reading, &names, &levels)?)
        } else {
            None
        };
        let look = |world: &dyn World, level: &str| {
            (reading.kind.read)(&ReadRequest {
                world,
                root,
                level,
                names: &names,
                exclude: &exclude,
            })
        };
        let read = match every {
            Some(_) => self.look_at_all(&levels, reading.kind.names.all_count(), look),
            None => self.look_up(&levels, look),
        };
        match read {
            Ok(mut read) => {
                // Below the top of a root each folder may have other names.
                if levels.iter().any(|level| !level.is_empty()) {
                    read.passed.clear();
                }
                Ok((read, names, listing))
            }
            Err(obstacle) => Err(self.report(obstacle.diagnostic().at(node.span))),
        }
    }

    /// All levels. A name that is missing at one and found at another was found; with `all_count` each name must be
    /// found, else one is enough.
    fn look_at_all(
        &self,
        levels: &[String],
        all_count: bool,
        look: impl Fn(&dyn World, &str) -> Result<Read, Obstacle>,
    ) -> Result<Read, Obstacle> {
        let mut out = Read::default();
        let mut missing: Option<Vec<Unused>> = None;
        for (nth, level) in levels.iter().enumerate() {
            let mut read = look(self.context.world, level)?;
            if nth == 0 {
                out.missing = read.missing;
            } else {
                out.missing.retain(|at| read.missing.contains(at));
            }
            let here = !read.found.is_empty();
            let vain = |u: &Unused| u.reason == UnusedReason::Missing && (all_count || !here);
            let (vain, told): (Vec<_>, Vec<_>) = read.unused.into_iter().partition(vain);
            out.found.append(&mut read.found);
            out.other_case.append(&mut read.other_case);
            out.unused.extend(told);
            match &mut missing {
                None => missing = Some(vain),
                Some(missing) => missing.retain(|u| vain.contains(u)),
            }
        }
        out.unused.extend(missing.unwrap_or_default());
        Ok(out)
    }

    /// The first level at which something is found.
    fn look_up(
        &self,
        levels: &[String],
        look: impl Fn(&dyn World, &str) -> Result<Read, Obstacle>,
    ) -> Result<Read, Obstacle> {
        let mut last = Read::default();
        for level in levels {
            last = look(self.context.world, level)?;
            if !last.found.is_empty() {
                break;
            }
        }
        Ok(last)
    }

    /// The folders inside the root at which a node reads, all of which count.
    pub(super) fn levels_in(
        &mut self,
        node: &Node,
        root: &BoundRoot,
        order: Order,
        at: Position<'_>,
    ) -> Result<Vec<String>, ErrorReported> {
        let mut levels = self.levels(node, root, at)?;
        if order == Order::OuterFirst {
            levels.reverse();
        }
        Ok(levels)
    }

    /// The folders inside the root at which a node reads, nearest first.
    pub(super) fn levels(
        &mut self,
        node: &Node,
        root: &BoundRoot,
        at: Position<'_>,
    ) -> Result<Vec<String>, ErrorReported> {
        let Some(Climb { from, .. }) = &node.climb else {
            return Ok(vec![at.folder_in(root)]);
        };
        let levels = self.climbed(from, root);
        levels.map_err(|obstacle| self.report(obstacle.diagnostic().at(node.span)))
    }

    /// The folders inside the root from the one of the root `from` up, nearest first. A root with a missing folder is
    /// treated as an empty one.
    pub(super) fn climbed(&self, from: &str, root: &BoundRoot) -> Result<Vec<String>, Obstacle> {
        let start = self.context.bound.roots.get(from);
        let mut levels: Vec<String> = Vec::new();
        let mut outside = None;
        for start in start.into_iter().flat_map(BoundRoot::tops) {
            let mut nearest: Option<Vec<String>> = None;
            for top in root.tops() {
                match walk::climb(self.context.world, top, start) {
                    Ok(way) if way.is_empty() => {}
                    Ok(way) if nearest.as_ref().is_some_and(|n| n.len() <= way.len()) => {}
                    Ok(way) => nearest = Some(way),
                    Err(obstacle) => outside = outside.or(Some(obstacle)),
                }
            }
            for level in nearest.into_iter().flatten() {
                if !levels.contains(&level) {
                    levels.push(level);
                }
            }
        }
        if let Some(obstacle) = outside.filter(|_| levels.is_empty()) {
            return Err(obstacle);
        }
        if levels.is_empty() {
            levels.push(String::new());
        }
        Ok(levels)
    }

    pub(super) fn root(&mut self, node: &Node) -> Result<&'a BoundRoot, ErrorReported> {
        let bound = self.context.bound;
        let root = node.root.as_deref().and_then(|name| bound.roots.get(name));
        match root {
            Some(root) => Ok(root),
            // The plan gives every reading node a root that is declared.
            None => Err(self.report(
                Diagnostic::error(codes::UNKNOWN_ROOT, "this source has no root").at(node.span),
            )),
        }
    }
}
