//! The JSON lines of claude-tap.
//!
//! Seen in a real log (0.1.146). From its source (`ws_proxy.py` at 06c95936): a record of a WebSocket appears when it closes, and has the
//! messages of both sides as `ws_events`, if streams are stored. Its bodies are all messages merged: no request that was sent.

use super::socket::{self, Socket};
use super::{ImportResult, Members, body, headers, id, time, unread};
use crate::request::whole::log::{Body, Exchange, Reply};
use jiff::Timestamp;

/// Why the requests of a WebSocket are not known.
const MERGED: &str = "its recording has the requests of a WebSocket merged into one";

pub(super) fn read(line: &Members<'_>, each: &mut dyn FnMut(ImportResult)) {
    let sides = super::sides(line);
    let found = sides.and_then(|sides| Ok((exchange(line, &sides)?, sides)));
    let (whole, (request, response)) = match found {
        Ok(found) => found,
        Err(reason) => return each(Err(reason)),
    };
    if line.text("transport").as_deref() != Some("websocket") {
        return each(Ok(whole));
    }
    let sent = request.list("ws_events").into_iter();
    let sent: Vec<&str> = sent.filter(|event| socket::is_request(event)).collect();
    if sent.is_empty() {
        return each(Ok(Exchange {
            incomplete: Some(MERGED.to_owned()),
            ..whole
        }));
    }
    let events = response.list("ws_events");
    let times = events.iter().filter_map(|event| created(event));
    let times: Vec<Option<Timestamp>> = times.collect();
    // The record has the time at which the socket was closed.
    let closed = whole.time.filter(|_| times.iter().all(Option::is_none));
    let mut times = times.into_iter();
    let mut socket = Socket::default();
    for (number, event) in (1..).zip(sent) {
        socket.send(Exchange {
            body: Body::Text(event.to_owned()),
            time: times.next().flatten().or(closed),
            id: whole.id.as_ref().map(|id| match number {
                1 => id.clone(),
                _ => format!("{id}/{number}"),
            }),
            ..whole.clone()
        });
    }
    events.iter().for_each(|event| socket.receive(event));
    socket.exchanges().map(Ok).for_each(each);
}

/// The record as one exchange.
fn exchange(
    line: &Members<'_>,
    (request, response): &(Members<'_>, Members<'_>),
) -> Result<Exchange, &'static str> {
    let (base, path) = (line.text("upstream_base_url"), request.text("path"));
    let found = Exchange {
        body: Body::Text(body(request.get("body")).ok_or("an entry without a body")?),
        url: path.map(|path| format!("{}{path}", base.unwrap_or_default())),
        time: line.value("timestamp").as_ref().and_then(time),
        status: response.get("status").and_then(|s| s.parse().ok()),
        response: body(response.get("body")).map(Reply::Text),
        headers: headers(request.value("headers")),
        id: id(line, "request_id"),
        ..Exchange::default()
    };
    Ok(Exchange {
        lacks: unread(line, &[("timestamp", found.time.is_some())]),
        ..found
    })
}

/// When an answer began, if it says so; none if the event begins none.
fn created(event: &str) -> Option<Option<Timestamp>> {
    let event = Members::read(event)?;
    let is_first = event.text("type").as_deref() == Some("response.created");
    let response = event.get("response").filter(|_| is_first)?;
    let at = Members::read(response).and_then(|response| response.value("created_at"));
    Some(at.as_ref().and_then(time))
}
