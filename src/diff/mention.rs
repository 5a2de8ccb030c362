//! Whether the manifest names a document: so an edit that drops a member can be told from a file that is gone.

use super::entries::file_of;
use super::side::Side;
use crate::manifest::{NamePart, file_name};
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
        // Whatever the facts in it say.
        "file" | "json" | "memory" => arguments.iter().any(|a| is_name(a, path, &|_| None)),
        "glob" => arguments.iter().any(|a| matches(a, path)),
        "skills" => arguments
            .iter()
            .take(1)
            .any(|a| is_above(a, path, &|_| None)),
        _ => false,
    }
}

/// Whether a node reads files.
pub(super) fn reads_files(node: &DefinitionNode) -> bool {
    let kind = node.text.split(' ').next().unwrap_or_default();
    matches!(kind, "file" | "json" | "glob" | "skills" | "memory")
}

/// The facts that stand in place of a node's arguments, `glob (fact)"runbooks"`, and those in the names of its files,
/// `file "{platform}.md"`.
pub(super) fn facts(node: &DefinitionNode) -> Vec<String> {
    let behind = node.text.split("(fact)\"").skip(1);
    let whole = behind.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned()));
    let inside = names_of(node).into_iter().flat_map(|name| {
        let parts = file_name::parts(&name).unwrap_or_default();
        let facts = parts.into_iter().filter_map(|part| match part {
            NamePart::Fact(at) => Some(name[at].to_owned()),
            NamePart::Text(_) => None,
        });
        facts.collect::<Vec<_>>()
    });
    whole.chain(inside).collect()
}

/// The names of files that a node writes out, facts in them and all.
pub(super) fn names_of(node: &DefinitionNode) -> Vec<String> {
    match node.text.split(' ').next() {
        Some("file" | "json" | "memory") => arguments(&node.text),
        // Between the entries stands its join.
        Some("skills") => arguments(&node.text).into_iter().take(1).collect(),
        _ => Vec::new(),
    }
}

/// Whether `name`, one of those that a node writes out, can mean `path`: the file itself, or for `skills` a folder above it.
pub(super) fn means(
    node: &DefinitionNode,
    name: &str,
    path: &str,
    value: &dyn Fn(&str) -> Option<String>,
) -> bool {
    match node.text.starts_with("skills ") {
        true => is_above(name, path, value),
        false => is_name(name, path, value),
    }
}

/// Whether a name that is written out can mean a folder above `path`.
fn is_above(name: &str, path: &str, value: &dyn Fn(&str) -> Option<String>) -> bool {
    let mut folders = path.match_indices('/').map(|(at, _)| &path[..at]);
    name == "." || folders.any(|folder| is_name(name, folder, value))
}

/// Whether a name that is written out can mean `path`, which may stand in a folder that a search climbed to. A fact whose
/// value is not known stands for anything.
pub(super) fn is_name(name: &str, path: &str, value: &dyn Fn(&str) -> Option<String>) -> bool {
    let Ok(parts) = file_name::parts(name) else {
        return false;
    };
    let pieces: Vec<Option<String>> = parts
        .into_iter()
        .map(|part| match part {
            NamePart::Text(text) => Some(text),
            NamePart::Fact(at) => value(&name[at]),
        })
        .collect();
    let path = file_of(path);
    let starts = path.match_indices('/').map(|(at, _)| at + 1);
    starts
        .chain([0])
        .any(|start| is_made_of(&pieces, &path[start..]))
}

fn is_made_of(pieces: &[Option<String>], text: &str) -> bool {
    match pieces.split_first() {
        None => text.is_empty(),
        Some((Some(piece), rest)) => text
            .strip_prefix(piece.as_str())
            .is_some_and(|behind| is_made_of(rest, behind)),
        Some((None, rest)) => {
            let component = text.split('/').next().unwrap_or_default();
            let ends = component.char_indices().map(|(at, c)| at + c.len_utf8());
            ends.into_iter().any(|end| is_made_of(rest, &text[end..]))
        }
    }
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
    let names: Vec<&str> = file_of(path).split('/').collect();
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
