//! The conversation so far: breakpoints on the last messages, and the text for the user's message.

use super::marker;
use super::options::{Call, Layout, Mark};
use crate::diagnostic::suggest::list;
use crate::diagnostic::{self, Diagnostic, Diagnostics};
use crate::text::Json;
use std::sync::Arc;

/// The keys by which providers mark a place.
const MARKERS: [&str; 3] = ["cache_control", marker::OPENAI, "cachePoint"];

/// The form in which a shape writes messages.
#[derive(Debug)]
pub(super) struct Form {
    /// The key of a message's content.
    pub(super) content: &'static str,
    /// A part of a content that is text.
    pub(super) part: fn(&str) -> Json,
    /// The allowed roles.
    pub(super) roles: &'static [&'static str],
    /// Whether a content may be a text, and not only a list of parts.
    pub(super) texts: bool,
    /// Whether a message of the model may have no content: it calls tools instead.
    pub(super) calls: bool,
    /// Whether any message may lack content or role: what gateways take differs.
    pub(super) loose: bool,
    /// Whether items that are not messages may be between messages, by their `type`.
    pub(super) items: bool,
    /// Whether blank texts are refused.
    pub(super) blanks_refused: bool,
    /// Whether markers on messages of the model are refused.
    pub(super) model_unmarked: bool,
}

impl Form {
    /// The default of most forms.
    pub(super) const PLAIN: Self = Self {
        content: "content",
        part: |text| Json::object([("type", "text".into()), ("text", text.into())]),
        roles: &[],
        texts: true,
        calls: false,
        loose: false,
        items: false,
        blanks_refused: false,
        model_unmarked: false,
    };
}

/// Holds messages against the form of the request.
///
/// # Errors
/// Those of the first message that the provider would refuse.
pub(super) fn check(messages: &[Json], form: &Form, diags: &mut Diagnostics) {
    let wrong = |message: &Json| wrong(message, form);
    let first = messages.iter().enumerate();
    let first = first.filter_map(|(i, message)| Some((i + 1, wrong(message)?)));
    if let Some((number, (what, help))) = first.into_iter().next() {
        let message = format!("message {number} {what}");
        diags.push(Diagnostic::error(diagnostic::BAD_MESSAGES, message).help(help));
    }
}

/// The error of a message, and the fix.
fn wrong(message: &Json, form: &Form) -> Option<(String, String)> {
    if form.items && message.get("role").is_none() && message.get("type").is_some() {
        return None;
    }
    let speaker = role(message).unwrap_or_default();
    let unsaid = form.loose && message.get("role").is_none();
    if !unsaid && !form.roles.contains(&speaker) {
        let what = match message.get("role") {
            None => "has no role".to_owned(),
            Some(_) => "has a role that such a request does not have".to_owned(),
        };
        let roles = list(form.roles.iter().copied());
        return Some((what, format!("the roles are {roles}")));
    }
    let own = if form.texts {
        "a text or a list of parts"
    } else {
        "a list of parts"
    };
    let help = format!(
        "`{}` is {own}, in the form of the request's provider",
        form.content
    );
    let content = message.get(form.content);
    let empty = form.loose || form.calls && speaker == "assistant";
    let fits = match content {
        Some(Json::Text(_)) => form.texts,
        Some(Json::List(parts)) => !parts.is_empty() || empty,
        None | Some(Json::Null) => empty,
        Some(_) => false,
    };
    if !fits {
        let what = match content {
            None => format!("has no `{}`", form.content),
            Some(Json::List(_)) => "has no content".to_owned(),
            Some(_) => format!("has a `{}` of another form", form.content),
        };
        return Some((what, help));
    }
    if form.blanks_refused && is_blank(content) {
        let help = "leave it out of the history".to_owned();
        return Some((
            "has a blank text, which the provider refuses".to_owned(),
            help,
        ));
    }
    if form.model_unmarked && speaker == "assistant" && marks(std::slice::from_ref(message)) > 0 {
        let help = "mark messages of the user, or leave breakpoints to promptc".to_owned();
        return Some(("has a breakpoint on words of the model".to_owned(), help));
    }
    None
}

/// Whether a content, or one of its parts, is a text without a letter.
fn is_blank(content: Option<&Json>) -> bool {
    let blank = |json: &Json| json.as_text().is_some_and(|text| text.trim().is_empty());
    let mut parts = content.into_iter().flat_map(Json::items);
    content.is_some_and(blank) || parts.any(|part| part.get("text").is_some_and(blank))
}

/// The markers that the messages have themselves, in their order; those inside of results of tools, too.
pub(super) fn markers(messages: &[Json]) -> Vec<&Json> {
    let mut out = Vec::new();
    messages
        .iter()
        .for_each(|message| collect(message, &mut out));
    out
}

/// A part holds others in `content`, or in `output` if it is the result of a function.
fn collect<'a>(json: &'a Json, out: &mut Vec<&'a Json>) {
    let inner = ["content", "parts", "output"].map(|key| json.get(key).map(Json::items));
    let inner = inner.into_iter().flatten().flatten();
    inner.for_each(|part| collect(part, out));
    let wrapped = json.get("toolResult");
    wrapped.into_iter().for_each(|result| collect(result, out));
    out.extend(MARKERS.iter().find_map(|key| json.get(key)));
}

/// The marker on the very last part.
pub(super) fn last_marker(messages: &[Json]) -> Option<&Json> {
    let last = messages.last()?;
    let parts = ["content", "parts"].map(|key| last.get(key).map(Json::items));
    let part = parts.into_iter().flatten().next_back();
    let part = part.and_then(<[Json]>::last).unwrap_or(last);
    MARKERS.iter().find_map(|key| part.get(key))
}

/// The number of places that the messages mark themselves.
pub(super) fn marks(messages: &[Json]) -> usize {
    markers(messages).len()
}

/// The role of a message, if it has one.
pub(super) fn role(message: &Json) -> Option<&str> {
    message.get("role").and_then(Json::as_text)
}

/// Appends `text` to the user's last message; as a message of its own if the last one has another role.
pub(super) fn with_user(messages: &mut Vec<Json>, text: &str, form: &Form) {
    if text.trim().is_empty() {
        return;
    }
    let part = (form.part)(text);
    let last = messages.last_mut().filter(|m| role(m) == Some("user"));
    let content = last.and_then(|message| message.get_mut(form.content));
    match content {
        Some(Json::List(parts)) => Arc::make_mut(parts).push(part),
        Some(content) if content.as_text().is_some_and(|t| !t.trim().is_empty()) => {
            let said = (form.part)(content.as_text().unwrap_or_default());
            *content = Json::list([said, part]);
        }
        Some(content) => *content = Json::list([part]),
        None => messages.push(Json::object([
            ("role", "user".into()),
            (form.content, Json::list([part])),
        ])),
    }
}

/// The messages that a breakpoint can be on, by index, the most important one first: a system message that leads the history, the
/// last message, then the one with which the request before this one ended, then the others from the back. What that request wrote
/// is found at its end, however many blocks came after it; from the last messages a provider might not look back so far.
pub(super) fn markable(call: &Call<'_>, mark: Mark) -> Vec<usize> {
    let messages = call.messages;
    let takes = |at: &usize| mark(call, *at, &mut messages[*at].clone(), None);
    let mut out: Vec<usize> = (0..messages.len()).rev().filter(takes).collect();
    let leads = out.last() == Some(&0) && role(&messages[0]) == Some("system");
    if leads {
        out.rotate_right(1);
    }
    // With a layout the marks are those of another program.
    let others = &mut out[usize::from(leads)..];
    let is_model = |at: &usize| matches!(role(&messages[*at]), Some("assistant" | "model"));
    if call.wish.layout.is_none()
        && let Some(answer) = (0..messages.len()).rev().find(is_model)
        && let Some(place) = others.iter().position(|at| *at < answer && !is_model(at))
        && place > 1
    {
        others[1..=place].rotate_right(1);
    }
    out
}

/// Marks a message on one of the parts of its content; whether `mark` could.
pub(super) fn mark_content(
    message: &mut Json,
    form: &Form,
    mark: impl Fn(&mut Vec<Json>) -> bool,
) -> bool {
    let Some(content) = message.get_mut(form.content) else {
        return false;
    };
    if let Some(text) = content.as_text() {
        if text.trim().is_empty() {
            return false;
        }
        *content = Json::list([(form.part)(text)]);
    }
    content.items_mut().is_some_and(mark)
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

/// Marks a plain chat message as Hermes Agent does. Of system messages only one that leads the history is marked, in any case.
pub(super) fn mark_chat(message: &mut Json, at: usize, layout: Layout, marker: &Json) -> bool {
    let can = match role(message) {
        Some("system") => at == 0,
        _ => can_carry(message, layout),
    };
    if can {
        mark_message(message, layout, marker);
    }
    can
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
        Json::list([part])
    };
    match message.get_mut("content") {
        Some(Json::List(parts)) => {
            if let Some(last @ Json::Object(_)) = Arc::make_mut(parts).last_mut() {
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
