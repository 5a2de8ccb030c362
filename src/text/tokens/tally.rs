//! Counting many texts that have much in common, each part once.
//!
//! A text is cut before paragraphs, where a token always ends whatever the surrounding text: a line end that is
//! followed by neither white space nor `/` belongs to the text before it, in all vocabularies. So the counts of the
//! parts add up.

use super::tokenizer::Tokenizer;
use std::collections::BTreeMap;

/// The most bytes of parts that are cached; beyond that the cache is emptied.
const MOST: usize = 32 << 20;

/// The separator of paragraphs.
const BLANK: &str = "\n\n";

/// Counts texts as a tokenizer does, and remembers their parts.
#[derive(Debug, Clone)]
pub struct Tally {
    tokenizer: Tokenizer,
    known: BTreeMap<Box<str>, usize>,
    /// Bytes of what is known.
    held: usize,
}

impl Tally {
    /// A tally that knows nothing yet.
    #[must_use]
    pub fn new(tokenizer: Tokenizer) -> Self {
        Self {
            tokenizer,
            known: BTreeMap::new(),
            held: 0,
        }
    }

    /// The tokens of a text, as [`Tokenizer::count`] counts them.
    pub fn count(&mut self, text: &str) -> usize {
        let tokens = self.sum(text);
        self.tokenizer.scale(tokens)
    }

    /// The tokens that two texts have in common at their start, as [`Tokenizer::count_common`] counts them.
    pub fn count_common(&mut self, a: &str, b: &str) -> usize {
        let common = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y);
        // The character after a cut is part of the condition for it, so it must be in both texts.
        let common = common.count();
        let at = a.as_bytes()[..common]
            .windows(3)
            .rposition(is_cut)
            .map_or(0, |at| at + BLANK.len());
        let front = self.sum(&a[..at]);
        let vocabulary = self.tokenizer.vocabulary;
        let pairs = vocabulary.tokens(&a[at..]).zip(vocabulary.tokens(&b[at..]));
        let more = pairs.take_while(|(a, b)| a.id == b.id).count();
        self.tokenizer.scale(front + more)
    }

    /// The tokens of the vocabulary.
    fn sum(&mut self, text: &str) -> usize {
        let mut sum = 0;
        let mut rest = text;
        while !rest.is_empty() {
            let cut = rest.as_bytes().windows(3).position(is_cut);
            let (part, after) = rest.split_at(cut.map_or(rest.len(), |at| at + BLANK.len()));
            sum += self.part(part);
            rest = after;
        }
        sum
    }

    fn part(&mut self, part: &str) -> usize {
        if let Some(known) = self.known.get(part) {
            return *known;
        }
        let tokens = self.tokenizer.vocabulary.count(part);
        if self.held + part.len() > MOST {
            self.known.clear();
            self.held = 0;
        }
        self.held += part.len();
        self.known.insert(part.into(), tokens);
        tokens
    }
}

/// Whether a text is cut before the last of three bytes.
fn is_cut(bytes: &[u8]) -> bool {
    matches!(bytes, [b'\n', b'\n', c] if c.is_ascii_graphic() && *c != b'/')
}
