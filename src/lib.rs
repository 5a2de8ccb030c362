//! promptc compiles a layer manifest into a system prompt: the same bytes every time, with a map that says where each
//! byte came from.
//!
//! ```
//! # fn main() -> Result<(), promptc::Error> {
//! use promptc::{BuildInputs, Deliver, Project};
//!
//! let project = Project::open("examples/atlas/promptc.kdl")?;
//! let prompt = project.build(&BuildInputs::new().facts("examples/atlas/facts.json"))?;
//! print!("{}", prompt.text(Deliver::System));
//! # assert!(!prompt.text(Deliver::System).is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! [`Project`] is the door: it builds, checks, applies fixes, compares and keeps sessions. What a call finds that is no error comes
//! with its [`Answer`]; an [`Error`] has the diagnostics with their places. [`requests`] is the door to what other
//! agents sent. The modules below are how it is made; they may change with every release.
//!
//! Modules are declared bottom-up: each may import only those above it (`tests/it/code/imports.rs` holds this, at every level).
//! `docs/architecture.md` has the same map, and how a prompt goes through it.

// Places in program text, one type of diagnostic for every stage, and the list of codes.
pub mod diagnostic;
// KDL: text to tokens and a flat tree with places, and values to text.
mod syntax;
// The only access to the outside: files, environment, clock, git; threads.
pub mod world;
// Text whose every byte has an owner, and pure functions over it: normalise, tokens, cut, scan.
pub mod text;
// The artifact: the bytes of a prompt, and the map of each byte to its source.
pub mod prompt;
// One file for each kind of source, the walls around roots, and the built-in files.
pub mod source;
// The language: merges a file with its bases, and reads a `Manifest`.
pub mod manifest;
// Values of facts, expressions and templates, and the owners of the bytes that they write.
pub mod template;
// The seven stages from a manifest to a prompt, in order.
pub mod compile;
// Compares two prompts: the break, its cause, and later changes; snapshots.
pub mod compare;
// Requests: bodies, the table of providers, caches and prices.
pub mod request;
// What a session stores, when it is rebuilt, and the store (SQLite behind a trait).
pub mod session;
// Calls between two builds: directory rules of folders, changes of memory.
pub mod agent;
// From dumped prompts, or the folder of an agent, to a manifest.
pub mod adopt;
// Checks a plan; one file for each rule.
pub mod check;
// A reverse proxy on 127.0.0.1 that copies traffic: the only part with a network.
#[cfg(feature = "capture")]
#[cfg_attr(
    not(feature = "cli"),
    allow(dead_code, unused_imports, reason = "only the command line snapshots")
)]
mod recorder;
// A manifest with its world, and every question about it.
#[cfg_attr(
    not(feature = "cli"),
    allow(
        dead_code,
        unused_imports,
        reason = "the command line asks for more than a `Project` does"
    )
)]
pub mod project;
// Answers for people, with one renderer for each medium.
#[cfg_attr(
    not(feature = "cli"),
    allow(
        dead_code,
        unused_imports,
        reason = "the command line asks for more than a `Project` does"
    )
)]
pub mod report;
// The documents of `--format json`, byte for byte.
#[cfg_attr(
    not(feature = "cli"),
    allow(
        dead_code,
        unused_imports,
        reason = "the command line writes more documents"
    )
)]
pub(crate) mod answer;
// The command line: one file or folder for each command; `ui` draws.
#[cfg(feature = "cli")]
pub mod cli;

pub use answer::ExplainOptions;
pub use check::{Finding, Report};
pub use compare::{Diff, diff as compare};
pub use diagnostic::span::{Files, Span};
pub use diagnostic::{Diagnostic, Severity, Suggestion};
#[cfg(any(feature = "insta", test))]
pub use project::insta;
pub use project::requests;
pub use project::{
    Answer, Batch, BuildInputs, CheckOptions, Compared, EmitRequest, Engine, Error, Findings,
    Fixes, Made, MemoryOptions, Project,
};
#[cfg(feature = "sqlite")]
pub use project::{CompareOptions, Session, SessionOptions, StoreOptions};
pub use prompt::{Deliver, Prompt};
pub use world::{DiskWorld, EditedWorld, World};
