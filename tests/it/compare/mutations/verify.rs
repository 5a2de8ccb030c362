//! A diff compared with the expected answer, and with figures counted from the two texts.

use super::build::own;
use super::mutation::{Effect, Expected, shown};
use super::oracle::{Answer, Broken};
use promptc::compare::{Break, Cause, CauseKind, Diff, Size};
use promptc::prompt::{Deliver, Prompt};

/// The errors in `diff`; empty if all is right.
pub(super) fn verify(a: &Prompt, b: &Prompt, diff: &Diff, answer: &Answer) -> Vec<String> {
    let mut wrong = Vec::new();
    wrong.extend(sizes(a, b, diff));
    wrong.extend(place(a, b, diff));
    let got: Vec<&Break> = diff.first.iter().chain(&diff.hidden).collect();
    let names = |b: &[&Break]| -> Vec<String> {
        b.iter()
            .map(|b| b.layer.clone().unwrap_or_default())
            .collect()
    };
    let expected: Vec<String> = answer.breaks.iter().map(|b| b.layer.clone()).collect();
    if names(&got) != expected {
        wrong.push(format!(
            "layers that broke: {:?}, expected {expected:?}",
            names(&got)
        ));
    }
    for (got, expected) in got.iter().zip(&answer.breaks) {
        if got.layer.as_deref() == Some(&expected.layer) {
            wrong.extend(layer(got, expected));
            wrong.extend(chance(
                got,
                expected,
                before_its_like(a, b, &expected.layer),
            ));
        }
    }
    for (got, expected) in diff.hidden.iter().zip(answer.breaks.iter().skip(1)) {
        wrong.extend(hidden(a, b, got, expected));
    }
    if diff.displaced != answer.displaced {
        wrong.push(format!(
            "displaced: {:?}, expected {:?}",
            diff.displaced, answer.displaced
        ));
    }
    wrong
}

/// The length of the common beginning, down to a whole character.
fn common(a: &str, b: &str) -> usize {
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b);
    same.map(|(c, _)| c.len_utf8()).sum()
}

fn size(text: &str) -> Size {
    Size {
        bytes: text.len(),
        chars: text.chars().count(),
        ..Size::default()
    }
}

/// The report about the system prompt as a whole.
fn sizes(a: &Prompt, b: &Prompt, diff: &Diff) -> Vec<String> {
    let (a, b) = (a.text(Deliver::System), b.text(Deliver::System));
    let (kept, lost) = b.split_at(common(a, b));
    let mut wrong = Vec::new();
    for (name, got, expected) in [
        ("kept", &diff.kept, size(kept)),
        ("lost", &diff.lost, size(lost)),
        ("of", &diff.of, size(a)),
    ] {
        if *got != expected {
            wrong.push(format!("{name}: {got:?}, expected {expected:?}"));
        }
    }
    wrong
}

/// Where the prefix breaks, counted from the texts.
fn place(a: &Prompt, b: &Prompt, diff: &Diff) -> Vec<String> {
    let mut differing = Deliver::ALL
        .into_iter()
        .filter(|d| a.text(*d) != b.text(*d));
    let Some(channel) = differing.next() else {
        let right = diff.same && diff.first.is_none() && diff.hidden.is_empty();
        let wrong = (!right).then(|| "the texts are the same, and the diff is not".to_owned());
        return wrong.into_iter().collect();
    };
    let (Some(first), false) = (&diff.first, diff.same) else {
        return vec!["the texts differ, and there is no break".to_owned()];
    };
    let before = &a.text(channel)[..common(a.text(channel), b.text(channel))];
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .count()
        + 1;
    let expected = (channel, before.len(), line, column);
    let got = (first.channel, first.offset, first.line, first.column);
    let mut wrong = Vec::new();
    if got != expected {
        wrong.push(format!("place: {got:?}, expected {expected:?}"));
    }
    let layer = first.layer.as_deref().unwrap_or_default();
    let starts = [a, b]
        .into_iter()
        .filter_map(|p| Some(p.layer(layer)?.1.start));
    if starts.min().is_some_and(|start| start > first.offset) {
        wrong.push(format!("the prefix ends in front of layer {layer}"));
    }
    for found in diff.first.iter().chain(&diff.hidden) {
        if found.causes.is_empty() {
            wrong.push(format!("no cause in layer {:?}", found.layer));
        }
        for cause in found.causes.iter().chain(&found.also) {
            if cause.kind == CauseKind::Unexplained {
                wrong.push(format!("unexplained in layer {:?}", found.layer));
            }
        }
    }
    wrong
}

fn list(causes: &[Cause]) -> String {
    causes.iter().map(shown).collect::<Vec<_>>().join("; ")
}

fn wanted(causes: &[Expected]) -> String {
    causes
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("; ")
}

/// The causes of one broken layer.
fn layer(got: &Break, expected: &Broken) -> Vec<String> {
    let name = &expected.layer;
    let mut wrong = Vec::new();
    if got.tier.as_deref() != Some(&expected.tier) || got.channel.name() != expected.deliver {
        wrong.push(format!(
            "{name} stands in {:?} of {}",
            got.tier, got.channel
        ));
    }
    // An edit of several lines may be reported line by line.
    let told = expected
        .causes
        .iter()
        .all(|e| got.causes.iter().any(|c| e.matches(c)));
    let right = got
        .causes
        .iter()
        .all(|c| expected.causes.iter().any(|e| e.matches(c)));
    if !told || !right {
        wrong.push(format!(
            "causes of {name}: {}, expected {}",
            list(&got.causes),
            wanted(&expected.causes)
        ));
    }
    for also in &expected.also {
        if !got.also.iter().any(|c| also.matches(c)) {
            wrong.push(format!(
                "also of {name}: {}, expected {also}",
                list(&got.also)
            ));
        }
    }
    wrong
}

/// Whether a new layer is before one that begins like it, and that one is after the same layer in A: else the common
/// beginning is not there.
fn before_its_like(a: &Prompt, b: &Prompt, name: &str) -> bool {
    let around = |prompt: &Prompt, name: &str| -> Option<(Option<String>, Option<String>)> {
        let (channel, _) = prompt.layer(name)?;
        let at = channel.layers.iter().position(|l| l.name == name)?;
        let beside = |at: Option<usize>| Some(channel.layers.get(at?)?.name.clone());
        Some((beside(at.checked_sub(1)), beside(Some(at + 1))))
    };
    let text = |prompt: &Prompt, name: &str| -> Option<String> {
        let (channel, layer) = prompt.layer(name)?;
        Some(channel.text[own(layer)..layer.end].to_owned())
    };
    let Some((before, Some(next))) = around(b, name) else {
        return false;
    };
    let alike = text(b, name).zip(text(a, &next));
    alike.is_some_and(|(new, next)| common(&new, &next) > 0)
        && around(a, &next).is_some_and(|(front, _)| front == before)
}

/// Whether the prefix is said to run on where the texts begin alike on purpose, and nowhere else.
fn chance(got: &Break, expected: &Broken, beside: bool) -> Option<String> {
    let name = &expected.layer;
    let silent = match &expected.effect {
        Effect::Slide => got.coincidence == 0,
        Effect::AddedAlike(_) => beside && got.coincidence == 0,
        _ => false,
    };
    if silent {
        return Some(format!(
            "{name} runs on by chance, and the diff does not say so"
        ));
    }
    let edit = expected.effect == Effect::Edit && expected.inside && got.coincidence != 0;
    edit.then(|| format!("{name} runs on by {} by chance", got.coincidence))
}

/// How much a hidden break would have kept by itself.
fn hidden(a: &Prompt, b: &Prompt, got: &Break, expected: &Broken) -> Vec<String> {
    let name = &expected.layer;
    if matches!(expected.effect, Effect::Moved(_) | Effect::Joined(_))
        || got.layer.as_ref() != Some(name)
    {
        return Vec::new();
    }
    let (Some((channel, before)), Some((other, after))) = (a.layer(name), b.layer(name)) else {
        return Vec::new();
    };
    let (from, to) = (own(before), own(after));
    let same = common(&channel.text[from..before.end], &other.text[to..after.end]);
    // A layer after one that ends there can begin alike.
    let ends = same == (before.end - from).min(after.end - to);
    match got.offset == from + same || (ends && got.offset > from + same) {
        true => Vec::new(),
        false => vec![format!(
            "hidden {name} at {}, expected {}",
            got.offset,
            from + same
        )],
    }
}
