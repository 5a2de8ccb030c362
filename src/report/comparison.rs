//! Two prompts compared.

use super::bar::Bar;
use super::document::{Block, Document, Fact};
use super::hunk::{Extent, hunks};
use super::text::Text;
use super::words::{count, percent, thousands, tokens};
use super::{cause, cost};
use crate::compare::{Break, Confidence, Diff, MOST_BUILDS, Size, Together};
use crate::project::Compared;
use crate::prompt::{Deliver, Ingredient, Layer, Prompt};
use crate::text::SpanKind;
use std::borrow::Cow;

/// Comparisons, each under a heading if they are several or that is wanted; those with the same breaks are shown once.
#[must_use]
pub fn comparisons(all: &[Compared], extent: Extent, headed: bool) -> Document {
    let mut out = Document::new();
    for (first, others) in alike(all) {
        if headed || all.len() > 1 {
            out.heading(if others.is_empty() {
                sides(first)
            } else {
                Text::from(same_break(
                    [first].into_iter().chain(others.iter().copied()).map(name),
                ))
            });
        }
        let note = (!others.is_empty()).then(|| shown_for(name(first)));
        out.extend(comparison_with(first, note, extent).blocks);
    }
    out
}

/// The comparisons in order, each with the later ones that have the same breaks.
fn alike(all: &[Compared]) -> Vec<(&Compared, Vec<&Compared>)> {
    let mut out: Vec<(&Compared, Vec<&Compared>)> = Vec::new();
    for compared in all {
        let known = out.iter_mut().find(|(first, _)| is_alike(first, compared));
        match known {
            Some((_, others)) => others.push(compared),
            None => out.push((compared, Vec::new())),
        }
    }
    out
}

/// Whether two comparisons of snapshots have the same breaks.
pub(crate) fn is_alike(a: &Compared, b: &Compared) -> bool {
    a.diff.breaks_as(&b.diff) && a.is_exact() == b.is_exact()
}

/// The scenarios that break alike, in words.
pub(crate) fn same_break<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.collect();
    format!("{}: the same break", names.join(", "))
}

/// The scenario of a comparison.
fn name(compared: &Compared) -> &str {
    compared.snapshot.as_deref().unwrap_or(&compared.b_name)
}

/// The note about whose figures and texts are shown for comparisons with the same breaks.
pub(crate) fn shown_for(name: &str) -> String {
    format!("figures and texts are those of {name}")
}

/// A comparison: what broke, why, how much was kept, and the texts that differ.
#[must_use]
pub fn comparison(compared: &Compared, extent: Extent) -> Document {
    comparison_with(compared, None, extent)
}

/// A comparison with a note.
pub(crate) fn comparison_with(
    compared: &Compared,
    note: Option<String>,
    extent: Extent,
) -> Document {
    let mut out = Document::new();
    out.facts(head(compared));
    out.extend(Bar::of(compared).map(Block::Bar));
    let mut facts = more(compared);
    facts.extend(note.map(|note| Fact::new("note", note)));
    out.facts(facts);
    out.extend(hunks(compared, extent).into_iter().map(Block::Hunk));
    out
}

/// The two sides of the comparison.
pub(super) fn sides(compared: &Compared) -> Text {
    Text::new()
        .name(&compared.a_name)
        .to()
        .name(&compared.b_name)
}

/// The summary in three lines: what broke, why, and how much was kept.
pub(super) fn head(compared: &Compared) -> Vec<Fact> {
    let diff = &compared.diff;
    let Some(first) = &diff.first else {
        return same(compared);
    };
    let cause = match first.reasons().first() {
        Some(cause) => cause::whole(cause),
        None => match diff.sure {
            Confidence::Nothing => "not known: neither side has a map".into(),
            Confidence::Text { .. } => "not known: it contains no text of a build now".into(),
            _ => "not known: nothing that is recorded of this layer differs".into(),
        },
    };
    let mut out = vec![
        Fact::new("broke", place(first)).alarm().brief(),
        Fact::new(word(first), cause).brief(),
        Fact::new("kept", kept(compared)).brief(),
    ];
    out.extend(undone(first, compared).map(|text| Fact::new("undo", text)));
    out.extend(diff.cost.iter().flat_map(cost::facts));
    out
}

/// What stays cached without the causes of a break, and of those before it.
fn undone(found: &Break, compared: &Compared) -> Option<String> {
    let of = compared.diff.of.bytes;
    let share = percent(found.undone.filter(|_| of > 0)?, of);
    let what = match found.together {
        Some(Together::Each | Together::Several) => "these changes",
        Some(Together::Any(number)) => &format!("{number} of these changes"),
        Some(Together::Only) | None => "this change",
    };
    Some(format!("without {what} {share} stays cached"))
}

fn same(compared: &Compared) -> Vec<Fact> {
    let bytes = compared.diff.of.bytes;
    let text = match bytes {
        0 => "both prompts are empty".to_owned(),
        _ => format!("both prompts have the same {}", count(bytes, "byte")),
    };
    let mut lines = vec![Fact::new("same", text)];
    let layers = |p: &Prompt| -> Vec<(Layer, Vec<Ingredient>)> {
        // Tokens and budgets are counted in the unit of the call, and no byte is of them.
        let own = |i: &&Ingredient| !matches!(i, Ingredient::Budget { .. });
        let of = |layer: &Layer| {
            let ingredients = layer.ingredients.iter().filter(own).cloned().collect();
            let rest = Layer {
                tokens: None,
                ingredients: Default::default(),
                ..layer.clone()
            };
            (rest, ingredients)
        };
        p.channels.iter().flat_map(|c| &c.layers).map(of).collect()
    };
    // A snapshot does not say which release made it, and counts lines from the layer.
    let whole = ![&compared.a, &compared.b]
        .iter()
        .any(|p| p.promptc.is_empty());
    if whole && compared.is_exact() && layers(&compared.a) != layers(&compared.b) {
        let text = "the sources of the bytes differ, which no provider sees";
        lines.push(Fact::new("map", text));
    }
    lines
}

pub(super) fn place(first: &Break) -> String {
    let layer = match (&first.layer, &first.tier) {
        (Some(layer), Some(tier)) => format!("layer `{layer}` (tier {tier}) at "),
        (Some(layer), None) => format!("layer `{layer}` at "),
        _ => String::new(),
    };
    let channel = match first.channel {
        Deliver::System => "",
        Deliver::Tools => " of the tools",
        Deliver::User => " of the user text",
    };
    format!(
        "{layer}line {}, byte {}{channel}",
        thousands(first.line),
        thousands(first.offset)
    )
}

/// The share that was kept, and the size that is not cached.
fn kept(compared: &Compared) -> String {
    let diff = &compared.diff;
    if diff.of.bytes == 0 {
        return format!("A is empty; {} are new", kept_share(diff).lost);
    }
    // Both sizes are those of the system prompt, and a reader takes them for those of the prompt.
    let (text, of_it) = match diff.first.as_ref().map(|first| first.channel) {
        None | Some(Deliver::System) => ("", ""),
        Some(Deliver::Tools | Deliver::User) => (" of the system prompt", " of it"),
    };
    let KeptShare { share, of, lost } = kept_share(diff);
    format!("{share} of {of}{text}; {lost}{of_it} to rewrite")
}

/// The kept share of A, the size of A, and the size that is not cached.
pub(super) struct KeptShare {
    pub(super) share: String,
    pub(super) of: String,
    pub(super) lost: String,
}

/// What was kept, in one unit: in tokens if they were counted, else in bytes.
pub(super) fn kept_share(diff: &Diff) -> KeptShare {
    let counted = [&diff.kept, &diff.of, &diff.lost].map(Size::counted);
    let ([kept, of], [whole, lost]) = match &counted {
        [Some(kept), Some(of), Some(lost)] => ([kept.count, of.count], [of, lost].map(tokens)),
        _ => {
            let bytes = [&diff.of, &diff.lost].map(|size| count(size.bytes, "byte"));
            ([diff.kept.bytes, diff.of.bytes], bytes)
        }
    };
    KeptShare {
        share: percent(kept, of),
        of: whole,
        lost,
    }
}

/// Further remarks.
pub(super) fn more(compared: &Compared) -> Vec<Fact> {
    let diff = &compared.diff;
    let Some(first) = &diff.first else {
        return Vec::new();
    };
    let word = word(first);
    let of = |word: &'static str| move |cause| Fact::new(word, cause::whole(cause));
    let mut facts: Vec<Fact> = first.reasons().iter().skip(1).map(of(word)).collect();
    facts.extend(
        first
            .together
            .map(|together| Fact::new("causes", acting(together))),
    );
    facts.extend(reach(first).map(|text| Fact::new("reach", text)));
    facts.extend(first.also.iter().map(of("also")));
    let breaks = diff.first.iter().chain(&diff.hidden);
    facts.extend(breaks.filter_map(accepted));
    if first.coincidence > 0 {
        let bytes = count(first.coincidence, "byte");
        let text = format!(
            "the prefix continues for {bytes} by coincidence: the following texts begin alike"
        );
        facts.push(Fact::new("note", text));
    }
    if first.channel == Deliver::Tools && diff.of.bytes > 0 {
        let text =
            "most providers read the tools first: after a change of the tools nothing is reused";
        facts.push(Fact::new("note", text));
    }
    let hidden = diff.hidden.iter();
    facts.extend(hidden.map(|hidden| Fact::new("hidden", hidden_break(hidden, compared))));
    if !diff.displaced.is_empty() {
        let layers = count(diff.displaced.len(), "layer");
        let text = format!("{layers} with the same text: {}", diff.displaced.join(", "));
        facts.push(Fact::new("after", text).brief());
    }
    let advice = diff.advice.iter();
    facts.extend(advice.map(|advice| Fact::new("advice", advice.message.as_str())));
    facts.extend(stopped(compared).map(|text| Fact::new("note", text)));
    facts.extend(sure(compared).map(|text| Fact::new("sure", text)));
    facts
}

/// Where the search of causes was stopped.
fn stopped(compared: &Compared) -> Option<String> {
    let builds = compared.diff.stopped?;
    // A search that ended earlier met a template without end, or a limit that the caller gave.
    let more = if builds < MOST_BUILDS {
        ""
    } else {
        "; `promptc diff --max-builds N` allows more"
    };
    let builds = count(builds, "build");
    Some(format!(
        "stopped after {builds}: what else differs is not explained{more}"
    ))
}

/// What the reasons of a break are: proven, or only different.
pub(super) fn word(found: &Break) -> &'static str {
    if found.causes.is_empty() && !found.sources.is_empty() {
        "differs"
    } else {
        "cause"
    }
}

/// How several causes act.
fn acting(together: Together) -> Cow<'static, str> {
    match together {
        Together::Each => "each alone breaks here: undo all of them".into(),
        Together::Only => "only together: undo one of them".into(),
        Together::Several => "undo all of them: no fewer make the difference".into(),
        Together::Any(number) => {
            format!("undo any {number} of them: no fewer make the difference").into()
        }
    }
}

/// The other layers that the causes of a break change.
fn reach(found: &Break) -> Option<String> {
    let others = found
        .layers
        .iter()
        .filter(|name| Some(*name) != found.layer.as_ref());
    let others: Vec<String> = others.map(|name| format!("`{name}`")).collect();
    let word = if others.len() == 1 { "layer" } else { "layers" };
    (!others.is_empty()).then(|| format!("it changes {word} {} too", others.join(", ")))
}

/// Why a break was accepted.
fn accepted(found: &Break) -> Option<Fact> {
    let (accepted, layer) = (found.accepted.as_ref()?, found.layer.as_deref()?);
    let text = Text::from(format!("layer `{layer}`: "))
        .name(&accepted.because)
        .words(format!(" ({})", accepted.file));
    Some(Fact::new("accepted", text))
}

fn hidden_break(hidden: &Break, compared: &Compared) -> Text {
    let causes = if hidden.reasons().is_empty() {
        "why is not known".into()
    } else {
        Text::joined(hidden.reasons().iter().map(cause::whole), "; ")
    };
    let whole = match hidden.channel {
        Deliver::System => compared.diff.of.bytes,
        other => compared.a.text(other).len(),
    };
    let layer = match (&hidden.layer, &hidden.tier) {
        (Some(layer), Some(tier)) => format!("layer `{layer}` (tier {tier})"),
        (Some(layer), None) => format!("layer `{layer}`"),
        _ => "the text".to_owned(),
    };
    let words = match hidden.undone.filter(|_| compared.diff.of.bytes > 0) {
        Some(undone) => {
            let share = percent(undone, compared.diff.of.bytes);
            format!("; undo this too and {share} stays cached")
        }
        None => format!(
            "; alone it would have kept {}",
            percent(hidden.offset, whole)
        ),
    };
    Text::from(format!("{layer}: ")).text(causes).words(words)
}

/// The sizes of the layer that broke, whose text was not kept.
fn unkept(compared: &Compared) -> Option<String> {
    let layer = compared.diff.first.as_ref()?.layer.as_ref()?;
    let bytes = |prompt: &Prompt| {
        let (_, layer) = prompt.layer(layer)?;
        let join = layer
            .spans
            .first()
            .filter(|span| span.kind == SpanKind::Join);
        let start = join.map_or(layer.start, |join| join.end);
        Some(count(layer.end.saturating_sub(start), "byte"))
    };
    let (old, new) = (bytes(&compared.a)?, bytes(&compared.b)?);
    Some(format!("layer `{layer}` had {old} and has {new} now"))
}

/// The confidence in layers and causes that come from no map.
fn sure(compared: &Compared) -> Option<String> {
    Some(match &compared.diff.sure {
        Confidence::Build | Confidence::Owner => return None,
        Confidence::Narrowed => "the search ended before the cause was proven".to_owned(),
        Confidence::Hashes => {
            let known = "a snapshot without text: the layer is known, but not the byte";
            match unkept(compared) {
                Some(sizes) => format!("{known}; {sizes}"),
                None => known.to_owned(),
            }
        }
        Confidence::Text { a, b } => format!(
            "layers were found by comparing with a build now: {:.0} % of A and {:.0} % of B are in it",
            a * 100.0,
            b * 100.0
        ),
        Confidence::Nothing => "there is no manifest that explains the texts (-m FILE)".to_owned(),
    })
}
