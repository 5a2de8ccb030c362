//! Running counts, so that a cut is found without counting again.

use super::encode::PreToken;
use super::tokenizer::Tokenizer;

/// The running count of a text at the ends of its pre-tokens.
///
/// Its count of the text after a boundary is the count of that text alone. Its count of the text before one is not
/// exact: white space at the cut can count differently. Count the result of a cut.
#[derive(Debug, Clone)]
pub struct Ruler {
    tokenizer: Tokenizer,
    /// Ascending; `tokens` is the sum up to there, in the vocabulary. The first is the start.
    marks: Vec<PreToken>,
}

impl Tokenizer {
    /// `text` measured at each place where a cut splits no token.
    #[must_use]
    pub fn ruler(self, text: &str) -> Ruler {
        Ruler::new(self, text)
    }
}

impl Ruler {
    fn new(tokenizer: Tokenizer, text: &str) -> Self {
        let mut marks = vec![PreToken { end: 0, tokens: 0 }];
        let mut tokens = 0;
        marks.extend(tokenizer.vocabulary.pieces(text).map(|piece| {
            tokens += piece.tokens;
            PreToken {
                end: piece.end,
                tokens,
            }
        }));
        Self { tokenizer, marks }
    }

    /// The tokens of the whole text.
    #[must_use]
    pub fn total(&self) -> usize {
        self.tokenizer.scale(self.sum())
    }

    /// The tokens before the last boundary at or before `offset` (bytes).
    #[must_use]
    pub fn before(&self, offset: usize) -> usize {
        let after = self.marks.partition_point(|mark| mark.end <= offset);
        self.tokenizer.scale(self.marks[after - 1].tokens)
    }

    /// The last boundary (bytes) with at most `n` tokens before it.
    #[must_use]
    pub fn forward(&self, n: usize) -> usize {
        let fits = |mark: &PreToken| self.tokenizer.scale(mark.tokens) <= n;
        self.marks[self.marks.partition_point(fits) - 1].end
    }

    /// The first boundary (bytes) with at least `n` tokens before it; the end if there are fewer.
    #[must_use]
    pub fn reach(&self, n: usize) -> usize {
        let before = |mark: &PreToken| self.tokenizer.scale(mark.tokens) < n;
        let at = self.marks.partition_point(before);
        self.marks[at.min(self.marks.len() - 1)].end
    }

    /// The last boundary (bytes) with at least `n` tokens after it; the start if there are fewer.
    #[must_use]
    pub fn reach_back(&self, n: usize) -> usize {
        let sum = self.sum();
        let enough = |mark: &PreToken| self.tokenizer.scale(sum - mark.tokens) >= n;
        let at = self.marks.partition_point(enough);
        self.marks[at.saturating_sub(1)].end
    }

    /// The first boundary (bytes) with at most `n` tokens after it.
    #[must_use]
    pub fn back(&self, n: usize) -> usize {
        let sum = self.sum();
        let too_many = |mark: &PreToken| self.tokenizer.scale(sum - mark.tokens) > n;
        self.marks[self.marks.partition_point(too_many)].end
    }

    /// The last boundary (bytes) at or before `offset`.
    #[must_use]
    pub fn floor(&self, offset: usize) -> usize {
        self.marks[self.marks.partition_point(|mark| mark.end <= offset) - 1].end
    }

    /// The last boundary (bytes) before `offset`; `None` at the start.
    #[must_use]
    pub fn step_back(&self, offset: usize) -> Option<usize> {
        let at = self.marks.partition_point(|mark| mark.end < offset);
        Some(self.marks[at.checked_sub(1)?].end)
    }

    /// All boundaries in bytes, from 0 to the length of the text.
    pub fn boundaries(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.marks.iter().map(|mark| mark.end)
    }

    fn sum(&self) -> usize {
        self.marks.last().map_or(0, |mark| mark.tokens)
    }
}
