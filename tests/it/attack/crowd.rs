//! Many callers of one session: none gets a prompt that was made for the `refresh` facts of another.
//!
//! `PROMPTC_CROWD` says how many calls each of 16 processes takes.

use crate::run::{Place, Ran, run};
use serde_json::Value as Json;
use std::fs;
use std::io::Write as _;
use std::process::Stdio;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// How many call at once.
const CROWD: usize = 16;

const USERS: [&str; 4] = ["Ann", "Bob", "Cid", "Dora"];

/// A kept tier and live ones in two channels, all of which print the fact.
fn manifest(session: &str) -> String {
    format!(
        r#"promptc 1
fact user string default=nobody
fact hot string default="" changes=turn
tier stable {{ layer who {{ template "You talk to {{{{ user }}}}." }} }}
tier turn changes=turn {{ layer again {{ template "Still {{{{ user }}}}{{{{ hot }}}}." }} }}
tier mail changes=turn deliver=user {{ layer mail {{ template "From {{{{ user }}}}." }} }}
session {{ {session} }}
"#
    )
}

fn calls() -> usize {
    let text = std::env::var("PROMPTC_CROWD").unwrap_or_else(|_| "4".to_owned());
    text.parse().expect("PROMPTC_CROWD is a number")
}

/// A number below `end` that differs from call to call.
fn dice(seed: usize, end: usize) -> usize {
    use sha2::Digest as _;
    let hash = sha2::Sha256::digest(seed.to_be_bytes());
    usize::from(u16::from_be_bytes([hash[0], hash[1]])) % end
}

fn call(place: &Place, user: &str, more: &[&str]) -> Ran {
    let set = format!("user={user}");
    let args = [
        "build",
        "--session",
        "s",
        "--set",
        &set,
        "--format",
        "json",
        "--wait",
        "60",
    ];
    run(place.command(&[&args, more].concat()), b"")
}

/// The texts of all channels.
fn texts(ran: &Ran) -> Vec<(String, String)> {
    let json: Json = serde_json::from_slice(&ran.stdout).unwrap();
    let channels = json["channels"].as_array().unwrap().iter();
    let text = |c: &Json, key: &str| c[key].as_str().unwrap().to_owned();
    channels
        .map(|c| (text(c, "channel"), text(c, "text")))
        .collect()
}

fn made_for(user: &str) -> Vec<(String, String)> {
    let system = format!("You talk to {user}.\n\nStill {user}.");
    vec![
        ("system".to_owned(), system),
        ("user".to_owned(), format!("From {user}.")),
    ]
}

/// Lets all processes of a crowd take their calls: which user, and what else is given.
fn crowd(place: &Place, check: impl Fn(&str, &Ran) + Sync) {
    let (start, calls) = (Barrier::new(CROWD), calls());
    thread::scope(|scope| {
        for member in 0..CROWD {
            let (start, check) = (&start, &check);
            scope.spawn(move || {
                start.wait();
                for n in 0..calls {
                    let seed = member * 100_000 + n;
                    let user = USERS[dice(seed, USERS.len())];
                    let more: &[&str] = match dice(seed + 50_000, 8) {
                        0 => &["--refresh"],
                        1 => &["--event", "compaction"],
                        _ => &[],
                    };
                    check(user, &call(place, user, more));
                }
            });
        }
    });
}

#[test]
fn no_call_gets_a_prompt_that_was_made_for_another_value_of_a_refresh_fact() {
    let place = Place::new();
    let session = "refresh fact=user; refresh event=compaction";
    place.file("promptc.kdl", manifest(session));
    let printed = AtomicUsize::new(0);
    crowd(&place, |user, ran| match ran.code {
        0 => {
            assert_eq!(texts(ran), made_for(user), "{}", ran.stderr);
            printed.fetch_add(1, Ordering::Relaxed);
        }
        // One that others overtake each time says so, and prints nothing.
        code => {
            assert_eq!((code, &*ran.stdout), (3, &b""[..]), "{}", ran.stderr);
            assert!(
                ran.stderr
                    .starts_with("error[store-busy]: others build the session `s`"),
                "{}",
                ran.stderr
            );
        }
    });
    assert!(printed.into_inner() >= CROWD);
    place.run(&["session", "verify"]).exits(0);
}

#[test]
fn simultaneous_first_calls_get_their_own_prompts() {
    for _ in 0..calls().div_ceil(4) {
        let place = Place::new();
        place.file("promptc.kdl", manifest("refresh fact=user"));
        let start = Barrier::new(CROWD);
        thread::scope(|scope| {
            for n in 0..CROWD {
                let (place, start) = (&place, &start);
                scope.spawn(move || {
                    let user = format!("user {n}");
                    start.wait();
                    let ran = call(place, &user, &[]).exits(0);
                    assert_eq!(texts(&ran), made_for(&user));
                });
            }
        });
    }
}

/// Each caller gets a build that began after the call, not one that others were about to store.
#[cfg(target_os = "linux")]
#[test]
fn a_refresh_gives_no_build_that_began_before_it() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\nroot workspace default=\".\"\nfact user string default=nobody\n\
         tier t { layer rules { file \"AGENTS.md\" } }\n",
    );
    place.file("AGENTS.md", "old");
    let build = ["build", "--session", "s"];
    place.run(&build).exits(0);
    let refresh = [&build[..], &["--refresh"]].concat();
    let mut command = place.command(&[&refresh[..], &["--facts", "-"]].concat());
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // It has read the session when it waits for its facts.
    let fds = format!("/proc/{}/fd", child.id());
    let opens = |fd: fs::DirEntry| {
        let path = fs::read_link(fd.path()).unwrap_or_default();
        path.ends_with("store.db")
    };
    while !fs::read_dir(&fds).unwrap().flatten().any(opens) {
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(Duration::from_millis(200));
    assert_eq!(place.run(&refresh).exits(0).stdout(), "old");
    place.file("AGENTS.md", "new");
    child.stdin.take().unwrap().write_all(b"{}").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "new");
    assert_eq!(place.run(&build).exits(0).stdout(), "new");
}
