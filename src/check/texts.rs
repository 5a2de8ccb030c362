//! The texts of sources in a built prompt, for the rules that search them.
//!
//! A rule searches a whole layer, so that a label of the manifest and a value of a document are seen as one line;
//! the map gives the owner of a hit. Text of the manifest and its templates is constant, so it is never reported.

use super::page::Page;
use super::rows;
use super::{Build, Context, DocumentPlace, Finding, FindingSet, Rule};
use crate::compile::NodeUse;
use crate::manifest::{FileName, NodeKind, Source};
use crate::prompt::{Changes, Ingredient, Layer, Span};
use crate::source::kind::Names;
use crate::text::SpanKind;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The most characters of a line that a message quotes.
const QUOTED: usize = 60;

/// Finds hits in a page.
pub(super) type Find = fn(&Page) -> Vec<Range<usize>>;

/// The search of a rule.
#[derive(Debug)]
pub struct Search {
    /// Layers of this volatility and more volatile ones may have it; none if no layer should.
    pub(super) fits: Option<Changes>,
    /// The name of a hit, with its article.
    pub(super) what: &'static str,
    /// How to fix it.
    pub(super) help: &'static str,
    /// Finds more hits in a page than the rows of the rule do.
    pub(super) find: Option<Find>,
}

/// The hits of one owner in one layer.
struct Hits<'a> {
    owner: &'a Ingredient,
    first: Range<usize>,
    /// The line in the document; none if a filter changed the text.
    line: Option<usize>,
    /// The lines of the page that have hits, by their first bytes.
    lines: BTreeSet<usize>,
}

/// Runs the search of a rule over every layer that should be more stable than its hits.
pub(super) fn search(
    context: &Context<'_>,
    build: &Build,
    found: &mut FindingSet,
    (rule, search): (&'static Rule, &Search),
) {
    for page in build.pages() {
        let channel = &build.prompt.channels[page.channel];
        let layer = &channel.layers[page.layer];
        let Some((written, site)) = context.analysis.layer(&layer.name) else {
            continue;
        };
        // As its tier promises, and at least as what is in it.
        let changes = site.changes.max(written.why.changes);
        if search.fits.is_some_and(|fits| changes >= fits) {
            continue;
        }
        for hits in by_owner(page, layer, hits(page, rule, search)) {
            if !declares(context, hits.owner) {
                let node = node(context, &layer.name, hits.owner);
                let (place, site) = node.map_or((written.written.name.span, site), |n| {
                    (n.node.span, &n.site)
                });
                let message = message(page, layer, changes, &hits, search);
                let finding = Finding::new(rule, place, message)
                    .within(site)
                    .help(search.help);
                let mut finding = blame(context, finding, &hits);
                finding.scenario.clone_from(&build.scenario);
                found.push(finding);
            }
        }
    }
}

/// The hits in a page, in order.
fn hits(page: &Page, rule: &Rule, search: &Search) -> Vec<Range<usize>> {
    let mut hits = rows::find(page, rule.code.name);
    hits.extend(search.find.into_iter().flat_map(|find| find(page)));
    // A pattern with a heading begins a line above.
    hits.sort_by_key(|hit| hit.end);
    hits
}

/// Whether the manifest says itself that a fact is another one from conversation to conversation.
fn declares(context: &Context<'_>, owner: &Ingredient) -> bool {
    let Ingredient::Fact { name, .. } = owner else {
        return false;
    };
    let mut facts = context.manifest().facts.iter();
    let fact = facts.find(|f| f.name.value == *name);
    let changes = fact.and_then(|f| f.changes.as_ref());
    changes.is_some_and(|c| c.value >= Changes::Session)
}

/// The hits, grouped by the owner of their end; hits in the manifest, in private text and in text without an owner
/// are left out.
fn by_owner<'a>(page: &Page, layer: &'a Layer, hits: Vec<Range<usize>>) -> Vec<Hits<'a>> {
    let mut all: Vec<Hits<'a>> = Vec::new();
    let mut known: BTreeMap<_, usize> = BTreeMap::new();
    for hit in hits {
        let Some((span, owner)) = owner(layer, &hit) else {
            continue;
        };
        let start = page.line(hit.start).start;
        match known.entry(key(owner)) {
            Entry::Occupied(at) => {
                all[*at.get()].lines.insert(start);
            }
            Entry::Vacant(place) => {
                place.insert(all.len());
                let from = span.start - layer.start;
                let before = &page.text.as_bytes()[from..hit.start.max(from)];
                let line = span.line.filter(|_| span.kind == SpanKind::Document);
                all.push(Hits {
                    owner,
                    line: line.map(|l| l + crate::diagnostic::span::count_newlines(before)),
                    first: hit,
                    lines: BTreeSet::from([start]),
                });
            }
        }
    }
    all
}

fn owner<'a>(layer: &'a Layer, hit: &Range<usize>) -> Option<(Span, &'a Ingredient)> {
    let (from, to) = (layer.start + hit.start, layer.start + hit.end);
    // They tile the layer.
    let behind = layer.spans.partition_point(|span| span.start < to);
    let spans = layer.spans[..behind].iter().rev();
    let mut spans = spans.take_while(|span| from < span.end);
    spans.find_map(|span| {
        let owner = layer.ingredients.get(span.ingredient? as usize)?;
        let blamed = match owner {
            Ingredient::Document { .. } => true,
            Ingredient::Fact { private, .. } => !private,
            _ => false,
        };
        blamed.then_some((*span, owner))
    })
}

/// The identity of a file or fact that several ingredients share.
fn key(owner: &Ingredient) -> Option<(&str, &str)> {
    match owner {
        Ingredient::Document { root, path, .. } => Some((root, path)),
        Ingredient::Fact { name, .. } => Some(("", name)),
        _ => None,
    }
}

/// The message about the hits: what, where and in which text.
fn message(
    page: &Page,
    layer: &Layer,
    changes: Changes,
    hits: &Hits<'_>,
    search: &Search,
) -> String {
    let mut message = format!(
        "{} has {} in the layer `{}` of the tier `{}`, which changes {}: “{}”",
        shown(hits),
        search.what,
        layer.name,
        layer.tier,
        how_often(changes),
        quote(page, layer, &hits.first)
    );
    if let more @ 1.. = hits.lines.len() - 1 {
        let lines = if more == 1 { "line" } else { "lines" };
        message.push_str(&format!(", and {more} more {lines}"));
    }
    message
}

/// Adds the document or fact: its place, and where it is declared, so that a waiver there counts.
fn blame(context: &Context<'_>, mut finding: Finding, hits: &Hits<'_>) -> Finding {
    match hits.owner {
        Ingredient::Document { root, path, .. } => {
            finding.document = Some(DocumentPlace {
                root: root.clone(),
                path: path.clone(),
                line: hits.line.unwrap_or(1),
            });
            let mut roots = context.manifest().roots.iter();
            let declared = roots.find(|r| r.name.value == *root);
            finding.around.extend(declared.map(|r| r.span));
            finding
        }
        Ingredient::Fact { name, .. } => {
            let mut facts = context.manifest().facts.iter();
            match facts.find(|f| f.name.value == *name) {
                Some(fact) => finding
                    .around(fact.span)
                    .related(fact.name.span, "declared here"),
                None => finding,
            }
        }
        _ => finding,
    }
}

fn shown(hits: &Hits<'_>) -> String {
    match (hits.owner, hits.line) {
        (Ingredient::Document { root, path, .. }, Some(line)) => {
            format!("`{path}:{line}` of the root `{root}`")
        }
        (Ingredient::Document { root, path, .. }, None) => {
            format!("`{path}` of the root `{root}`")
        }
        (Ingredient::Fact { name, .. }, _) => format!("the fact `{name}`"),
        _ => String::new(),
    }
}

fn how_often(changes: Changes) -> &'static str {
    match changes {
        Changes::Never => "never",
        Changes::Deploy => "with a deployment",
        Changes::Session => "from session to session",
        Changes::Day => "every day",
        Changes::Turn => "at every call",
    }
}

/// The line around a hit, as far as it may be shown.
fn quote(page: &Page, layer: &Layer, hit: &Range<usize>) -> String {
    let line = page.line(hit.start);
    let private = |i: &Ingredient| match i {
        Ingredient::Fact { private, .. } => *private,
        Ingredient::Let { .. } => true,
        _ => false,
    };
    let any = layer.ingredients.iter().any(private);
    let mut shown = String::new();
    for span in &layer.spans {
        let (start, end) = (span.start - layer.start, span.end - layer.start);
        let (from, to) = (start.max(line.start), end.min(line.end));
        if from >= to {
            continue;
        }
        let owner = span.ingredient.map(|i| &layer.ingredients[i as usize]);
        // What a filter made may hold more than the ingredient that it is written to.
        let hidden = owner.is_some_and(private) || any && span.kind == SpanKind::Derived;
        if hidden {
            shown.push('…')
        } else {
            shown.push_str(&page.text[from..to])
        }
    }
    let text: String = shown
        .chars()
        .map(|c| {
            if c.is_control() || c == '\u{feff}' {
                ' '
            } else {
                c
            }
        })
        .collect();
    let text = text.trim();
    match text.char_indices().nth(QUOTED) {
        Some((cut, _)) => format!("{}…", text[..cut].trim_end()),
        None => text.to_owned(),
    }
}

/// The one content node that the owner's text can have come from.
fn node<'c, 'a>(
    context: &'c Context<'a>,
    layer: &str,
    owner: &Ingredient,
) -> Option<&'c NodeUse<'a>> {
    let mut candidates = context.analysis.of_prompt().filter(|node| {
        let stands = node.site.layer.is_some_and(|l| l.name.value == layer);
        stands && may_yield(node, owner)
    });
    let first = candidates.next();
    first.filter(|_| candidates.next().is_none())
}

fn may_yield(node: &NodeUse<'_>, owner: &Ingredient) -> bool {
    match (&node.node.kind, owner) {
        (NodeKind::Source(Source::Fact(fact)), Ingredient::Fact { name, .. }) => {
            fact.value == *name
        }
        (NodeKind::Source(Source::Reading(reading)), Ingredient::Document { root, path, .. }) => {
            let named = match reading.kind.names {
                Names::File | Names::Files => reading.names.iter().any(|name| ends_as(name, path)),
                Names::Patterns | Names::Folder => true,
            };
            named && node.root() == root
        }
        _ => false,
    }
}

/// Whether a file of that name may have this path: a search finds it in any folder.
fn ends_as(name: &FileName, path: &str) -> bool {
    name.constant().is_none_or(|text| path.ends_with(text))
}
