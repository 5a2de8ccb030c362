//! `session { identity …; refresh …; reminder { … } }`.

use super::budget::budget;
use super::context::{Context, Once};
use super::read::Reader;
use super::settings::{template, unset, waive};
use crate::diagnostic::span::Spanned;
use crate::manifest::grammar::Row;
use crate::manifest::{Refresh, Reminder, Session};
use crate::syntax::Node;

/// `session { … }`.
pub(super) fn session(cx: &Context, node: Node<'_>, row: &'static Row) -> Session {
    let mut reader = Reader::new(cx, node, row);
    let span = reader.span();
    let mut once = Once::default();
    let (mut who, mut refreshes, mut note) = (Vec::new(), Vec::new(), None);
    let mut waivers = Vec::new();
    for child in reader.children() {
        let Some(row) = reader.child(child) else {
            continue;
        };
        match row.name {
            "identity" => {
                once.node(cx, child);
                who.extend(identity(cx, child, row));
            }
            "refresh" => refreshes.extend(refresh(cx, child, row, &mut once)),
            "reminder" => {
                once.node(cx, child);
                note = reminder(cx, child, row).or(note);
            }
            "waive" => waivers.extend(waive(cx, child, row)),
            _ => drop(unset(cx, child, row)),
        }
    }
    reader.finish();
    Session {
        identity: who,
        refresh: refreshes,
        reminder: note,
        waivers,
        span,
    }
}

/// `identity FACT …`.
fn identity(cx: &Context, node: Node<'_>, row: &'static Row) -> Vec<Spanned<String>> {
    let mut reader = Reader::new(cx, node, row);
    let names = reader.need_rest();
    let mut once = Once::default();
    let names = names.into_iter().filter_map(|value| {
        let name = value.text()?;
        once.note(cx, &format!("identity {}", name.value), value.whole());
        Some(name)
    });
    let names = names.collect();
    reader.finish();
    names
}

/// `refresh event=NAME`, `refresh idle="5m"` or `refresh fact=NAME`.
fn refresh(cx: &Context, node: Node<'_>, row: &'static Row, once: &mut Once) -> Option<Refresh> {
    let mut reader = Reader::new(cx, node, row);
    let all = ["event", "idle", "fact"].map(|name| reader.prop(name).map(|value| (name, value)));
    let span = reader.span();
    // Anything else here is meant as an occasion, and one message shows how occasions are written.
    let misspelt = node.entries().any(|e| e.name().is_some());
    if !misspelt {
        reader.rest();
    }
    reader.finish();
    let mut given = all.into_iter().flatten();
    let Some((name, value)) = given.next() else {
        if !misspelt {
            let help = "write refresh event=NAME, refresh idle=\"5m\" or refresh fact=NAME";
            cx.missing(span, "`refresh` lacks its occasion", help);
        }
        return None;
    };
    if let Some((_, second)) = given.next() {
        let message = "`refresh` names one occasion";
        cx.conflict(second.whole(), message, "write a `refresh` for each");
        return None;
    }
    let read = match name {
        "event" => Refresh::Event(value.name()?),
        "idle" => Refresh::Idle(value.duration()?),
        _ => Refresh::Fact(value.text()?),
    };
    let what = match &read {
        Refresh::Event(name) => format!("refresh event={}", name.value),
        Refresh::Idle(_) => "refresh idle".to_owned(),
        Refresh::Fact(name) => format!("refresh fact={}", name.value),
    };
    once.note(cx, &what, value.whole());
    Some(read)
}

/// `reminder { template …; budget … }`.
fn reminder(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<Reminder> {
    let mut reader = Reader::new(cx, node, row);
    let span = reader.span();
    let mut once = Once::default();
    let (mut own, mut budgets) = (None, Vec::new());
    let children = reader.children();
    for child in children {
        let Some(row) = reader.child(child) else {
            continue;
        };
        match row.name {
            "template" => {
                once.node(cx, child);
                own = template(cx, child, row).or(own);
            }
            _ => budgets.extend(budget(cx, child, row)),
        }
    }
    reader.finish();
    if children.is_empty() {
        let help = "write a `template`, a `budget` or both in its braces";
        cx.missing(span, "`reminder` is empty", help);
        return None;
    }
    Some(Reminder {
        template: own,
        budgets,
        span,
    })
}
