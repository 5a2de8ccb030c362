//! The rules: one file each, one line here.

mod calm_layer_in_volatile_tier;
mod layer_above_tier;
mod short_prefix;
mod tier_behind_more_volatile;
mod too_many_breakpoints;
mod turn_tier_in_system;
mod understated_clock;
mod unknown_rule;
mod unused_waiver;

use super::Rule;

/// All rules, in the order in which they are documented.
pub static RULES: &[&Rule] = &[
    &layer_above_tier::RULE,
    &tier_behind_more_volatile::RULE,
    &calm_layer_in_volatile_tier::RULE,
    &turn_tier_in_system::RULE,
    &too_many_breakpoints::RULE,
    &short_prefix::RULE,
    &understated_clock::RULE,
    &unknown_rule::RULE,
    &unused_waiver::RULE,
];

/// The rule of that name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.code.name == name)
}
