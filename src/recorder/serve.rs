//! The server on 127.0.0.1, and the command that it is for.

use super::exchange::Recorded;
use super::proxy::{Proxy, Tally};
use super::table::{Routes, Setting};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::GracefulShutdown;
use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitStatus;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::process::Command;

/// The time that exchanges may still take when the command has ended.
const REST: Duration = Duration::from_secs(2);

/// The reason for serving.
pub(crate) enum For<'a> {
    /// A command, which gets these variables in addition to those of the routes.
    Command {
        command: &'a [OsString],
        settings: &'a [Setting],
    },
    /// Any client, until a signal ends it. The callback gets the port.
    Anyone(&'a mut dyn FnMut(u16)),
}

/// Why nothing was served.
#[derive(Debug)]
pub(crate) enum Failed {
    /// The port is not to be had.
    Port(io::Error),
    /// The command could not be started.
    Command(io::Error),
    /// The system gives no runtime, signal or certificates.
    System(io::Error),
}

/// Serves until the command ends, or a signal ends it; says how the command ended. `begun` is called when the port is there and the
/// command runs, before the first request is taken.
pub(super) fn serve(
    routes: Routes,
    port: u16,
    what: For<'_>,
    tally: Arc<Mutex<Tally>>,
    to: Sender<Recorded>,
    begun: impl FnOnce(),
) -> Result<Option<ExitStatus>, Failed> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Failed::System)?;
    let ended = runtime.block_on(async {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = TcpListener::bind(address).await.map_err(Failed::Port)?;
        let port = listener.local_addr().map_err(Failed::Port)?.port();
        let variables: Vec<Setting> = routes.variables(port).map(|(s, _)| s).collect();
        let proxy = Proxy::new(routes, port, tally, to).map_err(Failed::System)?;
        let connections = GracefulShutdown::new();
        let ended = tokio::select! {
            ended = until(what, port, &variables, begun) => ended,
            never = accept(&listener, Arc::new(proxy), &connections) => match never {},
        };
        drop(listener);
        // An open exchange may finish; later ones are recorded as far as they came.
        let _ = tokio::time::timeout(REST, connections.shutdown()).await;
        ended
    });
    // A name that is still looked up is not waited for.
    runtime.shutdown_background();
    ended
}

/// Takes connections, for ever.
async fn accept(
    listener: &TcpListener,
    proxy: Arc<Proxy>,
    connections: &GracefulShutdown,
) -> Infallible {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // No more files may be open: some connection ends before long.
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let proxy = proxy.clone();
        let service = service_fn(move |request| {
            let proxy = proxy.clone();
            async move { Ok::<_, Infallible>(proxy.answer(request).await) }
        });
        let mut builder = http1::Builder::new();
        builder.preserve_header_case(true).auto_date_header(false);
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            // A client that disconnects in the middle is no error of ours.
            let _ = connection.await;
        });
    }
}

async fn until(
    what: For<'_>,
    port: u16,
    variables: &[Setting],
    begun: impl FnOnce(),
) -> Result<Option<ExitStatus>, Failed> {
    let mut signals = Signals::new().map_err(Failed::System)?;
    match what {
        For::Anyone(reported) => {
            begun();
            reported(port);
            signals.end().await;
            Ok(None)
        }
        For::Command { command, settings } => {
            let mut child = Command::new(command.first().map_or(OsStr::new(""), |c| c.as_os_str()));
            child.args(command.iter().skip(1));
            child.envs(
                variables
                    .iter()
                    .chain(settings)
                    .map(|s| (&s.name, &s.value)),
            );
            // A proxy for other hosts is none for this one.
            for [name, other] in [["NO_PROXY", "no_proxy"], ["no_proxy", "NO_PROXY"]] {
                child.env(name, with_loopback(name, other));
            }
            let mut child = child.spawn().map_err(Failed::Command)?;
            begun();
            loop {
                tokio::select! {
                    ended = child.wait() => return ended.map(Some).map_err(Failed::System),
                    signal = signals.next_to_hand_on() => hand_on(signal, child.id()),
                }
            }
        }
    }
}

#[allow(
    clippy::disallowed_methods,
    reason = "what a child gets is what is here, and more"
)]
fn with_loopback(name: &str, other: &str) -> OsString {
    let set = std::env::var_os(name).or_else(|| std::env::var_os(other));
    let mut all = set.unwrap_or_default();
    if all == "*" {
        return all;
    }
    if !all.is_empty() {
        all.push(",");
    }
    all.push("127.0.0.1,localhost");
    all
}

#[cfg(unix)]
use unix::{Signals, hand_on};

#[cfg(unix)]
mod unix {
    use crate::world::{DiskWorld, World as _};
    use rustix::process::{Pid, Signal, kill_process};
    use std::future::pending;
    use std::io;
    use std::path::Path;
    use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

    /// The signals that would end this program.
    pub(super) struct Signals {
        interrupt: Ending,
        quit: Ending,
        terminate: Ending,
        hangup: Ending,
    }

    /// One of them; none if it is ignored, as `nohup` does it: so it stays for the child.
    struct Ending(Option<Stream>);

    impl Ending {
        fn of(kind: SignalKind, ignored: u64) -> io::Result<Self> {
            let is_ignored = ignored >> (kind.as_raw_value() - 1) & 1 == 1;
            (!is_ignored).then(|| signal(kind)).transpose().map(Self)
        }

        async fn recv(&mut self) {
            match &mut self.0 {
                Some(stream) => _ = stream.recv().await,
                None => pending().await,
            }
        }
    }

    /// The signals that are ignored, a bit each; none where the system does not say it.
    fn ignored() -> u64 {
        let status = DiskWorld.read(Path::new("/proc/self/status"), 1 << 16);
        let status = status.ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let bits = status.as_deref().and_then(|status| {
            let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
            u64::from_str_radix(line?.trim(), 16).ok()
        });
        bits.unwrap_or_default()
    }

    impl Signals {
        pub(super) fn new() -> io::Result<Self> {
            let ignored = ignored();
            Ok(Self {
                interrupt: Ending::of(SignalKind::interrupt(), ignored)?,
                quit: Ending::of(SignalKind::quit(), ignored)?,
                terminate: Ending::of(SignalKind::terminate(), ignored)?,
                hangup: Ending::of(SignalKind::hangup(), ignored)?,
            })
        }

        /// Waits for any of them.
        pub(super) async fn end(&mut self) {
            tokio::select! {
                () = self.interrupt.recv() => {}
                () = self.quit.recv() => {}
                () = self.terminate.recv() => {}
                () = self.hangup.recv() => {}
            }
        }

        /// Waits for one that the child does not have yet: a terminal sends the other two to both.
        pub(super) async fn next_to_hand_on(&mut self) -> Signal {
            loop {
                tokio::select! {
                    () = self.interrupt.recv() => {}
                    () = self.quit.recv() => {}
                    () = self.terminate.recv() => return Signal::TERM,
                    () = self.hangup.recv() => return Signal::HUP,
                }
            }
        }
    }

    pub(super) fn hand_on(signal: Signal, child: Option<u32>) {
        let pid = child.and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        if let Some(pid) = pid {
            // A child that has ended needs none.
            let _ = kill_process(pid, signal);
        }
    }
}

#[cfg(not(unix))]
use others::{Signals, hand_on};

#[cfg(not(unix))]
mod others {
    use std::convert::Infallible;
    use std::io;

    /// The signals that would end this program.
    pub(super) struct Signals;

    impl Signals {
        pub(super) fn new() -> io::Result<Self> {
            Ok(Self)
        }

        /// Waits for it.
        pub(super) async fn end(&mut self) {
            let _ = tokio::signal::ctrl_c().await;
        }

        /// Waits for ever: the console signals the child itself.
        pub(super) async fn next_to_hand_on(&mut self) -> Infallible {
            loop {
                let _ = tokio::signal::ctrl_c().await;
            }
        }
    }

    pub(super) fn hand_on(never: Infallible, _: Option<u32>) {
        match never {}
    }
}
