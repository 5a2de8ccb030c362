//! Recordings of other programs as exchanges: one file for each format.
//!
//! A format that has a request a line is read line by line; the others are given the text of a file.

mod talk;
mod socket;
mod bodies;
pub mod claude_code_bodies;
mod claude_code_requests;
mod claude_code_snapshots;
mod verdicts;
mod claude_code;
mod claude_tap;
mod claude_trace;
mod codex;
mod gemini_cli;
mod told;
mod opencode;
mod otel;
mod har;
mod recording;
mod ahead;

use super::agent::Agent;
use super::log::{Body, Exchange, Lack, LogReader};
use super::members::Members;
use crate::text::Json;
pub use ahead::Ahead;
use jiff::Timestamp;
pub use recording::Recording;
use std::collections::BTreeMap;
pub use verdicts::Verdicts;

/// The format of a recording. A new one is a variant here, its name in `ALL`, how it is known in `of` or `of_agent`, its
/// arms in `agent` and `reader`, and if its conversations end early one in `Ahead::with`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// Bodies as they were sent, or objects around them.
    Bodies,
    /// HTTP Archive 1.2 or 1.3.
    Har,
    /// claude-tap.
    ClaudeTap,
    /// claude-trace.
    ClaudeTrace,
    /// The folder of bodies that Claude Code writes.
    ClaudeCodeBodies,
    /// Transcripts of Claude Code.
    ClaudeCode,
    /// Rollouts of Codex.
    Codex,
    /// Sessions of Gemini CLI.
    GeminiCli,
    /// Sessions of opencode, as it exports them.
    Opencode,
    /// Spans of OpenTelemetry.
    Otel,
}

/// An exchange, or why an entry is none.
pub type ImportResult = Result<Exchange, &'static str>;

/// Reads a line: its members, and its text. Most have one exchange.
type ReadLine = fn(&Members<'_>, &str, &mut dyn FnMut(ImportResult));

/// Reads a text; the arguments are those of [`Format::read`].
type ReadText = fn(&str, Reading<'_>, &mut dyn FnMut(usize, ImportResult));

/// What a reader of a text gets besides it.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'a> {
    /// The name of its file.
    pub file: &'a str,
    /// Whether only copies are wanted, or only all others; the rest need not be reported.
    pub copies: Option<bool>,
    /// What Claude Code says of its misses.
    pub verdicts: &'a Verdicts,
}

/// The function that reads a format.
enum Reader {
    /// The function for a line, of a format that has a request a line.
    Line(ReadLine),
    /// The function for a text, of any other format.
    Text(ReadText),
}

/// The mark that LiteLLM leaves in a text that it cut (`constants.py` of litellm 1.109.1).
const CUT: &str = "(litellm_truncated";

/// The number of lines in which the format of an agent's file shows: a transcript may begin with lines of other kinds.
const NEAR: usize = 20;

/// Why a body that is not whole is skipped.
const IS_CUT: &str = "a body that was cut";

impl Format {
    /// All of them, with their names.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("bodies", Self::Bodies),
        ("har", Self::Har),
        ("claude-tap", Self::ClaudeTap),
        ("claude-trace", Self::ClaudeTrace),
        ("claude-code-bodies", Self::ClaudeCodeBodies),
        ("claude-code", Self::ClaudeCode),
        ("codex", Self::Codex),
        ("gemini-cli", Self::GeminiCli),
        ("opencode", Self::Opencode),
        ("otel", Self::Otel),
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(_, format)| *format == self);
        found.map_or("", |(name, _)| name)
    }

    /// The program whose requests it has, if they are those of one program.
    #[must_use]
    pub fn agent(self) -> Option<Agent> {
        match self {
            Self::ClaudeTrace | Self::ClaudeCodeBodies | Self::ClaudeCode => {
                Some(Agent::named("claude-code"))
            }
            Self::Codex => Some(Agent::named("codex")),
            Self::GeminiCli => Some(Agent::named("gemini-cli")),
            Self::Opencode => Some(Agent::named("opencode")),
            Self::Bodies | Self::Har | Self::ClaudeTap | Self::Otel => None,
        }
    }

    /// The format of a text, by how it begins. None if it is none of them.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let text = text.trim_start();
        let first = text.lines().next().unwrap_or_default();
        if LogReader::<&[u8]>::begins(text) {
            return None;
        }
        let near = text.lines().take(NEAR).filter_map(Members::read);
        if let Some(format) = near.into_iter().find_map(|line| Self::of_agent(&line)) {
            return Some(format);
        }
        let Some(line) = Members::read(first) else {
            // One object over many lines.
            let near: String = text.chars().take(4_000).collect();
            let has = |key: &str| text.starts_with('{') && near.contains(key);
            return if has("\"log\"") {
                Some(Self::Har)
            } else if has("\"projectHash\"") {
                Some(Self::GeminiCli)
            } else if has("\"info\"") && has("\"ses_") {
                Some(Self::Opencode)
            } else {
                text.starts_with(['{', '[']).then_some(Self::Bodies)
            };
        };
        let has = |key: &str| line.get(key).is_some();
        if has("log") {
            Some(Self::Har)
        } else if has("info") && has("messages") {
            Some(Self::Opencode)
        } else if has("resourceSpans") || has("resourceLogs") || has("resourceMetrics") {
            Some(Self::Otel)
        } else if has("request") && has("response") && (has("upstream_base_url") || has("turn")) {
            Some(Self::ClaudeTap)
        } else if has("request") && has("logged_at") {
            Some(Self::ClaudeTrace)
        } else {
            Some(Self::Bodies)
        }
    }

    /// The format of an agent's own file, by one of its lines.
    fn of_agent(line: &Members<'_>) -> Option<Self> {
        let has = |key: &str| line.get(key).is_some();
        let is_typed = line.text("type").is_some();
        if has("projectHash") && has("sessionId") {
            return Some(Self::GeminiCli);
        }
        match (has("payload"), has("sessionId")) {
            (true, _) if is_typed => Some(Self::Codex),
            (_, true) if is_typed => Some(Self::ClaudeCode),
            _ => None,
        }
    }

    /// The function that reads it.
    fn reader(self) -> Reader {
        match self {
            Self::Bodies => Reader::Line(|line, text, each| each(bodies::read(line, text))),
            Self::ClaudeTap => Reader::Line(|line, _, each| claude_tap::read(line, each)),
            Self::ClaudeTrace => Reader::Line(|line, _, each| each(claude_trace::read(line))),
            Self::Har => Reader::Text(|text, _, each| har::read(text, each)),
            Self::ClaudeCodeBodies => {
                Reader::Text(|text, _, each| each(1, claude_code_bodies::read(text)))
            }
            Self::ClaudeCode => Reader::Text(claude_code::read),
            Self::Codex => Reader::Text(|text, _, each| codex::read(text, each)),
            Self::GeminiCli => Reader::Text(|text, _, each| gemini_cli::read(text, each)),
            Self::Opencode => Reader::Text(|text, _, each| opencode::read(text, each)),
            Self::Otel => Reader::Line(|line, _, each| otel::read(line, each)),
        }
    }

    /// Passes each entry of a text on, in order.
    pub fn read(self, text: &str, reading: Reading<'_>, each: &mut dyn FnMut(usize, ImportResult)) {
        match self.reader() {
            Reader::Line(read) => by_line(text, each, read),
            Reader::Text(read) => read(text, reading, each),
        }
    }
}

/// The lines that are not empty, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = (1..).zip(text.lines());
    lines.filter(|(_, line)| !line.trim().is_empty())
}

/// One entry a line; a text that is one value over many lines is one entry.
fn by_line(text: &str, each: &mut dyn FnMut(usize, ImportResult), read: ReadLine) {
    if let Some(items) = super::members::list(text) {
        for (i, item) in items.iter().enumerate() {
            of_line(item, read, &mut |found| each(i + 1, found));
        }
        return;
    }
    let is_whole = Members::read(text).is_some();
    let whole = is_whole.then_some((1, text));
    let others = lines(text).filter(|_| !is_whole);
    for (number, line) in whole.into_iter().chain(others) {
        of_line(line, read, &mut |found| each(number, found));
    }
}

/// The exchanges of a line.
fn of_line(line: &str, read: ReadLine, each: &mut dyn FnMut(ImportResult)) {
    match Members::read(line) {
        Some(members) => read(&members, line, &mut |found| each(whole_or_cut(found))),
        None => each(Err(NO_OBJECT)),
    }
}

const NO_OBJECT: &str = "a line that is not a complete JSON object";

/// The request and the answer; the latter is empty if it is missing.
fn sides<'a>(entry: &Members<'a>) -> Result<(Members<'a>, Members<'a>), &'static str> {
    let side = |key: &str| entry.get(key).and_then(Members::read);
    let request = side("request").ok_or("an entry without a request")?;
    Ok((request, side("response").unwrap_or_default()))
}

fn whole_or_cut(found: ImportResult) -> ImportResult {
    let exchange = found?;
    match &exchange.body {
        Body::Text(body) if body.contains(CUT) => Err(IS_CUT),
        _ => Ok(exchange),
    }
}

/// What a recording lacks that has these members, of which some could be read.
fn unread(entry: &Members<'_>, members: &[(&str, bool)]) -> Vec<Lack> {
    let is_there = |key: &str| entry.get(key).is_some_and(|raw| raw != "null");
    let mut unread = members
        .iter()
        .filter(|(key, is_read)| !is_read && is_there(key));
    unread.next().map(|_| Lack::Readable).into_iter().collect()
}

/// The status of an answer: a number, also in quotes.
fn status(entry: &Members<'_>, key: &str) -> Option<u16> {
    entry.get(key)?.trim_matches('"').parse().ok()
}

/// The id that the provider gave a request, by the headers of its answer.
fn request_id(mut headers: BTreeMap<String, String>) -> Option<String> {
    headers.remove("request-id").filter(|id| !id.is_empty())
}

/// An id; an empty one is none.
fn id(entry: &Members<'_>, key: &str) -> Option<String> {
    entry.text(key).filter(|id| !id.is_empty())
}

/// A time: RFC 3339, or seconds since 1970.
fn time(value: &Json) -> Option<Timestamp> {
    match value {
        Json::Text(text) => text.parse().ok(),
        Json::Number(number) => {
            let seconds = number.as_f64()?;
            // No clock of an agent is at that year; these are milliseconds.
            let seconds = if seconds > 1e11 {
                seconds / 1e3
            } else {
                seconds
            };
            Timestamp::from_microsecond((seconds * 1e6).round() as i64).ok()
        }
        _ => None,
    }
}

/// Headers as an object, whose values are texts or lists of them; names in lower case.
fn headers(value: Option<Json>) -> BTreeMap<String, String> {
    let Some(Json::Object(members)) = value else {
        return BTreeMap::new();
    };
    let texts = members.iter().filter_map(|(name, value)| {
        let text = value.as_text().or_else(|| value.items().first()?.as_text());
        Some((name.to_lowercase(), text?.to_owned()))
    });
    texts.collect()
}

/// A body as text: a text is taken out of its quotes, all else is as it is written.
fn body(raw: Option<&str>) -> Option<String> {
    let raw = raw.filter(|raw| *raw != "null")?;
    if raw.starts_with('"') {
        serde_json::from_str(raw).ok()
    } else {
        Some(raw.to_owned())
    }
}
