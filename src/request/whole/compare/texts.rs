//! The texts that causes are about.

use super::messages::apart;
use super::{Cause, Kind, system, tools};
use crate::request::whole::effective::Request;
use crate::request::whole::part::{Message, Part};
use std::sync::Arc;

/// The texts of the causes between A and B, each before and after: a tool, the names of the tools where one moved, a
/// block of the system prompt or of a message, messages. None for a setting, the model or the time, whose values the
/// cause has.
#[must_use]
pub fn texts(a: &Request, b: &Request, causes: &[Cause]) -> Vec<[Option<String>; 2]> {
    let mut pairs = system::system_pairs(&a.system, &b.system).into_iter();
    let texts = causes.iter().map(|cause| match cause.kind {
        Kind::ToolAdded | Kind::ToolRemoved | Kind::ToolChanged => {
            [a, b].map(|of| tool(&of.tools, cause.at.strip_prefix("tools/")?))
        }
        Kind::ToolMoved => [a, b].map(|of| Some(names(&of.tools))),
        // Causes of the system prompt are in the order of its pairs.
        Kind::SystemChanged => {
            let (old, new) = pairs.next().unwrap_or_default();
            [
                old.map(|at| a.system[at].text()),
                new.map(|at| b.system[at].text()),
            ]
        }
        Kind::MessageEdited
        | Kind::MessageDropped
        | Kind::MessageInserted
        | Kind::HistoryRewritten => messages(&a.messages, &b.messages, cause),
        Kind::MessageRespelled => [a, b].map(|of| as_sent(of, cause)),
        Kind::Expired
        | Kind::Concurrent
        | Kind::ModelChanged
        | Kind::RouteChanged
        | Kind::SettingChanged
        | Kind::BreakpointRemoved => [None, None],
    });
    texts.collect()
}

/// The blocks of a message as they were sent.
fn as_sent(of: &Request, cause: &Cause) -> Option<String> {
    let at: usize = cause.at.strip_prefix("messages/")?.parse().ok()?;
    let blocks = of.messages.get(at)?.blocks.iter();
    let blocks: Vec<&str> = blocks.map(|block| &*block.raw).collect();
    Some(blocks.join("\n"))
}

fn tool(of: &[Part], name: &str) -> Option<String> {
    let (_, value) = tools::named(of).into_iter().find(|(n, _)| n == name)?;
    serde_json::to_string_pretty(&value).ok()
}

fn names(of: &[Part]) -> String {
    let names: Vec<String> = tools::named(of).into_iter().map(|(n, _)| n).collect();
    names.join("\n")
}

fn messages(a: &[Arc<Message>], b: &[Arc<Message>], cause: &Cause) -> [Option<String>; 2] {
    let at = cause.at.strip_prefix("messages/");
    let Some(at) = at.and_then(|at| at.parse::<usize>().ok()) else {
        return [None, None];
    };
    let some = |of: &[Arc<Message>], count: usize| {
        let of = of.get(at..).unwrap_or_default();
        let all: Vec<String> = of.iter().take(count).map(|m| whole(m)).collect();
        (!all.is_empty()).then(|| all.join("\n\n"))
    };
    let count = cause.count.unwrap_or(1);
    match cause.kind {
        Kind::MessageDropped => [some(a, count), None],
        Kind::MessageInserted => [None, some(b, count)],
        _ => {
            match apart([a, b].map(|of| of.get(at)?.blocks.get(cause.block?))) {
                // Another role or field of a message, with the same blocks.
                [None, None] => [some(a, 1), some(b, 1)],
                both => both,
            }
        }
    }
}

/// A message as text: who speaks, what else is said of it, its blocks.
fn whole(message: &Message) -> String {
    let head = [message.role.clone(), message.extra.clone()];
    let head = head.into_iter().filter(|line| !line.is_empty());
    let blocks = message.blocks.iter().map(Part::in_words);
    head.chain(blocks).collect::<Vec<_>>().join("\n")
}
