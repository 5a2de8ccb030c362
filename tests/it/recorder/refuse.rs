//! The requests that the recorder refuses, and where it listens.

use super::{Client, body, recording};
use std::io::Write as _;
use std::net::TcpStream;

#[test]
fn requests_for_other_hosts_are_refused_with_the_reason() {
    let (_place, provider, recorder) = recording();
    let (path, port) = ("/anthropic/v1/messages", recorder.port);
    let refused = |path: &str, headers: &str, status: u16, reason: &str| {
        let answer = recorder.send(path, headers, &body("s", "m"));
        assert_eq!(answer.status(), status, "{headers}");
        let error: serde_json::Value = serde_json::from_str(answer.text()).unwrap();
        let message = error["error"]["message"].as_str().unwrap();
        assert!(message.contains(reason), "{message}");
    };
    for host in [
        "evil.example",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.1.evil.example:80",
    ] {
        refused(path, &format!("Host: {host}\r\n"), 403, "another host");
    }
    let rebound = format!("Host: evil.example:{port}\r\n");
    refused(path, &rebound, 403, "another host");
    let twice = format!("Host: 127.0.0.1:{port}\r\nHost: evil.example\r\n");
    let answer = recorder.send(path, &twice, b"");
    assert!([400, 403].contains(&answer.status()), "{answer:?}");
    refused(path, "Origin: null\r\n", 403, "Origin");
    refused(path, "Origin: http://localhost\r\n", 403, "Origin");
    refused(
        path,
        "Sec-Fetch-Site: cross-site\r\n",
        403,
        "a page in a browser",
    );
    refused("/elsewhere/v1/messages", "", 404, "upstream");
    refused("/", "", 404, "upstream");
    let signed =
        "Authorization: AWS4-HMAC-SHA256 Credential=x/20261126/us-east-1/bedrock/aws4_request\r\n";
    refused(path, signed, 400, "signed for its host");
    let socket = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
    refused(path, socket, 501, "WebSocket");
    let url = format!("http://evil.example{path}");
    refused(&url, "", 403, "another host");
    assert!(provider.calls().is_empty());
    let said = recorder.end();
    assert!(
        said.contains(
            "warning[requests-refused]: 3 requests refused: the request has the header Origin"
        ),
        "{said}"
    );
    assert!(said.contains("0 requests recorded"), "{said}");
}

#[test]
fn a_tunnel_is_refused() {
    let (_place, _provider, recorder) = recording();
    let mut client = recorder.connect();
    let stream = client.0.get_mut();
    write!(
        stream,
        "CONNECT api.anthropic.com:443 HTTP/1.1\r\nHost: api.anthropic.com:443\r\n\r\n"
    )
    .unwrap();
    assert_eq!(client.answer().status(), 501);
    recorder.end();
}

#[test]
fn it_listens_at_one_address() {
    let (_place, _provider, recorder) = recording();
    Client::to(recorder.port);
    for other in ["127.0.0.2", "::1"] {
        assert!(
            TcpStream::connect((other, recorder.port)).is_err(),
            "{other}"
        );
    }
    recorder.end();
}
