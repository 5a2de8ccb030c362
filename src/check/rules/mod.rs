//! The rules: one file each, one line here.

mod layer_above_tier;
mod clock_text;
mod date_text;
mod uuid_text;
mod temp_path;
mod git_state;
mod volatile_text;
mod request_header;
mod mixed_line_ends;
mod file_tree;
mod unused_root;
mod unreachable_budget;
mod duplicate_document;
mod turn_tier_in_system;
mod unknown_rule;
mod unused_waiver;

use super::Rule;

/// All rules, in the order in which they are documented.
pub static RULES: &[&Rule] = &[
    &layer_above_tier::RULE,
    &turn_tier_in_system::RULE,
    &clock_text::RULE,
    &date_text::RULE,
    &uuid_text::RULE,
    &temp_path::RULE,
    &git_state::RULE,
    &volatile_text::RULE,
    &request_header::RULE,
    &mixed_line_ends::RULE,
    &file_tree::RULE,
    &unused_root::RULE,
    &unreachable_budget::RULE,
    &duplicate_document::RULE,
    &unknown_rule::RULE,
    &unused_waiver::RULE,
];

/// The rule of that name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.code.name == name)
}
