//! The history as tables, for a comment or a report.

use super::Look;
use super::cost;
use super::strip::{self, strip};
use super::words::{cold, counted, gone, layer, main_cause, most, part, tokens, tools};
use crate::cli::diff::{code, refers};
use crate::cli::ui::words::{count, plain, share, thousands};
use crate::session::history::{History, LayerSum, Spent};
use std::fmt::Write as _;

/// Draws a history.
pub(super) fn draw(history: &History, look: Look) -> String {
    let mut out = format!("### Session history\n\n{}\n", head(history));
    let costs = cost::lines(history);
    if !costs.is_empty() {
        out.push('\n');
    }
    for line in costs {
        let _ = writeln!(out, "- **cost** {}", escaped(&line));
    }
    if !history.layers.is_empty() {
        out.push_str(&layers(history, look.top));
    }
    if history.all.rebuilds > 0 {
        out.push_str(&reasons(history));
        out.push_str(&causes(history));
        out.push_str(&time(history));
    }
    let notes: Vec<String> = [
        cold(history),
        counted(history),
        tools(history),
        gone(history),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !notes.is_empty() {
        out.push('\n');
    }
    for note in notes {
        let _ = writeln!(out, "- {}", escaped(&note));
    }
    out
}

fn head(history: &History) -> String {
    let all = &history.all;
    let sessions = count(history.sessions, "session");
    let rebuilds = count(all.rebuilds, "rebuild");
    match (all.rebuilds, all.broke) {
        (0, _) => format!("{sessions}, nothing to compare."),
        (_, 0) => format!("{rebuilds} of {sessions} gave the same bytes as before."),
        (_, broke) => format!(
            "**{} of {rebuilds}** of {sessions} broke the prefix; {} tokens rewritten, {} of those sent.",
            thousands(broke),
            escaped(&tokens(all.lost.tokens, history)),
            share(all.lost.tokens, all.lost.tokens + all.kept.tokens),
        ),
    }
}

/// A table: the heads, those with `>` in front over numbers, and the rows, each with what it cost, if that is told.
fn table(
    history: &History,
    heads: &[&str],
    rows: impl Iterator<Item = (Vec<String>, Option<Spent>)>,
) -> String {
    let cost = history.cost.as_ref();
    let last = cost.map(|cost| format!(">{}", capital(cost::head(cost))));
    let heads: Vec<&str> = heads.iter().copied().chain(last.as_deref()).collect();
    let rows = rows.map(|(row, spent)| {
        let last = cost.map(|cost| cost::cell(spent, cost));
        row.into_iter().chain(last).collect::<Vec<_>>()
    });
    let names: Vec<&str> = heads.iter().map(|h| h.trim_start_matches('>')).collect();
    let rule = |head: &&str| if head.starts_with('>') { "--:" } else { "---" };
    let rules: Vec<&str> = heads.iter().map(rule).collect();
    let mut out = format!("\n| {} |\n|{}|\n", names.join(" | "), rules.join("|"));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| escaped(cell)).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    out
}

fn layers(history: &History, top: usize) -> String {
    let heads = [
        "Layer",
        "Tier",
        ">Breaks",
        ">Hidden",
        ">Tokens rewritten",
        ">Share",
        "Main cause",
    ];
    let row = |sum: &LayerSum| {
        let row = vec![
            layer(sum, history),
            sum.tier.clone().unwrap_or_default(),
            thousands(sum.broke),
            thousands(sum.hidden),
            tokens(sum.lost.tokens, history),
            share(sum.lost.tokens, history.all.lost.tokens),
            main_cause(sum).unwrap_or_default(),
        ];
        (row, sum.cost)
    };
    let mut out = table(history, &heads, history.layers.iter().take(top).map(row));
    let more = history.layers.len().saturating_sub(top);
    if more > 0 {
        let _ = writeln!(out, "\n{} more.", count(more, "layer"));
    }
    out
}

fn reasons(history: &History) -> String {
    let heads = ["Reason", ">Rebuilds", ">Breaks", ">Tokens rewritten"];
    let rows = history.reasons.iter().map(|row| {
        let cells = vec![
            row.reason.clone(),
            thousands(row.sum.rebuilds),
            thousands(row.sum.broke),
            tokens(row.sum.lost.tokens, history),
        ];
        (cells, row.sum.cost)
    });
    table(history, &heads, rows)
}

fn causes(history: &History) -> String {
    if history.causes.is_empty() {
        return String::new();
    }
    let rows = history.causes.iter().map(|row| {
        let cells = vec![
            row.kind.name().to_owned(),
            thousands(row.broke),
            tokens(row.lost.tokens, history),
        ];
        (cells, row.cost)
    });
    table(history, &["Cause", ">Breaks", ">Tokens rewritten"], rows)
}

fn time(history: &History) -> String {
    let times = &history.times;
    let buckets = times.buckets.first().zip(times.buckets.last());
    let (Some(strip), Some((first, last))) = (strip(times, false), buckets) else {
        return String::new();
    };
    let (from, to) = (part(times.by, first.start), part(times.by, last.start));
    let word = strip::parts(times.by);
    let each = match strip.each {
        1 => String::new(),
        n => format!(", a sign is {n} {word}"),
    };
    let most = most(history).map_or(String::new(), |most| format!(", {most}"));
    format!(
        "\n```text\n{word} {from} {} {to}\n{}\n```\n\nUTC{each}{}.\n",
        strip.drawn,
        strip::legend(false),
        escaped(&most)
    )
}

fn capital(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_uppercase() + rest
}

/// Text that Markdown takes as it is, in a table too.
fn escaped(text: &str) -> String {
    let text = plain(text);
    if refers(&text) {
        return code(&text).replace('|', "\\|");
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '$' => {
                out.push('\\')
            }
            _ => {}
        }
        out.push(c);
    }
    out
}
