//! A diff compared with the expected answer, and with figures counted from the two texts.

use super::build::{MANIFEST, own};
use super::mutation::{Effect, Expected, shown};
use super::oracle::{Answer, Broken};
use promptc::compare::{Break, Cause, CauseKind, Diff, Size};
use promptc::prompt::{Deliver, Prompt};

/// The errors in `diff`; empty if all is right.
pub(super) fn verify(a: &Prompt, b: &Prompt, diff: &Diff, answer: &Answer) -> Vec<String> {
    let mut wrong = Vec::new();
    wrong.extend(sizes(a, b, diff));
    wrong.extend(place(a, b, diff));
    wrong.extend(causes(diff, answer));
    if let (Some(got), Some(expected)) = (&diff.first, answer.breaks.first())
        && got.layer.as_deref() == Some(&expected.layer)
    {
        wrong.extend(chance(
            got,
            expected,
            before_its_like(a, b, &expected.layer),
        ));
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

/// What a change is about: a fact, a manifest, a file.
fn subjects(cause: &Cause) -> Vec<String> {
    if !cause.because.is_empty() {
        return cause.because.iter().flat_map(subjects).collect();
    }
    vec![subject(&cause.fact, &cause.path)]
}

fn subject(fact: &Option<String>, path: &Option<String>) -> String {
    match fact {
        Some(fact) => format!("fact {fact}"),
        None => path.clone().unwrap_or_default(),
    }
}

fn wanted_subjects(expected: &Expected) -> Vec<String> {
    if expected.because.is_empty() {
        // Of a layer as a whole only the manifest is known.
        let manifest = || Some(MANIFEST.to_owned());
        let path = expected.path.clone().or_else(manifest);
        vec![subject(&expected.fact, &path)]
    } else {
        expected.because.iter().flat_map(wanted_subjects).collect()
    }
}

/// The causes: each layer that breaks has one that its mutations explain, and none is named that no mutation made. A change that breaks
/// several layers is one entry.
fn causes(diff: &Diff, answer: &Answer) -> Vec<String> {
    let got: Vec<&Break> = diff.first.iter().chain(&diff.hidden).collect();
    let mut wrong = Vec::new();
    if got.first().map(|first| first.layer.as_ref())
        != answer.breaks.first().map(|first| Some(&first.layer))
    {
        wrong.push(format!(
            "the first layer that broke: {:?}",
            got.first().map(|b| &b.layer)
        ));
    }
    if let (Some(found), Some(expected)) = (got.first(), answer.breaks.first()) {
        if found.tier.as_deref() != Some(&expected.tier) || found.channel.name() != expected.deliver
        {
            wrong.push(format!("it is in {:?} of {}", found.tier, found.channel));
        }
        let mut alone = expected.causes.iter().flat_map(wanted_subjects);
        let first = alone.next();
        let is_one = alone.all(|other| Some(other) == first);
        let is_told = |e: &Expected| {
            got.iter()
                .flat_map(|b| &b.causes)
                .any(|cause| e.matches(cause))
        };
        if is_one && !expected.causes.iter().any(is_told) {
            let told: Vec<String> = found.causes.iter().map(shown).collect();
            wrong.push(format!("kinds: {told:?}, expected {:?}", expected.causes));
        }
    }
    let wanted = |broken: &Broken| -> Vec<String> {
        broken
            .causes
            .iter()
            .chain(&broken.also)
            .flat_map(wanted_subjects)
            .collect()
    };
    let all: Vec<String> = answer.breaks.iter().flat_map(wanted).collect();
    let told: Vec<String> = got
        .iter()
        .flat_map(|b| &b.causes)
        .flat_map(subjects)
        .collect();
    for name in told.iter().filter(|name| !all.contains(name)) {
        wrong.push(format!("{name} is a cause, expected {all:?}"));
    }
    for broken in &answer.breaks {
        let wanted = wanted(broken);
        let named = got.iter().filter(|found| {
            found.layer.as_ref() == Some(&broken.layer) || found.layers.contains(&broken.layer)
        });
        let named: Vec<String> = named.flat_map(|b| &b.causes).flat_map(subjects).collect();
        if !named.iter().any(|name| wanted.contains(name)) {
            wrong.push(format!("{}: {named:?}, expected {wanted:?}", broken.layer));
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
