//! The findings of `init`, in dumps or in a folder, for people and programs.

use crate::adopt::look::LookReport;
use crate::adopt::{Change, Confidence, DumpReport, Kept, LayerReport, Report, Stands, Style};
use crate::cli::ui::{Page, answer};
use crate::report::{Block, Document, Fact, Facts, Items, Table, Text, words};

/// The most changes that are shown to people.
const MOST_CHANGES: usize = 20;
/// The most guesses that are shown to people.
const MOST_GUESSES: usize = 8;
/// The most characters of a value that are shown.
const EXCERPT: usize = 50;

/// One object.
pub(super) fn json(report: &Report) -> Page {
    answer::page(report)
}

/// The layers, the changes, and the share of the prompt that a cache can reuse.
pub(super) fn human(report: &Report) -> Document {
    let mut out = Document::new();
    out.push(layers(&report.layers));
    let note = match report.style {
        Style::Joined => None,
        Style::Exact => {
            Some("No one join fits: nothing is joined or trimmed, blank lines are in the files.")
        }
        Style::Whole => Some("No division builds these bytes: each dump stays one file."),
    };
    out.extend(note.map(|note| Block::Lines(vec![note.into()])));
    changes(report, &mut out);
    moments(report, &mut out);
    if let Some(guesses) = guesses(report) {
        out.facts(vec![guesses]);
    }
    if !report.movable.is_empty() {
        let all = report.movable.iter().map(|l| format!("layer {l}"));
        let text = format!(
            "to the front, as text that changes more often is before them: {}",
            some(all.collect())
        );
        out.facts(vec![Fact::new("movable", text)]);
    }
    if let Some(kept) = &report.kept {
        out.facts(prefix(kept, report));
    }
    let what = match report.dumps.as_slice() {
        [_] => "the build is the dump".to_owned(),
        all => format!("the builds of {} scenarios are the dumps", all.len()),
    };
    out.facts(vec![Fact::new("proved", format!("{what}, byte for byte"))]);
    out
}

/// The layers, the files that only directory rules use, and the files that were left out.
pub(super) fn looked(report: &LookReport) -> Document {
    let mut out = Document::new();
    if !report.layers.is_empty() {
        out.push(layers(&report.layers));
    }
    let listed = |paths: Vec<String>| {
        let items = paths.into_iter().map(|path| (path.into(), Document::new()));
        Items {
            indent: 2,
            inner: 4,
            items: items.collect(),
        }
    };
    if !report.directory_rules.is_empty() {
        out.heading("In subfolders, given to a session when its agent first uses a file there (promptc agent rules):");
        let mut shown: Vec<String> = report
            .directory_rules
            .iter()
            .take(MOST_CHANGES)
            .cloned()
            .collect();
        if let Some(more @ 1..) = report.directory_rules.len().checked_sub(MOST_CHANGES) {
            shown.push(format!("and {more} more; --format json has all"));
        }
        out.push(listed(shown));
    }
    if !report.left_out.is_empty() {
        out.heading("Left out:");
        let shown = report.left_out.iter().take(MOST_CHANGES);
        let mut shown: Vec<String> = shown.map(|l| format!("{}: {}", l.path, l.reason)).collect();
        if let Some(more @ 1..) = report.left_out.len().checked_sub(MOST_CHANGES) {
            shown.push(format!("and {more} more; --format json has all"));
        }
        out.push(listed(shown));
    }
    if !report.whole {
        let names = words::thousands(report.names);
        out.line(format!(
            "The folder has more than the searched {names} names."
        ));
    }
    out
}

fn layers(layers: &[LayerReport]) -> Table {
    let mut table = Table::new(&["layer", "tier", "changes", ">bytes", "from"]);
    for layer in layers {
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
    table
}

fn changes(report: &Report, out: &mut Document) {
    for dump in &report.dumps {
        if let Some(other) = &dump.same_as {
            let same = format!("{} is the same text as {other}.", dump.name);
            out.push(Block::Lines(vec![same.into()]));
        }
    }
    if report.changes.is_empty() {
        return;
    }
    out.heading("Changed between the dumps:");
    let mut items = Items {
        indent: 2,
        inner: 4,
        items: Vec::new(),
    };
    let shown = report.changes.iter().take(MOST_CHANGES);
    items.items.extend(shown.map(|change| one(change, report)));
    if let Some(more @ 1..) = report.changes.len().checked_sub(MOST_CHANGES) {
        let more = format!("and {more} more; --format json has all");
        items.items.push((more.into(), Document::new()));
    }
    out.push(items);
}

/// A fact, and where each dump has it.
fn one(change: &Change, report: &Report) -> (Text, Document) {
    let what = match change.kind {
        "flag" => " (whether it is present)",
        "file" => " (which file)",
        _ => "",
    };
    let Change { fact, layer, .. } = change;
    let line = format!(
        "fact {fact}{what}, layer {layer}, changes={}",
        change.changes
    );
    let mut places = Facts::faint(0);
    for (what, guess) in [
        ("name", change.name_guess),
        ("changes", change.changes_guess),
    ] {
        places.push(
            what,
            format!("{}: {}", guess.confidence.word(), guess.because),
        );
    }
    for (DumpReport { name, .. }, stands) in report.dumps.iter().zip(&change.dumps) {
        match stands {
            Some(stands) => places.push(format!("{name}:{}", stands.line), shown(stands)),
            None => places.push(name.as_str(), "not there"),
        }
    }
    let mut below = Document::new();
    below.facts(places);
    (line.into(), below)
}

/// The guesses, to be reviewed first.
fn guesses(report: &Report) -> Option<Fact> {
    let is_guess = |confidence| confidence == Confidence::Guess;
    let layers = report
        .layers
        .iter()
        .filter(|l| l.confidence.is_some_and(is_guess));
    let changes = report.changes.iter();
    let facts = changes
        .clone()
        .filter(|c| is_guess(c.name_guess.confidence));
    let named = layers
        .map(|l| format!("layer {}", l.layer))
        .chain(facts.map(|c| format!("fact {}", c.fact)));
    let often = changes
        .filter(|c| is_guess(c.changes_guess.confidence))
        .map(|c| format!("fact {}", c.fact));
    let listed =
        |what: &str, all: Vec<String>| (!all.is_empty()).then(|| format!("{what} {}", some(all)));
    let both = [
        listed("the name of", named.collect()),
        listed("how often it changes:", often.collect()),
    ];
    let both: Vec<String> = both.into_iter().flatten().collect();
    (!both.is_empty()).then(|| Fact::new("guessed", format!("review first {}", both.join("; "))))
}

/// The first of some names, and how many more there are.
fn some(all: Vec<String>) -> String {
    let rest = match all.len().checked_sub(MOST_GUESSES) {
        Some(more @ 1..) => format!(" and {more} more"),
        _ => String::new(),
    };
    let shown: Vec<String> = all.into_iter().take(MOST_GUESSES).collect();
    format!("{}{rest}", shown.join(", "))
}

/// The beginning of a value, and how many lines it has.
fn shown(stands: &Stands) -> String {
    let text = stands.text.trim();
    let first = text.lines().next().unwrap_or_default();
    let mut excerpt: String = first.chars().take(EXCERPT).collect();
    if excerpt.len() < first.len() {
        excerpt.push_str("...");
    }
    let excerpt = format!("\"{}\"", excerpt);
    match stands.lines {
        0 if stands.text.is_empty() => "nothing".to_owned(),
        0 => "white space".to_owned(),
        1 => excerpt,
        lines => format!("{excerpt} and {}", words::count(lines - 1, "more line")),
    }
}

/// Dates and times of a single dump.
fn moments(report: &Report, out: &mut Document) {
    let (Some(DumpReport { name, .. }), false) = (report.dumps.first(), report.moments.is_empty())
    else {
        return;
    };
    let mut places = Facts::faint(0);
    for stands in &report.moments {
        places.push(format!("{name}:{}", stands.line), shown(stands));
    }
    let mut below = Document::new();
    below.facts(places);
    let text = "Dates and times; a dump of another day would show whether they change:";
    out.push(Items {
        indent: 0,
        inner: 4,
        items: vec![(text.into(), below)],
    });
}

fn prefix(kept: &Kept, report: &Report) -> Vec<Fact> {
    let share = |bytes| words::share(bytes, kept.of);
    let (all, name) = (words::thousands(kept.of), report.dumps.first());
    let name = name.map_or("", |d| d.name.as_str());
    let Some(line) = kept.line else {
        let text = format!("all of {all} bytes: the dumps are the same");
        return vec![Fact::new("kept", text)];
    };
    let part = share(kept.bytes);
    let text = format!("{part} of {all} bytes are before the first difference ({name}:{line})");
    let mut out = vec![Fact::new("kept", text)];
    if kept.stable > kept.bytes + kept.of / 20 {
        let part = share(kept.stable);
        let text = format!(
            "with the changing layers after all others it would be {part}: put their tiers last"
        );
        out.push(Fact::new("tip", text));
    }
    out
}
