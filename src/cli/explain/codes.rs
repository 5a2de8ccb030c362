//! The explanation of a diagnostic code.

use crate::check;
use crate::cli::ui::{Page, Ui, answer};
use crate::diagnostic::{self, Code, Diagnostic, Diagnostics, ErrorReported, Severity, suggest};
use crate::report::explain::json::{Codes, Report};
use crate::report::{Block, Document, Table, Text};

/// One code, or all for `list`.
pub(super) fn explain(
    name: &str,
    json: bool,
    ui: &Ui,
    diags: &mut Diagnostics,
) -> Result<Page, ErrorReported> {
    if name == "list" {
        return Ok(if json {
            answer::page(&Report::Codes(Codes {
                codes: all().copied().collect(),
            }))
        } else {
            ui.drawn(&list())
        });
    }
    let Some(code) = all().copied().find(|code| code.name == name) else {
        let message = format!("there is no diagnostic code `{name}`");
        let diagnostic = Diagnostic::error(diagnostic::UNKNOWN_CODE, message);
        let known = all().map(|c| c.name);
        let help = match suggest::nearest(name, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`promptc explain --code list` shows all".to_owned(),
        };
        return Err(diags.push(diagnostic.help(help)));
    };
    if json {
        return Ok(answer::page(&Report::Code(code)));
    }
    let mut out = Document::new();
    let rule = check::RULES.iter().find(|rule| rule.code.name == code.name);
    let exit = match (u8::from(code.exit), rule.map(|rule| rule.severity)) {
        (exit @ 1.., Some(_)) => format!(
            "`promptc check` reports it as an error: exit code 1. A build that keeps its inputs fails: exit code {exit}."
        ),
        (0, Some(Severity::Error)) => {
            "`promptc check` reports it as an error: exit code 1.".to_owned()
        }
        (0, Some(Severity::Warning)) => format!(
            "`promptc check` reports it as a warning: exit code 0, with `--fail-on warnings` or `--fail-on {}` 1.",
            code.name
        ),
        (0, Some(Severity::Note)) => format!(
            "`promptc check` reports it as a note: exit code 0, with `--fail-on {}` 1.",
            code.name
        ),
        (0, None) => "It is no error.".to_owned(),
        (exit, _) => format!("Exit code {exit}."),
    };
    let title = format!("{}: {}", code.name, code.summary);
    for text in [Text::from(title), Text::lines(code.detail), exit.into()] {
        out.push(Block::Lines(vec![text]));
    }
    Ok(ui.drawn(&out))
}

/// Errors, then notices, then the rules of `check` that are no notices.
fn all() -> impl Iterator<Item = &'static Code> {
    let rules = check::RULES.iter().map(|rule| &rule.code);
    let rules = rules.filter(|code| !diagnostic::NOTICES.contains(code));
    diagnostic::ALL
        .iter()
        .chain(diagnostic::NOTICES)
        .chain(rules)
}

fn list() -> Document {
    let mut table = Table::bare(2);
    all().for_each(|code| table.row([code.name, code.summary]));
    let mut out = Document::new();
    out.push(table);
    out
}
