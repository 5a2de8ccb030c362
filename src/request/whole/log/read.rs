//! Reading a log.

use super::line::{HeadLine, MessageLine, PartLine, RequestLine, ResponseLine, VERSION};
use crate::request::json::Json;
use crate::request::whole::effective::Request;
use crate::request::whole::members::Members;
use crate::request::whole::part::{Breakpoint, From, Mark, Message, Part, Setting};
use serde::Deserialize;
use std::borrow::{Borrow, Cow};
use std::collections::BTreeMap;
use std::io::{self, BufRead};
use std::ops::Bound;
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

/// The content of a log.
#[derive(Debug)]
pub enum Entry {
    /// A request as its model saw it.
    Request(Box<RequestLine>, Arc<Request>),
    /// An answer, with the messages that it wrote.
    Response(Box<ResponseLine>, Vec<Message>),
    /// The last line of a conversation was read: none of it is needed any more.
    Closed(String),
}

/// The last line of each conversation of a log.
#[derive(Debug, Default)]
pub struct LastLines(BTreeMap<usize, String>);

impl LastLines {
    /// Reads a log to its end.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of(mut log: impl BufRead) -> io::Result<Self> {
        #[derive(Deserialize)]
        struct Line<'t> {
            #[serde(borrow)]
            conversation: Option<Cow<'t, str>>,
        }
        let mut last: BTreeMap<String, usize> = BTreeMap::new();
        let mut text = Vec::new();
        for number in 1.. {
            text.clear();
            if log.read_until(b'\n', &mut text)? == 0 {
                break;
            }
            let line = serde_json::from_slice::<Line<'_>>(&text).ok();
            let Some(conversation) = line.and_then(|line| line.conversation) else {
                continue;
            };
            match last.get_mut(&*conversation) {
                Some(at) => *at = number,
                None => _ = last.insert(conversation.into_owned(), number),
            }
        }
        Ok(Self(
            last.into_iter().map(|(name, at)| (at, name)).collect(),
        ))
    }
}

/// The chains of a conversation.
pub fn chains_of<'l, K, T>(
    chains: &'l BTreeMap<K, T>,
    conversation: &'l str,
) -> impl Iterator<Item = (&'l K, &'l T)>
where
    K: Ord + Borrow<str> + AsRef<str>,
{
    let from = (Bound::Included(conversation), Bound::Unbounded);
    let begins = chains.range::<str, _>(from);
    let begins = begins.take_while(move |(chain, _)| chain.as_ref().starts_with(conversation));
    begins.filter(move |(chain, _)| {
        let chain = chain.as_ref().as_bytes();
        matches!(chain.get(conversation.len()), None | Some(b'/'))
    })
}

/// Takes the chains of a conversation out of what is known by chain.
pub fn close<K, T>(chains: &mut BTreeMap<K, T>, conversation: &str)
where
    K: Ord + Clone + Borrow<str> + AsRef<str>,
{
    let of_it: Vec<K> = chains_of(chains, conversation)
        .map(|(chain, _)| chain.clone())
        .collect();
    for chain in of_it {
        chains.remove::<str>(chain.borrow());
    }
}

/// A log that is being read: one request of each chain is held.
pub struct LogReader<R> {
    lines: R,
    line: usize,
    /// The parts of open conversations, by hash.
    parts: BTreeMap<String, BTreeMap<String, Part>>,
    /// Where conversations end, if that is known.
    ends: LastLines,
    /// The conversation that ended with the line before.
    ended: Option<String>,
    /// The newest request of each chain, with its number.
    chains: BTreeMap<String, (usize, Arc<Request>)>,
    /// Whether the last line was cut.
    pub cut: bool,
}

impl<R: BufRead> LogReader<R> {
    /// Begins to read a log.
    ///
    /// # Errors
    /// When it is none, or of a newer version.
    pub fn new(lines: R) -> Result<Self, LogError> {
        Self::with(lines, LastLines::default())
    }

    /// A reader that drops each conversation after its last line.
    ///
    /// # Errors
    /// As [`LogReader::new`].
    pub fn with(mut lines: R, ends: LastLines) -> Result<Self, LogError> {
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
            chains: BTreeMap::new(),
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
        if let Some(closed) = self.closed() {
            return Ok(Some(closed));
        }
        loop {
            let mut line = Vec::new();
            let read = self.lines.read_until(b'\n', &mut line);
            if read.map_err(LogError::Input)? == 0 {
                return Ok(None);
            }
            self.line += 1;
            if !line.ends_with(b"\n") && serde_json::from_slice::<Json>(&line).is_err() {
                self.cut = true;
                return Ok(None);
            }
            let no_text = |_| LogError::Input(io::ErrorKind::InvalidData.into());
            let line = String::from_utf8(line).map_err(no_text)?;
            let entry = self.entry(&line)?;
            self.ended = self.ends.0.remove(&self.line);
            if entry.is_some() || self.ended.is_some() {
                return Ok(entry.or_else(|| self.closed()));
            }
        }
    }

    /// Closes the conversation that ended with the line before.
    fn closed(&mut self) -> Option<Entry> {
        let conversation = self.ended.take()?;
        self.parts.remove(&conversation);
        close(&mut self.chains, &conversation);
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
                let request: RequestLine = serde_json::from_str(line).map_err(shape)?;
                let whole = self.whole(&request).ok_or_else(|| {
                    bad("it names a part or a request that does not come before it")
                })?;
                let whole = Arc::new(whole);
                let newest = (request.number, whole.clone());
                self.chains.insert(request.chain.clone(), newest);
                Ok(Some(Entry::Request(Box::new(request), whole)))
            }
            Some("response") => {
                let response: ResponseLine = serde_json::from_str(line).map_err(shape)?;
                let output = self.output(&response)?;
                Ok(Some(Entry::Response(Box::new(response), output)))
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
        let mut messages = match line.parent {
            None => Vec::new(),
            Some(parent) => {
                let (number, before) = self.chains.get(&line.chain)?;
                (*number == parent).then_some(())?;
                before.messages.get(..line.messages.keep)?.to_vec()
            }
        };
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
        })
    }
}
