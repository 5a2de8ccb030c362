//! Content nodes.

use super::budget::{budget_why, counted};
use super::inherited::Inherited;
use super::path::{check_delimiter, check_excludes, check_texts, file_name, pattern};
use super::root::{climb, root, shown_why};
use crate::compile::merge;
use crate::compile::plan::lit::{is_label, is_path, is_size, lit, text_fact};
use crate::compile::plan::programs::Programs;
use crate::compile::plan::visible::Visible;
use crate::compile::plan::why::{Link, What, Why};
use crate::compile::plan::{Kind, Node, Steps};
use crate::diagnostic::span::Spanned;
use crate::manifest::{self, Frontmatter, NodeKind, Reading, Source};
use crate::source::kind::Names;

pub(super) fn node(
    node: &manifest::Node,
    around: &Inherited,
    programs: &mut Programs<'_>,
    why: &mut Why,
) -> Node {
    let mut inherited = around.with(&node.settings, &node.transforms, programs);
    let label = node.settings.label.clone().or(inherited.label.take());
    let about = node.settings.about.clone().or(inherited.about.take());
    inherited.about.clone_from(&about);
    if let NodeKind::First(_) = node.kind {
        inherited.label.clone_from(&label);
    }
    let condition = node.settings.when.as_ref();
    why.add(programs.expression_why(What::Condition, condition, Visible::Plain));
    for text in node.settings.label.iter().chain(&node.settings.about) {
        let link = Link::new(What::Label, "", text.span());
        why.through(&link, lit(text, is_label, programs));
    }
    for budget in &node.budgets {
        why.add(budget_why(budget, Visible::Marker, programs));
    }
    front_matter(node, &mut inherited);
    let from = node
        .settings
        .from
        .as_ref()
        .filter(|_| node.settings.search.is_some());
    if let Some(from) = from {
        programs.roots.known(from, programs.diags);
        why.add(programs.root_why(&from.value, from.span));
    }
    let root = if from.is_some() || node.kind.reading().is_some() {
        root(node, &inherited, programs)
    } else {
        None
    };
    if let Some(Spanned { value: root, .. }) = &root {
        let link = Link::new(What::Source, node.kind.word(), node.span);
        why.through(&link, shown_why(root, programs));
        let read = match &inherited.changes {
            Some(changes) => Why::one(
                changes.value,
                Link::new(What::Root, root.as_str(), node.span),
                Some(changes.span),
            ),
            None => programs.root_why(root, node.span),
        };
        why.through(&link, read);
    }
    let kind = kind(node, &inherited, programs, why);
    let declared = root
        .as_ref()
        .and_then(|r| programs.roots.declared(&r.value));
    let missing = inherited
        .missing
        .or(declared.and_then(|r| r.missing.as_ref()).map(|m| m.value));
    Node {
        kind,
        when: node.settings.when.clone(),
        filters: inherited.filters,
        missing,
        invalid: inherited.invalid,
        label,
        about,
        root: root.map(|root| programs.bound_as(&root)),
        climb: from.map(|from| climb(&node.settings, from, programs)),
        steps: inherited.steps,
        budgets: counted(&node.budgets, programs),
        span: node.span,
    }
}

/// A listed file has its front matter read, whatever the settings around it.
fn front_matter(node: &manifest::Node, inherited: &mut Inherited) {
    if node.kind.reading().is_some_and(|r| r.kind.is_listed()) {
        let steps = &mut inherited.steps;
        let own = steps.frontmatter.filter(|rule| rule.parse);
        steps.frontmatter = Some(own.unwrap_or_else(|| Frontmatter::parsed(node.span)));
    }
}

fn kind(
    node: &manifest::Node,
    inherited: &Inherited,
    programs: &mut Programs<'_>,
    why: &mut Why,
) -> Kind {
    let source = match &node.kind {
        NodeKind::First(members) => return Kind::First(below(members, inherited, programs, why)),
        NodeKind::All { join, members } => {
            return Kind::All {
                join: join.clone().unwrap_or_else(|| inherited.join.clone()),
                members: below(members, inherited, programs, why),
            };
        }
        NodeKind::Source(source) => source,
    };
    // Only documents are filtered and wrapped, so these programs count where there are some.
    why.add(inherited.filter_why.clone());
    why.add(inherited.import_why.clone());
    why.add(inherited.scan_why.clone());
    why.add(inherited.wrap_why.clone());
    let link = Link::new(What::Source, node.kind.word(), node.span);
    match source {
        Source::Text(text) => Kind::Text(text.clone()),
        Source::Fact(name) => {
            text_fact(name, programs);
            why.through(&link, programs.name_why(&name.value, name.span));
            Kind::Fact(name.clone())
        }
        Source::Template(template) => {
            why.add(programs.template_why(What::Template, Some(template), Visible::Plain));
            Kind::Template(merge::key(template))
        }
        Source::Reading(reading) => {
            why.through(&link, reading_why(reading, &inherited.steps, programs));
            let hide = reading.choice.hide.as_ref();
            why.add(programs.template_why(What::Hide, hide, Visible::Document));
            Kind::Reading {
                reading: reading.clone(),
                hide: hide.map(merge::key),
            }
        }
    }
}

/// The dependencies of the names and settings of a source; they are checked.
fn reading_why(reading: &Reading, steps: &Steps, programs: &mut Programs<'_>) -> Why {
    let mut why = Why::default();
    for name in &reading.names {
        why.add(match reading.kind.names {
            Names::Patterns => pattern(name, programs),
            Names::File | Names::Files | Names::Folder => file_name(name, programs),
        });
    }
    for text in reading.choice.lits() {
        why.add(lit(text, is_path, programs));
    }
    if let Some(capacity) = &reading.capacity {
        why.add(lit(capacity, is_size, programs));
    }
    check_excludes(&reading.choice.exclude, programs);
    check_texts(
        reading.choice.allow.iter().chain(&reading.choice.deny),
        programs,
    );
    if let Some(delimiter) = reading
        .between
        .as_ref()
        .filter(|_| reading.kind.entries().is_some())
    {
        check_delimiter(delimiter, steps.newlines, programs);
    }
    why
}

fn below(
    members: &[manifest::Node],
    inherited: &Inherited,
    programs: &mut Programs<'_>,
    why: &mut Why,
) -> Vec<Node> {
    members
        .iter()
        .map(|m| node(m, inherited, programs, why))
        .collect()
}
