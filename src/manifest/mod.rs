//! The manifest language: KDL in, [`Manifest`] out.

pub mod file_name;
pub mod model;
pub mod grammar;
pub(crate) mod slot;
mod parse;
mod file;
mod chain;
mod merge;
mod open;
mod layout;
pub mod merged;

pub(crate) use file::BUILT_IN;
pub use file::{EMPTY_NAME, FILE_NAME, MAX_PROGRAM, in_folder, program_text, read_program, shown};
pub use file_name::{FileName, NamePart};
pub use layout::formatted;
pub(crate) use merge::locked;
pub use model::*;
pub use open::{exists_above, must_exist, nearest, notice, open};
pub use parse::is_manifest;
pub(crate) use parse::{context, is_name, read};

#[cfg(test)]
mod tests;
