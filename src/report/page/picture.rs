//! The picture of a prompt: how much of it is of which class.

use super::prompt::View;
use crate::check;
use crate::project::Compared;
use crate::prompt::{Changes, Channel, Deliver};
use crate::report::html::{Html, WIDTH, chip, rect};
use crate::report::words::{count, share};
use std::collections::BTreeSet;

/// The prompt, channel by channel: how much of it is of which class.
pub(super) fn alone(html: &mut Html, view: &View<'_>) {
    html.markup(
        "<section id=\"prefix\" aria-labelledby=\"h-prefix\"><h2 id=\"h-prefix\">Prefix</h2>",
    );
    let mut classes: BTreeSet<Changes> = BTreeSet::new();
    let longest = view.prompt.channels.iter().map(|c| c.text.len()).max();
    let longest = longest.unwrap_or(0);
    for channel in &view.prompt.channels {
        if view.prompt.channels.len() > 1 || channel.deliver != Deliver::System {
            html.leaf("h3", &[], &format!("{} text", channel.deliver));
        }
        layers(html, channel, longest);
        tiers(html, channel);
        classes.extend(channel.layers.iter().map(|l| l.changes));
        classes.extend(channel.tiers.iter().map(|t| t.changes));
    }
    if classes.is_empty() {
        html.markup("<p class=\"none\">The prompt is empty.</p></section>");
        return;
    }
    html.markup("<p class=\"legend\">How often it may change: ");
    for class in classes {
        html.markup("<span>");
        chip(html, class);
        html.text(&format!(" {}", check::when(class)));
        html.markup("</span> ");
    }
    html.markup("</p></section>");
}

/// The layers of a channel, in the scale in which the longest channel takes the whole width.
fn layers(html: &mut Html, channel: &Channel, longest: usize) {
    html.markup("<svg class=\"picture\" viewBox=\"0 0 1000 24\" preserveAspectRatio=\"none\" aria-hidden=\"true\">");
    let place = |at: usize| (at * WIDTH).checked_div(longest).unwrap_or(0);
    let mut layers = channel.layers.iter().peekable();
    while let Some(layer) = layers.next() {
        let (from, to) = (place(layer.start), place(layer.end));
        // A hair between layers, more between tiers; a layer that is narrower than that is drawn all the same.
        let gap = match layers.peek().is_some_and(|next| next.tier != layer.tier) {
            true => 5,
            false => 1,
        };
        let width = (to - from).saturating_sub(gap).max(2);
        rect(html, layer.changes.name(), from, width);
    }
    html.markup("</svg>");
}

fn tiers(html: &mut Html, channel: &Channel) {
    html.markup("<ol class=\"tiers\">");
    for tier in &channel.tiers {
        html.markup("<li>");
        html.leaf("b", &[], &tier.name);
        html.text(" ");
        chip(html, tier.changes);
        let bytes = tier.end - tier.start;
        let all = share(bytes, channel.bytes);
        html.text(&format!(" {}, {all}", count(bytes, "byte")));
        html.markup("</li>");
    }
    html.markup("</ol>");
}

/// What is compared with what.
pub(super) fn sides(html: &mut Html, compared: &Compared) {
    html.markup("<p class=\"sides\"><span>A, what may be cached: ");
    html.leaf("code", &[], &compared.a_name);
    html.markup("</span> <span>B, what is sent now: ");
    html.leaf("code", &[], &compared.b_name);
    html.markup("</span></p>");
}
