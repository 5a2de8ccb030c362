//! Every file in `tests/diagnostics/` shows one diagnostic at work: `CODE.case` or `CODE--VARIANT.case`.

use crate::case::{Case, Line};
use crate::run::Place;
use promptc::diagnostic::{self, Code, Fault};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;

#[test]
fn every_diagnostic_looks_right() {
    insta::with_settings!({
        snapshot_path => "../snapshots/diagnostics",
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, {
        insta::glob!("../diagnostics", "*.case", |path| {
            if let Some(shown) = show(path) {
                insta::assert_snapshot!("case", shown);
            }
        });
    });
}

/// The code that a case file is named after.
pub(crate) fn code_of(path: &Path) -> Option<Code> {
    let stem = path.file_stem()?.to_str()?;
    diagnostic::by_name(stem.split("--").next()?)
}

/// What the program says; `None` if the case cannot be run here.
fn show(path: &Path) -> Option<String> {
    let code = code_of(path).unwrap_or_else(|| panic!("{}: no such code", path.display()));
    let case = Case::parse(&std::fs::read_to_string(path).unwrap());
    let place = Place::new();
    case.lay_out(&place);
    let mut out = String::new();
    for line in &case.lines {
        let human = case.run(line, &["--color", "never"], &place)?;
        let name = path.file_name().unwrap().to_string_lossy();
        let said = format!("{name}: exit {}, stderr:\n{}", human.code, human.stderr);
        let expected = case.exit.unwrap_or(match code.fault {
            Fault::Input => 2,
            Fault::World => 3,
        });
        assert_eq!(human.code, expected, "{said}");
        assert!(
            human.stdout.is_empty(),
            "a failing run printed a result; {said}"
        );
        assert!(human.stderr.contains(&format!("[{}]", code.name)), "{said}");
        let folder = place.path().to_str().unwrap();
        assert!(
            !human.stderr.contains(folder),
            "an absolute path is shown; {said}"
        );
        same_in_json(&case, line, &place, code, &human.stderr);
        let _ = writeln!(out, "{}", human.stderr);
    }
    Some(out)
}

/// The same run for programs: the lines parse, have the agreed keys, and carry the same codes in the same order.
fn same_in_json(case: &Case, line: &Line, place: &Place, code: Code, human: &str) {
    let ran = case
        .run(line, &["--message-format", "json"], place)
        .unwrap();
    let mut codes = Vec::new();
    for line in ran.stderr.lines() {
        let value: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e} in {line}"));
        let keys: Vec<&str> = value
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let mut expected = [
            "severity",
            "code",
            "message",
            "file",
            "start",
            "end",
            "line",
            "column",
            "help",
            "suggestion",
        ];
        expected.sort_unstable();
        assert_eq!(keys, expected);
        codes.push(value["code"].as_str().unwrap().to_owned());
    }
    assert!(codes.iter().any(|c| c == code.name), "{codes:?}");
    assert_eq!(codes, titles(human), "the two forms differ");
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
