//! What was said so far: breakpoints on the last messages, and what goes with the user's words.

use super::json::Json;
use super::wish::Layout;

/// The keys by which providers mark a place.
const MARKERS: [&str; 3] = ["cache_control", "prompt_cache_breakpoint", "cachePoint"];

/// How a shape writes messages.
pub(super) struct Form {
    /// The key of a message's content.
    pub(super) content: &'static str,
    /// A part of a content that is text.
    pub(super) part: fn(&str) -> Json,
}

/// The markers that the messages have themselves, in their order.
pub(super) fn markers(messages: &[Json]) -> impl Iterator<Item = &Json> {
    let marker = |json| MARKERS.iter().find_map(|key| Json::get(json, key));
    messages.iter().flat_map(move |message| {
        let parts = ["content", "parts"].map(|key| message.get(key).and_then(Json::as_list));
        let parts = parts.into_iter().flatten().flatten();
        parts.chain([message]).filter_map(marker)
    })
}

/// The marker on the very last part.
pub(super) fn last_marker(messages: &[Json]) -> Option<&Json> {
    let last = messages.last()?;
    let parts = ["content", "parts"].map(|key| last.get(key).and_then(Json::as_list));
    let part = parts.into_iter().flatten().next_back();
    let part = part.and_then(<[Json]>::last).unwrap_or(last);
    MARKERS.iter().find_map(|key| part.get(key))
}

/// How many places the messages mark themselves.
pub(super) fn marks(messages: &[Json]) -> usize {
    markers(messages).count()
}

/// The role of a message, if it has one.
pub(super) fn role(message: &Json) -> Option<&str> {
    message.get("role").and_then(Json::as_text)
}

/// Puts `text` behind what the user said last; a message of its own if the last one is somebody else's.
pub(super) fn with_user(messages: &mut Vec<Json>, text: &str, form: &Form) {
    if text.trim().is_empty() {
        return;
    }
    let part = (form.part)(text);
    let last = messages.last_mut().filter(|m| role(m) == Some("user"));
    let content = last.and_then(|message| message.get_mut(form.content));
    match content {
        Some(Json::List(parts)) => parts.push(part),
        Some(content) if content.as_text().is_some_and(|t| !t.trim().is_empty()) => {
            let said = (form.part)(content.as_text().unwrap_or_default());
            *content = Json::List(vec![said, part]);
        }
        Some(content) => *content = Json::List(vec![part]),
        None => messages.push(Json::object([
            ("role", "user".into()),
            (form.content, Json::List(vec![part])),
        ])),
    }
}

/// Marks the last `count` messages on their last part, from the back; messages without a part that can be marked are
/// passed over. `mark` marks a list of parts and says whether it could.
pub(super) fn mark_last(
    messages: &mut [Json],
    mut count: usize,
    form: &Form,
    mark: impl Fn(&mut Vec<Json>) -> bool,
) {
    for message in messages.iter_mut().rev() {
        if count == 0 {
            return;
        }
        let Some(content) = message.get_mut(form.content) else {
            continue;
        };
        if let Some(text) = content.as_text() {
            if text.trim().is_empty() {
                continue;
            }
            *content = Json::List(vec![(form.part)(text)]);
        }
        if let Json::List(parts) = content
            && mark(parts)
        {
            count -= 1;
        }
    }
}

/// Sets a marker on the last part that takes one.
pub(super) fn mark_part(parts: &mut [Json], key: &str, marker: &Json) -> bool {
    let takes = |part: &&mut Json| {
        let kind = part.get("type").and_then(Json::as_text).unwrap_or("");
        let blank = part
            .get("text")
            .and_then(Json::as_text)
            .is_some_and(|t| t.trim().is_empty());
        matches!(part, Json::Object(_)) && !kind.ends_with("thinking") && !blank
    };
    match parts.iter_mut().rev().find(takes) {
        Some(part) => {
            part.set(key, marker.clone());
            true
        }
        None => false,
    }
}

/// Marks plain chat messages as Hermes Agent does: a leading system message, then the last of the others that can carry a
/// marker, `count` together. Later system messages are never marked.
pub(super) fn mark_chat(messages: &mut [Json], mut count: usize, layout: Layout, marker: &Json) {
    if let Some(first) = messages.first_mut()
        && role(first) == Some("system")
        && count > 0
    {
        mark_message(first, layout, marker);
        count -= 1;
    }
    let others = messages.iter_mut().rev();
    let others = others.filter(|m| role(m) != Some("system") && can_carry(m, layout));
    for message in others.take(count) {
        mark_message(message, layout, marker);
    }
}

fn can_carry(message: &Json, layout: Layout) -> bool {
    layout == Layout::Native
        || match message.get("content") {
            Some(Json::Text(text)) => !text.is_empty(),
            Some(Json::List(parts)) => matches!(parts.last(), Some(Json::Object(_))),
            _ => false,
        }
}

fn mark_message(message: &mut Json, layout: Layout, marker: &Json) {
    const KEY: &str = "cache_control";
    let role = role(message).unwrap_or("").to_owned();
    if role == "tool" && layout == Layout::Native {
        message.set(KEY, marker.clone());
        return;
    }
    let marked = |text: &str| {
        let mut part = Json::object([("type", "text".into()), ("text", text.into())]);
        part.set(KEY, marker.clone());
        Json::List(vec![part])
    };
    match message.get_mut("content") {
        Some(Json::List(parts)) => {
            if let Some(last @ Json::Object(_)) = parts.last_mut() {
                last.set(KEY, marker.clone());
            }
        }
        Some(content) if content.as_text().is_some_and(|t| !t.is_empty()) => {
            *content = marked(content.as_text().unwrap_or_default());
        }
        None | Some(Json::Null | Json::Text(_)) => {
            if layout == Layout::Native || !["tool", "assistant"].contains(&role.as_str()) {
                message.set(KEY, marker.clone());
            }
        }
        Some(_) => {}
    }
}
