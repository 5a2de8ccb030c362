//! The filter and the legend of the rows.

use super::row::{Row, kinds_of};
use super::talk::Talk;
use crate::report::html::{Html, rect};
use crate::report::requests::state;
use crate::report::words::thousands;
use std::collections::BTreeMap;

/// The names of the parts of a bar, by their class.
pub(super) const BAR: [(&str, &str); 3] = [
    ("reused", "reused"),
    ("again", "read again, though the request before has it too"),
    ("new", "new"),
];

/// The script shows it, since nothing is filtered without one.
pub(super) fn filter(html: &mut Html, shown: &[&Row], talks: &[Talk<'_>]) {
    html.markup("<form id=\"filter\" hidden>");
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for (one, _) in shown {
        *sizes.entry(&one.conversation).or_default() += 1;
    }
    let names = talks
        .iter()
        .filter_map(|talk| sizes.get_key_value(talk.name));
    let names = names.enumerate();
    let names = names.map(|(at, (name, rows))| (at.to_string(), *name, *rows));
    select(html, "of-conversation", "Conversation", names);
    let mut states: BTreeMap<&str, usize> = BTreeMap::new();
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for (one, _) in shown {
        *states.entry(state(one.state)).or_default() += 1;
        for kind in kinds_of(one) {
            *kinds.entry(kind).or_default() += 1;
        }
    }
    for (id, label, words) in [("of-state", "State", states), ("of-cause", "Cause", kinds)] {
        let words = words.into_iter();
        select(
            html,
            id,
            label,
            words.map(|(word, n)| (word.to_owned(), word, n)),
        );
    }
    html.markup("<output id=\"shown\" for=\"of-conversation of-state of-cause\"></output></form>");
}

fn select<'a>(
    html: &mut Html,
    id: &'static str,
    label: &'static str,
    options: impl Iterator<Item = (String, &'a str, usize)>,
) {
    html.markup("<label>");
    html.text(label);
    html.text(" ");
    html.open("select", &[("id", id), ("autocomplete", "off")]);
    html.markup("<option value=\"*\">all</option>");
    for (value, name, n) in options {
        let name = format!("{name} ({})", thousands(n));
        html.leaf("option", &[("value", &value)], &name);
    }
    html.markup("</select></label>");
}

pub(super) fn legend(html: &mut Html) {
    html.markup("<p class=\"legend\">The bytes of a request: ");
    for (class, words) in BAR {
        html.markup("<span><svg class=\"swatch\" viewBox=\"0 0 30 24\" aria-hidden=\"true\">");
        rect(html, class, 0, 30);
        html.markup("</svg>");
        html.text(words);
        html.markup("</span> ");
    }
    html.markup("<span><svg class=\"swatch\" viewBox=\"0 0 30 24\" aria-hidden=\"true\">");
    rect(html, "mark", 12, 4);
    html.markup("</svg>breakpoint</span></p>");
}
