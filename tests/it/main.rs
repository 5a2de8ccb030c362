//! All integration tests, in one binary.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    missing_docs,
    reason = "tests may fail by panicking, look at the disk themselves, and say what they skip"
)]

mod run;
mod case;
mod diagnostics;
mod checks;
mod sarif;
mod growth;
mod benchmarks;
mod corpus;
mod fixes;
mod cli;
mod schema;
mod skills;
mod markdown;
mod kdl;
mod fmt;
mod docs;
mod drawing;
mod commands;
mod story;
mod quotes;
mod book;
mod picture;
mod goldens;
mod laws;
#[expect(clippy::print_stdout, reason = "says what it skips")]
mod bad_input;
mod replay;
mod hostile;
mod api;
mod attack;
mod threats;
mod tidy;
mod mushroom;
mod recipes;
mod map;
mod language;
mod blame;
mod batch;
mod watch;
mod man;
mod version;
mod ci;
mod records;
mod git;
mod grammar;
mod diff_git;
mod diff_operands;
mod given;
mod mutations;
mod overlays;
mod session_block;
mod reminder;
mod history;
mod session_history;
mod sessions;
mod session_drift;
mod tokens;
mod adopt;
mod scan;
mod scan_command;
mod scan_corpus;
mod hint;
mod skills_command;
mod providers;
mod html;
mod imports;
mod report;
mod session_command;
mod store;
mod memory;
