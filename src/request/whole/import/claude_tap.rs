//! The JSON lines of claude-tap.
//!
//! Seen in a real log (0.1.146). From its source (`ws_proxy.py` at 06c95936): a record of a WebSocket appears when it closes, and has the
//! messages of both sides as `ws_events`, if streams are stored. Its bodies are all messages merged: no request that was sent.

use super::socket::Socket;
use super::{ImportResult, Members, body, headers, id, request_id, status, time, unread};
use crate::request::whole::log::{Body, Exchange, Reply};

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
    let mut socket = Socket::default();
    let mut number = 0;
    for event in request.list("ws_events") {
        socket.send(event, || {
            number += 1;
            Exchange {
                body: Body::Text(event.to_owned()),
                time: None,
                request_id: None,
                id: whole.id.as_ref().map(|id| match number {
                    1 => id.clone(),
                    _ => format!("{id}/{number}"),
                }),
                ..whole.clone()
            }
        });
    }
    if number == 0 {
        return each(Ok(Exchange {
            incomplete: Some(MERGED.to_owned()),
            ..whole
        }));
    }
    let events = response.list("ws_events");
    events.iter().for_each(|event| socket.receive(event));
    // The record has the time at which the socket was closed.
    socket.exchanges(whole.time, each);
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
        status: status(response, "status"),
        response: body(response.get("body")).map(Reply::Text),
        headers: headers(request.value("headers")),
        request_id: request_id(headers(response.value("headers"))),
        id: id(line, "request_id"),
        ..Exchange::default()
    };
    let members = [
        ("timestamp", found.time.is_some()),
        ("request_id", line.text("request_id").is_some()),
    ];
    let of_line = unread(line, &members).into_iter();
    let of_answer = unread(response, &[("status", found.status.is_some())]);
    Ok(Exchange {
        lacks: of_line.chain(of_answer).take(1).collect(),
        ..found
    })
}
