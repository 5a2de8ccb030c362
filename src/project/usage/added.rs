//! The sum of several reports.

use super::report::UsageReport;
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::project::Run;
use crate::project::input::{self, Input, NAME_A_FILE, Takes, What};
use crate::world::DiskWorld;
use std::path::PathBuf;

/// The wording of errors about a report.
const REPORT: What = What {
    noun: "report",
    missing: diagnostic::OPERAND_NOT_FOUND,
    help: "`promptc usage --format json` writes one",
    folder: NAME_A_FILE,
    unreadable: diagnostic::UNREADABLE_PROGRAM,
    limit: 1 << 30,
    large: "group by less",
    takes: Takes::Files,
};

/// Adds what several calls wrote.
pub(crate) fn added(paths: &[PathBuf], run: &mut Run) -> Result<UsageReport, ErrorReported> {
    let mut sum: Option<UsageReport> = None;
    for path in paths {
        let read = input::read(&DiskWorld, path, &REPORT);
        let Input { name, bytes } = read.map_err(|problem| run.diags.push(*problem))?;
        let bad = |why: String| {
            let message = format!("`{name}` is not a report of `promptc usage`: {why}");
            let found = Diagnostic::error(diagnostic::BAD_USAGE_REPORT, message);
            found.help("`promptc usage LOG --format json` writes one; one of another release has to be written again")
        };
        let one: UsageReport =
            serde_json::from_slice(&bytes).map_err(|e| run.diags.push(bad(e.to_string())))?;
        if !one.is_countable() {
            return Err(run.diags.push(bad("a count is too large".to_owned())));
        }
        match &mut sum {
            None => sum = Some(one),
            Some(sum) if sum.by == one.by => sum.add(one),
            Some(sum) => {
                let message = format!(
                    "`{name}` is grouped by {}, and the first by {}",
                    one.by.join(","),
                    sum.by.join(",")
                );
                let found = Diagnostic::error(diagnostic::BAD_USAGE_REPORT, message);
                return Err(run
                    .diags
                    .push(found.help("call `promptc usage` with the same --by for each")));
            }
        }
    }
    let mut sum = sum.ok_or_else(|| {
        let found = Diagnostic::error(diagnostic::USAGE, "nothing is added");
        run.diags
            .push(found.help("name reports: --add A.json B.json"))
    })?;
    sum.rank();
    Ok(sum)
}
