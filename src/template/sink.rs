//! Where a render writes: text with an owner for each byte, recognised by address.

use super::access::{Log, Origin, Owner};
use super::guard::Guarded;
use super::print::MAX_OUTPUT;
use super::scope::{Slot, Values};
use super::syntax;
use crate::prompt::{Ingredient, Ingredients};
use crate::text::{SpanKind, Text, TextBuf};
use minijinja::Environment;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A template: its source, and its identity.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) name: Arc<str>,
    pub(super) text: Arc<str>,
    ingredient: Ingredient,
    /// The positions of checks in the source that the engine has read.
    guarded: OnceLock<Guarded>,
    /// Where the engine holds that source in memory.
    held: OnceLock<Range<usize>>,
}

impl Source {
    /// Whether it makes a macro, which a `call` block does too.
    pub(super) fn makes_macros(&self) -> bool {
        let mut tags = self.text.split("{%").skip(1);
        tags.any(|tag| {
            let tag = tag.trim_start_matches(['-', '+']).trim_start();
            tag.starts_with("macro") || tag.starts_with("call")
        })
    }

    /// A template that was not read yet.
    pub(super) fn new(name: Arc<str>, text: Arc<str>, ingredient: Ingredient) -> Self {
        Self {
            name,
            text,
            ingredient,
            guarded: OnceLock::new(),
            held: OnceLock::new(),
        }
    }

    /// The source for the engine; empty if it is not well formed.
    pub(super) fn read(&self) -> Option<String> {
        let tree = syntax::bounded_template(&self.text).ok()?;
        let mut guarded = Guarded::template(&self.text, &tree);
        let text = std::mem::take(&mut guarded.text);
        // The second one has the same value.
        let _ = self.guarded.set(guarded);
        Some(text)
    }

    /// The positions of checks in it, if it was read.
    pub(super) fn guarded(&self) -> Option<&Guarded> {
        self.guarded.get()
    }

    /// The engine that has read it is gone.
    pub(super) fn forget(&mut self) {
        self.guarded.take();
        self.held.take();
    }

    /// The byte of the source that became the first of `bytes`, if the engine stores them for it.
    fn offset(&self, bytes: &str, env: &Environment<'_>) -> Option<usize> {
        let guarded = self.guarded()?;
        let held = self.held.get_or_init(|| {
            let template = env.get_template(&self.name);
            let held = template.as_ref().map_or("", |t| t.source());
            let start = held.as_ptr() as usize;
            start..start + held.len()
        });
        let at = bytes.as_ptr() as usize;
        let within = held.start <= at && at + bytes.len() <= held.end;
        within.then(|| guarded.offset(at - held.start))
    }
}

pub(super) struct Sink<'r> {
    out: TextBuf,
    /// The template that is rendered.
    root: &'r Source,
    env: &'r Environment<'static>,
    templates: &'r BTreeMap<Arc<str>, Source>,
    values: &'r Values,
    log: Arc<Log>,
    ingredients: &'r mut Ingredients,
    /// The indices of templates that took part already.
    sources: Vec<(&'r Source, u32)>,
    /// Room for what was looked at.
    room: Vec<Origin>,
    /// Whether reads are reported by name and not in the order of reading: the engine reads the names that a macro
    /// encloses when the macro is made, in an order that differs from process to process.
    by_name: bool,
}

impl<'r> Sink<'r> {
    pub(super) fn new(
        root: &'r Source,
        (env, templates, by_name): (
            &'r Environment<'static>,
            &'r BTreeMap<Arc<str>, Source>,
            bool,
        ),
        values: &'r Values,
        log: &Arc<Log>,
        ingredients: &'r mut Ingredients,
    ) -> Self {
        Self {
            // A guess that spares most renders from growing; it is nothing that they depend on.
            out: TextBuf::with_capacity(512, 8),
            root,
            env,
            templates,
            values,
            log: log.clone(),
            ingredients,
            sources: Vec::new(),
            room: Vec::new(),
            by_name,
        }
    }

    /// The text, once all is written, and the facts that were read. Everything that took part is an ingredient now,
    /// printed or not.
    pub(super) fn finish(mut self) -> (Text, Vec<Arc<str>>) {
        let mut facts = self.log.take_facts();
        if self.by_name {
            facts.sort();
        }
        for fact in &facts {
            self.fact(fact);
        }
        for question in self.log.take_questions() {
            self.ingredients.intern(question);
        }
        self.source(self.root);
        for template in self.log.take_templates() {
            self.template(&template);
        }
        (self.out.finish(), facts)
    }

    fn fact(&mut self, name: &Arc<str>) -> u32 {
        let ingredient = || self.values.ingredient(name);
        (self.ingredients).read(name, self.values.behind(), ingredient)
    }

    fn template(&mut self, name: &str) -> Option<u32> {
        let source = self.templates.get(name)?;
        Some(self.source(source))
    }

    fn source(&mut self, source: &'r Source) -> u32 {
        let mut known = self.sources.iter();
        if let Some((_, index)) = known.find(|(known, _)| std::ptr::eq(*known, source)) {
            return *index;
        }
        let index = self.ingredients.intern_copy(&source.ingredient);
        self.sources.push((source, index));
        index
    }

    /// The template whose source holds `bytes`, with their offset in it.
    fn literal(&self, bytes: &str) -> Option<(&'r Source, usize)> {
        // Most often it is the one that is rendered, and there can be very many.
        let rendered = std::iter::once(self.root);
        rendered.chain(self.templates.values()).find_map(|t| {
            let offset = t.offset(bytes, self.env)?;
            Some((t, offset))
        })
    }

    fn push(&mut self, bytes: &str) {
        let pending = self.log.take_pending(std::mem::take(&mut self.room));
        self.written(bytes, &pending);
        self.room = pending;
    }

    /// Appends `bytes`, before which `pending` was looked at.
    fn written(&mut self, bytes: &str, pending: &[Origin]) {
        let facts = pending.iter().filter_map(|origin| match origin {
            Origin::Fact(name) => Some(name),
            _ => None,
        });
        if self.by_name {
            facts.collect::<BTreeSet<_>>().into_iter().for_each(|name| {
                self.fact(name);
            })
        } else {
            facts.for_each(|name| {
                self.fact(name);
            })
        }
        if let Some((source, offset)) = self.literal(bytes) {
            let index = self.source(source);
            self.out
                .push_str(bytes, SpanKind::Template, Some(index), offset);
            return;
        }
        match self.log.owner_of(bytes.as_bytes()) {
            Some((Owner::Text(text), offset)) => {
                self.out.push_part(&text, offset..offset + bytes.len());
            }
            Some((Owner::Fact(name, _), offset)) => {
                let index = self.fact(&name);
                self.out
                    .push_str(bytes, SpanKind::Fact, Some(index), offset);
            }
            Some((Owner::Derived(_, origin), _)) => self.derived(bytes, &origin),
            None => self.made(bytes, pending),
        }
    }

    /// Bytes that the engine made: of a single fact that prints just so, or derived from what was looked at last.
    fn made(&mut self, bytes: &str, pending: &[Origin]) {
        let origin = pending.last().cloned().unwrap_or(Origin::Template);
        let is_fact = |o: &&Origin| matches!(o, Origin::Fact(_));
        let single = pending.iter().filter(is_fact).all(|o| *o == origin);
        if let Origin::Fact(name) = &origin
            && single
            && self
                .values
                .get(name)
                .filter(|slot| !slot.is_let())
                .and_then(Slot::printed)
                .is_some_and(|text| &**text == bytes)
        {
            let index = self.fact(name);
            self.out.push_str(bytes, SpanKind::Fact, Some(index), 0);
        } else {
            self.derived(bytes, &origin);
        }
    }

    fn derived(&mut self, bytes: &str, origin: &Origin) {
        let index = match origin {
            Origin::Ingredient(index) => Some(*index),
            Origin::Fact(name) => Some(self.fact(name)),
            Origin::Template => match self.log.template() {
                Some(name) => self.template(&name),
                None => Some(self.source(self.root)),
            },
        };
        self.out.push_str(bytes, SpanKind::Derived, index, 0);
    }
}

impl Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.out.len() + bytes.len() > MAX_OUTPUT {
            return Err(io::Error::other("too much output"));
        }
        // The engine writes whole strings.
        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        if !text.is_empty() {
            self.push(text);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
