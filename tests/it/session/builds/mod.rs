//! `build --session` as apps use it: many processes, killed ones, damaged and full stores, and a day of turns.
//!
//! The counts of the long proofs come from the environment; without it they are small. `.ci/full` has the long ones.

mod calls;
mod cleared;
mod clock;
mod crowd;
mod damage;
mod day;
pub(crate) mod disk;
mod events;
mod app;
mod killed;
mod locked;
mod names;
mod output;
mod private;
mod stored;
#[cfg(target_os = "linux")]
mod unwritten;

use crate::run::{Place, Ran, run};
use promptc::session::store::{SessionId, sqlite};
use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::str::FromStr;
use std::thread;
use std::time::{Duration, Instant};

/// A number from the environment, else the usual one.
pub(crate) fn number<T: FromStr>(name: &str, usual: T) -> T {
    match std::env::var(name) {
        Ok(text) => (text.parse()).unwrap_or_else(|_| panic!("{name}={text} is no number")),
        Err(_) => usual,
    }
}

/// Random numbers that are the same for the same seed (xorshift).
pub(crate) struct Dice(u64);

impl Dice {
    /// `PROMPTC_SEED`, or always the same.
    pub(crate) fn new(salt: u64) -> Self {
        let seed: u64 = number("PROMPTC_SEED", 7);
        Self((seed ^ salt.wrapping_mul(0x9e37_79b9_7f4a_7c15)) | 1)
    }

    /// Below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        for (left, by) in [(true, 13), (false, 7), (true, 17)] {
            self.0 ^= if left { self.0 << by } else { self.0 >> by };
        }
        (self.0 >> 11) % end
    }

    /// Once in `times`.
    pub(crate) fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }
}

/// The output of a call with `--format json`.
#[derive(Debug, Clone, PartialEq)]
struct Told {
    state: String,
    number: u64,
    reason: String,
    at: String,
    system: String,
    user: String,
}

impl Told {
    fn read(json: &[u8]) -> Self {
        let json: Json = serde_json::from_slice(json).unwrap();
        let session = &json["session"];
        let word = |name: &str| session[name].as_str().unwrap().to_owned();
        let text = |deliver: &str| {
            let channels = json["channels"].as_array().unwrap().iter();
            let mut found = channels.filter(|c| c["channel"] == deliver);
            let text = found.next().map(|c| c["text"].as_str().unwrap());
            text.unwrap_or_default().to_owned()
        };
        Self {
            state: word("state"),
            number: session["build"].as_u64().unwrap(),
            reason: word("reason"),
            at: word("built"),
            system: text("system"),
            user: text("user"),
        }
    }
}

/// A folder with a manifest, and the store next to it.
struct Desk {
    place: Place,
}

impl Desk {
    fn new(manifest: &str) -> Self {
        let place = Place::new();
        place.file("promptc.kdl", manifest);
        Self { place }
    }

    fn store(&self) -> PathBuf {
        self.place.path().join(".promptc/store.db")
    }

    /// `build --session ID` with more arguments, ready to be changed.
    fn command(&self, id: &str, args: &[&str]) -> Command {
        self.place
            .command(&[&["build", "--session", id], args].concat())
    }

    fn run(&self, id: &str, args: &[&str]) -> Ran {
        run(self.command(id, args), b"")
    }

    /// The system prompt.
    fn text(&self, id: &str, args: &[&str]) -> String {
        self.run(id, args).exits(0).stdout().to_owned()
    }

    /// All of it.
    fn told(&self, id: &str, args: &[&str]) -> Told {
        let args = [&["--format", "json"], args].concat();
        Told::read(&self.run(id, &args).exits(0).stdout)
    }

    /// The codes of a call on stderr, and its exit code.
    fn codes(&self, id: &str, args: &[&str]) -> (i32, Vec<String>) {
        codes(self.command(id, args))
    }
}

/// The codes of a command on stderr, and its exit code; without the note that the turn's text is in another channel.
fn codes(mut command: Command) -> (i32, Vec<String>) {
    command.args(["--message-format", "json"]);
    let ran = run(command, b"");
    let mut codes = codes_in(&ran.stderr);
    codes.retain(|code| code != "other-channels");
    (ran.code, codes)
}

fn codes_in(stderr: &str) -> Vec<String> {
    let told = stderr
        .lines()
        .filter_map(|l| serde_json::from_str::<Json>(l).ok());
    told.filter_map(|t| Some(t["code"].as_str()?.to_owned()))
        .collect()
}

fn id(name: &str) -> SessionId {
    SessionId::parse(name).unwrap()
}

/// The store as the library reads it.
fn open(path: &Path) -> sqlite::Sqlite {
    sqlite::open(path, 30).unwrap()
}

/// Waits for a process, which has to end by itself.
fn ended(mut child: Child, within: Duration) -> std::process::Output {
    let until = Instant::now() + within;
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > until {
            child.kill().unwrap();
            panic!("a process did not end within {within:?}");
        }
        thread::sleep(Duration::from_millis(1));
    }
    child.wait_with_output().unwrap()
}
