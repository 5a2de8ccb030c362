//! A control character in the prompt.

use crate::check::{Rule, RuleInput};
use crate::diagnostic::{CONTROL_CHARACTER, Severity};

pub(super) static RULE: Rule = Rule {
    code: CONTROL_CHARACTER,
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Warnings],
};
