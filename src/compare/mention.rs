//! Whether the manifest names a document. It distinguishes an edit that drops a member from a file that is gone.

use super::entries::file_of;
use crate::manifest::{NamePart, file_name};
use crate::prompt::DefinitionNode;
use crate::source::SourceKind;
use crate::source::kind::Names;
use crate::source::pattern::Name;

/// The kind of names of a node, if it reads files.
fn names_are(node: &DefinitionNode) -> Option<Names> {
    Some(SourceKind::of(&node.name)?.names)
}

/// The strings among a node's arguments that are written out.
fn written(node: &DefinitionNode) -> Vec<String> {
    let plain = node.arguments.iter().filter(|value| !value.is_fact());
    plain
        .filter_map(|value| value.string().map(str::to_owned))
        .collect()
}

/// Whether a node reads `path`, as far as it is written out.
pub(super) fn names(node: &DefinitionNode, path: &str) -> bool {
    let Some(names) = names_are(node) else {
        return false;
    };
    // Whatever the facts in it say.
    let any = |_: &str| None;
    written(node).iter().any(|name| match names {
        Names::File | Names::Files => is_name(name, path, &any),
        Names::Patterns => matches(name, path),
        Names::Folder => is_above(name, path, &any),
    })
}

/// Whether a node reads files.
pub(super) fn reads_files(node: &DefinitionNode) -> bool {
    names_are(node).is_some()
}

/// The facts that replace a node's arguments, `glob (fact)"runbooks"`, and those in the names of its files, `file
/// "{platform}.md"`.
pub(super) fn facts(node: &DefinitionNode) -> Vec<String> {
    let whole = node.values().filter(|value| value.is_fact());
    let whole = whole.filter_map(|value| value.string().map(str::to_owned));
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

/// The names of files and folders that a node writes out, facts in them and all.
pub(super) fn names_of(node: &DefinitionNode) -> Vec<String> {
    match names_are(node) {
        Some(Names::File | Names::Files | Names::Folder) => written(node),
        Some(Names::Patterns) | None => Vec::new(),
    }
}

/// The patterns that a node writes out.
pub(super) fn patterns_of(node: &DefinitionNode) -> Vec<String> {
    match names_are(node) {
        Some(Names::Patterns) => written(node),
        _ => Vec::new(),
    }
}

/// Whether `name`, one of those that a node writes out, can mean `path`: the file itself, or a folder above it.
pub(super) fn means(
    node: &DefinitionNode,
    name: &str,
    path: &str,
    value: &dyn Fn(&str) -> Option<String>,
) -> bool {
    match names_are(node) {
        Some(Names::Folder) => is_above(name, path, value),
        _ => is_name(name, path, value),
    }
}

/// Whether `name`, the value of a fact in place of a node's name, can mean `path`.
pub(super) fn finds(node: &DefinitionNode, name: &str, path: &str) -> bool {
    let is = |path: &str| is_at(&[Some(name.to_owned())], path);
    match names_are(node) {
        Some(Names::File | Names::Files) => is(path),
        Some(Names::Patterns) => matches(name, path),
        Some(Names::Folder) => name == "." || folders(path).any(is),
        None => false,
    }
}

/// Whether a name that is written out can mean a folder above `path`.
fn is_above(name: &str, path: &str, value: &dyn Fn(&str) -> Option<String>) -> bool {
    name == "." || folders(path).any(|folder| is_name(name, folder, value))
}

fn folders(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

/// Whether a literal name can mean `path`, which may be in a folder that a search climbed to. A fact with an
/// unknown value matches anything.
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
    is_at(&pieces, path)
}

/// Whether `path`, or its part after a folder, consists of these pieces; an unknown one matches anything.
fn is_at(pieces: &[Option<String>], path: &str) -> bool {
    let path = file_of(path);
    let starts = path.match_indices('/').map(|(at, _)| at + 1);
    let mut starts = starts.chain([0]);
    starts.any(|start| is_made_of(pieces, &path[start..]))
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

/// Whether a glob matches a path; both may be in a folder that a search climbed to.
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
