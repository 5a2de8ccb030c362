//! The comparison as workflow commands: annotations at the lines that are to blame.

use super::cost;
use super::phrase::{self, Marks};
use super::picture::percent;
use super::places::Places;
use crate::cli::repository::{self, Repository};
use crate::cli::ui::{Page, workflow};
use crate::compare::{Break, Cause};
use crate::project::Compared;

/// What an annotation of a break is headed with.
const TITLE: &str = "promptc";

/// One command for each cause of the break and of what hides behind it.
pub(super) fn draw(compared: &Compared, places: &Places) -> Page {
    let diff = &compared.diff;
    let Some(first) = &diff.first else {
        let message = "the prompt has the same bytes";
        return workflow::command("notice", None, TITLE, message);
    };
    let kept = percent(diff.kept.bytes, diff.of.bytes);
    let cost = diff.cost.as_ref();
    let cost = cost.map_or(String::new(), |cost| format!(". {}", cost::sentence(cost)));
    let mut out = Vec::new();
    for cause in &first.causes {
        let message = format!(
            "{} breaks the prefix: {}. {kept} of {} bytes kept{cost}",
            layer(first),
            phrase::whole(cause, Marks::new(false), None),
            diff.of.bytes
        );
        out.push(command("warning", cause, &message, places));
    }
    for hidden in &diff.hidden {
        for cause in &hidden.causes {
            let message = format!(
                "{} would break the prefix too: {}",
                layer(hidden),
                phrase::whole(cause, Marks::new(false), None)
            );
            out.push(command("notice", cause, &message, places));
        }
    }
    out.into_iter().collect()
}

fn layer(of: &Break) -> String {
    match &of.layer {
        Some(layer) => format!("layer `{layer}`"),
        None => "the text".to_owned(),
    }
}

fn command(kind: &str, cause: &Cause, message: &str, places: &Places) -> Page {
    let path = places.find(cause);
    let path = path.map(|path| repository::path(&path, Repository::here().as_ref()));
    let place = path.as_deref().map(|path| (path, cause.line));
    workflow::command(kind, place, TITLE, message)
}
