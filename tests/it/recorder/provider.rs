//! A provider that answers from a script, over TLS by an authority of its own or without, and keeps what it got.

use super::http::{self, Message, write_chunk};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};
use std::io::{self, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

/// A call and what was answered.
#[derive(Clone)]
pub(super) struct Call {
    pub(super) request: Message,
    pub(super) status: u16,
    /// The answer, unpacked.
    pub(super) answer: String,
}

#[derive(Default)]
struct Shared {
    calls: Mutex<Vec<Call>>,
    /// How many more events may be sent.
    events: Mutex<usize>,
    more: Condvar,
    /// How many clients went away in the middle of an answer.
    gone: AtomicUsize,
    connections: AtomicUsize,
    count: AtomicUsize,
}

/// The provider.
pub(super) struct Provider {
    pub(super) port: u16,
    /// The certificate of its authority.
    pub(super) authority: String,
    shared: Arc<Shared>,
}

trait Connection: Read + Write + Send {}
impl<T: Read + Write + Send> Connection for T {}

impl Provider {
    /// One over TLS.
    pub(super) fn new() -> Self {
        let (config, authority) = certified();
        let config = Arc::new(config);
        Self::with(authority, move |stream| {
            let session = ServerConnection::new(config.clone()).unwrap();
            Box::new(StreamOwned::new(session, stream))
        })
    }

    /// One without.
    pub(super) fn plain() -> Self {
        Self::with(String::new(), |stream| Box::new(stream))
    }

    fn with(
        authority: String,
        wrap: impl Fn(TcpStream) -> Box<dyn Connection> + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared::default());
        let ours = shared.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                stream.set_nodelay(true).unwrap();
                let (connection, shared) = (wrap(stream), shared.clone());
                shared.connections.fetch_add(1, Ordering::SeqCst);
                thread::spawn(move || talk(connection, &shared));
            }
        });
        Self {
            port,
            authority,
            shared: ours,
        }
    }

    /// Its URL.
    pub(super) fn url(&self) -> String {
        let scheme = if self.authority.is_empty() {
            "http"
        } else {
            "https"
        };
        format!("{scheme}://localhost:{}", self.port)
    }

    /// The requests that it got, in order.
    pub(super) fn calls(&self) -> Vec<Call> {
        self.shared.calls.lock().unwrap().clone()
    }

    /// Lets one more event of a stream go.
    pub(super) fn one_more(&self) {
        *self.shared.events.lock().unwrap() += 1;
        self.shared.more.notify_all();
    }

    /// How many clients went away in the middle.
    pub(super) fn gone(&self) -> usize {
        self.shared.gone.load(Ordering::SeqCst)
    }

    /// How many connections it had.
    pub(super) fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }
}

/// A certificate for `localhost` and `provider.example`, and that of the authority that signed it.
fn certified() -> (ServerConfig, String) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let authority = params.self_signed(&key).unwrap();
    let issuer = Issuer::new(params, key);
    let key = KeyPair::generate().unwrap();
    let names = ["localhost", "provider.example"].map(str::to_owned);
    let params = CertificateParams::new(names).unwrap();
    let own = params.signed_by(&key, &issuer).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![own.der().clone()],
            PrivateKeyDer::Pkcs8(key.serialize_der().into()),
        )
        .unwrap();
    (config, authority.pem())
}

fn talk(connection: Box<dyn Connection>, shared: &Shared) {
    let mut connection = BufReader::new(connection);
    while let Ok(Some(mut request)) = http::head(&mut connection) {
        http::body(&mut connection, &mut request, false);
        if !request.whole || answer(request, connection.get_mut(), shared).is_err() {
            break;
        }
    }
}

/// The value of `do=` in the path.
fn wish(request: &Message) -> String {
    let path = request.first.split(' ').nth(1).unwrap_or_default();
    let wish = path.split_once("do=").map(|(_, wish)| wish);
    wish.unwrap_or_default().to_owned()
}

/// The events of an answer.
pub(super) fn events(n: usize) -> Vec<String> {
    let start = json!({"type": "message_start", "message": {
        "id": format!("msg_{n}"), "type": "message", "role": "assistant", "model": "claude-opus-5-5", "content": [],
        "usage": {"input_tokens": 100 + n, "cache_read_input_tokens": 7, "cache_creation_input_tokens": 0, "output_tokens": 1}}});
    let all = [
        start,
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Berth 4 is free."}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}}),
        json!({"type": "message_stop"}),
    ];
    let text = |event: &Value| {
        format!(
            "event: {}\ndata: {event}\n\n",
            event["type"].as_str().unwrap()
        )
    };
    all.iter().map(text).collect()
}

fn answer(request: Message, to: &mut impl Write, shared: &Shared) -> io::Result<()> {
    let wish = wish(&request);
    let n = shared.count.fetch_add(1, Ordering::SeqCst);
    let call = |status: u16, answer: &str| {
        let (request, answer) = (request.clone(), answer.to_owned());
        shared.calls.lock().unwrap().push(Call {
            request,
            status,
            answer,
        });
    };
    let (kind, status) = match wish.split_once('-') {
        Some(("status", status)) => ("status", status.parse().unwrap()),
        Some((kind, _)) => (kind, 200),
        None => (wish.as_str(), 200),
    };
    match kind {
        "stream" => {
            call(200, &events(n).concat());
            stream(&events(n), to, shared)
        }
        "endless" => {
            call(200, &events(n)[0]);
            endless(&events(n)[0], to, shared)
        }
        // It says that there is more than there is, and ends.
        "cut" => {
            call(200, "");
            write!(
                to,
                "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{{\"id\": "
            )?;
            to.flush()?;
            Err(io::ErrorKind::ConnectionAborted.into())
        }
        _ => {
            let text = match status {
                200 => {
                    json!({"id": format!("msg_{n}"), "type": "message", "role": "assistant", "model": "claude-opus-5-5",
                    "content": [{"type": "text", "text": "Berth 4 is free. ".repeat(if wish == "big" { 1 << 20 } else { 1 })}],
                    "stop_reason": "end_turn", "usage": {"input_tokens": 100 + n, "output_tokens": 9}})
                }
                _ => {
                    json!({"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}})
                }
            };
            let text = text.to_string();
            call(status, &text);
            let (body, coding) = packed(text.into_bytes(), &wish);
            write!(
                to,
                "HTTP/1.1 {status} As You Say\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{coding}",
                body.len()
            )?;
            if kind == "named" {
                write!(to, "Request-Id: req_{n}\r\n")?;
            }
            write!(
                to,
                "X-Request-Id: req-{n}\r\nRetry-After: 3\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n"
            )?;
            write!(
                to,
                "Connection: keep-alive, X-Hop\r\nX-Hop: yes\r\nKeep-Alive: timeout=5\r\n\r\n"
            )?;
            to.write_all(&body)?;
            to.flush()
        }
    }
}

const STREAM: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

/// Sends events as they are allowed.
fn stream(events: &[String], to: &mut impl Write, shared: &Shared) -> io::Result<()> {
    to.write_all(STREAM)?;
    for event in events {
        let mut left = shared.events.lock().unwrap();
        while *left == 0 {
            left = shared.more.wait(left).unwrap();
        }
        *left -= 1;
        drop(left);
        write_chunk(to, event.as_bytes())?;
    }
    to.write_all(b"0\r\n\r\n")?;
    to.flush()
}

/// Sends an event and then others, until the client is gone.
fn endless(event: &str, to: &mut impl Write, shared: &Shared) -> io::Result<()> {
    to.write_all(STREAM)?;
    write_chunk(to, event.as_bytes())?;
    loop {
        let sent = write_chunk(to, b"event: ping\ndata: {\"type\": \"ping\"}\n\n");
        if sent.is_err() {
            shared.gone.fetch_add(1, Ordering::SeqCst);
            return sent;
        }
        thread::sleep(std::time::Duration::from_millis(2));
    }
}

/// A body as it is packed, with its header.
pub(super) fn packed(text: Vec<u8>, wish: &str) -> (Vec<u8>, String) {
    use flate2::Compression;
    use flate2::read::{DeflateEncoder, GzEncoder, ZlibEncoder};
    let Some((_, coding)) = wish.split_once("coding-") else {
        return (text, String::new());
    };
    let read = |mut from: Box<dyn Read + '_>| {
        let mut out = Vec::new();
        from.read_to_end(&mut out).unwrap();
        out
    };
    let level = Compression::fast();
    let body = match coding {
        "gzip" => read(Box::new(GzEncoder::new(&text[..], level))),
        "deflate" => read(Box::new(ZlibEncoder::new(&text[..], level))),
        "raw" => read(Box::new(DeflateEncoder::new(&text[..], level))),
        "zstd" => {
            // Two frames, one after the other.
            let (a, b) = text.split_at(text.len() / 2);
            let pack = |part: &[u8]| {
                ruzstd::encoding::compress_to_vec(part, ruzstd::encoding::CompressionLevel::Fastest)
            };
            [pack(a), pack(b)].concat()
        }
        "br" => stored_brotli(&text),
        other => panic!("{other}"),
    };
    let name = if coding == "raw" { "deflate" } else { coding };
    (body, format!("Content-Encoding: {name}\r\n"))
}

/// A brotli stream of one block that is not packed (RFC 7932, 9.2).
fn stored_brotli(text: &[u8]) -> Vec<u8> {
    assert!(!text.is_empty() && text.len() <= 1 << 16);
    let bits = ((text.len() as u32 - 1) << 4) | 1 << 20;
    [&bits.to_le_bytes()[..3], text, &[3]].concat()
}
