//! A comparison as annotations at the lines that are to blame.

use super::cause;
use super::cost;
use super::github::{Annotation, Level};
use super::words::percent;
use crate::compare::{Break, Cause};
use crate::project::Compared;

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
    let kept = percent(diff.kept.bytes, diff.of.bytes);
    let cost = diff.cost.as_ref();
    let cost = cost.map_or(String::new(), |cost| format!(". {}", cost::sentence(cost)));
    let annotation = |level, cause: &Cause, message| Annotation {
        level,
        place: place(cause).map(|path| (path, cause.line)),
        title: TITLE.to_owned(),
        message,
    };
    let mut out = Vec::new();
    for cause in &first.causes {
        let message = format!(
            "{} breaks the prefix: {}. {kept} of {} bytes kept{cost}",
            layer(first),
            cause::sentence(cause),
            diff.of.bytes
        );
        out.push(annotation(Level::Warning, cause, message));
    }
    for hidden in &diff.hidden {
        for cause in &hidden.causes {
            let (layer, why) = (layer(hidden), cause::sentence(cause));
            let message = format!("{layer} would break the prefix too: {why}");
            out.push(annotation(Level::Notice, cause, message));
        }
    }
    out
}

fn layer(of: &Break) -> String {
    match &of.layer {
        Some(layer) => format!("layer `{layer}`"),
        None => "the text".to_owned(),
    }
}
