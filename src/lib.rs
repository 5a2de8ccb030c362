//! promptc compiles a layer manifest into a system prompt: the same bytes every time, with a map that says where each
//! byte came from.
//!
//! Modules are declared bottom-up: each may import only those above it (`tests/it/tidy.rs` enforces this). `docs/architecture.md`
//! has the same map, and how a prompt goes through it.

// Places in program text: files, spans, and values that keep their span.
pub mod span;
// One type of diagnostic for every stage, and the list of all codes; data only.
pub mod diagnostic;
// KDL, the language that manifests are written in: text to tokens and a flat tree that know where everything stands, and values to text.
mod syntax;
// The only door to the outside: files, environment, clock; on a disk, in memory, recorded and replayed.
pub mod world;
// What a repository held at a revision, read by the program `git`: a door beside `World`.
pub mod git;
// Work shared among threads, with its results in the order of the items.
mod threads;
// Counts tokens: exactly where a vocabulary is part of the program, as a marked estimate elsewhere.
pub mod tokens;
// Text whose every byte has an owner, and pure functions over it: normalise, canonical JSON, front matter, measure, cut, scan.
pub mod text;
// A document: one text with what is known about it.
pub mod document;
// The kinds of difference between a kept layer and what a build now would give.
pub mod drift;
// The artifact: the bytes of a prompt and the map that says where each came from.
pub mod prompt;
// Leads a place in a prompt back to its source, by the map alone.
pub mod blame;
// What is embedded: manifests, their sentences, templates, presets.
pub mod builtin;
// One file for each kind of source that reads from a root, with all that the stages ask of it, and the walls around roots.
pub mod source;
// The language: KDL is parsed, merged with its bases, and becomes a `Manifest`.
pub mod manifest;
// What providers keep of a request and what it costs: a table, and rules as pure functions.
pub mod provider;
// Typed values: what a fact may hold, how it is read and how it prints.
pub mod fact;
// Expressions and templates: the engine set up once, and the owners of the bytes that it writes.
pub mod expr;
// The seven stages from a manifest to a prompt, in order.
pub mod compile;
// Two prompts compared: what broke the prefix, why, and what hides behind it.
pub mod diff;
// The body of a request from an artifact; one file for each shape.
pub mod emit;
// What a break costs, from two prompts and a row of the table of providers.
pub mod cost;
// A prompt as a lock and snapshots that git can merge, and back; reads and writes no file.
pub mod record;
// Where sessions are kept, behind a trait; SQLite is one of its kinds.
pub mod store;
// What a gateway asks for between two builds: hints of folders, changes of memory.
pub mod agent;
// What a session keeps, and when it is built anew; pure.
pub mod session;
// From dumped prompts to a manifest whose build they are.
pub mod adopt;
// Judges a plan; one file for each rule.
pub mod check;
// Snapshots of prompts in a Rust project's own tests.
#[cfg(any(feature = "insta", test))]
pub mod insta;
// The command line: one file or folder for each command; `ui` draws.
#[cfg(feature = "cli")]
pub mod cli;
