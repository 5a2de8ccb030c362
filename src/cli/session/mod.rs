//! Sessions: what their store keeps, and what a build would be now.

pub(crate) mod now;
pub(crate) mod place;
