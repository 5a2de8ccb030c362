//! Upstreams behind a proxy that the environment names.

use super::provider::Provider;
use super::{Recorder, body, http};
use crate::run::Place;
use std::io::{self, BufReader, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A proxy that leads all tunnels to one port, and keeps what it was asked. Without a port it opens none.
struct Proxy {
    port: u16,
    asked: Arc<Mutex<Vec<http::Message>>>,
}

impl Proxy {
    fn to(port: Option<u16>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let proxy = Self {
            port: listener.local_addr().unwrap().port(),
            asked: asked.clone(),
        };
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let mut from = BufReader::new(client.try_clone().unwrap());
                let request = http::head(&mut from).unwrap().unwrap();
                asked.lock().unwrap().push(request);
                tunnel(client, port);
            }
        });
        proxy
    }
}

fn tunnel(mut client: TcpStream, port: Option<u16>) {
    let Some(port) = port else {
        client.write_all(b"HTTP/1.1 403 Forbidden\r\n\r\n").unwrap();
        return;
    };
    client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
    let provider = TcpStream::connect(("127.0.0.1", port)).unwrap();
    for (from, to) in [(&client, &provider), (&provider, &client)] {
        let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
        thread::spawn(move || {
            let _ = io::copy(&mut from, &mut to);
            let _ = to.shutdown(Shutdown::Write);
        });
    }
}

/// A recorder with the upstreams `far`, which only a proxy knows, and `near`.
fn recorder(place: &Place, provider: &Provider, env: &[(&str, &str)]) -> Recorder {
    place.file("authority.pem", &provider.authority);
    let near = format!("near={}", provider.url());
    let far = "far=https://provider.example";
    let args = [
        "capture",
        "serve",
        "-o",
        "log.jsonl",
        "--upstream",
        far,
        "--upstream",
        &near,
    ];
    let mut command = place.command(&args);
    for name in [
        "HTTPS_PROXY",
        "https_proxy",
        "ALL_PROXY",
        "all_proxy",
        "NO_PROXY",
        "no_proxy",
    ] {
        command.env_remove(name);
    }
    command.env("SSL_CERT_FILE", place.path().join("authority.pem"));
    command.envs(env.iter().copied());
    Recorder::start(command)
}

#[test]
fn an_upstream_is_reached_by_way_of_the_proxy_that_the_environment_names() {
    let (place, provider) = (Place::new(), Provider::new());
    let proxy = Proxy::to(Some(provider.port));
    let url = format!("http://ann:hunter22@127.0.0.1:{}", proxy.port);
    for name in ["HTTPS_PROXY", "all_proxy"] {
        let recorder = recorder(&place, &provider, &[(name, &url)]);
        for _ in 0..2 {
            let answer = recorder.send("/far/v1/messages", "", &body("s", "m"));
            assert_eq!(answer.status(), 200, "{answer:?}");
        }
        // A local server needs none.
        let answer = recorder.send("/near/v1/messages", "", &body("s", "m"));
        assert_eq!(answer.status(), 200, "{answer:?}");
        let said = recorder.end();
        assert!(said.contains("3 requests recorded"), "{said}");
        assert!(!format!("{said}{}", place.read("log.jsonl")).contains("hunter22"));
        let asked = std::mem::take(&mut *proxy.asked.lock().unwrap());
        assert_eq!(asked.len(), 1, "{asked:?}");
        assert_eq!(asked[0].first, "CONNECT provider.example:443 HTTP/1.1");
        let login = asked[0].header("proxy-authorization");
        assert_eq!(login, Some("Basic YW5uOmh1bnRlcjIy"));
    }
    let hosts = provider.calls();
    assert_eq!(hosts[0].request.header("host"), Some("provider.example"));
    assert!(
        hosts
            .iter()
            .all(|call| call.request.header("proxy-authorization").is_none())
    );
}

#[test]
fn an_unusable_proxy_is_reported_and_an_excluded_host_uses_none() {
    let (place, provider) = (Place::new(), Provider::new());
    let proxy = Proxy::to(None);
    let url = format!("http://127.0.0.1:{}", proxy.port);
    let socks = "socks5://ann:hunter22@127.0.0.1:1";
    for (env, why, asked) in [
        (
            &[("HTTPS_PROXY", url.as_str())][..],
            "tunnel error: unsuccessful",
            1,
        ),
        (
            &[("HTTPS_PROXY", &url), ("NO_PROXY", "example")],
            "dns error",
            0,
        ),
        (&[("HTTPS_PROXY", socks)], "does not start with http://", 0),
    ] {
        let recorder = recorder(&place, &provider, env);
        let answer = recorder.send("/far/v1/messages", "", &body("s", "m"));
        assert_eq!(answer.status(), 502);
        assert!(answer.text().contains(why), "{answer:?}");
        let said = recorder.end();
        assert!(said.contains(why) && !said.contains("hunter22"), "{said}");
        assert_eq!(
            std::mem::take(&mut *proxy.asked.lock().unwrap()).len(),
            asked
        );
    }
}
