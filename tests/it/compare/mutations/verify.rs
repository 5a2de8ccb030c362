//! A diff compared with the expected answer, and with figures counted from the two texts.

use super::build::MANIFEST;
use super::mutation::{Effect, Expected, Mutation, shown};
use super::oracle::{Answer, Broken};
use promptc::compare::{Break, Cause, CauseKind, Diff, Size};
use promptc::prompt::{Deliver, Prompt};

/// The errors in `diff`; empty if all is right.
pub(super) fn verify(
    (a, b): (&Prompt, &Prompt),
    diff: &Diff,
    answer: &Answer,
    made: &[Mutation],
) -> Vec<String> {
    let mut wrong = Vec::new();
    wrong.extend(sizes(a, b, diff));
    wrong.extend(place(a, b, diff));
    wrong.extend(causes(diff, answer, made));
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
    }
    wrong
}

/// What a change is about: a fact, a manifest, a file; of a file with another name both names.
fn subjects(cause: &Cause) -> Vec<String> {
    if !cause.because.is_empty() {
        return cause.because.iter().flat_map(subjects).collect();
    }
    let mut out = vec![subject(&cause.fact, &cause.path)];
    if cause.kind == CauseKind::DocumentRenamed {
        out.extend(cause.old.clone());
    }
    out
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

/// The first break: its layer, and what kind of change a single cause is.
fn first(got: &Break, expected: &Broken, all: &[&Cause]) -> Vec<String> {
    let mut wrong = Vec::new();
    if got.layer.as_ref() != Some(&expected.layer)
        || got.tier.as_deref() != Some(&expected.tier)
        || got.channel.name() != expected.deliver
    {
        wrong.push(format!(
            "it is in {:?} of {:?} in {}",
            got.layer, got.tier, got.channel
        ));
    }
    let mut subjects = expected.causes.iter().flat_map(wanted_subjects);
    let one = subjects.next();
    let is_one = subjects.all(|other| Some(other) == one);
    // Whether a cut moved or its text changed may be seen in either way.
    let is_cut = |kind: &CauseKind| *kind == CauseKind::CutMoved;
    let may_be = expected.causes.iter().any(|e| e.kinds.iter().any(is_cut))
        || all.iter().any(|cause| is_cut(&cause.kind));
    let is_told = |e: &Expected| all.iter().any(|cause| e.matches(cause));
    if is_one && !may_be && !expected.causes.iter().any(is_told) {
        let told: Vec<String> = got.causes.iter().map(shown).collect();
        wrong.push(format!("kinds: {told:?}, expected {:?}", expected.causes));
    }
    wrong
}

/// The causes: each layer that breaks has one that its mutations explain, and none is named that no mutation made. A change that breaks
/// several layers is one entry, and what a cause hides is named after it.
fn causes(diff: &Diff, answer: &Answer, made: &[Mutation]) -> Vec<String> {
    let got: Vec<&Break> = diff.first.iter().chain(&diff.hidden).collect();
    let named: Vec<&Cause> = got.iter().flat_map(|b| &b.causes).collect();
    let mut wrong = match (got.first(), answer.breaks.first()) {
        (Some(found), Some(expected)) => first(found, expected, &named),
        (None, None) => Vec::new(),
        (found, expected) => vec![format!("{found:?}, expected {expected:?}")],
    };
    let changes = made.iter().flat_map(|mutation| &mutation.changes);
    let made: Vec<String> = changes
        .flat_map(|change| wanted_subjects(&change.expected))
        .collect();
    let is_made = |cause: &&&Cause| subjects(cause).iter().any(|name| made.contains(name));
    for cause in named.iter().filter(|cause| !is_made(cause)) {
        wrong.push(format!("{} is a cause, expected {made:?}", shown(cause)));
    }
    for broken in &answer.breaks {
        let wanted = broken.causes.iter().chain(&broken.also);
        let wanted: Vec<String> = wanted.flat_map(wanted_subjects).collect();
        // Of a layer that only stands elsewhere, or behind another join, the text is the same.
        let is_whole = matches!(broken.effect, Effect::Joined(_) | Effect::Moved(_));
        let own = got.iter().filter(|found| {
            is_whole
                || found.layer.as_ref() == Some(&broken.layer)
                || found.layers.contains(&broken.layer)
        });
        let told: Vec<String> = own.flat_map(|b| &b.causes).flat_map(subjects).collect();
        if !told.iter().any(|name| wanted.contains(name)) {
            wrong.push(format!("{}: {told:?}, expected {wanted:?}", broken.layer));
        }
    }
    wrong
}
