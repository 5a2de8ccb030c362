//! A process that builds a session is killed at any point: the session is absent or whole, and the store opens.
//!
//! `PROMPTC_KILLS` says how many are killed.

use super::{Desk, Dice, Told, id, number, open};
use crate::run::Ran;
use promptc::prompt::Deliver;
use promptc::session::store::{Reason, Store as _};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const MANIFEST: &str = r#"promptc 1
name killed
root workspace default="."
fact stamp int
tier stable changes=session {
    layer stamp {
        template "stamp {{ stamp }}"
    }
    layer body {
        file "body.md"
    }
}
tier turn changes=turn deliver=user {
    layer turn {
        text "turn"
    }
}
"#;

/// Few, so that most of the killed processes rebuild an existing one.
const SESSIONS: u64 = 12;

/// The state of a session before a process is killed, and the possible states after it.
#[derive(Default)]
struct Known {
    /// The stamps of all that were started.
    tried: BTreeSet<u64>,
    /// The stamps of its builds, oldest first.
    kept: Vec<u64>,
}

/// Where a process was when it was killed.
#[derive(Default)]
struct Tally {
    before: u32,
    behind: u32,
    done: u32,
}

struct Proof {
    desk: Desk,
    body: String,
    known: BTreeMap<(PathBuf, String), Known>,
    tally: Tally,
    stamps: u64,
}

impl Proof {
    fn new() -> Self {
        let desk = Desk::new(MANIFEST);
        let body =
            "A line of a prompt that is as long as sixty-six kilobytes of it.\n".repeat(1000);
        desk.place.file("body.md", &body);
        Self {
            desk,
            body,
            known: BTreeMap::new(),
            tally: Tally::default(),
            stamps: 0,
        }
    }

    fn text(&self, stamp: u64) -> String {
        format!("stamp {stamp}\n\n{}", self.body.trim_end())
    }

    /// Starts a build of a session that writes what it prints to a file.
    fn start(&mut self, store: &Path, session: &str, out: &str) -> (Child, u64) {
        self.stamps += 1;
        let stamp = self.stamps;
        let known = self.known.entry((store.to_owned(), session.to_owned()));
        known.or_default().tried.insert(stamp);
        let set = format!("stamp={stamp}");
        let path = store.to_str().unwrap();
        let args = [
            "--refresh",
            "--format",
            "json",
            "--set",
            &set,
            "--store",
            path,
        ];
        let mut command = self.desk.command(session, &args);
        let out = File::create(self.desk.place.path().join(out)).unwrap();
        let errors = self.desk.place.path().join("errors");
        let errors = File::options()
            .create(true)
            .append(true)
            .open(errors)
            .unwrap();
        command.stdin(Stdio::null()).stdout(out).stderr(errors);
        (command.spawn().unwrap(), stamp)
    }

    /// How long such a process takes.
    fn duration(&mut self) -> Duration {
        let times = (0..4).map(|_| {
            let start = Instant::now();
            let (mut child, _) = self.start(Path::new("timed.db"), "s", "out");
            assert!(child.wait().unwrap().success());
            start.elapsed()
        });
        times.max().unwrap()
    }

    /// Holds the store against what is known. `printed`: the stamp of a process that said that it was done.
    fn check(&mut self, store: &Path, session: &str, printed: Option<u64>) -> Option<u64> {
        let mut opened = open(&self.desk.place.path().join(store));
        let found = opened.session(&id(session)).unwrap();
        let builds = opened.builds(&id(session)).unwrap();
        let numbers: Vec<u64> = builds.iter().map(|b| b.number).collect();
        assert!(
            numbers.iter().copied().eq(1..=numbers.len() as u64),
            "{numbers:?}"
        );
        assert_eq!(found.map(|f| f.build), builds.last().cloned());
        let mut stamps = Vec::new();
        for build in &builds {
            let text = opened.content(&build.texts[&Deliver::System]).unwrap();
            let first = text.lines().next().unwrap();
            let stamp = first.strip_prefix("stamp ").unwrap().parse().unwrap();
            assert!(
                text == self.text(stamp),
                "{session}: not the text of stamp {stamp}"
            );
            let reason = if build.number == 1 {
                Reason::First
            } else {
                Reason::Asked
            };
            assert_eq!(build.reason, reason);
            stamps.push(stamp);
        }
        let key = (store.to_owned(), session.to_owned());
        let known = self.known.get_mut(&key).unwrap();
        let (before, new) = stamps
            .split_at_checked(known.kept.len())
            .expect("a build is lost");
        assert_eq!(before, known.kept);
        assert!(new.len() <= 1, "one process made {new:?}");
        assert!(new.iter().all(|stamp| known.tried.contains(stamp)));
        if printed.is_some() {
            assert_eq!(
                new.first().copied(),
                printed,
                "what was printed is not kept"
            );
        }
        let new = new.first().copied();
        known.kept = stamps;
        new
    }

    /// The later output of the program.
    fn restored(&mut self, store: &Path, session: &str) {
        let known = &self.known[&(store.to_owned(), session.to_owned())];
        let Some(newest) = known.kept.last().copied() else {
            return;
        };
        let args = ["--store", store.to_str().unwrap()];
        assert!(self.desk.text(session, &args) == self.text(newest));
    }

    fn printed(&self, out: &str, stamp: u64) -> Told {
        let told = Told::read(&fs::read(self.desk.place.path().join(out)).unwrap());
        assert!(told.system == self.text(stamp));
        told
    }

    fn round(&mut self, dice: &mut Dice, round: u32, whole: Duration) {
        // Now and then a store that is only being made.
        let store = match round % 5 {
            0 => PathBuf::from(format!("store-{round}.db")),
            _ => PathBuf::from("store.db"),
        };
        let session = format!("s{}", dice.below(SESSIONS));
        let (mut child, stamp) = self.start(&store, &session, "out");
        let beside = round
            .is_multiple_of(3)
            .then(|| self.start(&store, "beside", "beside"));
        let nanos = u64::try_from(whole.as_nanos()).unwrap();
        thread::sleep(Duration::from_nanos(dice.below(nanos + nanos / 8)));
        child.kill().unwrap();
        let done = child.wait().unwrap().success();
        if let Some((mut beside, stamp)) = beside {
            assert!(beside.wait().unwrap().success(), "it was not killed");
            self.printed("beside", stamp);
            self.check(&store, "beside", Some(stamp));
        }
        if done {
            self.printed("out", stamp);
        }
        let kept = self.check(&store, &session, done.then_some(stamp));
        match (done, kept) {
            (true, _) => self.tally.done += 1,
            (false, Some(_)) => self.tally.behind += 1,
            (false, None) => self.tally.before += 1,
        }
        self.restored(&store, &session);
        if round.is_multiple_of(16) {
            self.verify(&store);
        }
    }

    fn verify(&self, store: &Path) {
        let found = open(&self.desk.place.path().join(store)).verify();
        assert_eq!(found.unwrap(), []);
    }
}

#[test]
fn a_killed_build_leaves_a_session_absent_or_whole() {
    let kills = number("PROMPTC_KILLS", 24);
    let (mut proof, mut dice) = (Proof::new(), Dice::new(1));
    let whole = proof.duration();
    for round in 0..kills {
        proof.round(&mut dice, round, whole);
    }
    proof.verify(Path::new("store.db"));
    let errors = proof.desk.place.read("errors");
    assert_eq!(errors, "");
    let Tally {
        before,
        behind,
        done,
    } = proof.tally;
    println!(
        "{kills} builds of {whole:?} each were killed: {before} before they were kept, {behind} behind it, {done} were done"
    );
    assert_eq!(before + behind + done, kills);
    // So many cannot all miss the moment.
    assert!(kills < 100 || (before > 0 && behind > 0));
}

#[test]
fn output_cut_by_a_closed_pipe_is_stored() {
    let proof = Proof::new();
    let mut command = proof.desk.command("s", &["--set", "stamp=1"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let code = child.wait().unwrap().code();
    assert_eq!(code, Some(0));
    let Ran { stdout, .. } = proof.desk.run("s", &[]).exits(0);
    assert!(stdout == proof.text(1).as_bytes());
}
