//! Providers and models for programs.

use super::rows::Rows;
use crate::cli::ui::{Page, answer};
use crate::provider as table;
use crate::provider::{Found, Named, Only, Prices};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

/// What `providers --format json` writes.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(in crate::cli) enum Report<'a> {
    /// `providers list`.
    List(List<'a>),
    /// `providers show`.
    Show(Box<Show<'a>>),
}

/// What `providers list` writes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::cli) struct List<'a> {
    /// The day on which the rows count.
    day: String,
    /// Providers, those of tables that count first in front.
    providers: Vec<Provider<'a>>,
    /// Models that have a row on that day.
    models: Vec<Model<'a>>,
}

/// What `providers show` writes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::cli) struct Show<'a> {
    /// The day on which the row counts.
    day: String,
    /// The model, as it was named.
    name: &'a str,
    /// Who passes requests on to the provider; null if nobody does.
    via: Option<&'a str>,
    /// Who serves it.
    provider: Provider<'a>,
    /// Its row; null if only the provider is known, or no row counts on that day.
    model: Option<Model<'a>>,
    /// Its rows for other days.
    other_days: Vec<Model<'a>>,
}

/// A provider.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Provider<'a> {
    /// Its name in tables.
    provider: &'a str,
    /// How a request finds what is kept.
    #[serde(rename = "match")]
    rule: &'a str,
    /// Whether its rows count only for names with it in front.
    only_named: bool,
    /// How its tokens are counted here; null if nobody knows.
    tokenizer: Option<&'a str>,
    /// How many content blocks a breakpoint looks back; null if there is no such bound.
    lookback_blocks: Option<usize>,
    /// How many of the latest breakpoints are looked up; null if there is no such bound.
    lookback_breakpoints: Option<usize>,
    /// The parts of a request in the order of the prefix; empty if nobody says.
    order: &'a [String],
    /// The field that marks a breakpoint.
    marker: Option<&'a str>,
    /// What sends requests with one prefix to one place.
    routing: Option<&'a str>,
    /// The fields of a response that say what was kept.
    usage: Option<Usage<'a>>,
    /// Who shares what is kept.
    scope: Option<&'a str>,
    /// How the provider itself tells why nothing was kept.
    diagnostics: Option<&'a str>,
    /// What else is worth knowing.
    notes: &'a [String],
    /// Where the row is from.
    source: Source<'a>,
}

/// The fields of a response that say what was kept.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Usage<'a> {
    /// Tokens that were read.
    read: Option<&'a str>,
    /// Tokens that were written.
    write: Option<&'a str>,
    /// Tokens that were neither.
    miss: Option<&'a str>,
    /// Whether the count of the input includes those; null if nobody says.
    includes_cached: Option<bool>,
}

/// Where a row is from.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Source<'a> {
    /// The document.
    text: &'a str,
    /// When it was read.
    as_of: String,
    /// How sure it is: high, medium or low.
    confidence: &'a str,
}

/// A row of a model.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Model<'a> {
    /// Its names; `*` stands for any characters.
    models: &'a [String],
    /// Its provider.
    provider: &'a str,
    /// What tokens cost; null where nobody is paid by the token or nobody says.
    price: Option<Price>,
    /// The shortest prefix that is kept, in tokens; null if nobody says.
    min: Option<u64>,
    /// Tokens in a block; null if nobody says.
    granularity: Option<u64>,
    /// How many breakpoints a request may have.
    breakpoints: usize,
    /// Whether a request may end with the beginning of the answer.
    prefill: bool,
    /// How long prefixes are kept, the shortest first; empty where the provider decides and takes nothing for it.
    ttls: Vec<Ttl<'a>>,
    /// Prices of longer requests.
    above: Vec<Above>,
    /// When it is dearer; null if never.
    peak: Option<Peak<'a>>,
    /// The first day of the row; null if it has none.
    from: Option<String>,
    /// The last day of the row; null if it has none.
    until: Option<String>,
    /// What else is worth knowing.
    notes: &'a [String],
    /// Where it is from.
    source: Source<'a>,
}

/// What tokens cost.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Price {
    /// A million tokens of input, in US dollars.
    input: f64,
    /// A token that is read, as a multiple of that.
    read: f64,
}

/// How long prefixes are kept.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Ttl<'a> {
    /// As requests write it.
    ttl: &'a str,
    /// The same in seconds.
    seconds: u64,
    /// A token that is written, as a multiple of the price of the input.
    write: f64,
    /// The only kind of request that can ask for it; null if all can.
    only: Option<&'a str>,
}

/// Prices of longer requests.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Above {
    /// With more tokens of input than these.
    tokens: u64,
    /// The prices then.
    price: Price,
}

/// When a model is dearer.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Peak<'a> {
    /// From and to, UTC.
    hours: &'a [String],
    /// On which days.
    days: &'a str,
    /// All prices, as a multiple of those of the row.
    factor: f64,
}

/// All models.
pub(super) fn list(rows: &Rows, day: Date) -> Page {
    written(&Report::List(List {
        day: day.to_string(),
        providers: rows.providers.iter().map(provider).collect(),
        models: rows.models.iter().map(model).collect(),
    }))
}

/// A model.
pub(super) fn show(name: &str, found: &Found, day: Date) -> Page {
    written(&Report::Show(Box::new(Show {
        day: day.to_string(),
        name,
        via: found.via.as_deref(),
        provider: provider(&found.provider),
        model: found.model.as_ref().map(model),
        other_days: found.other_days.iter().map(model).collect(),
    })))
}

fn provider(of: &table::Provider) -> Provider<'_> {
    let usage = of.usage.as_ref().map(|usage| Usage {
        read: usage.read.as_deref(),
        write: usage.write.as_deref(),
        miss: usage.miss.as_deref(),
        includes_cached: usage.includes_cached,
    });
    Provider {
        provider: &of.name,
        rule: of.rule.name(),
        only_named: of.named == Named::Only,
        tokenizer: of.tokenizer.map(|t| t.name),
        lookback_blocks: of.lookback_blocks,
        lookback_breakpoints: of.lookback_breakpoints,
        order: &of.order,
        marker: of.marker.as_deref(),
        routing: of.routing.as_deref(),
        usage,
        scope: of.scope.as_deref(),
        diagnostics: of.diagnostics.as_deref(),
        notes: &of.notes,
        source: source(&of.source),
    }
}

fn source(of: &table::Source) -> Source<'_> {
    Source {
        text: &of.text,
        as_of: of.as_of.to_string(),
        confidence: of.confidence.name(),
    }
}

fn price(Prices { input, read }: Prices) -> Price {
    Price {
        input: input.dollars_per_million(),
        read: read.value(),
    }
}

fn model(of: &table::Model) -> Model<'_> {
    let ttls = of.ttls.iter().map(|ttl| Ttl {
        ttl: &ttl.name,
        seconds: ttl.seconds,
        write: ttl.write.value(),
        only: (ttl.only == Only::Responses).then_some("responses"),
    });
    let above = of.above.iter().map(|above| Above {
        tokens: above.tokens,
        price: price(above.prices),
    });
    let peak = of.peak.as_ref().map(|peak| Peak {
        hours: &peak.hours,
        days: &peak.days,
        factor: peak.factor.value(),
    });
    Model {
        models: &of.patterns,
        provider: &of.provider,
        price: of.prices.map(price),
        min: of.limits.min,
        granularity: of.limits.granularity,
        breakpoints: of.limits.breakpoints,
        prefill: of.prefill,
        ttls: ttls.collect(),
        above: above.collect(),
        peak,
        from: of.from.map(|day| day.to_string()),
        until: of.until.map(|day| day.to_string()),
        notes: &of.notes,
        source: source(&of.source),
    }
}

fn written(report: &Report<'_>) -> Page {
    answer::page(report)
}
