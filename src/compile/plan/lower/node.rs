//! Content nodes.

use super::budget::{budget_class, counted};
use super::inherited::Inherited;
use super::lit::{is_label, is_path, lit, text_fact};
use super::path::{check_globs, file_name};
use super::root::{climb, root, shown_class};
use crate::compile::merge;
use crate::compile::plan::programs::{Programs, Site};
use crate::compile::plan::{Kind, Node, names};
use crate::compile::roots;
use crate::manifest::{self, Missing, NodeKind, Source};
use crate::prompt::Changes;

pub(super) fn node(
    node: &manifest::Node,
    around: &Inherited,
    programs: &mut Programs<'_>,
    class: &mut Changes,
) -> Node {
    let mut inherited = around.with(&node.settings, &node.transforms, programs);
    let label = node.settings.label.clone().or(inherited.label.take());
    let about = node.settings.about.clone().or(inherited.about.take());
    inherited.about.clone_from(&about);
    if let NodeKind::First(_) = node.kind {
        inherited.label.clone_from(&label);
    }
    *class = (*class).max(programs.expression_class(node.settings.when.as_ref(), Site::Plain));
    for text in node.settings.label.iter().chain(&node.settings.about) {
        *class = (*class).max(lit(text, is_label, programs));
    }
    for budget in &node.budgets {
        *class = (*class).max(budget_class(budget, programs));
    }
    let from = node
        .settings
        .from
        .as_ref()
        .filter(|_| node.settings.search.is_some());
    if let Some(from) = from {
        names::known_root(programs.manifest, from, programs.diags);
        *class = (*class).max(programs.root_class(&from.value));
    }
    let reads_root = from.is_some()
        || matches!(
            node.kind,
            NodeKind::Source(Source::File(_) | Source::Json(_) | Source::Glob { .. })
        );
    let root = if reads_root {
        root(node, &inherited, programs)
    } else {
        None
    };
    if let Some(root) = &root {
        *class = (*class).max(shown_class(root, programs));
        *class = (*class).max(
            inherited
                .changes
                .unwrap_or_else(|| programs.root_class(root)),
        );
    }
    let kind = kind(node, &inherited, programs, class);
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
    class: &mut Changes,
) -> Kind {
    let source = match &node.kind {
        NodeKind::First(members) => return Kind::First(below(members, inherited, programs, class)),
        NodeKind::All { join, members } => {
            return Kind::All {
                join: join.clone().unwrap_or_else(|| inherited.join.clone()),
                members: below(members, inherited, programs, class),
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
    *class = (*class)
        .max(inherited.filter_class)
        .max(inherited.import_class)
        .max(inherited.wrap_class);
    match source {
        Source::Text(text) => Kind::Text(text.clone()),
        Source::Fact(name) => {
            text_fact(name, programs);
            *class = (*class).max(programs.name_class(&name.value));
            Kind::Fact(name.clone())
        }
        Source::Json(file) => {
            *class = (*class).max(file_name(file, programs));
            Kind::Json(file.clone())
        }
        Source::File(files) => {
            let classes = files.iter().map(|f| file_name(f, programs));
            *class = classes.fold(*class, Changes::max);
            Kind::File(files.clone())
        }
        Source::Glob {
            patterns,
            exclude,
            hide,
        } => {
            for text in patterns.iter().chain(exclude) {
                *class = (*class).max(lit(text, is_path, programs));
            }
            check_globs(patterns, exclude, programs);
            *class = (*class).max(programs.template_class(hide.as_ref(), Site::Document));
            Kind::Glob {
                patterns: patterns.clone(),
                exclude: exclude.clone(),
                hide: hide.as_ref().map(merge::key),
            }
        }
        Source::Template(template) => {
            *class = (*class).max(programs.template_class(Some(template), Site::Plain));
            Kind::Template(merge::key(template))
        }
    }
}

fn below(
    members: &[manifest::Node],
    inherited: &Inherited,
    programs: &mut Programs<'_>,
    class: &mut Changes,
) -> Vec<Node> {
    members
        .iter()
        .map(|m| node(m, inherited, programs, class))
        .collect()
}
