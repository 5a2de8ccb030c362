//! Whether the manifest names a document: so an edit that drops a member can be told from a file that is gone.

use super::side::Side;
use crate::prompt::DefinitionNode;
use crate::source::pattern::Name;

/// Whether `without` lacks the node that reads `path` in `with`.
pub(super) fn dropped(with: &Side<'_>, without: &Side<'_>, path: &str) -> bool {
    let (Some(with), Some(without)) = (with.definition(), without.definition()) else {
        return false;
    };
    let named = |nodes: &[DefinitionNode]| nodes.iter().any(|n| names(n, path));
    named(&with.nodes) && !named(&without.nodes)
}

/// Whether a node reads `path`, as far as it is written out.
pub(super) fn names(node: &DefinitionNode, path: &str) -> bool {
    let kind = node.text.split(' ').next().unwrap_or_default();
    let arguments = arguments(&node.text);
    match kind {
        "file" | "json" => arguments.iter().any(|a| {
            path == a
                || path
                    .strip_suffix(a.as_str())
                    .is_some_and(|p| p.ends_with('/'))
        }),
        "glob" => arguments.iter().any(|a| matches(a, path)),
        _ => false,
    }
}

/// Whether a node reads files.
pub(super) fn reads_files(node: &DefinitionNode) -> bool {
    let kind = node.text.split(' ').next().unwrap_or_default();
    matches!(kind, "file" | "json" | "glob")
}

/// The facts that stand in place of a node's arguments: `glob (fact)"runbooks"`.
pub(super) fn facts(node: &DefinitionNode) -> Vec<String> {
    let behind = node.text.split("(fact)\"").skip(1);
    behind
        .filter_map(|rest| Some(rest.split_once('"')?.0.to_owned()))
        .collect()
}

/// The strings among a node's arguments that are written out.
fn arguments(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (at, _) in text.match_indices(" \"") {
        let mut strings = serde_json::Deserializer::from_str(&text[at + 1..]).into_iter::<String>();
        out.extend(strings.next().and_then(Result::ok));
    }
    out
}

/// Whether a glob matches a path; both may stand in a folder that a search climbed to.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    let parts: Vec<&str> = pattern.split('/').collect();
    let names: Vec<&str> = path.split('/').collect();
    (0..names.len()).any(|from| fits(&parts, &names[from..]))
}

fn fits(parts: &[&str], names: &[&str]) -> bool {
    match (parts.split_first(), names.split_first()) {
        (None, None) => true,
        (Some((&"**", [])), _) => true,
        (Some((&"**", rest)), _) => (0..=names.len()).any(|n| fits(rest, &names[n..])),
        (Some((part, rest)), Some((name, behind))) => {
            Name::parse(part).is_ok_and(|p| p.matches(name)) && fits(rest, behind)
        }
        _ => false,
    }
}
