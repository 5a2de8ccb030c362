//! Answers: for people what is said of a comparison, a check, a history or a prompt as a [`Document`], and one renderer for each medium;
//! for programs the types that are written as JSON.

pub mod escape;
mod fit;
pub mod words;
mod change;
mod text;
mod window;
mod bar;
mod hunk;
mod spark;
mod excerpt;
mod code;
mod table;
mod document;
pub mod github;
mod terminal;
pub mod markdown;
mod html;
mod cause;
mod cost;
mod comparison;
pub(crate) mod family;
pub mod history;
#[cfg(feature = "sqlite")]
mod drift;
pub mod blame;
pub mod explain;
pub(crate) mod skills;
pub(crate) mod diagnostic_json;
pub(crate) mod check;
pub(crate) mod scenarios;
pub(crate) mod requests;
mod annotations;
pub(crate) mod usage;
pub(crate) mod verdict;
mod outline;
pub mod page;

#[cfg(feature = "sqlite")]
pub use crate::project::sessions::drift::DriftReport;
pub use annotations::annotations;
pub(crate) use annotations::request_annotations;
pub use cause::sentence;
pub use code::Code;
pub use comparison::{comparison, comparisons};
pub(crate) use comparison::{comparison_with, is_alike, same_break, shown_for};
pub use document::{Block, Document, Fact, Facts, Items};
#[cfg(feature = "sqlite")]
pub use drift::drift;
pub use excerpt::{Excerpt, Mark};
pub use hunk::Extent;
pub use spark::Spark;
pub use table::{Cell, Table};
pub use terminal::Terminal;
pub use text::{Style, Text};
