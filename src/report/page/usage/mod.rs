//! The bill: dollars a day by cause, and the changes that would save; then, for the script, each conversation and each break.

mod cause;
mod period;
mod data;

use super::layout::{Page, Scene};
use super::section;
use crate::project::usage::UsageReport;
use crate::project::usage::detail::{Conversation, UsageDetail};
use crate::report::Table;
use crate::report::html::{self, Html};
use crate::report::usage::{head, number, remarks, saved};
use crate::report::verdict;
use crate::report::words::{count, thousands};
use crate::request::provider::amount::Usd;
use crate::request::usage::{Sum, Why};
use cause::{LOST_FIRST, about, patterns, rect, swatch};
use period::{Length, Period, periods};
use std::collections::BTreeMap;

/// The most rows of the first screen; there can be more months.
const MOST_PERIODS: usize = 240;

/// The most conversations that are listed without the script.
const MOST_LISTED: usize = 50;

/// A page that shows what was billed; `title` says of what.
#[must_use]
pub(crate) fn of_usage(title: &str, detail: &UsageDetail) -> String {
    let report = &detail.report;
    let (length, mut all) = periods(report);
    let earlier = all.len().saturating_sub(MOST_PERIODS);
    all.drain(..earlier);
    let mut main = Html::default();
    patterns(&mut main);
    let heading = match length {
        Length::Day => "Dollars a day, by cause",
        Length::Week => "Dollars a week, by cause",
        Length::Month => "Dollars a month, by cause",
    };
    section(&mut main, "overview", heading, |html| {
        bars(html, length, &all);
        if earlier > 0 {
            let left = count(earlier, length.name());
            html.leaf("p", &[("class", "none")], &format!("{left} before that"));
        }
        fixes(html, report);
        causes(html, report);
        for line in remarks(report) {
            html.said("p", &[("class", "none")], &line);
        }
    });
    section(&mut main, "conversations", "Conversations", |html| {
        conversations(html, detail);
    });
    main.data(&data::Data::of(detail, length, &all));
    let scene = Scene {
        verdict: verdict::of_usage(report),
        about: vec![head(report)],
        parts: vec![("overview", "Overview"), ("conversations", "Conversations")],
        main,
        ..Scene::default()
    };
    let page = Page::of(title, scene);
    Page {
        screens: true,
        ..page
    }
    .draw()
}

/// A row for each time, with its bar.
fn bars(html: &mut Html, length: Length, all: &[Period]) {
    let widest = all.iter().map(|period| period.sum().0).max();
    let widest = widest.unwrap_or_default();
    html.markup(
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-labelledby=\"h-overview\"><table class=\"bars\"><thead><tr>",
    );
    html.leaf("th", &[("scope", "col")], length.name());
    html.markup(
        "<th scope=\"col\" class=\"wide\">by cause</th><th scope=\"col\" class=\"n\">billed</th>\
         <th scope=\"col\" class=\"n\">avoidable</th></tr></thead><tbody>",
    );
    for (at, period) in all.iter().enumerate() {
        html.markup("<tr>");
        let at = at.to_string();
        html.leaf(
            "th",
            &[("scope", "row"), ("data-period", &at)],
            &period.name(length),
        );
        html.markup("<td class=\"wide\"><svg class=\"parts\" aria-hidden=\"true\">");
        let mut from = 0;
        let mut words = Vec::new();
        for why in LOST_FIRST {
            let Some((billed, _)) = period.sums.get(&why) else {
                continue;
            };
            let width = millionths(*billed, widest);
            if width > 0 {
                rect(html, why, from, width);
            }
            from += width;
            words.push(format!("{} {billed}", why.name()));
        }
        html.markup("</svg>");
        html.leaf("span", &[("class", "unseen")], &words.join(", "));
        html.markup("</td>");
        let (billed, avoidable) = period.sum();
        html.leaf("td", &[("class", "n")], &billed.to_string());
        html.leaf("td", &[("class", "n")], &avoidable.to_string());
        html.markup("</tr>");
    }
    html.markup("</tbody></table></div>");
}

/// The share of an amount in another, in millionths.
fn millionths(part: Usd, whole: Usd) -> u64 {
    match whole.value() {
        whole if whole > 0.0 => (part.value() / whole * 1e6).clamp(0.0, 1e6) as u64,
        _ => 0,
    }
}

/// The changes that would save most.
fn fixes(html: &mut Html, report: &UsageReport) {
    html.markup("<h3 id=\"h-saved\">What would save most, each alone</h3>");
    match saved(report) {
        Some(table) => html::table(html, &table, "h-saved", "saved"),
        None => {
            html.markup("<p class=\"none\">Nothing that is tried would have saved anything.</p>")
        }
    }
}

/// A row for each cause; its swatch is the legend of all bars.
fn causes(html: &mut Html, report: &UsageReport) {
    let mut sums: BTreeMap<&str, Sum> = BTreeMap::new();
    for row in &report.rows {
        let cause = row.keys.get("cause").map_or("", String::as_str);
        sums.entry(cause).or_default().add(&Sum {
            requests: row.requests,
            tokens: row.buckets,
            billed: row.billed.0,
            avoidable: row.avoidable.0,
            ..Sum::default()
        });
    }
    html.markup(
        "<h3 id=\"h-causes\">Causes</h3><div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-labelledby=\"h-causes\">\
         <table class=\"causes-of sort\"><thead><tr><th scope=\"col\">cause</th><th scope=\"col\" class=\"n\">requests</th>\
         <th scope=\"col\" class=\"n\">tokens</th><th scope=\"col\" class=\"n\">billed</th>\
         <th scope=\"col\" class=\"n\">avoidable</th></tr></thead><tbody>",
    );
    for why in Why::ALL {
        let Some(sum) = sums.get(why.name()) else {
            continue;
        };
        html.markup("<tr>");
        html.open("th", &[("scope", "row")]);
        swatch(html, why);
        html.leaf("b", &[("data-cause", why.name())], why.name());
        html.text(" ");
        html.leaf("small", &[], about(why));
        html.close("th");
        let tokens = thousands(number(sum.tokens.input() + sum.tokens.output));
        let cells = [
            thousands(number(sum.requests)),
            tokens,
            sum.billed.to_string(),
            sum.avoidable.to_string(),
        ];
        for cell in cells {
            html.leaf("td", &[("class", "n")], &cell);
        }
        html.markup("</tr>");
    }
    html.markup("</tbody></table></div>");
}

/// The conversations, as a table for those who have no script.
fn conversations(html: &mut Html, detail: &UsageDetail) {
    let mut table = Table::new(&[
        "conversation",
        ">requests",
        ">billed",
        ">avoidable",
        "most of it",
    ]);
    for one in detail.conversations.iter().take(MOST_LISTED) {
        let (avoidable, billed) = one.sums();
        table.row([
            one.name.clone(),
            thousands(one.requests.len() + one.left_out),
            billed.to_string(),
            avoidable.to_string(),
            worst(one).map_or(String::new(), |why| why.name().to_owned()),
        ]);
    }
    let more = detail.conversations.len().saturating_sub(MOST_LISTED);
    let more = more + detail.left_out.conversations;
    if more > 0 {
        table.more(format!("{} more", count(more, "conversation")));
    }
    html::table(html, &table, "h-conversations", "sums");
}

/// The cause that cost most of what was lost.
fn worst(one: &Conversation) -> Option<Why> {
    let mut sums: BTreeMap<Why, Usd> = BTreeMap::new();
    let parts = one.requests.iter().flat_map(|request| &request.parts);
    for part in parts.filter(|part| part.more > Usd::default()) {
        let sum = sums.entry(part.why).or_default();
        *sum = *sum + part.more;
    }
    let most = sums
        .into_iter()
        .max_by_key(|(why, sum)| (*sum, std::cmp::Reverse(*why)));
    most.map(|(why, _)| why)
}
