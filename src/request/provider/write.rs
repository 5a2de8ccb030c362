//! A table to KDL, as the reader reads it and the formatter lays it out.

use super::table::{Model, Only, Prices, Source, Table};
use crate::diagnostic::Diagnostics;
use crate::diagnostic::span::Files;
use crate::manifest;
use crate::syntax::write::one_line as string;
use std::fmt::Write as _;

/// The text of a table without providers of its own.
#[must_use]
pub fn models(table: &Table) -> String {
    let mut out = format!(
        "providers 1 currency=USD as-of={}\n",
        string(&table.as_of.to_string())
    );
    for row in &table.models {
        out.push('\n');
        model(&mut out, row);
    }
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let file = files.add("table".to_owned(), out.clone());
    // The output is KDL, so that it can be formatted; only a very large table is left unformatted.
    manifest::formatted(file, &files, &mut diags).unwrap_or(out)
}

/// Writing to a string does not fail.
fn model(out: &mut String, row: &Model) {
    out.push_str("model");
    for pattern in &row.patterns {
        let _ = write!(out, " {}", string(pattern));
    }
    let prefill = if row.prefill { "" } else { " prefill=#false" };
    let _ = writeln!(out, " provider={}{prefill} {{", string(&row.provider));
    if let Some(known) = row.prices {
        let _ = writeln!(out, "    price{}", prices(known));
    }
    limits(out, row);
    for ttl in &row.ttls {
        let only = match ttl.only {
            None => "",
            Some(Only::Responses) => " only=responses",
        };
        let (name, write) = (string(&ttl.name), ttl.write.value());
        let _ = writeln!(out, "    ttl {name} write={write}{only}");
    }
    for above in &row.above {
        let (tokens, prices) = (above.tokens, prices(above.prices));
        let _ = writeln!(out, "    above tokens={tokens}{prices}");
    }
    if let Some(peak) = &row.peak {
        let hours: String = peak
            .hours
            .iter()
            .map(|h| format!(" {}", string(h)))
            .collect();
        let (days, factor) = (string(&peak.days), peak.factor.value());
        let _ = writeln!(out, "    peak{hours} days={days} factor={factor}");
    }
    for multiplier in &row.multipliers {
        let values = multiplier.values.iter().map(|value| string(value));
        let values: Vec<_> = values.collect();
        let (term, factor) = (string(multiplier.term.name()), multiplier.factor.value());
        let read = multiplier
            .read
            .map_or(String::new(), |read| format!(" read={}", read.value()));
        let write = if multiplier.write_as_read {
            " write=read"
        } else {
            ""
        };
        let _ = writeln!(
            out,
            "    multiplier {term} {} factor={factor}{read}{write}",
            values.join(" ")
        );
    }
    if row.from.is_some() || row.until.is_some() {
        let day = |name: &str, day: Option<jiff::civil::Date>| {
            day.map_or(String::new(), |day| {
                format!(" {name}={}", string(&day.to_string()))
            })
        };
        let _ = writeln!(
            out,
            "    valid{}{}",
            day("from", row.from),
            day("until", row.until)
        );
    }
    for note in &row.notes {
        let _ = writeln!(out, "    note {}", string(note));
    }
    source(out, &row.source);
    out.push_str("}\n");
}

fn prices(prices: Prices) -> String {
    let (input, read) = (prices.input.dollars_per_million(), prices.read.value());
    let output = prices.output.map_or(String::new(), |output| {
        format!(" output={}", output.dollars_per_million())
    });
    format!(" input={input} read={read}{output}")
}

fn limits(out: &mut String, row: &Model) {
    let limits = row.limits;
    let mut said = String::new();
    for (name, value) in [("min", limits.min), ("granularity", limits.granularity)] {
        if let Some(value) = value {
            let _ = write!(said, " {name}={value}");
        }
    }
    if limits.breakpoints > 0 {
        let _ = write!(said, " breakpoints={}", limits.breakpoints);
    }
    if !said.is_empty() {
        let _ = writeln!(out, "    prefix{said}");
    }
}

fn source(out: &mut String, source: &Source) {
    let (text, as_of) = (string(&source.text), string(&source.as_of.to_string()));
    let confidence = source.confidence.name();
    let _ = writeln!(
        out,
        "    source {text} as-of={as_of} confidence={confidence}"
    );
}

#[cfg(test)]
mod tests {
    use super::models;
    use crate::diagnostic::Diagnostics;
    use crate::diagnostic::span::Files;
    use crate::manifest;
    use crate::request::provider::{Catalog, Table, table};

    fn read(text: &str, known: &Table) -> Table {
        let (mut files, mut diags) = (Files::default(), Diagnostics::default());
        let file = files.add("t".to_owned(), text.to_owned());
        let names: Vec<&str> = known.providers.iter().map(|p| p.name.as_str()).collect();
        let read = table(file, text, &names, &mut diags);
        read.unwrap_or_else(|_| panic!("{:?}", diags.iter().collect::<Vec<_>>()))
    }

    #[test]
    fn a_written_table_is_read_back_and_formatted() {
        let mut whole = Catalog::default().tables().remove(0);
        whole.models[0].notes = vec!["a \"quoted\"\n\\ note\u{7}".to_owned()];
        let text = models(&whole);
        assert_eq!(read(&text, &whole).models, whole.models);
        let (mut files, mut diags) = (Files::default(), Diagnostics::default());
        let file = files.add("t".to_owned(), text.clone());
        assert_eq!(manifest::formatted(file, &files, &mut diags).unwrap(), text);
    }
}
