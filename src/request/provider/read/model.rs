//! `model PATTERN… provider=NAME { … }`.

use super::MOST_TOKENS;
use super::parts::{day, more, multiplier, no_source, source, text_of, unknown};
use super::rows::MODEL;
use crate::diagnostic::span::Spanned;
use crate::diagnostic::{Diagnostic, OUT_OF_RANGE};
use crate::manifest::context::{Context, Once};
use crate::manifest::grammar::Row;
use crate::manifest::read::{Reader, Value};
use crate::request::provider::amount::{Price, Times};
use crate::request::provider::table::{Above, Limits, Model, Only, Peak, Prices, Ttl};
use crate::syntax::Node;
use crate::text::duration;
use jiff::civil::Date;

/// The most breakpoints that a row may allow.
const MOST_BREAKPOINTS: usize = 1000;

/// The most expensive write that is believed, as a multiple; `providers import` holds litellm's prices to the same.
const DEAREST_WRITE: f64 = 10.0;

/// `model PATTERN… provider=NAME prefill=#false { … }`, and the provider that it names.
pub(super) fn model(cx: &Context, node: Node<'_>) -> Option<(Spanned<Model>, Spanned<String>)> {
    let mut reader = Reader::new(cx, node, &MODEL);
    let patterns = reader.need_rest().into_iter().filter_map(Value::text);
    let patterns: Vec<_> = patterns.collect();
    let provider = match reader.prop("provider") {
        Some(value) => value.text(),
        None => {
            let help = "its rule decides what is kept; the table has its names";
            cx.missing(reader.span(), "`model` lacks provider=NAME", help);
            None
        }
    };
    let prefill = reader.prop("prefill").and_then(Value::bool);
    let mut once = Once::default();
    let mut out = Model {
        patterns: Vec::new(),
        provider: String::new(),
        prices: None,
        limits: Limits::default(),
        ttls: Vec::new(),
        prefill: prefill.is_none_or(|prefill| prefill.value),
        above: Vec::new(),
        peak: None,
        multipliers: Vec::new(),
        from: None,
        until: None,
        notes: Vec::new(),
        source: unknown(),
    };
    let (mut from, mut above) = (None, Vec::new());
    for child in reader.children() {
        let Some(row) = reader.child(child) else {
            continue;
        };
        if !["ttl", "above", "multiplier", "note"].contains(&row.name) {
            once.node(cx, child);
        }
        match row.name {
            "price" => out.prices = prices(cx, child, row),
            "prefix" => out.limits = limits(cx, child, row),
            "ttl" => out.ttls.extend(ttl(cx, child, row, &mut once)),
            "above" => above.push((child, row)),
            "peak" => out.peak = peak(cx, child, row),
            "multiplier" => out
                .multipliers
                .extend(multiplier(cx, child, row, &mut once)),
            "valid" => (out.from, out.until) = valid(cx, child, row),
            "note" => out.notes.extend(text_of(cx, child, row)),
            _ => from = source(cx, child, row),
        }
    }
    reader.finish();
    for node in above {
        out.above
            .extend(self::above(cx, node, out.prices, &mut once));
    }
    if once.place("source").is_none() {
        no_source(cx, node, "model");
    }
    out.ttls.sort_by_key(|ttl| ttl.seconds);
    let first = patterns.first()?.span;
    out.patterns = patterns.into_iter().map(|p| p.value).collect();
    let provider = provider?;
    out.provider.clone_from(&provider.value);
    out.source = from?;
    Some((Spanned::new(out, first), provider))
}

fn price(value: Value) -> Option<Price> {
    Price::per_million(value.number(1e-6..=Price::HIGHEST)?)
}

/// A multiple for a token that is read: it costs no more than any other.
fn less(value: Value) -> Option<Times> {
    Times::new(value.number(0.0..=1.0)?)
}

/// A multiple for a token that is written.
fn write_times(value: Value) -> Option<Times> {
    Times::new(value.number(0.0..=DEAREST_WRITE)?)
}

/// `price input=5 read=0.1 output=25`.
fn prices(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<Prices> {
    let mut reader = Reader::new(cx, node, row);
    let input = reader.prop("input").map(price);
    let read = reader.prop("read").map(less);
    let output = reader.prop("output").and_then(price);
    let span = reader.span();
    reader.finish();
    if input.is_none() {
        let help =
            "US dollars for a million tokens; leave `price` out where there is no price per token";
        cx.missing(span, "`price` lacks input=", help);
    }
    Some(Prices {
        input: input??,
        // Without a discount a token that is read costs what any other does.
        read: read.unwrap_or(Some(Times::ONE))?,
        output,
    })
}

/// `prefix min=1024 granularity=128 breakpoints=4`.
fn limits(cx: &Context, node: Node<'_>, row: &'static Row) -> Limits {
    let mut reader = Reader::new(cx, node, row);
    let tokens = |value: Option<Value>| value.and_then(|v| v.whole_number(1..=MOST_TOKENS));
    let min = tokens(reader.prop("min"));
    let granularity = tokens(reader.prop("granularity"));
    let breakpoints = reader.prop("breakpoints");
    let breakpoints = breakpoints.and_then(|v| v.whole_number(0..=MOST_BREAKPOINTS));
    reader.finish();
    Limits {
        min: min.map(|n| n as u64),
        granularity: granularity.map(|n| n as u64),
        breakpoints: breakpoints.unwrap_or(0),
    }
}

/// `ttl "5m" write=1.25 only=responses`.
fn ttl(cx: &Context, node: Node<'_>, row: &'static Row, once: &mut Once) -> Option<Ttl> {
    let mut reader = Reader::new(cx, node, row);
    let value = reader.need_arg();
    let seconds = value.and_then(Value::duration);
    let write = reader.prop("write").map_or(Some(Times::ONE), write_times);
    let only = reader
        .prop("only")
        .and_then(|v| v.choice(&[("responses", Only::Responses)]));
    reader.finish();
    let seconds = seconds?;
    once.note(
        cx,
        &format!("ttl {}", duration::written(seconds.value)),
        seconds.span,
    );
    Some(Ttl {
        name: duration::written(seconds.value),
        seconds: seconds.value,
        write: write?,
        only: only.map(|only| only.value),
    })
}

/// `above tokens=200000 input=4 read=0.1 output=15`: what is not said stays as it is below.
fn above(
    cx: &Context,
    (node, row): (Node<'_>, &'static Row),
    below: Option<Prices>,
    once: &mut Once,
) -> Option<Above> {
    let mut reader = Reader::new(cx, node, row);
    let tokens = reader.prop("tokens");
    let tokens = tokens.and_then(|v| v.whole_number(1..=MOST_TOKENS));
    let input = reader.prop("input").map(price);
    let read = reader.prop("read").map(less);
    let output = reader.prop("output").and_then(price);
    let span = reader.span();
    reader.finish();
    let help = "write `price input=…` and `above tokens=N input=…`";
    let Some(below) = below else {
        // An invalid one is already reported.
        if once.place("price").is_none() {
            cx.missing(span, "`above` has no price to be compared with", help);
        }
        return None;
    };
    let Some(tokens) = tokens else {
        cx.missing(span, "`above` lacks tokens=N", help);
        return None;
    };
    once.note(cx, &format!("above tokens={tokens}"), span);
    let prices = Prices {
        input: input.unwrap_or(Some(below.input))?,
        read: read.unwrap_or(Some(below.read))?,
        output: output.or(below.output),
    };
    let tokens = tokens as u64;
    Some(Above { tokens, prices })
}

/// `peak "01:00-04:00" "06:00-10:00" days="Mon-Fri" factor=2`.
fn peak(cx: &Context, node: Node<'_>, row: &'static Row) -> Option<Peak> {
    let mut reader = Reader::new(cx, node, row);
    let hours = reader.need_rest().into_iter().filter_map(Value::text);
    let hours = hours.map(|hours| hours_of(cx, hours));
    // All invalid ones are reported.
    let hours: Vec<Option<String>> = hours.collect();
    let days = reader.prop("days").and_then(Value::text);
    let factor = reader.prop("factor").map(|factor| more(factor, 1.0));
    let span = reader.span();
    reader.finish();
    if factor.is_none() {
        cx.missing(
            span,
            "`peak` lacks factor=",
            "all prices as a multiple of those of the row",
        );
    }
    if let Some(days) = days.as_ref().filter(|days| !Peak::are_days(&days.value)) {
        let message = format!("`{}` are no days", days.value.escape_debug());
        let found = Diagnostic::error(OUT_OF_RANGE, message).at(days.span);
        cx.report(found.help("write days such as \"Mon-Fri\" or \"Sat,Sun\", or \"every day\""));
        return None;
    }
    Some(Peak {
        hours: hours.into_iter().collect::<Option<_>>()?,
        days: days.map_or_else(|| "every day".to_owned(), |d| d.value),
        factor: factor??,
    })
}

/// `01:00-04:00`.
fn hours_of(cx: &Context, written: Spanned<String>) -> Option<String> {
    let is_time = |time: &str| {
        let digits = time.bytes().enumerate();
        let shape = |(at, b): (usize, u8)| {
            if at == 2 {
                b == b':'
            } else {
                b.is_ascii_digit()
            }
        };
        time.len() == 5 && digits.into_iter().all(shape) && time <= "24:00" && &time[3..] <= "59"
    };
    let ends = written.value.split_once('-');
    if ends.is_some_and(|(from, to)| is_time(from) && is_time(to) && from != to) {
        return Some(written.value);
    }
    let message = format!("`{}` is not a range of hours", written.value.escape_debug());
    let found = Diagnostic::error(OUT_OF_RANGE, message).at(written.span);
    cx.report(found.help("write from and to in UTC, such as \"01:00-04:00\""));
    None
}

/// `valid from="2026-12-01" until="2026-12-31"`, both included.
fn valid(cx: &Context, node: Node<'_>, row: &'static Row) -> (Option<Date>, Option<Date>) {
    let mut reader = Reader::new(cx, node, row);
    let from = day(cx, &mut reader, "from", false);
    let until = day(cx, &mut reader, "until", false);
    let is_empty = node.entries().next().is_none();
    reader.finish();
    if is_empty {
        let help = "write the first day, from=\"YYYY-MM-DD\", the last one, until=, or both; without `valid` a row always counts";
        cx.missing(cx.head(node), "`valid` has no day", help);
    }
    if from.zip(until).is_some_and(|(from, until)| until < from) {
        cx.conflict(
            cx.head(node),
            "the row ends before it begins",
            "swap the two days",
        );
    }
    (from, until)
}
