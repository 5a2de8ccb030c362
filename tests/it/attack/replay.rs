//! The inputs that a fuzzer kept (`fuzz/corpus`), checked against the properties again.
//!
//! `fuzz/run` finds more of them; its failures are there too, under a name that begins with `found-`.

#[macro_use]
#[path = "../../properties/mod.rs"]
mod properties;

use crate::docs::markdown::top;
use properties::ALL;
use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A corpus is small, so that it can be kept and read.
const MOST_FILES: usize = 100;
const MOST_BYTES: u64 = 200 * 1024;

fn replay(name: &str, check: fn(&[u8])) {
    let folder = top().join("fuzz/corpus").join(name);
    let mut paths: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    paths.sort();
    assert!(paths.len() >= 5, "no corpus for `{name}`");
    assert!(
        paths.len() <= MOST_FILES,
        "{} files for `{name}`",
        paths.len()
    );
    let mut bytes = 0;
    for path in paths {
        let data = fs::read(&path).unwrap();
        bytes += data.len() as u64;
        let held = catch_unwind(AssertUnwindSafe(|| check(&data)));
        assert!(
            held.is_ok(),
            "`{name}` does not hold for {}",
            path.display()
        );
    }
    assert!(bytes <= MOST_BYTES, "{bytes} bytes for `{name}`");
}

macro_rules! replayed {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            let found = ALL.iter().find(|(name, _)| *name == stringify!($name));
            replay(stringify!($name), found.unwrap().1);
        })*
    };
}

each_property!(replayed);

/// A corpus that no property reads would never be missed.
#[test]
fn every_corpus_is_of_a_property() {
    let entries = fs::read_dir(top().join("fuzz/corpus")).unwrap();
    let there: BTreeSet<String> = entries
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    let known: BTreeSet<String> = ALL.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(there, known);
}
