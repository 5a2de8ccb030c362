//! From a text to its tokens.

use super::merge::Merger;
use super::pretoken;
use super::table::{CL100K, O200K, Table};

/// A vocabulary that promptc carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Vocabulary {
    /// `o200k_base`.
    O200k,
    /// `cl100k_base`.
    Cl100k,
}

/// A token of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// Its id in the vocabulary, which is its rank.
    pub id: u32,
    /// Where it ends, in bytes. It starts where the one before ends, and may split a code point.
    pub end: usize,
}

/// A pre-token of a text: a cut between two of them splits no token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PreToken {
    /// Where it ends, in bytes: always between two code points.
    pub end: usize,
    /// Its number of tokens, at least one.
    pub tokens: usize,
}

impl Vocabulary {
    /// The tokens of `text`, in order; they tile it. Equal to tiktoken's `encode_ordinary`, so names of special tokens are text like any other.
    pub fn tokens(self, text: &str) -> impl Iterator<Item = Token> {
        let mut walk = Walk::new(self, text);
        let (mut found, mut next) = (Vec::new(), 0);
        std::iter::from_fn(move || {
            if next == found.len() {
                found.clear();
                next = 0;
                walk.step(|token| found.push(token));
            }
            next += 1;
            found.get(next - 1).copied()
        })
    }

    /// The pre-tokens of `text`, in order; they tile it.
    ///
    /// The text after a boundary has the same pre-tokens and tokens on its own. The text before one can have others on
    /// its own, where white space meets the cut.
    pub fn pieces(self, text: &str) -> impl Iterator<Item = PreToken> {
        let mut walk = Walk::new(self, text);
        std::iter::from_fn(move || {
            let mut tokens = 0;
            walk.step(|_| tokens += 1);
            (tokens > 0).then_some(PreToken {
                end: walk.at,
                tokens,
            })
        })
    }

    /// The number of tokens of `text`.
    #[must_use]
    pub fn count(self, text: &str) -> usize {
        self.pieces(text).map(|piece| piece.tokens).sum()
    }
}

/// A walk over a text, one pre-token at a step.
struct Walk<'t> {
    text: &'t str,
    at: usize,
    split: fn(&str) -> usize,
    table: &'static Table,
    merger: Merger,
}

impl<'t> Walk<'t> {
    fn new(vocabulary: Vocabulary, text: &'t str) -> Self {
        let (split, table): (fn(&str) -> usize, _) = match vocabulary {
            Vocabulary::O200k => (pretoken::o200k, &O200K),
            Vocabulary::Cl100k => (pretoken::cl100k, &CL100K),
        };
        Self {
            text,
            at: 0,
            split,
            table,
            merger: Merger::default(),
        }
    }

    /// Gives the tokens of the next pre-token to `out`; none at the end.
    fn step(&mut self, mut out: impl FnMut(Token)) {
        let rest = &self.text[self.at..];
        let piece = &rest.as_bytes()[..(self.split)(rest)];
        if piece.is_empty() {
            return;
        }
        self.merger.parts(self.table, piece, |(id, len)| {
            self.at += len;
            out(Token { id, end: self.at });
        });
    }
}
