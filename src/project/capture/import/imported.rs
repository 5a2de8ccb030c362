//! The result of an import.

use crate::diagnostic::{self, Diagnostic, suggest};
use crate::project::Run;
use crate::request::whole::import::{Format, Verdicts};
use crate::request::whole::log::{Lack, Learnt};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The result of an import.
#[derive(Debug, Clone, Default)]
pub(crate) struct Imported {
    /// The requests in the log.
    pub(crate) requests: usize,
    /// Those that are compared with nothing, because the request before them was forgotten.
    pub(crate) uncompared: usize,
    /// Where requests are that were there before.
    pub(crate) twice: Vec<String>,
    /// The skipped items by reason: how often, and where first.
    pub(crate) passed: BTreeMap<&'static str, (usize, String)>,
    /// What Claude Code says of its misses, in files that were named.
    pub(super) verdicts: Arc<Verdicts>,
    /// The files and folders that were named.
    pub(super) searched: Vec<PathBuf>,
    /// The fields that recordings of a format lack, and how often.
    pub(crate) lacks: BTreeMap<(&'static str, Lack), usize>,
    /// What to know when all is read again, which has to be: it showed too late.
    pub(crate) again: Option<Learnt>,
}

impl Imported {
    /// Counts a skipped item.
    pub(super) fn pass(&mut self, reason: &'static str, place: String) {
        let passed = self.passed.entry(reason);
        passed.or_insert((0, place)).0 += 1;
    }

    /// Counts the verdicts that are on no request.
    pub(super) fn count_unmet(&mut self, reason: &'static str) {
        let named = self.verdicts.unmet();
        if let Some((session, count)) = named {
            self.passed.insert(reason, (count, session));
        }
    }

    /// The error that no request was found.
    pub(super) fn nothing(&self) -> Diagnostic {
        let searched: Vec<String> = self
            .searched
            .iter()
            .map(|p| p.display().to_string())
            .collect();
        let searched = suggest::list(searched.iter().map(String::as_str));
        let mut message = format!("no request was found in {searched}");
        for (reason, (count, first)) in &self.passed {
            message.push_str(&format!("; {count} skipped, first in {first}: {reason}"));
        }
        let found = Diagnostic::error(diagnostic::NOTHING_IMPORTED, message);
        let names: Vec<&str> = Format::ALL.iter().map(|(name, _)| *name).collect();
        let help = format!("--as FORMAT says who recorded it: {}", names.join(", "));
        found.help(help)
    }

    /// Reports the skipped items, and the fields that recordings lack.
    pub(super) fn report(&self, run: &mut Run) {
        for (reason, (count, first)) in &self.passed {
            let message = format!("{count} skipped, first in {first}: {reason}");
            run.diags
                .push(Diagnostic::warning(diagnostic::PASSED_OVER, message));
        }
        if self.uncompared > 0 {
            let message = format!(
                "compared with nothing, since the request before was forgotten: {}",
                self.uncompared
            );
            let found = Diagnostic::note(diagnostic::COMPARED_WITH_FEWER, message);
            let help = "`promptc capture import` makes a log of them, in which each is compared";
            run.diags.push(found.help(help));
        }
        for ((format, lack), count) in &self.lacks {
            let what = lack.what();
            let message = match count {
                1 => format!("1 request of {format} has {what}"),
                more => format!("{more} requests of {format} have {what}"),
            };
            run.diags
                .push(Diagnostic::note(diagnostic::RECORDING_LACKS, message));
        }
    }
}
