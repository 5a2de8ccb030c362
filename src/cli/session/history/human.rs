//! The history for people at a terminal, or in a log.

use super::Look;
use super::cost;
use super::strip::{self, strip};
use super::words::{
    cold, counted, gone, layer, look as look_at, main_cause, most, part, tokens, tools,
};
use crate::cli::diff::fit::{fit, width};
use crate::cli::diff::{Cell, WIDTH};
use crate::cli::ui::words::{count, plain, share, thousands};
use crate::cli::ui::{ERROR, FAINT, NAME, class};
use crate::session::history::{History, LayerSum, Spent};
use anstyle::Style;
use std::fmt::Write as _;

/// Columns of the word at the start of a line.
const WORD: usize = 9;

/// Columns of the longest bar.
const BAR: usize = 18;

/// Columns of the costs.
const COST: usize = 11;

/// Columns that a layer's name may take.
const LONGEST: usize = 24;

/// Draws a history with at least one build.
pub(super) fn draw(history: &History, look: Look, store: Option<&str>) -> String {
    let mut out = String::new();
    for (word, text) in head(history) {
        let style = if word == "broke" { ERROR } else { NAME };
        let text = fit(&plain(&text), WIDTH - WORD, look.ascii);
        out.push_str(&line(word, style, &text));
    }
    for text in cost::lines(history) {
        // Whole, however long: the day of the price stands at the end.
        out.push_str(&line("cost", NAME, &text));
    }
    if !history.layers.is_empty() {
        out.push('\n');
        out.push_str(&layers(history, look));
    }
    if history.all.rebuilds > 0 {
        let _ = write!(out, "\n{}\n{}", time(history, look), reasons(history));
        out.push_str(&causes(history));
    }
    let notes = [
        ("cold", cold(history)),
        ("tokens", counted(history)),
        ("tools", tools(history)),
        ("gone", gone(history)),
        ("look", look_at(history, store)),
    ];
    if notes.iter().any(|(_, text)| text.is_some()) {
        out.push('\n');
    }
    for (word, text) in notes {
        if let Some(text) = text {
            out.push_str(&line(word, NAME, &text));
        }
    }
    out
}

fn line(word: &str, style: Style, text: &str) -> String {
    format!("{style}{word:<WORD$}{style:#}{text}\n")
}

/// The lines that say it all: how many rebuilds broke the prefix, which layer most, and why.
pub(crate) fn head(history: &History) -> Vec<(&'static str, String)> {
    let all = &history.all;
    let sessions = count(history.sessions, "session");
    if all.rebuilds == 0 {
        let builds = count(history.builds, "build");
        let text = format!("{sessions} with {builds}, and nothing to compare");
        let text = match history.gaps.is_empty() {
            true => format!("{sessions}, and none of them was built anew"),
            false => text,
        };
        return vec![("none", text)];
    }
    let rebuilds = count(all.rebuilds, "rebuild");
    if all.broke == 0 {
        let text = format!("{rebuilds} of {sessions} gave the same bytes as before");
        return vec![("same", text)];
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
    vec![
        (
            "broke",
            format!("{broke} of {rebuilds} of {sessions}; worst layer `{name}`{tier}"),
        ),
        ("cause", cause),
        ("rewrote", rewrote),
    ]
}

/// The layers, each with its bar and figures, and below them why.
fn layers(history: &History, look: Look) -> String {
    let shown: Vec<&LayerSum> = history.layers.iter().take(look.top).collect();
    let name = |sum: &LayerSum| fit(&layer(sum, history), LONGEST, look.ascii);
    let names = shown.iter().map(|sum| width(&name(sum))).max().unwrap_or(0);
    let names = names.max("layer".len());
    let most = shown.first().map_or(0, |sum| sum.lost.tokens);
    let longest = match history.cost {
        Some(_) => BAR - COST - 1,
        None => BAR,
    };
    let mut out = format!(
        "{FAINT}{:<names$}  {:<longest$} {:>6} {:>6} {:>12} {:>8}{}{FAINT:#}\n",
        "layer",
        if history.cost.is_some() {
            ""
        } else {
            "rewritten"
        },
        "breaks",
        "hidden",
        "tokens",
        "share",
        head_of_cost(history),
    );
    let cell = Cell::Lost.drawn(look.ascii);
    for sum in &shown {
        let style = sum.changes.map_or(Style::new(), class);
        let name = name(sum);
        let pad = " ".repeat(names - width(&name));
        let cells = (sum.lost.tokens * longest).div_ceil(most.max(1));
        let bar: String = std::iter::repeat_n(cell, cells).collect();
        let _ = writeln!(
            out,
            "{style}{name}{pad}  {bar:<longest$}{style:#} {:>6} {:>6} {:>12} {:>8}{}",
            thousands(sum.broke),
            thousands(sum.hidden),
            tokens(sum.lost.tokens, history),
            share(sum.lost.tokens, history.all.lost.tokens),
            cost_of(sum.cost, history),
        );
        if let Some(cause) = main_cause(sum) {
            let _ = writeln!(out, "  {}", fit(&cause, WIDTH - 2, look.ascii));
        }
    }
    let more = history.layers.len() - shown.len();
    if more > 0 {
        let more = count(more, "layer");
        let _ = writeln!(out, "{FAINT}{more} more (--top N){FAINT:#}");
    }
    out
}

/// The head of the column of costs, if there is one.
fn head_of_cost(history: &History) -> String {
    let head = history.cost.as_ref().map(cost::head);
    head.map_or(String::new(), |head| format!(" {head:>COST$}"))
}

fn cost_of(spent: Option<Spent>, history: &History) -> String {
    let cell = history.cost.as_ref().map(|cost| cost::cell(spent, cost));
    cell.map_or(String::new(), |cell| format!(" {cell:>COST$}"))
}

/// When it was.
fn time(history: &History, look: Look) -> String {
    let times = &history.times;
    let buckets = times.buckets.first().zip(times.buckets.last());
    let (Some(strip), Some((first, last))) = (strip(times, look.ascii), buckets) else {
        return String::new();
    };
    let (from, to) = (part(times.by, first.start), part(times.by, last.start));
    let mut text = match from == to {
        true => format!("{from} UTC"),
        false => format!("{from} to {to} UTC"),
    };
    if let Some(most) = most(history) {
        let _ = write!(text, ", {most}");
    }
    let word = strip::parts(times.by);
    let each = match strip.each {
        1 => String::new(),
        n => format!("; a sign is {n} {word}"),
    };
    format!(
        "{NAME}{word:<WORD$}{NAME:#}{}\n{:WORD$}{}\n{:WORD$}{FAINT}{}{each}{FAINT:#}\n",
        strip.drawn,
        "",
        fit(&text, WIDTH - WORD, look.ascii),
        "",
        strip::legend(look.ascii),
    )
}

/// Why sessions were built anew.
fn reasons(history: &History) -> String {
    let rows = history.reasons.iter().map(|row| {
        let sum = &row.sum;
        (plain(&row.reason), sum)
    });
    let mut out = format!(
        "{FAINT}{:<34} {:>8} {:>8} {:>12}{}{FAINT:#}\n",
        "reason",
        "rebuilds",
        "breaks",
        "tokens",
        head_of_cost(history)
    );
    for (reason, sum) in rows {
        let _ = writeln!(
            out,
            "{} {:>8} {:>8} {:>12}{}",
            padded(&reason, 34),
            thousands(sum.rebuilds),
            thousands(sum.broke),
            tokens(sum.lost.tokens, history),
            cost_of(sum.cost, history),
        );
    }
    out
}

/// What kinds of change broke the prefix.
fn causes(history: &History) -> String {
    if history.causes.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "\n{FAINT}{:<34} {:>8} {:>8} {:>12}{}{FAINT:#}\n",
        "cause",
        "",
        "breaks",
        "tokens",
        head_of_cost(history)
    );
    for row in &history.causes {
        let _ = writeln!(
            out,
            "{:<34} {:>8} {:>8} {:>12}{}",
            row.kind.name(),
            "",
            thousands(row.broke),
            tokens(row.lost.tokens, history),
            cost_of(row.cost, history),
        );
    }
    out
}

fn padded(text: &str, columns: usize) -> String {
    let text = fit(text, columns, true);
    let pad = columns.saturating_sub(width(&text));
    format!("{text}{:pad$}", "")
}
