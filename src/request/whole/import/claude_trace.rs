//! The JSON lines of claude-trace.
//!
//! Seen in a real log (1.0.9): an answer that was streamed is `body_raw`.

use super::{ImportResult, Members, body, headers, request_id, status, time, unread};
use crate::request::whole::log::{Body, Exchange, Reply};

pub(super) fn read(line: &Members<'_>) -> ImportResult {
    let (request, response) = super::sides(line)?;
    let found = Exchange {
        body: Body::Text(body(request.get("body")).ok_or("an entry without a body")?),
        url: request.text("url"),
        time: request.value("timestamp").as_ref().and_then(time),
        status: status(&response, "status_code"),
        response: (body(response.get("body_raw")).or_else(|| body(response.get("body"))))
            .map(Reply::Text),
        headers: headers(request.value("headers")),
        request_id: request_id(headers(response.value("headers"))),
        ..Exchange::default()
    };
    let of_request = unread(&request, &[("timestamp", found.time.is_some())]).into_iter();
    let of_answer = unread(&response, &[("status_code", found.status.is_some())]);
    Ok(Exchange {
        lacks: of_request.chain(of_answer).take(1).collect(),
        ..found
    })
}
