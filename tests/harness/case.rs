//! Case files: command lines, then the files that they find.
//!
//! ```text
//! # exit 2
//! promptc build --set x=1
//! -- promptc.kdl --
//! promptc 1
//! ```
//!
//! Lines before the first marker: `# exit N` (the exit code, else that of the diagnostic's code), `# unprivileged` (run as
//! nobody where the tests run as root), `# first promptc ARGUMENT …` (what is run and ends with 0 before), `# holds FILE` (a
//! store that another program writes to meanwhile), `# listens PORT` (a port of 127.0.0.1 that another program has), `# meanwhile promptc ARGUMENT …` (what is run while the command reads a
//! FIFO, which is then given its content), `# largest-file N` (in bytes, what a command may write), and commands: `[NAME=VALUE …] promptc ARGUMENT … [< FILE]`, quoted as in a shell.
//! Markers: `-- PATH --`, `-- PATH symlink --` (the content is the target), `-- PATH fifo --`, `-- PATH folder --`,
//! `-- PATH bytes --` (one line with \n, \t, \\, \xNN), `-- PATH repeat N --` (the content N times),
//! `-- PATH mode 000 --`, `-- PATH sql --` (a database that these statements make), `-- PATH locked --` (as by another
//! process, for as long as the tests run), `-- many N PATTERN --` (N files; `{}` in the pattern is the number).
//!
//! What a run shall do: `-- stdout --` or `-- stdout N --` (exactly what the first or Nth command prints; the newline in
//! front of the next marker, or at the end of the case, is not part of it), the same with `bytes` at the end of the marker
//! (one line with escapes, as for files), `# shows TEXT` (each command prints it), `# says TEXT` (each command has it on
//! stderr), `# hides TEXT` (none has it on either).

use super::run::{PROGRAM, Place, Ran, run};
use rusqlite::Connection;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

/// A port that is held. A program that is being started by another test has it for a moment longer than who closed it.
fn taken(port: u16) -> Option<TcpListener> {
    (0..500).find_map(|_| {
        let bound = TcpListener::bind(("127.0.0.1", port));
        bound
            .inspect_err(|_| std::thread::sleep(std::time::Duration::from_millis(10)))
            .ok()
    })
}

/// One command line.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Line {
    pub(crate) env: Vec<(String, String)>,
    pub(crate) args: Vec<String>,
    pub(crate) stdin: Option<String>,
}

/// A parsed case file.
#[derive(Debug, Default)]
pub(crate) struct Case {
    pub(crate) exit: Option<i32>,
    pub(crate) unprivileged: bool,
    pub(crate) lines: Vec<Line>,
    /// By the number of the command, from 1: what it prints.
    pub(crate) stdout: Vec<(usize, Vec<u8>)>,
    pub(crate) shows: Vec<String>,
    pub(crate) says: Vec<String>,
    pub(crate) hides: Vec<String>,
    first: Vec<Line>,
    meanwhile: Vec<Line>,
    holds: Vec<String>,
    listens: Option<u16>,
    largest_file: Option<u64>,
    files: Vec<(Vec<String>, String)>,
}

impl Case {
    pub(crate) fn parse(text: &str) -> Self {
        let mut case = Self::default();
        for line in text.split_inclusive('\n') {
            if let Some(marker) = marker(line) {
                let words = marker.split(' ').map(str::to_owned).collect();
                case.files.push((words, String::new()));
            } else if let Some((_, content)) = case.files.last_mut() {
                content.push_str(line);
            } else {
                case.header(line.trim());
            }
        }
        assert!(!case.lines.is_empty(), "a case needs a command line");
        case.take_stdout();
        case
    }

    /// What stands behind a marker `stdout` is no file.
    fn take_stdout(&mut self) {
        for (marker, content) in std::mem::take(&mut self.files) {
            match stdout_number(&marker.join(" ")) {
                None => self.files.push((marker, content)),
                Some(number) => {
                    let text = content.strip_suffix('\n').unwrap_or(&content);
                    let escaped = marker.last().is_some_and(|w| w == "bytes");
                    let bytes = if escaped {
                        unescape(text)
                    } else {
                        text.as_bytes().to_vec()
                    };
                    self.stdout.push((number, bytes));
                }
            }
        }
    }

    fn header(&mut self, line: &str) {
        if let Some(code) = line.strip_prefix("# exit ") {
            self.exit = Some(code.parse().unwrap());
        } else if let Some(text) = line.strip_prefix("# shows ") {
            self.shows.push(text.to_owned());
        } else if let Some(text) = line.strip_prefix("# says ") {
            self.says.push(text.to_owned());
        } else if let Some(text) = line.strip_prefix("# hides ") {
            self.hides.push(text.to_owned());
        } else if let Some(line) = line.strip_prefix("# first promptc ") {
            self.first.push(command(&format!("promptc {line}")));
        } else if let Some(line) = line.strip_prefix("# meanwhile ") {
            self.meanwhile.push(command(line));
        } else if let Some(path) = line.strip_prefix("# holds ") {
            self.holds.push(path.to_owned());
        } else if let Some(port) = line.strip_prefix("# listens ") {
            self.listens = Some(port.parse().unwrap());
        } else if let Some(bytes) = line.strip_prefix("# largest-file ") {
            self.largest_file = Some(bytes.parse().unwrap());
        } else if line == "# unprivileged" {
            self.unprivileged = true;
        } else if !line.is_empty() && !line.starts_with('#') {
            self.lines.push(command(line));
        }
    }

    /// Its files, by path, if it needs nothing else.
    pub(crate) fn plain_files(&self) -> Option<Vec<(String, Vec<u8>)>> {
        let special = self.unprivileged || self.largest_file.is_some();
        if special || !self.holds.is_empty() || !self.meanwhile.is_empty() {
            return None;
        }
        let plain = |(marker, content): &(Vec<String>, String)| {
            let words: Vec<&str> = marker.iter().map(String::as_str).collect();
            match words[..] {
                [path] => Some((path.to_owned(), content.clone().into_bytes())),
                [path, "bytes"] => Some((path.to_owned(), unescape(content.trim_end()))),
                _ => None,
            }
        };
        self.files.iter().map(plain).collect()
    }

    /// What is run before.
    pub(crate) fn first(&self) -> &[Line] {
        &self.first
    }

    /// Puts the case's files into `place` and runs what comes first. Stores are held as long as the answer lives.
    pub(crate) fn lay_out(&self, place: &Place) -> Vec<Connection> {
        for (marker, content) in &self.files {
            let words: Vec<&str> = marker.iter().map(String::as_str).collect();
            // An empty one with a mode is that of a file which comes into being first.
            let comes = matches!(words[..], [_, "mode", _]) && !self.first.is_empty();
            if !(comes && content.is_empty()) {
                lay_out(place, &words, content);
            }
        }
        for line in &self.first {
            let args: Vec<&str> = line.args.iter().map(String::as_str).collect();
            place.run(&args).exits(0);
        }
        // What may not be read is made so last.
        for (marker, _) in &self.files {
            if let [path, mode] = marker.join(" ").split(" mode ").collect::<Vec<_>>()[..] {
                set_mode(
                    &place.path().join(path),
                    u32::from_str_radix(mode, 8).unwrap(),
                );
            }
        }
        let held = self.holds.iter().map(|path| {
            let store = Connection::open(place.path().join(path)).unwrap();
            store.execute_batch("BEGIN IMMEDIATE").unwrap();
            store
        });
        held.collect()
    }

    /// Runs one command line in `place`; `None` if it cannot be run without privileges here.
    pub(crate) fn run(&self, line: &Line, extra: &[&str], place: &Place) -> Option<Ran> {
        let mut args: Vec<&str> = line.args.iter().map(String::as_str).collect();
        // What comes behind is another command's.
        let end = args.iter().position(|arg| *arg == "--");
        args.splice(
            end.unwrap_or(args.len())..end.unwrap_or(args.len()),
            extra.iter().copied(),
        );
        let _port = self.listens.map(taken);
        let mut command = place.command(&args);
        if self.unprivileged && is_root() {
            command = as_nobody(&args, place)?;
        }
        if let Some(bytes) = self.largest_file {
            command = with_largest_file(&args, bytes, place);
        }
        command.envs(line.env.iter().map(|(k, v)| (k, v)));
        let stdin = line.stdin.as_ref();
        let stdin = stdin.map_or(Vec::new(), |f| fs::read(place.path().join(f)).unwrap());
        if self.meanwhile.is_empty() {
            return Some(run(command, &stdin));
        }
        let ran = std::thread::scope(|scope| {
            scope.spawn(|| self.feed(place));
            run(command, &stdin)
        });
        Some(ran)
    }

    /// Does what is to be done while a command waits for what a FIFO holds.
    fn feed(&self, place: &Place) {
        let is_fifo = |marker: &[String]| marker.last().is_some_and(|word| word == "fifo");
        for (marker, content) in self.files.iter().filter(|(marker, _)| is_fifo(marker)) {
            // Opening it waits for the command to do the same.
            let path = place.path().join(&marker[0]);
            let mut fifo = fs::OpenOptions::new().write(true).open(path).unwrap();
            for line in &self.meanwhile {
                let args: Vec<&str> = line.args.iter().map(String::as_str).collect();
                place.run(&args).exits(0);
            }
            fifo.write_all(content.as_bytes()).unwrap();
        }
    }
}

/// The words of a marker, if the line is one.
fn marker(line: &str) -> Option<&str> {
    line.trim_end().strip_prefix("-- ")?.strip_suffix(" --")
}

/// The command that a marker `stdout`, `stdout N`, `stdout bytes` or `stdout N bytes` is about.
fn stdout_number(marker: &str) -> Option<usize> {
    let rest = marker.strip_prefix("stdout")?;
    match rest.strip_suffix(" bytes").unwrap_or(rest) {
        "" => Some(1),
        number => number.strip_prefix(' ')?.parse().ok(),
    }
}

fn lay_out(place: &Place, marker: &[&str], content: &str) {
    match marker {
        [path, "locked"] => {
            let locked = fs::File::create(place.path().join(path)).unwrap();
            locked.lock().unwrap();
            // With the handle the lock would go.
            std::mem::forget(locked);
        }
        ["many", n, pattern] => {
            for i in 0..n.parse::<usize>().unwrap() {
                place.file(&pattern.replace("{}", &i.to_string()), content);
            }
        }
        [path, "symlink"] => {
            let path = place.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            #[cfg(unix)]
            std::os::unix::fs::symlink(content.trim_end(), path).unwrap();
        }
        [path, "fifo"] => {
            let status = Command::new("mkfifo").arg(place.path().join(path)).status();
            assert!(status.unwrap().success());
        }
        [path, "folder"] => fs::create_dir_all(place.path().join(path)).unwrap(),
        [path, "bytes"] => {
            place.file(path, unescape(content.trim_end()));
        }
        [path, "sql"] => {
            let path = place.file(path, "");
            let made = Connection::open(path).unwrap();
            made.execute_batch(content).unwrap();
        }
        [path, "repeat", n] => {
            place.file(path, content.repeat(n.parse().unwrap()));
        }
        // A folder of that name was laid out before.
        [path, "mode", _] if place.path().join(path).is_dir() => {}
        [path, "mode", _] => {
            place.file(path, content);
        }
        // A path may hold spaces.
        words => {
            place.file(&words.join(" "), content);
        }
    }
}

/// A command line, with quotes and backslashes as in a shell.
pub(crate) fn command(line: &str) -> Line {
    let mut words = split(line).into_iter().peekable();
    let mut out = Line::default();
    while let Some((name, value)) = words.peek().and_then(|w| w.split_once('=')) {
        out.env.push((name.to_owned(), value.to_owned()));
        words.next();
    }
    assert_eq!(words.next().as_deref(), Some("promptc"), "in `{line}`");
    while let Some(word) = words.next() {
        if word == "<" {
            out.stdin = words.next();
        } else {
            out.args.push(word);
        }
    }
    out
}

fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            (c, Some(q)) if c == q => quote = None,
            ('\\', None | Some('"')) => word.get_or_insert_default().push(chars.next().unwrap()),
            (c, Some(_)) => word.get_or_insert_default().push(c),
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (' ', None) => words.extend(word.take()),
            (c, None) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

fn unescape(line: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut bytes = line.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match bytes.next().unwrap() {
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'0' => out.push(0),
            b'x' => {
                let digits = [bytes.next().unwrap(), bytes.next().unwrap()];
                out.push(u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap());
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) {}

/// Whether permissions bind nothing here.
pub(crate) fn is_root() -> bool {
    Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|o| o.stdout.trim_ascii() == b"0")
}

/// The program run as nobody in `place`; `None` where that cannot be.
pub(crate) fn as_nobody(args: &[&str], place: &Place) -> Option<Command> {
    let copy = place.path().join(".promptc-under-test");
    if fs::metadata(&copy).is_err() {
        copied(Path::new(PROGRAM), &copy);
        set_mode(place.path(), 0o755);
    }
    let nobody = |program: &Path| {
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"])
            .arg(program)
            .env_clear();
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command
    };
    // Without `setpriv`, or below a folder for temporary files that is closed to others.
    let reached = nobody(Path::new("test")).arg("-x").arg(&copy).status();
    reached.ok().filter(std::process::ExitStatus::success)?;
    let mut command = nobody(&copy);
    command.args(args).current_dir(place.path());
    Some(command)
}

/// Puts a program under a name that others reach also where the folder of the build is closed to them.
pub(crate) fn copied(program: &Path, to: &Path) {
    let linked = fs::hard_link(program, to);
    linked.or_else(|_| fs::copy(program, to).map(drop)).unwrap();
}

/// The program with a limit on what it may write to one file, as on a disk that is full.
pub(crate) fn with_largest_file(args: &[&str], bytes: u64, place: &Place) -> Command {
    // The unit of `ulimit -f` is 512 bytes; the signal would end the program before it could tell anything.
    let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$@\"", bytes / 512);
    let mut command = Command::new("sh");
    command.args(["-c", &script, "sh", PROGRAM]).args(args);
    command.current_dir(place.path()).env_clear();
    command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command
}

/// The case with what the program printed behind its markers.
pub(crate) fn updated(text: &str, runs: &[Ran]) -> String {
    let mut out = String::new();
    let mut skip = false;
    for line in text.split_inclusive('\n') {
        if let Some(marker) = marker(line) {
            let ran = stdout_number(marker).and_then(|n| runs.get(n - 1));
            skip = ran.is_some();
            out.push_str(line);
            if let Some(ran) = ran {
                out.push_str(&shown(&ran.stdout, marker.ends_with(" bytes")));
                out.push('\n');
            }
        } else if !skip {
            out.push_str(line);
        }
    }
    out
}

fn shown(bytes: &[u8], escaped: bool) -> String {
    if !escaped {
        return String::from_utf8(bytes.to_vec()).unwrap();
    }
    let mut out = String::new();
    for byte in bytes {
        match byte {
            b'\n' => out.push_str("\\n"),
            b'\\' => out.push_str("\\\\"),
            b' '..=b'~' => out.push(char::from(*byte)),
            _ => _ = write!(out, "\\x{byte:02x}"),
        }
    }
    out
}

#[test]
fn a_case_is_read() {
    let case = Case::parse(
        "# exit 3\nTZ=utc promptc build --set 'a b=\"c\"' \"x\\\"y\" < f.json\n-- f.json --\n{}\n-- b bytes --\na\\xff\\n\n",
    );
    assert_eq!(case.exit, Some(3));
    let line = &case.lines[0];
    assert_eq!(line.env, [("TZ".to_owned(), "utc".to_owned())]);
    assert_eq!(line.args, ["build", "--set", "a b=\"c\"", "x\"y"]);
    assert_eq!(line.stdin.as_deref(), Some("f.json"));
    let place = Place::new();
    case.lay_out(&place);
    assert_eq!(fs::read(place.path().join("b")).unwrap(), b"a\xff\n");
    assert_eq!(place.read("f.json"), "{}\n");
}

#[test]
fn cases_are_updated_in_place() {
    let text =
        "promptc build\n-- a --\nx\n-- stdout --\nold\n\n-- b --\ny\n-- stdout 2 bytes --\nold\n";
    let ran = |stdout: &str| Ran {
        code: 0,
        stdout: stdout.into(),
        stderr: String::new(),
    };
    let new = updated(text, &[ran("new\n"), ran("é\\\n")]);
    assert_eq!(
        new,
        "promptc build\n-- a --\nx\n-- stdout --\nnew\n\n-- b --\ny\n-- stdout 2 bytes --\n\\xc3\\xa9\\\\\\n\n"
    );
    let case = Case::parse(&new);
    assert_eq!(case.stdout, [(1, b"new\n".to_vec()), (2, "é\\\n".into())]);
}
