//! Bodies as they were sent, one a line, or objects around them: the form that `capture export --inline` writes.

use super::{ImportResult, Members, body, headers, id, status, time, unread};
use crate::request::whole::log::{Body, Exchange, Lack, Reply};

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
        begun: line.value("begun").as_ref().and_then(time),
        status: status(line, "status"),
        account: line.text("account"),
        response: body(line.get("response")).map(Reply::Text),
        headers: headers(line.value("headers")),
        conversation: line.text("conversation"),
        chain: line.text("chain"),
        id: id(line, "id"),
        agent: line
            .get("agent")
            .and_then(|agent| serde_json::from_str(agent).ok()),
        incomplete: line.text("incomplete").or_else(|| is_incomplete(line)),
        ..Exchange::default()
    };
    let members = [
        ("url", found.url.is_some()),
        ("time", found.time.is_some()),
        ("begun", found.begun.is_some()),
        ("status", found.status.is_some()),
        ("account", found.account.is_some()),
        ("conversation", found.conversation.is_some()),
        ("chain", found.chain.is_some()),
        ("id", line.text("id").is_some()),
        ("agent", found.agent.is_some()),
        (
            "headers",
            line.get("headers").is_some_and(|raw| raw.starts_with('{')),
        ),
    ];
    let is_snapshot = line.get("snapshot") == Some("true");
    let mut lacks = unread(line, &members);
    lacks.extend(is_snapshot.then_some(Lack::Settings));
    Ok(Exchange { lacks, ..found })
}

/// What a recording says that does not say why.
fn is_incomplete(line: &Members<'_>) -> Option<String> {
    let is_said = line
        .get("incomplete")
        .is_some_and(|said| !["null", "false"].contains(&said));
    is_said.then(|| "its recording says so".to_owned())
}
