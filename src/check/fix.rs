//! Makes the edits that are safe in the text of the manifest.

use super::finding::{Edit, Finding, Fix};
use super::layout::Page;
use crate::compile::Plan;
use crate::diagnostic::span::FileId;
use crate::prompt::DefinitionNode;
use std::collections::BTreeMap;
use std::ops::Range;

/// A text with edits made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    /// The new text.
    pub text: String,
    /// The findings whose edits were made, by index.
    pub made: Vec<usize>,
    /// The findings whose edits belong to another file, by index: a base, an included file, a template, a
    /// built-in.
    pub elsewhere: Vec<usize>,
}

/// Makes the edits of `findings` in `text`, the text of `file`. An edit that overlaps an earlier one waits until
/// the manifest was checked again. So does a second edit with several parts, such as a move, which is safe only in
/// the order that was checked.
#[must_use]
pub fn fix(text: &str, file: FileId, findings: &[Finding]) -> Fixed {
    let mut all: Vec<(Range<usize>, &str)> = Vec::new();
    let (mut made, mut elsewhere) = (Vec::new(), Vec::new());
    let mut moved = false;
    let page = Page::new(file, text);
    for (index, finding) in findings.iter().enumerate() {
        let Some(Fix { edit, .. }) = &finding.fix else {
            continue;
        };
        let Some(parts) = parts(text, file, &page, edit) else {
            elsewhere.push(index);
            continue;
        };
        let touches = |(range, _): &(Range<usize>, &str)| {
            all.iter()
                .any(|(other, _)| range.start <= other.end && other.start <= range.end)
        };
        let moves = parts.len() > 1;
        let waits = moves && moved || parts.iter().any(touches);
        if !waits {
            moved |= moves;
            all.extend(parts);
            made.push(index);
        }
    }
    Fixed {
        text: spliced(text, all),
        made,
        elsewhere,
    }
}

/// A text with these parts replaced.
pub(super) fn spliced(text: &str, mut parts: Vec<(Range<usize>, &str)>) -> String {
    parts.sort_by_key(|(range, _)| range.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, inserted) in parts {
        out.push_str(&text[at..range.start]);
        out.push_str(inserted);
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

/// The edits as places in `text`; none if one is in another file.
fn parts<'e>(
    text: &str,
    file: FileId,
    page: &Page<'_>,
    edit: &'e Edit,
) -> Option<Vec<(Range<usize>, &'e str)>> {
    let part = |part: &'e crate::diagnostic::Suggestion| {
        let range = part.span.range();
        let there = part.span.file == file && text.get(range.clone()).is_some();
        let range = if part.text.is_empty() && there {
            page.removed(range)
        } else {
            range
        };
        there.then_some((range, part.text.as_str()))
    };
    edit.iter().map(part).collect()
}

/// Whether two plans have the same layers in the same tiers, each written alike: what every edit must leave as it is.
///
/// # Errors
/// The first layer, by name, that differs.
pub fn same_layers(before: &Plan, after: &Plan) -> Result<(), String> {
    let (before, after) = (layers(before), layers(after));
    for name in before.keys().chain(after.keys()) {
        if before.get(name) != after.get(name) {
            return Err((*name).to_owned());
        }
    }
    Ok(())
}

/// The tier of a node and its definitions in both texts. Their lines may differ, and waivers yield no text.
type Written<'p> = (&'p str, [Vec<DefinitionNode>; 2]);

fn layers(plan: &Plan) -> BTreeMap<&str, Written<'_>> {
    let mut out = BTreeMap::new();
    for tier in plan.tiers() {
        for layer in &tier.layers {
            let definitions = [&tier.written.definition, &layer.written.definition];
            let written = definitions.map(|nodes| without_waivers(nodes));
            let name = layer.written.name.value.as_str();
            out.insert(name, (tier.written.name.value.as_str(), written));
        }
    }
    out
}

fn without_waivers(nodes: &[DefinitionNode]) -> Vec<DefinitionNode> {
    let nodes = nodes.iter().filter(|node| !node.is("waive"));
    nodes
        .map(|node| DefinitionNode {
            line: 0,
            ..node.clone()
        })
        .collect()
}
