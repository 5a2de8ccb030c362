//! Progress: a line on a terminal that the next one is drawn over.

use super::Ui;
use crate::report::words::{count, thousands};
use std::time::{Duration, Instant};

/// The number of times that it is drawn.
const PAUSE: Duration = Duration::from_millis(100);

/// The line on the terminal.
pub(crate) struct Progress {
    start: Instant,
    drawn: Instant,
    /// The number of columns that are drawn.
    width: usize,
}

impl Progress {
    /// Runs a task that reports how many items it has met so far; a terminal shows the count.
    pub(crate) fn counting<T>(
        ui: &Ui,
        what: &str,
        work: impl FnOnce(&mut dyn FnMut(usize)) -> T,
    ) -> T {
        let mut progress = ui.stderr_is_terminal().then(Self::start);
        let done = work(&mut |met| {
            if let Some(progress) = &mut progress {
                let line = |p: &Self| format!("{}, {}", count(met, what), p.rate(met));
                progress.draw(ui, line);
            }
        });
        if let Some(progress) = &mut progress {
            progress.wipe(ui);
        }
        done
    }

    /// Begins; nothing is drawn yet.
    pub(crate) fn start() -> Self {
        let start = now();
        Self {
            start,
            drawn: start,
            width: 0,
        }
    }

    /// Draws a line, if it is time.
    pub(crate) fn draw(&mut self, ui: &Ui, line: impl FnOnce(&Self) -> String) {
        if now().duration_since(self.drawn) < PAUSE {
            return;
        }
        self.drawn = now();
        let line = line(self);
        // The rest of a longer line before it is covered.
        ui.progress(&format!("\r{line:<width$}", width = self.width));
        self.width = line.len();
    }

    /// Takes the line off the terminal.
    pub(crate) fn wipe(&mut self, ui: &Ui) {
        let width = std::mem::take(&mut self.width);
        if width > 0 {
            ui.progress(&format!("\r{:width$}\r", ""));
        }
    }

    /// How many of so many there were in a second, in words.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a figure for people"
    )]
    pub(crate) fn rate(&self, number: usize) -> String {
        let seconds = now().duration_since(self.start).as_secs_f64();
        let rate = thousands((number as f64 / seconds.max(1e-3)) as usize);
        format!("{rate} a second")
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the speed is shown on a terminal and reaches no prompt"
)]
fn now() -> Instant {
    Instant::now()
}
