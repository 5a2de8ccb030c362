//! The scan of texts: its engine, its command and its rules.

mod engine;
mod command;
mod corpus;
