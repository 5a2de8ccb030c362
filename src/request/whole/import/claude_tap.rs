//! The JSON lines of claude-tap.
//!
//! Seen in a real log (0.1.146). From documentation (`proxy.py`): a record of a WebSocket appears when it closes.

use super::{ImportResult, Members, body, headers, id, time};
use crate::request::whole::log::{Body, Exchange, Reply};

pub(super) fn read(line: &Members<'_>, _: &str) -> ImportResult {
    let (request, response) = super::sides(line)?;
    let (base, path) = (line.text("upstream_base_url"), request.text("path"));
    Ok(Exchange {
        body: Body::Text(body(request.get("body")).ok_or("an entry without a body")?),
        url: path.map(|path| format!("{}{path}", base.unwrap_or_default())),
        time: line.value("timestamp").as_ref().and_then(time),
        status: response.get("status").and_then(|s| s.parse().ok()),
        response: body(response.get("body")).map(Reply::Text),
        headers: headers(request.value("headers")),
        id: id(line, "request_id"),
        ..Exchange::default()
    })
}
