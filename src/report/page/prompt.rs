//! The prompt with its layers, tier by tier: what each is made of, and what is absent and why.

use super::{search, section, text};
use crate::compare::Diff;
use crate::prompt::{
    Absent, Channel, Deliver, Index, Ingredient, Layer, Prompt, Tier, Tokens, Unused,
};
use crate::report::explain::{self, LayerStatus};
use crate::report::html::{Html, chip};
use crate::report::text::Text;
use crate::report::words::{count, entry, plain, share, thousands, tokens};
use std::collections::BTreeMap;

/// The states of layers, compared with another prompt.
pub(super) struct Beside<'a> {
    pub(super) diff: &'a Diff,
}

/// A prompt and its layers in order.
pub(super) struct View<'a> {
    pub(super) prompt: &'a Prompt,
    pub(super) fates: &'a [LayerStatus<'a>],
    pub(super) beside: Option<Beside<'a>>,
    /// The numbers of the layers, by name.
    numbers: BTreeMap<&'a str, usize>,
    index: Index<'a>,
}

/// The id of a layer's element. Names come from outside; numbers are those of the order.
pub(super) fn id(at: usize) -> String {
    format!("layer-{at}")
}

impl<'a> View<'a> {
    pub(super) fn new(
        prompt: &'a Prompt,
        fates: &'a [LayerStatus<'a>],
        beside: Option<Beside<'a>>,
    ) -> Self {
        let numbers = fates.iter().enumerate().rev();
        Self {
            prompt,
            fates,
            beside,
            numbers: numbers.map(|(at, fate)| (fate.name(), at)).collect(),
            index: Index::of(prompt),
        }
    }

    /// The number of the layer called `name`.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// A link to a layer, or its name if it is missing.
    pub(super) fn link(&self, html: &mut Html, name: &str) {
        match self.number(name) {
            Some(at) => html.leaf("a", &[("href", &format!("#{}", id(at)))], name),
            None => html.leaf("code", &[], name),
        }
    }

    /// The name of a layer, with a link to it if it is there.
    pub(super) fn name(&self, name: &str) -> Text {
        match self.number(name) {
            Some(at) => Text::new().link(id(at), name),
            None => Text::new().code(name),
        }
    }

    /// The tiers in order, each with the numbers of its layers.
    pub(super) fn tiers(&self) -> Vec<(&str, Deliver, Vec<usize>)> {
        let mut out: Vec<(&str, Deliver, Vec<usize>)> = Vec::new();
        for (at, fate) in self.fates.iter().enumerate() {
            match out.last_mut() {
                Some((tier, _, layers)) if *tier == fate.tier() => layers.push(at),
                _ => out.push((fate.tier(), fate.deliver(), vec![at])),
            }
        }
        out
    }

    /// A tier of the artifact.
    pub(super) fn tier(&self, name: &str) -> Option<(&Channel, &Tier)> {
        self.index.tier(name)
    }

    /// The state of a layer compared with the other prompt: a word and its class.
    pub(super) fn fate(
        &self,
        channel: &Channel,
        layer: &Layer,
    ) -> Option<(&'static str, &'static str)> {
        let diff = self.beside.as_ref()?.diff;
        let Some(first) = &diff.first else {
            return Some(("kept", "kept"));
        };
        let is = |b: &crate::compare::Break| {
            b.channel == channel.deliver && b.layer.as_deref() == Some(layer.name.as_str())
        };
        let behind = channel.deliver > first.channel
            || (channel.deliver == first.channel && layer.end > first.offset);
        Some(match () {
            () if is(first) => ("broke the prefix", "broken"),
            () if diff.hidden.iter().any(is) => ("changed too, hidden", "hidden"),
            () if behind => ("rewritten, same text", "lost"),
            () => ("kept", "kept"),
        })
    }

    fn break_in(&self, channel: &Channel, layer: &Layer) -> Option<usize> {
        let first = self.beside.as_ref()?.diff.first.as_ref()?;
        let last = channel.layers.last().is_some_and(|l| l.name == layer.name);
        let here = first.channel == channel.deliver
            && layer.start <= first.offset
            && (first.offset < layer.end || (last && first.offset == layer.end));
        here.then_some(first.offset)
    }
}

/// The whole section.
pub(super) fn draw(html: &mut Html, view: &View<'_>) {
    section(html, "prompt", "Prompt", |html| text_of(html, view));
}

fn text_of(html: &mut Html, view: &View<'_>) {
    search::form(html, "the prompt");
    legend(html);
    for (number, (tier, deliver, layers)) in view.tiers().into_iter().enumerate() {
        let heading = format!("tier-{number}");
        html.open(
            "section",
            &[("class", "tier"), ("aria-labelledby", &heading)],
        );
        html.open("h3", &[("id", &heading)]);
        html.markup("<small>tier</small> ");
        html.text(tier);
        html.close("h3");
        tier_line(html, view, tier, deliver);
        for at in layers {
            match &view.fates[at] {
                LayerStatus::Present(channel, layer) => present(html, view, at, channel, layer),
                LayerStatus::Absent(layer, _) => absent(html, at, layer),
            }
        }
        html.close("section");
    }
    for channel in view.prompt.channels.iter().filter(|c| c.layers.is_empty()) {
        bare(html, channel);
    }
}

fn legend(html: &mut Html) {
    html.markup(
        "<p class=\"legend\"><span class=\"d\">document</span> <span class=\"t\">template</span> \
         <span class=\"w\">text of the manifest</span> <span class=\"f\">fact</span> \
         <span class=\"x\">derived</span> <span class=\"j\">join</span></p>",
    );
    let words = "Click a place of the text to see where it comes from. With the keyboard: Tab to a layer\u{2019}s text, then the \
                 arrow keys from place to place.";
    html.leaf("p", &[("class", "hint keys"), ("id", "keys")], words);
}

fn tier_line(html: &mut Html, view: &View<'_>, tier: &str, deliver: Deliver) {
    html.markup("<p class=\"meta\">");
    if let Some((channel, found)) = view.tier(tier) {
        chip(html, found.changes);
        let bytes = found.end - found.start;
        let all = share(bytes, channel.bytes);
        html.text(&format!(" {}, {all}", count(bytes, "byte")));
    }
    if deliver != Deliver::System {
        html.text(&format!(" delivered as {deliver}"));
    }
    html.markup("</p>");
}

/// The size of a layer, in words.
pub(super) fn size(channel: &Channel, layer: &Layer) -> String {
    let size = explain::size(layer.end - layer.start, layer.chars);
    match layer.tokens.zip(channel.counted()) {
        None => size,
        Some((count, all)) => {
            let own = Tokens { count, ..all };
            format!("{size}, {}", tokens(&own))
        }
    }
}

fn present(html: &mut Html, view: &View<'_>, at: usize, channel: &Channel, layer: &Layer) {
    let (own, heading) = (id(at), format!("name-{at}"));
    let [start, end] = [layer.start, layer.end].map(|n| n.to_string());
    html.open(
        "article",
        &[
            ("class", &format!("layer {}", layer.changes)),
            ("id", &own),
            ("aria-labelledby", &heading),
            ("data-tier", &layer.tier),
            ("data-channel", channel.deliver.name()),
            ("data-start", &start),
            ("data-end", &end),
        ],
    );
    name(html, &heading, &layer.name);
    html.markup("<p class=\"meta\">");
    chip(html, layer.changes);
    let all = share(layer.end - layer.start, channel.bytes);
    html.text(&format!(" {}, {all}", size(channel, layer)));
    if let Some((word, class)) = view.fate(channel, layer) {
        html.text(" ");
        html.leaf("span", &[("class", &format!("fate {class}"))], word);
    }
    html.markup("</p>");
    made(
        html,
        &layer.ingredients,
        &text::pieces(layer),
        &layer.unused,
    );
    let label = format!("text of {}", plain(&layer.name));
    html.open(
        "div",
        &[
            ("class", "text"),
            ("role", "group"),
            ("aria-label", &label),
            ("aria-describedby", "keys"),
        ],
    );
    text::draw(html, layer, &channel.text, view.break_in(channel, layer));
    html.markup("</div></article>");
}

fn absent(html: &mut Html, at: usize, layer: &Absent) {
    let (own, heading) = (id(at), format!("name-{at}"));
    html.open(
        "article",
        &[
            ("class", "layer absent"),
            ("id", &own),
            ("aria-labelledby", &heading),
            ("data-tier", &layer.tier),
        ],
    );
    name(html, &heading, &layer.layer);
    html.open("p", &[("class", "meta")]);
    html.leaf(
        "span",
        &[("class", "fate gone")],
        &format!("absent: {}", layer.reason),
    );
    html.text(" ");
    html.prose(&layer.detail);
    html.close("p");
    made(html, &layer.ingredients, &[], &layer.unused);
    html.close("article");
}

fn name(html: &mut Html, heading: &str, name: &str) {
    html.open("h4", &[("id", heading)]);
    html.leaf("button", &[("type", "button"), ("class", "name")], name);
    html.close("h4");
}

/// The ingredients of a layer; `pieces` is the number of places in the text of each.
fn made(html: &mut Html, ingredients: &[Ingredient], pieces: &[usize], unused: &[Unused]) {
    if ingredients.is_empty() && unused.is_empty() {
        return;
    }
    html.markup("<details class=\"made\"><summary>");
    html.text(&summary(ingredients, unused));
    html.markup("</summary><ul>");
    for (at, item) in ingredients.iter().enumerate() {
        ingredient(html, at, item, pieces.get(at).copied().unwrap_or(0));
    }
    for Unused {
        root,
        path,
        item,
        reason,
    } in unused
    {
        html.markup("<li class=\"unused\"><b>not used</b> ");
        let entry = entry(item.as_deref());
        html.text(&format!("{root}:{path}{entry} ({reason})"));
        html.markup("</li>");
    }
    html.markup("</ul></details>");
}

fn ingredient(html: &mut Html, at: usize, item: &Ingredient, pieces: usize) {
    let (kind, said) = explain::ingredient(item);
    let (at, pieces) = (at.to_string(), pieces.to_string());
    let source = text::source(item);
    let mut attrs = vec![("data-i", at.as_str()), ("data-n", pieces.as_str())];
    if let Some((source, flows)) = &source {
        attrs.push(("data-source", source));
        if *flows {
            attrs.push(("data-flows", ""));
        }
    }
    html.open("li", &attrs);
    html.leaf("b", &[], kind);
    html.text(" ");
    html.leaf("span", &[], &said);
    for finding in item.findings() {
        html.markup("<br>");
        html.leaf(
            "span",
            &[("class", "found")],
            &format!("found {} at {}", finding.id, finding.place()),
        );
    }
    html.close("li");
}

/// "made of 2 documents and 1 template; 3 not used".
fn summary(ingredients: &[Ingredient], unused: &[Unused]) -> String {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    for item in ingredients {
        let kind = match explain::ingredient(item).0 {
            "exists" => "exists() question",
            "loaded" => "loaded() question",
            kind => kind,
        };
        let at = *known.entry(kind).or_insert_with(|| {
            kinds.push((kind, 0));
            kinds.len() - 1
        });
        kinds[at].1 += 1;
    }
    let counted: Vec<String> = kinds.iter().map(|(kind, n)| count(*n, kind)).collect();
    let made = match counted.as_slice() {
        [] => "made of nothing".to_owned(),
        [one] => format!("made of {one}"),
        [front @ .., last] => format!("made of {} and {last}", front.join(", ")),
    };
    match unused.len() {
        0 => made,
        n => format!("{made}; {} not used", thousands(n)),
    }
}

/// The text of a channel whose layers nobody knows.
fn bare(html: &mut Html, channel: &Channel) {
    html.markup("<article class=\"layer\"><p class=\"meta\">");
    let size = explain::size(channel.bytes, channel.chars);
    html.text(&format!(
        "{}: {size}; what it is made of is not known",
        channel.deliver.text_name()
    ));
    html.markup("</p>");
    let label = channel.deliver.text_name().to_owned();
    html.open(
        "div",
        &[("class", "text"), ("role", "group"), ("aria-label", &label)],
    );
    html.verbatim(&channel.text);
    html.markup("</div></article>");
}
