//! Stage 2: `Merged` -> `Plan`. Names are resolved, expressions and templates compiled, settings inherited; nothing is
//! read and no fact is known yet.

mod lock;
mod names;
mod expects;
mod marker;
mod scans;
mod lets;
mod visible;
mod why;
mod programs;
mod depends;
mod keeps;
mod classes;
mod lit;
mod fit;
mod needs;
mod lower;
mod session;
mod reminder;
mod view;
mod analysis;

pub use analysis::{NodeUse, PlanAnalysis, Print, ProgramUse, Site, Step, Written};
pub(super) use lets::read_with;
pub use needs::Needs;
pub use reminder::ReminderPlan;
pub use scans::{RuleSet, rule_sets};
pub use session::{COMPACTION, IdentityFact, Refresh, fact_of};
pub use view::{LayerPlan, TierPlan};
pub(super) use why::linked_names;
pub use why::{Link, Reason, What, Why};

pub(super) use fit::ResolvedMaxBudget;
pub(super) use lock::Lock;
pub(super) use marker::{DEFAULT_PLACEHOLDER, default_marker};
pub(super) use names::{Roots, allows, check_scenarios, root_names};
use needs::DirectoryRules;
pub(super) use needs::Reach;
use programs::Questions;

use super::merge::Merged;
use super::roots::Homes;
use crate::diagnostic::span::{FileId, Files, Lines, Literal, Span, Spanned};
use crate::diagnostic::{Diagnostic, Diagnostics, ErrorReported, REQUIRED_LAYER_ABSENT};
use crate::manifest::{
    self, Budget, Frontmatter, Imports, Invalid, Limit, Lit, Manifest, ManifestFile, Missing,
    OnHit, Order, Program, Reading,
};
use crate::prompt::{Changes, Definition, DefinitionNode, Deliver, Ingredient, sha256};
use crate::template::fact::FactValue;
use crate::template::{Analysis, Engine, Failure};
use crate::text::normalise::{Cleaning, Marks};
use crate::text::scan::{Pattern, Rules};
use crate::text::tokens::Tokenizer;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most texts whose sums an error reports.
const MOST_SUMS: usize = 5;

/// A manifest that can be built: every name in it leads somewhere.
#[derive(Debug)]
pub struct Plan {
    /// As written, for facts, roots and scenarios.
    pub(super) manifest: Arc<Manifest>,
    /// Its files, by id: how the map names each, and where its lines start.
    sheets: BTreeMap<FileId, (Arc<str>, Lines)>,
    /// Hash of its bytes; with bases and includes, of the hashes of all files.
    pub(super) manifest_hash: String,
    /// Templates, compiled.
    pub(super) engine: Engine,
    /// The locations of templates, by key, and the names that they use and print.
    programs: BTreeMap<String, (Program, Analysis)>,
    /// The expressions, by place.
    expressions: BTreeMap<Span, programs::Expression>,
    /// The facts and lets that are read where no program is.
    read: BTreeSet<String>,
    /// The keys of templates, by their identity in the map: file, line and hash.
    keys: BTreeMap<(String, Option<usize>, String), String>,
    /// The default of each fact, in order.
    defaults: Vec<Option<FactValue>>,
    /// The facts and lets that each let reads, by its name.
    pub(super) lets: BTreeMap<String, Vec<Arc<str>>>,
    /// The files that `exists()` looks for.
    pub(super) questions: Questions,
    /// The uses of the root `manifest` that look in more than the outermost folder, by what it is bound as for them.
    pub(super) homes: BTreeMap<Arc<str>, Homes>,
    /// The maximum of the system prompt.
    pub(super) budget: Option<ResolvedMaxBudget>,
    /// The tiers, in order.
    pub(super) tiers: Vec<Tier>,
    /// The directory rules about a folder.
    directory_rules: Option<DirectoryRules>,
    /// The identity of a session.
    identity: Vec<IdentityFact>,
    /// When a session is rebuilt.
    refresh: Refresh,
    /// The reminder of later changes.
    reminder: ReminderPlan,
}

/// A fact with its default understood.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fact<'p> {
    pub(super) written: &'p manifest::Fact,
    pub(super) default: Option<&'p FactValue>,
}

/// A tier, resolved.
#[derive(Debug)]
pub(super) struct Tier {
    pub(super) name: String,
    pub(super) changes: Changes,
    /// How often it may change by what is in it and before it, whatever is declared.
    inferred: Changes,
    pub(super) deliver: Deliver,
    /// Whether a session freezes its text: it is before the first turn tier of its channel.
    pub(super) frozen: bool,
    /// Between its layers.
    pub(super) join: Literal,
    /// Before its first layer, if anything is before it in the channel.
    pub(super) lead: Literal,
    pub(super) bounded: fit::Bounded,
    pub(super) layers: Vec<Layer>,
    pub(super) span: Span,
    /// As written.
    pub(super) definition: Arc<[DefinitionNode]>,
}

/// A layer, resolved.
#[derive(Debug)]
pub(super) struct Layer {
    pub(super) name: Arc<str>,
    pub(super) span: Span,
    pub(super) when: Option<Literal>,
    pub(super) required: bool,
    /// Its priority: in a tier that is too large, the layer with the lowest one is dropped first.
    pub(super) priority: Option<Lit<u64>>,
    /// The size that it is cut to before it is dropped.
    pub(super) min: Option<Lit<u64>>,
    /// The parts that overlays may not change.
    pub(super) lock: Option<Lock>,
    /// As what the root `manifest` is bound for `exists()` in its programs.
    pub(super) manifest: Arc<str>,
    pub(super) content: Option<Node>,
    pub(super) parts: Vec<(Arc<str>, Node)>,
    /// Key of its template.
    pub(super) template: Option<String>,
    pub(super) budgets: Vec<Budget>,
    /// Whether the finished text is trimmed.
    pub(super) trim: bool,
    /// How often it may change, and why.
    pub(super) why: Why,
    /// The number of the first reasons of `why` that belong to its condition, its content and its parts: the rest is about the text made of these.
    pub(super) loading: usize,
    /// As written.
    pub(super) definition: Arc<[DefinitionNode]>,
    /// The locations of these nodes.
    pub(super) nodes: Arc<BTreeMap<Span, u32>>,
}

/// A content node with everything that it inherits.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) when: Option<Literal>,
    /// Its own `where` and those of the groups around it; all must hold.
    pub(super) filters: Vec<Literal>,
    /// `missing=` of the node, a group around it or its root. If none of them says it, nothing is read, with a warning.
    pub(super) missing: Option<Missing>,
    pub(super) invalid: Invalid,
    pub(super) label: Option<Lit<String>>,
    pub(super) about: Option<Lit<String>>,
    /// The root that it reads, as it is bound for it; of a group, the one that it climbs.
    pub(super) root: Option<Arc<str>>,
    /// `search=… from=ROOT`.
    pub(super) climb: Option<Climb>,
    pub(super) steps: Steps,
    pub(super) budgets: Vec<Budget>,
    pub(super) span: Span,
}

/// A search in the folders above.
#[derive(Debug)]
pub(super) struct Climb {
    /// The root where it starts, as it is bound for it.
    pub(super) from: Arc<str>,
    /// In which order all levels count; none if the nearest with something wins.
    pub(super) every: Option<Order>,
}

/// The kind of a content node, resolved.
#[derive(Debug)]
pub(super) enum Kind {
    Text(Literal),
    Fact(Spanned<String>),
    /// Key of the template.
    Template(String),
    Reading {
        reading: Box<Reading>,
        /// Key of the template of `hide`.
        hide: Option<String>,
    },
    First(Vec<Node>),
    All {
        join: Literal,
        members: Vec<Node>,
    },
}

impl Node {
    /// The node and all below it, groups before their members.
    pub(super) fn descendants(&self) -> impl Iterator<Item = &Self> {
        let mut open = vec![self];
        std::iter::from_fn(move || {
            let next = open.pop()?;
            open.extend(next.kind.members().iter().rev());
            Some(next)
        })
    }
}

impl Kind {
    /// The members of a group.
    pub(super) fn members(&self) -> &[Node] {
        match self {
            Self::First(members) | Self::All { members, .. } => members,
            Self::Text(_) | Self::Fact(_) | Self::Template(_) | Self::Reading { .. } => &[],
        }
    }

    /// The source, if it is one that reads files inside a root.
    pub(super) fn reading(&self) -> Option<&Reading> {
        match self {
            Self::Reading { reading, .. } => Some(reading),
            Self::Text(_) | Self::Fact(_) | Self::Template(_) => None,
            Self::First(_) | Self::All { .. } => None,
        }
    }

    /// Whether its files are data, in which nothing is a comment or an import.
    pub(super) fn is_data(&self) -> bool {
        self.reading().is_some_and(|reading| reading.kind.is_data())
    }

    /// Whether its documents are listed by what their front matter says.
    pub(super) fn is_listed(&self) -> bool {
        self.reading()
            .is_some_and(|reading| reading.kind.is_listed())
    }
}

/// The steps that a document goes through.
#[derive(Debug, Clone)]
pub(super) struct Steps {
    pub(super) newlines: bool,
    pub(super) bom: Marks,
    pub(super) trim: bool,
    pub(super) frontmatter: Option<Frontmatter>,
    /// Whether HTML comments go.
    pub(super) comments: bool,
    pub(super) imports: Option<Imports>,
    pub(super) scan: Option<Arc<ScanStep>>,
    /// Key of the `wrap` template.
    pub(super) wrap: Option<String>,
}

impl Steps {
    /// The first two of them.
    pub(super) fn cleaning(&self) -> Cleaning {
        Cleaning {
            newlines: self.newlines,
            marks: self.bom,
        }
    }
}

/// A scan of documents.
#[derive(Debug)]
pub(super) struct ScanStep {
    /// The scopes of its set, in order.
    pub(super) scopes: Vec<Arc<str>>,
    pub(super) rules: Arc<Rules>,
    /// The last one if none is written.
    pub(super) scope: Option<Lit<String>>,
    pub(super) on_hit: OnHit,
    /// Key of the template.
    pub(super) placeholder: String,
    pub(super) except: Option<Excepted>,
    pub(super) span: Span,
}

/// Texts that are not scanned.
#[derive(Debug)]
pub(super) enum Excepted {
    /// The texts in which this is found.
    Pattern(Pattern),
    /// As `Pattern`, with the pattern as the value of a fact.
    Fact(Spanned<String>),
}

/// Resolves every name and compiles every program.
///
/// # Errors
/// When a named item is missing, or has no meaning at its location.
pub fn plan(merged: Merged, files: &Files, diags: &mut Diagnostics) -> Result<Plan, ErrorReported> {
    let Merged {
        manifest,
        templates,
    } = merged;
    let defaults = names::defaults(&manifest, diags);
    let roots = names::Roots::new(&manifest);
    roots.check(diags);
    names::scenarios(&manifest, &roots, diags);
    expects::check(&manifest, diags);
    names::entries(&manifest, diags);
    let mut programs = programs::Programs::new(&manifest, roots, &templates, diags);
    programs.lets();
    programs.sets = scans::rule_sets(&manifest, programs.diags);
    let (budget, bounds) = fit::bounds(&manifest, &mut programs);
    let tiers = lower::tiers(&manifest, bounds, &mut programs);
    let directory_rules = lower::directory_rules(&manifest, &mut programs);
    let who = session::identity(&manifest, &mut programs);
    let refresh = session::refresh(&manifest, &mut programs);
    let reminder = reminder::reminder(&manifest, &mut programs);
    let programs::Checked {
        lets,
        questions,
        homes,
        expressions,
        read,
    } = programs.finish();
    diags.check()?;

    let mut engine = Engine::new();
    for expression in expressions.values() {
        engine.keep_expression(expression.program.text().clone());
    }
    for (key, template) in &templates {
        let text = template.program.text().clone();
        engine.add_analysed_template(key, text, template.ingredient.clone());
    }
    marker::add_default_markers(&mut engine);
    marker::add_default_placeholder(&mut engine);
    let keys = templates
        .iter()
        .filter_map(|(key, t)| Some((identity(&t.ingredient)?, key.clone())))
        .collect();
    let programs = templates
        .into_iter()
        .map(|(key, t)| (key, (t.program, t.analysis)))
        .collect();
    let sheets = manifest.sheets.iter();
    let sheets = sheets.map(|s| (s.file, (s.name.clone(), files.get(s.file).lines.clone())));
    Ok(Plan {
        sheets: sheets.collect(),
        manifest_hash: hash(&manifest, files),
        manifest,
        engine,
        programs,
        expressions,
        read,
        keys,
        defaults,
        lets,
        questions,
        homes,
        budget,
        tiers,
        directory_rules,
        identity: who,
        refresh,
        reminder,
    })
}

impl Plan {
    /// The tokenizer of the prompt's budget, if it counts tokens.
    pub(super) fn tokenizer(&self) -> Option<Tokenizer> {
        self.manifest.tokenizer()
    }

    /// The line of the manifest at which `span` starts, from 1.
    pub(super) fn line_of(&self, span: Span) -> usize {
        let sheet = self.sheets.get(&span.file);
        sheet.map_or(1, |(_, lines)| lines.line(span.start as usize))
    }

    /// The dependencies of a fact or let: the facts and lets that it reads, then itself.
    pub(super) fn read_with(&self, name: &str) -> Vec<Arc<str>> {
        lets::read_with(&self.lets, [name])
    }

    /// The name in the map of the file that `span` is in.
    pub(super) fn name_of(&self, span: Span) -> Arc<str> {
        let sheet = self.sheets.get(&span.file);
        sheet.map_or_else(
            || self.manifest.name_of(span.file),
            |(name, _)| name.clone(),
        )
    }

    /// The program of a template of the map.
    pub(super) fn program_of(&self, template: &Ingredient) -> Option<&Program> {
        let kept = self.programs.get(self.keys.get(&identity(template)?)?);
        kept.map(|(program, _)| program)
    }

    /// The manifest's text about a layer or tier, for the map. `span` is its location.
    pub(super) fn definition(&self, span: Span, nodes: &Arc<[DefinitionNode]>) -> Definition {
        Definition {
            file: self.name_of(span),
            nodes: nodes.clone(),
        }
    }

    /// The error of a template, with the location in its source.
    pub(super) fn diagnostic(&self, key: &str, failure: &Failure) -> Diagnostic {
        match self
            .programs
            .get(failure.template.as_deref().unwrap_or(key))
        {
            Some((program, _)) => failure.diagnostic(program),
            None => Diagnostic::error(failure.code, failure.message.clone()),
        }
    }
}

/// The hash of a manifest's text; of several files, of their hashes in order.
fn hash(manifest: &Manifest, files: &Files) -> String {
    let of = |sheet: &ManifestFile| sha256(files.get(sheet.file).text.as_bytes());
    match manifest.sheets.as_slice() {
        [one] => of(one),
        all => sha256(all.iter().map(of).collect::<Vec<_>>().join("\n")),
    }
}

/// The identity of a template of one manifest in its map.
fn identity(template: &Ingredient) -> Option<(String, Option<usize>, String)> {
    match template {
        Ingredient::Template {
            file, line, sha256, ..
        } => Some((file.clone(), *line, sha256.clone())),
        _ => None,
    }
}

impl Layer {
    /// Its content, then those of its parts.
    pub(super) fn contents(&self) -> impl Iterator<Item = &Node> {
        let parts = self.parts.iter().map(|(_, node)| node);
        self.content.iter().chain(parts)
    }

    /// Every content node in it, groups before their members.
    pub(super) fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.contents().flat_map(Node::descendants)
    }

    /// Whether a budget of its text leaves out whole entries.
    pub(super) fn leaves_out_entries(&self) -> bool {
        let mut budgets = self.budgets.iter();
        budgets.any(|b| matches!(b.limit, Limit::Leading(_) | Limit::Entries(_)))
    }

    /// A required layer came to nothing. `refused` are the budgets that left nothing of it, if they did it.
    pub(super) fn required_absent(&self, detail: &str, refused: &[(Span, String)]) -> Diagnostic {
        let mut message = format!(
            "the required layer `{}` yields nothing: {detail}",
            self.name
        );
        if refused.is_empty() {
            return Diagnostic::error(REQUIRED_LAYER_ABSENT, message)
                .at(self.span)
                .help("give its sources text, or drop required=#true");
        }
        let sums: Vec<&str> = refused
            .iter()
            .take(MOST_SUMS)
            .map(|(_, s)| s.as_str())
            .collect();
        message.push_str("; ");
        message.push_str(&sums.join("; "));
        if let Some(more @ 1..) = refused.len().checked_sub(sums.len()) {
            message.push_str(&format!("; and {more} more"));
        }
        let mut found = Diagnostic::error(REQUIRED_LAYER_ABSENT, message)
            .at(self.span)
            .help(
                "raise the budget, lower its floor or shorten its marker; or drop required=#true",
            );
        let mut places: Vec<Span> = refused.iter().map(|(span, _)| *span).collect();
        places.dedup();
        for place in places.into_iter().take(MOST_SUMS) {
            found = found.related(place, "this budget leaves no room");
        }
        found
    }
}
