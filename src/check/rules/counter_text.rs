//! A running count of cost, tokens, context, turns or messages in a stable layer.

use crate::check::texts::Search;
use crate::check::{Rule, RuleInput};
use crate::diagnostic::{Code, ExitClass, Severity};
use crate::prompt::Changes;

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "counter-text",
        exit: ExitClass::Success,
        summary: "a document or fact in a stable layer counts what the conversation used: cost, tokens, context, turns, messages",
        detail: "A count that runs differs at every call, and nothing after it is reused. Leave it out, let a tool give it, or deliver it with the turn (`deliver=user`). Limits, prices, examples and code are not reported.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Text(&SEARCH)],
};

static SEARCH: Search = Search {
    fits: Some(Changes::Turn),
    what: "a running count",
    help: "leave the count out, or deliver it with the turn: a tier with `changes=turn deliver=user`, which `promptc build --channel user` writes",
    find: None,
};
