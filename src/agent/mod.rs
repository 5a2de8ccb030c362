//! The agent's side: what an app asks for between two builds of a prompt.

pub mod directory_rules;
pub mod memory;
