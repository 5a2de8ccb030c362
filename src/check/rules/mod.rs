//! The rules: one file each, one line here.

mod layer_above_tier;
mod turn_tier_in_system;
mod unknown_rule;
mod unused_waiver;

use super::Rule;

/// All rules, in the order in which they are documented.
pub static RULES: &[&Rule] = &[
    &layer_above_tier::RULE,
    &turn_tier_in_system::RULE,
    &unknown_rule::RULE,
    &unused_waiver::RULE,
];

/// The rule of that name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.code.name == name)
}
