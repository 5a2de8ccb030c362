//! A snapshot gives back what was written: a prompt, from its lock and its texts.

use super::sample::{ALL, MANIFEST, Sample, sample};
use super::{config, given, memory};
use promptc::compare::snapshot::{Lock, RestoredSnapshot, Snapshot, Texts};
use promptc::compile::compile;
use promptc::diagnostic::Diagnostics;
use promptc::diagnostic::span::Files;
use promptc::manifest::{self, Manifest};
use promptc::prompt::{Definition, Ingredient, Layer, Prompt};
use proptest::collection::vec;
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use proptest::sample::Index;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

proptest! {
    #![proptest_config(config(64))]

    #[test]
    fn a_record_gives_the_prompt_back(sample in sample(ALL)) {
        let Some((manifest, prompt)) = build(&sample) else {
            return Ok(());
        };
        let mut lock = Lock::new("promptc.kdl");
        for (name, snapshot) in [("b", true), ("a", false)] {
            lock.snapshots.insert(name.to_owned(), Snapshot::of(name, snapshot, &manifest, &prompt));
        }
        let written = lock.write();
        let read = Lock::read("promptc.lock", &written, "promptc.kdl").unwrap();
        prop_assert_eq!(&read, &lock);
        prop_assert_eq!(read.write(), written);

        let texts = texts(&prompt);
        let kept: Vec<_> = read.snapshots["b"].kept().into_iter().collect();
        let has: Vec<_> = texts.keys().copied().collect();
        prop_assert!(kept == has || has.is_empty() || kept.len() == has.len() + 1);
        let back = read.snapshots["b"].restore(&texts).unwrap();
        prop_assert!(back.text);
        prop_assert_eq!(canonical(back.prompt, false), canonical(prompt.clone(), true));

        let blind = read.snapshots["a"].restore(&Texts::new()).unwrap();
        prop_assert!(!blind.text);
        prop_assert_eq!(places(&blind.prompt), places(&prompt));
    }

    #[test]
    fn a_lock_of_any_bytes_is_read_or_refused(
        sample in sample(ALL),
        edits in vec((any::<Index>(), any::<u8>()), 1..4),
        cut in any::<Index>(),
    ) {
        let Some((manifest, prompt)) = build(&sample) else {
            return Ok(());
        };
        let mut lock = Lock::new("promptc.kdl");
        lock.snapshots.insert("a".to_owned(), Snapshot::of("a", true, &manifest, &prompt));
        lock.snapshots.insert("b".to_owned(), Snapshot::of("b", false, &manifest, &prompt));
        let written = lock.write();
        let mut edited = written.clone().into_bytes();
        for (at, byte) in edits {
            let at = at.index(edited.len());
            edited[at] = byte;
        }
        let edited = String::from_utf8_lossy(&edited).into_owned();
        // A number may be another one now; whatever is read must be restored or refused.
        if let Ok(read) = Lock::read("promptc.lock", &edited, "promptc.kdl") {
            for snapshot in read.snapshots.values() {
                let _ = snapshot.restore(&texts(&prompt));
            }
        }
        let at = cut.index(written.len());
        let cut = written.get(..at).map(|cut| Lock::read("promptc.lock", cut, "promptc.kdl"));
        if let Some(Ok(cut)) = cut {
            // A change between two lines is ambiguous; the texts show it.
            let whole = cut.snapshots.get("a").is_some_and(|r| *r == lock.snapshots["a"]);
            let restored = cut.snapshots.get("a").map(|r| r.restore(&texts(&prompt)));
            let same = |r: &RestoredSnapshot| r.prompt.channels.iter().all(|c| c.text == prompt.text(c.deliver));
            prop_assert!(whole || restored.is_none_or(|r| r.is_err() || r.is_ok_and(|r| same(&r))));
        }
    }

    #[test]
    fn no_line_depends_on_another_layer(sample in sample(ALL)) {
        let mut more = sample.clone();
        let text = String::from_utf8(more.files[MANIFEST].clone()).unwrap();
        let Some(at) = text.find("\ntier ") else {
            return Ok(());
        };
        let tier = "\n\ntier zzz { layer zzz { text \"new\" } }\n";
        more.files.insert(MANIFEST.to_owned(), [&text[..at], tier, &text[at..]].concat().into_bytes());
        let (Some(before), Some(after)) = (build(&sample), build(&more)) else {
            return Ok(());
        };
        let lines = |(manifest, prompt): (Arc<Manifest>, Prompt)| {
            let mut lock = Lock::new("promptc.kdl");
            lock.snapshots.insert("a".to_owned(), Snapshot::of("a", true, &manifest, &prompt));
            let lines = lock.write();
            // Of a channel without text there are no lines of tiers, so the system's may be new.
            let old = |line: &&str| !line.contains("\"zzz\"") && !line.starts_with("{\"line\":\"tier\"");
            lines.lines().filter(old).map(str::to_owned).filter(|l| !l.is_empty()).collect::<BTreeSet<_>>()
        };
        prop_assert_eq!(lines(before), lines(after));
    }

    #[test]
    fn an_edited_text_is_noticed(sample in sample(ALL), at in 0_usize..10_000) {
        let Some((manifest, prompt)) = build(&sample) else {
            return Ok(());
        };
        let snapshot = Snapshot::of("a", true, &manifest, &prompt);
        for (deliver, text) in texts(&prompt) {
            let mut edited = texts(&prompt);
            let at = (0..=at % (text.len() + 1)).rev().find(|at| text.is_char_boundary(*at)).unwrap();
            edited.insert(deliver, format!("{}~{}", &text[..at], &text[at..]));
            let unlike = snapshot.restore(&edited).unwrap_err();
            let named = unlike.layer.as_deref().and_then(|name| prompt.layer(name));
            // A mark among marks may leave all layers unchanged, with one more after the last.
            let other = |l: &&Layer| edited[&deliver].as_bytes()[l.start..l.end] != text.as_bytes()[l.start..l.end];
            let layer = prompt.channel(deliver).and_then(|c| c.layers.iter().find(other));
            prop_assert_eq!(named.map(|(_, l)| &l.name), layer.map(|l| &l.name));
        }
    }
}

fn build(sample: &Sample) -> Option<(Arc<Manifest>, Prompt)> {
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let world = memory(&sample.files);
    let path = Path::new("/base").join(MANIFEST);
    let manifest = manifest::open(&world, path.to_str(), &mut files, &mut diags).ok()?;
    let prompt = compile(&manifest, &given(sample), &world, &mut files, &mut diags).ok()?;
    Some((manifest, prompt))
}

fn texts(prompt: &Prompt) -> Texts {
    let channels = prompt.channels.iter();
    channels.map(|c| (c.deliver, c.text.clone())).collect()
}

/// The data that a snapshot without texts must still have.
fn places(prompt: &Prompt) -> Vec<(&str, usize, usize, usize)> {
    let layers = prompt.channels.iter().flat_map(|c| &c.layers);
    layers
        .map(|l| (l.name.as_str(), l.start, l.end, l.chars))
        .collect()
}

/// The prompt without what a snapshot does not keep; `built` is whether its lines are still those of the manifest.
fn canonical(mut prompt: Prompt, built: bool) -> Prompt {
    prompt.promptc.clear();
    prompt.manifest_sha256.clear();
    prompt.notices.sort_by(|a, b| a.layer.cmp(&b.layer));
    prompt.absent.sort_by(|a, b| a.layer.cmp(&b.layer));
    if !built {
        return prompt;
    }
    for absent in &mut prompt.absent {
        let first = move_lines(&mut absent.definition);
        absent
            .ingredients
            .iter_mut()
            .for_each(|i| move_line(i, first));
    }
    for channel in &mut prompt.channels {
        for tier in &mut channel.tiers {
            let nodes = tier.definition.nodes.iter().cloned();
            tier.definition.nodes = nodes
                .map(|mut node| {
                    node.line = 0;
                    node
                })
                .collect();
        }
        for layer in &mut channel.layers {
            let first = move_lines(&mut layer.definition);
            for span in &mut layer.spans {
                let owner = span.ingredient.map(|i| &layer.ingredients[i as usize]);
                if let Some(
                    Ingredient::Literal { .. } | Ingredient::Template { line: Some(_), .. },
                ) = owner
                {
                    span.line = span.line.map(|line| line + 1 - first);
                }
            }
            layer
                .ingredients
                .iter_mut()
                .for_each(|i| move_line(i, first));
        }
    }
    prompt
}

/// Lets the lines of a definition count from its first, which is 1; gives what the first was.
fn move_lines(definition: &mut Definition) -> usize {
    let mut nodes = definition.nodes.to_vec();
    let first = nodes[0].line;
    for node in &mut nodes {
        node.line = node.line + 1 - first;
    }
    definition.nodes = Arc::from(nodes);
    first
}

fn move_line(ingredient: &mut Ingredient, first: usize) {
    if let Ingredient::Literal { line, .. }
    | Ingredient::Template {
        line: Some(line), ..
    } = ingredient
    {
        *line = *line + 1 - first;
    }
}
