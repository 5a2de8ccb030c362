//! Causes by replay: the compiler runs on mixes of the inputs of two builds, and a cause is what, taken back, moves the break.

mod leaves;
mod runs;
mod node;
mod manifest;
mod search;
mod aligned;
mod facts;
mod inputs;
mod seen;
mod effect;
mod entry;
mod breaks;

use super::model::Break;
use crate::prompt::Prompt;
use breaks::Words;
pub(super) use inputs::InputMixes;
use leaves::Leaves;
use search::{Kept, Limits, Mixes as _, Round, kept, rounds};
use std::num::NonZeroUsize;
use std::sync::Arc;

/// The most builds of one comparison, if no option says another number.
pub(crate) const MOST_BUILDS: usize = 256;

/// The most rounds of one comparison.
const MOST_ROUNDS: usize = 20;

/// What a search of causes found.
pub(super) struct Explained {
    pub(super) breaks: Vec<Break>,
    /// The inputs that it searched.
    pub(super) mixes: InputMixes,
    /// The builds after which it was stopped, if it was.
    pub(super) stopped: Option<usize>,
}

/// The breaks between two prompts of which both carry their inputs, each with the causes that builds prove. `place` is where a prompt
/// breaks the prefix of another one. None if not both carry them, or B cannot be built again from them.
pub(super) fn explain(
    [a, b]: [&Prompt; 2],
    place: &dyn Fn([&Prompt; 2]) -> Option<Break>,
    most_builds: Option<NonZeroUsize>,
) -> Option<Explained> {
    let (mut mixes, [base, whole]) = mixes([a, b])?;
    let inputs = [a.inputs.as_deref()?, b.inputs.as_deref()?];
    let limits = Limits {
        builds: most_builds.map_or(MOST_BUILDS, NonZeroUsize::get),
        rounds: MOST_ROUNDS,
    };
    let home = inputs[1].manifests.first()?;
    let home = &home[..home.rfind('/')?];
    let (unknown, private) = (mixes.unknown.clone(), mixes.private.clone());
    let secrets = mixes.secrets();
    let words = Words {
        home,
        a,
        b,
        inputs,
        unknown: &unknown,
        private: &private,
        secrets: &secrets,
    };
    let (mut breaks, mut stand_ins) = (Vec::new(), None);
    let mut each = |leaves: &Leaves, round: Round| {
        stand_ins.get_or_insert_with(|| round.stand_ins.clone());
        breaks.extend(words.found((leaves, &round), place));
    };
    let ends = [base, whole];
    let found = rounds(&mut mixes, &Arc::new(a.clone()), ends, limits, &mut each);
    if let (Some(first), Some(stand_ins)) = (breaks.first_mut(), stand_ins) {
        let also = found.also.iter().chain(&stand_ins);
        first.also = words.also(mixes.leaves(), also);
    }
    Some(Explained {
        breaks,
        stopped: found.stopped,
        mixes,
    })
}

/// The mixes of two prompts, and the prompts of A's and of B's inputs. None if not both carry their inputs, or one cannot be built again
/// from them.
pub(super) fn mixes([a, b]: [&Prompt; 2]) -> Option<(InputMixes, [Arc<Prompt>; 2])> {
    let inputs = [a.inputs.as_deref()?, b.inputs.as_deref()?];
    let mut mixes = InputMixes::new(inputs, b.name.as_deref())?;
    [a, b]
        .into_iter()
        .for_each(|prompt| mixes.note_private(prompt));
    let ends = mixes.ends([a, b])?;
    let is_known = inputs[0].promptc == inputs[1].promptc && mixes.unknown.is_empty();
    if kept(&ends[1], b) != Kept::All || (is_known && kept(&ends[0], a) != Kept::All) {
        return None;
    }
    Some((mixes, ends))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
