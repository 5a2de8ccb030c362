//! The names that an expression or template can use.

use super::data;
use crate::prompt::drift::Change;
use crate::prompt::{Finding, Ingredient, LetDependencies};
use crate::template::fact::FactValue;
use crate::text::document::Document;
use crate::text::{Json, Text};
use minijinja::Value;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

/// The value of a fact or let.
#[derive(Debug, Clone)]
pub struct Slot {
    /// As the engine sees it; undefined if missing.
    pub(super) value: Value,
    /// As it prints, if it does.
    pub(super) text: Option<Arc<str>>,
    /// For the ingredient; none if missing.
    data: Option<Json>,
    /// Whether the value is withheld.
    private: bool,
    /// For a let: the facts and lets that it reads.
    facts: Option<Vec<Arc<str>>>,
    /// For a let: its expression.
    expression: Arc<str>,
}

impl Slot {
    /// The value as the engine sees it; undefined if missing.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The text that the value prints as, if it has one.
    #[must_use]
    pub fn printed(&self) -> Option<&Arc<str>> {
        self.text.as_ref()
    }

    /// Whether it is a let's.
    pub(super) fn is_let(&self) -> bool {
        self.facts.is_some()
    }

    /// Whether the value must not be shown.
    #[must_use]
    pub fn is_private(&self) -> bool {
        self.private
    }
}

/// The facts and lets of one build.
#[derive(Debug, Clone, Default)]
pub struct Values {
    slots: BTreeMap<Arc<str>, Slot>,
    /// The first one whose text is the buffer at an address.
    buffers: BTreeMap<usize, Arc<str>>,
    /// The dependencies of lets, once they were needed.
    behind: OnceLock<Arc<LetDependencies>>,
}

impl Values {
    /// Adds a fact; `None` is a missing one.
    pub fn insert_fact(
        &mut self,
        name: impl Into<Arc<str>>,
        value: Option<&FactValue>,
        private: bool,
    ) {
        let text = value.and_then(FactValue::printed);
        let slot = Slot {
            value: value.map_or(Value::UNDEFINED, |v| fact_value(v, text.as_ref())),
            text,
            data: value.map(FactValue::to_json),
            private,
            facts: None,
            expression: Arc::default(),
        };
        self.insert(name.into(), slot);
    }

    /// Adds a let with its expression, the value of that and the facts that [`super::Engine::evaluate`] saw it read.
    /// It is private if one of those is.
    pub fn insert_let(
        &mut self,
        name: impl Into<Arc<str>>,
        expression: impl Into<Arc<str>>,
        value: Value,
        facts: Vec<Arc<str>>,
    ) {
        let text: Option<Arc<str>> = Arc::<str>::try_from(value.clone()).ok();
        let slot = Slot {
            // Short strings live inside the engine's value; a buffer of their own gives them an address.
            value: text.as_ref().map_or(value, |t| Value::from(t.clone())),
            text,
            data: None,
            private: facts
                .iter()
                .any(|f| self.slots.get(f).is_some_and(Slot::is_private)),
            facts: Some(facts),
            expression: expression.into(),
        };
        self.insert(name.into(), slot);
    }

    fn insert(&mut self, name: Arc<str>, slot: Slot) {
        if let Some(text) = &slot.text {
            let at = text.as_ptr() as usize;
            self.buffers.entry(at).or_insert_with(|| name.clone());
        }
        self.behind = OnceLock::new();
        self.slots.insert(name, slot);
    }

    /// The fact or let called `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Slot> {
        self.slots.get(name)
    }

    /// The names that are read with lets.
    #[must_use]
    pub fn behind(&self) -> &Arc<LetDependencies> {
        self.behind.get_or_init(|| {
            let reads = |slot: &Slot| slot.facts.iter().flatten().cloned().collect::<Vec<_>>();
            let read: BTreeSet<Arc<str>> = self.slots.values().flat_map(reads).collect();
            let met = self.slots.iter();
            let met = met.filter(|(name, slot)| slot.is_let() || read.contains(*name));
            let values = met.map(|(name, slot)| {
                let reads = slot.facts.as_deref().unwrap_or_default();
                (name.clone(), self.ingredient(name), reads)
            });
            Arc::new(LetDependencies::new(values))
        })
    }

    /// The fact or let behind the let called `name` that has the very same `text`.
    pub(super) fn handed(&self, name: &str, text: &Arc<str>) -> Option<&Arc<str>> {
        let first = self.buffers.get(&(text.as_ptr() as usize))?;
        let is_behind = || self.behind().is_behind(name, first);
        (**first != *name && is_behind()).then_some(first)
    }

    /// The ingredient for the fact or let called `name`; a fact's value is null if it is private or missing.
    #[must_use]
    pub fn ingredient(&self, name: &str) -> Ingredient {
        let slot = self.slots.get(name);
        if let Some(slot) = slot.filter(|s| s.is_let()) {
            return Ingredient::Let {
                name: name.to_owned(),
                expression: slot.expression.to_string(),
            };
        }
        let private = slot.is_some_and(Slot::is_private);
        Ingredient::Fact {
            name: name.to_owned(),
            value: slot.and_then(|s| s.data.clone()).filter(|_| !private),
            private,
        }
    }

    pub(super) fn entry(&self, name: &str) -> Option<(&Arc<str>, &Slot)> {
        self.slots.get_key_value(name)
    }
}

fn fact_value(value: &FactValue, text: Option<&Arc<str>>) -> Value {
    match value {
        FactValue::String(_) | FactValue::Date(_) | FactValue::DateTime(_) => {
            text.map_or(Value::UNDEFINED, |t| Value::from(t.clone()))
        }
        FactValue::Int(n) => Value::from(*n),
        FactValue::Float(n) => Value::from(*n),
        FactValue::Bool(b) => Value::from(*b),
        FactValue::List(json) | FactValue::Map(json) => data::value(json),
    }
}

/// The result of a part of a layer: it prints as its text and iterates as its documents.
#[derive(Debug, Clone, Default)]
pub struct Part {
    /// Its text.
    pub text: Text,
    /// Its documents, in order.
    pub documents: Vec<Arc<Document>>,
}

#[derive(Debug, Clone)]
pub(super) enum Local {
    Text(Text),
    Documents(Arc<[Arc<Document>]>),
    Part(Arc<Part>),
    Value(Value),
    String(Arc<str>),
}

/// The names of one evaluation or render. Locals hide the document's attributes, which hide facts and lets.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    pub(super) values: Arc<Values>,
    pub(super) document: Option<Arc<Document>>,
    /// Few, each name once.
    pub(super) locals: Vec<(Cow<'static, str>, Local)>,
    pub(super) exists: Option<Arc<BTreeMap<(String, String), bool>>>,
    /// What the answers call the root `manifest`.
    pub(super) manifest: Option<Arc<str>>,
    pub(super) loaded: Option<Arc<BTreeMap<String, bool>>>,
}

impl Scope {
    /// A scope with facts and lets alone.
    #[must_use]
    pub fn new(values: Arc<Values>) -> Self {
        Self {
            values,
            document: None,
            locals: Vec::new(),
            exists: None,
            manifest: None,
            loaded: None,
        }
    }

    /// Makes the attributes of `document` visible by plain name, as in `where`, `hide`, `wrap` and a marker.
    #[must_use]
    pub fn with_document(mut self, document: Arc<Document>) -> Self {
        self.document = Some(document);
        self
    }

    /// Adds a text, such as `content`.
    #[must_use]
    pub fn with_text(self, name: impl Into<Cow<'static, str>>, text: Text) -> Self {
        self.with(name, Local::Text(text))
    }

    fn with(mut self, name: impl Into<Cow<'static, str>>, local: Local) -> Self {
        let name = name.into();
        match self.locals.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = local,
            None => self.locals.push((name, local)),
        }
        self
    }

    /// Adds a list of documents, such as `documents`.
    #[must_use]
    pub fn with_documents(
        self,
        name: impl Into<Cow<'static, str>>,
        documents: Vec<Arc<Document>>,
    ) -> Self {
        self.with(name, Local::Documents(documents.into()))
    }

    /// Adds a part.
    #[must_use]
    pub fn with_part(self, name: impl Into<Cow<'static, str>>, part: Part) -> Self {
        self.with(name, Local::Part(Arc::new(part)))
    }

    /// Adds a number, such as a marker's `omitted`.
    #[must_use]
    pub fn with_number(self, name: impl Into<Cow<'static, str>>, number: usize) -> Self {
        self.with(name, Local::Value(Value::from(number)))
    }

    /// Adds a string that belongs to no document.
    #[must_use]
    pub fn with_string(
        self,
        name: impl Into<Cow<'static, str>>,
        text: impl Into<Arc<str>>,
    ) -> Self {
        self.with(name, Local::String(text.into()))
    }

    /// Adds `findings`: what a scan found, each a map of `id`, `rule`, `line`, `column` and `in`, which is `text` unless it
    /// was found elsewhere.
    #[must_use]
    pub fn with_findings(self, findings: &[Finding]) -> Self {
        let map = |finding: &Finding| {
            let within = finding.within.as_deref().unwrap_or("text");
            let entries = [
                ("id", Value::from(finding.id.as_str())),
                ("rule", Value::from(finding.rule.as_str())),
                ("line", Value::from(finding.line)),
                ("column", Value::from(finding.column)),
                ("in", Value::from(within)),
            ];
            Value::from(BTreeMap::from(entries))
        };
        let list: Vec<Value> = findings.iter().map(map).collect();
        self.with("findings", Local::Value(Value::from(list)))
    }

    /// Adds `changes`: what has changed since a prompt was frozen, each a map of [`Change::ATTRIBUTES`].
    #[must_use]
    pub fn with_changes(self, changes: &[Change]) -> Self {
        let map = |change: &Change| {
            let causes: Vec<Value> = change
                .causes
                .iter()
                .map(|c| Value::from(c.as_str()))
                .collect();
            let entries = [
                ("layer", Value::from(change.layer.as_str())),
                ("tier", Value::from(change.tier.as_str())),
                ("change", Value::from(change.kind.name())),
                ("text", Value::from(change.text.as_str())),
                ("causes", Value::from(causes)),
            ];
            Value::from(BTreeMap::from(entries))
        };
        let list: Vec<Value> = changes.iter().map(map).collect();
        self.with(Change::LIST, Local::Value(Value::from(list)))
    }

    /// Sets the answers of `exists(FILE, root=ROOT)`, by root and file; `manifest` is what they call the root of that name,
    /// whose folders depend on who asks.
    #[must_use]
    pub fn with_exists(
        mut self,
        answers: Arc<BTreeMap<(String, String), bool>>,
        manifest: Option<Arc<str>>,
    ) -> Self {
        self.exists = Some(answers);
        self.manifest = manifest;
        self
    }

    /// Sets the answers of `loaded(LAYER)`.
    #[must_use]
    pub fn with_loaded(mut self, answers: Arc<BTreeMap<String, bool>>) -> Self {
        self.loaded = Some(answers);
        self
    }
}
