//! Connections to upstreams: directly, or through a tunnel of the proxy that the environment names.

use hyper::Uri;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::TokioIo;
use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::net::TcpStream;
use tower_service::Service;

/// The connections to upstreams.
#[derive(Debug, Clone)]
pub(super) struct Ways {
    tcp: HttpConnector,
    proxies: Arc<Matcher>,
}

/// Whether a host is this machine.
pub(super) fn is_loopback(name: &str) -> bool {
    name == "127.0.0.1" || name.eq_ignore_ascii_case("localhost")
}

impl Ways {
    /// The proxies of `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`.
    pub(super) fn of_env() -> Self {
        let mut tcp = HttpConnector::new();
        tcp.set_nodelay(true);
        tcp.enforce_http(false);
        let proxies = Arc::new(Matcher::from_env());
        Self { tcp, proxies }
    }
}

impl Service<Uri> for Ways {
    type Response = TokioIo<TcpStream>;
    type Error = Box<dyn Error + Send + Sync>;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.tcp.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        // Unencrypted requests need no tunnel, and local ones no proxy.
        let is_far = to.scheme_str() == Some("https") && !to.host().is_some_and(is_loopback);
        let proxy = is_far.then(|| self.proxies.intercept(&to)).flatten();
        let Some(proxy) = proxy else {
            let direct = self.tcp.call(to);
            return Box::pin(async { Ok(direct.await?) });
        };
        if proxy.uri().scheme_str() != Some("http") {
            let why = "the proxy of HTTPS_PROXY or ALL_PROXY does not start with http://, the only supported scheme";
            return Box::pin(async move { Err(why.into()) });
        }
        let mut tunnel = Tunnel::new(proxy.uri().clone(), self.tcp.clone());
        if let Some(login) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(login.clone());
        }
        let tunnel = tunnel.call(to);
        Box::pin(async { Ok(tunnel.await?) })
    }
}
