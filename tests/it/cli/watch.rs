//! `promptc watch`: what triggers it, what it prints, and that only the right signals end it.
//!
//! No test depends on timing: a test changes a file and reads the output until it has the result of the change. The
//! number of builds in between is unknown, as a change may be seen half done.

use crate::case::{as_nobody, is_root};
use crate::run::{PROGRAM, Place};
use serde_json::Value;
use std::fs;
use std::io::{BufRead as _, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

/// How long a line is waited for: far longer than any build takes, so that a slow machine fails nothing.
const PATIENCE: Duration = Duration::from_secs(60);

/// The `-o` file of most tests.
const OUTPUT: &str = "prompt.txt";

/// A `promptc watch` that runs.
struct Watching<'a> {
    place: &'a Place,
    child: Child,
    stdout: Receiver<String>,
    stderr: Receiver<String>,
}

impl<'a> Watching<'a> {
    /// With JSON on stdout and an output.
    fn start(place: &'a Place, args: &[&str]) -> Self {
        let mut all = vec!["watch", "--format", "json", "-o", OUTPUT];
        all.extend(args);
        Self::of(place, place.command(&all))
    }

    fn of(place: &'a Place, mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            place,
            stdout: lines(child.stdout.take().unwrap()),
            stderr: lines(child.stderr.take().unwrap()),
            child,
        }
    }

    /// The next build in the output.
    fn next(&self) -> Value {
        let line = self.stdout.recv_timeout(PATIENCE);
        let line = line.unwrap_or_else(|_| panic!("nothing more is told:\n{}", self.errors()));
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"))
    }

    /// The next build that became so.
    fn until(&self, outcome: &str) -> Value {
        loop {
            let told = self.next();
            if told["outcome"] == outcome {
                return told;
            }
        }
    }

    /// The build whose prompt is `text`; it is in the output file when the build is reported.
    fn until_text(&self, text: &str) -> Value {
        loop {
            let told = self.next();
            let written = fs::read_to_string(self.place.path().join(OUTPUT));
            if written.is_ok_and(|written| written == text) {
                return told;
            }
        }
    }

    /// A line on stderr that holds `words`.
    fn until_error(&self, words: &str) {
        loop {
            let line = self.stderr.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|_| panic!("nobody says `{words}`"));
            if line.contains(words) {
                return;
            }
        }
    }

    /// The unread part of stderr.
    fn errors(&self) -> String {
        self.stderr.try_iter().map(|l| l + "\n").collect()
    }

    /// Its exit code, when it ends by itself.
    fn end(mut self) -> i32 {
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

impl Drop for Watching<'_> {
    fn drop(&mut self) {
        // One that has ended cannot be ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The lines of a stream, as they come.
fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stream).lines() {
            let Ok(line) = line else { break };
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

/// A manifest with one document and a glob.
const MANIFEST: &str = r#"promptc 1
root workspace default="in"
tier stable {
    layer rules { file "AGENTS.md" }
    layer notes { glob "notes/**/*.md" missing=skip }
}
"#;

fn desk(rules: &str) -> Place {
    let place = Place::new();
    place.file("promptc.kdl", MANIFEST);
    place.file("in/AGENTS.md", rules);
    place
}

/// Puts a file in its place as editors do: another file takes its name.
fn replace(place: &Place, path: &str, content: &str) {
    let new = place.file(&format!("aside/{}", path.replace('/', "-")), content);
    fs::rename(new, place.path().join(path)).unwrap();
}

fn remove(place: &Place, folder: &str) {
    fs::remove_dir_all(place.path().join(folder)).unwrap();
}

#[test]
fn a_changed_document_is_reported_with_its_cause() {
    let place = desk("one");
    let watching = Watching::start(&place, &[]);
    let first = watching.next();
    assert_eq!(first["outcome"], "built");
    assert_eq!(first["build"], 1);
    assert_eq!(first["bytes"], 3);
    assert_eq!(first["comparison"], Value::Null);
    assert_eq!(place.read(OUTPUT), "one");
    replace(&place, "in/AGENTS.md", "two words");
    let told = watching.until_text("two words");
    assert_eq!(told["outcome"], "changed");
    assert_eq!(told["comparison"]["break"]["layer"], "rules");
    let cause = &told["comparison"]["break"]["causes"][0];
    assert_eq!(cause["path"], "AGENTS.md", "{cause:#}");
}

/// The picture is that of `promptc diff`, after a line with the sizes.
#[test]
fn the_picture_is_that_of_diff() {
    let place = desk("one\ntwo\n");
    let build = |name: &str| {
        let path = format!("aside/{name}");
        place.run(&["build", "--format", "json", "-o", &path]);
    };
    fs::create_dir(place.path().join("aside")).unwrap();
    build("old.json");
    let args = ["watch", "--builds", "2"];
    let watching = Watching::of(&place, place.command(&args));
    let first = watching.stdout.recv_timeout(PATIENCE).unwrap();
    assert!(
        first.starts_with("built    7 bytes in 1 layer ("),
        "{first}"
    );
    replace(&place, "in/AGENTS.md", "one\nthree\n");
    let told: Vec<String> = watching.stdout.iter().collect();
    assert_eq!(told[0], "");
    assert!(
        told[1].starts_with("changed  9 bytes in 1 layer ("),
        "{told:?}"
    );
    build("new.json");
    let diff = place.run(&["diff", "aside/old.json", "aside/new.json"]);
    let diff: Vec<&str> = diff.stdout().lines().collect();
    assert_eq!(told[2..], diff);
    assert!(diff[0].starts_with("broke "));
    assert_eq!(watching.end(), 0);
}

#[test]
fn the_same_bytes_are_one_line_or_none() {
    let place = desk("one");
    let watching = Watching::of(&place, place.command(&["watch"]));
    let line = || watching.stdout.recv_timeout(PATIENCE).unwrap();
    assert!(line().starts_with("built    3 bytes"));
    // A line end at the end belongs to no prompt.
    replace(&place, "in/AGENTS.md", "one\n");
    assert!(line().starts_with("same     3 bytes"));
    drop(watching);

    let watching = Watching::of(&place, place.command(&["watch", "-q", "--builds", "3"]));
    let line = || watching.stdout.recv_timeout(PATIENCE).unwrap();
    assert!(line().starts_with("built    3 bytes"));
    replace(&place, "in/AGENTS.md", "one");
    // Whether both changes are seen apart is not known.
    thread::sleep(Duration::from_millis(300));
    replace(&place, "in/AGENTS.md", "three");
    assert_eq!(line(), "");
    assert!(line().starts_with("changed  5 bytes"));
}

/// Each file that a build is made of wakes it: bases, includes, templates and facts too.
#[test]
fn every_input_is_watched() {
    let place = Place::new();
    place.file(
        "own/promptc.kdl",
        "promptc 1\nextends \"../base/base.kdl\"\ninclude \"part.kdl\"\nrefine greeting { template file=\"greeting.j2\" }\n",
    );
    let base = |text: &str| {
        format!(
            "promptc 1\nroot workspace default=\".\"\nfact who string default=nobody\ntier stable {{ layer base {{ text \"{text}\" }}; layer greeting {{ template \"x\" }} }}\n"
        )
    };
    let part =
        |text: &str| format!("promptc 1\ntier extra {{ layer part {{ text \"{text}\" }} }}\n");
    place.file("base/base.kdl", base("base"));
    place.file("own/part.kdl", part("part"));
    place.file("own/greeting.j2", "Hello {{ who }}");
    place.file("facts.json", r#"{"who": "Ann"}"#);
    let args = ["-m", "own/promptc.kdl", "--facts", "facts.json"];
    let watching = Watching::start(&place, &args);
    watching.until_text("base\n\nHello Ann\n\npart");
    replace(&place, "base/base.kdl", &base("ground"));
    watching.until_text("ground\n\nHello Ann\n\npart");
    replace(&place, "own/part.kdl", &part("piece"));
    watching.until_text("ground\n\nHello Ann\n\npiece");
    replace(&place, "own/greeting.j2", "Good day {{ who }}");
    watching.until_text("ground\n\nGood day Ann\n\npiece");
    replace(&place, "facts.json", r#"{"who": "Bo"}"#);
    watching.until_text("ground\n\nGood day Bo\n\npiece");
    let manifest = place.read("own/promptc.kdl") + "tier last { layer end { text end } }\n";
    replace(&place, "own/promptc.kdl", &manifest);
    watching.until_text("ground\n\nGood day Bo\n\npiece\n\nend");
}

#[test]
fn names_that_come_and_go_in_the_folders_of_a_glob_are_seen() {
    let place = desk("one");
    let watching = Watching::start(&place, &[]);
    watching.until_text("one");
    place.file("in/notes/b.md", "b");
    watching.until_text("one\n\nb");
    place.file("in/notes/deep/er/a.md", "a");
    watching.until_text("one\n\nb\n\na");
    replace(&place, "in/notes/deep/er/a.md", "aa");
    watching.until_text("one\n\nb\n\naa");
    let deep = place.path().join("in/notes/deep");
    fs::rename(&deep, place.path().join("in/notes/0")).unwrap();
    watching.until_text("one\n\naa\n\nb");
    fs::remove_file(place.path().join("in/notes/b.md")).unwrap();
    watching.until_text("one\n\naa");
}

#[test]
fn files_are_deleted_renamed_and_written_again() {
    let place = desk("one");
    let path = place.path().join("in/AGENTS.md");
    let watching = Watching::start(&place, &[]);
    watching.until_text("one");
    fs::remove_file(&path).unwrap();
    watching.until_text("");
    fs::write(&path, "two").unwrap();
    watching.until_text("two");
    fs::rename(&path, place.path().join("in/away.md")).unwrap();
    watching.until_text("");
    fs::rename(place.path().join("in/away.md"), &path).unwrap();
    watching.until_text("two");
    for round in ["three", "four", "five"] {
        replace(&place, "in/AGENTS.md", round);
        watching.until_text(round);
    }
}

/// A folder that is created again is another one; its content is still watched.
#[test]
fn folders_are_removed_and_created_again() {
    let place = desk("one");
    let watching = Watching::start(&place, &[]);
    watching.until_text("one");
    for round in ["two", "three"] {
        remove(&place, "in");
        watching.until_text("");
        fs::create_dir(place.path().join("in")).unwrap();
        place.file("in/AGENTS.md", round);
        watching.until_text(round);
        let changed = format!("{round} again");
        replace(&place, "in/AGENTS.md", &changed);
        watching.until_text(&changed);
    }
    // The folder around all is moved away and another one takes its name.
    let other = place.path().join("other");
    place.file("other/AGENTS.md", "other");
    fs::rename(place.path().join("in"), place.path().join("old")).unwrap();
    fs::rename(&other, place.path().join("in")).unwrap();
    watching.until_text("other");
    replace(&place, "in/AGENTS.md", "other again");
    watching.until_text("other again");
}

#[test]
fn roots_and_manifests_that_do_not_exist_yet_are_waited_for() {
    let place = Place::new();
    let args = ["-m", "late/m.kdl", "--root", "workspace=far/away/in"];
    let watching = Watching::start(&place, &args);
    let told = watching.next();
    assert_eq!(told["outcome"], "failed");
    assert_eq!(told["diagnostics"][0]["code"], "manifest-not-found");
    assert_eq!(told["bytes"], Value::Null);
    place.file("late/m.kdl", MANIFEST);
    watching.until("built");
    assert_eq!(place.read(OUTPUT), "");
    place.file("far/away/in/AGENTS.md", "here");
    watching.until_text("here");
}

/// A failed build is reported, and the next one is compared with the last successful one.
#[test]
fn errors_are_reported_and_the_last_good_build_stays() {
    let place = desk("one");
    let watching = Watching::start(&place, &[]);
    watching.until_text("one");
    replace(&place, "promptc.kdl", "promptc 1\nteir\n");
    let told = watching.until("failed");
    assert_eq!(told["diagnostics"][0]["code"], "unknown-node");
    watching.until_error("error[unknown-node]");
    // The prompt of the successful build is.
    assert_eq!(place.read(OUTPUT), "one");
    replace(&place, "in/AGENTS.md", "one two");
    replace(&place, "promptc.kdl", MANIFEST);
    let told = watching.until_text("one two");
    assert_eq!(told["outcome"], "changed");
    assert_eq!(told["comparison"]["kept"]["bytes"], 3);
}

/// A character of which half is written is an error until the rest is there.
#[test]
fn half_written_files_end_nothing() {
    let place = desk("one");
    let watching = Watching::start(&place, &[]);
    watching.until_text("one");
    let whole = "a na\u{ef}ve rule";
    place.file("in/AGENTS.md", &whole.as_bytes()[..5]);
    let told = watching.until("failed");
    assert_eq!(told["diagnostics"][0]["code"], "invalid-utf8");
    place.file("in/AGENTS.md", whole);
    watching.until_text(whole);
    // The same of a manifest and of facts.
    place.file("promptc.kdl", &MANIFEST[..40]);
    watching.until("failed");
    place.file("promptc.kdl", MANIFEST.replace("notes", "other"));
    watching.until("same");
}

/// An output among the inputs' names is no input, and neither is the file that takes its place.
#[test]
fn the_output_does_not_trigger_a_build() {
    let place = desk("one");
    place.file("in/notes/a.md", "a");
    let args = ["watch", "--format", "json", "-o", "in/notes/out.txt"];
    let watching = Watching::of(&place, place.command(&args));
    watching.until("built");
    let mut last = 1;
    for round in 0..3 {
        // Time in which one that wakes itself would build again and again.
        thread::sleep(Duration::from_millis(700));
        replace(&place, "in/AGENTS.md", &format!("round {round}"));
        let told = watching.until("changed")["build"].as_u64().unwrap();
        assert_eq!(told, last + 1, "a build without a change");
        last = told;
    }
    assert_eq!(place.read("in/notes/out.txt"), "round 2\n\na");
    // One that is read is not replaced.
    let args = ["watch", "--builds", "1", "-o", "in/AGENTS.md"];
    let ran = place.run(&args).exits(2);
    ran.says("output-is-input");
    assert_eq!(place.read("in/AGENTS.md"), "round 2");
}

#[test]
fn a_command_runs_with_each_prompt_that_differs() {
    let place = desk("one");
    let script = r#"cat > got.txt; test -n "$PROMPTC_PREVIOUS" && cp "$PROMPTC_PREVIOUS" old.json; cp "$PROMPTC_ARTIFACT" new.json; echo done"#;
    let watching = Watching::start(&place, &["--exec", script]);
    watching.until_text("one");
    watching.until_error("done");
    assert_eq!(place.read("got.txt"), "one");
    assert!(!place.path().join("old.json").exists());
    // The same bytes are no reason to run it.
    replace(&place, "in/AGENTS.md", "one\n");
    watching.until("same");
    replace(&place, "in/AGENTS.md", "two");
    watching.until_text("two");
    watching.until_error("done");
    assert_eq!(place.read("got.txt"), "two");
    let text = |file: &str| {
        let artifact: Value = serde_json::from_str(&place.read(file)).unwrap();
        artifact["channels"][0]["text"].clone()
    };
    assert_eq!(text("old.json"), "one");
    assert_eq!(text("new.json"), "two");
    assert_eq!(watching.errors(), "");
}

#[test]
fn a_failed_command_is_reported_and_watch_continues() {
    let place = desk("one");
    let watching = Watching::start(&place, &["--exec", "exit 3"]);
    watching.until_text("one");
    watching.until_error("warning[exec-failed]: the command of --exec exits with 3");
    replace(&place, "in/AGENTS.md", "two");
    watching.until_text("two");
    watching.until_error("exec-failed");
}

/// The first link on a way may be the one that is changed, as in a folder that is replaced as a whole.
#[cfg(unix)]
#[test]
fn links_on_the_way_are_watched() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    place.file("promptc.kdl", MANIFEST);
    place.file("versions/1/AGENTS.md", "one");
    place.file("versions/2/AGENTS.md", "two");
    let at = |path: &str| place.path().join(path);
    symlink("versions/current", at("in")).unwrap();
    symlink("1", at("versions/current")).unwrap();
    let watching = Watching::start(&place, &[]);
    watching.until_text("one");
    symlink("2", at("versions/next")).unwrap();
    fs::rename(at("versions/next"), at("versions/current")).unwrap();
    watching.until_text("two");
    replace(&place, "versions/2/AGENTS.md", "three");
    watching.until_text("three");
    replace(&place, "versions/1/AGENTS.md", "nobody looks here");
    fs::remove_file(at("in")).unwrap();
    watching.until_text("");
    symlink("versions/1", at("in")).unwrap();
    watching.until_text("nobody looks here");
}

#[test]
fn polling_is_available_as_an_option() {
    let place = desk("one");
    let watching = Watching::start(&place, &["--poll", "1s"]);
    watching.until_text("one");
    replace(&place, "in/AGENTS.md", "two");
    let told = watching.until_text("two");
    // Unchanged prompts are not reported.
    assert_eq!(told["build"], 2);
    let ran = place.run(&["watch", "--poll", "fast"]).exits(2);
    ran.says("write a duration as 2s");
}

/// A folder that cannot be listed cannot be watched; its files may still be read.
#[cfg(unix)]
#[test]
fn an_unwatchable_folder_is_polled() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    place.file(
        "promptc.kdl",
        MANIFEST.replace(
            "    layer notes { glob \"notes/**/*.md\" missing=skip }\n",
            "",
        ),
    );
    place.file("in/AGENTS.md", "one");
    let closed =
        |mode| fs::set_permissions(place.path().join("in"), fs::Permissions::from_mode(mode));
    let args = ["watch", "--format", "json"];
    let command = if is_root() {
        as_nobody(&args, &place)
    } else {
        Some(place.command(&args))
    };
    let Some(command) = command else {
        println!("skipped: there is no setpriv");
        return;
    };
    closed(0o311).unwrap();
    let watching = Watching::of(&place, command);
    watching.until("built");
    watching.until_error("does not report changes in");
    replace(&place, "in/AGENTS.md", "two");
    assert_eq!(watching.until("changed")["bytes"], 3);
    closed(0o755).unwrap();
}

#[test]
fn it_ends_after_so_many_builds_with_the_code_of_the_last() {
    let place = desk("one");
    let ran = place.run(&["watch", "--builds", "1"]).exits(0);
    assert!(ran.stdout().starts_with("built    3 bytes in 1 layer ("));
    assert_eq!(ran.stderr, "");
    place.file("promptc.kdl", "promptc 2\n");
    let ran = place.run(&["watch", "--builds", "1"]).exits(2);
    assert!(ran.stdout().starts_with("failed   no prompt yet ("));
    let ran = place.run(&["watch", "--builds", "0"]).exits(2);
    ran.says("--builds");
    // An output that cannot be written is the world's.
    place.file("promptc.kdl", MANIFEST);
    let args = ["watch", "--builds", "1", "-o", "nowhere/out.txt"];
    let ran = place.run(&args).exits(3);
    ran.says("output-not-written");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_as_it_ends_any_program() {
    use std::os::unix::process::ExitStatusExt as _;
    let place = desk("one");
    // The parent of the tests may ignore the signal (a shell does so for background jobs), and a program keeps ignoring
    // signals that were ignored when it started. Only another program can take that back before this one begins.
    let begin = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])";
    let mut command = Command::new("python3");
    command.args([
        "-c", begin, PROGRAM, "watch", "--format", "json", "-o", OUTPUT,
    ]);
    command.current_dir(place.path());
    let mut watching = Watching::of(&place, command);
    watching.until_text("one");
    let id = watching.child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(watching.child.wait().unwrap().signal(), Some(2));
    assert_eq!(place.read(OUTPUT), "one");
}

/// A client that no longer listens needs no builds.
#[test]
fn it_ends_when_its_output_is_closed() {
    let place = desk("one");
    let mut child = place.command(&["watch"]);
    let child = child.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let mut child = child.unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    stdout.read_line(&mut first).unwrap();
    assert!(first.starts_with("built "));
    drop(stdout);
    replace(&place, "in/AGENTS.md", "two");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
