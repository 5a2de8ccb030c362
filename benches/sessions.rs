//! Sessions: a restore compared with the `sqlite3` program, and a crowd compared with plain inserts and selects of the
//! same bytes.

use super::{PROMPTC, median, ms, run, words};
use promptc::compile::{GivenInputs, freeze, prepare};
use promptc::diagnostic::Diagnostics;
use promptc::diagnostic::span::Files;
use promptc::manifest;
use promptc::prompt::Deliver;
use promptc::session::keep;
use promptc::session::store::{Freeze, NewBuild, Reason, SessionId, Store as _, sqlite};
use promptc::world::{DiskWorld, Recorder};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

/// How many work at once, and how many operations each takes.
const CROWD: u64 = 16;
const EACH: u64 = 300;

const MANIFEST: &str = r#"promptc 1
name sessions
root workspace default="."
fact who string
tier stable changes=session {
    layer who { template "This is the session of {{ who }}." }
    layer rules { file "rules.md" }
}
tier turn changes=turn deliver=user {
    layer turn { text "And this is the turn." }
}
"#;

/// Builds of the manifest, made in this process as `build --session` makes them.
struct Builds {
    folder: tempfile::TempDir,
}

impl Builds {
    /// With a text of about so many bytes.
    fn new(bytes: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let line = "Say what was done, what was not, and which file shows it.\n";
        std::fs::write(folder.path().join("promptc.kdl"), MANIFEST).unwrap();
        let rules = line.repeat(bytes / line.len());
        std::fs::write(folder.path().join("rules.md"), rules).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn make(&self, who: &str) -> NewBuild {
        let (mut files, mut diags) = (Files::default(), Diagnostics::default());
        let world = Recorder::new(&DiskWorld);
        let given = GivenInputs {
            sets: vec![("who".to_owned(), who.to_owned())],
            ..GivenInputs::default()
        };
        let path = self.path("promptc.kdl");
        let manifest = manifest::open(&world, path.to_str(), &mut files, &mut diags).unwrap();
        let plan = prepare(&manifest, &given, &world, &mut files, &mut diags).unwrap();
        let made = freeze(&plan, &given, &[], &DiskWorld, &mut diags).unwrap();
        let (identity, program) = (path.to_str().map(str::to_owned), world.tape());
        let kept = keep(
            &plan,
            made,
            program,
            &given,
            None,
            identity,
            self.folder.path(),
        );
        kept.build(0, Reason::First).unwrap()
    }
}

fn id(name: &str) -> SessionId {
    SessionId::parse(name).unwrap()
}

pub(super) fn figures() {
    restore();
    crowd_in_one_process();
    crowd_of_processes();
}

/// One of 10,000 sessions of 66 KB, restored by a process.
fn restore() {
    const SESSIONS: u64 = 10_000;
    const ROUNDS: u64 = 200;
    let builds = Builds::new(66_000);
    let path = builds.path("store.db");
    let mut store = sqlite::open(&path, 60).unwrap();
    let start = Instant::now();
    for n in 0..SESSIONS {
        let build = builds.make(&format!("user {n}"));
        store
            .freeze(&id(&format!("session-{n}")), None, &build)
            .unwrap();
    }
    drop(store);
    let size = std::fs::metadata(&path).unwrap().len();
    println!(
        "\nrestore of one of {SESSIONS} sessions with texts of 66 KB each ({} MB, written in {:.0} s), medians of {ROUNDS}",
        size / 1_000_000,
        start.elapsed().as_secs_f64()
    );
    let file = path.display().to_string();
    let plain = builds.path("plain.txt");
    let mut times = vec![Vec::new(); 4];
    for round in 0..=ROUNDS {
        let name = format!("session-{}", round * 7919 % SESSIONS);
        let mut store = sqlite::open(&path, 60).unwrap();
        let key = store.session(&id(&name)).unwrap().unwrap().build.texts[&Deliver::System].clone();
        std::fs::write(&plain, store.content(&key).unwrap()).unwrap();
        drop(store);
        let hash = key.as_str().strip_prefix("sha256:").unwrap();
        let sql = format!("SELECT text FROM content WHERE hash = x'{hash}'");
        let commands = [
            words(&["sqlite3", &file, &sql]),
            words(&["cat", &plain.display().to_string()]),
            words(&[PROMPTC, "--version"]),
            words(&[PROMPTC, "build", "--session", &name, "--store", &file]),
        ];
        for (command, times) in commands.iter().zip(&mut times) {
            let time = run(command);
            if round > 0 {
                times.push(time);
            }
        }
        if round == 0 {
            same_text(&commands[0], &commands[3]);
        }
    }
    let first = times[0].clone();
    for (name, own) in [
        "sqlite3, the same row",
        "cat of the text",
        "promptc --version",
        "promptc build --session",
    ]
    .iter()
    .zip(times)
    {
        let mut ratios: Vec<f64> = (own.iter().zip(&first))
            .map(|(a, b)| a.as_secs_f64() / b.as_secs_f64())
            .collect();
        ratios.sort_by(f64::total_cmp);
        println!(
            "  {name:<30} {:>7.2} ms   {:>5.2} x sqlite3",
            ms(median(own)),
            ratios[ratios.len() / 2]
        );
    }
}

/// Both print what is measured.
fn same_text(theirs: &[String], ours: &[String]) {
    let output = |command: &[String]| {
        let ran = Command::new(&command[0])
            .args(&command[1..])
            .output()
            .unwrap();
        String::from_utf8(ran.stdout).unwrap()
    };
    assert_eq!(output(theirs).trim_end(), output(ours));
}

/// The operation of a member of the crowd, by its number.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    /// A new session.
    First,
    /// Another build of one that is there.
    Refresh,
    /// Its text, with a note of the use.
    Restore,
    /// Removed.
    Remove,
    /// The names of all.
    List,
}

/// Of twenty operations ten restore, five refresh, three build a new session, one removes and one lists.
fn step(n: u64) -> Step {
    match n % 20 {
        0 | 7 | 14 => Step::First,
        3 | 6 | 9 | 12 | 17 => Step::Refresh,
        13 => Step::Remove,
        19 => Step::List,
        _ => Step::Restore,
    }
}

/// The session that operation `n` of a member is about: the newest that it made, so that there is one.
fn name(member: u64, n: u64) -> String {
    let made = (0..=n).filter(|n| step(*n) == Step::First).count();
    format!("m{member}-{made}")
}

/// All members at once; how many operations a second.
fn rate(each: u64, work: impl Fn(u64) + Sync) -> f64 {
    let start = Barrier::new(usize::try_from(CROWD).unwrap() + 1);
    thread::scope(|scope| {
        let members = (0..CROWD).map(|member| {
            let (work, start) = (&work, &start);
            scope.spawn(move || {
                start.wait();
                work(member);
            })
        });
        let members: Vec<_> = members.collect();
        start.wait();
        let since = Instant::now();
        for member in members {
            member.join().unwrap();
        }
        #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
        let all = (CROWD * each) as f64;
        all / since.elapsed().as_secs_f64()
    })
}

fn crowd_in_one_process() {
    println!(
        "\n{CROWD} threads x {EACH} mixed operations on texts of 20 KB, one store, operations a second (three runs)"
    );
    let builds = Builds::new(20_000);
    let made: Vec<NewBuild> = (0..CROWD * EACH)
        .map(|n| builds.make(&format!("user {n}")))
        .collect();
    let made = |member: u64, n: u64| &made[usize::try_from(member * EACH + n).unwrap()];
    for round in 0..3 {
        let store = builds.path(&format!("store-{round}.db"));
        drop(sqlite::open(&store, 60).unwrap());
        let ours = rate(EACH, |member| ours(&store, member, |n| made(member, n)));
        let damage = sqlite::open(&store, 60).unwrap().verify().unwrap();
        assert!(damage.is_empty(), "{damage:?}");
        let plain = builds.path(&format!("plain-{round}.db"));
        prepare_plain(&plain);
        let theirs = rate(EACH, |member| theirs(&plain, member, |n| made(member, n)));
        println!(
            "  sessions {ours:>6.0}   plain inserts and selects {theirs:>6.0}   {:>5.2} x",
            theirs / ours
        );
    }
}

/// The work of a member through the store.
fn ours<'a>(path: &Path, member: u64, made: impl Fn(u64) -> &'a NewBuild) {
    let mut store = sqlite::open(path, 60).unwrap();
    for n in 0..EACH {
        let id = id(&name(member, n));
        match step(n) {
            Step::First | Step::Refresh => {
                let after = store.session(&id).unwrap().map(|s| s.build);
                let frozen = store.freeze(&id, after.as_ref(), made(n)).unwrap();
                assert!(matches!(frozen, Freeze::Frozen(_)));
            }
            Step::Restore => {
                if let Some(session) = store.session(&id).unwrap() {
                    let text = store
                        .content(&session.build.texts[&Deliver::System])
                        .unwrap();
                    assert!(text.len() > 10_000);
                    store.touch(&id, i64::try_from(n).unwrap()).unwrap();
                }
            }
            Step::Remove => drop(store.remove(&id).unwrap()),
            Step::List => assert!(!store.sessions().unwrap().is_empty()),
        }
    }
}

fn prepare_plain(path: &Path) {
    let plain = rusqlite::Connection::open(path).unwrap();
    plain.pragma_update(None, "journal_mode", "wal").unwrap();
    let tables = "CREATE TABLE plain (id TEXT PRIMARY KEY, used INTEGER, text TEXT, rest TEXT)";
    plain.execute(tables, ()).unwrap();
}

/// The input of the store with a build, in two pieces.
fn bytes_of(build: &NewBuild) -> (&str, String) {
    let text = &build.texts[&Deliver::System];
    (text, [&*build.terms, &build.map, &build.inputs].concat())
}

/// The same bytes, by nothing but a table: inserts wait for the disk as the store's do, notes of a use do not.
fn theirs<'a>(path: &Path, member: u64, made: impl Fn(u64) -> &'a NewBuild) {
    let plain = rusqlite::Connection::open(path).unwrap();
    plain.busy_timeout(Duration::from_secs(60)).unwrap();
    for n in 0..EACH {
        let id = name(member, n);
        let full = !matches!(step(n), Step::Restore);
        plain
            .pragma_update(None, "synchronous", if full { "FULL" } else { "NORMAL" })
            .unwrap();
        match step(n) {
            Step::First | Step::Refresh => {
                let (text, rest) = bytes_of(made(n));
                let sql = "INSERT OR REPLACE INTO plain VALUES (?1, ?2, ?3, ?4)";
                plain
                    .execute(sql, (&id, i64::try_from(n).unwrap(), text, rest))
                    .unwrap();
            }
            Step::Restore => {
                let sql = "SELECT text FROM plain WHERE id = ?1";
                let text = plain.query_row(sql, [&id], |r| r.get::<_, String>(0));
                assert!(text.is_ok_and(|text| text.len() > 10_000));
                let sql = "UPDATE plain SET used = ?2 WHERE id = ?1";
                plain
                    .execute(sql, (&id, i64::try_from(n).unwrap()))
                    .unwrap();
            }
            Step::Remove => drop(
                plain
                    .execute("DELETE FROM plain WHERE id = ?1", [&id])
                    .unwrap(),
            ),
            Step::List => {
                let mut list = plain
                    .prepare("SELECT id, used FROM plain ORDER BY id")
                    .unwrap();
                let ids = list.query_map((), |r| r.get::<_, String>(0)).unwrap();
                assert!(ids.count() > 0);
            }
        }
    }
}

/// The same with a process for each operation, compared with the `sqlite3` program.
fn crowd_of_processes() {
    println!("\nthe same, a process for each operation, {CROWD} at once, operations a second");
    let builds = Builds::new(20_000);
    let store = builds.path("store.db");
    let file = store.display().to_string();
    let manifest = builds.path("promptc.kdl").display().to_string();
    let ours = rate(EACH, |member| {
        for n in 0..EACH {
            let (name, who) = (name(member, n), format!("who=user {member} {n}"));
            let build = [
                PROMPTC,
                "build",
                "-q",
                "-m",
                &manifest,
                "--store",
                &file,
                "--wait",
                "60",
                "--session",
                &name,
            ];
            let session = |command: &str| {
                words(&[
                    PROMPTC, "session", command, "--store", &file, "--wait", "60",
                ])
            };
            let mut command = words(&build);
            match step(n) {
                Step::First => command.extend(words(&["--set", &who])),
                Step::Refresh => command.extend(words(&["--set", &who, "--refresh"])),
                Step::Restore => {}
                Step::Remove => {
                    command = session("rm");
                    command.push(name);
                }
                Step::List => command = session("list"),
            }
            // After a removal there may be nothing to restore without the fact.
            if step(n) == Step::Restore {
                command.extend(words(&["--set", &who]));
            }
            run(&command);
        }
    });
    let plain = builds.path("plain.db");
    prepare_plain(&plain);
    let (plain, text) = (
        plain.display().to_string(),
        builds.path("rules.md").display().to_string(),
    );
    let rest = builds.path("rest.txt").display().to_string();
    std::fs::write(&rest, bytes_of(&builds.make("user")).1).unwrap();
    let theirs = rate(EACH, |member| {
        for n in 0..EACH {
            let id = name(member, n);
            let sql = match step(n) {
                Step::First | Step::Refresh => format!(
                    "INSERT OR REPLACE INTO plain VALUES ('{id}', {n}, readfile('{text}'), readfile('{rest}'))"
                ),
                Step::Restore => format!(
                    "SELECT text FROM plain WHERE id = '{id}'; PRAGMA synchronous = NORMAL; UPDATE plain SET used = {n} WHERE id = '{id}'"
                ),
                Step::Remove => format!("DELETE FROM plain WHERE id = '{id}'"),
                Step::List => "SELECT id, used FROM plain ORDER BY id".to_owned(),
            };
            run(&words(&["sqlite3", "-cmd", ".timeout 60000", &plain, &sql]));
        }
    });
    println!(
        "  promptc {ours:>6.0}   sqlite3 {theirs:>6.0}   {:>5.2} x",
        theirs / ours
    );
}
