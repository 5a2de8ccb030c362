//! Reports of builds, and their requested effects.

use super::line::{self, Outcome, Report, bytes};
use super::watcher::WatchEvent;
use super::{Args, Format, Turn, exec};
use crate::cli::Context;
use crate::cli::ui::{ERROR, NAME, Page};
use crate::compare::Diff;
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::project::Compared;
use crate::project::Run;
use crate::project::output;
use crate::prompt::{Deliver, Notice, Prompt};
use crate::report::words::{count, plain};
use crate::report::{self, Extent};
use std::mem;
use std::path::Path;
use std::time::Duration;

/// The state of the reports so far.
pub(super) struct Reporter<'a> {
    args: &'a Args,
    /// The number of reported builds.
    builds: u64,
    /// The last prompt that could be built.
    good: Option<Prompt>,
    /// Whether the last build failed.
    failed: bool,
    /// The text in the output.
    written: Option<String>,
    /// The diagnostics of the last build.
    found: Diagnostics,
    /// The losses of the last build.
    notices: Vec<Notice>,
    /// Whether the last report was long.
    long: bool,
}

impl<'a> Reporter<'a> {
    pub(super) fn new(args: &'a Args) -> Self {
        Self {
            args,
            builds: 0,
            good: None,
            failed: false,
            written: None,
            found: Diagnostics::default(),
            notices: Vec::new(),
            long: false,
        }
    }

    /// The number of reported builds.
    pub(super) fn builds(&self) -> u64 {
        self.builds
    }

    /// Reports that the system does not report changes in a folder.
    pub(super) fn blind(folder: &Path, why: &str, context: &Context) {
        let folder = plain(&folder.display().to_string());
        context.ui.remark(&format!(
            "watch: the system does not report changes in `{folder}` ({why}): looking every 2 seconds\n"
        ));
    }

    /// Reports a build and runs what was requested; returns whether the reader still listens.
    pub(super) fn handle(&mut self, turn: Turn, woken: WatchEvent, context: &mut Context) -> bool {
        let took = turn.took;
        match self.output_status(turn, &mut context.run) {
            Ok(prompt) => self.good(prompt, took, woken, context),
            Err(_) => self.bad(took, woken, context),
        }
    }

    /// The prompt, if it may be written where it should be.
    fn output_status(&self, turn: Turn, run: &mut Run) -> Result<Prompt, ErrorReported> {
        let built = turn.built?;
        match &self.args.output {
            Some(path) if built.has_read(path) => Err(run.diags.push(output::is_input(path))),
            _ => Ok(built.prompt),
        }
    }

    fn good(
        &mut self,
        prompt: Prompt,
        took: Duration,
        woken: WatchEvent,
        context: &mut Context,
    ) -> bool {
        let before = self.good.take();
        let compared = before.as_ref();
        let compared = compared.map(|before| self.compared(before, &prompt, context));
        let outcome = match &compared {
            None => Outcome::Built,
            Some((diff, _)) if diff.same => Outcome::Same,
            Some(_) => Outcome::Changed,
        };
        self.write(&prompt, &mut context.run);
        let silent = woken == WatchEvent::Time && outcome == Outcome::Same && !self.failed;
        let silent = silent && context.run.diags.iter().eq(self.found.iter());
        let report = Report {
            outcome,
            prompt: Some(&prompt),
            compared: compared.as_ref().filter(|_| outcome == Outcome::Changed),
            took,
        };
        let heard = silent || self.report(&report, context);
        self.failed = false;
        self.messages(context);
        if prompt.notices != self.notices {
            context.ui.notices(&prompt.notices);
            self.notices.clone_from(&prompt.notices);
        }
        let command = self.args.exec.as_ref();
        if let Some(command) = command.filter(|_| heard && outcome != Outcome::Same)
            && let Err(warning) = exec::run(command, &prompt, before.as_ref())
        {
            let mut diags = Diagnostics::default();
            diags.push(*warning);
            context.ui.diagnostics(&diags, &context.run.files, true);
        }
        self.good = Some(prompt);
        heard
    }

    /// The comparison with the prompt of before, and how it is shown.
    fn compared(&self, before: &Prompt, prompt: &Prompt, context: &Context) -> (Diff, String) {
        let compared = Compared::of((before, true), (prompt, true));
        let extent = if self.args.full {
            Extent::Full
        } else {
            Extent::Around
        };
        let terminal = context.ui.terminal(self.args.ascii);
        let drawn = terminal.draw(&report::comparison(&compared, extent));
        (compared.diff, drawn)
    }

    fn bad(&mut self, took: Duration, woken: WatchEvent, context: &mut Context) -> bool {
        let silent = woken == WatchEvent::Time && self.failed;
        let silent = silent && context.run.diags.iter().eq(self.found.iter());
        let report = Report {
            outcome: Outcome::Failed,
            prompt: None,
            compared: None,
            took,
        };
        let heard = silent || self.report(&report, context);
        self.failed = true;
        self.messages(context);
        heard
    }

    /// Keeps the output current.
    fn write(&mut self, prompt: &Prompt, run: &mut Run) {
        let text = prompt.text(Deliver::System);
        let path = self.args.output.as_ref();
        let Some(path) = path.filter(|_| self.written.as_deref() != Some(text)) else {
            return;
        };
        // What could not be written is written with the next build.
        let written = output::to_file(path, text.as_bytes(), run);
        self.written = written.ok().map(|()| text.to_owned());
    }

    /// Writes the report of a build to stdout; returns whether the reader still listens.
    fn report(&mut self, report: &Report<'_>, context: &mut Context) -> bool {
        self.builds += 1;
        let page = match self.args.format {
            Format::Json => Page::json(&line::line(self.builds, report, context)),
            Format::Human if context.ui.is_quiet() && report.outcome == Outcome::Same => {
                return true;
            }
            Format::Human => {
                // A picture is between empty lines.
                let long = report.compared.is_some();
                let apart = if self.builds > 1 && (long || self.long) {
                    "\n"
                } else {
                    ""
                };
                self.long = long;
                Page::drawn(format!("{apart}{}", self.human(report, context)))
            }
        };
        matches!(context.ui.answer(&page, &mut context.run.diags), Ok(true))
    }

    /// A build for people.
    fn human(&self, report: &Report<'_>, context: &Context) -> String {
        let again = self.failed && context.run.diags.iter().eq(self.found.iter());
        let said = match (report.prompt, &self.good) {
            (Some(prompt), _) => sizes(prompt),
            (None, _) if again => "as before".to_owned(),
            (None, Some(good)) => format!("the previous one stays: {}", sizes(good)),
            (None, None) => "no prompt yet".to_owned(),
        };
        let word = match report.outcome {
            Outcome::Built => "built",
            Outcome::Changed => "changed",
            Outcome::Same => "same",
            Outcome::Failed => "failed",
        };
        let style = if report.prompt.is_some() { NAME } else { ERROR };
        let picture = report.compared.map_or("", |(_, picture)| picture);
        let ms = report.took.as_millis();
        format!("{style}{word:<9}{style:#}{said} ({ms} ms)\n{picture}")
    }

    /// Shows what was found, unless it was shown at the last build.
    fn messages(&mut self, context: &mut Context) {
        let diags = mem::take(&mut context.run.diags);
        context.reported = diags.exit_class();
        if !diags.iter().eq(self.found.iter()) {
            context.ui.diagnostics(&diags, &context.run.files, false);
        }
        self.found = diags;
    }
}

/// "2,431 bytes in 6 layers".
fn sizes(prompt: &Prompt) -> String {
    let layers = prompt.channels.iter().map(|c| c.layers.len()).sum();
    let (bytes, layers) = (count(bytes(prompt), "byte"), count(layers, "layer"));
    format!("{bytes} in {layers}")
}
