//! HTTP Archives.
//!
//! Seen in real logs (mitmproxy 11.0.2, 12.3.1). From documentation: what else ahmadnassri/har-spec 1.2 and 1.3 allow; WebSocket
//! messages as mitmproxy 12.3.1 writes them (`addons/savehar.py`).

use super::socket::Socket;
use super::{ImportResult, Json, Members, request_id, status, time, unread};
use crate::request::whole::api::Api;
use crate::request::whole::log::{Body, Exchange, Reply};
use data_encoding::BASE64;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;

pub(super) fn read(text: &str, each: &mut dyn FnMut(usize, ImportResult)) {
    let log = Members::read(text).and_then(|all| Members::read(all.get("log")?));
    let Some(log) = log else {
        return each(1, Err("an archive that is not complete JSON"));
    };
    for (i, entry) in log.list("entries").into_iter().enumerate() {
        let Some(entry) = Members::read(entry) else {
            each(i + 1, Err("an entry that is not an object"));
            continue;
        };
        let messages = entry.list("_webSocketMessages");
        if messages.is_empty() {
            each(i + 1, exchange(&entry))
        } else {
            of_socket(&entry, &messages, &mut |found| each(i + 1, found))
        }
    }
}

const OTHER_CALL: &str = "a call of no model";

fn is_of_model(url: Option<&str>) -> bool {
    url.is_some_and(|url| Api::of_url(url).is_some())
}

fn exchange(entry: &Members<'_>) -> ImportResult {
    let (request, response) = super::sides(entry)?;
    let url = request.text("url");
    if !is_of_model(url.as_deref()) {
        return Err(OTHER_CALL);
    }
    let data = request.get("postData").and_then(Members::read);
    let body = data.as_ref().and_then(|data| data.text("text"));
    let encoding = data.as_ref().and_then(|data| data.text("encoding"));
    let content = response
        .get("content")
        .and_then(Members::read)
        .unwrap_or_default();
    let answer = match content.text("encoding").as_deref() {
        Some("base64") => content.text("text").and_then(|text| from_base64(&text)),
        _ => content.text("text"),
    };
    let body = match encoding.as_deref() {
        Some("base64") => body.and_then(|text| from_base64(&text)),
        _ => body,
    };
    let time = entry.value("startedDateTime").as_ref().and_then(time);
    Ok(Exchange {
        body: Body::Text(
            body.filter(|b| !b.is_empty())
                .ok_or("an entry without a body")?,
        ),
        url,
        time,
        begun: time.and_then(|time| begun(time, entry)),
        lacks: unread(entry, &[("startedDateTime", time.is_some())]),
        status: status(&response, "status"),
        response: answer.filter(|a| !a.is_empty()).map(Reply::Text),
        headers: headers(&request),
        request_id: request_id(headers(&response)),
        ..Exchange::default()
    })
}

/// When the first of an answer came: after the steps before it, in milliseconds; one that did not happen is negative.
fn begun(time: Timestamp, entry: &Members<'_>) -> Option<Timestamp> {
    const BEFORE: [&str; 5] = ["blocked", "dns", "connect", "send", "wait"];
    let timings = entry.value("timings")?;
    let number = |name: &str| match timings.get(name)? {
        Json::Number(number) => number.as_f64(),
        _ => None,
    };
    number("wait").filter(|wait| *wait >= 0.0)?;
    let steps = BEFORE.iter().filter_map(|name| number(name));
    let milliseconds: f64 = steps.filter(|step| *step > 0.0).sum();
    let all = SignedDuration::try_from_secs_f64(milliseconds / 1e3).ok()?;
    time.checked_add(all).ok()
}

/// Headers are a list of names and values.
fn headers(side: &Members<'_>) -> BTreeMap<String, String> {
    let all = side.value("headers");
    let all = all.as_ref().map(Json::items).unwrap_or_default();
    let pairs = all.iter().filter_map(|header| {
        let name = header.get("name")?.as_text()?.to_lowercase();
        Some((name, header.get("value")?.as_text()?.to_owned()))
    });
    pairs.collect()
}

/// The exchanges of a WebSocket.
fn of_socket(entry: &Members<'_>, messages: &[&str], each: &mut dyn FnMut(ImportResult)) {
    let request = entry
        .get("request")
        .and_then(Members::read)
        .unwrap_or_default();
    let url = request.text("url");
    if !is_of_model(url.as_deref()) {
        return each(Err(OTHER_CALL));
    }
    let mut socket = Socket::default();
    for message in messages.iter().filter_map(|m| Members::read(m)) {
        let Some(data) = message.text("data") else {
            socket.skip();
            continue;
        };
        match message.text("type").as_deref() {
            Some("send") => socket.send(&data, || Exchange {
                body: Body::Text(data.clone()),
                url: url.clone(),
                time: message.value("time").as_ref().and_then(time),
                headers: headers(&request),
                ..Exchange::default()
            }),
            Some("receive") => socket.receive(&data),
            _ => socket.skip(),
        }
    }
    socket.exchanges(None, each);
}

/// The text after base64. None if it is not base64, or not UTF-8.
fn from_base64(text: &str) -> Option<String> {
    let bytes = BASE64.decode(text.as_bytes()).ok()?;
    String::from_utf8(bytes).ok()
}
