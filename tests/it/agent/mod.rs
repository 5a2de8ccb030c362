//! The commands for an app between two builds: directory rules, memory, skills.

mod directory_rules;
mod memory;
mod skills_command;
mod skills;
