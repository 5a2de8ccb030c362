//! Reports in HTML.

mod drawing;
mod page;
mod usage;
mod waterfall;
pub(crate) mod html;
