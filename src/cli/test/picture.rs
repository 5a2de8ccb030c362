//! How a record and a build differ, in a few lines.

use crate::cli::diff;
use crate::cli::ui::words::plain;
use crate::diff::Diff;
use crate::prompt::Prompt;
use crate::record::{Record, Recorded};

/// What is shown below a record.
#[derive(Debug, Default)]
pub(super) struct Picture {
    /// Fit for a terminal: nothing foreign in them works there. They may be coloured.
    pub(super) lines: Vec<String>,
    /// The whole comparison, where both texts are known.
    pub(super) diff: Option<Diff>,
    /// The first layer that differs.
    pub(super) layer: Option<String>,
}

impl Picture {
    /// One line.
    pub(super) fn words(line: &str) -> Self {
        Self {
            lines: vec![plain(line)],
            ..Self::default()
        }
    }
}

/// The difference between a record and what is built now.
pub(super) fn picture(old: &Record, recorded: &Recorded, new: &Record, prompt: &Prompt) -> Picture {
    let first = old.first_difference(new);
    let about = first.as_ref().map_or_else(
        || "a tier or the head of the record".to_owned(),
        |layer| format!("layer `{layer}`"),
    );
    let (found, drawn) = diff::picture((&recorded.prompt, recorded.text), prompt);
    let Some(broken) = &found.first else {
        let line = format!("the text is the same; what is recorded about {about} differs");
        return Picture {
            diff: Some(found),
            layer: first,
            ..Picture::words(&line)
        };
    };
    Picture {
        layer: broken.layer.clone(),
        lines: drawn.lines().map(str::to_owned).collect(),
        diff: Some(found),
    }
}
