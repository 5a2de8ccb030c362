//! Diagnostics: `tests/diagnostics/CODE.case` or `CODE--VARIANT.case` shows one at work. The output for people is a
//! snapshot.

use crate::harness::case::{Case, Line};
use crate::harness::run::{Place, Ran};
use crate::{CaseFile, snapshot, suggestions};
use libtest_mimic::{Completion, Failed};
use serde_json::Value;
use std::fmt::Write as _;

pub(crate) fn verify(file: &CaseFile) -> Result<Completion, Failed> {
    let Some(shown) = show(file)? else {
        return Ok(Completion::ignored_with(
            "it needs an account without rights",
        ));
    };
    snapshot::compare("diagnostics", "case", file, &shown);
    Ok(Completion::Completed)
}

/// The output of the program; `None` if the case cannot be run here, an error if it is not the expected one.
fn show(file: &CaseFile) -> Result<Option<String>, String> {
    let stem = file.name.strip_suffix(".case").ok_or("no case")?;
    let code = stem.split("--").next().unwrap_or(stem);
    let exit_of_code = exit_of(code)?;
    let (case, place) = (Case::parse(&file.text), Place::new());
    let _held = case.lay_out(&place);
    let exit = case.exit.unwrap_or(exit_of_code);
    let mut out = String::new();
    for line in &case.lines {
        let Some(ran) = case.run(line, &["--color", "never"], &place) else {
            return Ok(None);
        };
        let verified = looks_right(&ran, code, exit, &place)
            .and_then(|()| same_in_json(&case, line, &place, &ran.stderr))
            .and_then(|found| {
                suggestions::all_help(&case, line, &found, |line, place| {
                    listed(&in_json(&case, line, place))
                })
            });
        verified
            .map_err(|problem| format!("{problem}; exit {}, stderr:\n{}", ran.code, ran.stderr))?;
        let _ = writeln!(out, "{}", ran.stderr);
    }
    Ok(Some(out))
}

/// The exit code that the program gives for a diagnostic code.
fn exit_of(code: &str) -> Result<i32, String> {
    let ran = Place::new().run(&["explain", "--code", code, "--format", "json"]);
    if ran.code != 0 {
        return Err(format!("no such code: {}", ran.stderr));
    }
    let about: Value = serde_json::from_str(ran.stdout()).map_err(|e| e.to_string())?;
    let exit = about["exit"].as_i64().and_then(|exit| exit.try_into().ok());
    exit.ok_or_else(|| format!("no exit code: {about}"))
}

fn looks_right(ran: &Ran, code: &str, exit: i32, place: &Place) -> Result<(), String> {
    let folder = place.path().to_str().unwrap();
    let checks = [
        (ran.code == exit, "the exit code is another one"),
        (ran.stdout.is_empty(), "a failing run printed a result"),
        (
            titles(&ran.stderr).iter().any(|c| c == code),
            "the code is not shown",
        ),
        (!ran.stderr.contains(folder), "an absolute path is shown"),
        (!shows_secret(&ran.stderr), "a value is shown"),
    ];
    checks
        .iter()
        .try_for_each(|(holds, problem)| holds.then_some(()).ok_or_else(|| (*problem).to_owned()))
}

/// Whether a text has one of the values that cases give to private facts: a long one, one of three letters.
fn shows_secret(text: &str) -> bool {
    ["secret-value", "qjx"].iter().any(|s| text.contains(s))
}

/// The same run for programs: the lines parse, have the agreed keys, and carry the same codes in the same order, except
/// those that people see once.
fn same_in_json(
    case: &Case,
    line: &Line,
    place: &Place,
    human: &str,
) -> Result<Vec<Value>, String> {
    const KEYS: &[&str] = &[
        "code",
        "column",
        "end",
        "help",
        "line",
        "message",
        "path",
        "schema",
        "severity",
        "start",
        "suggestion",
    ];
    let ran = in_json(case, line, place);
    if shows_secret(&ran.stderr) {
        return Err("a value is told to programs".to_owned());
    }
    let (mut codes, mut names) = (Vec::new(), Vec::new());
    let in_batch = line.args.iter().any(|arg| arg == "--batch");
    let found = listed(&ran)?;
    for line in &found {
        let mut value = line.clone();
        // Messages about a line of a batch have one key more.
        if let Some(object) = value.as_object_mut().filter(|_| in_batch) {
            object.remove("input_line");
        }
        let keys = value
            .as_object()
            .map(|o| o.keys().map(String::as_str).collect::<Vec<_>>());
        if keys.as_deref() != Some(KEYS) {
            return Err(format!("other keys than agreed: {line}"));
        }
        if value["severity"] == "error" && value["path"].is_null() && value["help"].is_null() {
            return Err(format!("neither a place nor a way out: {line}"));
        }
        let code = value["code"].as_str().unwrap();
        // For people an unknown name is one error, however often it is used; with another fix it is another error.
        let said = ["message", "help"].map(|key| value[key].to_string());
        let name = (
            code.to_owned(),
            said,
            value["suggestion"]["text"].to_string(),
        );
        if code.starts_with("unknown-") && !value["path"].is_null() && names.contains(&name) {
            continue;
        }
        codes.push(code.to_owned());
        names.push(name);
    }
    if codes == titles(human) {
        Ok(found)
    } else {
        Err(format!("for programs the codes are {codes:?}"))
    }
}

fn in_json(case: &Case, line: &Line, place: &Place) -> Ran {
    let ran = case.run(line, &["--message-format", "json"], place);
    ran.unwrap()
}

/// The diagnostics of a run, in order.
fn listed(ran: &Ran) -> Result<Vec<Value>, String> {
    let lines = ran.stderr.lines();
    let read = |line| serde_json::from_str(line).map_err(|e| format!("{e} in {line}"));
    lines.map(read).collect()
}

/// The codes of the human form: `error[CODE]: …` at the start of a line.
fn titles(human: &str) -> Vec<String> {
    let code = |line: &str| {
        let (level, rest) = line.split_once('[')?;
        let known = ["error", "warning", "note"].contains(&level);
        known.then(|| rest.split(']').next().map(str::to_owned))?
    };
    human.lines().filter_map(code).collect()
}
