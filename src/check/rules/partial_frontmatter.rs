//! Front matter that was not read whole.

use crate::check::{Rule, RuleInput};
use crate::diagnostic::{PARTIAL_FRONTMATTER, Severity};

pub(super) static RULE: Rule = Rule {
    code: PARTIAL_FRONTMATTER,
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Warnings],
};
