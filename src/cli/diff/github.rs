//! The comparison as workflow commands: annotations at the lines that are to blame.

use super::Compared;
use super::phrase::{self, Marks};
use super::picture::percent;
use super::places::Places;
use crate::diff::{Break, Cause};
use std::fmt::Write as _;

/// One command for each cause of the break and of what hides behind it.
pub(super) fn draw(compared: &Compared, places: &Places) -> String {
    let mut out = String::new();
    let diff = &compared.diff;
    let Some(first) = &diff.first else {
        let _ = writeln!(out, "::notice title=promptc::the prompt has the same bytes");
        return out;
    };
    let kept = percent(diff.kept.bytes, diff.of.bytes);
    for cause in &first.causes {
        let message = format!(
            "{} breaks the prefix: {}. {kept} of {} bytes kept",
            layer(first),
            phrase::whole(cause, Marks::new(false), None),
            diff.of.bytes
        );
        out.push_str(&command("warning", cause, &message, places));
    }
    for hidden in &diff.hidden {
        for cause in &hidden.causes {
            let message = format!(
                "{} would break the prefix too: {}",
                layer(hidden),
                phrase::whole(cause, Marks::new(false), None)
            );
            out.push_str(&command("notice", cause, &message, places));
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

fn command(kind: &str, cause: &Cause, message: &str, places: &Places) -> String {
    let mut place = String::new();
    if let Some(path) = places.find(cause) {
        let _ = write!(place, "file={},", property(&path));
        if let Some(line) = cause.line {
            let _ = write!(place, "line={line},");
        }
    }
    format!("::{kind} {place}title=promptc::{}\n", data(message))
}

/// As the workflow's parser wants messages.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// As it wants the values of properties.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
