//! What Claude Code notes of its requests besides the conversation: system prompt and tools (`prompt_snapshot`), and what it says to the model
//! between the turns (`rendered` of an attachment).
//!
//! Seen in transcripts that 2.1.268 to 2.1.299 wrote against a provider of ours, which recorded the bodies. From 2.1.300 on whole requests are in
//! the transcript. The rules:
//! - A snapshot names no request. It is written before the first answer with the system prompt alone, after that answer with the tools too, and
//!   later only after the answer to a request with new definitions of tools: it describes the request before it. The system prompt stays that of
//!   the first one.
//! - The body has the items of `systemPrompt` joined by an empty line, after `cliPrefix`; where the boundary stands another block begins.
//! - `tools` has all definitions so far. Their order after a change is not that of the body, and one that is gone is still there.
//! - What attachments say comes before the prompt that they follow in the file. To models that take messages of the system between others, what is
//!   of that role is one such message after the prompt instead.
//! - The blocks that results of tools take in for other models are here blocks after them.

use super::Members;
use crate::request::whole::members::list;
use crate::text::Json;

/// The item of a system prompt where another block begins; it is not sent.
const BOUNDARY: &str = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";

/// The attachments whose role is that of the user where the line does not say it.
const OF_USER: [&str; 3] = ["instructions", "session_context", "remote_session_change"];

/// What stands around a text that is no message of the system.
const OPEN: &str = "<system-reminder>\n";
const CLOSE: &str = "\n</system-reminder>";

/// What an attachment says to the model.
pub(super) struct Reminder<'t> {
    /// Whether it stays one of the user where the model takes messages of the system.
    pub(super) is_user: bool,
    /// The contents, as they are written.
    pub(super) contents: Vec<&'t str>,
}

impl<'t> Reminder<'t> {
    /// What the line of an attachment says; none if nothing of it was sent.
    pub(super) fn read(line: &Members<'t>, attachment: &Members<'t>) -> Option<Self> {
        let rendered = line.get("rendered").and_then(list)?;
        let contents = rendered
            .iter()
            .map(|one| Members::read(one)?.get("content"));
        let role = line.text("renderedRole").unwrap_or_else(|| {
            let kind = attachment.text("type").unwrap_or_default();
            let is_user = OF_USER.contains(&kind.as_str());
            if is_user { "user" } else { "system" }.to_owned()
        });
        Some(Self {
            is_user: role == "user",
            contents: contents.collect::<Option<_>>()?,
        })
    }

    /// It as a part of a message of the system.
    pub(super) fn bare(&self) -> String {
        let texts = self.contents.iter().filter_map(|content| {
            let content = Json::read(content)?;
            let text = content.as_text()?;
            let inside = text.strip_prefix(OPEN);
            let inside = inside.and_then(|text| text.strip_suffix(CLOSE));
            Some(inside.unwrap_or(text).to_owned())
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}

/// Whether a model takes messages of the system between others, as far as its name says it: Opus from 4.8 on, Sonnet from 5.5 on.
pub(super) fn takes_system(model: &str) -> bool {
    let Some((_, name)) = model.split_once("claude-") else {
        return false;
    };
    let mut words = name.split('-');
    let family = words.next();
    let mut number = || words.next()?.parse::<u32>().ok();
    let version = (number().unwrap_or(0), number().unwrap_or(0));
    match family {
        Some("sonnet") => version >= (5, 5),
        _ => version >= (4, 8),
    }
}

/// The system prompt and the tools of a request, as JSON.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) system: String,
    /// None if no snapshot has them.
    pub(super) tools: Option<String>,
}

/// The snapshots of a transcript, in order.
#[derive(Default)]
pub(super) struct Snapshots<'t> {
    all: Vec<Snapshot<'t>>,
    /// The numbers of those that have tools.
    with_tools: Vec<usize>,
    prefix: Option<String>,
}

struct Snapshot<'t> {
    /// The number of calls before it.
    calls: usize,
    system: Vec<String>,
    tools: Option<Vec<&'t str>>,
}

impl<'t> Snapshots<'t> {
    /// Notes an attachment, if it is a snapshot, after so many calls.
    pub(super) fn note(&mut self, attachment: &Members<'t>, calls: usize) -> Option<()> {
        if attachment.text("type")? != "prompt_snapshot" {
            return None;
        }
        self.prefix = attachment.text("cliPrefix").or(self.prefix.take());
        let system = attachment.get("systemPrompt").and_then(list)?;
        let system = system
            .iter()
            .map(|text| Some(Json::read(text)?.as_text()?.to_owned()));
        let tools = attachment.get("tools").and_then(list);
        let tools = tools.map(|tools| {
            let schema = |tool: &&'t str| Members::read(tool)?.get("schema");
            tools.iter().filter_map(schema).collect::<Vec<_>>()
        });
        let system = system.collect::<Option<_>>()?;
        let number = self.all.len();
        self.with_tools.extend(tools.as_ref().map(|_| number));
        self.all.push(Snapshot {
            calls,
            system,
            tools,
        });
        Some(())
    }

    /// The number of the snapshot with the system prompt of a call, and that of the one with its tools. Calls with equal numbers have the same head.
    pub(super) fn of(&self, call: usize) -> Option<(usize, Option<usize>)> {
        let before = self.all.partition_point(|snapshot| snapshot.calls <= call);
        let system = before.saturating_sub(1);
        // That after its answer describes it.
        let after = |at: &usize| self.all[*at].calls <= call + 1;
        let upto = self.with_tools.partition_point(after);
        let tools = self.with_tools.get(upto.saturating_sub(1)).copied();
        (!self.all.is_empty()).then_some((system, tools))
    }

    /// The system prompt and the tools of these snapshots.
    pub(super) fn head(&self, (system, tools): (usize, Option<usize>)) -> Head {
        let blocks = self.all[system].system.split(|item| item == BOUNDARY);
        let blocks = blocks.map(|items| {
            let items = items.iter().filter(|item| !item.is_empty());
            items.cloned().collect::<Vec<_>>().join("\n\n")
        });
        let blocks = self.prefix.iter().cloned().chain(blocks);
        let blocks = blocks.filter(|text| !text.is_empty());
        let blocks =
            blocks.map(|text| Json::object([("type", "text".into()), ("text", (*text).into())]));
        let tools = tools.and_then(|at| self.all[at].tools.as_ref());
        Head {
            system: Json::list(blocks).canonical(),
            tools: tools.map(|tools| format!("[{}]", tools.join(","))),
        }
    }
}
