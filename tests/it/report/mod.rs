//! Reports in HTML.

mod drawing;
mod page;
mod waterfall;
pub(crate) mod html;
