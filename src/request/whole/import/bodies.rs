//! Bodies as they were sent, one a line, or objects around them: the form that `capture export --inline` writes.

use super::{ImportResult, Members, body, headers, id, time, unread};
use crate::request::whole::log::{Body, Exchange, Reply};

pub(super) fn read(line: &Members<'_>, text: &str) -> ImportResult {
    let Some(request) = line.get("request") else {
        return Ok(Exchange {
            body: Body::Text(text.to_owned()),
            ..Exchange::default()
        });
    };
    let found = Exchange {
        body: Body::Text(body(Some(request)).ok_or("an entry without a body")?),
        url: line.text("url"),
        time: line.value("time").as_ref().and_then(time),
        status: line.get("status").and_then(|s| s.parse().ok()),
        response: body(line.get("response")).map(Reply::Text),
        headers: headers(line.value("headers")),
        conversation: line.text("conversation"),
        chain: line.text("chain"),
        id: id(line, "id"),
        agent: line
            .get("agent")
            .and_then(|agent| serde_json::from_str(agent).ok()),
        incomplete: line.text("incomplete"),
        ..Exchange::default()
    };
    let members = [
        ("url", found.url.is_some()),
        ("time", found.time.is_some()),
        ("status", found.status.is_some()),
        ("conversation", found.conversation.is_some()),
        ("chain", found.chain.is_some()),
        ("id", line.text("id").is_some()),
        ("agent", found.agent.is_some()),
    ];
    Ok(Exchange {
        lacks: unread(line, &members),
        ..found
    })
}
