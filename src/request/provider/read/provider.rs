//! `provider NAME match=RULE { … }`.

use super::MOST_TOKENS;
use super::parts::{multiplier, no_source, source, text_of, texts_of, unknown};
use super::rows::PROVIDER;
use crate::diagnostic::span::Spanned;
use crate::manifest::context::{Context, Once};
use crate::manifest::grammar::Row;
use crate::manifest::read::{Reader, Value};
use crate::request::provider::table::{Match, Provider, Usage};
use crate::syntax::Node;
use crate::text::tokens;

/// `provider NAME match=RULE { … }`.
pub(super) fn provider(cx: &Context, node: Node<'_>) -> Option<Spanned<Provider>> {
    let mut reader = Reader::new(cx, node, &PROVIDER);
    let name = reader.need_arg().and_then(Value::text);
    let rule = match reader.prop("match") {
        Some(value) => value.choice(&Match::ALL),
        None => {
            let rules = Match::ALL.map(|(name, _)| name).join(", ");
            cx.missing(
                reader.span(),
                "`provider` lacks match=RULE",
                format!("one of {rules}"),
            );
            None
        }
    };
    let named = reader.prop("named").and_then(Value::bool);
    let known: Vec<_> = tokens::ALL.iter().map(|t| (t.name, *t)).collect();
    let tokenizer = reader.prop("tokenizer").and_then(|v| v.choice(&known));
    let mut count = |name| {
        reader
            .prop(name)
            .and_then(|v| v.whole_number(1..=MOST_TOKENS))
    };
    let (lookback_blocks, lookback_breakpoints) =
        (count("lookback-blocks"), count("lookback-breakpoints"));
    let mut once = Once::default();
    let mut out = Provider {
        name: String::new(),
        rule: Match::Passthrough,
        only_named: named.is_some_and(|n| n.value),
        tokenizer: tokenizer.map(|t| t.value),
        lookback_blocks,
        lookback_breakpoints,
        order: Vec::new(),
        marker: None,
        routing: None,
        usage: None,
        scope: None,
        diagnostics: None,
        multipliers: Vec::new(),
        notes: Vec::new(),
        source: unknown(),
    };
    let mut from = None;
    for child in reader.children() {
        let Some(row) = reader.child(child) else {
            continue;
        };
        if !["multiplier", "note"].contains(&row.name) {
            once.node(cx, child);
        }
        match row.name {
            "order" => out.order = texts_of(cx, child, row),
            "marker" => out.marker = text_of(cx, child, row),
            "routing" => out.routing = text_of(cx, child, row),
            "usage" => out.usage = Some(usage(cx, child, row)),
            "scope" => out.scope = text_of(cx, child, row),
            "diagnostics" => out.diagnostics = text_of(cx, child, row),
            "multiplier" => out
                .multipliers
                .extend(multiplier(cx, child, row, &mut once)),
            "note" => out.notes.extend(text_of(cx, child, row)),
            _ => from = source(cx, child, row),
        }
    }
    reader.finish();
    if once.place("source").is_none() {
        no_source(cx, node, "provider");
    }
    let name = name?;
    out.name = name.value;
    out.rule = rule?.value;
    out.source = from?;
    Some(Spanned::new(out, name.span))
}

fn usage(cx: &Context, node: Node<'_>, row: &'static Row) -> Usage {
    let mut reader = Reader::new(cx, node, row);
    let mut field = |name| reader.prop(name).and_then(Value::text).map(|t| t.value);
    let (read, write, miss) = (field("read"), field("write"), field("miss"));
    let includes_cached = reader.prop("includes-cached").and_then(Value::bool);
    reader.finish();
    Usage {
        read,
        write,
        miss,
        includes_cached: includes_cached.map(|b| b.value),
    }
}
