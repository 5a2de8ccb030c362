//! Processes that the tests start: this test binary again, in one of these roles.

use super::{build, contents, id, open};
use promptc::session::store::{Freeze, NewBuild, Store, StoreError, sqlite};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, fs, thread};

/// A process that plays `role` with the store at `path`.
pub(super) fn child(role: &str, path: &Path) -> Command {
    child_from(&env::current_exe().unwrap(), role, path)
}

/// The same from another copy of this binary.
pub(super) fn child_from(binary: &Path, role: &str, path: &Path) -> Command {
    let mut command = Command::new(binary);
    arguments(&mut command, role, path);
    command
}

#[cfg(unix)]
/// The same, started by the shell `script`, which ends in `exec "$@"`.
pub(super) fn child_in(shell: &[&str], script: &str, role: &str, path: &Path) -> Command {
    let mut command = Command::new(shell[0]);
    command.args(&shell[1..]).args(["sh", "-c", script, "sh"]);
    command.arg(env::current_exe().unwrap());
    arguments(&mut command, role, path);
    command
}

fn arguments(command: &mut Command, role: &str, path: &Path) {
    let name = module_path!().split_once("::").unwrap().1;
    command
        .args(["--ignored", "--exact", "--nocapture", "--test-threads=1"])
        .arg(format!("{name}::{role}"))
        .env("STORE", path)
        .stdout(Stdio::piped());
}

/// The store that the parent names.
fn told() -> PathBuf {
    env::var_os("STORE")
        .expect("the parent says which store")
        .into()
}

#[test]
#[ignore = "a role that other tests start"]
fn first_of_many() {
    let path = told();
    let go = path.ancestors().nth(2).unwrap().join("go");
    while fs::metadata(&go).is_err() {
        thread::sleep(Duration::from_millis(1));
    }
    let mut store = open(&path);
    let given = build(&std::process::id().to_string(), 1);
    let (Freeze::Frozen(session) | Freeze::Overtaken(session)) =
        store.freeze(&id("one"), None, &given).unwrap()
    else {
        panic!("gone");
    };
    println!("got {}", contents(&mut store, &session.build).map);
}

#[test]
#[ignore = "a role that other tests start"]
fn reader() {
    let mut store = open(&told());
    let session = store.session(&id("a")).unwrap().unwrap();
    assert_eq!(contents(&mut store, &session.build), build("a", 1));
    assert_eq!(store.session(&id("never")).unwrap(), None);
    assert_eq!(store.verify().unwrap(), []);
    println!("used {}", session.used);
    let refused = [
        store.freeze(&id("b"), None, &build("b", 1)).err(),
        store.touch(&id("a"), 1_000_000).err(),
        store
            .deliver(&id("a"), &session.build, None, 1, &["p".into()])
            .err(),
        store.remove(&id("a")).err(),
        store.import(&id("b"), 1, &[(1, build("b", 1))]).err(),
        store.folder_rules(&id("a"), &["x".into()], 1).err(),
        store.collect(Default::default(), false).err(),
    ];
    let read_only = |e: &Option<StoreError>| matches!(e, Some(StoreError::ReadOnly));
    println!(
        "writes {}",
        if refused.iter().all(read_only) {
            "refused"
        } else {
            "done"
        }
    );
}

#[test]
#[ignore = "a role that other tests start"]
fn maker() {
    let made = sqlite::open(&told(), 1);
    println!("said {}", made.unwrap_err());
}

#[test]
#[ignore = "a role that other tests start"]
fn limited() {
    let path = told();
    let mut store = open(&path);
    let kept = fill(&mut store, 0);
    whole(&mut store, kept);
    drop(store);
    whole(&mut open(&path), kept);
    println!("kept {kept}");
}

#[test]
#[ignore = "a role that other tests start"]
fn filler() {
    let path = told();
    let reserve = path.with_file_name("reserve");
    fs::write(&reserve, vec![0; 500_000]).unwrap();
    let mut store = open(&path);
    let kept = fill(&mut store, 0);
    whole(&mut store, kept);
    drop(store);
    // The rest of the room is used, too.
    let ballast = path.with_file_name("ballast");
    let mut file = fs::File::create(&ballast).unwrap();
    while file.write_all(&[0]).is_ok() {}
    let mut store = open(&path);
    whole(&mut store, kept);
    // The log of changes may have room of its own for one or two more.
    let kept = fill(&mut store, kept);
    whole(&mut store, kept);
    drop(store);
    // And there is room again.
    fs::remove_file(&reserve).unwrap();
    let mut store = open(&path);
    whole(&mut store, kept);
    assert_eq!(store.verify().unwrap(), []);
    store
        .freeze(&id("small"), None, &build("small", 1))
        .unwrap();
    println!("kept {kept}");
}

/// A build of more than a hundred kilobytes.
fn big(n: usize) -> NewBuild {
    NewBuild {
        map: n.to_string().repeat(100_000),
        ..build(&n.to_string(), n as i64)
    }
}

/// Freezes sessions from number `from` on until that fails; how many there are then.
fn fill(store: &mut dyn Store, from: usize) -> usize {
    for n in from..1000 {
        if let Err(failure) = store.freeze(&id(&n.to_string()), None, &big(n)) {
            println!("said {failure:?}");
            return n;
        }
    }
    panic!("there is always room");
}

/// All that was frozen is there, and nothing else.
fn whole(store: &mut dyn Store, kept: usize) {
    for n in 0..kept {
        let session = store.session(&id(&n.to_string())).unwrap().unwrap();
        assert_eq!(contents(store, &session.build), big(n));
    }
    assert_eq!(store.session(&id(&kept.to_string())).unwrap(), None);
}
