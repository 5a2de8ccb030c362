//! Requests that continue an answer: a provider has from before what they do not hold.

use super::api::Api;
use super::body::{Leading, Sent};
use super::chain::InChain;
use super::effective::Request;
use super::part::{Breakpoint, COMPACTION, Digest, Message, Part, PartId, digest};
use super::turns::{Placed, SentPart, Turn, known};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Requests with their answers, by the ids of these: what a later request may continue.
#[derive(Debug, Default)]
pub(super) struct Continued {
    answered: BTreeMap<Digest, Answered>,
}

/// A request that a provider answered and stores.
#[derive(Debug)]
pub(super) struct Answered {
    /// The number of the request.
    pub(super) number: usize,
    /// The conversation of its parts.
    pub(super) conversation: Arc<str>,
    tools: Arc<[PartId]>,
    system: Arc<[PartId]>,
    /// What a request which continues it has of its tools and system prompt.
    pub(super) leading: Leading,
    /// The last of its messages.
    last: Option<Arc<Placed>>,
    output: Vec<Message<PartId>>,
    incomplete: Option<String>,
}

impl Continued {
    /// The request with an answer of this id.
    pub(super) fn get(&self, id: &str) -> Option<&Answered> {
        self.answered.get(&digest([id.as_bytes()]))
    }

    /// Remembers what was answered.
    pub(super) fn add(
        &mut self,
        id: &str,
        (number, request, place): (usize, &Request<SentPart, Turn>, &InChain),
        leading: Leading,
        output: &[Arc<Turn>],
    ) {
        let output = output.iter().map(|turn| turn.message.map(|piece| piece.id));
        let answered = Answered {
            number,
            conversation: place.conversation.clone(),
            tools: place.tools.clone(),
            system: place.system.clone(),
            leading,
            last: place.last.clone(),
            output: output.collect(),
            incomplete: request.incomplete.clone(),
        };
        self.answered.insert(digest([id.as_bytes()]), answered);
    }
}

impl Answered {
    /// What a request which continues it has of its tools and system prompt, after its own.
    fn kept(&self) -> [&[PartId]; 2] {
        let Leading { tools, system } = self.leading;
        [
            &self.tools[self.tools.len() - tools..],
            &self.system[self.system.len() - system..],
        ]
    }
}

/// The whole request from what was sent, whose messages are `said`; `before` is the request that it continues, if that
/// is known.
pub(super) fn whole(
    sent: Sent,
    said: Vec<Arc<Turn>>,
    time: Option<Timestamp>,
    before: Result<&Answered, &'static str>,
) -> Request<SentPart, Turn> {
    let pieces = |parts: Vec<Part>| parts.into_iter().map(SentPart::from).collect();
    let mut request: Request<SentPart, Turn> = Request {
        api: sent.api,
        model: sent.model,
        time,
        settings: sent.settings,
        tools: pieces(sent.tools),
        system: pieces(sent.system),
        messages: Vec::new(),
        breakpoints: sent.breakpoints,
        incomplete: (sent.elsewhere).map(|field| format!("its `{field}` lies elsewhere")),
        is_snapshot: false,
    };
    match (&sent.continues, before) {
        (None, _) => {}
        (Some(id), Err(why)) => {
            request.incomplete = Some(format!("it continues the answer `{id}`, which is {why}"));
        }
        (Some(id), Ok(before)) => {
            request.incomplete = request.incomplete.or(before.incomplete.clone());
            let of_ids = |ids: &[PartId]| -> Vec<SentPart> {
                ids.iter().map(|id| SentPart::from(*id)).collect()
            };
            let output = before.output.iter();
            let output = output.map(|message| Arc::new(Turn::known(message)));
            request.messages = known(before.last.as_ref());
            request.messages.extend(output);
            let compacted = request.messages.iter().skip(1);
            if sent.api == Api::OpenaiResponses && { compacted }
                .any(|turn| turn.message.role == COMPACTION)
            {
                // How much of the text before it such an item replaces is not documented.
                let reason = format!("what `{id}` compacted is not known");
                request.incomplete.get_or_insert(reason);
            }
            if sent.api == Api::OpenaiResponses {
                // What was in an earlier input stays.
                let [tools, system] = before.kept();
                request.tools.extend(of_ids(tools));
                request.system.extend(of_ids(system));
            } else {
                // A thread inherits its tools and system prompt.
                if request.tools.is_empty() {
                    request.tools = of_ids(&before.tools);
                }
                if request.system.is_empty() {
                    request.system = of_ids(&before.system);
                }
            }
        }
    }
    let had = request.messages.len();
    request.messages.extend(said);
    let merges = sent.api.merges_turns();
    let mut pairs = request.messages.windows(2);
    let has_runs = merges && pairs.any(|pair| pair[0].message.goes_on_in(&pair[1].message));
    // A long conversation is written again only where that makes a difference.
    if has_runs || !request.breakpoints.is_empty() {
        let mut places = Vec::new();
        request.messages = joined(request.messages, merges, &mut places);
        for mark in &mut request.breakpoints {
            if let Some(at) = moved(mark, &places[had..]) {
                mark.at = at;
            }
        }
    }
    if sent.api == Api::AnthropicMessages {
        since_compaction(&mut request);
    }
    request
}

/// The message that one became a part of, and where its blocks are there.
type InWhole = (usize, Range<usize>);

/// Messages, those of one role in a row as one if an API takes them so. Notes where each has come.
fn joined(turns: Vec<Arc<Turn>>, merges: bool, places: &mut Vec<InWhole>) -> Vec<Arc<Turn>> {
    let mut out = Vec::with_capacity(turns.len());
    let is_one = |a: &Arc<Turn>, b: &Arc<Turn>| merges && a.message.goes_on_in(&b.message);
    for run in turns.chunk_by(is_one) {
        let mut end = 0;
        for turn in run {
            let start = end;
            end += turn.message.blocks.len();
            places.push((out.len(), start..end));
        }
        out.extend(Turn::joined(run));
    }
    out
}

/// The place of a breakpoint in the whole request; none if it is not in a message.
fn moved(mark: &Breakpoint, places: &[InWhole]) -> Option<String> {
    let (message, block) = mark.in_messages()?;
    let (message, blocks) = places.get(message)?;
    // One in a message without blocks comes after the last block of the message before it.
    let last = blocks.end.saturating_sub(1);
    let block = (blocks.start + block).min(last);
    Some(format!("messages/{message}/{block}"))
}

/// Drops the text before the newest compaction, which replaces it (docstrings of the Python package anthropic 2.12.0).
fn since_compaction(request: &mut Request<SentPart, Turn>) {
    let messages = &mut request.messages;
    let Some(at) = messages.iter().rposition(|turn| turn.compacts) else {
        return;
    };
    messages.drain(..at);
    let mut first = messages[0].message.clone();
    let is_one = |piece: &SentPart| piece.id.is_compaction;
    let block = first.blocks.iter().rposition(is_one).unwrap_or_default();
    first.blocks.drain(..block);
    messages[0] = Arc::new(Turn::new(first));
    request.breakpoints.retain_mut(|mark| {
        let Some((message, of)) = mark.in_messages() else {
            return true;
        };
        let first = if message == at { block } else { 0 };
        let Some((message, of)) = message.checked_sub(at).zip(of.checked_sub(first)) else {
            return false;
        };
        mark.at = format!("messages/{message}/{of}");
        true
    });
}
