//! A first pass over recordings: where conversations end, and whether a request continues an answer.

use super::{Format, ReadLine, Reader, Recording};
use crate::request::whole::body::Sent;
use crate::request::whole::log::{Body, Exchange};
use crate::request::whole::members::Members;
use memchr::memmem::Finder;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead};
use std::sync::LazyLock;

/// The result of the first pass over a file.
#[derive(Debug, Default)]
pub struct Ahead {
    /// The conversations that it names, each with the last line of it: none if the file is taken as a whole.
    pub ends: BTreeMap<String, Option<usize>>,
    /// Whether a request of it continues an answer.
    pub continues: bool,
    /// The keys of caches that it names.
    keys: BTreeSet<String>,
}

/// The conversations that a line of a transcript names.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Named<'t> {
    #[serde(borrow)]
    session_id: Option<Cow<'t, str>>,
    #[serde(borrow)]
    request_session_id: Option<Cow<'t, str>>,
}

fn named(line: &str) -> [Option<Cow<'_, str>>; 2] {
    if let Ok(named) = serde_json::from_str::<Named<'_>>(line) {
        return [named.session_id, named.request_session_id];
    }
    // Another shape, or no JSON.
    let members = Members::read(line).unwrap_or_default();
    ["sessionId", "requestSessionId"].map(|key| members.text(key).map(Cow::Owned))
}

/// Stands in the lines of stored requests.
static STORED: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("\"api-request"));

/// Stands before the name of each conversation: no line is read as JSON for a name that is noted.
static SESSION: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("essionId\":"));

impl<R: BufRead> Recording<R> {
    /// Reads what is ahead. None if that is not known.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn ahead(mut self, format: Format) -> io::Result<Option<Ahead>> {
        if !self.is_lines {
            return Ok(None);
        }
        let mut ahead = Some(Ahead::default());
        self.lines(&mut |number, line| {
            let known = ahead.take().zip(line.ok());
            ahead = known.and_then(|(ahead, line)| ahead.with(format, number, line));
            // The first line of a rollout names its only conversation.
            let is_all = |ahead: &Ahead| format == Format::Codex && !ahead.ends.is_empty();
            ahead.as_ref().is_some_and(|ahead| !is_all(ahead))
        })?;
        Ok(ahead)
    }
}

impl Ahead {
    /// With another line; none if nothing is known any more.
    fn with(mut self, format: Format, number: usize, line: &str) -> Option<Self> {
        match (format, format.reader()) {
            (_, Reader::Line(read)) => self.exchanges(number, line, read)?,
            // The predecessor of a stored request is not looked for.
            (Format::ClaudeCode, _) if STORED.find(line.as_bytes()).is_some() => return None,
            (Format::ClaudeCode, _) if self.knows_all(line) => {}
            (Format::ClaudeCode, _) => {
                for name in named(line).into_iter().flatten() {
                    if !self.ends.contains_key(&*name) {
                        self.ends.insert(name.into_owned(), None);
                    }
                }
            }
            (Format::Codex, _) => {
                let line = Members::read(line).unwrap_or_default();
                let is_start = line.text("type").as_deref() == Some("session_meta");
                let start = line.get("payload").filter(|_| is_start);
                let session = start
                    .and_then(Members::read)
                    .and_then(|meta| meta.text("id"));
                self.ends.extend(session.map(|session| (session, None)));
            }
            _ => return None,
        }
        Some(self)
    }

    /// Whether a line of a transcript names conversations that are noted, and no other one.
    fn knows_all(&self, line: &str) -> bool {
        let mut is_named = false;
        let mut names = SESSION.find_iter(line.as_bytes());
        let knows_all = names.all(|at| {
            is_named = true;
            let value = line[at + SESSION.needle().len()..].trim_start();
            let name = value
                .strip_prefix('"')
                .and_then(|name| name.split('"').next());
            name.is_some_and(|name| self.ends.contains_key(name))
        });
        knows_all && is_named
    }

    /// Notes the exchanges of a line.
    fn exchanges(&mut self, number: usize, line: &str, read: ReadLine) -> Option<()> {
        let Some(members) = Members::read(line) else {
            return Some(());
        };
        let mut is_known = Some(());
        read(&members, line, &mut |found| {
            let noted = is_known.take();
            is_known = noted.and_then(|()| match found {
                Ok(exchange) => self.exchange(number, &exchange),
                // It will not be in any conversation.
                Err(_) => Some(()),
            });
        });
        is_known
    }

    fn exchange(&mut self, number: usize, exchange: &Exchange) -> Option<()> {
        let (Body::Text(body), url) = (&exchange.body, exchange.url.as_deref()) else {
            return None;
        };
        let Some((session, continues)) = Sent::speaker(body, url) else {
            return Some(());
        };
        self.continues |= continues.is_some();
        let key = session.as_ref().filter(|session| session.is_key);
        let key = key.map(|session| session.id.clone());
        if let Some(name) = exchange.speaks_in(session.map(|session| session.id)) {
            // A key that is met once may be another one for each request of a conversation.
            let is_met = key.as_ref() != Some(&name) || !self.keys.insert(name.clone());
            if is_met {
                self.ends.insert(name, Some(number));
            }
        }
        Some(())
    }
}
