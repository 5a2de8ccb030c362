//! Expressions and templates of a manifest: checked against the names visible at their location.

use super::lets::read_with;
use super::lock::Lock;
use super::scans::Sets;
use super::visible::Visible;
use super::why::Why;
use crate::compile::merge::Template;
use crate::compile::plan::names;
use crate::compile::roots::{Homes, MANIFEST};
use crate::diagnostic::span::{Literal, Span, Spanned};
use crate::diagnostic::{self as codes, Diagnostic, Diagnostics, suggest};
use crate::manifest::{Fact, Manifest, Program};
use crate::prompt::drift::Change;
use crate::source::wall;
use crate::template::{Analysis, Listed, NamesInScope, analyse};
use crate::text::document::Document;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most facts read by a let for which a list is stored.
const MOST_KEPT: usize = 100;

/// The files that `exists()` looks for: root and name, and the location of the first call.
pub(super) type Questions = BTreeMap<(String, String), Span>;

/// The results of checking programs, for the later stages.
pub(super) struct Checked {
    pub(super) lets: BTreeMap<String, Vec<Arc<str>>>,
    pub(super) questions: Questions,
    pub(super) homes: BTreeMap<Arc<str>, Homes>,
    /// Every expression of the manifest, by its place.
    pub(super) expressions: BTreeMap<Span, Expression>,
    /// The facts and lets that are read where no program is.
    pub(super) read: BTreeSet<String>,
}

/// An expression of the manifest.
#[derive(Debug)]
pub(in crate::compile) struct Expression {
    pub(super) program: Program,
    pub(super) analysis: Arc<Analysis>,
}

/// The checker; collects the files that `exists()` looks for and the volatility of each program.
pub(super) struct Programs<'a> {
    pub(super) manifest: &'a Manifest,
    pub(super) diags: &'a mut Diagnostics,
    pub(super) roots: names::Roots<'a>,
    pub(super) templates: &'a BTreeMap<String, Template>,
    /// The declared facts by their names, of which a merged manifest has each once.
    facts: BTreeMap<&'a str, &'a Fact>,
    names: Arc<BTreeSet<String>>,
    /// The names with the additional ones of documents, markers and layers without parts, once they were needed.
    names_at: [Option<Arc<BTreeSet<String>>>; 3],
    pub(super) lets: BTreeMap<String, Vec<Arc<str>>>,
    /// The facts that each let with few of them reads, in order.
    facts_of: BTreeMap<String, Arc<[Arc<str>]>>,
    /// The location of the expression of each let.
    pub(super) expressions_of: BTreeMap<&'a str, Span>,
    questions: Questions,
    homes: BTreeMap<Arc<str>, Homes>,
    expressions: BTreeMap<Span, Expression>,
    /// The facts and lets that are read where no program is.
    read: BTreeSet<String>,
    /// The layers lowered so far, and why each changes as often as it does.
    pub(super) layers: BTreeMap<String, Why>,
    all_layers: BTreeSet<&'a str>,
    /// The rule sets of scans.
    pub(super) sets: Sets,
    /// Whether what is checked is the directory rules, for which no layer is loaded.
    in_directory_rules: bool,
    /// The layer at hand, if it is locked.
    pub(super) locked: Option<(&'a str, Lock)>,
    /// The names, and rule sets, that locks of each level were compared with.
    pub(super) kept: BTreeSet<(usize, Arc<str>)>,
    /// The reported conflicts with locks: the place, and that of the lock.
    pub(super) reported: BTreeSet<(Span, Span)>,
    /// Facts and lets that an overlay took away.
    removed: Arc<BTreeMap<String, Span>>,
    /// All lets and their locations, including those that were not read yet.
    pub(super) all_lets: Arc<BTreeMap<String, Span>>,
}

impl<'a> Programs<'a> {
    pub(super) fn new(
        manifest: &'a Manifest,
        roots: names::Roots<'a>,
        templates: &'a BTreeMap<String, Template>,
        diags: &'a mut Diagnostics,
    ) -> Self {
        Self {
            manifest,
            diags,
            roots,
            templates,
            facts: (manifest.facts.iter())
                .map(|fact| (fact.name.value.as_str(), fact))
                .collect(),
            names: Arc::new(
                manifest
                    .facts
                    .iter()
                    .map(|f| f.name.value.clone())
                    .collect(),
            ),
            names_at: Default::default(),
            lets: BTreeMap::new(),
            facts_of: BTreeMap::new(),
            expressions_of: (manifest.lets.iter().rev())
                .map(|item| (item.name.value.as_str(), item.expression.span))
                .collect(),
            questions: BTreeMap::new(),
            homes: BTreeMap::new(),
            expressions: BTreeMap::new(),
            read: BTreeSet::new(),
            layers: BTreeMap::new(),
            sets: Sets::default(),
            in_directory_rules: false,
            locked: None,
            kept: BTreeSet::new(),
            reported: BTreeSet::new(),
            all_layers: manifest
                .tiers
                .iter()
                .flat_map(|t| t.layers.iter().map(|l| l.name.value.as_str()))
                .collect(),
            removed: Arc::new(manifest.removed_names()),
            all_lets: Arc::new(
                (manifest.lets.iter())
                    .map(|item| (item.name.value.clone(), item.name.span))
                    .collect(),
            ),
        }
    }

    pub(super) fn finish(self) -> Checked {
        Checked {
            lets: self.lets,
            questions: self.questions,
            homes: self.homes,
            expressions: self.expressions,
            read: self.read,
        }
    }

    /// Where the root `manifest` is looked for by what is written at `place` in the layer at hand; it is bound so.
    pub(super) fn homes_at(&mut self, place: Span) -> Homes {
        let lock = self.locked.map(|(_, lock)| lock.level);
        let homes = Homes::of(place.file, lock, self.manifest);
        let key = homes.key();
        if &*key != MANIFEST {
            self.homes.insert(key, homes);
        }
        homes
    }

    /// As what a root is bound for those who name it so.
    pub(super) fn bound_as(&mut self, root: &Spanned<String>) -> Arc<str> {
        match root.value.as_str() {
            MANIFEST => self.homes_at(root.span).key(),
            name => name.into(),
        }
    }

    /// From here on programs are those of the directory rules. The files of the earlier ones must be returned to [`Self::leave_directory_rules`].
    pub(super) fn enter_directory_rules(&mut self) -> Questions {
        self.in_directory_rules = true;
        std::mem::take(&mut self.questions)
    }

    /// The names that the programs of the directory rules use.
    pub(super) fn leave_directory_rules(&mut self, before: Questions) -> Questions {
        self.in_directory_rules = false;
        std::mem::replace(&mut self.questions, before)
    }

    /// Notes that a fact or let is read where no program is.
    pub(super) fn note_read(&mut self, name: &str) {
        self.keeps_name(name);
        self.read.insert(name.to_owned());
    }

    /// The declared fact called `name`.
    pub(super) fn fact(&self, name: &str) -> Option<&'a Fact> {
        self.facts.get(name).copied()
    }

    /// Whether the fact or let called `name` is private or reads a private fact.
    pub(super) fn is_private(&self, name: &str) -> bool {
        let after = self.facts_read_by(name);
        let mut facts = after.iter().filter_map(|fact| self.fact(fact));
        facts.any(Fact::is_private)
    }

    /// Whether `name` is a let.
    pub(super) fn is_let(&self, name: &str) -> bool {
        self.lets.contains_key(name)
    }

    /// The facts that are read with a fact or let.
    pub(super) fn facts_read_by(&self, name: &str) -> Arc<[Arc<str>]> {
        if self.fact(name).is_some() {
            return Arc::from([name.into()]);
        }
        match self.facts_of.get(name) {
            Some(facts) => facts.clone(),
            None => (read_with(&self.lets, [name]).into_iter())
                .filter(|name| self.fact(name).is_some())
                .collect(),
        }
    }

    /// Stores the facts that a let with these reads depends on, if they are few: all lets of a chain share one list.
    fn keep_facts(&mut self, name: &str, reads: &[Arc<str>]) {
        let known = |name: &Arc<str>| !self.is_let(name) || self.facts_of.contains_key(&**name);
        if !reads.iter().all(known) {
            return;
        }
        let mut lists = reads.iter().map(|name| self.facts_read_by(name));
        let mut facts = lists.next().unwrap_or_default();
        for list in lists {
            let more: Vec<_> = list.iter().filter(|fact| !facts.contains(fact)).collect();
            if !more.is_empty() {
                facts = facts.iter().chain(more).cloned().collect();
            }
            if facts.len() > MOST_KEPT {
                return;
            }
        }
        self.facts_of.insert(name.to_owned(), facts);
    }

    /// The lets, each of which sees those above it.
    pub(super) fn lets(&mut self) {
        for item in &self.manifest.lets {
            let analysis = self.expression(&item.expression, Visible::Let);
            let names = analysis.iter().flat_map(|analysis| &analysis.names);
            let mut met = BTreeSet::new();
            let reads = (names.map(|used| used.name.as_str()))
                .filter(|name| self.fact(name).is_some() || self.is_let(name))
                .filter(|name| met.insert(*name))
                .map(Arc::from);
            let reads: Vec<Arc<str>> = reads.collect();
            self.keep_facts(&item.name.value, &reads);
            self.lets.insert(item.name.value.clone(), reads);
            Arc::make_mut(&mut self.names).insert(item.name.value.clone());
            self.names_at = Default::default();
        }
    }

    /// Checks an expression.
    pub(super) fn expression(
        &mut self,
        literal: &Literal,
        site: Visible<'_>,
    ) -> Option<Arc<Analysis>> {
        let program = Program::Inline(literal.clone());
        let known = self.known(site, &BTreeSet::new());
        match analyse::expression(&literal.text, &known.document_lists) {
            Ok(analysis) => {
                self.check(&analysis, &program, &known);
                let analysis = Arc::new(analysis);
                let kept = Expression {
                    program,
                    analysis: analysis.clone(),
                };
                self.expressions.insert(literal.span, kept);
                Some(analysis)
            }
            Err(failure) => {
                self.diags.push(failure.diagnostic(&program));
                None
            }
        }
    }

    pub(super) fn check(&mut self, analysis: &Analysis, program: &Program, known: &NamesInScope) {
        analysis.check(known, program, self.diags);
        for used in &analysis.names {
            self.keeps_name(&used.name);
        }
        for call in analysis.exists.iter().filter(|_| known.exists) {
            let span = program.span_of(call.range.clone());
            self.question(&call.root, &call.file, span);
        }
        for call in analysis.loaded.iter().filter(|_| known.loaded) {
            let span = program.span_of(call.range.clone());
            self.backwards(&call.name, span);
        }
    }

    pub(super) fn known(
        &mut self,
        site: Visible<'_>,
        inherited: &BTreeSet<String>,
    ) -> NamesInScope {
        let asks = !matches!(
            site,
            Visible::Let | Visible::Reminder | Visible::ReminderMarker
        );
        let mut known = NamesInScope {
            names: self.names.clone(),
            document_lists: BTreeSet::new(),
            listed: match site {
                Visible::Reminder => Listed::Changes,
                _ => Listed::Documents,
            },
            exists: asks,
            loaded: asks && !self.in_directory_rules,
            lets: self.all_lets.clone(),
            removed: self.removed.clone(),
        };
        let lists = Document::LISTS.iter().map(|&list| list.to_owned());
        let usual = match site {
            Visible::Document => Some(0),
            Visible::Marker => Some(1),
            Visible::Layer {
                parts: [],
                content: true,
                capacity: false,
            } => {
                known.document_lists.extend(lists.clone());
                Some(2)
            }
            _ => None,
        };
        let usual = usual.filter(|_| inherited.is_empty());
        if let Some(names) = usual.and_then(|at| self.names_at[at].as_ref()) {
            known.names = names.clone();
            return known;
        }
        let attributes = Document::ATTRIBUTES.iter().map(|&a| a.to_owned());
        let mut more = inherited.clone();
        match site {
            Visible::Let | Visible::Plain => {}
            Visible::Document => more.extend(attributes),
            Visible::Placeholder => {
                more.extend(attributes);
                more.insert("findings".to_owned());
            }
            Visible::Reminder => {
                known.document_lists.insert(Change::LIST.to_owned());
                more.insert(Change::LIST.to_owned());
            }
            Visible::Marker | Visible::ReminderMarker => {
                more.extend(attributes);
                more.extend(["kept_head", "kept_tail", "omitted"].map(str::to_owned));
            }
            Visible::Layer {
                parts,
                content,
                capacity,
            } => {
                more.extend(capacity.then(|| "capacity".to_owned()));
                if content {
                    more.extend(["content", "dropped"].map(str::to_owned));
                    known.document_lists.extend(lists.clone());
                }
                known.document_lists.extend(parts.iter().cloned());
                more.extend(known.document_lists.iter().cloned());
            }
        }
        if !more.is_empty() {
            Arc::make_mut(&mut known.names).extend(more);
        }
        if let Some(at) = usual {
            self.names_at[at] = Some(known.names.clone());
        }
        known
    }

    fn question(&mut self, root: &str, file: &str, span: Span) {
        let name = Spanned::new(root.to_owned(), span);
        if !self.roots.known(&name, self.diags) {
            return;
        }
        if let Err(obstacle) = wall::inside(file) {
            self.diags.push(obstacle.diagnostic().at(span));
            return;
        }
        self.questions
            .entry((name.value, file.to_owned()))
            .or_insert(span);
    }

    fn backwards(&mut self, layer: &str, span: Span) {
        if self.layers.contains_key(layer) {
            return;
        }
        if self.all_layers.contains(&layer) {
            self.diags.push(
                Diagnostic::error(
                    codes::LOADED_FORWARD,
                    format!("the layer `{layer}` is not above this one"),
                )
                .at(span)
                .help("layers are loaded in order, so loaded() can only look back"),
            );
            return;
        }
        let message = format!("there is no layer `{layer}`");
        let diagnostic = Diagnostic::error(codes::UNKNOWN_LAYER, message).at(span);
        self.diags.push_with(diagnostic, |mut diagnostic| {
            if let Some(at) = self.manifest.removal("layer", layer) {
                diagnostic = diagnostic.related(at, "removed here");
            }
            match suggest::nearest(layer, self.layers.keys().map(String::as_str)) {
                Some(near) => diagnostic.help(format!("there is a layer `{near}`")),
                None => diagnostic,
            }
        });
    }
}
