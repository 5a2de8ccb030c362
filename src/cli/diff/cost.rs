//! The cost of a break.

use crate::cli::given::BuildArgs;
use crate::cli::model::CostArgs;
use crate::diagnostic::ErrorReported;
use crate::project::Compared;
use crate::project::Run;
use crate::request::cost;
use crate::world::DiskWorld;

/// Notes the cost of each break, if a model is named.
pub(crate) fn price(
    all: &mut [Compared],
    given: &BuildArgs,
    cost: &CostArgs,
    run: &mut Run,
) -> Result<(), ErrorReported> {
    let (tokenizer, now) = (given.tokenizer(), given.now());
    let Some(asked) = cost.asked(tokenizer, now, &DiskWorld, run)? else {
        return Ok(());
    };
    for compared in all {
        if !compared.diff.same {
            let Compared { a, b, .. } = &*compared;
            compared.diff.cost = Some(cost::of(a, b, &asked));
        }
    }
    Ok(())
}
