//! The whole request.

use super::api::Api;
use super::part::{Breakpoint, COMPACTION, Message, Part, Setting};
use crate::text::Json;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A request as its model sees it; its parts may be known by their ids alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Request<P = Part, M = Message<P>> {
    /// Its API.
    pub api: Api,
    /// Its model.
    pub model: String,
    /// When it was sent.
    pub time: Option<Timestamp>,
    /// The settings that a cache depends on.
    pub settings: Vec<Setting>,
    /// The tools.
    pub tools: Vec<P>,
    /// The blocks of the system prompt.
    pub system: Vec<P>,
    /// The messages; of Anthropic and Bedrock those of one role in a row are one.
    pub messages: Vec<Arc<M>>,
    /// The places up to which the provider is asked to cache it.
    pub breakpoints: Vec<Breakpoint>,
    /// Why the whole is not known; none if it is.
    pub incomplete: Option<String>,
    /// Whether its program noted tools, system prompt and messages, but neither settings nor breakpoints: what it says can be compared.
    pub is_snapshot: bool,
}

/// The types of blocks and items that change the tools from there on.
const ADDITION: &str = "tool_addition";
const REMOVAL: &str = "tool_removal";
const MORE_TOOLS: &str = "additional_tools";

/// The tools that were added and removed in the messages, by name, and are so at the end.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ToolChanges {
    /// The added tools.
    pub added: BTreeSet<String>,
    /// The removed tools.
    pub removed: BTreeSet<String>,
}

impl Request {
    /// Its tools, the blocks of its system prompt and those of its messages, in order.
    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        let of_messages = self.messages.iter().flat_map(|m| &m.blocks);
        self.tools.iter().chain(&self.system).chain(of_messages)
    }

    /// Whether its tools, system prompt and messages are known.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.incomplete.is_none() || self.is_snapshot
    }

    /// What was said alone, without its time, its settings and its breakpoints.
    #[must_use]
    pub fn content(&self) -> Self {
        Self {
            time: None,
            settings: Vec::new(),
            breakpoints: Vec::new(),
            ..self.clone()
        }
    }

    /// Whether rules say how much all of its parts are to its model. Without them no share of the billed tokens can be told.
    pub(in crate::request) fn is_sized(&self) -> bool {
        self.parts().all(|part| part.is_sized(&self.model))
    }

    /// The bytes before each breakpoint, in canonical form; of an image those of a text with as many tokens.
    #[must_use]
    pub fn marked(&self) -> Vec<usize> {
        let size = |count| -> usize {
            let parts = self.parts().take(count);
            parts.map(|part| part.size(&self.model)).sum()
        };
        self.parts_marked().map(size).collect()
    }

    /// The number of parts before each breakpoint.
    pub(super) fn parts_marked(&self) -> impl Iterator<Item = usize> {
        let upto = |at: &str| at.parse().map_or(0, |at: usize| at + 1);
        let before = move |at: &str| match *at.split('/').collect::<Vec<_>>().as_slice() {
            ["tools", at] => self.tools.len().min(upto(at)),
            ["system", at] => self.tools.len() + self.system.len().min(upto(at)),
            ["messages", at, block] => {
                let at = upto(at).saturating_sub(1);
                let front = self.messages.iter().take(at);
                let own = self.messages.get(at);
                self.tools.len()
                    + self.system.len()
                    + front.map(|message| message.blocks.len()).sum::<usize>()
                    + own.map_or(0, |message| message.blocks.len().min(upto(block)))
            }
            _ => self.parts().count(),
        };
        self.breakpoints.iter().map(move |mark| before(&mark.at))
    }

    /// The tools that its messages add to those before them, or remove. That does not change the text before.
    #[must_use]
    pub fn tool_changes(&self) -> ToolChanges {
        let mut changes = ToolChanges::default();
        for part in self.messages.iter().flat_map(|message| &message.blocks) {
            if [ADDITION, REMOVAL, MORE_TOOLS, COMPACTION]
                .iter()
                .any(|kind| part.is_a(kind))
            {
                changes.apply(&part.value());
            }
        }
        changes
    }
}

impl ToolChanges {
    fn apply(&mut self, block: &Json) {
        let of = |key: &str| block.get(key).map(Json::items).unwrap_or_default();
        match block.get("type").and_then(Json::as_text) {
            Some(ADDITION) => self.add(block.get("tool").and_then(named)),
            Some(REMOVAL) => {
                if let Some(name) = block.get("tool").and_then(named)
                    && !self.added.remove(&name)
                {
                    self.removed.insert(name);
                }
            }
            Some(MORE_TOOLS) => of("tools").iter().for_each(|tool| self.add(named(tool))),
            // A compaction lists the changes in the text that it replaces.
            Some(COMPACTION) => of("tool_changes")
                .iter()
                .for_each(|change| self.apply(change)),
            _ => {}
        }
    }

    fn add(&mut self, name: Option<String>) {
        if let Some(name) = name
            && !self.removed.remove(&name)
        {
            self.added.insert(name);
        }
    }
}

/// The name of a tool that is defined, or referred to.
fn named(tool: &Json) -> Option<String> {
    const PATHS: &[&[&str]] = &[
        &["name"],
        &["definition", "name"],
        &["function", "name"],
        &["server_label"],
        &["mcp_server_name"],
        &["server_name"],
        &["type"],
    ];
    let found = PATHS.iter().find_map(|path| tool.at(path)?.as_text());
    found.map(str::to_owned)
}
