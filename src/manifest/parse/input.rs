//! The inputs of a build: roots, facts, lets, and scenarios that set them.

use super::content::missing;
use super::context::{Context, Once};
use super::read::{Reader, Value};
use super::settings::{unset, waive};
use super::together;
use crate::diagnostic::span::{Span, Spanned};
use crate::diagnostic::suggest::choice;
use crate::diagnostic::{Diagnostic, MISSING_ARGUMENT};
use crate::manifest::grammar::{ENTRY, Row};
use crate::manifest::{Fact, FactType, Let, Links, Root, Scenario, Written};
use crate::syntax::Node;

/// `root NAME default="DIR" …`.
pub(super) fn root(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<Root> {
    let mut reader = Reader::new(cx, node, row);
    let name = reader.need_arg().and_then(Value::name);
    let span = reader.span();
    let mut once = Once::default();
    let (default, holding) = (reader.prop("default"), reader.prop("holding"));
    let (env, within) = (reader.prop("env"), reader.prop("in"));
    let (many, above) = (reader.prop("many"), reader.prop("above"));
    let mut lists = Lists {
        default: one_text(cx, &mut once, "default", default),
        holding: one_text(cx, &mut once, "holding", holding),
    };
    let shown = reader.prop("as").and_then(Value::text_or_fact);
    let links = reader.prop("links");
    let links = links.and_then(|v| v.choice(&[("follow", Links::Follow)]));
    let changes = reader.prop("changes").and_then(Value::changes);
    let missing = reader.prop("missing").and_then(missing);
    let locked = reader.prop("locked").and_then(Value::lock);
    let mut waivers = Vec::new();
    for child in reader.children() {
        let Some(row) = reader.child(child) else {
            continue;
        };
        match row.name {
            "waive" => waivers.extend(waive(cx, child, row)),
            "unset" => drop(unset(cx, child, row)),
            _ => lists.read(cx, child, row, &mut once),
        }
    }
    reader.finish();
    let many = many.and_then(Value::bool);
    let (env, within) = (env.and_then(Value::text), within.and_then(Value::name));
    let above = above.and_then(Value::name);
    let root = Root {
        name: name?,
        env,
        default: lists.default,
        within,
        above,
        holding: lists.holding,
        many: many.map(|m| m.value),
        shown,
        links: links.map(|l| l.value),
        changes,
        missing,
        locked,
        waivers,
        span,
    };
    together::root(cx, node, &root);
    Some(root)
}

/// The settings of a root that may have several values, in a child.
struct Lists {
    default: Vec<Spanned<String>>,
    holding: Vec<Spanned<String>>,
}

impl Lists {
    fn read(&mut self, cx: &Context, child: Node<'_>, row: &'static Row, once: &mut Once) {
        let list = match row.name {
            "default" => &mut self.default,
            _ => &mut self.holding,
        };
        once.node(cx, child);
        let mut reader = Reader::new(cx, child, row);
        let values = reader.need_rest();
        list.extend(values.into_iter().filter_map(Value::text));
        reader.finish();
    }
}

fn one_text(
    cx: &Context,
    once: &mut Once,
    name: &str,
    value: Option<Value>,
) -> Vec<Spanned<String>> {
    if let Some(value) = value {
        once.note(cx, name, value.whole());
    }
    value.and_then(Value::text).into_iter().collect()
}

/// `fact NAME TYPE …`. Its type may be that of one of its name among `others`.
pub(super) fn fact(
    cx: &Context,
    node: Node<'_>,
    row: &'static Row,
    others: &[Fact],
) -> Option<Fact> {
    let mut reader = Reader::new(cx, node, row);
    let name = reader.need_arg().and_then(Value::variable);
    let kind = reader.arg();
    let written = kind.is_some();
    let kind = kind.and_then(|v| v.choice(&FactType::ALL.map(|t| (t.name(), t))));
    let span = reader.span();
    let mut once = Once::default();
    let given = reader.prop("default");
    if let Some(given) = given {
        once.note(cx, "default", given.whole());
    }
    let mut default = given.and_then(|v| {
        Some(Written {
            args: vec![v.json()?],
            entries: None,
            span: v.span(),
        })
    });
    let flag = |value: Option<Value>| value.and_then(Value::bool).map(|b| b.value);
    let optional = flag(reader.prop("optional"));
    let private = flag(reader.prop("private"));
    let sources = ["env", "env-set", "clock"].map(|name| (name, reader.prop(name)));
    let changes = reader.prop("changes").and_then(Value::changes);
    reader.prop("locked").and_then(Value::lock);
    let (mut one_of, mut waivers) = (Vec::new(), Vec::new());
    for child in reader.children() {
        let Some(row) = reader.child(child) else {
            continue;
        };
        match row.name {
            "default" => {
                once.node(cx, child);
                default = default.or(Some(self::written(cx, child, row)));
            }
            "one-of" => {
                once.node(cx, child);
                one_of = values(cx, child, row);
            }
            "waive" => waivers.extend(waive(cx, child, row)),
            _ => drop(unset(cx, child, row)),
        }
    }
    reader.finish();
    let [env, env_set, clock] = sources.map(|(_, v)| v.and_then(Value::text));
    let name = name?;
    // Of two new ones the second is reported as such, with a type or without.
    let mut same = others.iter().filter(|other| other.name.value == name.value);
    let mut known = || same.next().map(|other| other.kind.clone());
    let Some(kind) = (if written { kind } else { known() }) else {
        if !written && cx.keeps() {
            cx.report(without_type(span));
        }
        return None;
    };
    let fact = Fact {
        name,
        kind,
        default,
        one_of,
        optional,
        env,
        env_set,
        clock,
        private,
        waivers,
        changes,
        span,
    };
    together::fact(cx, node, &fact);
    Some(fact)
}

/// The error of a fact without a type, whose node's name is at `at`.
pub(in crate::manifest) fn without_type(at: Span) -> Diagnostic {
    let types = choice(FactType::ALL.map(FactType::name));
    Diagnostic::error(MISSING_ARGUMENT, "`fact` lacks its type")
        .at(at)
        .help(format!("write one after the name: {types}"))
}

fn values(cx: &Context, node: Node<'_>, row: &'static Row) -> Vec<Spanned<serde_json::Value>> {
    let mut reader = Reader::new(cx, node, row);
    let values = reader.need_rest();
    let values = values.into_iter().filter_map(Value::json).collect();
    reader.finish();
    values
}

/// Arguments for a value or list, or braces for a map; the node's name is not part of it.
fn written(cx: &Context, node: Node<'_>, row: &'static Row) -> Written {
    let mut reader = Reader::new(cx, node, row);
    let written = written_rest(&mut reader);
    reader.finish();
    written
}

/// The value in the rest of a node.
fn written_rest(reader: &mut Reader) -> Written {
    let cx = reader.cx;
    let args: Vec<_> = reader.rest().into_iter().filter_map(Value::json).collect();
    let span = match (args.first(), args.last()) {
        (Some(first), Some(last)) => {
            let range = first.span.range().start..last.span.range().end;
            Span::new(first.span.file, range)
        }
        _ => reader.span(),
    };
    let mut once = Once::default();
    let entries = reader.block().map(|block| {
        let entry = |child: Node<'_>| {
            once.node(cx, child);
            let key = child.name().value().to_owned();
            (
                Spanned::new(key, cx.name_span(child)),
                written(cx, child, &ENTRY),
            )
        };
        block.iter().map(entry).collect::<Vec<_>>()
    });
    if let (false, true) = (args.is_empty(), entries.is_some()) {
        let message = format!("`{}` has arguments and braces", reader.kind());
        cx.conflict(
            span,
            message,
            "write arguments for a list, braces for a map",
        );
    }
    Written {
        args,
        entries,
        span,
    }
}

/// `let NAME "EXPR"`.
pub(super) fn binding(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<Let> {
    let mut reader = Reader::new(cx, node, row);
    let name = reader.need_arg().and_then(Value::variable);
    let expression = match name {
        None => reader.arg(),
        Some(_) => reader.need_arg(),
    };
    let expression = expression.and_then(Value::literal);
    let span = reader.span();
    reader.finish();
    Some(Let {
        name: name?,
        expression: expression?,
        place: cx.place(node),
        span,
    })
}

/// `scenario NAME snapshot=#false { set FACT VALUE; root NAME "DIR"; env NAME "VALUE" }`.
pub(super) fn scenario(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<Scenario> {
    let mut reader = Reader::new(cx, node, row);
    let name = reader.need_arg().and_then(Value::name);
    let snapshot = reader.prop("snapshot").and_then(Value::bool);
    let span = reader.span();
    let mut once = Once::default();
    let (mut sets, mut roots, mut env) = (Vec::new(), Vec::new(), Vec::new());
    for child in reader.children() {
        let Some(row) = reader.child(child) else {
            continue;
        };
        match row.name {
            "set" => sets.extend(given(cx, child, row, &mut once, |reader| {
                Some(written_rest(reader))
            })),
            "root" => roots.extend(given(cx, child, row, &mut once, |reader| {
                let folders = reader.need_rest();
                Some(folders.into_iter().filter_map(Value::text).collect())
            })),
            _ => env.extend(given(cx, child, row, &mut once, |reader| {
                reader.need_arg()?.text()
            })),
        }
    }
    reader.finish();
    Some(Scenario {
        name: name?,
        sets,
        roots,
        env,
        snapshot: snapshot.is_none_or(|s| s.value),
        place: cx.place(node),
        span,
    })
}

/// `KIND NAME …`, each name once.
fn given<T>(
    cx: &Context,
    node: Node<'_>,
    row: &'static Row,
    once: &mut Once,
    value: impl FnOnce(&mut Reader) -> Option<T>,
) -> Option<(Spanned<String>, T)> {
    let mut reader = Reader::new(cx, node, row);
    let name = reader.need_arg().and_then(Value::text);
    if let Some(name) = &name {
        once.note(cx, &format!("{} {}", reader.kind(), name.value), name.span);
    }
    let value = match name {
        Some(_) => value(&mut reader),
        None => None,
    };
    reader.finish();
    Some((name?, value?))
}
