//! The accesses of a run: the facts that it read, and the buffers whose bytes it may print.

use crate::prompt::Ingredient;
use crate::text::{SpanKind, Text};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes that one run may hand to the engine's output, printed and captured together.
const MAX_PRINTED: usize = 256 << 20;

/// The owner of a buffer in memory.
#[derive(Debug, Clone)]
pub(super) enum Owner {
    /// A text with its own map.
    Text(Text),
    /// The printed form of a fact.
    Fact(Arc<str>, Arc<str>),
    /// A string that was made from an ingredient or a fact; the buffer stays alive so that its address is not reused.
    Derived(Arc<str>, Origin),
}

impl Owner {
    pub(super) fn bytes(&self) -> &str {
        match self {
            Self::Text(text) => text.as_str(),
            Self::Fact(_, text) | Self::Derived(text, _) => text,
        }
    }
}

/// The sources of derived text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    /// An index into the layer's ingredients.
    Ingredient(u32),
    /// A fact or let.
    Fact(Arc<str>),
    /// Nothing but the template.
    Template,
}

impl Origin {
    /// The main ingredient of a text: its first document, else its first ingredient.
    pub(super) fn of_text(text: &Text) -> Self {
        let runs = || text.runs().iter();
        runs()
            .filter(|r| r.kind == SpanKind::Document)
            .chain(runs())
            .find_map(|r| r.ingredient)
            .map_or(Self::Template, Self::Ingredient)
    }
}

#[derive(Debug, Default)]
struct State {
    /// Every fact and let that was read, in order of first read.
    facts: Vec<Arc<str>>,
    /// The names in `facts`, for lookups: a template can read thousands.
    read: BTreeSet<Arc<str>>,
    /// The accesses since the last write that reached the output.
    pending: Vec<Origin>,
    /// Buffers by address. Each entry keeps its buffer alive, so no two overlap.
    owners: BTreeMap<usize, Owner>,
    /// The calls of `exists()` and `loaded()`, with their results.
    asked: Vec<Ingredient>,
    /// The template that printed last, among those; none if it is the one that is rendered.
    template: Option<usize>,
    /// Templates that printed besides the one that is rendered, in order of first print.
    templates: Vec<String>,
    printed: usize,
}

/// The shared log of one run.
#[derive(Debug)]
pub(super) struct Log {
    /// The template that is rendered; none in an expression, which prints nothing.
    rendered: Option<Arc<str>>,
    state: Mutex<State>,
}

impl Log {
    /// The log of a render of the template of that name.
    pub(super) fn of_render(template: Arc<str>) -> Self {
        Self {
            rendered: Some(template),
            state: Mutex::default(),
        }
    }

    /// The log of an expression. The owners of bytes are not recorded: there is no output.
    pub(super) fn of_expression() -> Self {
        Self {
            rendered: None,
            state: Mutex::default(),
        }
    }

    /// Whether it is that of a render: something is printed.
    pub(super) fn is_of_render(&self) -> bool {
        self.rendered.is_some()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A fact or let was read.
    pub(super) fn fact(&self, name: &Arc<str>) {
        let mut state = self.state();
        if !state.read.contains(name) {
            state.read.insert(name.clone());
            state.facts.push(name.clone());
        }
        if self.rendered.is_some() {
            state.pending.push(Origin::Fact(name.clone()));
        }
    }

    /// Notes a call of `exists()` or `loaded()`.
    pub(super) fn asked(&self, question: Ingredient) {
        self.state().asked.push(question);
    }

    /// Takes these calls, in order.
    pub(super) fn take_questions(&self) -> Vec<Ingredient> {
        std::mem::take(&mut self.state().asked)
    }

    /// Something that is no fact was looked at.
    pub(super) fn looked(&self, origin: Origin) {
        if self.rendered.is_some() {
            self.state().pending.push(origin);
        }
    }

    /// The buffer of `owner` may be printed from now on. Of two owners of one buffer the later one counts.
    pub(super) fn own(&self, owner: Owner) {
        let bytes = owner.bytes();
        if !bytes.is_empty() && self.rendered.is_some() {
            let at = bytes.as_ptr() as usize;
            self.state().owners.insert(at, owner);
        }
    }

    /// `template` is about to print `len` bytes. False if that is more than a run may print.
    pub(super) fn printing(&self, template: &str, len: usize) -> bool {
        let mut state = self.state();
        let last = state.template.and_then(|at| state.templates.get(at));
        if self.rendered.as_deref() == Some(template) {
            state.template = None;
        } else if last.is_none_or(|last| last != template) {
            let known = state.templates.iter().position(|t| t == template);
            let at = known.unwrap_or(state.templates.len());
            if known.is_none() {
                state.templates.push(template.to_owned());
            }
            state.template = Some(at);
        }
        state.printed = state.printed.saturating_add(len);
        state.printed <= MAX_PRINTED
    }

    /// The owner of `bytes` by address, with the offset of the first byte in the owner's buffer.
    pub(super) fn owner_of(&self, bytes: &[u8]) -> Option<(Owner, usize)> {
        let at = bytes.as_ptr() as usize;
        let state = self.state();
        let (start, owner) = state.owners.range(..=at).next_back()?;
        let offset = at - start;
        (offset + bytes.len() <= owner.bytes().len()).then(|| (owner.clone(), offset))
    }

    /// Takes what was looked at since the last call, and `room` to write down what comes.
    pub(super) fn take_pending(&self, mut room: Vec<Origin>) -> Vec<Origin> {
        room.clear();
        std::mem::replace(&mut self.state().pending, room)
    }

    /// Takes the facts and lets that were read, in order of first read.
    pub(super) fn take_facts(&self) -> Vec<Arc<str>> {
        let mut state = self.state();
        state.read.clear();
        std::mem::take(&mut state.facts)
    }

    /// The template that printed last; none if it is the one that is rendered.
    pub(super) fn template(&self) -> Option<String> {
        let state = self.state();
        state.templates.get(state.template?).cloned()
    }

    /// Takes the templates that printed besides the one that is rendered, in order of first print.
    pub(super) fn take_templates(&self) -> Vec<String> {
        std::mem::take(&mut self.state().templates)
    }
}
