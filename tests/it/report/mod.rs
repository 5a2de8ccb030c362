//! Reports in HTML.

mod drawing;
mod page;
mod waterfall;
mod usage;
pub(crate) mod html;
