//! `promptc init` without more: a manifest for what is in the folder.

use super::write::{self, New};
use super::{Args, Format, next, preset, report, wrote};
use crate::adopt::look::{FALLBACK, Look, look};
use crate::cli::Context;
use crate::cli::ui::answer;
use crate::diagnostic::ErrorReported;
use crate::manifest::FILE_NAME;
use crate::world::DiskWorld;

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    let found = look(&DiskWorld, &args.folder);
    let Look {
        manifest,
        report,
        warnings,
    } = found.map_err(|failed| context.run.diags.push(*failed))?;
    let new: Vec<New> = match manifest {
        Some(text) => vec![New {
            path: args.folder.join(FILE_NAME),
            text: text.into(),
        }],
        None => preset::files(FALLBACK, &args.folder).unwrap_or_default(),
    };
    write::all(&args.folder, &new, &mut context.run)?;
    context.run.wrote = true;
    for warning in warnings {
        context.run.diags.push(warning);
    }
    let written = match args.format {
        Format::Json => context
            .ui
            .result(&answer::page(&report), &mut context.run.diags),
        // An empty folder has nothing to report.
        Format::Human if report.layers.is_empty() && report.left_out.is_empty() => Ok(()),
        Format::Human => {
            let page = context.ui.drawn(&report::looked(&report));
            context.ui.result(&page, &mut context.run.diags)
        }
    };
    let said = if report.layers.is_empty() {
        wrote(&new) + &next(&args.folder, &["build", "explain"])
    } else {
        format!("\n{}", wrote(&new))
            + &next(
                &args.folder,
                &["build", "check", "explain", "test --accept"],
            )
    };
    context.ui.remark(&said);
    written
}
