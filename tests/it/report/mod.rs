//! Reports in HTML.

mod page;
pub(crate) mod html;
