//! Providers and models for people.

use crate::report::words::thousands;
use crate::report::{Document, Facts, Items, Table, Text};
use crate::request::provider::rows::Rows;
use crate::request::provider::{
    Match, Model, ModelMatch, Multiplier, Only, Prices, Provider, Source, Ttl, Usage,
};
use std::mem;

/// A line for each model, then one for each provider.
pub(super) fn list(rows: &Rows) -> Document {
    let mut days: Vec<String> = rows.models.iter().map(day).collect();
    days.sort();
    days.dedup();
    let mut columns = vec![
        "model",
        "provider",
        ">$ input",
        ">read",
        ">write",
        ">$ output",
        ">min",
        "as of",
    ];
    // A day that all have is said once.
    columns.truncate(columns.len() - usize::from(days.len() < 2));
    let mut table = Table::new(&columns);
    for row in &rows.models {
        let prices = row.prices;
        let figure = |n: Option<f64>| n.map_or("-".to_owned(), |n| n.to_string());
        let cells = [
            row.patterns.join(", "),
            row.provider.clone(),
            figure(prices.map(|p| p.input.into())),
            figure(prices.map(|p| p.read.into())),
            writes(&row.ttls),
            figure(prices.and_then(|p| p.output).map(f64::from)),
            row.limits.min.map_or("-".to_owned(), number),
            day(row),
        ];
        table.row(cells.into_iter().take(columns.len()));
    }
    let mut out = Document::new();
    if !rows.models.is_empty() {
        out.push(table);
        let of = match days.as_slice() {
            [day] => format!("; as of {day}"),
            _ => String::new(),
        };
        out.line(format!(
            "$ input and $ output: dollars for a million tokens; read and write: multiples of $ input{of}"
        ));
    }
    let mut table = Table::new(&["provider", "rule", ">models", "as of"]);
    for provider in &rows.providers {
        let models = rows.models.iter().filter(|m| m.provider == provider.name);
        table.row([
            provider.name.clone(),
            provider.rule.name().to_owned(),
            thousands(models.count()),
            provider.source.as_of.to_string(),
        ]);
    }
    out.push(table);
    out
}

fn day(row: &Model) -> String {
    row.source.as_of.to_string()
}

fn number(n: u64) -> String {
    thousands(usize::try_from(n).unwrap_or(usize::MAX))
}

fn writes(ttls: &[Ttl]) -> String {
    match ttls {
        [] => "-".to_owned(),
        _ => {
            let all = ttls
                .iter()
                .map(|t| format!("{} {}", t.name, t.write.value()));
            all.collect::<Vec<_>>().join(", ")
        }
    }
}

/// All that is known of a model.
pub(super) fn show(name: &str, found: &ModelMatch) -> Document {
    let mut page = Page(Facts::faint(12));
    let row = found.model.as_ref();
    if let Some(row) = row {
        page.line("row", &row.patterns.join(", "));
    }
    page.line("provider", &found.provider.name);
    if let Some(via) = &found.via {
        page.line("through", via);
    }
    if row.is_none() {
        let unknown = "unknown: no table has a row for it on this day";
        page.line("price", unknown);
    }
    let mut out = Document::new();
    out.push(page.part(Text::new().name(name)));
    if let Some(row) = row {
        page.model(row);
        out.push(page.part("Model".into()));
    }
    page.provider(&found.provider);
    out.push(page.part("Provider".into()));
    for row in &found.other_days {
        page.line(&days(row), &price(row));
    }
    if !found.other_days.is_empty() {
        out.push(page.part("On other days".into()));
    }
    out
}

/// Lines of a label and a text.
struct Page(Facts);

impl Page {
    fn line(&mut self, label: &str, text: &str) {
        self.0.push(label, text);
    }

    /// The section about a subject, below it.
    fn part(&mut self, about: Text) -> Items {
        let mut below = Document::new();
        below.facts(mem::replace(&mut self.0, Facts::faint(12)));
        Items {
            indent: 0,
            inner: 2,
            items: vec![(about, below)],
        }
    }

    fn maybe(&mut self, label: &str, text: Option<impl AsRef<str>>) {
        if let Some(text) = text {
            self.line(label, text.as_ref());
        }
    }

    fn model(&mut self, row: &Model) {
        self.line("price", &price(row));
        for above in &row.above {
            let text = prices(above.prices);
            self.line(
                "",
                &format!("{text}, with more than {} tokens", number(above.tokens)),
            );
        }
        if let Some(peak) = &row.peak {
            let hours = peak.hours.join(", ");
            let factor = peak.factor.value();
            self.line(
                "peak",
                &format!("{factor} times that at {hours} UTC, {}", peak.days),
            );
        }
        self.multipliers(&row.multipliers);
        for ttl in &row.ttls {
            let only = match ttl.only {
                None => "",
                Some(Only::Responses) => ", in Responses only",
            };
            let Ttl { name, write, .. } = ttl;
            let text = format!(
                "{name}, a written token costs {} times{only}",
                write.value()
            );
            self.line("kept", &text);
        }
        let limits = row.limits;
        self.line("shortest", &limits.min.map_or_else(unknown, tokens));
        self.maybe("steps", limits.granularity.map(tokens));
        if limits.breakpoints > 0 {
            self.line("breakpoints", &limits.breakpoints.to_string());
        }
        if !row.prefill {
            self.line(
                "prefill",
                "refused: a request must not end with the beginning of the answer",
            );
        }
        if row.from.is_some() || row.until.is_some() {
            self.line("counts", &days(row));
        }
        self.rest(&row.notes, &row.source);
    }

    fn provider(&mut self, provider: &Provider) {
        self.line(
            "rule",
            &format!("{}: {}", provider.rule.name(), about(provider.rule)),
        );
        if !provider.order.is_empty() {
            self.line("order", &provider.order.join(", "));
        }
        self.maybe("marker", provider.marker.as_ref());
        let blocks = provider
            .lookback_blocks
            .map(|n| format!("{n} content blocks"));
        let points = provider
            .lookback_breakpoints
            .map(|n| format!("the latest {n} breakpoints"));
        self.maybe("looks back", blocks.or(points));
        self.maybe("routing", provider.routing.as_ref());
        self.maybe("shared in", provider.scope.as_ref());
        self.maybe("reports why", provider.diagnostics.as_ref());
        if let Some(usage) = &provider.usage {
            self.usage(usage);
        }
        self.multipliers(&provider.multipliers);
        self.maybe("tokenizer", provider.tokenizer.map(|t| t.name));
        self.rest(&provider.notes, &provider.source);
    }

    fn multipliers(&mut self, all: &[Multiplier]) {
        for row in all {
            let (term, values) = (row.term.name(), row.values.join(", "));
            let read = row
                .read
                .map(|read| format!(", read tokens {}", read.value()));
            let write = row
                .write_as_read
                .then_some(", written tokens cost what read ones do");
            let (read, write) = (read.unwrap_or_default(), write.unwrap_or_default());
            let factor = row.factor.value();
            self.line(
                "multiplier",
                &format!("{term} {values}: {factor} times{read}{write}"),
            );
        }
    }

    fn usage(&mut self, usage: &Usage) {
        self.maybe("reports reads", usage.read.as_ref());
        self.maybe("reports writes", usage.write.as_ref());
        self.maybe("reports misses", usage.miss.as_ref());
        let text = usage.includes_cached.map(|includes| {
            if includes {
                "the count of the input includes these"
            } else {
                "the count of the input leaves these out"
            }
        });
        self.maybe("", text);
    }

    fn rest(&mut self, notes: &[String], source: &Source) {
        for note in notes {
            self.line("note", note);
        }
        self.line("source", &source.text);
        let confidence = source.confidence.name();
        self.line(
            "as of",
            &format!("{}, confidence {confidence}", source.as_of),
        );
    }
}

fn unknown() -> String {
    "unknown".to_owned()
}

fn tokens(n: u64) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{} token{s}", number(n))
}

fn price(row: &Model) -> String {
    match row.prices {
        Some(known) => prices(known),
        None => "none: there is no price per token, or it is not published".to_owned(),
    }
}

fn prices(prices: Prices) -> String {
    let (input, read) = (prices.input.dollars_per_million(), prices.read.value());
    let output = match prices.output {
        Some(output) => format!("${} for a million of output", output.dollars_per_million()),
        None => "no price of output is known".to_owned(),
    };
    format!(
        "${input} for a million tokens of input, {read} times that where they are read; {output}"
    )
}

/// The days of a row.
fn days(row: &Model) -> String {
    match (row.from, row.until) {
        (Some(from), Some(until)) => format!("{from} to {until}"),
        (Some(from), None) => format!("from {from}"),
        (None, Some(until)) => format!("until {until}"),
        (None, None) => "always".to_owned(),
    }
}

fn about(rule: Match) -> &'static str {
    match rule {
        Match::Breakpoint => "up to a place that an earlier request marked and this one finds",
        Match::BlockFloor => "whole blocks of tokens",
        Match::Lcp => "the longest common prefix",
        Match::OpaquePrefix => "at most the longest common prefix, by an unpublished rule",
        Match::NamedResource => "a stored part that requests name, whole or not at all",
        Match::Passthrough => "as the upstream provider does",
    }
}
