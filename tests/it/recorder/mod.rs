//! The recorder, between a client and a provider of ours: what goes through, what is refused, and what is in the log.

mod command;
mod http;
mod killed;
mod log;
mod pass;
mod provider;
mod refuse;
mod tunnel;

use crate::run::Place;
use http::Message;
use provider::Provider;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

/// A recorder that serves.
struct Recorder {
    child: Child,
    stdout: BufReader<ChildStdout>,
    port: u16,
}

/// A recorder before a provider, with more options.
fn recorder(place: &Place, provider: &Provider, options: &[&str]) -> Recorder {
    place.file("authority.pem", &provider.authority);
    let upstream = format!("anthropic={}", provider.url());
    let mut args = vec!["capture", "serve", "--upstream", &upstream];
    args.extend(options);
    let mut command = place.command(&args);
    command.env("SSL_CERT_FILE", place.path().join("authority.pem"));
    Recorder::start(command)
}

/// A recorder in front of a provider of its own, which writes `log.jsonl`.
fn recording() -> (Place, Provider, Recorder) {
    let (place, provider) = (Place::new(), Provider::new());
    let recorder = recorder(&place, &provider, &["-o", "log.jsonl"]);
    (place, provider, recorder)
}

impl Recorder {
    fn start(mut command: Command) -> Self {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let port = line.strip_prefix("export ANTHROPIC_BASE_URL=http://127.0.0.1:");
        let port = port
            .and_then(|rest| rest.split('/').next())
            .map(|port| port.parse().unwrap());
        Self {
            port: port.unwrap_or_else(|| panic!("{line}")),
            child,
            stdout,
        }
    }

    /// A connection to it.
    fn connect(&self) -> Client {
        Client::to(self.port)
    }

    /// One request by a connection of its own.
    fn send(&self, path: &str, headers: &str, body: &[u8]) -> Message {
        self.connect().send(self.port, path, headers, body)
    }

    /// Ends it, and gives what it says.
    fn end(self) -> String {
        let id = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-TERM", &id])
                .status()
                .unwrap()
                .success()
        );
        drop(self.stdout);
        let output = self.child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{said}");
        said
    }
}

/// A connection of a client.
struct Client(BufReader<TcpStream>);

impl Client {
    fn to(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        Self(BufReader::new(stream))
    }

    /// Sends a request, and reads nothing.
    fn ask(&mut self, port: u16, path: &str, headers: &str, body: &[u8]) {
        let host = if headers.to_lowercase().contains("host:") {
            String::new()
        } else {
            format!("Host: 127.0.0.1:{port}\r\n")
        };
        let length = body.len();
        let head =
            format!("POST {path} HTTP/1.1\r\n{host}{headers}Content-Length: {length}\r\n\r\n");
        let stream = self.0.get_mut();
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body).unwrap();
    }

    fn send(&mut self, port: u16, path: &str, headers: &str, body: &[u8]) -> Message {
        self.ask(port, path, headers, body);
        self.answer()
    }

    fn answer(&mut self) -> Message {
        let mut answer = http::head(&mut self.0).unwrap().expect("an answer");
        http::body(&mut self.0, &mut answer, true);
        answer
    }
}

/// The body of a request.
fn body(system: &str, message: &str) -> Vec<u8> {
    let body = json!({"model": "claude-opus-5-5", "max_tokens": 9, "system": system,
        "messages": [{"role": "user", "content": message}]});
    body.to_string().into_bytes()
}

/// The codes of the report about a recording.
pub(crate) fn notices() -> Vec<String> {
    let place = Place::new();
    let provider = Provider::new();
    let options = [
        "-o",
        "/dev/full",
        "--upstream",
        "none=http://127.0.0.1:1",
        "--message-format",
        "json",
    ];
    let recorder = recorder(&place, &provider, &options);
    recorder.send("/anthropic/v1/messages", "", &body("s", "m"));
    recorder.send(
        "/anthropic/v1/messages",
        "Origin: null\r\n",
        &body("s", "m"),
    );
    recorder.send("/none/v1/messages", "", &body("s", "m"));
    let mut told = recorder.end();
    let nothing = [
        "capture",
        "run",
        "-o",
        "log.jsonl",
        "--message-format",
        "json",
        "--",
        "true",
    ];
    told.push_str(&place.run(&nothing).exits(0).stderr);
    let lines = told
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .map(|line| line["code"].as_str().unwrap().to_owned())
        .collect()
}

/// The lines of a log, each of which is whole.
fn lines(place: &Place, log: &str) -> Vec<Value> {
    let text = place.read(log);
    assert!(
        text.is_empty() || text.ends_with('\n'),
        "a line is cut: {text}"
    );
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The lines of this kind.
fn of_kind(lines: &[Value], kind: &str) -> Vec<Value> {
    let all = lines.iter().filter(|line| line["kind"] == kind);
    all.cloned().collect()
}
