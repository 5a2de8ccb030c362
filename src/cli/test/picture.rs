//! How a record and a build differ, in a few lines.

use crate::cli::ui::words::plain;
use crate::diff::{Break, Cause, Diff, diff};
use crate::prompt::{Deliver, Prompt};
use crate::record::{Record, Recorded};

/// What is shown below a record.
#[derive(Debug, Default)]
pub(super) struct Picture {
    /// Fit for a terminal: nothing foreign in them works there.
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
    if !recorded.text {
        let line = format!("{about} differs; the record keeps no text");
        return Picture {
            layer: first,
            ..Picture::words(&line)
        };
    }
    let found = diff(&recorded.prompt, prompt);
    let Some(broken) = &found.first else {
        let line = format!("the text is the same; what is recorded about {about} differs");
        return Picture {
            diff: Some(found),
            layer: first,
            ..Picture::words(&line)
        };
    };
    let mut lines = vec![place(broken)];
    lines.extend(broken.causes.iter().map(cause));
    let texts = (
        recorded.prompt.text(broken.channel),
        prompt.text(broken.channel),
    );
    lines.extend(first_lines(texts.0, texts.1, broken.line));
    let hidden = found.hidden.iter().filter_map(|b| b.layer.as_deref());
    lines.extend(hidden.map(|layer| format!("layer `{layer}` differs too")));
    Picture {
        layer: broken.layer.clone(),
        lines: lines.iter().map(|line| plain(line)).collect(),
        diff: Some(found),
    }
}

fn place(broken: &Break) -> String {
    let layer = broken.layer.as_deref().unwrap_or("?");
    let tier = broken.tier.as_deref().unwrap_or("?");
    let channel = match broken.channel {
        Deliver::System => String::new(),
        other => format!("{other}, "),
    };
    format!(
        "layer `{layer}` ({channel}tier {tier}) at line {}",
        broken.line
    )
}

fn cause(cause: &Cause) -> String {
    let mut out = format!("cause: {}", cause.kind.name());
    let what = cause.path.as_deref().or(cause.fact.as_deref());
    if let Some(what) = what {
        out.push_str(&format!(" {what}"));
    }
    if let (Some(_), Some(line)) = (&cause.path, cause.line) {
        out.push_str(&format!(":{line}"));
    }
    out
}

/// The line of the break on each side.
fn first_lines(old: &str, new: &str, line: usize) -> Vec<String> {
    let at = |text: &str| {
        let found = text.lines().nth(line.saturating_sub(1));
        found.map(|found| found.chars().take(100).collect::<String>())
    };
    let old = at(old).map(|old| format!("- {old}").trim_end().to_owned());
    let new = at(new).map(|new| format!("+ {new}").trim_end().to_owned());
    old.into_iter().chain(new).collect()
}
