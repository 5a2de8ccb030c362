//! The code base itself: its modules, its public API and its schemas.

pub(crate) mod tidy;
mod imports;
mod api;
mod schema;
mod words;
mod size;
