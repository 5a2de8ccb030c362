//! Reading a log.

use super::exchanged::{Entry, Exchanged, OpenRequests};
use super::line::{HeadLine, MessageLine, PartLine, RequestLine, ResponseLine, VERSION};
use crate::request::whole::effective::Request;
use crate::request::whole::members::Members;
use crate::request::whole::part::{Breakpoint, From, Mark, Message, Part, Setting};
use crate::text::Json;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead};
use std::sync::Arc;

/// Why a log cannot be read.
#[derive(Debug)]
pub enum LogError {
    /// Its lines cannot be read.
    Input(io::Error),
    /// The first line does not begin a log.
    NoLog,
    /// It has a version that this release does not know.
    TooNew(u32),
    /// A line is none of a log.
    Line {
        /// The line, from 1.
        line: usize,
        /// The error.
        why: &'static str,
    },
}

/// What a log needs no more: the conversations that end, and the requests that nothing extends later. No name is held: a log may have a
/// million conversations.
#[derive(Debug, Default)]
pub struct LastUses {
    /// The last line of each conversation.
    ends: BTreeSet<usize>,
    /// The requests that are extended after another one of their chain was; none if that is not known.
    forks: Option<BTreeSet<usize>>,
}

impl LastUses {
    /// Reads a log to its end.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of(mut log: impl BufRead) -> io::Result<Self> {
        #[derive(Deserialize)]
        struct Line<'t> {
            #[serde(borrow)]
            conversation: Option<Cow<'t, str>>,
            #[serde(borrow)]
            chain: Option<Cow<'t, str>>,
            number: Option<usize>,
            parent: Option<usize>,
        }
        // By the hashes of names, whose key nobody who writes a log knows.
        let hasher = RandomState::new();
        let mut last: BTreeMap<u64, usize> = BTreeMap::new();
        let mut newest: BTreeMap<u64, usize> = BTreeMap::new();
        let mut forks = BTreeSet::new();
        let mut text = Vec::new();
        for number in 1.. {
            text.clear();
            if log.read_until(b'\n', &mut text)? == 0 {
                break;
            }
            let Ok(line) = serde_json::from_slice::<Line<'_>>(&text) else {
                continue;
            };
            if let (Some(chain), Some(own)) = (&line.chain, line.number) {
                let before = newest.insert(hasher.hash_one(chain), own);
                forks.extend(line.parent.filter(|_| line.parent != before));
            }
            if let Some(conversation) = line.conversation {
                last.insert(hasher.hash_one(conversation), number);
            }
        }
        Ok(Self {
            ends: last.into_values().collect(),
            forks: Some(forks),
        })
    }
}

/// A log that is being read: the newest requests of each chain are held.
pub struct LogReader<R> {
    lines: R,
    line: usize,
    /// The parts of open conversations, by hash.
    parts: BTreeMap<String, BTreeMap<String, Part>>,
    /// What is needed no more, if that is known.
    ends: LastUses,
    /// The conversation that ended with the line before.
    ended: Option<String>,
    open: OpenRequests<Arc<Exchanged>>,
    /// A request whose answer may come next.
    unanswered: Option<Box<Exchanged>>,
    /// Whether the last line was cut.
    pub cut: bool,
}

impl<R: BufRead> LogReader<R> {
    /// Begins to read a log.
    ///
    /// # Errors
    /// When it is none, or of a newer version.
    pub fn new(lines: R) -> Result<Self, LogError> {
        Self::with(lines, LastUses::default())
    }

    /// A reader that drops each conversation after its last line.
    ///
    /// # Errors
    /// As [`LogReader::new`].
    pub fn with(mut lines: R, ends: LastUses) -> Result<Self, LogError> {
        let mut first = String::new();
        lines.read_line(&mut first).map_err(LogError::Input)?;
        let head: HeadLine = serde_json::from_str(&first).map_err(|_| LogError::NoLog)?;
        if head.version != VERSION {
            return Err(LogError::TooNew(head.version));
        }
        Ok(Self {
            lines,
            line: 1,
            parts: BTreeMap::new(),
            ends,
            ended: None,
            open: OpenRequests::default(),
            unanswered: None,
            cut: false,
        })
    }

    /// Whether a text begins as a log does.
    #[must_use]
    pub fn begins(text: &str) -> bool {
        text.starts_with("{\"kind\":\"log\",")
    }

    /// The next entry; none at the end.
    ///
    /// # Errors
    /// When a line cannot be read, or is none of a log. A last line that was cut ends the log.
    pub fn read(&mut self) -> Result<Option<Entry>, LogError> {
        loop {
            if let Some(closed) = self.closed() {
                return Ok(Some(closed));
            }
            let mut line = Vec::new();
            let read = self.lines.read_until(b'\n', &mut line);
            let is_end = read.map_err(LogError::Input)? == 0;
            self.line += 1;
            let is_whole =
                line.ends_with(b"\n") || str::from_utf8(&line).ok().and_then(Json::read).is_some();
            self.cut |= !is_end && !is_whole;
            if is_end || self.cut {
                return Ok(self.unanswered());
            }
            let no_text = |_| LogError::Input(io::ErrorKind::InvalidData.into());
            let line = String::from_utf8(line).map_err(no_text)?;
            let entry = self.entry(&line)?;
            if self.ends.ends.remove(&self.line) {
                let line = Members::read(&line);
                self.ended = line.and_then(|line| line.text("conversation"));
            }
            if entry.is_some() {
                return Ok(entry);
            }
        }
    }

    /// The request that no answer came for.
    fn unanswered(&mut self) -> Option<Entry> {
        let exchanged = self.unanswered.take()?;
        Some(self.open.entry(*exchanged))
    }

    /// Closes the conversation that ended with the line before, after its last request.
    fn closed(&mut self) -> Option<Entry> {
        let conversation = self.ended.take()?;
        let last = self.unanswered.as_ref();
        if last.is_some_and(|last| last.line.conversation == conversation) {
            self.ended = Some(conversation);
            return self.unanswered();
        }
        self.parts.remove(&conversation);
        self.open.close(&conversation);
        Some(Entry::Closed(conversation))
    }

    fn entry(&mut self, line: &str) -> Result<Option<Entry>, LogError> {
        let bad = |why| LogError::Line {
            line: self.line,
            why,
        };
        let members = Members::read(line).ok_or_else(|| bad("it is not a JSON object"))?;
        let shape = |_| bad("its fields are not those of its kind");
        match members.text("kind").as_deref() {
            Some("part") => {
                let part: PartLine = serde_json::from_str(line).map_err(shape)?;
                let raw: Arc<str> = part.json.get().into();
                let key = part.key.as_ref().map_or(part.json.get(), |key| key.get());
                let key = Json::read(key).ok_or_else(|| bad("a part is not JSON"))?;
                let parts = self.parts.entry(part.conversation).or_default();
                parts.insert(part.hash, Part::new(raw, &key));
                Ok(None)
            }
            Some("request") => {
                let mut request: RequestLine = serde_json::from_str(line).map_err(shape)?;
                let forks = self.ends.forks.as_ref();
                request.forks = forks.is_none_or(|forks| forks.contains(&request.number));
                let whole = self.whole(&request).ok_or_else(|| {
                    bad("it names a part or a request that does not come before it")
                })?;
                let before = self.unanswered();
                self.unanswered = Some(Box::new(Exchanged {
                    line: request,
                    request: Arc::new(whole),
                    answer: None,
                    output: Vec::new(),
                }));
                Ok(before)
            }
            Some("response") => {
                let response: ResponseLine = serde_json::from_str(line).map_err(shape)?;
                let output = self.output(&response)?;
                let is_its = |sent: &mut Box<Exchanged>| sent.line.number == response.request;
                let sent = self.unanswered.take_if(is_its);
                let sent = sent
                    .ok_or_else(|| bad("the request before it is not the one that it answers"))?;
                Ok(Some(self.open.entry(Exchanged {
                    answer: Some(response),
                    output,
                    ..*sent
                })))
            }
            // A later release may have more.
            Some(_) => Ok(None),
            None => Err(bad("it has no kind")),
        }
    }

    /// The messages of an answer.
    fn output(&self, line: &ResponseLine) -> Result<Vec<Message>, LogError> {
        let messages = line.output.iter();
        let messages = messages.map(|message| self.message(&line.conversation, message));
        messages.collect::<Option<_>>().ok_or(LogError::Line {
            line: self.line,
            why: "it names a part that does not come before it",
        })
    }

    fn parts(&self, conversation: &str, hashes: &[String]) -> Option<Vec<Part>> {
        if hashes.is_empty() {
            return Some(Vec::new());
        }
        let known = self.parts.get(conversation)?;
        hashes.iter().map(|hash| known.get(hash).cloned()).collect()
    }

    fn message(&self, conversation: &str, line: &MessageLine) -> Option<Message> {
        Some(Message {
            role: line.role.clone(),
            extra: line.extra.as_ref().map(Json::canonical).unwrap_or_default(),
            blocks: self.parts(conversation, &line.parts)?,
        })
    }

    fn whole(&self, line: &RequestLine) -> Option<Request> {
        let parts = |hashes: &[String]| self.parts(&line.conversation, hashes);
        let before = match (&self.unanswered, line.parent) {
            (_, None) => None,
            (Some(last), Some(parent)) if last.line.number == parent => Some(&last.request),
            (_, Some(_)) => Some(&self.open.before(line)?.request),
        };
        let kept = before.map_or(Some(&[][..]), |b| b.messages.get(..line.messages.keep));
        let mut messages = kept?.to_vec();
        for message in &line.messages.add {
            messages.push(Arc::new(self.message(&line.conversation, message)?));
        }
        let settings = line.settings.iter().map(|setting| Setting {
            name: setting.name.clone(),
            value: setting.value.canonical(),
            from: From::of(line.api, &setting.name),
        });
        let marks = line.breakpoints.iter().map(|mark| Breakpoint {
            at: mark.at.clone(),
            mark: Mark {
                ttl: mark.ttl.clone(),
                mode: mark.mode.clone(),
            },
        });
        Some(Request {
            api: line.api,
            model: line.model.clone(),
            time: line.time,
            settings: settings.collect(),
            tools: parts(&line.tools)?,
            system: parts(&line.system)?,
            messages,
            breakpoints: marks.collect(),
            incomplete: line.incomplete.clone(),
            is_snapshot: line.is_snapshot,
        })
    }
}
