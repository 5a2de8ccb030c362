//! `expect NAME { members …; through …; at-least … }`.

use super::budget::at_least;
use super::context::{Context, Once};
use super::read::{Reader, Value};
use super::settings::waive;
use crate::diagnostic::span::Spanned;
use crate::manifest::Expect;
use crate::manifest::grammar::Row;
use crate::syntax::Node;

/// A prefix family. Whether its scenarios and its tier or layer exist is checked once all files are merged.
pub(super) fn expect(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<Expect> {
    let mut reader = Reader::new(cx, node, row);
    let name = reader.need_arg().and_then(Value::name);
    let span = reader.span();
    let mut once = Once::default();
    let (mut of, mut through, mut least) = (Vec::new(), None, None);
    let mut waivers = Vec::new();
    for child in reader.children() {
        let Some(row) = reader.child(child) else {
            continue;
        };
        if row.name != "waive" {
            once.node(cx, child);
        }
        match row.name {
            "members" => of.extend(members(cx, child, row)),
            "through" => through = end(cx, child, row).or(through),
            "at-least" => least = at_least(cx, child, row).or(least),
            _ => waivers.extend(waive(cx, child, row)),
        }
    }
    reader.finish();
    Some(Expect {
        name: name?,
        members: of,
        through,
        at_least: least,
        waivers,
        span,
    })
}

/// `members SCENARIO …`, each once.
fn members(cx: &Context, node: Node<'_>, row: &'static Row) -> Vec<Spanned<String>> {
    let mut reader = Reader::new(cx, node, row);
    let names = reader.need_rest();
    let mut once = Once::default();
    let names = names.into_iter().filter_map(|value| {
        let name = value.text()?;
        once.note(cx, &format!("members {}", name.value), value.whole());
        Some(name)
    });
    let names = names.collect();
    reader.finish();
    names
}

/// `through TIER` or `through LAYER`.
fn end(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<Spanned<String>> {
    let mut reader = Reader::new(cx, node, row);
    let name = reader.need_arg().and_then(Value::text);
    reader.finish();
    name
}
