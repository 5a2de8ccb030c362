//! The skills of a layer without its prompt: all that its sources find, how each is used, and the files next to them.

use super::Level;
use super::document::filed;
use super::listing::Listing;
use super::loader::{ContentLoader, Context, Position};
use super::scan::Scanned;
use super::skill::{Skill, SkillStatus};
use super::tree::Gathered;
use crate::compile::bind::ResolvedInputs;
use crate::compile::layer_facts::LayerFacts;
use crate::compile::plan::{Layer, Node, Plan};
use crate::compile::record::OriginalText;
use crate::diagnostic::{self as codes, Diagnostic, Diagnostics, ErrorReported, suggest};
use crate::manifest::Order;
use crate::prompt::{Finding, Ingredient, Notice, sha256};
use crate::source::beside;
use crate::source::place::{BoundRoot, Raw, join};
use crate::source::wall::{self, Obstacle};
use crate::text::document::Document;
use crate::text::{SpanKind, Text, normalise};
use crate::world::World;
use std::sync::Arc;

/// The receiver of the skills of a layer.
#[derive(Clone, Copy)]
pub(in crate::compile) struct Asking<'a> {
    pub(in crate::compile) plan: &'a Plan,
    pub(in crate::compile) bound: &'a ResolvedInputs,
    pub(in crate::compile) layer: &'a Layer,
    pub(in crate::compile) world: &'a dyn World,
}

/// The results, and what scans replaced or left out.
type Answer<T> = Result<(T, Vec<Notice>), ErrorReported>;

impl<'a> Asking<'a> {
    /// All skills, in the order in which their sources find them.
    pub(in crate::compile) fn all(self, diags: &mut Diagnostics) -> Answer<Vec<Skill>> {
        self.ask(diags, |loader| loader.all_skills(self.layer))
    }

    /// A file next to a skill.
    pub(in crate::compile) fn beside(
        self,
        skill: &Skill,
        file: &str,
        diags: &mut Diagnostics,
    ) -> Answer<Skill> {
        self.ask(diags, |loader| loader.beside(skill, file))
    }

    /// The files next to a skill, as paths inside its folder.
    pub(in crate::compile) fn files(
        self,
        skill: &Skill,
        diags: &mut Diagnostics,
    ) -> Answer<Vec<String>> {
        self.ask(diags, |loader| loader.other_files(&skill.document))
    }

    fn ask<T>(
        self,
        diags: &mut Diagnostics,
        what: impl FnOnce(&mut ContentLoader<'_>) -> Result<T, ErrorReported>,
    ) -> Answer<T> {
        let Self {
            plan,
            bound,
            layer,
            world,
        } = self;
        let asked = LayerFacts::new(super::answers(plan, bound, world, diags));
        let context = Context {
            plan,
            bound,
            world,
            asked: &asked,
            layer,
        };
        let mut loader = ContentLoader::new(context, diags);
        let answer = what(&mut loader)?;
        Ok((answer, loader.finish().notices))
    }
}

impl ContentLoader<'_> {
    /// Notes the use of an entry, if it is requested.
    pub(super) fn add_skill(
        &mut self,
        listing: Option<&mut Listing<'_>>,
        node: &Node,
        document: &Arc<Document>,
        fate: SkillStatus,
    ) {
        let Some(skills) = listing.and_then(|listing| listing.skills.as_mut()) else {
            return;
        };
        skills.push(Skill {
            findings: self.findings(document),
            document: document.clone(),
            fate,
            source: node.span,
        });
    }

    fn findings(&self, document: &Document) -> Vec<Finding> {
        let all = &self.record.ingredients;
        match document.ingredient.and_then(|i| all.get_own(i)) {
            Some(Ingredient::Document { findings, .. }) => findings.clone(),
            _ => Vec::new(),
        }
    }

    /// All skills of the layer. Conditions of the layer and around its sources are not evaluated.
    fn all_skills(&mut self, layer: &Layer) -> Result<Vec<Skill>, ErrorReported> {
        let mut skills = Vec::new();
        for node in layer.contents() {
            self.skills_below(node, Position::default(), &mut skills)?;
        }
        Ok(skills)
    }

    fn skills_below(
        &mut self,
        node: &Node,
        at: Position<'_>,
        skills: &mut Vec<Skill>,
    ) -> Result<(), ErrorReported> {
        if let Some(reading) = node.kind.reading().filter(|r| r.kind.is_listed()) {
            let mut rest = Gathered::default();
            let read = self.read(node, reading, at, Some(skills), &mut rest);
            return read.map(drop);
        }
        let members = node.kind.members();
        if members.is_empty() {
            return Ok(());
        }
        let Some(climb) = &node.climb else {
            return (members.iter()).try_for_each(|m| self.skills_below(m, at, skills));
        };
        let root = self.root(node)?;
        let order = climb.every.unwrap_or(Order::InnerFirst);
        for folder in self.levels_in(node, root, order, at)? {
            let level = Level::of(root, folder);
            (members.iter()).try_for_each(|m| self.skills_below(m, at.inside(&level), skills))?;
            if !skills.is_empty() && climb.every.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// A file next to a skill, with its text unchanged, or a placeholder for it.
    fn beside(&mut self, skill: &Skill, file: &str) -> Result<Skill, ErrorReported> {
        let (layer, document) = (self.context.layer, &skill.document);
        let node = layer.nodes().find(|n| n.span == skill.source);
        let Some(node) = node else {
            return Err(self.no_such_file(document, file, &[]));
        };
        let root = self.root(node)?;
        let raw = match self.raw_file(root, document, file) {
            Ok(Some(raw)) => raw,
            Ok(None) => {
                let there = self.other_files(document).unwrap_or_default();
                return Err(self.no_such_file(document, file, &there));
            }
            Err(obstacle) => {
                let found = Diagnostic::error(obstacle.code(), obstacle.to_string());
                return Err(self.report(found.help("name a file inside of the skill's folder")));
            }
        };
        let mut document = self.as_it_is(root, &raw)?;
        if self.scanned(node, &mut document)? == Scanned::Dropped {
            let message = format!("`{}` is left out by a scan", document.path);
            let found = Diagnostic::error(codes::SCAN_REFUSED, message).at(node.span);
            return Err(self.report(found.help("change the file, or what the scan does on a hit")));
        }
        Ok(Skill {
            findings: self.findings(&document),
            document: Arc::new(document),
            fate: SkillStatus::Listed,
            source: skill.source,
        })
    }

    fn raw_file(
        &self,
        root: &BoundRoot,
        skill: &Document,
        file: &str,
    ) -> Result<Option<Raw>, Obstacle> {
        wall::inside(file)?;
        let path = join(&skill.dir, file);
        let Some(folder) = root.folders.get(skill.root_index) else {
            return Ok(None);
        };
        let bytes = folder.read(self.context.world, &path)?;
        Ok(bytes.map(|bytes| Raw {
            root: root.name.clone(),
            root_index: skill.root_index,
            path,
            bytes,
        }))
    }

    /// A file of which no byte is changed.
    fn as_it_is(&mut self, root: &BoundRoot, raw: &Raw) -> Result<Document, ErrorReported> {
        let text = normalise::decode(raw.bytes.clone()).map_err(|offset| {
            let message = format!("`{}` is not UTF-8: byte {offset} is invalid", raw.path);
            let found = Diagnostic::error(codes::INVALID_UTF8, message);
            self.report(found.help("save it as UTF-8, or name another file"))
        })?;
        let chars = text.chars().count();
        let ingredient = self.record.ingredients.add(Ingredient::Document {
            root: raw.root.to_string(),
            base: raw.base(),
            path: raw.path.clone(),
            sha256: sha256(&raw.bytes),
            bytes: raw.bytes.len(),
            chars,
            kept: chars,
            dropped: 0,
            imported_by: None,
            item: None,
            findings: Vec::new(),
        });
        let text: Arc<str> = text.into();
        let place = || OriginalText::Document(text.clone());
        self.record.place(ingredient, place);
        Ok(Document {
            ingredient: Some(ingredient),
            total: chars,
            text: Text::new(text, SpanKind::Document, Some(ingredient), 0),
            ..filed(root, raw)
        })
    }

    /// The files next to a skill, as paths inside its folder.
    fn other_files(&mut self, skill: &Document) -> Result<Vec<String>, ErrorReported> {
        let Some(folder) = self.context.bound.folder_of(skill) else {
            return Ok(Vec::new());
        };
        let found = beside::files(self.context.world, folder, &skill.dir);
        found.map_err(|obstacle| self.report(obstacle.diagnostic()))
    }

    fn no_such_file(&mut self, skill: &Document, file: &str, there: &[String]) -> ErrorReported {
        let name = skill.name.escape_debug();
        let message = format!("the skill `{name}` has no file `{file}`");
        let found = Diagnostic::error(codes::MISSING_FILE, message);
        let names = || there.iter().map(String::as_str);
        self.report(match suggest::nearest(file, names()) {
            Some(near) => found.help(format!("did you mean `{near}`?")),
            None if there.is_empty() => found.help("its folder has no other file"),
            None => found.help(format!("its folder has {}", suggest::list(names()))),
        })
    }
}
