//! The program that sent a request.

use super::part::Part;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The program that sent a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Agent {
    /// Its name, such as `claude-code`.
    pub name: String,
    /// Its version, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// The first word of `user-agent`, up to a slash, and its agent.
///
/// Seen in public sources: google-gemini/gemini-cli, lists of gateways (theopenco/llmgateway#3568), tests of many others.
const PRODUCTS: &[(&str, &str)] = &[
    ("claude-cli", "claude-code"),
    ("codex_cli_rs", "codex"),
    ("codex_exec", "codex"),
    ("codex_vscode", "codex"),
    ("codex-tui", "codex"),
    ("codex-cli", "codex"),
    ("opencode", "opencode"),
    ("GeminiCLI", "gemini-cli"),
    ("QwenCode", "qwen-code"),
];

/// The beginning of a system prompt that is sent with the `user-agent` of a library, as JSON writes it.
///
/// OpenClaw: `src/agents/system-prompt.ts`; aider: `aider/coders/editblock_prompts.py`.
const BEGINNINGS: &[(&str, &str)] = &[
    (
        "You are a personal assistant running inside OpenClaw.",
        "openclaw",
    ),
    (
        "Act as an expert software developer.\\nAlways use best practices when coding.",
        "aider",
    ),
];

impl Agent {
    /// An agent of unknown version.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            version: None,
        }
    }

    /// The sender of a request with these headers, their names in lower case.
    pub(super) fn of_headers(headers: &BTreeMap<String, String>) -> Option<Self> {
        let product = headers.get("user-agent");
        let product = product.and_then(|value| value.split_whitespace().next());
        let mut parts = product.unwrap_or_default().split('/');
        let word = parts.next();
        let known = PRODUCTS.iter().find(|(name, _)| Some(*name) == word);
        if let Some((_, name)) = known {
            return Some(Self {
                version: parts.find_map(version),
                ..Self::named(name)
            });
        }
        let is_its = |name: &String| name.starts_with("x-claude-code-");
        headers
            .keys()
            .any(is_its)
            .then(|| Self::named("claude-code"))
    }

    /// The agent of a request whose first system block is this line of a bill: `…: cc_version=2.1.300.a1b; …`.
    pub(super) fn of_bill(line: &str) -> Self {
        let written = line.split_once("cc_version=").map(|(_, rest)| rest);
        Self {
            version: written.and_then(version),
            ..Self::named("claude-code")
        }
    }

    /// The agent of a request whose system prompt begins with this block.
    pub(super) fn of_system(first: &Part) -> Option<Self> {
        let text = first.key.strip_prefix("{\"text\":\"")?;
        let mut known = BEGINNINGS.iter();
        let found = known.find(|(begin, _)| text.starts_with(begin));
        found.map(|(_, name)| Self::named(name))
    }

    /// Whether its version is known and comes before this one.
    pub(super) fn is_before(&self, version: &str) -> bool {
        let own = self.version.as_ref();
        own.is_some_and(|own| is_before(own, version))
    }
}

/// Whether a version comes before another.
pub(super) fn is_before(version: &str, other: &str) -> bool {
    let numbers = |text: &str| -> Vec<u64> {
        let parts = text.split('.').map(str::parse);
        parts.map_while(Result::ok).collect()
    };
    numbers(version) < numbers(other)
}

/// The version that a text begins with: three numbers, or two.
fn version(text: &str) -> Option<String> {
    let parts = text.split('.').take(3).map(|part| {
        let end = part.find(|c: char| !c.is_ascii_digit());
        &part[..end.unwrap_or(part.len())]
    });
    let numbers: Vec<&str> = parts.take_while(|part| !part.is_empty()).collect();
    (numbers.len() > 1).then(|| numbers.join("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(user_agent: &str) -> Option<(String, Option<String>)> {
        let headers = BTreeMap::from([("user-agent".to_owned(), user_agent.to_owned())]);
        let agent = Agent::of_headers(&headers)?;
        Some((agent.name, agent.version))
    }

    #[test]
    fn a_user_agent_names_its_program_and_version() {
        let known = |name: &str, version: &str| Some((name.to_owned(), Some(version.to_owned())));
        assert_eq!(
            of("claude-cli/2.1.154 (external, cli)"),
            known("claude-code", "2.1.154")
        );
        assert_eq!(
            of("codex_cli_rs/0.40.0 (Mac OS 15)"),
            known("codex", "0.40.0")
        );
        assert_eq!(of("opencode/latest/1.14.19"), known("opencode", "1.14.19"));
        assert_eq!(
            of("GeminiCLI/0.46.0/gemini-2.5-pro (linux)"),
            known("gemini-cli", "0.46.0")
        );
        assert_eq!(of("claude-cli"), Some(("claude-code".to_owned(), None)));
        assert_eq!(of("claude-client/1.2.3"), None);
        assert_eq!(of(""), None);
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        let agent = Agent::of_bill("x-anthropic-billing-header: cc_version=2.1.99.a1b; cch=0;");
        assert_eq!(agent.version.as_deref(), Some("2.1.99"));
        assert!(agent.is_before("2.1.267") && !agent.is_before("2.1.99"));
        assert!(!Agent::named("claude-code").is_before("2.1.267"));
    }
}
