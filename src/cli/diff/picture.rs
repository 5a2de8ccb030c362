//! What all forms for people are made of.

use super::fit::fit;
use super::line::Line;
use super::phrase::{self, Marks};
use crate::cli::ui::words::{count, thousands, tokens};
use crate::compare::{Break, Confidence, Diff};
use crate::project::Compared;
use crate::prompt::Deliver;

/// The columns that the first lines keep to.
pub(crate) const WIDTH: usize = 80;

/// How a comparison is drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    /// No character beyond ASCII, apart from what the prompts themselves hold.
    pub(crate) ascii: bool,
    /// The whole text of changed layers.
    pub(crate) full: bool,
}

/// The three lines that say it all: what broke, why, and how much was kept.
pub(crate) fn head(compared: &Compared, look: Look) -> Vec<Line> {
    let diff = &compared.diff;
    let Some(first) = &diff.first else {
        return same(compared);
    };
    let room = WIDTH - 9;
    let marks = Marks::new(look.ascii);
    let cause = match first.causes.first() {
        Some(cause) => phrase::whole(cause, marks, Some(room)),
        None => match diff.sure {
            Confidence::Nothing => "not known: neither side has a map".to_owned(),
            _ => "not known: nothing of a build now stands there".to_owned(),
        },
    };
    let lines = [
        Line::new("broke", place(first)),
        Line::new("cause", cause),
        Line::new("kept", kept(compared)),
    ];
    let lines = lines.map(|line| Line::new(line.word, fit(&line.text, room, look.ascii)));
    let cost = diff.cost.iter();
    let cost = cost.flat_map(super::cost::lines);
    lines.into_iter().chain(cost).collect()
}

fn same(compared: &Compared) -> Vec<Line> {
    let bytes = compared.diff.of.bytes;
    let text = match bytes {
        0 => "both prompts are empty".to_owned(),
        _ => format!("both prompts have the same {}", count(bytes, "byte")),
    };
    let mut lines = vec![Line::new("same", text)];
    let maps = |f: fn(&crate::prompt::Channel) -> &Vec<crate::prompt::Layer>| {
        let of = |p: &crate::prompt::Prompt| p.channels.iter().map(f).cloned().collect::<Vec<_>>();
        of(&compared.a) != of(&compared.b)
    };
    // A record does not keep which release made it, and counts lines from the layer.
    let whole = ![&compared.a, &compared.b]
        .iter()
        .any(|p| p.promptc.is_empty());
    if whole && compared.is_exact() && maps(|c| &c.layers) {
        lines.push(Line::new(
            "map",
            "what the bytes come from differs, which no provider sees".to_owned(),
        ));
    }
    lines
}

fn place(first: &Break) -> String {
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

/// The share that was kept, and what has to be read anew.
fn kept(compared: &Compared) -> String {
    let diff = &compared.diff;
    if diff.of.bytes == 0 {
        return format!("A is empty; {} bytes are new", thousands(diff.lost.bytes));
    }
    format!(
        "{} of {} bytes; {} to rewrite",
        percent(diff.kept.bytes, diff.of.bytes),
        thousands(diff.of.bytes),
        lost(diff)
    )
}

/// How much has to be read anew.
pub(crate) fn lost(diff: &Diff) -> String {
    match diff.lost.counted() {
        Some(lost) => tokens(&lost),
        None => count(diff.lost.bytes, "byte"),
    }
}

/// What stands behind the first lines and the bar.
pub(crate) fn more(compared: &Compared, look: Look) -> Vec<Line> {
    let diff = &compared.diff;
    let marks = Marks::new(look.ascii);
    let mut lines = Vec::new();
    let Some(first) = &diff.first else {
        return lines;
    };
    for cause in first.causes.iter().skip(1) {
        lines.push(Line::new("cause", phrase::whole(cause, marks, None)));
    }
    for cause in &first.also {
        lines.push(Line::new("also", phrase::whole(cause, marks, None)));
    }
    if first.coincidence > 0 {
        let bytes = count(first.coincidence, "byte");
        let text =
            format!("the prefix runs on for {bytes} by coincidence: what follows begins alike");
        lines.push(Line::new("note", text));
    }
    if first.channel == Deliver::Tools && diff.of.bytes > 0 {
        let text = "most providers read the tools first: behind a change of theirs nothing is kept";
        lines.push(Line::new("note", text.to_owned()));
    }
    for hidden in &diff.hidden {
        lines.push(Line::new("hidden", hidden_break(hidden, compared, marks)));
    }
    if !diff.displaced.is_empty() {
        let layers = count(diff.displaced.len(), "layer");
        let text = format!("{layers} with the same text: {}", diff.displaced.join(", "));
        lines.push(Line::new("behind", fit(&text, WIDTH - 9, look.ascii)));
    }
    for advice in &diff.advice {
        lines.push(Line::new("advice", advice.message.clone()));
    }
    lines.extend(sure(compared));
    lines
}

fn hidden_break(hidden: &Break, compared: &Compared, marks: Marks) -> String {
    let causes: Vec<String> = hidden
        .causes
        .iter()
        .map(|c| phrase::whole(c, marks, None))
        .collect();
    let causes = match causes.is_empty() {
        true => "why is not known".to_owned(),
        false => causes.join("; "),
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
    format!(
        "{layer}: {}; alone it would have kept {}",
        causes,
        percent(hidden.offset, whole)
    )
}

/// How far the layers and causes can be trusted, if they come from no map.
fn sure(compared: &Compared) -> Option<Line> {
    let text = match &compared.diff.sure {
        Confidence::Map => return None,
        Confidence::Hashes => {
            "a record without text: known to the layer, not to the byte".to_owned()
        }
        Confidence::Text { a, b } => format!(
            "layers were found by comparing with a build now: {:.0} % of A and {:.0} % of B stand in it",
            a * 100.0,
            b * 100.0
        ),
        Confidence::Nothing => "no manifest says what the texts are made of (-m FILE)".to_owned(),
    };
    Some(Line::new("sure", text))
}

/// A share in whole percent, rounded down, so that 100 % is all.
pub(crate) fn percent(part: usize, whole: usize) -> String {
    match whole {
        0 => "100 %".to_owned(),
        whole => format!("{} %", part * 100 / whole),
    }
}
