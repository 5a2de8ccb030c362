//! The inputs and options of a request, and the decisions about them.

use super::place::Placement;
use crate::prompt::Prompt;
use crate::request::provider::ModelMatch;
use crate::text::Json;
use crate::text::tokens::Tokenizer;

/// The inputs of a request.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// The prompt.
    pub prompt: &'a Prompt,
    /// The model, as the request names it.
    pub model: &'a str,
    /// Its data in the table.
    pub found: Option<&'a ModelMatch>,
    /// Counts tokens.
    pub tokenizer: Tokenizer,
    /// The conversation so far, in the form of the shape, the oldest message first.
    pub messages: &'a [Json],
    /// The wanted beginning of the answer.
    pub prefill: Option<&'a str>,
    /// The other options.
    pub wish: &'a EmitOptions,
}

/// Marks the message at this index of the history on its last part that takes a marker, with a time to live. Whether it has
/// such a part; else the message is of no use.
pub(super) type Mark = fn(&Call<'_>, usize, &mut Json, Option<&str>) -> bool;

/// The options of a caller besides the prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EmitOptions {
    /// The provider chooses the places to cache.
    pub automatic: bool,
    /// How long prefixes are cached: of a tier, or of all (`None`); a tier's own takes precedence.
    pub ttls: Vec<(Option<String>, String)>,
    /// The number of last messages that are marked; `None`: those for which the prompt leaves breakpoints.
    pub last: Option<usize>,
    /// The key that routes requests with one prefix to one place.
    pub key: Option<String>,
    /// The stored resource that holds the prompt.
    pub cached: Option<String>,
    /// The request that stores such a resource.
    pub create: bool,
    /// The longest answer, in tokens.
    pub max_tokens: Option<u64>,
    /// The location of markers in plain chat messages.
    pub layout: Option<Layout>,
}

/// The location of markers in plain chat messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// On the last part of the content, as gateways take it that speak for Anthropic.
    Envelope,
    /// On the message where the content has no place for it, for an adapter that makes Anthropic's own form of it.
    Native,
}

/// The output of the shape.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan<'a> {
    /// The ends of tiers, with those that are marked.
    pub placement: Placement<'a>,
    /// The time to live of the breakpoints of `placement`, in order; `None` is the provider's own.
    pub ttls: Vec<Option<String>>,
    /// The time to live of those on messages and of the whole request.
    pub ttl: Option<String>,
    /// The messages that are marked, by index.
    pub messages: Vec<usize>,
    /// The provider marks by itself.
    pub automatic: bool,
}
