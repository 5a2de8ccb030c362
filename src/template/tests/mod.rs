//! Tests of expressions and templates, without a manifest; one file for each topic.

mod bench;

mod analysis;
mod checks;
mod failures;
mod filters;
mod functions;
mod limits;
mod owners;
mod pieces;
mod private;
mod whole;
