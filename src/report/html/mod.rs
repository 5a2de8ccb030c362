//! An answer as HTML, in a page that has the style of reports.

mod write;
mod picture;
mod draw;

pub(super) use draw::{block, blocks, inline, patch, said, table};
pub(super) use picture::{WIDTH, chip, rect, share_bar};
pub(super) use write::Html;
