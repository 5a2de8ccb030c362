//! The language, feature by feature, and what `diff` prints: every file in `tests/language/`, `tests/diff/` and `tests/emit/`
//! is a case with what the program must print, worked out by hand from the descriptions. `UPDATE=1` writes what the program prints into the cases instead; read the
//! difference before you commit it.

use crate::case::{Case, stdout_number};
use crate::run::{Place, Ran};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn cases(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(folder);
    let entries = fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    paths.sort();
    paths
}

#[test]
fn every_case_prints_what_it_says() {
    assert!(judged("language") > 70, "the cases are gone");
}

#[test]
fn every_comparison_prints_what_it_says() {
    assert!(judged("diff") > 10, "the cases are gone");
}

#[test]
fn every_request_is_what_it_says() {
    assert!(judged("emit") > 10, "the cases are gone");
}

/// Runs all cases of a folder; gives how many there are.
fn judged(folder: &str) -> usize {
    let update = std::env::var_os("UPDATE").is_some();
    let mut wrong = String::new();
    let paths = cases(folder);
    for path in &paths {
        let name = path.file_name().unwrap().to_string_lossy();
        let text = fs::read_to_string(path).unwrap();
        let (case, runs) = run_all(&text);
        if update {
            fs::write(path, updated(&text, &runs)).unwrap();
            continue;
        }
        for (number, ran) in (1..).zip(&runs) {
            if let Err(problem) = judge(&case, number, ran) {
                let _ = writeln!(
                    wrong,
                    "{name}, command {number}: {problem}\nstderr: {}\n",
                    ran.stderr
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    paths.len()
}

fn run_all(text: &str) -> (Case, Vec<Ran>) {
    let case = Case::parse(text);
    let place = Place::new();
    case.lay_out(&place);
    let runs = case
        .lines
        .iter()
        .map(|line| case.run(line, &["--color", "never"], &place).unwrap());
    let runs = runs.collect();
    (case, runs)
}

fn judge(case: &Case, number: usize, ran: &Ran) -> Result<(), String> {
    let exit = case.exit.unwrap_or(0);
    if ran.code != exit {
        return Err(format!("exit {} instead of {exit}", ran.code));
    }
    let wanted = case
        .stdout
        .iter()
        .find(|(n, _)| *n == number)
        .map(|(_, bytes)| bytes);
    let stdout = String::from_utf8_lossy(&ran.stdout);
    if let Some(wanted) = wanted
        && *wanted != ran.stdout
    {
        let wanted = String::from_utf8_lossy(wanted);
        return Err(format!("it prints\n  {stdout:?}\ninstead of\n  {wanted:?}"));
    }
    if wanted.is_none() && case.shows.is_empty() && case.says.is_empty() && case.hides.is_empty() {
        return Err("nothing is said about what it does".to_owned());
    }
    let shows = case
        .shows
        .iter()
        .map(|text| (stdout.contains(text), "prints no", text));
    let says = case
        .says
        .iter()
        .map(|text| (ran.stderr.contains(text), "does not say", text));
    let hides = case.hides.iter().map(|text| {
        let hidden = !stdout.contains(text) && !ran.stderr.contains(text);
        (hidden, "does not hide", text)
    });
    match shows.chain(says).chain(hides).find(|(holds, ..)| !holds) {
        Some((_, problem, text)) => Err(format!("it {problem} `{text}`; stdout: {stdout}")),
        None => Ok(()),
    }
}

/// The case with what the program printed behind its markers.
fn updated(text: &str, runs: &[Ran]) -> String {
    let mut out = String::new();
    let mut skip = false;
    for line in text.split_inclusive('\n') {
        let marker = line
            .trim_end()
            .strip_prefix("-- ")
            .and_then(|l| l.strip_suffix(" --"));
        if let Some(marker) = marker {
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
