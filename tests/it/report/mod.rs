//! Reports in HTML.

mod drawing;
mod page;
mod parts;
mod waterfall;
mod usage;
pub(crate) mod html;
