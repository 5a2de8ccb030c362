//! Causes that a diff names, against builds with only some of the changes.
//!
//! Random manifests are changed in one to three ways that are known here, both sides are built with their inputs, and diffed by
//! promptc. What the diff must name follows from builds with each set of the changes: no code of promptc is used but its builds
//! and its diffs.
//!
//! Two of five seeds are scenes: manifests written as texts. `known` has pairs made by hand. `notices` falsifies correct reports: the
//! judge has to notice.
//!
//! `PROMPTC_PAIRS` says how many pairs each of four shares draws, `PROMPTC_FROM` the first seed, `PROMPTC_SHOWN` how many failures
//! of a class are shown. `PROMPTC_SEED` shows one seed: manifest, files and texts of both sides, the report, and what is wrong.

#![expect(
    clippy::print_stdout,
    reason = "what is wrong is shown to who runs the test"
)]

mod random;
mod world;
mod build;
mod kdl;
mod generate;
mod change;
mod report;
mod judge;
mod scene;
mod scenes;
mod run;
mod known;
mod notices;
