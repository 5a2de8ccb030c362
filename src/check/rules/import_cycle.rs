//! Documents that import each other.

use crate::check::{Rule, RuleInput};
use crate::diagnostic::{IMPORT_CYCLE, Severity};

pub(super) static RULE: Rule = Rule {
    code: IMPORT_CYCLE,
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Warnings],
};
