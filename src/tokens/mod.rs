//! Counting tokens: exactly where the vocabulary is public, and as a marked estimate elsewhere.
//!
//! The vocabularies are part of the program and are looked up in place: the first count costs nothing more than the next.

mod layout;
mod class;
mod table;
mod pretoken;
mod merge;
mod encode;

pub use encode::{Piece, Token, Vocabulary};
