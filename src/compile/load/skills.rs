//! Skills: what makes a document an entry, and which entries are listed.

use super::listing::{Listing, Names};
use super::loader::ContentLoader;
use super::skill::SkillStatus;
use crate::compile::plan::{Kind, Node};
use crate::diagnostic::suggest::is_slip;
use crate::diagnostic::{Diagnostic, ErrorReported, MISSING_SOURCE};
use crate::manifest::{Lit, Reading};
use crate::prompt::Ingredient;
use crate::source::pattern::Name;
use crate::source::place::Wanted;
use crate::source::skills::{bases, place};
use crate::template;
use crate::text::document::{Document, Entry};
use crate::text::{Json, SpanKind, Text, TextBuf, normalise};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

impl ContentLoader<'_> {
    /// The settings of the manifest and the facts for the entries of a source, which are below `names` at some levels
    /// of its root.
    pub(super) fn listing<'s>(
        &mut self,
        reading: &Reading,
        names: &[Wanted],
        levels: &[String],
    ) -> Result<Listing<'s>, ErrorReported> {
        let allow = self.patterns(&reading.choice.allow)?;
        let deny = self.patterns(&reading.choice.deny)?.unwrap_or_default();
        let bases = levels
            .iter()
            .flat_map(|level| bases(names, level))
            .collect();
        Ok(Listing {
            bases,
            allow,
            deny,
            listed: BTreeMap::new(),
            found: BTreeSet::new(),
            skills: None,
        })
    }

    /// The patterns of the arguments; none if there are none, or only missing facts.
    fn patterns(&mut self, lits: &[Lit<String>]) -> Result<Option<Names>, ErrorReported> {
        let mut out: Option<Names> = None;
        for lit in lits {
            let names = self.strings(std::slice::from_ref(lit))?;
            let written = match lit {
                Lit::Value(_) => true,
                Lit::Fact(name) => self.context.bound.value(&name.value).is_some(),
            };
            if written {
                out.get_or_insert_default();
            }
            for name in names {
                let pattern = Name::of_text(&name)
                    .map_err(|obstacle| self.report(obstacle.diagnostic().at(lit.span())))?;
                let names = out.get_or_insert_default();
                match pattern.literal() {
                    Some(plain) => _ = names.plain.insert(plain),
                    None => names.patterns.push(pattern),
                }
            }
        }
        Ok(out)
    }

    /// Warns of names of `allow` and `deny` that no entry has, and that are probably slips of one that is in neither.
    pub(super) fn misspelt_entries(&mut self, node: &Node, listing: &Listing<'_>) {
        let none = Names::default();
        let (allow, deny) = (listing.allow.as_ref().unwrap_or(&none), &listing.deny);
        for (word, names) in [("allow", allow), ("deny", deny)] {
            for name in names
                .plain
                .iter()
                .filter(|n| !listing.found.contains(&***n))
            {
                // What is denied may well be allowed by its name.
                let is_free = |f: &&Arc<str>| !names.have(f) && !deny.have(f);
                let free = listing.found.iter().filter(is_free);
                let Some(near) = free.map(|f| &**f).find(|found| is_slip(found, name)) else {
                    continue;
                };
                let message = format!("`{word}` names `{name}`, and no skill here is called that");
                let warning = Diagnostic::warning(MISSING_SOURCE, message).at(node.span);
                self.report(warning.help(format!(
                    "did you mean `{near}`? If it may be missing, write missing=skip at the source"
                )));
            }
        }
    }

    /// Makes a document the entry of a skill.
    pub(super) fn entry(&mut self, node: &Node, document: &mut Document, listing: &Listing<'_>) {
        let (folder, category) = place(&document.path, &listing.bases, &document.root);
        let yaml11 = node.steps.frontmatter.is_some_and(|rule| rule.yaml11);
        let name = match document.meta.get("name") {
            Some(value) => named(value, yaml11),
            None => None,
        };
        let from_front = name.is_some();
        let name: Arc<str> = name.unwrap_or_else(|| folder.to_owned()).into();
        let own = |key: &str, value: &str| match document.meta_texts.get(key) {
            Some(text) if text.as_str() == value => text.clone(),
            _ => Text::new(value, SpanKind::Derived, document.ingredient, 0),
        };
        let description = match document.meta.get("description").and_then(Json::as_text) {
            Some(description) => own("description", description),
            None => Text::default(),
        };
        let entry = Entry {
            name: if from_front {
                own("name", &name)
            } else {
                Text::new(name.clone(), SpanKind::Derived, document.ingredient, 0)
            },
            folder: folder.into(),
            category: category.into(),
            description,
        };
        let item = document.ingredient;
        if let Some(Ingredient::Document { item, .. }) =
            item.and_then(|i| self.record.ingredients.get_own_mut(i))
        {
            *item = Some(name.to_string());
        }
        if document.own_label.is_none() {
            document.label = name.clone();
        }
        document.name = name;
        document.entry = Some(Arc::new(entry));
    }

    /// Why a document that counts is not listed, if it is not.
    pub(super) fn unlisted(
        &mut self,
        node: &Node,
        document: &Arc<Document>,
        listing: Option<&Listing<'_>>,
    ) -> Result<Option<SkillStatus>, ErrorReported> {
        if let Some(listing) = listing {
            let allow = listing.allow.as_ref();
            if !allow.is_none_or(|a| a.have(&document.name)) {
                return Ok(Some(SkillStatus::NotAllowed));
            }
            if listing.deny.have(&document.name) {
                return Ok(Some(SkillStatus::Denied));
            }
        }
        let Kind::Reading { reading, hide } = &node.kind else {
            return Ok(None);
        };
        if let Some(key) = hide {
            let scope = self.scope().with_document(document.clone());
            let reason = self.run(key, &scope)?;
            if !normalise::is_blank(reason.as_str()) {
                let said = &reason.as_str()[normalise::trim_range(reason.as_str())];
                return Ok(Some(SkillStatus::Hidden(said.to_owned())));
            }
        }
        let first = |listing: &Listing<'_>| listing.listed.get(&document.name).copied();
        let shadowed = match listing.and_then(first) {
            Some(first) => reading.choice.shadow && first < document.root_index,
            None => false,
        };
        Ok(shadowed.then_some(SkillStatus::Shadowed))
    }
}

/// The name that front matter gives; none if it says nothing. A value that is no string is written as templates print it.
/// Only YAML 1.1 has names that are null or blank.
fn named(value: &Json, yaml11: bool) -> Option<String> {
    let name = match value.as_text() {
        Some(name) => name.to_owned(),
        None => template::printed(value),
    };
    let says = !value.is_null() && !normalise::is_blank(&name);
    (says || yaml11).then_some(name)
}

/// The text of an entry without a template: its line in a list. The document's own bytes stay its own.
pub(super) fn line(document: &Document) -> Text {
    let Some(entry) = document.entry.as_ref().filter(|_| !document.replaced) else {
        return document.text.clone();
    };
    let mut out = TextBuf::default();
    let made = |text: &str, out: &mut TextBuf| {
        out.push_str(text, SpanKind::Derived, document.ingredient, 0);
    };
    let one_line = |text: &Text, out: &mut TextBuf| {
        if text.as_str().contains(char::is_control) {
            let words: Vec<&str> = text.as_str().split_whitespace().collect();
            made(&words.join(" "), out);
        } else {
            out.push(text)
        }
    };
    made("- ", &mut out);
    one_line(&entry.name, &mut out);
    if !normalise::is_blank(entry.description.as_str()) {
        made(": ", &mut out);
        one_line(&entry.description, &mut out);
    }
    out.finish()
}
