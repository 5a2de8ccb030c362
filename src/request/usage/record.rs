//! The usage that a provider sent, read into buckets by the basis of its API.
//!
//! The fields and what they include are those of the providers' own packages: anthropic 2.12.0, openai 3.54.0, google-genai 3.4.0,
//! botocore 1.44.5; of Codex those of `codex-rs/protocol/src/protocol.rs`; of DeepSeek `api-docs.deepseek.com`.

use super::tokens::Tokens;
use crate::request::json::Json;
use crate::request::whole::Api;

/// The bill of a request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Billed {
    /// The tokens billed at the price of its model.
    pub tokens: Tokens,
    /// Additional work of the server, such as a compaction: the model, if it names another one, and its tokens.
    pub besides: Vec<(Option<String>, Tokens)>,
}

/// Why a usage cannot be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// The field for the input is missing.
    NoInput,
    /// The input is less than the parts that it should include, or nothing says which parts it includes.
    Basis,
}

impl Refusal {
    /// The reason, as it is counted.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::NoInput => "a usage without the length of the input",
            Self::Basis => "a usage whose input is less than what was read and written of it",
        }
    }
}

type Path = &'static [&'static str];

/// Where an API says what it billed. Of several places the first one that is there counts.
struct Fields {
    input: Path,
    /// Input that is counted apart.
    apart: Option<Path>,
    /// Whether the field for the input includes what was read and written.
    includes: bool,
    read: &'static [Path],
    /// The written tokens, if no time to live is given.
    written: &'static [Path],
    /// All of these are added.
    output: &'static [Path],
}

const ANTHROPIC: Fields = Fields {
    input: &["input_tokens"],
    apart: None,
    includes: false,
    read: &[&["cache_read_input_tokens"]],
    written: &[&["cache_creation_input_tokens"]],
    output: &[&["output_tokens"]],
};

const CHAT: Fields = Fields {
    input: &["prompt_tokens"],
    apart: None,
    includes: true,
    // DeepSeek and Kimi have names of their own.
    read: &[
        &["prompt_tokens_details", "cached_tokens"],
        &["prompt_cache_hit_tokens"],
        &["cached_tokens"],
    ],
    written: &[&["prompt_tokens_details", "cache_write_tokens"]],
    output: &[&["completion_tokens"]],
};

const RESPONSES: Fields = Fields {
    input: &["input_tokens"],
    apart: None,
    includes: true,
    // Codex writes its own names.
    read: &[
        &["input_tokens_details", "cached_tokens"],
        &["cached_input_tokens"],
    ],
    written: &[
        &["input_tokens_details", "cache_write_tokens"],
        &["cache_write_input_tokens"],
    ],
    output: &[&["output_tokens"]],
};

const GEMINI: Fields = Fields {
    input: &["promptTokenCount"],
    apart: Some(&["toolUsePromptTokenCount"]),
    includes: true,
    read: &[&["cachedContentTokenCount"]],
    written: &[],
    output: &[&["candidatesTokenCount"], &["thoughtsTokenCount"]],
};

const BEDROCK: Fields = Fields {
    input: &["inputTokens"],
    apart: None,
    includes: false,
    read: &[&["cacheReadInputTokens"]],
    written: &[&["cacheWriteInputTokens"]],
    output: &[&["outputTokens"]],
};

impl Billed {
    /// Reads a usage, as the API sent it.
    ///
    /// # Errors
    /// When the length of the input is missing, or is less than what it includes.
    pub fn read(api: Api, usage: &Json) -> Result<Self, Refusal> {
        let fields = match api {
            Api::AnthropicMessages => ANTHROPIC,
            Api::OpenaiChat => CHAT,
            Api::OpenaiResponses => RESPONSES,
            Api::Gemini => GEMINI,
            Api::BedrockConverse => BEDROCK,
        };
        let mut out = Self {
            tokens: one(&fields, usage)?,
            besides: Vec::new(),
        };
        if api == Api::AnthropicMessages {
            let iterations = usage.get("iterations").map(Json::items).unwrap_or_default();
            let is_besides =
                |entry: &&Json| entry.get("type").and_then(Json::as_text) == Some("compaction");
            for entry in iterations.iter().filter(is_besides) {
                let model = entry.get("model").and_then(Json::as_text);
                out.besides
                    .push((model.map(str::to_owned), one(&fields, entry)?));
            }
        }
        Ok(out)
    }
}

fn one(fields: &Fields, usage: &Json) -> Result<Tokens, Refusal> {
    let at = |path: Path| usage.at(path).and_then(number);
    let first = |paths: &[Path]| paths.iter().find_map(|path| at(path)).unwrap_or(0);
    let input = at(fields.input).ok_or(Refusal::NoInput)?;
    let mut tokens = Tokens {
        read: first(fields.read),
        output: fields.output.iter().filter_map(|path| at(path)).sum(),
        ..Tokens::default()
    };
    let by_ttl = ttls(usage);
    for (ttl, count) in &by_ttl {
        match ttl.as_str() {
            "5m" => tokens.write_5m += count,
            "1h" => tokens.write_1h += count,
            _ => tokens.write_other += count,
        }
    }
    tokens.write_other += first(fields.written).saturating_sub(tokens.written());
    let cached = tokens.read + tokens.written();
    let input = match fields.includes {
        true => input.checked_sub(cached).ok_or(Refusal::Basis)?,
        false => input,
    };
    // Bedrock does not document what its input includes; its sum shows it, with what is cached (seen in real answers) or without.
    if let Some(total) = at(&["totalTokens"])
        && cached > 0
        && ![input + tokens.output, input + cached + tokens.output].contains(&total)
    {
        return Err(Refusal::Basis);
    }
    tokens.fresh = input + fields.apart.and_then(at).unwrap_or(0);
    Ok(tokens)
}

/// The written tokens by time to live, if a usage gives it.
fn ttls(usage: &Json) -> Vec<(String, u64)> {
    let mut out = Vec::new();
    if let Some(Json::Object(members)) = usage.get("cache_creation") {
        for (name, count) in members {
            let ttl = name.strip_prefix("ephemeral_");
            let ttl = ttl.and_then(|rest| rest.strip_suffix("_input_tokens"));
            if let (Some(ttl), Some(count)) = (ttl, number(count)) {
                out.push((ttl.to_owned(), count));
            }
        }
    }
    for entry in usage
        .get("cacheDetails")
        .map(Json::items)
        .unwrap_or_default()
    {
        let ttl = entry.get("ttl").and_then(Json::as_text);
        if let (Some(ttl), Some(count)) = (ttl, entry.get("inputTokens").and_then(number)) {
            out.push((ttl.to_owned(), count));
        }
    }
    out
}

/// A count of tokens. More than a request can have is none.
fn number(value: &Json) -> Option<u64> {
    const MOST: u64 = 1 << 40;
    match value {
        Json::Number(number) => number.as_u64().filter(|n| *n <= MOST),
        _ => None,
    }
}
