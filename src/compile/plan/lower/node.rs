//! Content nodes.

use super::budget::{budget_why, counted};
use super::inherited::Inherited;
use super::lit::{is_label, is_path, is_size, lit, text_fact};
use super::path::{check_delimiter, check_excludes, check_globs, check_texts, file_name};
use super::root::{climb, root, shown_why};
use crate::compile::merge;
use crate::compile::plan::programs::{Programs, Site};
use crate::compile::plan::why::{Link, What, Why};
use crate::compile::plan::{Kind, Node, Skills, names};
use crate::compile::roots;
use crate::manifest::{self, Frontmatter, Missing, NodeKind, Source};
use crate::span::{Literal, Span};

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
    why.add(programs.expression_why(What::Condition, condition, Site::Plain));
    for text in node.settings.label.iter().chain(&node.settings.about) {
        let link = Link::new(What::Label, "", text.span());
        why.through(&link, lit(text, is_label, programs));
    }
    for budget in &node.budgets {
        why.add(budget_why(budget, Site::Marker, programs));
    }
    if let NodeKind::Source(Source::Skills(_)) = node.kind {
        let steps = &mut inherited.steps;
        let own = steps.frontmatter.filter(|rule| rule.parse);
        steps.frontmatter = Some(own.unwrap_or_else(|| Frontmatter::parsed(node.span)));
    }
    let from = node
        .settings
        .from
        .as_ref()
        .filter(|_| node.settings.search.is_some());
    if let Some(from) = from {
        names::known_root(programs.manifest, from, programs.diags);
        why.add(programs.root_why(&from.value, from.span));
    }
    let reads_root =
        from.is_some() || matches!(&node.kind, NodeKind::Source(source) if source.reads_root());
    let root = if reads_root {
        root(node, &inherited, programs)
    } else {
        None
    };
    if let Some(root) = &root {
        let link = Link::new(What::Source, node.kind.word(), node.span);
        why.through(&link, shown_why(root, programs));
        let read = match &inherited.changes {
            Some(changes) => Why::one(
                changes.value,
                Link::new(What::Root, root.clone(), node.span),
                Some(changes.span),
            ),
            None => programs.root_why(root, node.span),
        };
        why.through(&link, read);
    }
    let kind = kind(node, &inherited, programs, why);
    let declared = root
        .as_deref()
        .and_then(|r| roots::declared(programs.manifest, r));
    let missing = inherited
        .missing
        .or(declared.and_then(|r| r.missing.as_ref()).map(|m| m.value))
        .unwrap_or(Missing::Skip);
    Node {
        kind,
        when: node.settings.when.clone(),
        filters: inherited.filters,
        missing,
        invalid: inherited.invalid,
        label,
        about,
        root,
        climb: from.map(|from| climb(&node.settings, from)),
        steps: inherited.steps,
        budgets: counted(&node.budgets, programs),
        span: node.span,
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
        // What merging has left in place of it is nothing.
        NodeKind::Base { .. } => {
            return Kind::All {
                join: inherited.join.clone(),
                members: Vec::new(),
            };
        }
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
        Source::Json(file) => {
            why.through(&link, file_name(file, programs));
            Kind::Json(file.clone())
        }
        Source::File(files) => {
            for file in files {
                why.through(&link, file_name(file, programs));
            }
            Kind::File(files.clone())
        }
        Source::Glob {
            patterns,
            exclude,
            hide,
        } => {
            for text in patterns.iter().chain(exclude.iter().flat_map(|e| &e.names)) {
                why.through(&link, lit(text, is_path, programs));
            }
            check_globs(patterns, programs);
            check_excludes(exclude, programs);
            why.add(programs.template_why(What::Hide, hide.as_ref(), Site::Document));
            Kind::Glob {
                patterns: patterns.clone(),
                exclude: exclude.clone(),
                hide: hide.as_ref().map(merge::key),
            }
        }
        Source::Memory(memory) => {
            let newlines = inherited.steps.newlines;
            why.through(&link, memory_why(memory, newlines, programs));
            Kind::Memory(memory.clone())
        }
        Source::Skills(skills) => {
            why.through(&link, skills_why(skills, programs));
            let hide = skills.hide.as_ref();
            why.add(programs.template_why(What::Hide, hide, Site::Document));
            Kind::Skills(Box::new(resolved(skills, node.span)))
        }
        Source::Template(template) => {
            why.add(programs.template_why(What::Template, Some(template), Site::Plain));
            Kind::Template(merge::key(template))
        }
    }
}

/// Between entries, if the manifest says nothing.
const LINES: &str = "\n";

fn resolved(skills: &manifest::Skills, span: Span) -> Skills {
    let join = skills.join.clone();
    Skills {
        folder: skills.folder.clone(),
        join: join.unwrap_or_else(|| Literal::new(LINES, span, Vec::new())),
        exclude: skills.exclude.clone(),
        allow: skills.allow.clone(),
        deny: skills.deny.clone(),
        hide: skills.hide.as_ref().map(merge::key),
        shadow: skills.shadow,
    }
}

/// What the name of a memory and its capacity depend on; they are checked.
fn memory_why(memory: &manifest::Memory, newlines: bool, programs: &mut Programs<'_>) -> Why {
    let mut why = file_name(&memory.file, programs);
    if let Some(capacity) = &memory.capacity {
        why.add(lit(capacity, is_size, programs));
    }
    check_delimiter(&memory.delimiter, newlines, programs);
    why
}

/// What the names of skills and of their folder depend on; they are checked.
fn skills_why(skills: &manifest::Skills, programs: &mut Programs<'_>) -> Why {
    let mut why = file_name(&skills.folder, programs);
    for text in skills.lits() {
        why.add(lit(text, is_path, programs));
    }
    check_excludes(&skills.exclude, programs);
    check_texts(skills.allow.iter().chain(&skills.deny), programs);
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
