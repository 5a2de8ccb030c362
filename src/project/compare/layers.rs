//! The prompt that names the layers in the requests of a log.

use super::operand::{self, Operand};
use super::side::{CompareCall, Side, Sides};
use crate::diagnostic::{self as codes, Diagnostic, ErrorReported};
use crate::project::Run;
use crate::prompt::Prompt;

/// The prompts that operands name; without one a new build, if the call says what to build, else none.
pub(crate) fn layers(
    written: &[String],
    args: &CompareCall,
    run: &mut Run,
) -> Result<Vec<Prompt>, ErrorReported> {
    let is_git = |written: &String| matches!(Operand::parse(written), Operand::Git(_));
    if args.options.recorded && !written.iter().any(is_git) {
        let message = "--recorded says how git:REV is read, and no prompt is one";
        let found = Diagnostic::error(codes::USAGE, message);
        return Err(run.diags.push(found.help("leave it out")));
    }
    let given = &args.build;
    let builds =
        given.project.name().is_some() || given.inputs.scenario.is_some() || given.inputs.gives();
    let mut all = Vec::new();
    for written in written {
        let sides = Operand::parse(written).read(args, run)?;
        all.push(layered(sides, args, run)?);
    }
    if written.is_empty() && builds {
        all.push(layered(Sides::Now, args, run)?);
    }
    Ok(all)
}

/// The one prompt of an operand.
fn layered(sides: Sides, args: &CompareCall, run: &mut Run) -> Result<Prompt, ErrorReported> {
    let side = match sides {
        Sides::Now => operand::now(args, run)?,
        Sides::One(side) => *side,
        Sides::Frozen(frozen) => return Ok(frozen.prompt),
        Sides::Many(snapshots) => match <[_; 1]>::try_from(snapshots) {
            Ok([(_, side)]) => side,
            Err(_) => {
                let message = "there are several scenarios, and the layers are those of one prompt";
                let found = Diagnostic::error(codes::NOTHING_SELECTED, message);
                let help = "name one with --scenario, or as snapshot:NAME";
                return Err(run.diags.push(found.help(help)));
            }
        },
    };
    match side {
        Side::Artifact(_, prompt, _) => Ok(*prompt),
        Side::Text(name, _) => {
            let message = format!("`{name}` is a text, which has no layers");
            let found = Diagnostic::error(codes::USAGE, message);
            let help = "`promptc build --format json` writes a prompt with its layers";
            Err(run.diags.push(found.help(help)))
        }
    }
}
