//! The rules: one file each, and here its `mod` and its place in [`RULES`].

mod split_family;
mod stable_layer_in_volatile_tier;
mod layer_above_tier;
mod not_on_base;
mod overstated_layer;
mod short_prefix;
mod tier_behind_more_volatile;
mod too_many_breakpoints;
mod clock_text;
mod counter_text;
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
mod duplicate_skill;
mod partial_frontmatter;
mod import_cycle;
mod control_character;
mod missing_source;
mod turn_tier_in_system;
mod understated_clock;
mod understated_layer;
mod datetime_for_date;
mod json_key_order;
mod localised_date;
mod per_session_fact;
mod private_in_manifest;
mod private_in_prompt;
mod time_of_day;
mod unguarded_fact;
mod unknown_rule;
mod unreachable_condition;
mod unsorted_listing;
mod untyped_clock;
mod unused_fact;
mod unused_waiver;
mod volatile_fact_name;

pub use tier_behind_more_volatile::is_about_order;

use super::Rule;

/// All rules, in the order in which they are documented.
pub static RULES: &[&Rule] = &[
    &layer_above_tier::RULE,
    &tier_behind_more_volatile::RULE,
    &stable_layer_in_volatile_tier::RULE,
    &turn_tier_in_system::RULE,
    &too_many_breakpoints::RULE,
    &short_prefix::RULE,
    &split_family::RULE,
    &understated_layer::RULE,
    &overstated_layer::RULE,
    &understated_clock::RULE,
    &time_of_day::RULE,
    &datetime_for_date::RULE,
    &untyped_clock::RULE,
    &volatile_fact_name::RULE,
    &per_session_fact::RULE,
    &unsorted_listing::RULE,
    &json_key_order::RULE,
    &localised_date::RULE,
    &private_in_prompt::RULE,
    &private_in_manifest::RULE,
    &unused_fact::RULE,
    &unguarded_fact::RULE,
    &unreachable_condition::RULE,
    &clock_text::RULE,
    &counter_text::RULE,
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
    &duplicate_skill::RULE,
    &partial_frontmatter::RULE,
    &import_cycle::RULE,
    &control_character::RULE,
    &missing_source::RULE,
    &not_on_base::RULE,
    &unknown_rule::RULE,
    &unused_waiver::RULE,
];

/// The rule of that name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.code.name == name)
}
