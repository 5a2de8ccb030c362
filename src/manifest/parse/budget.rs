//! Budgets: of nodes and layers, which cut, and of tiers and the prompt, for which layers are cut or dropped.

use super::context::{Context, Once};
use super::read::{Reader, Value};
use super::settings::template;
use crate::diagnostic::span::{Span, Spanned};
use crate::diagnostic::suggest::choice;
use crate::manifest::grammar::{LOCK, Row};
use crate::manifest::{Boundary, Budget, Limit, Lit, MaxBudget, MinSize, TemplateRef, Unit};
use crate::syntax::Node;
use crate::text::tokens::{self, Tokenizer};

/// The unit of `budget N UNIT`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counts {
    Text(Unit),
    Tokens,
    Entries,
}

/// `at=`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Inside(Boundary),
    Entry,
}

/// `budget N [UNIT]` in a tier or at the top level.
pub(super) fn ceiling(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<MaxBudget> {
    let mut reader = Reader::new(cx, node, row);
    let span = reader.span();
    let max = reader.need_number().and_then(Value::size);
    let unit = reader.arg().and_then(|v| v.choice(&UNITS));
    let (unit, implied) = tokenizer(&mut reader, unit);
    reader.prop("locked").and_then(Value::lock);
    reader.finish();
    let unit = unit.and_then(|unit| match unit.value {
        Counts::Text(of) => Some(Spanned::new(of, unit.span)),
        _ => None,
    });
    Some(MaxBudget {
        max: max?,
        unit,
        implied,
        span,
    })
}

/// `at-least N UNIT`. A number alone says nothing of prefixes, so there is no unit that is meant without one.
pub(super) fn at_least(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<MinSize> {
    let mut reader = Reader::new(cx, node, row);
    let min = reader.need_number();
    let number = min.and_then(Value::plain_size);
    let unit = reader.arg();
    if min.is_some() && unit.is_none() {
        let units = choice(UNITS.map(|(word, _)| word));
        let help = format!("write it after the number: {units}");
        cx.missing(reader.span(), "`at-least` lacks its unit", help);
    }
    let (unit, implied) = tokenizer(&mut reader, unit.and_then(|v| v.choice(&UNITS)));
    reader.finish();
    let Some(Counts::Text(unit)) = unit.map(|unit| unit.value) else {
        return None;
    };
    Some(MinSize {
        min: number?,
        unit,
        implied,
    })
}

/// The units of texts.
const UNITS: [(&str, Counts); 4] = [
    ("chars", Counts::Text(Unit::Chars)),
    ("bytes", Counts::Text(Unit::Bytes)),
    ("lines", Counts::Text(Unit::Lines)),
    ("tokens", Counts::Tokens),
];

/// The unit with `tokenizer=`, and whether that is left to be implied.
fn tokenizer(
    reader: &mut Reader,
    unit: Option<Spanned<Counts>>,
) -> (Option<Spanned<Counts>>, bool) {
    let named = reader.prop("tokenizer");
    let tokens = unit.as_ref().is_some_and(|u| u.value == Counts::Tokens);
    if let Some(named) = named.filter(|_| !tokens) {
        let kind = reader.kind();
        let help = format!("write `{kind} N tokens tokenizer=NAME`, or remove it");
        reader
            .cx
            .conflict(named.whole(), "only tokens have a tokenizer", &help);
    }
    let all: Vec<_> = tokens::ALL.iter().map(|t| (t.name, *t)).collect();
    let found = named.filter(|_| tokens).and_then(|v| v.choice(&all));
    let of = found.map_or(Tokenizer::O200K, |t| t.value);
    let unit = unit.map(|unit| match unit.value {
        Counts::Tokens => Spanned::new(Counts::Text(Unit::Tokens(of)), unit.span),
        other => Spanned::new(other, unit.span),
    });
    (unit, tokens && named.is_none())
}

/// `budget N [UNIT] …` or `budget each=M total=N floor=K [UNIT] …` in a content node or layer.
pub(super) fn budget(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<Budget> {
    let mut reader = Reader::new(cx, node, row);
    let span = reader.span();
    let sizes = sizes(&mut reader);
    let unit = reader.arg().and_then(|v| {
        let [chars, bytes, lines, tokens] = UNITS;
        v.choice(&[chars, bytes, lines, tokens, ("entries", Counts::Entries)])
    });
    let (unit, implied) = tokenizer(&mut reader, unit);
    let (head_at, tail_at) = (reader.prop("head"), reader.prop("tail"));
    let head = head_at.and_then(Value::fraction);
    let tail = tail_at.and_then(Value::fraction);
    let at = reader.prop("at").and_then(|v| {
        v.choice(&[
            ("char", At::Inside(Boundary::Char)),
            ("grapheme", At::Inside(Boundary::Grapheme)),
            ("line", At::Inside(Boundary::Line)),
            ("paragraph", At::Inside(Boundary::Paragraph)),
            ("entry", At::Entry),
        ])
    });
    let step_at = reader.prop("step");
    let step = step_at.and_then(Value::size);
    let outside_at = reader.prop("marker-outside");
    let outside = outside_at.and_then(Value::bool);
    let (marker, marker_at) = marker(&mut reader);
    if row.properties().any(|property| property.name == LOCK.name) {
        reader.prop("locked").and_then(Value::lock);
    }
    reader.finish();
    let place = |value: Option<Value<'_>>| value.map(Value::whole);
    let cuts = [
        ("head", place(head_at)),
        ("tail", place(tail_at)),
        ("marker", marker_at),
        ("marker-outside", place(outside_at)),
    ];
    let limit = limit(
        cx,
        sizes?,
        unit.as_ref(),
        at.as_ref(),
        (cuts, place(step_at)),
    );
    Some(Budget {
        limit: limit?,
        unit: match unit.map(|u| u.value) {
            Some(Counts::Text(unit)) => unit,
            Some(Counts::Entries | Counts::Tokens) | None => Unit::Chars,
        },
        implied,
        head,
        tail,
        marker,
        marker_outside: outside.is_some_and(|outside| outside.value),
        at: match at.map(|a| a.value) {
            Some(At::Inside(at)) => at,
            Some(At::Entry) | None => Boundary::Grapheme,
        },
        step,
        span,
    })
}

/// The numbers of a budget as they are written.
enum Sizes {
    One(Lit<u64>),
    Documents {
        each: Option<Lit<u64>>,
        total: Option<Lit<u64>>,
        floor: Option<Lit<u64>>,
        at: Span,
    },
}

fn sizes(reader: &mut Reader) -> Option<Sizes> {
    let (cx, at) = (reader.cx, reader.span());
    let one = reader.number_arg();
    let mut size = |name| {
        let prop = reader.prop(name);
        (prop.map(|v| v.whole()), prop.and_then(Value::size))
    };
    let (each_at, each) = size("each");
    let (total_at, total) = size("total");
    let (floor_at, floor) = size("floor");
    let documents: Option<Span> = each_at.or(total_at);
    if let (Some(_), Some(at)) = (one, documents.or(floor_at)) {
        let help = "`budget N` bounds one text, `budget each=M total=N` the documents; write two budgets for both";
        cx.conflict(
            at,
            "a budget bounds one text or its documents, not both",
            help,
        );
        return None;
    }
    match (one, documents) {
        (Some(one), _) => one.size().map(Sizes::One),
        (None, None) => {
            let help = "write `budget N`, or `budget each=M`, `budget total=N` or both";
            cx.missing(at, "`budget` lacks its maximum", help);
            None
        }
        (None, Some(at)) => {
            // Unless one of those that are written is wrong.
            let whole =
                each_at.is_some() == each.is_some() && total_at.is_some() == total.is_some();
            whole.then_some(Sizes::Documents {
                each,
                total,
                floor,
                at,
            })
        }
    }
}

/// The locations of `step=` and of the settings that a budget has only if it cuts inside a text.
type Written = ([(&'static str, Option<Span>); 4], Option<Span>);

/// The text that the budget bounds, if its settings agree.
fn limit(
    cx: &Context,
    sizes: Sizes,
    unit: Option<&Spanned<Counts>>,
    at: Option<&Spanned<At>>,
    (cuts, step): Written,
) -> Option<Limit> {
    let entries = unit.is_some_and(|u| u.value == Counts::Entries);
    let whole = at.is_some_and(|a| a.value == At::Entry);
    if let Some(at) = at.filter(|_| entries && !whole) {
        let help = "remove `at=`: entries stay or go as a whole";
        cx.conflict(at.span, "a number of entries cuts no text", help);
        return None;
    }
    if entries || whole {
        for (name, at) in cuts {
            if let Some(at) = at {
                let message = format!("entries stay or go as a whole, so `{name}` has no meaning");
                let help = "remove it; a template can list the dropped entries with {{ dropped }}";
                cx.conflict(at, message, help);
            }
        }
    }
    match sizes {
        Sizes::One(max) if entries => Some(Limit::Entries(max)),
        Sizes::One(max) if whole => Some(Limit::Leading(max)),
        Sizes::One(max) => Some(Limit::One(max)),
        Sizes::Documents { at, .. } if entries => {
            let help = "write `budget N entries`, or another unit";
            cx.conflict(at, "`entries` counts documents, and these are sizes", help);
            None
        }
        Sizes::Documents {
            each,
            total,
            floor,
            at: _,
        } => {
            if let Some(at) = step.filter(|_| whole) {
                let help = "remove one of them";
                cx.conflict(
                    at,
                    "documents stay or go as a whole, so no cut has a step",
                    help,
                );
            }
            Some(Limit::Documents {
                each,
                total,
                floor,
                whole,
            })
        }
    }
}

/// `marker="…"`, or the child `marker`; and its location.
fn marker(reader: &mut Reader) -> (Option<TemplateRef>, Option<Span>) {
    let cx = reader.cx;
    let mut once = Once::default();
    let prop = reader.prop("marker");
    if let Some(prop) = prop {
        once.note(cx, "marker", prop.whole());
    }
    let mut found = prop.and_then(Value::literal).map(TemplateRef::Inline);
    for child in reader.children() {
        if let Some(row) = reader.child(child) {
            once.node(cx, child);
            found = template(cx, child, row).or(found);
        }
    }
    (found, once.place("marker"))
}
