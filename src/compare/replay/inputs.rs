//! The mixes of two builds' recorded inputs.

use super::aligned::aligned;
use super::facts::{Fact, Private, private};
use super::leaves::{Edit, Leaf, Leaves, Mix, Unit, Written, is_in_root};
use super::manifest::{Choices, Merge};
use super::node::PlainNode;
use super::runs::{self, Run, each, level, lines, members, mixed, runs, whole};
use super::search::{Kept, Mixes, kept};
use crate::compile::{self, Plan, private_hash};
use crate::diagnostic::span::Files;
use crate::diagnostic::{Diagnostics, TEMPLATE_LIMIT};
use crate::manifest::Manifest;
use crate::prompt::{Hidden, Ingredient, Prompt, RecordedFact, RecordedInputs};
use crate::source::KINDS;
use crate::source::kind::Makes;
use crate::world::{Chosen, MixedWorld, PathDifference};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// More files than this that came or went in one folder are one unit.
const MOST_FILES: usize = 16;

/// The steps that the templates of all mixes may take: as many as those of one build.
const MOST_STEPS: u64 = 10_000_000;

/// All mixes of two builds.
pub(in crate::compare) struct InputMixes {
    leaves: Leaves,
    manifests: BTreeMap<String, Choices>,
    files: BTreeMap<String, FileChoice>,
    /// The files of memories, as manifests name them, each with what is between its entries.
    memories: BTreeMap<String, String>,
    facts: BTreeMap<String, Fact>,
    left_out: BTreeMap<String, usize>,
    tokenizer: Option<([Option<String>; 2], usize)>,
    world: MixedWorld,
    /// The inputs of the last mix.
    inputs: RecordedInputs,
    /// The tiers that neither prompt has: those that a session rebuilds for each call.
    live: BTreeSet<String>,
    /// The steps that templates took in all mixes so far.
    steps: u64,
    /// The private facts.
    pub(super) private: BTreeSet<String>,
    /// The private facts whose value in A is not known: they have B's in every mix.
    pub(super) unknown: Vec<String>,
}

/// What a path is in each mix.
enum FileChoice {
    Whole(usize),
    Parts([Vec<u8>; 2], Grain, Vec<Run>),
}

/// What a file is a list of.
#[derive(Debug, Clone)]
enum Grain {
    Lines,
    /// Entries of a memory, with this between them.
    Entries(String),
    /// Members of JSON.
    Members,
}

impl Grain {
    fn parts<'t>(&self, text: &'t [u8]) -> Vec<&'t [u8]> {
        match self {
            Self::Lines => lines(text),
            Self::Entries(delimiter) => runs::entries(text, delimiter.as_bytes()),
            Self::Members => members(text),
        }
    }

    /// The bytes at the beginning of a part that are only between it and the one before.
    fn lead(&self, part: &[u8]) -> usize {
        match self {
            Self::Lines => 0,
            Self::Entries(delimiter) => {
                if part.starts_with(delimiter.as_bytes()) {
                    delimiter.len()
                } else {
                    0
                }
            }
            Self::Members => {
                let member = part.strip_prefix(b",").unwrap_or(part);
                part.len() - member.trim_ascii_start().len()
            }
        }
    }

    fn choices(
        &self,
        sides: [&[&[u8]]; 2],
        leaf: &mut dyn FnMut(Range<usize>, Range<usize>) -> usize,
    ) -> Vec<Run> {
        let cut = match self {
            Self::Lines => whole,
            Self::Entries(_) => each,
            Self::Members => level,
        };
        runs(sides, cut, leaf)
    }
}

impl InputMixes {
    /// The mixes of A and B; none if a private value that the build needs is known to nobody.
    pub(super) fn new(sides: [&RecordedInputs; 2], name: Option<&str>) -> Option<Self> {
        let sides = aligned(sides);
        let [a, b] = &sides;
        let mut out = Self {
            leaves: Leaves::default(),
            manifests: BTreeMap::new(),
            files: BTreeMap::new(),
            memories: BTreeMap::new(),
            facts: BTreeMap::new(),
            left_out: BTreeMap::new(),
            tokenizer: None,
            world: MixedWorld::new([&a.world, &b.world]),
            inputs: b.clone(),
            live: BTreeSet::new(),
            steps: 0,
            private: BTreeSet::new(),
            unknown: Vec::new(),
        };
        let declared = out.add_manifests(&sides);
        out.add_facts(&sides, &declared, name.unwrap_or_default())?;
        out.add_files();
        for name in a.without.iter().chain(&b.without) {
            let [x, y] = [a, b].map(|side| side.without.contains(name));
            if x != y {
                let leaf = out.leaf(
                    Unit::LeftOut(name.clone()),
                    if y { Edit::Added } else { Edit::Removed },
                );
                out.left_out.insert(name.clone(), leaf);
            }
        }
        if a.tokenizer != b.tokenizer {
            let leaf = out.leaf(Unit::Tokenizer, Edit::Value);
            out.tokenizer = Some(([a, b].map(|side| side.tokenizer.clone()), leaf));
        }
        let roots = a
            .roots
            .iter()
            .map(|(name, folders)| (name.clone(), folders.clone()));
        for (name, folders) in roots {
            out.inputs.roots.entry(name).or_insert(folders);
        }
        Some(out)
    }

    /// The prompts of A's and of B's inputs. Tiers that `sides` do not have are left out of all mixes: a session rebuilds them for each
    /// call. None if one of them does not build.
    pub(super) fn ends(&mut self, sides: [&Prompt; 2]) -> Option<[Arc<Prompt>; 2]> {
        fn tiers(prompt: &Prompt) -> BTreeSet<String> {
            let tiers = prompt.channels.iter().flat_map(|channel| &channel.tiers);
            tiers.map(|tier| tier.name.clone()).collect()
        }
        let both = [Mix::new(), self.leaves.b()];
        let [a, b] = both.each_ref().map(|mix| self.build(mix));
        let built = [a?, b?];
        for (built, side) in built.iter().zip(sides) {
            if kept(built, side) != Kept::All {
                self.live.extend(&tiers(built) - &tiers(side));
            }
        }
        if self.live.is_empty() {
            return Some(built);
        }
        let [a, b] = both.each_ref().map(|mix| self.build(mix));
        Some([a?, b?])
    }

    /// The prompts of A's and of B's inputs with another manifest of each, and with a fact that says the day only. None if one of them
    /// does not build.
    pub(in crate::compare) fn edited(
        &mut self,
        edit: &dyn Fn(&Plan) -> Option<Manifest>,
        day: Option<&str>,
    ) -> Option<[Prompt; 2]> {
        let [a, b] = [Mix::new(), self.leaves.b()].map(|mix| {
            self.choose(&mix);
            let fact = day.and_then(|name| self.inputs.facts.get_mut(name));
            if let Some(RecordedFact::Known { value, .. }) = fact
                && let Some(day) = value.as_text().and_then(|text| text.get(..10))
            {
                *value = day.into();
            }
            self.built(edit)
        });
        Some([a?, b?])
    }

    /// The prompt of the chosen mix, with another manifest if `edit` makes one.
    fn built(&mut self, edit: &dyn Fn(&Plan) -> Option<Manifest>) -> Option<Prompt> {
        let (mut files, mut diags) = (Files::default(), Diagnostics::default());
        let private = BTreeMap::new();
        let built = compile::rebuild_edited(&self.inputs, &private, edit, &mut files, &mut diags);
        // One that ran out of steps took all that there are.
        if diags.iter().any(|found| found.code == TEMPLATE_LIMIT) {
            self.steps = MOST_STEPS;
        }
        let (prompt, steps) = built.ok()?;
        self.steps = self.steps.saturating_add(steps);
        if self.live.is_empty() {
            return Some(prompt);
        }
        let live = self.live.iter().map(String::as_str).collect();
        Some(prompt.without_tiers(&live))
    }

    /// Notes the private facts that a map has: what declares one may be built in, and is then in no record.
    pub(super) fn note_private(&mut self, prompt: &Prompt) {
        let present = prompt.channels.iter().flat_map(|channel| &channel.layers);
        let present = present.flat_map(|layer| &layer.ingredients);
        let absent = prompt.absent.iter().flat_map(|absent| &absent.ingredients);
        let private = present
            .chain(absent)
            .filter_map(|ingredient| match ingredient {
                Ingredient::Fact {
                    name,
                    private: true,
                    ..
                } => Some(name.clone()),
                _ => None,
            });
        self.private.extend(private);
    }

    /// The values of private facts, as far as they are known.
    pub(super) fn secrets(&self) -> Vec<String> {
        let sides = self
            .facts
            .iter()
            .flat_map(|(name, fact)| fact.sides().map(move |f| (name, f)));
        let all = self.inputs.facts.iter().chain(sides);
        let own = all.filter(|(name, _)| self.private.contains(*name));
        let values = own.filter_map(|(_, fact)| match fact {
            RecordedFact::Known { value, .. } => Some(value),
            RecordedFact::Private { value, .. } => value.0.as_ref(),
        });
        let texts = values.map(|value| match value.as_text() {
            Some(text) => text.to_owned(),
            None => value.to_string(),
        });
        texts.filter(|text| !text.is_empty()).collect()
    }

    /// A leaf without texts.
    fn leaf(&mut self, unit: Unit, edit: Edit) -> usize {
        let leaf = Leaf {
            edit,
            path: None,
            a: None,
            b: None,
        };
        self.leaves.add(Some(unit), leaf)
    }

    /// Adds the edits of manifests that both have; returns the facts that each side declares.
    fn add_manifests(&mut self, sides: &[RecordedInputs; 2]) -> [BTreeSet<String>; 2] {
        let mut declared = [BTreeSet::new(), BTreeSet::new()];
        let [a, b] = sides;
        let names: BTreeSet<&String> = a.manifests.iter().chain(&b.manifests).collect();
        for path in names {
            let read = [0, 1].map(|side| {
                let is_own = sides[side].manifests.contains(path);
                let text = self.world.contents(path)[side].filter(|_| is_own);
                text.and_then(PlainNode::read)
            });
            let facts = read.iter().flatten().flatten();
            let private = facts.filter(|node| {
                let value = node.properties.get("private");
                node.name == "fact" && value.is_some_and(|value| value == "#true")
            });
            let private = private.filter_map(|node| node.argument().map(str::to_owned));
            self.private.extend(private);
            for nodes in read.iter().flatten() {
                note_memories(nodes, &mut self.memories);
            }
            for (side, nodes) in read.iter().enumerate() {
                let facts = nodes.iter().flatten().filter(|node| node.name == "fact");
                let names = facts.filter_map(|node| node.argument());
                declared[side].extend(names.map(str::to_owned));
            }
            if let [Some(x), Some(y)] = &read {
                let choices = Merge::choices(path, [x, y], &mut self.leaves);
                self.manifests.insert(path.clone(), choices);
            }
        }
        declared
    }

    fn add_facts(
        &mut self,
        sides: &[RecordedInputs; 2],
        declared: &[BTreeSet<String>; 2],
        prompt: &str,
    ) -> Option<()> {
        let [a, b] = sides;
        let names: BTreeSet<&String> = a.facts.keys().chain(b.facts.keys()).collect();
        for name in names {
            let [x, y] = [a, b].map(|side| side.facts.get(name));
            let is_private = |fact: &RecordedFact| matches!(fact, RecordedFact::Private { .. });
            let both = x.zip(y);
            if both.is_some_and(|(x, y)| is_private(x) || is_private(y)) {
                let value = match private([x, y], &|value| private_hash(prompt, name, value)) {
                    Private::Unknown => return None,
                    Private::Other => None,
                    Private::Same(value) => value,
                    Private::OneSided(value) => {
                        self.unknown.push(name.clone());
                        value
                    }
                };
                if let Some(value) = value {
                    let fact = RecordedFact::Private {
                        private: String::new(),
                        value: Hidden(Some(value)),
                    };
                    self.inputs.facts.insert(name.clone(), fact);
                    continue;
                }
            }
            let is_unknown = |side: Option<&RecordedFact>| {
                matches!(
                    side,
                    Some(RecordedFact::Private {
                        value: Hidden(None),
                        ..
                    })
                )
            };
            if is_unknown(x) && y.is_none() {
                self.unknown.push(name.clone());
                continue;
            }
            let is_both = declared.iter().all(|names| names.contains(name));
            let is_withheld = self.private.contains(name);
            match (x, y) {
                (
                    Some(RecordedFact::Known { value: x, .. }),
                    Some(RecordedFact::Known { value: y, .. }),
                ) if x == y => {}
                (Some(only), None) if !is_both => {
                    self.inputs.facts.insert(name.clone(), only.clone());
                }
                (None, Some(_)) if !is_both => {}
                (x, y) => {
                    let fact = Fact::new(
                        name,
                        [x.cloned(), y.cloned()],
                        is_withheld,
                        &mut self.leaves,
                    );
                    self.facts.insert(name.clone(), fact);
                }
            }
        }
        Some(())
    }

    fn add_files(&mut self) {
        let Self {
            world,
            leaves,
            manifests,
            files,
            memories,
            ..
        } = self;
        let all = world
            .differences()
            .filter(|(path, _)| !manifests.contains_key(*path));
        let all: Vec<(&str, PathDifference<'_>)> = all.collect();
        let units = units(&all);
        for (path, difference) in all {
            let unit = units
                .get(path)
                .cloned()
                .unwrap_or_else(|| Unit::File(path.to_owned()));
            let mut leaf = |edit, a, b| {
                let path = Some(path.to_owned());
                let leaf = Leaf { edit, path, a, b };
                leaves.add(Some(unit.clone()), leaf)
            };
            let choice = match difference {
                PathDifference::Content([a, b]) => {
                    let mut memories = memories.iter();
                    let grain = match memories.find(|(name, _)| is_in_root(path, name)) {
                        Some((_, delimiter)) => Grain::Entries(delimiter.clone()),
                        None if path.ends_with(".json") => Grain::Members,
                        None => Grain::Lines,
                    };
                    let sides = [a, b].map(|text| grain.parts(text));
                    let [x, y] = &sides;
                    let lines = [a, b].map(|text| starts(&lines(text)));
                    let begins = sides.each_ref().map(|parts| starts(parts));
                    let written = |side: usize, at: Range<usize>| {
                        let text = sides[side][at.clone()].concat();
                        let lead = grain.lead(&text);
                        let begin = begins[side].get(at.start).map_or(0, |begin| begin + lead);
                        let line = lines[side].partition_point(|start| *start <= begin);
                        let text = String::from_utf8_lossy(&text[lead..]).into_owned();
                        Some(Written { text, line })
                    };
                    let choices = grain.choices([x, y], &mut |of_a, of_b| {
                        leaf(Edit::Lines, written(0, of_a), written(1, of_b))
                    });
                    FileChoice::Parts([a, b].map(<[u8]>::to_vec), grain, choices)
                }
                PathDifference::Appeared(_) => FileChoice::Whole(leaf(Edit::Appeared, None, None)),
                PathDifference::Vanished(_) => FileChoice::Whole(leaf(Edit::Vanished, None, None)),
                PathDifference::Kind => FileChoice::Whole(leaf(Edit::Kind, None, None)),
            };
            files.insert(path.to_owned(), choice);
        }
    }

    /// Makes the inputs those of a mix.
    fn choose(&mut self, mix: &Mix) {
        let Self {
            manifests,
            files,
            world,
            inputs,
            ..
        } = self;
        let choice = |path: &str| {
            if let Some(choices) = manifests.get(path) {
                return Chosen::Content(choices.text(mix).into_bytes());
            }
            match files.get(path) {
                None => Chosen::B,
                Some(FileChoice::Whole(leaf)) if mix.contains(leaf) => Chosen::B,
                Some(FileChoice::Whole(_)) => Chosen::A,
                Some(FileChoice::Parts([a, b], grain, runs)) => {
                    let [x, y] = [a, b].map(|text| grain.parts(text));
                    let parts: Vec<&[u8]> = mixed(runs, [&x, &y], mix).copied().collect();
                    Chosen::Content(parts.concat())
                }
            }
        };
        inputs.world = world.choose(&choice).clone();
        for (name, fact) in &self.facts {
            match fact.of(mix) {
                Some(value) => _ = inputs.facts.insert(name.clone(), value),
                None => _ = inputs.facts.remove(name),
            }
        }
        for (name, leaf) in &self.left_out {
            let is_b = self.leaves.all[*leaf].edit == Edit::Added;
            inputs.without.retain(|known| known != name);
            if mix.contains(leaf) == is_b {
                inputs.without.push(name.clone());
            }
        }
        if let Some((sides, leaf)) = &self.tokenizer {
            inputs
                .tokenizer
                .clone_from(&sides[usize::from(mix.contains(leaf))]);
        }
    }
}

impl Mixes for InputMixes {
    fn leaves(&self) -> &Leaves {
        &self.leaves
    }

    fn build(&mut self, mix: &Mix) -> Option<Arc<Prompt>> {
        self.choose(mix);
        self.built(&|_| None).map(Arc::new)
    }

    fn is_spent(&self) -> bool {
        self.steps >= MOST_STEPS
    }

    fn owners(&self, prompt: &Prompt, at: Kept) -> Vec<Unit> {
        let of = |(ingredient, line): (&Ingredient, Option<usize>)| {
            let mut units = self.leaves.units.iter();
            let unit = units.find(|(unit, leaves)| {
                let mut own = leaves.iter().map(|leaf| &self.leaves.all[*leaf]);
                match (ingredient, unit) {
                    (Ingredient::Fact { name, .. }, Unit::Fact(fact)) => name == fact,
                    (
                        Ingredient::Document { path: name, .. }
                        | Ingredient::Template {
                            file: name,
                            line: None,
                            ..
                        },
                        Unit::File(_) | Unit::Renamed { .. } | Unit::Listing { .. },
                    ) => own.any(|leaf| {
                        leaf.path
                            .as_ref()
                            .is_some_and(|path| is_in_root(path, name))
                    }),
                    (
                        Ingredient::Literal { .. } | Ingredient::Template { .. },
                        Unit::Layer { .. } | Unit::Edit(_),
                    ) => {
                        let is_at =
                            |side: &Option<Written>| side.as_ref().map(|side| side.line) == line;
                        line.is_some() && own.any(|leaf| is_at(&leaf.a) || is_at(&leaf.b))
                    }
                    _ => false,
                }
            });
            unit.map(|(unit, _)| unit.clone())
        };
        owners(prompt, at).into_iter().filter_map(of).collect()
    }
}

/// Where each part of a text begins, in bytes; the last one is its end.
fn starts(parts: &[&[u8]]) -> Vec<usize> {
    let ends = parts.iter().scan(0, |at, part| {
        *at += part.len();
        Some(*at)
    });
    [0].into_iter().chain(ends).collect()
}

/// Notes the files of the memories of a manifest.
fn note_memories(nodes: &[PlainNode], memories: &mut BTreeMap<String, String>) {
    for node in nodes {
        note_memories(node.below(), memories);
        let mut kinds = KINDS.iter().filter(|kind| kind.word == node.name);
        let between = kinds.find_map(|kind| match kind.makes {
            Makes::Entries(_) => kind.between,
            _ => None,
        });
        if let (Some(between), Some(file)) = (between, node.argument()) {
            let delimiter = node.text(between.property).unwrap_or(between.default);
            memories.insert(file.to_owned(), delimiter.to_owned());
        }
    }
}

/// The ingredients at a place of a prompt, each with its line there.
fn owners(prompt: &Prompt, at: Kept) -> Vec<(&Ingredient, Option<usize>)> {
    let Kept::UpTo(channel, at) = at else {
        return Vec::new();
    };
    let layers = prompt.channel(channel).map_or(&[][..], |c| &c.layers);
    let around = layers
        .iter()
        .filter(|layer| layer.start <= at && at <= layer.end);
    let spans = around.flat_map(|layer| layer.spans.iter().map(move |span| (layer, span)));
    let near = spans.filter(|(_, span)| span.start <= at && at <= span.end);
    // That of the byte itself comes before the one that ends there.
    let mut near: Vec<_> = near.collect();
    near.sort_by_key(|(_, span)| span.end == at);
    let owners = near.into_iter().flat_map(|(layer, span)| {
        let all = [span.ingredient, span.of].into_iter().flatten();
        let all = all.filter_map(|index| layer.ingredients.get(index as usize));
        all.map(|ingredient| (ingredient, span.line))
    });
    owners.collect()
}

/// The units of files that are no unit of their own: those at another place, and many in one folder.
fn units(all: &[(&str, PathDifference<'_>)]) -> BTreeMap<String, Unit> {
    type SameBytes<'m> = BTreeMap<(&'m str, &'m [u8]), [Vec<&'m str>; 2]>;
    let mut out = BTreeMap::new();
    let mut same: SameBytes<'_> = BTreeMap::new();
    let mut folders: BTreeMap<(&str, bool), Vec<&str>> = BTreeMap::new();
    for (path, difference) in all {
        let (bytes, came) = match difference {
            PathDifference::Appeared(bytes) => (*bytes, true),
            PathDifference::Vanished(bytes) => (*bytes, false),
            PathDifference::Content(_) | PathDifference::Kind => continue,
        };
        let place = path.split('/').nth(1).unwrap_or_default();
        if let Some(bytes) = bytes.filter(|bytes| !bytes.trim_ascii().is_empty()) {
            same.entry((place, bytes)).or_default()[usize::from(came)].push(path);
        }
        let folder = |path: &'_ str| path.rfind('/').unwrap_or_default();
        let mut above = &path[..folder(path)];
        // A skill is a folder.
        if path.ends_with("/SKILL.md") {
            above = &above[..folder(above)];
        }
        folders.entry((above, came)).or_default().push(path);
    }
    for ((folder, came), paths) in folders {
        if paths.len() > MOST_FILES {
            let folder = folder.to_owned();
            let unit = Unit::Listing { folder, came };
            out.extend(
                paths
                    .into_iter()
                    .map(|path| (path.to_owned(), unit.clone())),
            );
        }
    }
    for [gone, came] in same.into_values() {
        if gone.len() == came.len() {
            for (from, to) in gone.into_iter().zip(came) {
                let [from, to] = [from, to].map(str::to_owned);
                let unit = Unit::Renamed {
                    from: from.clone(),
                    to: to.clone(),
                };
                out.extend([(from, unit.clone()), (to, unit)]);
            }
        }
    }
    out
}
