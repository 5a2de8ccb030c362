//! The picture of a prompt: how much of it is of which class.

use super::prompt::View;
use super::{icicle, section};
use crate::check;
use crate::project::Compared;
use crate::prompt::{Changes, Channel, Deliver};
use crate::report::explain::provider::Kept;
use crate::report::html::{self, Html, WIDTH, chip, rect};
use crate::report::words::{count, share};
use crate::request::emit::place::live_from;
use std::collections::BTreeSet;

/// The prompt, channel by channel: how much of it is of which class, and where breakpoints are.
pub(super) fn alone(html: &mut Html, view: &View<'_>, kept: Option<&Kept<'_>>) {
    section(html, "prefix", "Prefix", |html| bars(html, view, kept));
}

fn bars(html: &mut Html, view: &View<'_>, kept: Option<&Kept<'_>>) {
    let mut classes: BTreeSet<Changes> = BTreeSet::new();
    let longest = view.prompt.channels.iter().map(|c| c.text.len()).max();
    let longest = longest.unwrap_or(0);
    for channel in &view.prompt.channels {
        if view.prompt.channels.len() > 1 || channel.deliver != Deliver::System {
            html.leaf("h3", &[], channel.deliver.text_name());
        }
        icicle::marks(html, &marks(channel, kept), longest);
        layers(html, channel, longest);
        tiers(html, channel);
        classes.extend(channel.layers.iter().map(|l| l.changes));
        classes.extend(channel.tiers.iter().map(|t| t.changes));
    }
    if classes.is_empty() {
        html.markup("<p class=\"none\">The prompt is empty.</p>");
        return;
    }
    html.markup("<p class=\"legend\">How often it may change: ");
    for class in classes {
        html.markup("<span>");
        chip(html, class);
        html.text(&format!(" {}", check::when(class)));
        html.markup("</span> ");
    }
    html.markup("</p>");
    if let Some(kept) = kept {
        html.markup("<details class=\"made\"><summary>");
        html.text(&format!(
            "Breakpoints of {}, by number: where and why",
            kept.model()
        ));
        html.markup("</summary>");
        html::blocks(html, &kept.document(), "h-prefix");
        html.markup("</details>");
    }
}

/// Where the text is kept up to: the breakpoints of a model, else the end of what lasts from call to call.
pub(super) fn marks(channel: &Channel, kept: Option<&Kept<'_>>) -> Vec<(usize, String)> {
    match kept {
        Some(kept) => {
            let marks = kept.marks(channel.deliver);
            marks
                .map(|(end, number)| (end, number.to_string()))
                .collect()
        }
        None => {
            let end = live_from(channel);
            let lasts = end > 0 && channel.deliver != Deliver::User;
            lasts
                .then(|| (end, "reusable up to here".to_owned()))
                .into_iter()
                .collect()
        }
    }
}

/// The layers of a channel, in the scale in which the longest channel takes the whole width.
fn layers(html: &mut Html, channel: &Channel, longest: usize) {
    html.markup("<svg class=\"picture\" viewBox=\"0 0 1000 24\" preserveAspectRatio=\"none\" aria-hidden=\"true\">");
    let place = |at: usize| (at * WIDTH).checked_div(longest).unwrap_or(0);
    let mut layers = channel.layers.iter().peekable();
    while let Some(layer) = layers.next() {
        let (from, to) = (place(layer.start), place(layer.end));
        // A hair between layers, more between tiers; a layer that is narrower than that is still drawn.
        let gap = if layers.peek().is_some_and(|next| next.tier != layer.tier) {
            5
        } else {
            1
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

/// The two compared prompts.
pub(super) fn sides(html: &mut Html, compared: &Compared) {
    html.markup("<p class=\"sides\"><span>A, what may be cached: ");
    html.leaf("code", &[], &compared.a_name);
    html.markup("</span> <span>B, what is sent now: ");
    html.leaf("code", &[], &compared.b_name);
    html.markup("</span></p>");
}
