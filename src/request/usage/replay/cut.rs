//! The lines of a system prompt, by what moves them.

use crate::request::usage::flat::{Flat, FlatPart};
use crate::request::usage::owners::LayersOfLines;
use crate::request::usage::tokens::share;
use crate::request::whole::{Part, Recent, Request, is_section, mixed, system_pairs};
use crate::text::common::Texts;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// The most lines of which it is remembered that they changed.
const MOST_LINES: usize = 200_000;

/// The bytes of texts that are remembered, about.
const REMEMBERED: usize = 1 << 20;

/// The most segments and layers of which it is.
const MOST_NAMES: usize = 500;

/// The lines of system prompts that changed from one request to the next, by the segment or layer that they are in.
#[derive(Debug)]
pub(super) struct Volatile {
    names: Vec<String>,
    lines: BTreeMap<u64, usize>,
    texts: Recent<[u8; 16], Arc<str>>,
}

impl Default for Volatile {
    fn default() -> Self {
        Self {
            names: Vec::new(),
            lines: BTreeMap::new(),
            texts: Recent::new(REMEMBERED),
        }
    }
}

impl Volatile {
    /// Notes the lines that a request and the one before it do not share, and says in which segments and layers they are.
    pub(super) fn note(
        &mut self,
        requests: [&Request; 2],
        layers: &dyn Fn(&Request) -> Option<LayersOfLines>,
    ) -> BTreeSet<String> {
        let layers = requests.map(layers);
        let mut found = BTreeSet::new();
        for (old, new) in system_pairs(&requests[0].system, &requests[1].system) {
            let (Some(old), Some(new)) = (old, new) else {
                continue;
            };
            let parts = [&requests[0].system[old], &requests[1].system[new]];
            let texts = parts.map(|part| self.text(part));
            let lines = texts.each_ref().map(|text| text.split('\n').collect());
            let [old_lines, new_lines]: [Texts<'_>; 2] = lines;
            let sides = [(old, &new_lines), (new, &old_lines)];
            for ((block, other), (text, layers)) in sides.into_iter().zip(texts.iter().zip(&layers))
            {
                let layers = layers.as_ref().and_then(|layers| layers.get(block));
                for (at, (line, section)) in sections(text).enumerate() {
                    if !other.contains(line) {
                        let layer = layers.and_then(|layers| layers.get(at)?.clone());
                        found.extend(self.add(line, layer.unwrap_or_else(|| segment(section))));
                    }
                }
            }
        }
        found
    }

    /// The text of a block: it is asked for with the block before it, and then with the next one.
    fn text(&mut self, part: &Part) -> Arc<str> {
        let key = part.id.digest();
        self.texts.get(key).unwrap_or_else(|| {
            let text: Arc<str> = part.text().into();
            self.texts.insert(key, text.clone(), text.len());
            text
        })
    }

    /// Remembers a line; none if there is no room.
    fn add(&mut self, line: &str, name: String) -> Option<String> {
        let known = self.names.iter().position(|known| *known == name);
        let room = self.lines.len() < MOST_LINES && self.names.len() < MOST_NAMES;
        let at = known.or_else(|| room.then_some(self.names.len()))?;
        if known.is_none() {
            self.names.push(name.clone());
        }
        if self.lines.len() < MOST_LINES {
            self.lines.insert(line_hash(line), at);
        }
        Some(name)
    }

    /// The segment or layer of a line that changes.
    fn of(&self, line: &str) -> Option<&str> {
        let at = self.lines.get(&line_hash(line))?;
        Some(&self.names[*at])
    }
}

fn segment(section: Option<&str>) -> String {
    match section {
        Some(section) => format!("system: {}", section.trim()),
        None => "system/0".to_owned(),
    }
}

/// The lines of a text, each with the heading or tag above it.
fn sections(text: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    let mut above = None;
    text.split('\n').map(move |line| {
        if is_section(line) {
            above = Some(line.trim_end());
        }
        (line, above)
    })
}

fn line_hash(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.trim_end().hash(&mut hasher);
    hasher.finish()
}

/// A stretch of lines of a block, and what moves it.
#[derive(Debug, Clone, Copy)]
struct LineRun {
    /// The candidate, by its place among all.
    of: Option<usize>,
    own: u64,
    bytes: u64,
}

/// The blocks of a system prompt, as stretches of lines.
#[derive(Debug)]
pub(super) struct Cut(Vec<Vec<LineRun>>);

impl Cut {
    /// Cuts where another candidate begins.
    pub(super) fn new(
        request: &Request,
        names: &[String],
        volatile: &Volatile,
        layers: Option<LayersOfLines>,
    ) -> Self {
        let place = |name: &str| names.iter().position(|known| known == name);
        let blocks = request.system.iter().enumerate().map(|(block, part)| {
            let text = part.text();
            let layers = layers.as_ref().and_then(|layers| layers.get(block));
            let mut out: Vec<LineRun> = Vec::new();
            for (at, line) in text.split('\n').enumerate() {
                let layer = layers.and_then(|layers| layers.get(at)?.as_deref());
                let of = layer.and_then(place).or_else(|| place(volatile.of(line)?));
                let (own, bytes) = (line_hash(line), line.len() as u64 + 1);
                match out.last_mut().filter(|last| last.of == of) {
                    Some(last) => {
                        (last.own, last.bytes) = (mixed(last.own, own), last.bytes + bytes);
                    }
                    None => out.push(LineRun { of, own, bytes }),
                }
            }
            out
        });
        Self(blocks.collect())
    }

    /// The candidates among these that the text has.
    pub(super) fn of<'c>(&'c self, moved: &'c BTreeSet<usize>) -> impl Iterator<Item = usize> + 'c {
        let has = |of: &usize| {
            self.0
                .iter()
                .flatten()
                .any(|stretch| stretch.of == Some(*of))
        };
        moved.iter().copied().filter(has)
    }

    /// The request with each stretch as a block of its own, and the tokens up to the end of each part.
    pub(super) fn fine(&self, flat: &Flat, upto: &[u64]) -> (Flat, Vec<u64>, Self) {
        let tools: Vec<FlatPart> = flat.pieces(0..flat.tools).collect();
        let mut system = Vec::new();
        let mut ends: Vec<u64> = upto[..flat.tools].to_vec();
        let mut stretches = Vec::new();
        for ((at, block), cut) in (flat.tools..)
            .zip(flat.pieces(flat.tools..flat.system))
            .zip(&self.0)
        {
            let front = at.checked_sub(1).map_or(0, |at| upto[at]);
            let all: u64 = cut.iter().map(|stretch| stretch.bytes).sum();
            let mut bytes = 0;
            for stretch in cut {
                let before = share(block.bytes, bytes, all);
                bytes += stretch.bytes;
                system.push(FlatPart::text(
                    stretch.own,
                    share(block.bytes, bytes, all) - before,
                ));
                ends.push(front + share(upto[at] - front, bytes, all));
                stretches.push(vec![*stretch]);
            }
        }
        ends.extend(&upto[flat.system..]);
        (flat.with(&tools, &system, &[]), ends, Self(stretches))
    }

    /// The rest of each block without some candidates, and the moved text; none if nothing moves.
    pub(super) fn apart(
        &self,
        blocks: &[FlatPart],
        moved: &BTreeSet<usize>,
    ) -> Option<(Vec<Option<FlatPart>>, Vec<FlatPart>)> {
        let moves = |stretch: &LineRun| stretch.of.is_some_and(|of| moved.contains(&of));
        let mut found = false;
        let (mut stay, mut go) = (Vec::new(), Vec::new());
        for (block, stretches) in blocks.iter().zip(&self.0) {
            let all: u64 = stretches.iter().map(|stretch| stretch.bytes).sum();
            let piece = |is_it: &dyn Fn(&LineRun) -> bool| {
                let own = stretches.iter().filter(|stretch| is_it(stretch));
                let (own, bytes) = own.fold((0, 0), |(own, bytes), stretch| {
                    (mixed(own, stretch.own), bytes + stretch.bytes)
                });
                let bytes = share(block.bytes, bytes, all);
                (bytes > 0).then(|| FlatPart::text(own, bytes))
            };
            let gone = piece(&moves);
            stay.push(match gone {
                Some(_) => piece(&|stretch| !moves(stretch)),
                None => Some(*block),
            });
            found |= gone.is_some();
            go.extend(gone);
        }
        found.then_some((stay, go))
    }
}
