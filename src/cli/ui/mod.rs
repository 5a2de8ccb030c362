//! Output for people: the one writer of stderr and of drawn stdout.

mod page;
mod progress;
pub(crate) mod answer;
mod human;
pub(crate) mod json;

pub(crate) use json::BatchItem;
pub(crate) use page::Page;
pub(crate) use progress::Progress;

use crate::diagnostic::span::Files;
use crate::diagnostic::{Diagnostic, Diagnostics, ErrorReported, NOT_IMPORTED, Severity};
use crate::prompt::Notice;
use crate::report::{Document, Terminal};
use anstream::{AutoStream, ColorChoice};
use clap::builder::styling::{AnsiColor, Style};
use clap::{Args, ValueEnum};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write};

/// The options for the look of results.
#[derive(Debug, Args)]
pub(crate) struct RenderOptions {
    /// When to use colours; `auto` heeds NO_COLOR and CLICOLOR
    #[arg(
        long,
        global = true,
        help_heading = "Messages",
        value_name = "WHEN",
        default_value = "auto"
    )]
    color: When,
    /// Report only errors
    #[arg(short, long, global = true, help_heading = "Messages")]
    quiet: bool,
    /// Also report details
    #[arg(
        short,
        long,
        global = true,
        help_heading = "Messages",
        conflicts_with = "quiet"
    )]
    verbose: bool,
    /// The format of diagnostics on stderr; `json` is one object a line
    #[arg(
        long,
        global = true,
        help_heading = "Messages",
        value_name = "FORMAT",
        default_value = "human"
    )]
    message_format: MessageFormat,
}

impl RenderOptions {
    /// The output options of arguments that cannot be parsed as a whole; other words are ignored.
    pub(crate) fn as_asked(args: impl Iterator<Item = OsString>) -> Self {
        let mut look = Self {
            color: When::Auto,
            quiet: false,
            verbose: false,
            message_format: MessageFormat::Human,
        };
        let mut args = args.take_while(|arg| arg != "--").peekable();
        while let Some(arg) = args.next() {
            let Some(arg) = arg.to_str() else { continue };
            let (name, value) = match arg.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (arg, args.peek().and_then(|a| a.to_str()).map(str::to_owned)),
            };
            let Some(value) = value else { continue };
            match name {
                "--color" => look.color = When::from_str(&value, false).unwrap_or(look.color),
                "--message-format" => {
                    look.message_format =
                        MessageFormat::from_str(&value, false).unwrap_or(look.message_format);
                }
                _ => {}
            }
        }
        look
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum When {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MessageFormat {
    Human,
    Json,
}

/// The writer.
pub(crate) struct Ui {
    choice: ColorChoice,
    quiet: bool,
    verbose: bool,
    format: MessageFormat,
}

impl Ui {
    /// A writer as the options want it.
    pub(crate) fn new(look: &RenderOptions) -> Self {
        Self {
            choice: match look.color {
                When::Auto => ColorChoice::Auto,
                When::Always => ColorChoice::Always,
                When::Never => ColorChoice::Never,
            },
            quiet: look.quiet,
            verbose: look.verbose,
            format: look.message_format,
        }
    }

    /// Shows all diagnostics, and after errors their number and whether they prevented the output.
    pub(crate) fn diagnostics(&self, diags: &Diagnostics, files: &Files, unwritten: bool) {
        let mut errors = 0;
        let all = match self.format {
            MessageFormat::Human => diags.grouped(),
            // A program marks each place.
            MessageFormat::Json => diags.iter().cloned().collect(),
        };
        // Both sides of a comparison may read the same file.
        let mut shown = BTreeSet::new();
        for diagnostic in &all {
            let page = match self.format {
                MessageFormat::Human => Page::drawn(human::render(diagnostic, files)),
                MessageFormat::Json => Page::json(&json::render(diagnostic, files)),
            };
            let is_error = diagnostic.severity == Severity::Error;
            if (self.quiet && !is_error) || !shown.insert(page.clone()) {
                continue;
            }
            errors += usize::from(is_error);
            self.write(&page);
        }
        if errors > 0 && self.format == MessageFormat::Human {
            let more = if diags.more() { "more than " } else { "" };
            let errors = crate::report::words::count(errors, "error");
            let rest = if unwritten {
                "; nothing was written"
            } else {
                ""
            };
            let sum = format!("{ERROR}error{ERROR:#}: {more}{errors}{rest}\n");
            self.write(&Page::drawn(sum));
        }
    }

    /// Shows a diagnostic of a batch, with what it is about and the text for that. `again`: a similar one was shown in full
    /// before.
    pub(crate) fn in_batch(
        &self,
        diagnostic: &Diagnostic,
        (item, place): (BatchItem<'_>, Option<&str>),
        files: &Files,
        again: bool,
    ) {
        if self.quiet && diagnostic.severity != Severity::Error {
            return;
        }
        self.write(&match self.format {
            MessageFormat::Json => Page::json(&json::render_in_batch(diagnostic, files, item)),
            MessageFormat::Human => Page::drawn(human::in_batch(diagnostic, place, files, again)),
        });
    }

    /// Whether only errors are wanted.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Whether notes are wanted.
    pub(crate) fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// Shows what a build lost, how many imports were not made, and with `--verbose` what else is worth knowing.
    pub(crate) fn notices(&self, notices: &[Notice]) {
        let is_shown = |notice: &&Notice| notice.is_warning() || self.verbose;
        notices.iter().filter(is_shown).for_each(|n| self.notice(n));
        let code = NOT_IMPORTED.name;
        let imports = notices.iter().filter(|n| n.code == code).count();
        if imports > 0 && !self.verbose {
            let message = match imports {
                1 => "1 import is not made and stays as text; `--verbose` says why".to_owned(),
                n => {
                    format!("{n} imports are not made and stay as text; `--verbose` says why")
                }
            };
            self.notice(&Notice {
                code: code.to_owned(),
                layer: None,
                message,
            });
        }
    }

    fn notice(&self, notice: &Notice) {
        if !self.quiet {
            self.write(&match self.format {
                MessageFormat::Human => Page::drawn(human::notice(notice)),
                MessageFormat::Json => Page::json(&json::notice(notice)),
            });
        }
    }

    /// Writes a text to stderr; nothing in the machine's format.
    pub(crate) fn remark(&self, text: &str) {
        self.remark_page(&Page::drawn(text));
    }

    /// Writes a page to stderr; nothing in the machine's format.
    pub(crate) fn remark_page(&self, page: &Page) {
        if !self.quiet && self.format == MessageFormat::Human {
            self.write(page);
        }
    }

    /// A line of figures on stderr that the next one is drawn over.
    pub(crate) fn progress(&self, line: &str) {
        if !self.quiet && self.format == MessageFormat::Human {
            // A closed stderr is no reason to fail.
            let _ = io::stderr().write_all(line.as_bytes());
        }
    }

    /// Whether stderr is read by a program.
    pub(crate) fn is_json(&self) -> bool {
        self.format == MessageFormat::Json
    }

    /// A note in the machine's format that was asked for.
    pub(crate) fn stats(&self, notice: &Notice) {
        if !self.quiet {
            self.write(&Page::json(&json::notice(notice)));
        }
    }

    /// Whether stderr can show more than ASCII.
    pub(crate) fn stderr_is_terminal(&self) -> bool {
        io::stderr().is_terminal()
    }

    /// Whether stdout can show more than ASCII.
    pub(crate) fn stdout_is_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// The look of an answer on stdout; `ascii` with ASCII only, as always where stdout is no terminal.
    pub(crate) fn terminal(&self, ascii: bool) -> Terminal {
        Terminal {
            width: columns(),
            ascii: ascii || !self.stdout_is_terminal(),
        }
    }

    /// An answer for people, with all signs.
    pub(crate) fn drawn(&self, document: &Document) -> Page {
        let terminal = Terminal {
            width: columns(),
            ascii: false,
        };
        Page::drawn(terminal.draw(document))
    }

    /// A result on stdout.
    pub(crate) fn result(&self, page: &Page, diags: &mut Diagnostics) -> Result<(), ErrorReported> {
        self.answer(page, diags).map(|_| ())
    }

    /// Writes a result to stdout. Returns whether the reader took all of it.
    pub(crate) fn answer(
        &self,
        page: &Page,
        diags: &mut Diagnostics,
    ) -> Result<bool, ErrorReported> {
        let choice = match (page.is_drawn(), self.choice) {
            (false, _) => ColorChoice::AlwaysAnsi,
            (true, ColorChoice::Auto) => AutoStream::choice(&io::stdout()),
            (true, choice) => choice,
        };
        let mut stream = AutoStream::new(Vec::new(), choice);
        // Writing to memory does not fail.
        let _ = stream.write_all(page.text().as_bytes());
        crate::cli::stdout::to_reader(&stream.into_inner(), diags)
    }

    /// A text that a command was asked to make, on stdout: its bytes, but on a terminal the page that `shown` makes of it.
    pub(crate) fn product(
        &self,
        text: &str,
        shown: impl Fn(&str) -> Page,
        diags: &mut Diagnostics,
    ) -> Result<(), ErrorReported> {
        self.handed(text, shown, diags).map(|_| ())
    }

    /// Writes a [product](Self::product). Returns whether the reader took all of it.
    pub(crate) fn handed(
        &self,
        text: &str,
        shown: impl Fn(&str) -> Page,
        diags: &mut Diagnostics,
    ) -> Result<bool, ErrorReported> {
        if !self.stdout_is_terminal() {
            return crate::cli::stdout::to_reader(text.as_bytes(), diags);
        }
        let page = shown(text);
        let read = self.answer(&page, diags)?;
        if !page.is(text) {
            self.remark(ESCAPED);
        }
        Ok(read)
    }

    /// Writes to stderr. A closed stderr is no reason to fail.
    fn write(&self, page: &Page) {
        let choice = if page.is_drawn() {
            self.choice
        } else {
            ColorChoice::AlwaysAnsi
        };
        let _ = AutoStream::new(io::stderr(), choice).write_all(page.text().as_bytes());
    }
}

/// The columns of the terminal that stdout is, if it is one.
#[cfg(unix)]
fn columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// The width of the terminal on stdout; unknown here.
#[cfg(not(unix))]
fn columns() -> Option<usize> {
    None
}

/// The note where a text on a terminal is not shown byte for byte.
const ESCAPED: &str =
    "note: terminal control characters are shown as \\u{…}; a pipe or a file gets the bytes\n";

/// A diagnostic that is the result of a command, for people.
pub(crate) fn diagnostic(diagnostic: &Diagnostic, files: &Files) -> String {
    human::render(diagnostic, files)
}

/// An error's word.
pub(crate) const ERROR: Style = AnsiColor::BrightRed.on_default().bold();
/// A warning's word.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// A name that heads a paragraph.
pub(crate) const NAME: Style = Style::new().bold();
