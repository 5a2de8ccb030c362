//! An independent oracle for the causes that a diff names.
//!
//! Random worlds are printed by a small model of the language, changed in one to three ways, and diffed by promptc. What the
//! diff must name follows from who owns the bytes at the break, as docs/attribution.md says; builds with only some of the changes
//! are a second judge. No code of promptc is used but its builds and its diffs.
//!
//! Two of five seeds are scenes instead: manifests written as texts, which the model does not print and only the second
//! oracle checks. `known` has pairs made by hand. `notices` falsifies correct reports: the oracle has to notice.
//!
//! `PROMPTC_PAIRS` says how many pairs each of four shares draws, `PROMPTC_FROM` the first seed, `PROMPTC_SHOWN` how many failures
//! of a class are shown. `PROMPTC_SEED` shows one seed: manifest, files and texts of both sides, the report, and what is wrong.

#![expect(
    clippy::print_stdout,
    reason = "what is wrong is shown to who runs the test"
)]

mod random;
mod world;
mod kdl;
mod build;
mod row;
mod cut;
mod print;
mod generate;
mod settle;
mod change;
mod align;
mod want;
mod gone;
mod seen;
mod answer;
mod order;
mod verify;
mod subsets;
mod scene;
mod scenes;
mod run;
mod known;
mod notices;
