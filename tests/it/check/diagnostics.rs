//! Every file in `tests/diagnostics/` shows one diagnostic at work: `CODE.case` or `CODE--VARIANT.case`.

use crate::case::{Case, Line};
use crate::run::{Place, Ran};
use promptc::diagnostic::{self, Code, Fault};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;

#[test]
fn every_diagnostic_looks_right() {
    let mut wrong = Vec::new();
    insta::with_settings!({
        snapshot_path => "../../snapshots/diagnostics",
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, {
        insta::glob!("../../diagnostics", "*.case", |path| {
            match show(path) {
                Ok(Some(shown)) => insta::assert_snapshot!("case", shown),
                Ok(None) => {}
                Err(problem) => wrong.push(problem),
            }
        });
    });
    assert!(
        wrong.is_empty(),
        "{} cases:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// The code that a case file is named after.
pub(crate) fn code_of(path: &Path) -> Option<Code> {
    let stem = path.file_stem()?.to_str()?;
    diagnostic::by_name(stem.split("--").next()?)
}

/// What the program says; `None` if the case cannot be run here, an error if it is not what was expected.
fn show(path: &Path) -> Result<Option<String>, String> {
    let name = path.file_name().unwrap().to_string_lossy();
    let code = code_of(path).ok_or_else(|| format!("{name}: no such code"))?;
    let case = Case::parse(&std::fs::read_to_string(path).unwrap());
    let place = Place::new();
    let _held = case.lay_out(&place);
    let mut out = String::new();
    for line in &case.lines {
        let Some(ran) = case.run(line, &["--color", "never"], &place) else {
            return Ok(None);
        };
        let judged = judge(&case, code, &ran, &place)
            .and_then(|()| same_in_json(&case, line, &place, &ran.stderr));
        judged.map_err(|problem| {
            format!(
                "{name}: {problem}; exit {}, stderr:\n{}",
                ran.code, ran.stderr
            )
        })?;
        let _ = writeln!(out, "{}", ran.stderr);
    }
    Ok(Some(out))
}

fn judge(case: &Case, code: Code, ran: &Ran, place: &Place) -> Result<(), String> {
    let expected = case.exit.unwrap_or(match code.fault {
        Fault::Nobody => 0,
        Fault::Input => 2,
        Fault::World => 3,
    });
    let folder = place.path().to_str().unwrap();
    let checks = [
        (ran.code == expected, "the exit code is another one"),
        (ran.stdout.is_empty(), "a failing run printed a result"),
        (
            titles(&ran.stderr).iter().any(|c| c == code.name),
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

/// The same run for programs: the lines parse, have the agreed keys, and carry the same codes in the same order.
fn same_in_json(case: &Case, line: &Line, place: &Place, human: &str) -> Result<(), String> {
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
    let ran = case
        .run(line, &["--message-format", "json"], place)
        .unwrap();
    if shows_secret(&ran.stderr) {
        return Err("a value is told to programs".to_owned());
    }
    let mut codes = Vec::new();
    let in_batch = line.args.iter().any(|arg| arg == "--batch");
    for line in ran.stderr.lines() {
        let mut value: Value = serde_json::from_str(line).map_err(|e| format!("{e} in {line}"))?;
        // What a batch says of its lines has one key more.
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
        codes.extend(value["code"].as_str().map(str::to_owned));
    }
    if codes == titles(human) {
        Ok(())
    } else {
        Err(format!("for programs the codes are {codes:?}"))
    }
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
