//! Every case file is a test, named after its path: `cargo test --test cases -- tests/diff/kept-tail`.
//!
//! The program is called as users call it; nothing of the library is linked. The folder of a case determines the
//! comparison. The cases of `tests/corpus` are not listed: `tests/it/check/corpus.rs` counts the misses of `check`
//! there.
//!
//! `UPDATE=1` writes what the program prints into the cases, `INSTA_UPDATE=always` the snapshots; read the difference before
//! you commit it.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    missing_docs,
    reason = "tests may fail by panicking, and look at the disk themselves"
)]

#[path = "../harness/mod.rs"]
#[allow(dead_code, reason = "the other test binary needs more of it")]
mod harness;

mod snapshot;
mod diagnostics;
mod checks;
mod fixes;
mod layout;
mod printed;
mod suggestions;

use harness::case::Case;
use harness::run::Place;
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

/// A case file.
struct CaseFile {
    path: PathBuf,
    /// Its path below its folder of cases, as snapshots name it.
    name: String,
    text: String,
}

/// The runner for the cases of a folder.
type Judge = fn(&CaseFile) -> Result<Completion, Failed>;

/// The folders of cases.
const FOLDERS: [(&str, Judge); 8] = [
    ("language", printed::verify),
    ("diff", printed::verify),
    ("emit", printed::verify),
    ("diagnostics", diagnostics::verify),
    ("checks", checks::verify),
    ("fix", fixes::verify),
    ("fmt", layout::verify),
    ("looks", printed::verify),
];

impl CaseFile {
    fn read(path: PathBuf, folder: &Path) -> io::Result<Self> {
        let below = path.strip_prefix(folder).unwrap();
        let names: Vec<&str> = below.iter().map(|part| part.to_str().unwrap()).collect();
        Ok(Self {
            name: names.join("__"),
            text: fs::read_to_string(&path)?,
            path,
        })
    }

    /// The case, and a folder that holds its files.
    fn laid_out(&self) -> (Case, Place) {
        let (case, place) = (Case::parse(&self.text), Place::new());
        case.lay_out(&place);
        (case, place)
    }
}

fn main() -> ExitCode {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut trials = vec![Trial::test("suggestions in words", suggestions::table)];
    for (folder, verify) in FOLDERS {
        let folder = top.join("tests").join(folder);
        let paths = harness::files_below(&folder);
        assert!(
            !paths.is_empty(),
            "{}: the cases are gone",
            folder.display()
        );
        for path in paths {
            let name = path
                .strip_prefix(top)
                .unwrap()
                .to_str()
                .unwrap()
                .replace('\\', "/");
            let folder = folder.clone();
            trials.push(Trial::ignorable_test(name, move || {
                verify(&CaseFile::read(path, &folder)?)
            }));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
