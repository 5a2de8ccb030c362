//! One request: refused, or sent on with a copy.

use super::exchange::{Copying, Open, Recorded, Side};
use super::headers::{strip, text};
use super::spool::Memory;
use super::table::{Routes, Upstream};
use super::ways::{Ways, is_loopback};
use crate::request::whole::Api;
use crate::request::whole::log::key_in;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue, ORIGIN, UPGRADE};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode, Uri, Version};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use jiff::{Timestamp, Unit};
use rustls::crypto::ring;
use std::collections::BTreeMap;
use std::error::Error;
use std::io;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

/// The body of an answer.
pub(super) type Answered = UnsyncBoxBody<Bytes, hyper::Error>;

type Upwards = Client<HttpsConnector<Ways>, Copying<Incoming>>;

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Refusal {
    /// It was meant for another host.
    Host,
    /// A page in a browser sent it.
    Origin,
    /// It names no upstream.
    Upstream,
    /// It is signed for its host.
    Signed,
    /// It requests a WebSocket or a tunnel.
    Upgrade,
    /// Its path is not valid in the URL of its upstream.
    Path,
    /// Its upstream is this recorder.
    Itself,
}

impl Refusal {
    /// The status that says so.
    fn status(self) -> StatusCode {
        match self {
            Self::Host | Self::Origin => StatusCode::FORBIDDEN,
            Self::Upstream => StatusCode::NOT_FOUND,
            Self::Signed | Self::Path => StatusCode::BAD_REQUEST,
            // Codex goes on over HTTP then.
            Self::Upgrade => StatusCode::NOT_IMPLEMENTED,
            Self::Itself => StatusCode::LOOP_DETECTED,
        }
    }

    /// The reason.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Host => "the request is for another host than 127.0.0.1 with this port",
            Self::Origin => {
                "the request has the header Origin or Sec-Fetch-Site: a page in a browser sent it"
            }
            Self::Upstream => "the path does not begin with the name of an upstream",
            Self::Signed => {
                "the request is signed for its host (AWS Signature Version 4), and no other host takes it; use a bearer token \
                 (AWS_BEARER_TOKEN_BEDROCK), or import the invocation logs of Bedrock"
            }
            Self::Upgrade => {
                "the request asks for a WebSocket or a tunnel, which is not recorded; set the agent to HTTP"
            }
            Self::Path => "the path is not valid in a URL",
            Self::Itself => "the upstream is this recorder itself",
        }
    }
}

/// The results of requests that are not in the log.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// The refused ones, by their reason.
    pub(crate) refused: BTreeMap<Refusal, usize>,
    /// The requests that an upstream did not take, by its URL: their number, and the reason of the first.
    pub(crate) failed: BTreeMap<String, (usize, String)>,
    /// The number of requests that went through and are no call of a model.
    pub(crate) others: usize,
}

/// The recorder, as each connection has it.
pub(super) struct Proxy {
    routes: Routes,
    port: u16,
    client: Upwards,
    memory: Memory,
    tally: Arc<Mutex<Tally>>,
    to: Sender<Recorded>,
}

impl Proxy {
    /// One at this port.
    pub(super) fn new(
        routes: Routes,
        port: u16,
        tally: Arc<Mutex<Tally>>,
        to: Sender<Recorded>,
    ) -> io::Result<Self> {
        Ok(Self {
            routes,
            port,
            client: client()?,
            memory: Memory::default(),
            tally,
            to,
        })
    }

    fn count(&self, count: impl FnOnce(&mut Tally)) {
        if let Ok(mut tally) = self.tally.lock() {
            count(&mut tally);
        }
    }

    /// The answer to a request.
    pub(super) async fn answer(&self, request: Request<Incoming>) -> Response<Answered> {
        match self.route(&request) {
            Err(refusal) => {
                self.count(|tally| *tally.refused.entry(refusal).or_default() += 1);
                said(refusal.status(), refusal.reason())
            }
            Ok((upstream, url)) => {
                let upstream = upstream.clone();
                self.pass(&upstream, url, request).await
            }
        }
    }

    /// Where a request goes, if it goes anywhere.
    fn route(&self, request: &Request<Incoming>) -> Result<(&Upstream, Uri), Refusal> {
        let headers = request.headers();
        if request.method() == Method::CONNECT {
            return Err(Refusal::Upgrade);
        }
        let mut hosts = headers.get_all(HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok());
        if hosts.next().is_some()
            || request.uri().authority().is_some()
            || !host.is_some_and(|host| self.is_here(host))
        {
            return Err(Refusal::Host);
        }
        // A browser leaves `Origin` out of what a page loads as an image, and says then what loads it.
        if headers.contains_key(ORIGIN) || headers.contains_key("sec-fetch-site") {
            return Err(Refusal::Origin);
        }
        let path = request.uri().path_and_query().map_or("/", |p| p.as_str());
        let (upstream, rest) = self.routes.find(path).ok_or(Refusal::Upstream)?;
        let upgrade = headers.get(UPGRADE).and_then(|value| value.to_str().ok());
        if upgrade.is_some_and(|value| value.to_ascii_lowercase().contains("websocket")) {
            return Err(Refusal::Upgrade);
        }
        let signed = text(headers, AUTHORIZATION.as_str());
        if signed.is_some_and(|value| value.starts_with("AWS4-"))
            || path.contains("X-Amz-Signature=")
        {
            return Err(Refusal::Signed);
        }
        let url = upstream.of(rest).ok_or(Refusal::Path)?;
        if url.host().is_some_and(is_loopback) && url.port_u16() == Some(self.port) {
            return Err(Refusal::Itself);
        }
        Ok((upstream, url))
    }

    /// Whether a `Host` names this recorder.
    fn is_here(&self, host: &str) -> bool {
        let Some((name, port)) = host.rsplit_once(':') else {
            return self.port == 80 && is_loopback(host);
        };
        is_loopback(name) && port.parse() == Ok(self.port)
    }

    /// Sends a request on.
    async fn pass(
        &self,
        upstream: &Upstream,
        url: Uri,
        request: Request<Incoming>,
    ) -> Response<Answered> {
        let (mut parts, body) = request.into_parts();
        // The text after the `?` may be a key.
        let whole = url.to_string();
        let shown = whole.split('?').next().unwrap_or_default();
        let account = key_in(&whole).map(str::to_owned);
        let open = self.open(shown, account, &parts);
        strip(&mut parts.headers);
        // The client writes that of the URL.
        parts.headers.remove(HOST);
        parts.uri = url;
        parts.version = Version::HTTP_11;
        let body = Copying::new(body, Side::Request, open.clone());
        let sent = self.client.request(Request::from_parts(parts, body));
        match sent.await {
            Ok(response) => {
                let (mut parts, body) = response.into_parts();
                if let Some(open) = &open {
                    open.answered(parts.status.as_u16(), now(), &parts.headers);
                }
                strip(&mut parts.headers);
                parts.version = Version::HTTP_11;
                let body = Copying::new(body, Side::Response, open);
                Response::from_parts(parts, body.boxed_unsync())
            }
            Err(error) => {
                // Once the connection is open the request may have arrived, even without an answer.
                if let Some(open) = open.filter(|_| error.is_connect()) {
                    open.forget();
                }
                let why = chain(&error);
                let message = format!("{} did not answer: {why}", upstream.url);
                self.count(|tally| {
                    let failed = tally.failed.entry(upstream.url.clone());
                    failed.or_insert((0, why)).0 += 1;
                });
                said(StatusCode::BAD_GATEWAY, &message)
            }
        }
    }

    /// The copy of an exchange, if it is a call of a model.
    fn open(&self, url: &str, account: Option<String>, parts: &Parts) -> Option<Arc<Open>> {
        if parts.method != Method::POST || Api::of_url(url).is_none() {
            self.count(|tally| tally.others += 1);
            return None;
        }
        let (url, to) = ((url.to_owned(), account), self.to.clone());
        Some(Open::new(url, now(), &parts.headers, &self.memory, to))
    }
}

#[allow(
    clippy::disallowed_methods,
    reason = "when a request came is what is recorded"
)]
fn now() -> Timestamp {
    let now = Timestamp::try_from(SystemTime::now()).unwrap_or_default();
    now.round(Unit::Millisecond).unwrap_or(now)
}

/// Forwards requests: it reuses connections, follows no redirects, and has no timeout.
fn client() -> io::Result<Upwards> {
    let connector = HttpsConnectorBuilder::new()
        .with_provider_and_native_roots(ring::default_provider())?
        .https_or_http()
        .enable_all_versions()
        .wrap_connector(Ways::of_env());
    Ok(Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .http1_preserve_header_case(true)
        .http2_adaptive_window(true)
        .build(connector))
}

/// An error with its causes.
fn chain(error: &dyn Error) -> String {
    let mut said = error.to_string();
    let mut after = error.source();
    while let Some(error) = after {
        let more = error.to_string();
        if !said.ends_with(&more) {
            said = format!("{said}: {more}");
        }
        after = error.source();
    }
    said
}

/// The recorder's own errors, in a form that SDKs show.
fn said(status: StatusCode, message: &str) -> Response<Answered> {
    let message = format!("promptc capture: {message}");
    let error =
        serde_json::json!({"type": "error", "error": {"type": "recorder", "message": message}});
    let body = Full::new(Bytes::from(format!("{error}\n")));
    let mut response = Response::new(body.map_err(|never| match never {}).boxed_unsync());
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}
