//! Rows from what litellm says and what is known here.

use super::Why;
use super::entry::{Entry, Writes};
use crate::request::provider::amount::{Price, Times};
use crate::request::provider::table::{
    Above, Confidence, Limits, Match, Model, Multiplier, Prices, Source, Ttl,
};
use jiff::civil::Date;

/// The source in the rows.
const SOURCE: &str = "litellm, model_prices_and_context_window.json";

const HOUR: u64 = 60 * 60;

/// The row `known` with litellm's figures under the name `name`; rows for other days stay.
pub(super) fn known(
    name: &str,
    known: &Model,
    other_days: Vec<Model>,
    entry: &Entry,
    as_of: Date,
) -> Result<Vec<Model>, Why> {
    if let Some(peak) = &known.peak {
        return Err(at_peak(known, peak.factor, entry.input));
    }
    let marked = known.limits.breakpoints > 0;
    let own = entry.read_marked.filter(|_| marked).or(entry.read);
    let Some(read) = own.or(known.prices.map(|p| p.read)) else {
        return Err(Why::Nothing("it has no price of tokens that are read"));
    };
    let output = entry.output.or(known.prices.and_then(|p| p.output));
    let prices = Prices {
        input: entry.input,
        read,
        output,
    };
    let above = if entry.above.is_empty() {
        &known.above
    } else {
        &entry.above
    };
    // Omitted prices of longer requests are those of all.
    let above = above.iter().map(|above| Above {
        prices: Prices {
            output: above.prices.output.or(output),
            ..above.prices
        },
        ..*above
    });
    let row = Model {
        patterns: vec![name.to_owned()],
        prices: Some(prices),
        limits: Limits {
            min: entry.min.or(known.limits.min),
            ..known.limits
        },
        ttls: ttls(&known.ttls, entry.writes),
        above: above.collect(),
        multipliers: multipliers(&entry.multipliers, &known.multipliers),
        until: known.until.or(until(entry, as_of)),
        notes: vec![format!(
            "data that litellm lacks is that of the row `{}` inside promptc, of {}: {}",
            known.patterns.join("`, `"),
            known.source.as_of,
            known.source.text
        )],
        source: source(known.source.confidence, as_of),
        ..known.clone()
    };
    let others = other_days.into_iter().map(|row| Model {
        patterns: vec![name.to_owned()],
        ..row
    });
    let mut rows: Vec<Model> = others.chain([row]).collect();
    rows.sort_by_key(|row| row.from);
    Ok(rows)
}

/// Prices by the hour are not litellm's: what it has may be that of any hour.
fn at_peak(known: &Model, factor: Times, input: Price) -> Why {
    let own = known.prices.map(|p| p.input);
    let times = |price: Price| Price::per_million(price.dollars_per_million() * factor.value());
    match own {
        Some(own) if own == input || times(own) == Some(input) => {
            Why::Nothing("its price is known here, with the hours in which it is more expensive")
        }
        _ => Why::Wrong(
            "it is more expensive at some hours, and litellm does not say which price it has"
                .to_owned(),
        ),
    }
}

/// A row for a model that has none, in what all `rows` of its provider agree.
pub(super) fn new(
    name: &str,
    rows: &[&Model],
    rule: Option<Match>,
    entry: &Entry,
    as_of: Date,
) -> Result<Model, Why> {
    let (Some(first), Some(rule)) = (rows.first(), rule) else {
        return Err(Why::Nothing("its provider has no rows here"));
    };
    let Some(read) = entry.read else {
        return Err(Why::Nothing("it has no price of tokens that are read"));
    };
    if rows.iter().any(|row| row.peak.is_some()) {
        return Err(Why::Nothing("its provider has prices by the hour"));
    }
    let has = |ttl: &Ttl| rows.iter().all(|row| row.ttls.iter().any(|t| same(t, ttl)));
    let agreed: Vec<Ttl> = first.ttls.iter().filter(|ttl| has(ttl)).cloned().collect();
    let ttls = ttls(&agreed, entry.writes);
    let ttls: Vec<Ttl> = ttls
        .into_iter()
        .filter(|ttl| written(ttl, agreed.first(), entry.writes).is_some())
        .collect();
    if rule == Match::Breakpoint && entry.writes.shortest.is_none() {
        return Err(Why::Nothing("it has no price of tokens that are written"));
    }
    let agree = |of: fn(&Limits) -> u64| {
        let mut all = rows.iter().map(|row| of(&row.limits));
        let first = all.next()?;
        all.all(|other| other == first).then_some(first)
    };
    let lowest = rows.iter().map(|row| row.source.confidence).min();
    Ok(Model {
        prefill: rows.iter().all(|row| row.prefill),
        patterns: vec![name.to_owned()],
        provider: first.provider.clone(),
        prices: Some(Prices {
            input: entry.input,
            read,
            output: entry.output,
        }),
        limits: Limits {
            min: entry.min,
            granularity: agree(|l| l.granularity.unwrap_or(0)).filter(|n| *n > 0),
            breakpoints: agree(|l| l.breakpoints as u64).map_or(0, |n| n as usize),
        },
        ttls,
        above: entry.above.clone(),
        peak: None,
        multipliers: entry.multipliers.clone(),
        from: None,
        until: until(entry, as_of),
        notes: vec![
            "data that litellm lacks is that of all rows of its provider inside promptc".to_owned(),
        ],
        source: source(lowest.unwrap_or(Confidence::Low), as_of),
    })
}

/// Those of litellm, and what is known of other values.
fn multipliers(new: &[Multiplier], known: &[Multiplier]) -> Vec<Multiplier> {
    let is_new = |term, value: &String| new.iter().any(|row| row.is_for(term, value));
    let rest = known.iter().cloned().map(|mut row| {
        row.values.retain(|value| !is_new(row.term, value));
        row
    });
    let rest = rest.filter(|row| !row.values.is_empty());
    new.iter().cloned().chain(rest).collect()
}

/// The last day of a row. A day that is over says nothing of a model that is still in the file.
fn until(entry: &Entry, as_of: Date) -> Option<Date> {
    entry.until.filter(|until| *until > as_of)
}

fn source(known: Confidence, as_of: Date) -> Source {
    Source {
        text: SOURCE.to_owned(),
        as_of,
        confidence: known.min(Confidence::Medium),
    }
}

fn same(a: &Ttl, b: &Ttl) -> bool {
    (a.seconds, a.only) == (b.seconds, b.only)
}

/// The times to live of litellm; the shortest one is the default of requests.
fn written(ttl: &Ttl, shortest: Option<&Ttl>, writes: Writes) -> Option<Times> {
    match ttl.seconds {
        _ if shortest.is_some_and(|s| same(s, ttl)) => writes.shortest,
        HOUR => writes.hour,
        seconds if seconds == 12 * HOUR => writes.half_day,
        _ => None,
    }
}

/// Times to live with litellm's prices; what it does not say stays. An hour that is not known is added: its name says all.
fn ttls(known: &[Ttl], writes: Writes) -> Vec<Ttl> {
    let mut ttls: Vec<Ttl> = known.to_vec();
    let hours = |ttls: &[Ttl]| ttls.iter().any(|ttl| ttl.seconds == HOUR);
    if let Some(write) = writes.hour
        && !known.is_empty()
        && !hours(known)
    {
        ttls.push(Ttl {
            name: "1h".to_owned(),
            seconds: HOUR,
            write,
            only: None,
        });
        ttls.sort_by_key(|ttl| ttl.seconds);
    }
    for ttl in &mut ttls {
        if let Some(write) = written(ttl, known.first(), writes) {
            ttl.write = write;
        }
    }
    ttls
}
