//! Printing a tree gives its file, and an edit changes one place of it and nothing else.

use super::lex::{Kind, solid};
use super::oracle::{cases, document, mutated, said};
use super::{Nodes, Tree, read, write};
use crate::diagnostic::span::Files;
use proptest::prelude::*;
use proptest::sample::Index;
use std::ops::Range;

/// A node without its children: how deep it is, what it is, and its arguments and properties.
#[derive(Debug, Clone, PartialEq)]
struct Flat {
    depth: usize,
    head: String,
    /// The names and the value of each.
    entries: Vec<(String, String)>,
}

fn tree(text: &str) -> Option<Tree> {
    let mut files = Files::default();
    let file = files.add("promptc.kdl", text);
    read(file, &files.get(file).text).ok()
}

fn flat(tree: &Tree) -> Vec<Flat> {
    let mut out = Vec::new();
    add(tree.nodes(), 0, &mut out);
    out
}

fn add(nodes: Nodes<'_>, depth: usize, out: &mut Vec<Flat>) {
    for node in nodes {
        let ty = node.ty().map(|ty| ty.value());
        let entries = node.entries().map(|entry| {
            let names = [entry.name(), entry.ty()].map(|word| word.map(|w| w.value()));
            (format!("{names:?}"), said(entry.value()))
        });
        out.push(Flat {
            depth,
            head: format!(
                "{:?} {ty:?} {}",
                node.name().value(),
                node.children().is_some()
            ),
            entries: entries.collect(),
        });
        add(node.below(), depth + 1, out);
    }
}

/// The text with something else at `place`, and what is read of it.
fn edited(text: &str, place: Range<usize>, new: &str) -> (String, Option<Vec<Flat>>) {
    let mut text = text.to_owned();
    text.replace_range(place, new);
    let read = tree(&text).map(|tree| flat(&tree));
    (text, read)
}

fn printed(tree: &Tree) -> String {
    let texts = tree
        .tokens()
        .iter()
        .map(|token| &tree.sources[0].src[token.range()]);
    texts.collect()
}

/// The node and what ends it if that is `;`, which would then end nothing.
fn whole(tree: &Tree, node: usize) -> Range<usize> {
    let data = &tree.nodes[node];
    let (start, end) = (data.start as usize, data.end as usize);
    let after = tree.tokens().partition_point(|token| token.start < end);
    match tree.tokens().get(solid(tree.tokens(), after)) {
        Some(token) if token.kind == Kind::Semicolon => start..token.end,
        _ => start..end,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases()) })]

    #[test]
    fn printing_and_edits_change_nothing_else(
        text in prop_oneof![document(), mutated()], at in any::<Index>(), new in "[a\"\\\\\n#é]{0,4}",
    ) {
        let Some(tree) = tree(&text) else { return Ok(()) };
        prop_assert_eq!(printed(&tree), text.as_str());
        let before = flat(&tree);
        if !tree.nodes.is_empty() {
            let node = at.index(tree.nodes.len());
            let data = &tree.nodes[node];
            let mut wanted = before.clone();
            wanted[node].entries.insert(0, ("[Some(\"p\"), None]".to_owned(), format!("{new:?}")));
            let end = data.name.end as usize;
            let (made, read) = edited(&text, end..end, &format!(" p={}", write::name(&new)));
            prop_assert_eq!(read, Some(wanted), "{:?}", made);
            let mut wanted = before.clone();
            wanted.drain(node..data.below as usize);
            let (made, read) = edited(&text, whole(&tree, node), "");
            prop_assert_eq!(read, Some(wanted), "{:?}", made);
        }
        if !tree.entries.is_empty() {
            let index = at.index(tree.entries.len());
            let entry = &tree.entries[index];
            let mut wanted = before;
            let mut entries = wanted.iter_mut().flat_map(|node| &mut node.entries);
            entries.nth(index).unwrap().1 = format!("{new:?}");
            let place = entry.value.start as usize..entry.value.end as usize;
            let (made, read) = edited(&text, place, &write::string(&new, ""));
            prop_assert_eq!(read, Some(wanted), "{:?}", made);
        }
    }
}
