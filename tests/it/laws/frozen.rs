//! Law 8: frozen is frozen. The frozen text of a session comes back byte for byte whatever happens to files and facts,
//! and the text that is rebuilt after it equals that of a whole build.

use super::sample::{ALL, MANIFEST, Sample, sample};
use super::{config, fit, given, memory};
use promptc::compile::{Freezing, GivenInputs, Plan, build, freeze, prepare, resume};
use promptc::diagnostic::Diagnostics;
use promptc::diagnostic::span::Files;
use promptc::manifest;
use promptc::prompt::drift::ChangeKind;
use promptc::prompt::{Deliver, Layer, Prompt};
use promptc::session::store::Reason;
use promptc::session::{drift, keep};
use promptc::text::SpanKind;
use promptc::text::tokens::Tokenizer;
use promptc::world::{MapWorld, RecordedWorld, Recorder, World};
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// A sample in which other tiers than it says are of the class `turn`.
fn turned(sample: &Sample, turns: u16) -> BTreeMap<String, Vec<u8>> {
    let manifest = String::from_utf8(sample.files[MANIFEST].clone()).unwrap();
    let mut files = sample.files.clone();
    files.insert(
        MANIFEST.to_owned(),
        with_turns(&manifest, turns).into_bytes(),
    );
    files
}

/// A manifest whose tiers are of the class `turn` if their bit is set, and else of the class `session`.
fn with_turns(manifest: &str, turns: u16) -> String {
    let mut tier = 0;
    let lines = manifest.split('\n').map(|line| {
        let Some(rest) = line.strip_prefix("tier ") else {
            return line.to_owned();
        };
        tier += 1;
        let words = rest.split(' ').filter(|w| !w.starts_with("changes="));
        let (name, rest): (Vec<_>, Vec<_>) = words.enumerate().partition(|(at, _)| *at == 0);
        let class = match turns >> (tier % 16) & 1 {
            1 => "turn",
            _ => "session",
        };
        let rest: Vec<&str> = rest.into_iter().map(|(_, word)| word).collect();
        format!("tier {} changes={class} {}", name[0].1, rest.join(" "))
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn plan(world: &dyn World, given: &GivenInputs) -> Option<Plan> {
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let path = Path::new("/base").join(MANIFEST);
    let manifest = manifest::open(world, path.to_str(), &mut files, &mut diags).ok()?;
    prepare(&manifest, given, world, &mut files, &mut diags).ok()
}

/// A sample as a session would keep it, if it builds at all.
fn frozen(world: &MapWorld, given: &GivenInputs) -> Option<(Plan, Freezing, RecordedWorld)> {
    let recorder = Recorder::new(world);
    let plan = plan(&recorder, given)?;
    let tape = recorder.tape();
    let made = freeze(&plan, given, &[], world, &mut Diagnostics::default()).ok()?;
    Some((plan, made, tape))
}

/// Other bytes in every file but the program's, another value for every fact that was given.
fn changed(files: &BTreeMap<String, Vec<u8>>) -> MapWorld {
    let other = files.iter().map(|(path, bytes)| {
        let bytes = if path.ends_with(".md") {
            [b"other ".as_slice(), bytes].concat()
        } else {
            bytes.clone()
        };
        (path.clone(), bytes)
    });
    memory(&other.collect())
}

/// The text of each channel before the first byte that is not frozen.
fn starts_with(prompt: &Prompt, kept: &Prompt) -> bool {
    let mut channels = kept.channels.iter();
    channels.all(|c| prompt.text(c.deliver).starts_with(&c.text))
}

/// The layers of a prompt with their texts, from its map: without the join before them.
fn texts(prompt: &Prompt) -> BTreeMap<&str, &str> {
    let layers = prompt.channels.iter().flat_map(|channel| {
        let own = |layer: &Layer| match layer.spans.first() {
            Some(span) if span.kind == SpanKind::Join => span.end,
            _ => layer.start,
        };
        let text = move |layer| &channel.text[own(layer)..layer.end];
        channel
            .layers
            .iter()
            .map(move |l| (l.name.as_str(), text(l)))
    });
    layers.collect()
}

/// The layers whose text differs, apart from those with the text of another one.
fn differ<'p>(known: &'p Prompt, now: &'p Prompt) -> Vec<(&'p str, ChangeKind)> {
    let (old, new) = (texts(known), texts(now));
    let names: BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
    let came = |text: &str| new.iter().any(|(n, t)| *t == text && !old.contains_key(n));
    let went = |text: &str| old.iter().any(|(n, t)| *t == text && !new.contains_key(n));
    let kind = |name: &&str| match (old.get(name), new.get(name)) {
        (Some(was), Some(is)) => (was != is).then_some(ChangeKind::Changed),
        (None, Some(is)) => (!went(is)).then_some(ChangeKind::Added),
        (Some(was), None) => (!came(was)).then_some(ChangeKind::Removed),
        (None, None) => None,
    };
    names
        .into_iter()
        .filter_map(|n| Some((n, kind(&n)?)))
        .collect()
}

/// To how many samples a law had something to say: one that passes over most of them proves little.
#[derive(Default)]
struct Share {
    of: Cell<u32>,
    told: Cell<u32>,
}

impl Share {
    /// One more sample.
    fn sample(&self) {
        self.of.set(self.of.get() + 1);
    }

    /// It was not passed over.
    fn told(&self) {
        self.told.set(self.told.get() + 1);
    }

    /// Fails if the law held for fewer than `percent` of its samples; few samples may be any.
    fn check(&self, law: &str, percent: u32) {
        let (told, of) = (self.told.get(), self.of.get());
        println!("{law}: {told} of {of} samples");
        assert!(
            of < 50 || told * 100 >= of * percent,
            "{law}: {told} of {of}"
        );
    }
}

#[test]
fn drift_is_the_difference_in_frozen_text() {
    let share = Share::default();
    proptest!(config(200), |(sample in sample(ALL), turns in any::<u16>())| {
        share.sample();
        let files = turned(&sample, turns);
        let (world, given) = (memory(&files), given(&sample));
        let Some((_, a, _)) = frozen(&world, &given) else { return Ok(()) };
        prop_assert!(drift(&a.frozen.prompt, &a).same);
        let Some((_, b, _)) = frozen(&changed(&files), &given) else { return Ok(()) };
        let (known, now) = (&a.frozen.prompt, &b.frozen.prompt);
        let found = drift(known, &b);
        let same = Deliver::ALL.iter().all(|d| known.text(*d) == now.text(*d));
        prop_assert_eq!(found.same, same);
        let changes = found.changes(|_| String::new());
        let mut told: Vec<(&str, ChangeKind)> =
            changes.iter().map(|c| (c.layer.as_str(), c.kind)).collect();
        told.sort_unstable();
        prop_assert_eq!(told, if same { Vec::new() } else { differ(known, now) });
        if !same {
            share.told();
        }
    });
    share.check("drift with a difference", 5);
}

#[test]
fn rebuilt_tiers_equal_those_of_a_whole_build() {
    let (share, later_share) = (Share::default(), Share::default());
    proptest!(config(200), |(sample in sample(ALL), turns in any::<u16>())| {
        share.sample();
        let files = turned(&sample, turns);
        let (world, mut given) = (memory(&files), given(&sample));
        given.tokenizer = (turns % 3 == 0).then(|| Tokenizer::parse("o200k")).flatten();
        let Some((plan, made, tape)) = frozen(&world, &given) else { return Ok(()) };
        let whole = build(&plan, &given, &world, &mut Diagnostics::default()).unwrap();
        prop_assert_eq!(&made.prompt, &whole);
        prop_assert_eq!(made.frozen.prompt.fault(), None);

        // The program's files are gone: what was read of them is enough.
        let again = self::plan(&tape.replayed(), &given).unwrap();
        let front = Arc::new(made.frozen.clone());
        let behind = resume(&again, front.clone(), &given, &world, &mut Diagnostics::default());
        prop_assert_eq!(&behind.unwrap(), &whole);
        share.told();

        let mut diags = Diagnostics::default();
        let later = resume(&again, front, &given, &changed(&files), &mut diags);
        later_share.sample();
        if let Ok(later) = later {
            prop_assert!(starts_with(&later, &made.frozen.prompt));
            prop_assert_eq!(later.fault(), None);
            later_share.told();
        }
    });
    share.check("whole", 85);
    later_share.check("later", 50);
}

#[test]
fn budgets_count_frozen_text() {
    let share = Share::default();
    proptest!(config(200), |(manifest in fit::manifests(), turns in any::<u16>())| {
        share.sample();
        let manifest = with_turns(&manifest.kdl(), turns);
        let files = BTreeMap::from([(MANIFEST.to_owned(), manifest.into_bytes())]);
        let (world, given) = (memory(&files), GivenInputs::default());
        let Some((plan, made, _)) = frozen(&world, &given) else { return Ok(()) };
        let front = Arc::new(made.frozen);
        let behind = resume(&plan, front, &given, &world, &mut Diagnostics::default());
        prop_assert_eq!(behind.unwrap(), made.prompt);
        share.told();
    });
    share.check("budgets", 65);
}

#[test]
fn a_frozen_prompt_can_be_serialized() {
    let share = Share::default();
    proptest!(config(200), |(sample in sample(ALL), turns in any::<u16>())| {
        share.sample();
        let (world, given) = (memory(&turned(&sample, turns)), given(&sample));
        let Some((plan, made, tape)) = frozen(&world, &given) else { return Ok(()) };
        let kept = keep(&plan, made, tape.clone(), &given, None, None, Path::new("/base"));
        let new = kept.build(7, Reason::First).unwrap();
        let mut program: RecordedWorld = serde_json::from_str(&new.plan).unwrap();
        program.put_texts(new.files);
        prop_assert_eq!(program, tape);
        let mut prompt: Prompt = serde_json::from_str(&new.map).unwrap();
        for channel in &mut prompt.channels {
            channel.text.clone_from(&new.texts[&channel.deliver]);
        }
        prop_assert_eq!(prompt, kept.made.frozen.prompt);
        share.told();
    });
    share.check("written down", 85);
}
