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

// Places in program text, one type of diagnostic for every stage, and the list of all codes; data only.
pub mod diagnostic;
// KDL, the language that manifests are written in: text to tokens and a flat tree that know where everything stands, and values to text.
mod syntax;
// The only doors to the outside: files, environment, clock, on a disk, in memory, recorded and replayed; git; threads.
pub mod world;
// Text whose every byte has an owner, and pure functions over it: normalise, canonical JSON, front matter, tokens, cut, scan.
pub mod text;
// The artifact: the bytes of a prompt and the map that leads each back to its source.
pub mod prompt;
// One file for each kind of source that reads from a root, the walls around roots, and the files inside the program.
pub mod source;
// The language: the trees of a file and its bases are merged, and read into a `Manifest`.
pub mod manifest;
// Values of facts, expressions and templates: the engine set up once, and the owners of the bytes that it writes.
pub mod template;
// The seven stages from a manifest to a prompt, in order.
pub mod compile;
// Two prompts compared: what broke the prefix, why, and which later changes it hides; records, which comparisons are made with.
pub mod compare;
// What a provider is sent, what it keeps of it and what that costs: bodies, the table of providers, prices.
pub mod request;
// What a session keeps, when it is built again, and where it is stored: SQLite behind a trait.
pub mod session;
// What a gateway asks for between two builds: hints of folders, changes of memory.
pub mod agent;
// From dumped prompts, or a folder that an agent reads, to a manifest.
pub mod adopt;
// Checks a plan; one file for each rule.
pub mod check;
// A reverse proxy on 127.0.0.1 that copies what goes through it: the only part that has to do with a network.
#[cfg(feature = "capture")]
#[cfg_attr(
    not(feature = "cli"),
    allow(dead_code, unused_imports, reason = "only the command line records")
)]
mod recorder;
// A manifest with its world, and all that can be asked of it.
#[cfg_attr(
    not(feature = "cli"),
    allow(
        dead_code,
        unused_imports,
        reason = "the command line asks for more than a `Project` does"
    )
)]
pub mod project;
// Answers for people and programs: what is said of a comparison, a check, a history or a prompt, and one renderer for each medium.
#[cfg_attr(
    not(feature = "cli"),
    allow(
        dead_code,
        unused_imports,
        reason = "the command line asks for more than a `Project` does"
    )
)]
pub mod report;
// What commands answer to programs, as the library gives it: the documents of `--format json`, byte for byte.
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
