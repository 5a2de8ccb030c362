//! The parts of sessions that commands and apps need: the location of their store, their stored data, and the
//! result of a build now.

pub(crate) mod location;
pub(crate) mod identity;
pub(crate) mod place;
pub(crate) mod stored;
pub(crate) mod target;
pub(crate) mod same;
pub(crate) mod now;
pub(crate) mod tiers;
pub(crate) mod describe;
pub(crate) mod drift;
pub(crate) mod program;
pub(crate) mod call;
mod note;
mod session_service;
mod answer;
pub(crate) mod serve;

pub use call::Answer as Session;
pub use location::StoreOptions;
