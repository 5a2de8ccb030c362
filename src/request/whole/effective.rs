//! The whole request, from what was sent and what a provider had from before.

use super::answer::Answer;
use super::api::Api;
use super::body::Sent;
use super::part::{Breakpoint, Message, Part, Setting};
use crate::request::json::Json;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A request as its model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Its API.
    pub api: Api,
    /// Its model.
    pub model: String,
    /// When it was sent.
    pub time: Option<Timestamp>,
    /// The settings that a cache depends on.
    pub settings: Vec<Setting>,
    /// The tools.
    pub tools: Vec<Part>,
    /// The blocks of the system text.
    pub system: Vec<Part>,
    /// The messages; of Anthropic and Bedrock those of one role in a row are one.
    pub messages: Vec<Arc<Message>>,
    /// The places up to which the provider is asked to keep it.
    pub breakpoints: Vec<Breakpoint>,
    /// Why the whole is not known; none if it is.
    pub incomplete: Option<String>,
}

/// Requests with their answers, by the ids of these: what a later request may continue.
#[derive(Debug, Default)]
pub struct Chains {
    answered: BTreeMap<String, (Arc<Request>, Vec<Arc<Message>>)>,
}

impl Chains {
    /// The whole request behind what was sent.
    #[must_use]
    pub fn whole(&self, sent: Sent, time: Option<Timestamp>) -> Request {
        let mut request = Request {
            api: sent.api,
            model: sent.model,
            time,
            settings: sent.settings,
            tools: sent.tools,
            system: sent.system,
            messages: Vec::new(),
            breakpoints: sent.breakpoints,
            incomplete: sent
                .elsewhere
                .map(|field| format!("its `{field}` lies elsewhere")),
        };
        if let Some(id) = &sent.continues {
            match self.answered.get(id) {
                None => {
                    let reason = format!("it continues the answer `{id}`, which is not here");
                    request.incomplete = Some(reason);
                }
                Some((before, answer)) => {
                    request.incomplete = request.incomplete.or(before.incomplete.clone());
                    request.messages = [before.messages.as_slice(), answer].concat();
                    if sent.api == Api::OpenaiResponses && is_compacted(&request.messages) {
                        let reason = format!("what `{id}` compacted is not known");
                        request.incomplete.get_or_insert(reason);
                    }
                    // A thread keeps its tools and system text; of Responses the tools of an earlier input stay.
                    if request.tools.is_empty() {
                        request.tools.clone_from(&before.tools);
                    }
                    if request.system.is_empty() && sent.api == Api::AnthropicMessages {
                        request.system.clone_from(&before.system);
                    }
                }
            }
        }
        request
            .messages
            .extend(sent.messages.into_iter().map(Arc::new));
        if sent.api.merges_turns() {
            request.messages = merged(request.messages);
        }
        if sent.api == Api::AnthropicMessages {
            request.messages = since_compaction(request.messages);
        }
        request
    }

    /// Remembers what was answered.
    pub fn answered(&mut self, request: &Arc<Request>, answer: &Answer) {
        if let Some(id) = &answer.id {
            let output = answer.output.iter().cloned().map(Arc::new);
            let kept = (request.clone(), output.collect());
            self.answered.insert(id.clone(), kept);
        }
    }
}

/// The type of a block or item that stands for what was said before it.
const COMPACTION: &str = "compaction";

/// The types of blocks and items that change the tools from there on.
const ADDITION: &str = "tool_addition";
const REMOVAL: &str = "tool_removal";
const MORE_TOOLS: &str = "additional_tools";

/// Messages from the newest compaction on: it stands for all before it (docstrings of the Python package anthropic 2.12.0).
fn since_compaction(mut messages: Vec<Arc<Message>>) -> Vec<Arc<Message>> {
    let is_one = |part: &Part| part.is_a(COMPACTION);
    let mut places = messages.iter().enumerate().rev();
    let found =
        places.find_map(|(at, message)| Some((at, message.blocks.iter().rposition(is_one)?)));
    if let Some((at, block)) = found {
        messages.drain(..at);
        Arc::make_mut(&mut messages[0]).blocks.drain(..block);
    }
    messages
}

/// Whether an item of Responses stands for items before it: how much of them is not documented.
fn is_compacted(messages: &[Arc<Message>]) -> bool {
    messages
        .iter()
        .skip(1)
        .any(|message| message.role == COMPACTION)
}

/// The tools that were added and removed in the messages, by name, and are so at the end.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ToolChanges {
    /// Those added.
    pub added: BTreeSet<String>,
    /// Those removed.
    pub removed: BTreeSet<String>,
}

impl Request {
    /// The tools that its messages add to those in front of them, or take away. That is no change of what comes before.
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
            // A compaction tells the changes in what it stands for.
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

/// Messages, those of one role in a row as one.
fn merged(messages: Vec<Arc<Message>>) -> Vec<Arc<Message>> {
    let mut out: Vec<Arc<Message>> = Vec::new();
    for message in messages {
        match out.last_mut() {
            Some(last)
                if last.role == message.role
                    && last.extra.is_empty()
                    && message.extra.is_empty() =>
            {
                let blocks = message.blocks.iter().cloned();
                Arc::make_mut(last).blocks.extend(blocks);
            }
            _ => out.push(message),
        }
    }
    out
}
