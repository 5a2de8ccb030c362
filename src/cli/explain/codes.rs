//! What a diagnostic code means.

use super::json::Report;
use crate::check;
use crate::cli::ui::{Page, answer};
use crate::diagnostic::{self, Code, Diagnostic, Diagnostics, Fault, Reported, suggest};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write as _;

/// All kinds of diagnostics.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::cli) struct List {
    /// Errors, then notices, then the rules of `check`.
    codes: Vec<Explained>,
}

/// What a code means.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Code")]
pub(in crate::cli) struct Explained {
    /// The name, such as `unknown-fact`.
    code: &'static str,
    /// One sentence.
    summary: &'static str,
    /// Why it is so, and how to fix it.
    detail: &'static str,
    /// The exit code; 0 if it is no error.
    exit: u8,
}

/// One code, or all for `list`.
pub(super) fn explain(name: &str, json: bool, diags: &mut Diagnostics) -> Result<Page, Reported> {
    if name == "list" {
        return Ok(match json {
            true => answer::page(&Report::Codes(List {
                codes: all().map(|c| explained(*c)).collect(),
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
        return Ok(answer::page(&Report::Code(explained(code))));
    }
    Ok(Page::drawn(format!(
        "{}: {}\n\n{}\n\n{}\n",
        code.name,
        code.summary,
        code.detail,
        match exit(code) {
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

fn explained(code: Code) -> Explained {
    Explained {
        code: code.name,
        summary: code.summary,
        detail: code.detail,
        exit: exit(code),
    }
}

fn exit(code: Code) -> u8 {
    match code.fault {
        Fault::Nobody => 0,
        Fault::Input => 2,
        Fault::World => 3,
    }
}
