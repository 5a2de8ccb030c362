//! Any two prompts of one manifest and its kin: the break is where the texts say, what stands before it is byte-equal, and
//! every layer that differs has a cause.

use super::building::build;
use super::input::Input;
use promptc::compare::{Diff, align, bare, diff, aligned, own_text};
use promptc::prompt::{Deliver, Prompt};
use serde_json::json;

/// Layers in the order that `order` says, without those that it leaves out.
fn manifest(order: u8, text: &str) -> String {
    let layers = [
        "layer a { file \"a.md\" { frontmatter strip; budget 60 head=0.7 tail=0.2 } }".to_owned(),
        "layer b when=\"f\" { file \"b.md\"; template \"<{{ f }}>{{ content }}\" }".to_owned(),
        "layer c { memory \"c.md\" delimiter=\"\\n%\\n\"; budget 80 at=entry }".to_owned(),
        format!("layer d {{ text {} }}", super::building::kdl(text)),
    ];
    let mut order_of: Vec<usize> = (0..layers.len()).collect();
    order_of.swap(usize::from(order & 3), usize::from(order >> 2 & 3));
    let left = |at: &usize| order >> 4 != *at as u8 + 1;
    let layers: String = order_of
        .iter()
        .filter(|at| left(at))
        .map(|at| format!("{}\n", layers[*at]))
        .collect();
    format!(
        "promptc 1\nroot workspace default=\".\"\nfact f string default=\"\"\n\
         tier one {{ {layers} }}\ntier two deliver=user {{ layer u {{ file \"a.md\" }} }}\n"
    )
}

pub(super) fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let [before, after] = [(); 2].map(|()| {
        let order = input.byte();
        let text = input.text();
        let [a, b, c] = [(); 3].map(|()| input.section());
        let facts = json!({ "f": input.text() }).to_string();
        let manifest = manifest(order, &text);
        let tree: [(&str, &[u8]); 4] =
            [("promptc.kdl", manifest.as_bytes()), ("a.md", a), ("b.md", b), ("c.md", c)];
        build(&tree, Some(facts.as_bytes()))
    });
    let (Ok(before), Ok(after)) = (before, after) else {
        return;
    };
    let found = diff(&before, &after);
    verify(&before, &after, &found);
    causes(&before, &after, &found);
    let same = diff(&before, &before);
    assert!(same.same && same.first.is_none() && same.hidden.is_empty() && same.advice.is_empty());
    texts(&before, &after);
}

/// The same texts without a map, of one and of both.
fn texts(before: &Prompt, after: &Prompt) {
    let [a, b] = [before, after].map(|p| p.text(Deliver::System));
    let (a, b) = (align::bare(a), align::bare(b));
    verify(&a, &b, &bare(&a, &b));
    let known = align::lay(before, b.text(Deliver::System));
    let whole = align::AlignedText { prompt: before.clone(), share: 1.0 };
    assert!((0.0..=1.0).contains(&known.share));
    assert_eq!(known.prompt.text(Deliver::System), b.text(Deliver::System));
    let system = Prompt {
        channels: before.channels.iter().filter(|c| c.deliver == Deliver::System).cloned().collect(),
        ..whole.prompt.clone()
    };
    let whole = align::AlignedText { prompt: system, ..whole };
    verify(&whole.prompt, &known.prompt, &aligned(&whole, &known));
}

/// The length of the common beginning, down to a whole character.
fn common(a: &str, b: &str) -> usize {
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b);
    same.map(|(c, _)| c.len_utf8()).sum()
}

/// What follows from the texts alone.
pub(super) fn verify(a: &Prompt, b: &Prompt, found: &Diff) {
    let differing = Deliver::ALL.into_iter().find(|d| a.text(*d) != b.text(*d));
    let [system, now] = [a, b].map(|p| p.text(Deliver::System));
    assert_eq!(found.kept.bytes, common(system, now));
    assert_eq!(found.kept.bytes + found.lost.bytes, now.len());
    assert_eq!(found.of.bytes, system.len());
    assert_eq!(found.same, differing.is_none());
    assert_eq!(found.first.is_none(), differing.is_none());
    let (Some(first), Some(channel)) = (&found.first, differing) else {
        return;
    };
    let text = a.text(channel);
    let at = common(text, b.text(channel));
    assert_eq!((first.channel, first.offset), (channel, at));
    assert_eq!(first.line, text[..at].matches('\n').count() + 1);
    let line = text[..at].rsplit('\n').next().unwrap_or("");
    assert_eq!(first.column, line.chars().count() + 1);
    let json = serde_json::to_string(found).unwrap();
    assert_eq!(serde_json::from_str::<Diff>(&json).ok().as_ref(), Some(found));
}

/// Law 7, of prompts with a whole map.
fn causes(a: &Prompt, b: &Prompt, found: &Diff) {
    let Some(first) = &found.first else { return };
    let name = first.layer.as_deref().unwrap();
    let layers = |p: &Prompt| p.channel(first.channel).map_or(Vec::new(), |c| c.layers.clone());
    let [mine, theirs] = [layers(a), layers(b)];
    let at = |layers: &[promptc::prompt::Layer]| layers.iter().position(|l| l.name == name);
    let place = [at(&mine), at(&theirs)].into_iter().flatten().min().unwrap();
    for (mine, theirs) in mine[..place].iter().zip(&theirs[..place.min(theirs.len())]) {
        assert_eq!(mine.name, theirs.name, "in front of {name}");
        let text = |p: &Prompt| p.text(first.channel)[mine.start..mine.end].to_owned();
        assert_eq!((mine.start, mine.end), (theirs.start, theirs.end));
        assert_eq!(text(a), text(b));
    }
    let start = [mine.get(place), theirs.get(place)].into_iter().flatten().map(|l| l.start).min();
    assert!(start.is_some_and(|start| start <= first.offset), "the prefix ends in front of {name}");
    let breaks: Vec<_> = found.hidden.iter().chain([first]).collect();
    for broken in &breaks {
        assert!(!broken.reasons().is_empty(), "nothing differs: {broken:?}");
    }
    for layer in &mine {
        let [old, new] = [a, b].map(|p| own_text(p, first.channel, &layer.name));
        let told = breaks.iter().any(|k| k.layer.as_deref() == Some(&*layer.name));
        assert!(old == new || told, "`{}` differs and is not told", layer.name);
    }
}
