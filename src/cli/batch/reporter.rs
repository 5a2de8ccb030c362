//! Reports of a batch for people and programs: bad lines, losses, progress, and the end.

use crate::cli::ui::{Progress, Ui, answer};
use crate::diagnostic::span::{Files, Span};
use crate::diagnostic::{self, Code, Diagnostic, Diagnostics, ExitClass, Severity};
use crate::prompt::Notice;
use crate::report::words::{count, thousands};
use std::collections::{BTreeMap, BTreeSet};

/// What is said of lines that were built.
struct Remark {
    /// The first of them, from 1.
    first: usize,
    /// How many there are.
    lines: usize,
    diagnostic: Diagnostic,
}

/// The state of the reports so far.
pub(super) struct Reporter<'a> {
    ui: &'a Ui,
    files: &'a Files,
    /// The input, as messages name it.
    input: &'a str,
    /// The number of lines that were built.
    pub(super) built: usize,
    /// The number of those that were not.
    pub(super) bad: usize,
    fault: Option<ExitClass>,
    /// Errors that were shown in full.
    shown: BTreeSet<(&'static str, Option<Span>)>,
    /// One for each code, layer and place.
    remarks: BTreeMap<(&'static str, Option<String>, Option<Span>), Remark>,
    progress: Option<Progress>,
}

impl<'a> Reporter<'a> {
    /// Draws its progress on a terminal, unless the results go there too.
    pub(super) fn new(ui: &'a Ui, files: &'a Files, input: &'a str, to_terminal: bool) -> Self {
        let draws = ui.stderr_is_terminal() && !to_terminal;
        Self {
            ui,
            files,
            input,
            built: 0,
            bad: 0,
            fault: None,
            shown: BTreeSet::new(),
            remarks: BTreeMap::new(),
            progress: draws.then(Progress::start),
        }
    }

    /// The line that is reported next, from 1.
    fn number(&self) -> usize {
        self.built + self.bad + 1
    }

    /// A line was built.
    pub(super) fn built(&mut self, notices: &[Notice], warnings: &Diagnostics) {
        let number = self.number();
        let notices = notices.iter();
        let notices = notices.filter_map(|notice| Some((notice.layer.clone(), remark(notice)?)));
        let warnings = warnings.iter().map(|warning| (None, warning.clone()));
        for (layer, remark) in notices.chain(warnings) {
            let key = (remark.code.name, layer, remark.span);
            let remark = self.remarks.entry(key).or_insert(Remark {
                first: number,
                lines: 0,
                diagnostic: remark,
            });
            remark.lines += 1;
        }
        self.built += 1;
        self.draw();
    }

    /// A line was not built.
    pub(super) fn bad(&mut self, diags: &Diagnostics) {
        self.clear();
        let number = self.number();
        let place = format!("{}:{number}", self.input);
        for diagnostic in diags.iter() {
            let first = self.shown.insert((diagnostic.code.name, diagnostic.span));
            self.ui
                .in_batch(diagnostic, Some((number, &place)), self.files, !first);
        }
        self.fault = self.fault.max(diags.exit_class());
        self.bad += 1;
        self.draw();
    }

    /// The output line of a bad input line.
    pub(super) fn refused(&self, diags: &Diagnostics) -> Vec<u8> {
        answer::line(&super::Refused::new(diags, self.files)).into_bytes()
    }

    /// Reports the end of the batch, complete or not. Returns the exit class.
    pub(super) fn end(&mut self, stopped: bool, wrote: bool) -> Option<ExitClass> {
        match &self.progress {
            Some(progress) if !stopped => {
                let last = line(progress, self.built, self.bad);
                self.clear();
                self.ui.remark(&format!("{last}\n"));
            }
            _ => self.clear(),
        }
        self.remarks();
        let fault = self.fault?;
        let lines = count(self.built + self.bad, "line");
        let mut message = match stopped {
            true => format!(
                "stopped at {}:{}, which was not built",
                self.input,
                self.built + self.bad
            ),
            false if self.bad == 1 => format!("1 of {lines} was not built"),
            false => format!("{} of {lines} were not built", thousands(self.bad)),
        };
        if !wrote {
            message.push_str("; nothing was written");
        }
        let code = Code {
            exit: fault,
            ..diagnostic::BAD_LINES
        };
        let summary = Diagnostic::error(code, message).help("the error of each line is above");
        self.ui.in_batch(&summary, None, self.files, true);
        Some(fault)
    }

    /// What was said of lines that were built.
    fn remarks(&self) {
        for Remark {
            first,
            lines,
            diagnostic,
        } in self.remarks.values()
        {
            if diagnostic.severity == Severity::Note && !self.ui.is_verbose() {
                continue;
            }
            let mut diagnostic = diagnostic.clone();
            if *lines > 1 {
                let more = format!("; and {} more", count(lines - 1, "line"));
                diagnostic.message.push_str(&more);
            }
            let place = format!("{}:{first}", self.input);
            let is_short = diagnostic.span.is_none();
            self.ui
                .in_batch(&diagnostic, Some((*first, &place)), self.files, is_short);
        }
    }

    fn draw(&mut self) {
        if let Some(progress) = &mut self.progress {
            progress.draw(self.ui, |progress| line(progress, self.built, self.bad));
        }
    }

    /// Takes the progress off the terminal.
    pub(super) fn clear(&mut self) {
        if let Some(progress) = &mut self.progress {
            progress.wipe(self.ui);
        }
    }
}

/// A notice for people; the artifact has it too.
fn remark(notice: &Notice) -> Option<Diagnostic> {
    let code = diagnostic::by_name(&notice.code)?;
    let mut remark = Diagnostic::warning(code, notice.sentence());
    if !notice.is_loss() && code != diagnostic::EMPTY_PROMPT {
        remark.severity = Severity::Note;
    }
    Some(remark)
}

/// The line that shows the progress.
fn line(progress: &Progress, built: usize, bad: usize) -> String {
    let bad_lines = match bad {
        0 => String::new(),
        bad => format!(", {} bad", thousands(bad)),
    };
    let all = built + bad;
    let lines = count(all, "line");
    format!("{lines}{bad_lines}, {}", progress.rate(all))
}
