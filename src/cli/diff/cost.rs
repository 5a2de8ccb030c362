//! The cost of a break.

use crate::cli::given::BuildArgs;
use crate::cli::model::CostArgs;
use crate::diagnostic::ErrorReported;
use crate::project::Compared;
use crate::project::Run;
use crate::project::model::no_messages;
use crate::request::cost::{self, CostQuery};
use crate::world::DiskWorld;

/// Notes the cost of each break, if a model is named; in a conversation, or without messages.
pub(crate) fn price(
    all: &mut [Compared],
    given: &BuildArgs,
    (cost, without_messages): (&CostArgs, bool),
    run: &mut Run,
) -> Result<(), ErrorReported> {
    let (tokenizer, now) = (given.tokenizer(), given.now());
    let Some(mut asked) = cost.asked(tokenizer, now, &DiskWorld, run)? else {
        return Ok(());
    };
    let CostQuery { name, found, .. } = &asked;
    asked.messages = no_messages(without_messages, name, found, &mut run.diags)?;
    for compared in all {
        if !compared.diff.same {
            let Compared { a, b, .. } = &*compared;
            compared.diff.cost = Some(cost::of(a, b, &asked));
        }
    }
    Ok(())
}
