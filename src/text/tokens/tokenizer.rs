//! The tokenizers that a manifest can name.

use super::encode::Vocabulary;
use schemars::JsonSchema;
use serde::Serialize;

/// A way to count tokens, by the word for it in manifests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(into = "&'static str")]
#[schemars(inline, with = "String")]
pub struct Tokenizer {
    /// The word.
    pub name: &'static str,
    /// The unit of sizes in it: `tokens (o200k)`, and with `~` before the word for estimates.
    pub unit: &'static str,
    /// The models of its tokens, in one phrase.
    pub about: &'static str,
    /// The counted text.
    pub vocabulary: Vocabulary,
    /// Tokens to report for each 100 that were counted; `None` where the count itself is the answer.
    pub percent: Option<usize>,
}

/// All of them, exact ones first. `docs/tokens.md` says where the estimates are from.
pub const ALL: &[Tokenizer] = &[
    exact(
        "o200k",
        "tokens (o200k)",
        "o200k_base, of OpenAI models since GPT-4o",
        Vocabulary::O200k,
    ),
    exact(
        "cl100k",
        "tokens (cl100k)",
        "cl100k_base, of GPT-4, GPT-3.5 and OpenAI's embeddings",
        Vocabulary::Cl100k,
    ),
    estimate("claude", "tokens (~claude)", "Claude since Opus 4.7", 140),
    estimate(
        "claude-3",
        "tokens (~claude-3)",
        "Claude from 3 to Opus 4.6",
        110,
    ),
    estimate(
        "gemini",
        "tokens (~gemini)",
        "Gemini 2 and 3, and Gemma 3",
        110,
    ),
    estimate("llama-3", "tokens (~llama-3)", "Llama 3", 100),
    estimate("qwen", "tokens (~qwen)", "Qwen since 3.5", 110),
];

const fn exact(
    name: &'static str,
    unit: &'static str,
    about: &'static str,
    vocabulary: Vocabulary,
) -> Tokenizer {
    Tokenizer {
        name,
        unit,
        about,
        vocabulary,
        percent: None,
    }
}

/// An estimate from o200k. The percentage is measured on prompts in English, rounded up to a multiple of five.
const fn estimate(
    name: &'static str,
    unit: &'static str,
    about: &'static str,
    percent: usize,
) -> Tokenizer {
    Tokenizer {
        name,
        unit,
        about,
        vocabulary: Vocabulary::O200k,
        percent: Some(percent),
    }
}

impl From<Tokenizer> for &'static str {
    fn from(tokenizer: Tokenizer) -> Self {
        tokenizer.name
    }
}

impl Tokenizer {
    /// `o200k`, exact.
    pub const O200K: Self = ALL[0];
    /// `cl100k`, exact.
    pub const CL100K: Self = ALL[1];

    /// The tokenizer that a manifest names.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        ALL.iter().find(|t| t.name == name).copied()
    }

    /// Whether its figures are exact. Those of the others are estimates and must be marked `~`.
    #[must_use]
    pub fn is_exact(self) -> bool {
        self.percent.is_none()
    }

    /// The number of tokens of `text`.
    #[must_use]
    pub fn count(self, text: &str) -> usize {
        self.scale(self.vocabulary.count(text))
    }

    /// How many tokens each of the parts of `text` is that end at `ends` (bytes, rising, the last at its end): a token
    /// belongs to the part with its first byte, so the figures add up to those of the whole.
    ///
    /// Counted alone, the parts would be up to a few tokens more, since a token can reach over their border.
    #[must_use]
    pub fn count_parts(self, text: &str, ends: &[usize]) -> Vec<usize> {
        let mut starts = std::iter::once(0)
            .chain(self.vocabulary.tokens(text).map(|t| t.end))
            .peekable();
        let (mut counted, mut before) = (0, 0);
        let part = |end: &usize| {
            while starts
                .next_if(|start| start < end && *start < text.len())
                .is_some()
            {
                counted += 1;
            }
            let part = self.scale(counted) - before;
            before += part;
            part
        };
        ends.iter().map(part).collect()
    }

    /// The number of tokens that two texts have in common at their start, each cut into tokens as a whole.
    ///
    /// That can be fewer than the common text alone would have, as what follows decides where its last tokens end.
    #[must_use]
    pub fn count_common(self, a: &str, b: &str) -> usize {
        let pairs = self.vocabulary.tokens(a).zip(self.vocabulary.tokens(b));
        self.scale(pairs.take_while(|(a, b)| a.id == b.id).count())
    }

    /// The figure to report for a number of tokens in the vocabulary.
    #[must_use]
    pub fn scale(self, tokens: usize) -> usize {
        self.percent
            .map_or(tokens, |percent| (tokens * percent).div_ceil(100))
    }
}
