//! The language, comparisons and requests: a case says what the program must print, worked out by hand from the descriptions.

use crate::CaseFile;
use crate::harness::case::{Case, updated};
use crate::harness::run::Ran;
use libtest_mimic::{Completion, Failed};
use std::fmt::Write as _;
use std::fs;

pub(crate) fn verify(file: &CaseFile) -> Result<Completion, Failed> {
    let (case, place) = file.laid_out();
    let runs: Vec<Ran> = (case.lines.iter())
        .map(|line| case.run(line, &["--color", "never"], &place).unwrap())
        .collect();
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&file.path, updated(&file.text, &runs))?;
        return Ok(Completion::Completed);
    }
    let mut wrong = String::new();
    for (number, ran) in (1..).zip(&runs) {
        if let Err(problem) = does_what_it_says(&case, number, ran) {
            let _ = writeln!(
                wrong,
                "command {number}: {problem}\nstderr: {}\n",
                ran.stderr
            );
        }
    }
    if wrong.is_empty() {
        Ok(Completion::Completed)
    } else {
        Err(wrong.into())
    }
}

fn does_what_it_says(case: &Case, number: usize, ran: &Ran) -> Result<(), String> {
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
