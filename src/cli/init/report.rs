//! What `init --from` found, for people and programs.

use crate::adopt::{Change, Kept, Report, Stands, Style};
use crate::cli::ui::table::Table;
use crate::cli::ui::words;
use crate::cli::ui::{Page, answer};
use std::fmt::Write as _;

/// How many changes are told to people.
const MOST_CHANGES: usize = 20;
/// How many characters of a value are shown.
const EXCERPT: usize = 50;

/// One object.
pub(super) fn json(report: &Report) -> Page {
    answer::page(report)
}

/// The layers, what changed, and what of the prompt a cache can keep.
pub(super) fn human(report: &Report) -> String {
    let mut out = layers(report);
    match report.style {
        Style::Joined => {}
        Style::Exact => out.push_str(
            "\nNo one join fits: nothing is joined or trimmed, blank lines stand in the files.\n",
        ),
        Style::Whole => {
            out.push_str("\nNo division builds these bytes: each dump stays one file.\n")
        }
    }
    out.push_str(&changes(report));
    out.push_str(&moments(report));
    if let Some(kept) = &report.kept {
        out.push_str(&prefix(kept, report));
    }
    let what = match report.dumps.as_slice() {
        [_] => "the build is the dump".to_owned(),
        all => format!("the builds of {} scenarios are the dumps", all.len()),
    };
    let _ = writeln!(out, "\nproved   {what}, byte for byte");
    out
}

fn layers(report: &Report) -> String {
    let mut table = Table::new(false, &["layer", "tier", "changes", ">bytes", "from"]);
    for layer in &report.layers {
        let facts = layer.facts.iter().map(|f| format!("fact {f}"));
        let from: Vec<String> = layer.files.iter().cloned().chain(facts).collect();
        table.row([
            layer.layer.clone(),
            layer.tier.clone(),
            layer.changes.to_string(),
            words::thousands(layer.bytes),
            from.join(", "),
        ]);
    }
    table.draw()
}

fn changes(report: &Report) -> String {
    let mut out = String::new();
    for dump in &report.dumps {
        if let Some(other) = &dump.same_as {
            let (dump, other) = (words::plain(&dump.name), words::plain(other));
            let _ = writeln!(out, "\n{dump} is the same text as {other}.");
        }
    }
    if report.changes.is_empty() {
        return out;
    }
    out.push_str("\nChanged between the dumps:\n");
    for change in report.changes.iter().take(MOST_CHANGES) {
        out.push_str(&one(change, report));
    }
    if let Some(more) = report.changes.len().checked_sub(MOST_CHANGES)
        && more > 0
    {
        let _ = writeln!(out, "  and {more} more; --format json has all");
    }
    out
}

/// A fact, and where each dump has it.
fn one(change: &Change, report: &Report) -> String {
    let what = match change.kind {
        "flag" => " (whether it is there)",
        "file" => " (which file)",
        _ => "",
    };
    let Change { fact, layer, .. } = change;
    let mut out = format!(
        "  fact {fact}{what}, layer {layer}, changes={}\n",
        change.changes
    );
    let places = report
        .dumps
        .iter()
        .zip(&change.dumps)
        .map(|(dump, stands)| {
            let name = words::plain(&dump.name);
            match stands {
                Some(stands) => (format!("{name}:{}", stands.line), shown(stands)),
                None => (name, "not there".to_owned()),
            }
        });
    let places: Vec<(String, String)> = places.collect();
    let width = places
        .iter()
        .map(|p| p.0.chars().count())
        .max()
        .unwrap_or(0);
    for (place, text) in places {
        let _ = writeln!(out, "    {place:width$}  {text}");
    }
    out
}

/// The beginning of a value, and how many lines it has.
fn shown(stands: &Stands) -> String {
    let text = stands.text.trim();
    let first = text.lines().next().unwrap_or_default();
    let mut excerpt: String = first.chars().take(EXCERPT).collect();
    if excerpt.len() < first.len() {
        excerpt.push_str("...");
    }
    let excerpt = format!("\"{}\"", words::plain(&excerpt));
    match stands.lines {
        0 if stands.text.is_empty() => "nothing".to_owned(),
        0 => "white space".to_owned(),
        1 => excerpt,
        lines => format!("{excerpt} and {}", words::count(lines - 1, "more line")),
    }
}

/// Dates and times of a dump that stands alone.
fn moments(report: &Report) -> String {
    let (Some(dump), false) = (report.dumps.first(), report.moments.is_empty()) else {
        return String::new();
    };
    let mut out =
        String::from("\nDates and times; a dump of another day would show whether they change:\n");
    for stands in &report.moments {
        let name = words::plain(&dump.name);
        let _ = writeln!(out, "    {name}:{}  {}", stands.line, shown(stands));
    }
    out
}

fn prefix(kept: &Kept, report: &Report) -> String {
    let share = |bytes| words::share(bytes, kept.of);
    let name = report.dumps.first().map_or("", |d| d.name.as_str());
    let Some(line) = kept.line else {
        return format!(
            "\nkept     all of {} bytes: the dumps are the same\n",
            words::thousands(kept.of)
        );
    };
    let mut out = format!(
        "\nkept     {} of {} bytes stand in front of the first difference ({}:{line})\n",
        share(kept.bytes),
        words::thousands(kept.of),
        words::plain(name)
    );
    if kept.stable > kept.bytes + kept.of / 20 {
        let _ = writeln!(
            out,
            "tip      with the layers that change behind all others it would be {}: put their tiers last",
            share(kept.stable)
        );
    }
    out
}
