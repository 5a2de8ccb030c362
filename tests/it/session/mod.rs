//! Sessions: what is kept, where, what has changed since, and the commands for it.

pub(crate) mod block;
mod reminder;
mod history;
mod inputs;
mod history_command;
pub(crate) mod builds;
mod drift;
mod command;
mod store;
