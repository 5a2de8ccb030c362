//! A source that names something, and finds nothing.

use crate::check::{Rule, RuleInput};
use crate::diagnostic::{MISSING_SOURCE, Severity};

pub(super) static RULE: Rule = Rule {
    code: MISSING_SOURCE,
    severity: Severity::Warning,
    waivable: false,
    looks: &[RuleInput::Warnings],
};
