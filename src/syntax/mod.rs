//! KDL 2, the language of manifests: text to a tree of nodes with positions.
//!
//! Modules are declared bottom-up.

pub(crate) mod lex;
pub(crate) mod string;
mod word;
pub(crate) mod write;
mod tree;
mod build;
mod parse;

pub(crate) use build::Builder;
pub(crate) use parse::{NO_FUNCTIONS, read, recover};
pub(crate) use tree::{Entry, Node, Nodes, Scalar, Tree};

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod oracle;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod rules;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod round_trip;
