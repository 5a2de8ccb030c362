//! Reports in HTML.

mod drawing;
mod page;
pub(crate) mod html;
