//! Scans: rule sets at the top level, and their use on documents.

use super::context::{Context, Once};
use super::read::{Reader, Value};
use super::settings::{template, unset, waive};
use crate::diagnostic::span::{Literal, Span, Spanned};
use crate::manifest::TemplateRef;
use crate::manifest::grammar::Row;
use crate::manifest::{Except, InvisibleRule, Lit, OnHit, Scan, ScanRule, ScanSet, ScanUse};
use crate::syntax::{Node, Scalar};

/// The largest window, in Unicode scalar values: that of the largest document.
const MOST_WINDOW: usize = 64 << 20;

/// `scan NAME extends=OTHER normalize=nfkc window=N { … }` at the top level.
pub(super) fn set(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<ScanSet> {
    let mut reader = Reader::new(cx, node, row);
    let name = reader.need_arg().and_then(Value::name);
    let span = reader.span();
    let extends = reader.prop("extends").and_then(Value::name);
    let forms = [("nfkc", true), ("none", false)];
    let nfkc = reader.prop("normalize").and_then(|v| v.choice(&forms));
    let window = reader.prop("window").and_then(|v| {
        let most = v.whole_number(1..=MOST_WINDOW)?;
        Some(Spanned::new(most, v.span()))
    });
    let mut once = Once::default();
    let (mut scopes, mut rules) = (Vec::new(), Vec::new());
    let (mut invisible, mut unless) = (None, None);
    let mut waivers = Vec::new();
    for child in reader.children() {
        let Some(row) = reader.child(child) else {
            continue;
        };
        match row.name {
            "scopes" => {
                once.node(cx, child);
                scopes = self::scopes(cx, child, row);
            }
            "invisible-unicode" => {
                once.node(cx, child);
                invisible = Some(self::invisible(cx, child, row));
            }
            "unless" => {
                once.node(cx, child);
                unless = self::unless(cx, child, row);
            }
            "rule" => rules.extend(rule(cx, child, row)),
            "waive" => waivers.extend(waive(cx, child, row)),
            _ => drop(unset(cx, child, row)),
        }
    }
    reader.finish();
    Some(ScanSet {
        name: name?,
        extends,
        nfkc,
        window,
        scopes,
        invisible,
        unless,
        rules,
        waivers,
        span,
    })
}

fn scopes(cx: &Context, node: Node<'_>, row: &'static Row) -> Vec<Spanned<String>> {
    let mut reader = Reader::new(cx, node, row);
    let names = reader.need_rest().into_iter();
    let names: Vec<_> = names.filter_map(Value::name).collect();
    reader.finish();
    let mut once = Once::default();
    for name in &names {
        once.note(cx, &name.value, name.span);
    }
    names
}

/// `invisible-unicode chars="…" id="…"`, or `#false`.
fn invisible(cx: &Context, node: Node<'_>, row: &'static Row) -> InvisibleRule {
    let mut reader = Reader::new(cx, node, row);
    let on = reader.arg().and_then(Value::bool);
    let chars = reader.prop("chars").and_then(Value::literal);
    let id = reader.prop("id").and_then(Value::text);
    let span = reader.span();
    reader.finish();
    InvisibleRule {
        on: on.is_none_or(|on| on.value),
        chars,
        id,
        span,
    }
}

fn rule(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<ScanRule> {
    let mut reader = Reader::new(cx, node, row);
    let id = reader.need_arg().and_then(Value::name);
    let pattern = match id {
        None => reader.arg(),
        Some(_) => reader.need_arg(),
    };
    let pattern = pattern.and_then(Value::literal);
    let scope = reader.prop("scope").and_then(Value::name);
    let words = reader.prop("words").and_then(Value::text);
    let unless = reader.prop("unless").and_then(Value::literal);
    let private = reader.prop("private").and_then(Value::bool);
    let about = reader.prop("about").and_then(Value::text);
    reader.finish();
    Some(ScanRule {
        id: id?,
        pattern: pattern?,
        scope,
        words,
        unless,
        private: private.is_some_and(|p| p.value),
        about,
    })
}

/// `unless REGEX`.
fn unless(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<Literal> {
    let mut reader = Reader::new(cx, node, row);
    let pattern = reader.need_arg().and_then(Value::literal);
    reader.finish();
    pattern
}

/// `scan SET scope=S on-hit=… placeholder="…" except="REGEX"` as a transform, or `scan #false`.
pub(super) fn of_document(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<Scan> {
    let mut reader = Reader::new(cx, node, row);
    let set = reader.need_arg();
    if let Some(switch) = set.filter(|v| matches!(v.unchecked(), Scalar::Bool(_))) {
        reader.finish();
        return if !switch.bool()?.value {
            Some(Scan::Off)
        } else {
            let help = "write scan NAME, or scan #false for none";
            cx.missing(switch.whole(), "`scan` lacks its rule set", help);
            None
        };
    }
    let set = set.and_then(Value::name);
    let scope = reader.prop("scope").and_then(Value::text_or_fact);
    let on_hit = reader.prop("on-hit").map(|v| {
        v.choice(&[
            ("replace", OnHit::Replace),
            ("drop", OnHit::Drop),
            ("warn", OnHit::Warn),
            ("error", OnHit::Error),
        ])
    });
    let except = reader.prop("except").and_then(except);
    let span = reader.span();
    let (placeholder, at) = placeholder(&mut reader);
    reader.finish();
    let on_hit = on_hit.map_or(Some(OnHit::Replace), |v| Some(v?.value))?;
    if let Some(at) = at.filter(|_| on_hit != OnHit::Replace) {
        let help = "remove it, or write on-hit=replace";
        cx.conflict(at, "a placeholder is only for replaced text", help);
    }
    Some(Scan::With(Box::new(ScanUse {
        set: set?,
        scope,
        on_hit,
        placeholder,
        except,
        span,
    })))
}

fn except(value: Value) -> Option<Except> {
    match value.annotation() {
        None => value.literal().map(Except::Written),
        Some(_) => match value.text_or_fact()? {
            Lit::Fact(name) => Some(Except::Fact(name)),
            Lit::Value(_) => None,
        },
    }
}

/// `placeholder="…"`, or the child `placeholder`; and its location.
fn placeholder(reader: &mut Reader) -> (Option<TemplateRef>, Option<Span>) {
    let cx = reader.cx;
    let mut once = Once::default();
    let prop = reader.prop("placeholder");
    if let Some(prop) = prop {
        once.note(cx, "placeholder", prop.whole());
    }
    let mut found = prop.and_then(Value::literal).map(TemplateRef::Inline);
    for child in reader.children() {
        if let Some(row) = reader.child(child) {
            once.node(cx, child);
            found = template(cx, child, row).or(found);
        }
    }
    (found, once.place("placeholder"))
}
