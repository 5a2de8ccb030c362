//! Expressions and templates: minijinja set up once, and the map that its output carries.
//!
//! [`Engine`] evaluates and renders in a [`Scope`]. [`analyse`] runs a program on the known parts of its names instead
//! of on values: its uses and outputs, its failures, and the outcomes of its tests. A render writes into a sink that
//! knows, by address, the buffers that values came from, so copied bytes keep their exact owner; everything else is
//! derived and names what it was made from. Values never reach a message.

pub mod fact;
mod limit;
mod access;
mod data;
mod scope;
mod spans;
mod syntax;
mod guard;
mod failure;
mod objects;
mod weigh;
mod print;
mod filters;
mod builtin;
mod sink;
mod engine;
pub mod analyse;
mod check;

use crate::text::Json;
pub use analyse::Analysis;
pub use builtin::{FILTERS, FUNCTIONS, TESTS};
pub use check::{Listed, NamesInScope};
pub use engine::{Compiled, Engine, Evaluated, Rendered};
pub use failure::{Failure, Problem};
pub use scope::{Part, Scope, Slot, Values};

/// A JSON value as a template prints it, also one that a template of a manifest may not print.
#[must_use]
pub fn printed(value: &Json) -> String {
    data::value(value).to_string()
}

/// The value of an expression, and which kinds there are.
pub use minijinja::value::{Value, ValueKind};

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
