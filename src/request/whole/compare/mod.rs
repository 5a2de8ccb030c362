//! Two requests of a chain: whether the second grew out of the first, and if not, what changed.

mod messages;
mod path;
mod sent;
mod system;
mod tools;
mod texts;
mod across;

pub use across::{Overlap, Standing};
pub use path::is_section;
pub(in crate::request) use sent::lines_of;
pub use sent::{NotReused, not_reused};
pub use system::system_pairs;
pub use texts::texts;
pub use tools::tool_name;

use super::effective::Request;
use super::part::{Breakpoint, From, Message, Part};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The kind of change of a cause.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// More time went by than the cache lives.
    Expired,
    /// It started before the answer to the other one had begun.
    Concurrent,
    /// Another model.
    ModelChanged,
    /// A router gave the request to another provider.
    RouteChanged,
    /// Another setting that a cache depends on.
    SettingChanged,
    /// A tool is new.
    ToolAdded,
    /// A tool is gone.
    ToolRemoved,
    /// Tools moved; they are unchanged.
    ToolMoved,
    /// A tool differs.
    ToolChanged,
    /// A block of the system prompt differs, is new or is gone.
    SystemChanged,
    /// A message differs.
    MessageEdited,
    /// Messages are gone.
    MessageDropped,
    /// Messages are new where there were others.
    MessageInserted,
    /// A message of the system is the same to a model, and was sent in another spelling and without its breakpoint.
    MessageRespelled,
    /// All messages from here on are others.
    HistoryRewritten,
    /// No marker requests caching any more.
    BreakpointRemoved,
}

impl Kind {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Expired => "expired",
            Self::Concurrent => "concurrent",
            Self::ModelChanged => "model-changed",
            Self::RouteChanged => "route-changed",
            Self::SettingChanged => "setting-changed",
            Self::ToolAdded => "tool-added",
            Self::ToolRemoved => "tool-removed",
            Self::ToolMoved => "tool-moved",
            Self::ToolChanged => "tool-changed",
            Self::SystemChanged => "system-changed",
            Self::MessageEdited => "message-edited",
            Self::MessageDropped => "message-dropped",
            Self::MessageInserted => "message-inserted",
            Self::MessageRespelled => "message-respelled",
            Self::HistoryRewritten => "history-rewritten",
            Self::BreakpointRemoved => "breakpoint-removed",
        }
    }
}

/// A change that took effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cause {
    /// Its kind.
    pub kind: Kind,
    /// Where: `model`, `route`, a setting, `tools/NAME`, `system/INDEX`, `messages/INDEX`, `breakpoints` or `time`.
    pub at: String,
    /// The role of the message that differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The type of the block that differs first, as its API names it; none of text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_type: Option<String>,
    /// The block of a message that differs first, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<usize>,
    /// Where in a tool the first difference is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line of the text in which the first difference is, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The heading or tag above that line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// The layer of a prompt of promptc that the line is in, if it was requested and is certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// The number of messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    /// The line, value or name before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    /// The line, value or name after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    /// The file that has the line, if sources were named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SourcePlace>,
    /// The time between the starts of both, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<f64>,
    /// The lifetime of the cache, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<u64>,
    /// The advice about it, if a source has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<Advice>,
}

/// The advice about a cause.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Advice {
    /// Its kind: a setting, an edit, or a version.
    #[serde(flatten)]
    pub action: Action,
    /// Why it helps.
    pub text: String,
    /// The source.
    pub source: String,
    /// The day on which the source was read.
    pub day: Date,
}

/// The action.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// A setting of the agent or of the request.
    Setting(String),
    /// An edit of what is sent.
    Edit(String),
    /// A version of the agent from which on it does not happen.
    Version(String),
}

/// A line of a file that a request took over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SourcePlace {
    /// The file, inside the folder that was named.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The confidence in that.
    pub confidence: Confidence,
}

/// The confidence that a text is of a file, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// The agent printed the path of the file above the text.
    Marker,
    /// Lines next to it are in the file too, and in no other.
    Lines,
    /// Only this file has the line.
    Line,
}

impl Cause {
    /// A cause without further details.
    #[must_use]
    pub fn new(kind: Kind, at: impl Into<String>) -> Self {
        Self {
            kind,
            at: at.into(),
            role: None,
            block_type: None,
            block: None,
            path: None,
            line: None,
            section: None,
            layer: None,
            count: None,
            old: None,
            new: None,
            source: None,
            gap: None,
            ttl: None,
            advice: None,
        }
    }

    /// With the first line in which two texts differ.
    fn at_line(mut self, old: &str, new: &str) -> Self {
        let (line, before, now) = path::line(old, new);
        self.line = Some(line);
        self.section = path::section(new, line).or_else(|| path::section(old, line));
        (self.old, self.new) = (before, now);
        self
    }
}

/// The relation of a request to the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It is the first of its chain, and no other chain has what it could share.
    First,
    /// It is the first of its chain, and shares what it can with another one.
    Shared,
    /// It is the same.
    Same,
    /// It only grew at its end, or changed after all that was cached.
    Extended,
    /// It did not change before its end, and came too late.
    Expired,
    /// It is the first of its chain, and came before the answer to the request that it could share text with had begun.
    Concurrent,
    /// It is the same to a model, and whether it is to a cache is not known: a bill decides.
    Unproven,
    /// It changed before its end.
    Broken,
    /// The whole of it, or of the one before, is not known.
    Incomplete,
    /// Its provider did not process it.
    Failed,
}

impl State {
    /// Whether it is known how much of the request could be reused.
    #[must_use]
    pub fn is_compared(self) -> bool {
        !matches!(self, Self::Incomplete | Self::Failed)
    }
}

/// The part of the request before that comes before the first difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reused {
    /// Its tools and blocks.
    pub segments: usize,
    /// Their bytes, in canonical form.
    pub bytes: usize,
    /// The bytes of all of it.
    pub of: usize,
}

/// The differences of two requests of a chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The relation of the second to the first.
    pub state: State,
    /// The changes that took effect, in the order in which the provider reads.
    pub causes: Vec<Cause>,
    /// The text before the first of them.
    pub reused: Reused,
    /// The time between the starts of both, in seconds.
    pub gap: Option<f64>,
}

/// Compares a request with the one before it in its chain. `lives` is how long the provider caches it, in seconds, if
/// its breakpoints do not say it.
#[must_use]
pub fn compare(a: &Request, b: &Request, lives: Option<u64>) -> Step {
    let gap = (a.time.zip(b.time)).map(|(a, b)| b.duration_since(a).as_secs_f64());
    if a.incomplete.is_some() || b.incomplete.is_some() {
        return of_snapshots(a, b, gap);
    }
    let Changes {
        mut causes,
        mut reused,
        mut grew,
    } = changes(a, b);
    // What stands after the last breakpoint of A was not cached: to change it takes nothing away.
    let marked = a.parts_marked().max().filter(|_| a.api.needs_breakpoints());
    if let Some(marked) = marked.filter(|_| !causes.is_empty()) {
        let tools = [&b.tools, &a.tools].map(|tools| tools::places(tools));
        let tools: BTreeMap<String, usize> = tools.into_iter().flatten().collect();
        causes.retain(|cause| parts_before(cause, &tools, a, b) < marked);
        grew = true;
    }
    if let Some(cause) = lost_breakpoints(a, b) {
        causes.push(cause);
        reused.count = Reused {
            of: reused.count.of,
            ..Reused::default()
        };
    }
    let respelled = respelled(a, b).filter(|_| causes.is_empty());
    let is_unproven = respelled.is_some();
    causes.extend(respelled.map(|(cause, _)| cause));
    let mut state = match (causes.is_empty(), grew) {
        (false, _) if is_unproven => State::Unproven,
        (false, _) => State::Broken,
        (true, true) => State::Extended,
        (true, false) => State::Same,
    };
    let ttl = if a.api.needs_breakpoints() {
        a.breakpoints.iter().map(|b| b.seconds()).max()
    } else {
        lives
    };
    if let (Some(gap), Some(ttl)) = (gap, ttl)
        && gap > ttl as f64
    {
        let mut expired = Cause::new(Kind::Expired, "time");
        (expired.gap, expired.ttl) = (Some(gap), Some(ttl));
        causes.insert(0, expired);
        reused.count = Reused {
            of: reused.count.of,
            ..Reused::default()
        };
        if state != State::Broken {
            state = State::Expired;
        }
    }
    Step {
        state,
        causes,
        reused: reused.count,
        gap,
    }
}

/// Compares what is known of two requests of which one is incomplete: of two snapshots all but settings and breakpoints. That they differ there is certain, that nothing else does is not.
fn of_snapshots(a: &Request, b: &Request, gap: Option<f64>) -> Step {
    let both = Some((a, b)).filter(|_| a.is_snapshot && b.is_snapshot);
    let changes = both.map(|(a, b)| changes(a, b));
    match changes.filter(|changes| !changes.causes.is_empty()) {
        Some(Changes { causes, reused, .. }) => Step {
            state: State::Broken,
            causes,
            reused: reused.count,
            gap,
        },
        None => Step {
            state: State::Incomplete,
            causes: Vec::new(),
            reused: Reused::default(),
            gap,
        },
    }
}

/// The number of parts of A before a change.
fn parts_before(
    cause: &Cause,
    at_tools: &BTreeMap<String, usize>,
    a: &Request,
    b: &Request,
) -> usize {
    let settings = a.settings.iter().chain(&b.settings);
    let mut from = settings
        .filter(|setting| setting.name == cause.at)
        .map(|setting| setting.from);
    let (tools, system) = (a.tools.len(), a.system.len());
    match from.next() {
        Some(From::Start) => return 0,
        Some(From::System) => return tools,
        Some(From::Messages) => return tools + system,
        None => {}
    }
    let (part, place) = cause.at.split_once('/').unwrap_or_default();
    let at = place.parse::<usize>().unwrap_or(0);
    match part {
        "tools" => at_tools.get(place).copied().unwrap_or(0),
        "system" => tools + at,
        _ => {
            let front = a
                .messages
                .iter()
                .take(at)
                .map(|message| message.blocks.len());
            let pair = a.messages.get(at).zip(b.messages.get(at));
            let own = pair.filter(|(old, new)| (&old.role, &old.extra) == (&new.role, &new.extra));
            let own = own.map_or(0, |(old, new)| {
                let blocks = old.blocks.iter().zip(&new.blocks);
                blocks.take_while(|(old, new)| old == new).count()
            });
            tools + system + front.sum::<usize>() + own
        }
    }
}

/// The cause that no marker requests caching any more.
fn lost_breakpoints(a: &Request, b: &Request) -> Option<Cause> {
    let is_lost =
        a.api.needs_breakpoints() && !a.breakpoints.is_empty() && b.breakpoints.is_empty();
    is_lost.then(|| Cause::new(Kind::BreakpointRemoved, "breakpoints"))
}

/// The first message of the system, after the system prompt, that is the same to a model in both, and that B sends in another spelling and
/// without the breakpoint that it has in A. Sessions that were resumed like this read nothing
/// ([report](https://github.com/anthropics/claude-code/issues/93490)); whether the spelling or the breakpoint is why is not known. With the number of parts before it.
#[must_use]
pub fn respelled(a: &Request, b: &Request) -> Option<(Cause, usize)> {
    let marks = |of: &Request, at| {
        let mut places = of.breakpoints.iter().filter_map(Breakpoint::in_messages);
        places.any(|(message, _)| message == at)
    };
    // A text in place of a list with it.
    let is_text = |message: &Message| matches!(&*message.blocks, [one] if one.raw.starts_with('"'));
    let is_respelled = |old: &Message, new: &Message| old == new && is_text(old) != is_text(new);
    let mut both = a.messages.iter().zip(&b.messages).enumerate();
    let (at, _) = both.find(|(at, (old, new))| {
        let is_marked = old.role == "system" && marks(a, *at) && !marks(b, *at);
        is_marked && is_respelled(old, new)
    })?;
    let front = a.messages[..at].iter().map(|message| message.blocks.len());
    let parts = a.tools.len() + a.system.len() + front.sum::<usize>();
    let cause = Cause::new(Kind::MessageRespelled, format!("messages/{at}"));
    Some((cause, parts))
}

/// The differences of B from A before A's end.
struct Changes<'r> {
    causes: Vec<Cause>,
    reused: Prefix<'r>,
    /// Whether B is A and more.
    grew: bool,
}

fn changes<'r>(a: &'r Request, b: &Request) -> Changes<'r> {
    let mut causes = Vec::new();
    let mut reused = Prefix::new(a);
    settings(a, b, From::Start, &mut causes);
    reused.end_if(!causes.is_empty());
    tools::compare(&a.tools, &b.tools, &mut causes);
    reused.take(&a.tools, &b.tools, !causes.is_empty());
    settings(a, b, From::System, &mut causes);
    reused.end_if(!causes.is_empty());
    system::compare(&a.system, &b.system, &mut causes);
    reused.take(&a.system, &b.system, !causes.is_empty());
    settings(a, b, From::Messages, &mut causes);
    reused.end_if(!causes.is_empty());
    let grew = messages::compare(&a.messages, &b.messages, &mut causes, &mut reused);
    Changes {
        causes,
        reused,
        grew,
    }
}

/// The first change of B before A's end, whatever their times and breakpoints, and the text before it.
#[must_use]
pub fn first_change(a: &Request, b: &Request) -> (Option<Cause>, Reused) {
    let Changes { causes, reused, .. } = changes(a, b);
    (causes.into_iter().next(), reused.count)
}

/// The settings that differ and take effect from here on; the model alone, where a recording has no others.
fn settings(a: &Request, b: &Request, from: From, causes: &mut Vec<Cause>) {
    let of = |request: &Request, name: &str| {
        let found = request.settings.iter().find(|s| s.name == name);
        found.map(|s| s.value.clone())
    };
    let all = a.settings.iter().chain(&b.settings);
    for setting in all.filter(|s| s.from == from) {
        let (old, new) = (of(a, &setting.name), of(b, &setting.name));
        let reported = causes.iter().any(|c| c.at == setting.name);
        let is_recorded = setting.name == "model" || !(a.is_snapshot || b.is_snapshot);
        if old == new || reported || !is_recorded {
            continue;
        }
        let kind = match setting.name.as_str() {
            "model" => Kind::ModelChanged,
            _ => Kind::SettingChanged,
        };
        let mut cause = Cause::new(kind, &*setting.name);
        (cause.old, cause.new) = (old, new);
        causes.push(cause);
    }
}

/// The common start of two requests.
struct Prefix<'r> {
    model: &'r str,
    count: Reused,
    open: bool,
}

impl<'r> Prefix<'r> {
    fn new(a: &'r Request) -> Self {
        let of_messages = a.messages.iter().flat_map(|m| &m.blocks);
        let all = a.tools.iter().chain(&a.system).chain(of_messages);
        Self {
            model: &a.model,
            count: Reused {
                of: all.map(|part| part.size(&a.model)).sum(),
                ..Reused::default()
            },
            open: true,
        }
    }

    fn end_if(&mut self, ends: bool) {
        self.open &= !ends;
    }

    /// Takes the parts that are the same from the first on; `ends` says whether something differs here.
    fn take(&mut self, a: &[Part], b: &[Part], ends: bool) {
        if self.open {
            for (part, _) in a.iter().zip(b).take_while(|(a, b)| a == b) {
                self.count.segments += 1;
                self.count.bytes += part.size(self.model);
            }
        }
        self.end_if(ends);
    }
}
