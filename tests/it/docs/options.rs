//! The options that pages and messages name: each exists in the command that is named with it.

use crate::docs::markdown::{pages, top};
use crate::run::{PROGRAM, run};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The help of commands, each asked for once; none for words that are no command.
#[derive(Default)]
struct Helps(BTreeMap<Vec<String>, Option<String>>);

impl Helps {
    fn of(&mut self, command: &[&str]) -> Option<&str> {
        let words: Vec<String> = command.iter().map(|&word| word.to_owned()).collect();
        let help = self.0.entry(words).or_insert_with(|| {
            let mut program = Command::new(PROGRAM);
            program.args(command).arg("--help");
            let ran = run(program, b"");
            (ran.code == 0).then(|| ran.stdout().to_owned())
        });
        help.as_deref()
    }

    /// The options of a call that its command does not have.
    fn unknown(&mut self, call: &str) -> Vec<String> {
        let words: Vec<&str> = call.split_whitespace().collect();
        let is_name = |word: &&&str| word.chars().all(|c| c.is_ascii_lowercase());
        let names = words.iter().take_while(is_name).count().min(3);
        let command = (1..=names)
            .rev()
            .find(|&count| self.of(&words[..count]).is_some());
        let Some(count) = command else {
            return Vec::new();
        };
        let known = Regex::new("--[a-z][a-z-]+").unwrap();
        let help = self.of(&words[..count]).unwrap_or_default();
        let known: BTreeSet<String> = known
            .find_iter(help)
            .map(|m| m.as_str().to_owned())
            .collect();
        // What follows `--` is another program's.
        let own = words[count..].iter().take_while(|word| **word != "--");
        let option = Regex::new("^--[a-z][a-z-]+").unwrap();
        let named = own
            .filter_map(|word| option.find(word))
            .map(|m| m.as_str().to_owned());
        named.filter(|option| !known.contains(option)).collect()
    }
}

/// The Rust files below a folder.
fn sources(folder: &Path, out: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            out.push((
                path.display().to_string(),
                fs::read_to_string(&path).unwrap(),
            ));
        }
    }
}

#[test]
fn every_option_that_is_named_exists_in_its_command() {
    let mut texts: Vec<(String, String)> = pages()
        .into_iter()
        .map(|page| (page.path, page.text))
        .collect();
    sources(&top().join("src"), &mut texts);
    let call = Regex::new("`promptc ([^`\n]+)`").unwrap();
    let (mut helps, mut wrong, mut seen) = (Helps::default(), BTreeSet::new(), 0);
    for (path, text) in &texts {
        for call in call.captures_iter(text) {
            seen += 1;
            for option in helps.unknown(&call[1]) {
                wrong.insert(format!("{path}: `promptc {}` has no {option}", &call[1]));
            }
        }
    }
    assert!(seen > 300, "{seen}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_wrong_option_is_found() {
    let mut helps = Helps::default();
    assert_eq!(helps.unknown("diff A --deny x"), ["--deny"]);
    assert_eq!(helps.unknown("agent rules . --session ID"), [""; 0]);
    assert_eq!(
        helps.unknown("capture run -o LOG -- agent --verbose-log"),
        [""; 0]
    );
}
