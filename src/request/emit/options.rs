//! What a request is made of, what is asked of it, and what of that was decided.

use super::place::Placement;
use crate::prompt::Prompt;
use crate::request::json::Json;
use crate::request::provider::ModelMatch;
use crate::text::tokens::Tokenizer;

/// What a request is made of.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// The prompt.
    pub prompt: &'a Prompt,
    /// The model, as the request names it.
    pub model: &'a str,
    /// What is known of it.
    pub found: Option<&'a ModelMatch>,
    /// Counts tokens.
    pub tokenizer: Tokenizer,
    /// What was said so far, in the form of the shape, the oldest first.
    pub messages: &'a [Json],
    /// How the answer shall begin.
    pub prefill: Option<&'a str>,
    /// What else is asked for.
    pub wish: &'a EmitOptions,
}

/// What a caller asks for besides the prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EmitOptions {
    /// The provider chooses the places to keep.
    pub automatic: bool,
    /// How long prefixes are kept: of a tier, or of all (`None`); a tier's own counts first.
    pub ttls: Vec<(Option<String>, String)>,
    /// How many of the last messages are marked; `None` is the shape's own habit.
    pub last: Option<usize>,
    /// What sends requests with one prefix to one place.
    pub key: Option<String>,
    /// The stored resource that holds the prompt.
    pub cached: Option<String>,
    /// The request that stores such a resource.
    pub create: bool,
    /// The longest answer, in tokens.
    pub max_tokens: Option<u64>,
    /// Where markers of plain chat messages stand.
    pub layout: Option<Layout>,
}

/// Where markers of plain chat messages stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// On the last part of the content, as gateways take it that speak for Anthropic.
    Envelope,
    /// On the message where the content has no place for it, for an adapter that makes Anthropic's own form of it.
    Native,
}

/// What the shape writes.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan<'a> {
    /// The ends of tiers, with those that are marked.
    pub placement: Placement<'a>,
    /// The time to live of the breakpoints of `placement`, in order; `None` is the provider's own.
    pub ttls: Vec<Option<String>>,
    /// The time to live of those on messages and of the whole request.
    pub ttl: Option<String>,
    /// How many of the last messages are marked.
    pub last: usize,
    /// The provider marks by itself.
    pub automatic: bool,
}
