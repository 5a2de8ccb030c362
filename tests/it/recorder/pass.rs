//! The forwarded bytes equal the sent ones.

use super::http::{Message, chunk, head};
use super::provider::{Provider, events, packed};
use super::{Client, body, lines, of_kind, recorder, recording};
use crate::run::Place;
use std::io::Write as _;
use std::thread;
use std::time::{Duration, Instant};

const PATH: &str = "/anthropic/v1/messages";

/// The headers of a connection are its own.
fn told(mut message: Message) -> Message {
    let own = ["connection", "keep-alive", "x-hop", "date"];
    message
        .headers
        .retain(|(name, _)| !own.contains(&name.to_lowercase().as_str()));
    message
}

#[test]
fn answers_are_those_without_the_recorder() {
    let place = Place::new();
    let (through, direct) = (Provider::new(), Provider::plain());
    let recorder = recorder(&place, &through, &["-o", "log.jsonl"]);
    let mut connection = recorder.connect();
    let mut direct_connection = Client::to(direct.port);
    let wishes = [
        "",
        "status-429",
        "status-500",
        "status-529",
        "big",
        "coding-gzip",
        "coding-deflate",
        "coding-raw",
        "coding-br",
        "coding-zstd",
    ];
    for wish in wishes {
        let tail = format!("/v1/messages?beta=true&do={wish}");
        let headers =
            "X-Api-Key: none\r\nanthropic-version: 2023-06-01\r\nAccept-Encoding: gzip, br\r\n";
        let sent = body("Be brief.", wish);
        let port = recorder.port;
        let got = connection.send(port, &format!("/anthropic{tail}"), headers, &sent);
        let expected = direct_connection.send(direct.port, &tail, headers, &sent);
        assert_eq!(told(got), told(expected), "{wish}");
    }
    // The request at the provider is the same too, except for its name.
    for (got, expected) in through.calls().iter().zip(direct.calls()) {
        let plain = |message: &Message| {
            let mut message = message.clone();
            message
                .headers
                .retain(|(name, _)| !name.eq_ignore_ascii_case("host"));
            message.headers.sort();
            message
        };
        assert_eq!(plain(&got.request), plain(&expected.request));
        let host = format!("localhost:{}", through.port);
        assert_eq!(got.request.all("host"), [host.as_str()]);
    }
    assert_eq!(through.connections(), 1, "connections are kept");
    recorder.end();
    assert_eq!(
        of_kind(&lines(&place, "log.jsonl"), "request").len(),
        wishes.len()
    );
}

#[test]
fn connection_headers_are_not_forwarded() {
    let (_place, provider, recorder) = recording();
    let headers = "Connection: keep-alive, X-Mine, close\r\nX-Mine: 1\r\nKeep-Alive: 5\r\nTE: trailers\r\nProxy-Connection: x\r\n\
        Proxy-Authorization: Basic eDp5\r\nX-Yours: 2\r\nAuthorization: Bearer none\r\n";
    let answer = recorder.send(PATH, headers, &body("s", "m"));
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.header("x-hop"), None);
    assert_eq!(answer.header("keep-alive"), None);
    assert_eq!(answer.all("set-cookie"), ["a=1", "b=2"]);
    let got = &provider.calls()[0].request;
    for name in [
        "x-mine",
        "keep-alive",
        "te",
        "proxy-connection",
        "proxy-authorization",
    ] {
        assert_eq!(got.header(name), None, "{name}");
    }
    assert_eq!(got.header("x-yours"), Some("2"));
    assert_eq!(got.header("authorization"), Some("Bearer none"));
    assert!(
        got.headers.iter().any(|(name, _)| name == "X-Yours"),
        "{got:?}"
    );
    recorder.end();
}

#[test]
fn a_chunked_request_is_one() {
    let (place, provider, recorder) = recording();
    let mut client = recorder.connect();
    let sent = body("s", "m");
    let (a, b) = sent.split_at(10);
    let stream = client.0.get_mut();
    let host = recorder.port;
    write!(
        stream,
        "POST {PATH} HTTP/1.1\r\nHost: localhost:{host}\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    .unwrap();
    super::http::write_chunk(stream, a).unwrap();
    super::http::write_chunk(stream, b).unwrap();
    stream.write_all(b"0\r\n\r\n").unwrap();
    assert_eq!(client.answer().status(), 200);
    assert_eq!(provider.calls()[0].request.body, sent);
    recorder.end();
    assert_eq!(of_kind(&lines(&place, "log.jsonl"), "request").len(), 1);
}

#[test]
fn each_event_of_a_stream_goes_through_before_the_next_is_sent() {
    let (place, provider, recorder) = recording();
    let mut client = recorder.connect();
    client.ask(
        recorder.port,
        &format!("{PATH}?do=stream"),
        "",
        &body("s", "m"),
    );
    provider.one_more();
    let answer = head(&mut client.0).unwrap().unwrap();
    assert_eq!(answer.status(), 200);
    for (i, event) in events(0).iter().enumerate() {
        if i > 0 {
            provider.one_more();
        }
        let piece = chunk(&mut client.0).unwrap().unwrap();
        assert_eq!(String::from_utf8(piece).unwrap(), *event);
    }
    assert_eq!(chunk(&mut client.0).unwrap(), None);
    recorder.end();
    let lines = lines(&place, "log.jsonl");
    let response = &of_kind(&lines, "response")[0];
    assert_eq!(response["state"], "whole");
    assert_eq!(response["usage"]["output_tokens"], 9);
}

#[test]
fn a_disconnected_client_ends_the_providers_request() {
    let (place, provider, recorder) = recording();
    let mut client = recorder.connect();
    client.ask(
        recorder.port,
        &format!("{PATH}?do=endless"),
        "",
        &body("s", "m"),
    );
    head(&mut client.0).unwrap().unwrap();
    chunk(&mut client.0).unwrap().unwrap();
    drop(client);
    let start = Instant::now();
    while provider.gone() == 0 {
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "the provider still sends"
        );
        thread::sleep(Duration::from_millis(5));
    }
    recorder.end();
    let lines = lines(&place, "log.jsonl");
    assert_eq!(of_kind(&lines, "response")[0]["state"], "aborted");
}

#[test]
fn an_answer_that_breaks_off_breaks_off() {
    let (place, _provider, recorder) = recording();
    let answer = recorder.send(&format!("{PATH}?do=cut"), "", &body("s", "m"));
    assert_eq!(answer.text(), "{\"id\": ");
    assert!(!answer.whole);
    recorder.end();
    assert_eq!(of_kind(&lines(&place, "log.jsonl"), "request").len(), 1);
}

#[test]
fn many_at_once_each_get_their_own_answer() {
    let (place, provider, recorder) = recording();
    for _ in 0..64 * events(0).len() {
        provider.one_more();
    }
    thread::scope(|scope| {
        for i in 0..64 {
            let recorder = &recorder;
            scope.spawn(move || {
                let wish = if i % 2 == 0 { "stream" } else { "coding-gzip" };
                let path = format!("{PATH}?do={wish}");
                let answer = recorder.send(&path, "", &body(&format!("You are {i}."), "m"));
                assert!(answer.status() == 200 && answer.whole);
            });
        }
    });
    let said = recorder.end();
    assert!(said.contains("64 requests recorded"), "{said}");
    let lines = lines(&place, "log.jsonl");
    assert_eq!(of_kind(&lines, "response").len(), 64);
    let whole = of_kind(&lines, "response");
    assert!(whole.iter().all(|line| line["state"] == "whole"));
}

#[test]
fn a_body_of_many_megabytes_goes_through_and_is_recorded() {
    let (_place, provider, recorder) = recording();
    let large = "Berth 4 is free.\n".repeat(3 << 20);
    let sent = body("s", &large);
    assert!(sent.len() > 50 << 20);
    assert_eq!(recorder.send(PATH, "", &sent).status(), 200);
    assert_eq!(provider.calls()[0].request.body, sent);
    // One that is too large for a log goes through too.
    let sent = body("s", &large.repeat(2));
    assert_eq!(recorder.send(PATH, "", &sent).status(), 200);
    assert_eq!(provider.calls()[1].request.body.len(), sent.len());
    let said = recorder.end();
    assert!(said.contains("1 request recorded"), "{said}");
    assert!(said.contains("warning[not-recorded]: 1 request went through and not into the log: a body of more than 64 MiB"), "{said}");
}

#[test]
fn a_compressed_request_is_forwarded_unchanged_and_recorded_as_text() {
    let (place, provider, recorder) = recording();
    for coding in ["gzip", "deflate", "br", "zstd"] {
        let (sent, header) = packed(body(coding, "m"), &format!("coding-{coding}"));
        assert_eq!(recorder.send(PATH, &header, &sent).status(), 200);
        assert_eq!(provider.calls().last().unwrap().request.body, sent);
    }
    // Without the header too.
    let (sent, _) = packed(body("bare", "m"), "coding-zstd");
    recorder.send(PATH, "", &sent);
    recorder.end();
    let text = place.read("log.jsonl");
    for coding in ["gzip", "deflate", "br", "zstd", "bare"] {
        assert!(text.contains(&format!("\"json\":\"{coding}\"")), "{coding}");
    }
}

#[test]
fn calls_of_no_model_go_through_and_are_not_in_the_log() {
    let (place, provider, recorder) = recording();
    let path = "/anthropic/v1/messages/count_tokens?a=b%20c&d";
    assert_eq!(recorder.send(path, "", b"{}").status(), 200);
    let first = &provider.calls()[0].request.first;
    assert_eq!(first, "POST /v1/messages/count_tokens?a=b%20c&d HTTP/1.1");
    let said = recorder.end();
    assert!(said.contains("0 requests recorded"), "{said}");
    assert_eq!(lines(&place, "log.jsonl").len(), 1);
}
