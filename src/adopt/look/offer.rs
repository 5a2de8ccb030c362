//! The choice of layers from a folder: each file is built alone first, and no text is used twice.

use super::LeftOut;
use super::draft::{self, Layer};
use super::ignored::Ignored;
use super::known::{Form, KNOWN, Role, What};
use super::skills::{self, Except, Skills};
use super::trial;
use crate::prompt::{self, Deliver, Ingredient};
use crate::request::emit::tools;
use crate::source::wall::{self, Folder};
use crate::world::{Kind, World, is_missing};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The largest file that is taken, in bytes. No model reads more.
const LARGEST: u64 = 1024 * 1024;
/// The most words of a line that says no more than where the rules are.
const MOST_WORDS: usize = 6;
/// The delimiter of the entries of a memory.
const ENTRIES: &str = "\n§\n";

/// A layer that was built alone.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) layer: Layer,
    /// Where it is, links resolved.
    place: PathBuf,
    /// The text that it builds to.
    text: String,
    /// The documents that it is made from.
    documents: Vec<String>,
    /// The tools that it defines.
    tools: Vec<String>,
    /// The skills that it lists.
    skills: Vec<Skill>,
}

/// A skill that is listed.
#[derive(Debug)]
struct Skill {
    /// The path of its document.
    path: String,
    /// Where its document is, links resolved.
    file: PathBuf,
    /// The document's name in the list, and the hash of its text.
    document: (Option<String>, String),
}

impl Taken {
    fn path(&self) -> &str {
        self.layer.paths.first().map_or("", String::as_str)
    }

    /// Whether its text is that of files, which may be part of others.
    fn is_prose(&self) -> bool {
        !matches!(self.layer.form, Form::Tools | Form::Skills)
    }
}

/// The candidates that are used so far, and those that are not.
pub(super) struct Offers<'a> {
    pub(super) world: &'a dyn World,
    /// The folder, and its canonical path.
    pub(super) root: &'a Folder,
    pub(super) top: &'a Path,
    /// What git ignores in it.
    pub(super) ignored: &'a Ignored,
    pub(super) taken: Vec<Taken>,
    pub(super) left_out: Vec<LeftOut>,
}

impl Offers<'_> {
    /// Takes what a layer reads, if it is there and says something that the others do not say.
    pub(super) fn offer(&mut self, layer: Layer) {
        let path = layer.paths.first().cloned().unwrap_or_default();
        let taken = self
            .place(&path, layer.form)
            .and_then(|place| place.map(|place| self.settled(layer, place)).transpose());
        if let Err(reason) = taken {
            self.left_out.push(LeftOut::new(path, reason));
        }
    }

    /// Where a file or folder is; none if there is none.
    fn place(&self, path: &str, form: Form) -> Result<Option<PathBuf>, String> {
        if form != Form::Skills {
            return wall::find(self.world, self.root, path).map_err(|o| o.to_string());
        }
        let place = match self.world.canonical(&self.top.join(path)) {
            Ok(place) => place,
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return Err(format!("it cannot be read: {}", error.kind())),
        };
        if !place.starts_with(self.top) {
            return Err("it is a link that leads out of the folder".to_owned());
        }
        let is_folder = self.world.kind(&place).is_ok_and(|k| k == Kind::Folder);
        Ok(is_folder.then_some(place))
    }

    /// Adds a layer, or says why not.
    fn settled(&mut self, mut layer: Layer, place: PathBuf) -> Result<(), String> {
        if let Some(same) = self.taken.iter().find(|taken| taken.place == place) {
            return Err(format!("it is the same as {}, by a link", same.path()));
        }
        if layer.form == Form::Skills {
            return self.skills(layer, place);
        }
        let text = self.read(&place)?;
        if layer.role == Role::Memory && text.contains(ENTRIES) {
            layer.form = Form::Entries;
        }
        let new = self.with_imports(layer, place)?;
        if new.layer.form != Form::Tools {
            return self.prose(new);
        }
        self.none_twice(&new)?;
        self.taken.push(new);
        Ok(())
    }

    /// Adds the skills in a folder that are not listed yet.
    fn skills(&mut self, mut layer: Layer, place: PathBuf) -> Result<(), String> {
        let base = layer.paths[0].clone();
        let root = (self.root, self.top);
        let mut found = Skills::find(self.world, root, self.ignored, &base)?;
        // The folders that have the same skills.
        let mut others = BTreeSet::new();
        let files = found
            .listed()
            .map(|hit| (hit.file.clone(), hit.path.clone()))
            .collect();
        let linked = |same: &str| format!("it is the same as {same}, by a link");
        let both = (&mut found, &mut others);
        self.drop_same(files, |skill| skill.file.clone(), linked, both);
        if found.listed().next().is_some() {
            layer.except.insert(base.clone(), found.except());
            if self.tried(layer.clone(), place.clone()).is_err() {
                self.drop_unbuildable(&layer, &place, &mut found);
            }
        }
        let mut new = None;
        // Copies are known by what is built from them; without them it is built again.
        for _ in 0..2 {
            if let Some(reason) = found.reason(&others) {
                return Err(reason);
            }
            layer.except.insert(base.clone(), found.except());
            let mut tried = self.tried(layer.clone(), place.clone())?;
            // A document that a condition rules out is read too.
            tried.skills.retain(|skill| found.lists(&skill.path));
            let documents = tried
                .skills
                .iter()
                .map(|s| (s.document.clone(), s.path.clone()))
                .collect();
            let copied = |same: &str| format!("it has the same text as {same}");
            let both = (&mut found, &mut others);
            let is_done = !self.drop_same(documents, |s| s.document.clone(), copied, both);
            new = Some(tried);
            if is_done {
                break;
            }
        }
        self.left_out.extend(found.left_out());
        self.taken.extend(new);
        Ok(())
    }

    /// Drops the skills of which an earlier one has the same `key`; says whether there are any.
    fn drop_same<K: Ord>(
        &self,
        new: Vec<(K, String)>,
        key: impl Fn(&Skill) -> K,
        say: impl Fn(&str) -> String,
        (found, others): (&mut Skills, &mut BTreeSet<String>),
    ) -> bool {
        let mut first = BTreeMap::new();
        for taken in &self.taken {
            for skill in &taken.skills {
                let known = (skill.path.clone(), Some(taken.path().to_owned()));
                first.entry(key(skill)).or_insert(known);
            }
        }
        let mut is_any = false;
        for (key, path) in new {
            match first.entry(key) {
                Entry::Occupied(entry) => {
                    let (same, base) = entry.get();
                    others.extend(base.clone());
                    found.drop(&path, say(skills::folder(same)));
                    is_any = true;
                }
                Entry::Vacant(entry) => _ = entry.insert((path, None)),
            }
        }
        is_any
    }

    /// Drops skills that cannot be built alone.
    fn drop_unbuildable(&self, layer: &Layer, place: &Path, found: &mut Skills) {
        let listed: Vec<_> = found.listed().cloned().collect();
        for hit in listed {
            let folder = skills::folder(&hit.path).to_owned();
            let below = Except {
                folders: vec!["*".to_owned()],
                documents: Vec::new(),
            };
            let alone = Layer {
                paths: vec![folder.clone()],
                except: BTreeMap::from([(folder, below)]),
                ..layer.clone()
            };
            if let Err(reason) = self.tried(alone, place.to_owned()) {
                found.drop(&hit.path, reason);
            }
        }
    }

    /// The text of a file, if it is one that a prompt may hold.
    fn read(&self, place: &Path) -> Result<String, String> {
        let read = self.world.read_found(place, LARGEST);
        let bytes = read.map_err(|error| format!("it cannot be read: {}", error.kind()))?;
        if bytes.len() as u64 > LARGEST {
            return Err("it is larger than 1 MiB".to_owned());
        }
        String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
    }

    /// Builds a layer alone; without its imports where they are too much, or cannot be read.
    fn with_imports(&self, layer: Layer, place: PathBuf) -> Result<Taken, String> {
        if layer.form != Form::Imports {
            return self.tried(layer, place);
        }
        match self.tried(layer.clone(), place.clone()) {
            Ok(new) if new.text.len() as u64 <= LARGEST && !self.imports_left_out(&new) => Ok(new),
            _ => self.tried(layer.plain(), place),
        }
    }

    /// Whether it imports a file that belongs to no prompt, or that git ignores: one person's own.
    fn imports_left_out(&self, new: &Taken) -> bool {
        let is_left = |path: &str| {
            let known = KNOWN.iter().find(|known| known.path == path);
            known.is_some_and(|known| matches!(known.what, What::Left(_)))
        };
        let imported = new.documents.iter().filter(|path| *path != new.path());
        imported
            .into_iter()
            .any(|path| is_left(path) || self.ignored.any(path, false))
    }

    /// Builds a layer alone.
    fn tried(&self, layer: Layer, place: PathBuf) -> Result<Taken, String> {
        let manifest = draft::manifest(std::slice::from_ref(&layer), &[]);
        let (prompt, _) = trial::build(self.world, self.root.path(), &manifest)?;
        let Some((channel, built)) = prompt.layer(&layer.name) else {
            return Err(match layer.form {
                Form::Skills => "it has no SKILL.md".to_owned(),
                _ => "it is blank".to_owned(),
            });
        };
        let mut names = Vec::new();
        if layer.form == Form::Tools {
            let none = || "it is not a list of tool definitions".to_owned();
            let tools = tools::read(prompt.channel(Deliver::Tools)).map_err(|_| none())?;
            let groups = || tools.tiers.iter();
            if groups().all(|group| group.functions.is_empty() && group.foreign.is_empty()) {
                return Err(none());
            }
            names.extend(groups().flat_map(|g| &g.functions).map(|t| t.name.clone()));
        }
        Ok(Taken {
            text: channel.text[built.start..built.end].to_owned(),
            skills: self.listed(built, layer.form),
            documents: trial::documents(built),
            tools: names,
            layer,
            place,
        })
    }

    /// The skills of a layer that was built.
    fn listed(&self, built: &prompt::Layer, form: Form) -> Vec<Skill> {
        let skill = |one: &Ingredient| match one {
            Ingredient::Document {
                path, item, sha256, ..
            } => Some(Skill {
                path: path.clone(),
                file: wall::find(self.world, self.root, path).ok()??,
                document: (item.clone(), sha256.clone()),
            }),
            _ => None,
        };
        let ingredients = built.ingredients.iter().filter(|_| form == Form::Skills);
        ingredients.filter_map(skill).collect()
    }

    /// Fails if a tool of these is defined already.
    fn none_twice(&self, new: &Taken) -> Result<(), String> {
        for taken in &self.taken {
            if let Some(twice) = new.tools.iter().find(|tool| taken.tools.contains(tool)) {
                let path = taken.path();
                return Err(format!("{path} defines a tool `{twice}` already"));
            }
        }
        Ok(())
    }

    /// Adds a text, in place of those that it contains.
    fn prose(&mut self, new: Taken) -> Result<(), String> {
        for taken in self.taken.iter().filter(|taken| taken.is_prose()) {
            if is_part_of(&new.text, &taken.text) {
                return Err(why(&new, taken));
            }
            if new.layer.role == Role::Rules && points_to(&new.text, taken.path()) {
                return Err(format!("it only points to {}", taken.path()));
            }
        }
        let is_inside = |taken: &Taken| {
            let same = taken.is_prose() && taken.layer.role == new.layer.role;
            same && is_part_of(&taken.text, &new.text)
        };
        let brings = |taken: &Taken| taken.documents.iter().any(|d| new.documents.contains(d));
        let mut others = self.taken.iter().filter(|taken| !is_inside(taken));
        if new.layer.form == Form::Imports && others.any(brings) {
            // It imports a file that is in the prompt for another reason: the line with the `@` stays unchanged.
            let plain = self.tried(new.layer.plain(), new.place)?;
            return self.prose(plain);
        }
        let (inside, others) = std::mem::take(&mut self.taken)
            .into_iter()
            .partition::<Vec<_>, _>(is_inside);
        self.taken = others;
        let reasons = inside
            .iter()
            .map(|old| LeftOut::new(old.path(), why(old, &new)));
        self.left_out.extend(reasons);
        self.taken.push(new);
        Ok(())
    }
}

/// The reason to skip a text that another one contains.
fn why(inner: &Taken, outer: &Taken) -> String {
    let (own, other) = (inner.path(), outer.path());
    if outer.documents.iter().any(|d| d == own) {
        format!("{other} imports it")
    } else if inner.documents.iter().any(|d| d == other) {
        format!("it only imports {other}")
    } else if inner.text == outer.text {
        format!("it has the same text as {other}")
    } else {
        format!("its text is in {other}")
    }
}

/// Whether whole lines of `outer` are `inner`.
fn is_part_of(inner: &str, outer: &str) -> bool {
    let mut found = outer.match_indices(inner);
    found.any(|(at, _)| {
        let (before, after) = (&outer[..at], &outer[at + inner.len()..]);
        let starts = before.is_empty() || before.ends_with('\n');
        starts && (after.is_empty() || after.starts_with('\n'))
    })
}

/// Whether a text is nothing but a short line that names `path`, such as `See [the rules](AGENTS.md)`, below headings.
fn points_to(text: &str, path: &str) -> bool {
    let is_said = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    let mut said = text.lines().filter(is_said);
    match (said.next(), said.next()) {
        (Some(line), None) => line.contains(path) && line.split_whitespace().count() <= MOST_WORDS,
        _ => false,
    }
}
