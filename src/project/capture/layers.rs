//! From a changed line of a system text to the layer of a prompt that promptc built.
//!
//! Lines that both have once are the same line. A line between two of them is of the layer that both are in; at a border of layers it
//! is of the one that has a line like it. What may be of two is of none.

use crate::prompt::{Deliver, Prompt};
use crate::request::whole::{Cause, Kind, Part, Request, system_pairs};
use crate::text::common::{Numbers, unique};
use similar::{Algorithm, capture_diff_slices, diff_ratio};
use std::collections::BTreeSet;

/// How much of two lines is the same, at least, if one became the other.
const LIKE: f32 = 0.7;

/// The most lines at a border of layers that a line is compared with, and the most characters of one.
const MOST_LINES: usize = 200;
const MOST_OF_LINE: usize = 1_000;

/// The lines of a prompt, each with its layer; none if it is of two.
pub(super) struct Layers<'p> {
    lines: Vec<(&'p str, Option<&'p str>)>,
}

/// The lines of a system text, and which of them are lines of the prompt.
struct Laid<'t> {
    lines: Vec<&'t str>,
    /// Where each block begins.
    blocks: Vec<usize>,
    /// A line here, and the same one in the prompt; both ascending.
    same: Vec<(usize, usize)>,
}

impl<'p> Layers<'p> {
    /// Those of the system text of a prompt.
    pub(super) fn of(prompt: &'p Prompt) -> Self {
        let Some(channel) = prompt.channel(Deliver::System) else {
            return Self { lines: Vec::new() };
        };
        let mut at = 0;
        let lines = channel.text.split_inclusive('\n').map(|line| {
            let (start, text) = (at, line.trim_end());
            at += line.len();
            let end = start + text.len();
            // A join of line ends is of the layer behind it, and no line.
            let mut of = (channel.layers.iter()).filter(|l| l.start < end && start < l.end);
            let layer = of.next().map(|layer| layer.name.as_str());
            (text, layer.filter(|_| of.next().is_none()))
        });
        Self {
            lines: lines.collect(),
        }
    }

    /// Notes the layer of each cause that is about the system text.
    pub(super) fn note(&self, causes: &mut [Cause], before: &Request, now: &Request) {
        let is_its = |cause: &&mut Cause| cause.kind == Kind::SystemChanged;
        let mut causes = causes.iter_mut().filter(is_its).peekable();
        if causes.peek().is_none() {
            return;
        }
        let texts = [before, now]
            .map(|request| -> Vec<String> { request.system.iter().map(Part::text).collect() });
        let [before_laid, now_laid] = texts.each_ref().map(|blocks| self.lay(blocks));
        for (cause, (old, new)) in causes.zip(system_pairs(&before.system, &now.system)) {
            let line = cause.line.unwrap_or(1).saturating_sub(1);
            let sides = [
                (&cause.old, &before_laid, old),
                (&cause.new, &now_laid, new),
            ];
            let found = sides.iter().filter_map(|(text, laid, block)| {
                text.as_ref()?;
                self.find(laid, laid.blocks.get((*block)?)? + line)
            });
            cause.layer = only(found.collect()).map(str::to_owned);
        }
    }

    fn lay<'t>(&self, blocks: &'t [String]) -> Laid<'t> {
        let mut laid = Laid {
            lines: Vec::new(),
            blocks: Vec::new(),
            same: Vec::new(),
        };
        for block in blocks {
            laid.blocks.push(laid.lines.len());
            laid.lines.extend(block.split('\n').map(str::trim_end));
        }
        let mut numbers = Numbers::default();
        let own: Vec<u32> = self.lines.iter().map(|(l, _)| numbers.of(*l)).collect();
        let theirs: Vec<u32> = laid.lines.iter().map(|line| numbers.of(*line)).collect();
        laid.same = unique(&theirs, &own);
        let says = |line: &str| line.contains(char::is_alphanumeric);
        laid.same.retain(|(at, _)| says(laid.lines[*at]));
        laid
    }

    /// The layer of a line of a system text.
    fn find(&self, laid: &Laid<'_>, at: usize) -> Option<&'p str> {
        let next = laid.same.partition_point(|(here, _)| *here < at);
        let below = laid.same.get(next);
        if let Some((_, own)) = below.filter(|(here, _)| *here == at) {
            return self.lines[*own].1;
        }
        let above = next.checked_sub(1).map(|last| laid.same[last]);
        let layer = |own: usize| self.lines[own].1;
        match (above, below) {
            (None, None) => return None,
            (Some((_, above)), Some((_, below))) if layer(above) == layer(*below) => {
                return layer(above);
            }
            _ => {}
        }
        let from = above.map_or(0, |(_, own)| own + 1);
        let to = below.map_or(self.lines.len(), |(_, own)| *own);
        let near = self.lines.get(from..to)?;
        let line = laid.lines.get(at)?;
        if near.len() > MOST_LINES {
            return None;
        }
        let like = near.iter().filter(|(own, _)| is_like(own, line));
        only(like.map(|(_, layer)| *layer).collect())?
    }
}

/// The one that there is; none of several.
fn only<T: Ord>(mut all: BTreeSet<T>) -> Option<T> {
    all.pop_first().filter(|_| all.is_empty())
}

/// Whether one line became the other, as far as their characters say it.
fn is_like(a: &str, b: &str) -> bool {
    let chars = |line: &str| -> Vec<char> { line.chars().take(MOST_OF_LINE).collect() };
    let (a, b) = (chars(a), chars(b));
    let ops = capture_diff_slices(Algorithm::Myers, &a, &b);
    !a.is_empty() && diff_ratio(&ops, a.len(), b.len()) >= LIKE
}
