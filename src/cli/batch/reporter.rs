//! Reports of a batch for people and programs: bad lines and variants, losses, progress, and the end.

use crate::cli::ui::{BatchItem, Progress, Ui, answer};
use crate::diagnostic::span::{Files, Span};
use crate::diagnostic::{self, Code, Diagnostic, Diagnostics, ExitClass, Severity, suggest};
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

/// What is built.
pub(super) enum Items {
    /// The lines of the input that messages name so.
    Lines(String),
    /// Variants of a prompt, by the layers that they leave out.
    Variants(Vec<Vec<String>>),
}

impl Items {
    /// The word for one.
    fn noun(&self) -> &'static str {
        match self {
            Self::Lines(_) => "line",
            Self::Variants(_) => "variant",
        }
    }

    /// The layers that item `number`, from 1, leaves out, if it is a variant.
    fn without(&self, number: usize) -> &[String] {
        match self {
            Self::Lines(_) => &[],
            Self::Variants(all) => all.get(number - 1).map_or(&[], Vec::as_slice),
        }
    }

    /// Item `number`, from 1, as messages name it.
    fn place(&self, number: usize) -> String {
        match self {
            Self::Lines(input) => format!("{input}:{number}"),
            Self::Variants(_) => match self.without(number) {
                [] => "the whole prompt".to_owned(),
                layers => format!(
                    "without {}",
                    suggest::list(layers.iter().map(String::as_str))
                ),
            },
        }
    }

    /// Item `number`, from 1, as programs read it; or all of them.
    fn source(&self, number: Option<usize>) -> BatchItem<'_> {
        match self {
            Self::Lines(_) => BatchItem::Line(number),
            Self::Variants(_) => BatchItem::Variant(number.map_or(&[], |n| self.without(n))),
        }
    }
}

/// The state of the reports so far.
pub(super) struct Reporter<'a> {
    ui: &'a Ui,
    files: &'a Files,
    items: Items,
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
    pub(super) fn new(ui: &'a Ui, files: &'a Files, items: Items, to_terminal: bool) -> Self {
        let draws = ui.stderr_is_terminal() && !to_terminal;
        Self {
            ui,
            files,
            items,
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
        let place = self.items.place(number);
        for diagnostic in diags.iter() {
            let first = self.shown.insert((diagnostic.code.name, diagnostic.span));
            let source = self.items.source(Some(number));
            (self.ui).in_batch(diagnostic, (source, Some(&place)), self.files, !first);
        }
        self.fault = self.fault.max(diags.exit_class());
        self.bad += 1;
        self.draw();
    }

    /// The output line of the line or variant before, which is bad.
    pub(super) fn refused(&self, diags: &Diagnostics) -> Vec<u8> {
        let without = self.items.without(self.number() - 1);
        answer::line(&super::Refused::new(without, diags, self.files)).into_bytes()
    }

    /// Reports the end of the batch, complete or not. Returns the exit class.
    pub(super) fn end(&mut self, stopped: bool, wrote: bool) -> Option<ExitClass> {
        match &self.progress {
            Some(progress) if !stopped => {
                let last = line(progress, self.items.noun(), (self.built, self.bad));
                self.clear();
                self.ui.remark(&format!("{last}\n"));
            }
            _ => self.clear(),
        }
        self.remarks();
        let fault = self.fault?;
        let all = self.built + self.bad;
        let lines = count(all, self.items.noun());
        let mut message = match stopped {
            true => format!("stopped at {}, which was not built", self.items.place(all)),
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
        let help = format!("the error of each {} is above", self.items.noun());
        let summary = Diagnostic::error(code, message).help(help);
        let source = self.items.source(None);
        (self.ui).in_batch(&summary, (source, None), self.files, true);
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
                let more = format!("; and {} more", count(lines - 1, self.items.noun()));
                diagnostic.message.push_str(&more);
            }
            let (source, place) = (self.items.source(Some(*first)), self.items.place(*first));
            let is_short = diagnostic.span.is_none();
            (self.ui).in_batch(&diagnostic, (source, Some(&place)), self.files, is_short);
        }
    }

    fn draw(&mut self) {
        if let Some(progress) = &mut self.progress {
            let (noun, sums) = (self.items.noun(), (self.built, self.bad));
            progress.draw(self.ui, |progress| line(progress, noun, sums));
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
fn line(progress: &Progress, noun: &str, (built, bad): (usize, usize)) -> String {
    let bad_lines = match bad {
        0 => String::new(),
        bad => format!(", {} bad", thousands(bad)),
    };
    let all = built + bad;
    let lines = count(all, noun);
    format!("{lines}{bad_lines}, {}", progress.rate(all))
}
