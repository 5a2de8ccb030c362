//! A comparison as annotations at the lines that are to blame.

use super::cause;
use super::comparison::{KeptShare, kept_share};
use super::cost;
use super::github::{Annotation, Level};
use super::requests;
use crate::compare::{Break, Cause};
use crate::project::Compared;
use crate::project::capture::RequestComparison;

/// The columns of a value in an annotation.
const COLUMNS: usize = 60;

/// The title of an annotation of a break.
const TITLE: &str = "promptc";

/// One annotation for each cause of the break and of the breaks that it hides; `place` finds the file that a cause
/// names.
#[must_use]
pub fn annotations(
    compared: &Compared,
    place: impl Fn(&Cause) -> Option<String>,
) -> Vec<Annotation> {
    let diff = &compared.diff;
    let Some(first) = &diff.first else {
        return vec![Annotation {
            level: Level::Notice,
            place: None,
            title: TITLE.to_owned(),
            message: "the prompt has the same bytes".to_owned(),
        }];
    };
    let KeptShare { share, of, .. } = kept_share(diff);
    let cost = diff.cost.as_ref();
    let cost = cost.map_or(String::new(), |cost| format!(". {}", cost::sentence(cost)));
    let annotation = |level, cause: &Cause, message| Annotation {
        level,
        place: place(cause).map(|path| (path, cause.line)),
        title: TITLE.to_owned(),
        message,
    };
    let mut out = Vec::new();
    if first.reasons().is_empty() {
        out.push(Annotation {
            level: Level::Warning,
            place: None,
            title: TITLE.to_owned(),
            message: format!("the prefix breaks: {share} of {of} kept{cost}"),
        });
    }
    for cause in first.reasons() {
        let message = format!(
            "{} breaks the prefix: {}. {share} of {of} kept{cost}",
            layer(first),
            cause::sentence(cause)
        );
        out.push(annotation(Level::Warning, cause, message));
    }
    for hidden in &diff.hidden {
        for cause in hidden.reasons() {
            let (layer, why) = (layer(hidden), cause::sentence(cause));
            let message = format!("{layer} would break the prefix too: {why}");
            out.push(annotation(Level::Notice, cause, message));
        }
    }
    out
}

/// An annotation for each change of requests, at the line of the file that has it if that is known: a warning for the
/// first of a request, a notice for each that it hides.
#[must_use]
pub(crate) fn request_annotations(all: &[RequestComparison]) -> Vec<Annotation> {
    let of = |one: &RequestComparison| -> Vec<Annotation> {
        let after = requests::after(one);
        let reused = match requests::share(one) {
            share if share.is_empty() => share,
            share => format!(". {share} of {} bytes reused", one.reused.of),
        };
        let causes = one.causes.iter().enumerate();
        let annotation = |(at, cause): (usize, &_)| {
            let told = requests::told(cause);
            let what = match requests::change(cause, COLUMNS) {
                change if change.is_empty() => told,
                change => format!("{told}: {change}"),
            };
            let (level, reused) = match at {
                0 => (Level::Warning, reused.as_str()),
                _ => (Level::Notice, ""),
            };
            let source = cause.source.as_ref();
            Annotation {
                level,
                place: source.map(|source| (source.path.clone(), Some(source.line))),
                title: TITLE.to_owned(),
                message: format!("#{}{after}: {what}{reused}", one.b),
            }
        };
        causes.map(annotation).collect()
    };
    let mut out: Vec<Annotation> = all.iter().flat_map(of).collect();
    if out.is_empty() {
        out.push(Annotation {
            level: Level::Notice,
            place: None,
            title: TITLE.to_owned(),
            message: format!(
                "no request changed before its end: {}",
                requests::totals(all)
            ),
        });
    }
    out
}

fn layer(of: &Break) -> String {
    match &of.layer {
        Some(layer) => format!("layer `{layer}`"),
        None => "the text".to_owned(),
    }
}
