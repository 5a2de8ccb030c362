//! Causes in words.

use crate::diff::{Cause, CauseKind};

/// The marks that a cause is written with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marks {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    pub(super) to: &'static str,
}

impl Marks {
    /// Those for a terminal, or ASCII.
    pub(super) fn new(ascii: bool) -> Self {
        match ascii {
            true => Self {
                open: "\"",
                close: "\"",
                to: "->",
            },
            false => Self {
                open: "“",
                close: "”",
                to: "→",
            },
        }
    }

    fn quoted(self, text: &str) -> String {
        let text = crate::cli::ui::words::plain(text);
        match self.open == "\"" {
            true => format!("\"{}\"", text.replace('…', "...").replace('⏎', "\\n")),
            false => format!("{}{text}{}", self.open, self.close),
        }
    }
}

/// Where it is and what happened: `AGENTS.md:12 changed`.
pub(super) fn what(cause: &Cause) -> String {
    let place = place(cause);
    let fact = cause.fact.as_deref().unwrap_or_default();
    match cause.kind {
        CauseKind::LanguageChanged => "the language of the manifest changed".to_owned(),
        CauseKind::LayerAdded => match &cause.item {
            Some(layer) => format!("the layer `{layer}` is there now"),
            None => format!("{place} layer added"),
        },
        CauseKind::LayerRemoved => match &cause.item {
            Some(layer) => format!("the layer `{layer}` is not there now"),
            None => format!("{} layer removed", cause.path.as_deref().unwrap_or_default()),
        },
        CauseKind::LayerMoved => format!("{place} layer moved"),
        CauseKind::LayerEdited => format!("{place} edited"),
        CauseKind::TemplateChanged => format!("{place} template changed"),
        CauseKind::ConditionFlipped => condition(cause),
        CauseKind::FactChanged => match &cause.item {
            Some(item) => format!("fact `{fact}`: {}", item_change(cause, item)),
            None => format!("fact `{fact}` changed"),
        },
        CauseKind::DocumentChanged => format!("{place} changed"),
        CauseKind::DocumentAppeared => format!("{place} appeared"),
        CauseKind::DocumentVanished => format!("{} vanished", path(cause)),
        CauseKind::CutMoved => format!("{place} is cut elsewhere"),
        CauseKind::WhitespaceOnly => format!("{place} changed in white space only"),
        CauseKind::Unexplained => {
            "nothing that the layer is made from changed; this is a fault of promptc, please report it"
                .to_owned()
        }
    }
}

fn item_change(cause: &Cause, item: &str) -> String {
    let item = crate::cli::ui::words::plain(item);
    match (&cause.old, &cause.new) {
        (None, Some(_)) => format!("item `{item}` added"),
        (Some(_), None) => format!("item `{item}` removed"),
        _ => format!("item `{item}` changed"),
    }
}

/// The same with what it was and what it is, and what it follows from.
pub(super) fn whole(cause: &Cause, marks: Marks) -> String {
    let mut out = what(cause);
    let shows_values = !matches!(
        cause.kind,
        CauseKind::ConditionFlipped | CauseKind::Unexplained
    );
    let is_item = cause.kind == CauseKind::FactChanged && cause.item.is_some();
    if shows_values && !(is_item && (cause.old.is_none() || cause.new.is_none())) {
        let values = match (&cause.old, &cause.new) {
            (Some(old), Some(new)) => Some(format!(
                "{} {} {}",
                marks.quoted(old),
                marks.to,
                marks.quoted(new)
            )),
            (None, Some(new)) => Some(marks.quoted(new)),
            (Some(old), None) if cause.kind != CauseKind::DocumentVanished => {
                Some(format!("{} {} nothing", marks.quoted(old), marks.to))
            }
            _ => None,
        };
        if let Some(values) = values {
            out.push_str(": ");
            out.push_str(&values);
        }
    }
    if let Some(first) = cause.because.first() {
        out.push_str(", because ");
        out.push_str(&reason(first, cause.kind, marks));
        if cause.because.len() > 1 {
            out.push_str(&format!(" (and {} more)", cause.because.len() - 1));
        }
    }
    out
}

/// A consequence names its reason.
fn reason(cause: &Cause, of: CauseKind, marks: Marks) -> String {
    match of {
        CauseKind::CutMoved => what(cause),
        _ => whole(cause, marks),
    }
}

fn condition(cause: &Cause) -> String {
    let expression = cause.item.as_deref().unwrap_or_default();
    let expression = crate::cli::ui::words::plain(expression);
    match (cause.old.as_deref(), cause.new.as_deref()) {
        (Some(old), Some(new)) if old != new => {
            format!("`{expression}` was {old} and is {new}")
        }
        _ => format!("`{expression}` holds for others than before"),
    }
}

fn path(cause: &Cause) -> String {
    crate::cli::ui::words::plain(cause.path.as_deref().unwrap_or("a text"))
}

/// `path:line`.
pub(super) fn place(cause: &Cause) -> String {
    match cause.line {
        Some(line) => format!("{}:{line}", path(cause)),
        None => path(cause),
    }
}
