//! Texts without a map: their layers come from the other side, or from a build now.

use super::side::{CompareCall, Side};
use crate::compare::align::{bare, lay};
use crate::compare::{aligned, bare as bare_texts};
use crate::diagnostic::ErrorReported;
use crate::project::Compared;
use crate::project::Run;
use crate::prompt::{Deliver, Prompt};

/// Compares two sides of which at least one is only a text.
pub(super) fn compare(
    snapshot: Option<String>,
    a: Side,
    b: Side,
    args: &CompareCall,
    run: &mut Run,
) -> Result<Compared, ErrorReported> {
    let reference = match (&a, &b) {
        (Side::Artifact(_, prompt, true), _) | (_, Side::Artifact(_, prompt, true)) => {
            Some(Prompt::clone(prompt))
        }
        // Without a manifest here or above, the texts are still compared.
        _ if args.build.project.is_found() => Some(args.build.build(run)?.prompt),
        _ => None,
    };
    let (a_name, a) = named(a);
    let (b_name, b) = named(b);
    let Some(reference) = reference else {
        let (a, b) = (bare(&a), bare(&b));
        return Ok(Compared {
            snapshot,
            diff: bare_texts(&a, &b),
            a_name,
            b_name,
            a,
            b,
            b_known: true,
        });
    };
    let [a, b] = [a, b].map(|text| lay(&reference, &text));
    Ok(Compared {
        snapshot,
        diff: aligned(&a, &b),
        a_name,
        b_name,
        a: a.prompt,
        b: b.prompt,
        b_known: true,
    })
}

/// The name of a side and its system prompt.
fn named(side: Side) -> (String, String) {
    match side {
        Side::Artifact(name, prompt, _) => (name, prompt.text(Deliver::System).to_owned()),
        Side::Text(name, text) => (name, text),
    }
}
