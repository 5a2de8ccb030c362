//! What broke: the kinds of causes, the most expensive breaks, and how many requests have no row.

use super::drawn::Drawn;
use super::row::{Row, is_break, loss};
use crate::report::history::argument;
use crate::report::html::{self, Html};
use crate::report::requests::brief;
use crate::report::words::{count, share as share_of, thousands};
use crate::report::{Cell, Table, Text};
use crate::request::provider::amount::Usd;
use std::collections::BTreeMap;

/// The most breaks that are named as the most expensive.
const MOST_WORST: usize = 10;

/// The breaks that cost most, if there are more than one sees at a glance.
pub(super) fn worst(html: &mut Html, order: &[&Row], drawn: &Drawn<'_>) {
    let breaks = order.iter().filter(|row| is_break(row));
    if breaks.clone().count() <= MOST_WORST {
        return;
    }
    let breaks: Vec<_> = breaks.take(MOST_WORST).collect();
    let priced = breaks.iter().any(|row| loss(row).0 > Usd::default());
    let mut columns = vec![
        "request",
        "conversation",
        "first cause",
        ">bytes read again",
    ];
    columns.extend(priced.then_some(">lost"));
    let mut table = Table::new(&columns);
    for row in breaks {
        let (one, more) = row;
        let number = format!("#{}", one.b);
        let number = if drawn.has(one.b) {
            Text::new().link(format!("r{}", one.b), number)
        } else {
            number.into()
        };
        let lost = priced.then(|| Cell::from(loss(row).0.to_string()));
        let cells = [
            number.into(),
            one.conversation.clone().into(),
            brief(one).into(),
            thousands(more.not_reused.rewritten).into(),
        ];
        table.row(cells.into_iter().chain(lost));
    }
    html.markup("<h3 id=\"h-worst\">Most expensive breaks</h3>");
    html::table(html, &table, "h-worst", "worst");
}

/// How many requests have no row, and the command that lists them.
pub(super) fn left(html: &mut Html, name: &str, order: &[&Row], drawn: &Drawn<'_>) {
    let left = order.iter().filter(|row| !drawn.has(row.0.b));
    if left.clone().next().is_none() {
        return;
    }
    let again = |rows: &mut dyn Iterator<Item = &&Row>| -> usize {
        rows.map(|row| row.1.not_reused.rewritten).sum()
    };
    let breaks = left.clone().filter(|row| is_break(row)).count();
    let others = left.clone().count() - breaks;
    let share = share_of(again(&mut left.clone()), again(&mut order.iter()));
    let mut without = Vec::new();
    if breaks > 0 {
        without.push(format!(
            "{} with {share} of the bytes that were read again",
            count(breaks, "break")
        ));
    }
    if others > 0 {
        without.push(format!("{} that broke nothing", count(others, "request")));
    }
    let words = format!(
        "{} of {} have a row: those that lost most. {} not shown. This lists every break; `--conversation ID` has a page of one conversation:",
        thousands(drawn.rows.len()),
        count(order.len(), "request"),
        match without.as_slice() {
            [one] if breaks + others == 1 => format!("{one} is"),
            all => format!("{} are", all.join(" and ")),
        }
    );
    html.said("p", &[("class", "left")], &words);
    html.markup("<p class=\"command\">");
    html.leaf(
        "code",
        &[],
        &format!("promptc capture diff {}", argument(name)),
    );
    html.markup("</p>");
}

/// How often a kind of cause was the first, and the bytes that were read again then.
pub(super) fn kinds(all: &[Row]) -> Vec<(&'static str, usize, usize)> {
    let mut sums: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (one, more) in all {
        if let Some(first) = one.causes.first() {
            let (times, bytes) = sums.entry(first.kind.name()).or_default();
            *times += 1;
            *bytes += more.not_reused.rewritten;
        }
    }
    let sums = sums
        .into_iter()
        .map(|(kind, (times, bytes))| (kind, times, bytes));
    let mut sums: Vec<_> = sums.collect();
    sums.sort_by_key(|(_, _, bytes)| std::cmp::Reverse(*bytes));
    sums
}

pub(super) fn broke(kinds: &[(&str, usize, usize)]) -> Table {
    let mut table = Table::new(&["first cause", "read again", ">requests", ">bytes", ">share"]);
    let all: usize = kinds.iter().map(|(.., bytes)| bytes).sum();
    let most = kinds.iter().map(|(.., bytes)| *bytes).max().unwrap_or(0);
    for (kind, times, bytes) in kinds {
        let part = *bytes;
        table.row([
            Cell::from(Text::new().name(*kind)),
            Cell::Share {
                part,
                most,
                changes: None,
            },
            thousands(*times).into(),
            thousands(*bytes).into(),
            share_of(*bytes, all).into(),
        ]);
    }
    table
}
