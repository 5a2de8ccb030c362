//! The effect of session rebuilds on the cached prefix.

mod words;
mod cost;
mod rebuilds;

pub use rebuilds::rebuilds;
pub use words::argument;

use super::document::{Block, Document, Fact};
use super::spark::Spark;
use super::table::{Cell, Table};
use super::text::{Style, Text};
use super::words::{count, share, thousands};
use crate::prompt::Changes;
use crate::session::history::{History, Spent};
use words::{cold, counted, every_cause, gone, layer, most, part, tokens, tools};
pub(super) use words::{look, main_cause};

/// The part of a history that is shown.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    /// At most so many layers.
    pub top: usize,
    /// Every cause of a layer, not only the one that broke it most.
    pub causes: bool,
    /// The option that leads to the store, if the call had one, for the command that shows a break. Without a command none.
    pub look: Option<Option<&'a str>>,
}

/// A part of a history.
#[derive(Debug)]
pub struct Section {
    /// Its name, for links.
    pub id: &'static str,
    /// Its heading, where parts have headings.
    pub title: &'static str,
    /// Its text.
    pub document: Document,
}

/// A history in one piece.
#[must_use]
pub fn history(history: &History, shown: Shown<'_>) -> Document {
    let sections = sections(history, shown).into_iter();
    let mut out = Document {
        blocks: sections
            .flat_map(|section| section.document.blocks)
            .collect(),
    };
    out.facts(notes(history, shown));
    out
}

/// A history in parts; notes belong to the first.
#[must_use]
pub fn sections(history: &History, shown: Shown<'_>) -> Vec<Section> {
    let mut head = head(history);
    head.extend(cost::facts(history));
    let mut out = vec![section("prefix", "Prefix")];
    out[0].document.facts(head);
    let mut table = |id, title, table: Option<Table>| {
        let mut section = section(id, title);
        section.document.extend(table.map(Block::Table));
        if !section.document.blocks.is_empty() {
            out.push(section);
        }
    };
    table("layers", "Layers", layers(history, shown));
    table("causes", "Causes", causes(history));
    table("reasons", "Reasons", reasons(history));
    if let Some(spark) = time(history) {
        let mut section = section("time", "Time");
        section.document.push(spark);
        out.push(section);
    }
    out
}

fn section(id: &'static str, title: &'static str) -> Section {
    Section {
        id,
        title,
        document: Document::new(),
    }
}

/// Further remarks.
#[must_use]
pub fn notes(history: &History, shown: Shown<'_>) -> Vec<Fact> {
    let notes = [
        ("cold", cold(history)),
        ("tokens", counted(history)),
        ("tools", tools(history)),
        ("gone", gone(history)),
        ("look", shown.look.and_then(|store| look(history, store))),
    ];
    let notes = notes.into_iter();
    notes
        .filter_map(|(word, text)| Some(Fact::new(word, text?)))
        .collect()
}

/// The lines that say it all: how many rebuilds broke the prefix, which layer most, and why.
fn head(history: &History) -> Vec<Fact> {
    let all = &history.all;
    let sessions = count(history.sessions, "session");
    if all.rebuilds == 0 {
        let builds = count(history.builds, "build");
        let text = format!("{sessions} with {builds}, and nothing to compare");
        let text = if history.gaps.is_empty() {
            format!("{sessions}, and none of them was rebuilt")
        } else {
            text
        };
        return vec![Fact::new("none", text).brief()];
    }
    let rebuilds = count(all.rebuilds, "rebuild");
    if all.broke == 0 {
        let text = format!("{rebuilds} of {sessions} gave the same bytes as before");
        return vec![Fact::new("same", text).brief()];
    }
    let Some(worst) = history.layers.first() else {
        return Vec::new();
    };
    let name = layer(worst, history);
    let tier = worst.tier.as_ref().map(|t| format!(" (tier {t})"));
    let tier = tier.unwrap_or_default();
    let broke = thousands(all.broke);
    let sent = all.lost.tokens + all.kept.tokens;
    let cause = main_cause(worst).unwrap_or_else(|| "not known".to_owned());
    let rewrote = format!(
        "{} of {} tokens ({}), {} of it at `{name}`",
        tokens(all.lost.tokens, history),
        tokens(sent, history),
        share(all.lost.tokens, sent),
        share(worst.lost.tokens, all.lost.tokens),
    );
    let broken = format!("{broke} of {rebuilds} of {sessions}; worst layer `{name}`{tier}");
    vec![
        Fact::new("broke", broken).alarm().brief(),
        Fact::new("cause", cause).brief(),
        Fact::new("rewrote", rewrote).brief(),
    ]
}

/// A table of breaks: what broke, what that rewrote, as a bar too, and what it cost if that is known.
struct Sums<'a> {
    history: &'a History,
    table: Table,
    /// The largest amount that a row rewrote.
    most: usize,
}

impl<'a> Sums<'a> {
    fn new(
        history: &'a History,
        first: &[&'static str],
        middle: &[&'static str],
        lost: impl Iterator<Item = usize>,
    ) -> Self {
        let last = history
            .cost
            .as_ref()
            .map(|cost| format!(">{}", cost::head(cost)));
        let mut columns = first.to_vec();
        columns.push("rewritten");
        columns.extend(middle);
        columns.extend([">tokens", ">share"]);
        columns.extend(last.as_deref());
        Self {
            history,
            table: Table::new(&columns),
            most: lost.max().unwrap_or(0),
        }
    }

    fn row(
        &mut self,
        name: Vec<Text>,
        changes: Option<Changes>,
        middle: &[usize],
        (lost, spent): (usize, Option<Spent>),
    ) {
        let history = self.history;
        let bar = Cell::Share {
            part: lost,
            most: self.most,
            changes,
        };
        let sums = [tokens(lost, history), share(lost, history.all.lost.tokens)];
        let spent = history.cost.as_ref().map(|cost| cost::cell(spent, cost));
        let figures = middle.iter().map(|n| thousands(*n));
        let figures = figures.chain(sums).chain(spent).map(Cell::from);
        self.table
            .row(name.into_iter().map(Cell::from).chain([bar]).chain(figures));
    }
}

fn layers(history: &History, shown: Shown<'_>) -> Option<Table> {
    let all = history.layers.iter().take(shown.top);
    let lost = all.clone().map(|sum| sum.lost.tokens);
    let mut sums = Sums::new(history, &["layer", "tier"], &[">breaks", ">hidden"], lost);
    for sum in all {
        let name = match sum.changes {
            Some(changes) => Text::new().styled(Style::Class(changes), layer(sum, history)),
            None => Text::new().words(layer(sum, history)),
        };
        let middle = [sum.broke, sum.hidden];
        let tier = sum.tier.as_deref().unwrap_or_default().into();
        sums.row(
            vec![name, tier],
            sum.changes,
            &middle,
            (sum.lost.tokens, sum.cost),
        );
        if shown.causes {
            every_cause(sum).for_each(|cause| sums.table.below(cause))
        } else {
            main_cause(sum)
                .into_iter()
                .for_each(|cause| sums.table.below(cause))
        }
    }
    let more = history.layers.len().saturating_sub(shown.top);
    if more > 0 {
        sums.table
            .more(format!("{} more (--top N)", count(more, "layer")));
    }
    (!history.layers.is_empty()).then(|| sums.table.about("main cause"))
}

/// The kinds of change that broke the prefix.
fn causes(history: &History) -> Option<Table> {
    let lost = history.causes.iter().map(|row| row.lost.tokens);
    let mut sums = Sums::new(history, &["cause"], &[">breaks"], lost);
    for row in &history.causes {
        let name = row.kind.name().into();
        sums.row(vec![name], None, &[row.broke], (row.lost.tokens, row.cost));
    }
    (!history.causes.is_empty()).then_some(sums.table)
}

/// Why sessions were built again.
fn reasons(history: &History) -> Option<Table> {
    let lost = history.reasons.iter().map(|row| row.sum.lost.tokens);
    let mut sums = Sums::new(history, &["reason"], &[">rebuilds", ">breaks"], lost);
    for row in &history.reasons {
        let (name, sum) = (row.reason.as_str().into(), &row.sum);
        let middle = [sum.rebuilds, sum.broke];
        sums.row(vec![name], None, &middle, (sum.lost.tokens, sum.cost));
    }
    (history.all.rebuilds > 0).then_some(sums.table)
}

/// When it was.
fn time(history: &History) -> Option<Spark> {
    let times = &history.times;
    let (first, last) = times.buckets.first().zip(times.buckets.last())?;
    let ends = [first, last].map(|bucket| part(times.by, bucket.start));
    (history.all.rebuilds > 0)
        .then(|| Spark::of(times, ends, most(history)))
        .flatten()
}
