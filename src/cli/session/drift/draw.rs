//! Drift for people: in the words of a diff, layer by layer, without the texts.

use super::Found;
use crate::cli::diff::{Line, Look, Marks, WIDTH, bar, block, escaped, fit, lost, percent, whole};
use crate::cli::session::clock::rfc3339;
use crate::cli::ui::words::{count, thousands};
use crate::cli::ui::{ERROR, NAME};
use crate::prompt::Deliver;
use crate::session::Drifted;
use std::fmt::Write as _;

/// The columns behind a line's word.
const ROOM: usize = WIDTH - 9;

/// So many causes of a layer are shown; a diff shows all.
const MOST: usize = 5;

/// For a terminal or a log, within its columns.
pub(super) fn human(found: &Found, ascii: bool) -> String {
    let mut out = String::new();
    for line in lines(found, Marks::new(ascii), Some(ROOM)) {
        let style = match line.word {
            "drift" => ERROR,
            _ => NAME,
        };
        let text = fit(&line.text, ROOM, ascii);
        let _ = writeln!(out, "{style}{:<9}{style:#}{text}", line.word);
    }
    let look = Look { ascii, full: false };
    if let Some(bar) = bar(&found.refresh, look) {
        let _ = write!(out, "\n{bar}");
    }
    out
}

/// For a pull request or a job's summary.
pub(super) fn markdown(found: &Found) -> String {
    let (a, b) = (&found.refresh.a_name, &found.refresh.b_name);
    let mut out = format!("### {} → {}\n\n", escaped(a), escaped(b));
    for line in lines(found, Marks::new(false), None) {
        let _ = writeln!(out, "- **{}** {}", line.word, escaped(&line.text));
    }
    let look = Look {
        ascii: false,
        full: false,
    };
    if let Some(bar) = bar(&found.refresh, look) {
        let bar = anstream::adapter::strip_str(&bar).to_string();
        let _ = write!(out, "\n{}", block("text", &bar));
    }
    out
}

fn lines(found: &Found, marks: Marks, room: Option<usize>) -> Vec<Line> {
    let mut lines = vec![verdict(found)];
    for layer in &found.drift.layers {
        lines.push(Line::new(layer.change.name(), place(layer)));
        let causes = layer.causes.iter().map(|cause| ("cause", cause));
        let also = layer.also.iter().map(|cause| ("also", cause));
        let all: Vec<_> = causes.chain(also).collect();
        for (word, cause) in all.iter().take(MOST) {
            lines.push(Line::new(word, whole(cause, marks, room)));
        }
        if all.len() > MOST {
            let more = count(all.len() - MOST, "cause");
            let text = format!("{more} more: promptc diff {} .", found.refresh.a_name);
            lines.push(Line::new("also", text));
        }
    }
    lines.extend(refresh(found));
    lines
}

/// Whether there is drift, from what.
fn verdict(found: &Found) -> Line {
    let Found {
        session,
        told,
        drift,
        refresh,
    } = found;
    if drift.same {
        let bytes: usize = refresh.b.channels.iter().map(|c| c.bytes).sum();
        let text = match told {
            Some(at) => format!("nothing differs from what was told at {}", rfc3339(*at)),
            None if bytes == 0 => "nothing is frozen, and nothing would be".to_owned(),
            None => format!("a rebuild would freeze the same {}", count(bytes, "byte")),
        };
        return Line::new("same", text);
    }
    let what = match drift.layers.len() {
        0 => "the text differs".to_owned(),
        1 => "1 layer differs".to_owned(),
        n => format!("{} differ", count(n, "layer")),
    };
    let from = match told {
        Some(at) => format!("what was told at {}", rfc3339(*at)),
        None => {
            let number = usize::try_from(session.build.number).unwrap_or(usize::MAX);
            format!(
                "build {} of {}",
                thousands(number),
                rfc3339(session.build.at)
            )
        }
    };
    Line::new("drift", format!("{what} from {from}"))
}

fn place(layer: &Drifted) -> String {
    let channel = match layer.channel {
        Deliver::System => "",
        Deliver::Tools => " of the tools",
        Deliver::User => " of the user text",
    };
    format!("layer `{}` (tier {}){channel}", layer.layer, layer.tier)
}

/// What building the session anew would cost.
fn refresh(found: &Found) -> Vec<Line> {
    let diff = &found.refresh.diff;
    let Some(first) = &diff.first else {
        return Vec::new();
    };
    let text = match diff.of.bytes {
        0 => format!("keeps nothing; {} to rewrite", lost(diff)),
        of => format!(
            "keeps {} of {}; {} to rewrite",
            percent(diff.kept.bytes, of),
            count(of, "byte"),
            lost(diff)
        ),
    };
    let mut lines = vec![Line::new("refresh", text)];
    if first.channel == Deliver::Tools {
        let text = "most providers read the tools first, and would keep nothing behind them";
        lines.push(Line::new("note", text.to_owned()));
    }
    lines
}
