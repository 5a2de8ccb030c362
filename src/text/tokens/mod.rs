//! Counting tokens: exactly where a vocabulary is public and part of the program, and as a marked estimate elsewhere.
//!
//! The vocabularies are looked up in place in the program: nothing is read, built or cached, so the first count takes
//! no longer than the next. All is pure: the same text gives the same figures everywhere.

mod layout;
mod class;
mod table;
mod pretoken;
mod merge;
mod encode;
mod tokenizer;
mod ruler;
mod seam;
mod tally;
#[cfg(test)]
mod tests;

pub use encode::{PreToken, Token, Vocabulary};
pub use ruler::Ruler;
pub use seam::{first_seam, last_seam};
pub use tally::Tally;
pub use tokenizer::{ALL, Tokenizer};
