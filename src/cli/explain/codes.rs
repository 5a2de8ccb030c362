//! What a diagnostic code means.

use super::json::{Codes, Report};
use crate::check;
use crate::cli::ui::{Page, answer};
use crate::diagnostic::{self, Code, Diagnostic, Diagnostics, ErrorReported, suggest};
use std::fmt::Write as _;

/// One code, or all for `list`.
pub(super) fn explain(
    name: &str,
    json: bool,
    diags: &mut Diagnostics,
) -> Result<Page, ErrorReported> {
    if name == "list" {
        return Ok(match json {
            true => answer::page(&Report::Codes(Codes {
                codes: all().copied().collect(),
            })),
            false => Page::drawn(list()),
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
    Ok(Page::drawn(format!(
        "{}: {}\n\n{}\n\n{}\n",
        code.name,
        code.summary,
        code.detail,
        match u8::from(code.fault) {
            0 => "It is no error.".to_owned(),
            exit => format!("Exit code {exit}."),
        }
    )))
}

/// Errors, then notices, then the rules of `check`.
fn all() -> impl Iterator<Item = &'static Code> {
    let rules = check::RULES.iter().map(|rule| &rule.code);
    diagnostic::ALL
        .iter()
        .chain(diagnostic::NOTICES)
        .chain(rules)
}

fn list() -> String {
    let width = all().map(|c| c.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for code in all() {
        let _ = writeln!(out, "{:width$}  {}", code.name, code.summary);
    }
    out
}
