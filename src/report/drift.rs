//! The changes of a rebuild of a session: in the words of a comparison, layer by layer, without the texts.

use super::bar::Bar;
use super::cause;
use super::comparison::{KeptShare, kept_share, sides};
use super::document::{Block, Document, Fact};
use super::words::{count, thousands};
use crate::project::sessions::drift::DriftReport;
use crate::prompt::Deliver;
use crate::session::Drifted;
use crate::session::history::rfc3339;

/// So many causes of a layer are shown; a comparison shows all.
const MOST: usize = 5;

/// The result; with a heading if requested.
#[must_use]
pub fn drift(found: &DriftReport, headed: bool) -> Document {
    let mut out = Document::new();
    if headed {
        out.heading(sides(&found.refresh));
    }
    let mut facts = vec![verdict(found)];
    for layer in &found.drift.layers {
        facts.push(Fact::new(layer.change.name(), place(layer)).brief());
        let causes = layer.causes.iter().map(|cause| ("cause", cause));
        let also = layer.also.iter().map(|cause| ("also", cause));
        let all: Vec<_> = causes.chain(also).collect();
        let shown = all.iter().take(MOST);
        facts.extend(shown.map(|(word, cause)| Fact::new(*word, cause::whole(cause)).brief()));
        if all.len() > MOST {
            let more = count(all.len() - MOST, "cause");
            let text = format!("{more} more: promptc diff {} .", found.refresh.a_name);
            facts.push(Fact::new("also", text).brief());
        }
    }
    facts.extend(refresh(found));
    out.facts(facts);
    out.extend(Bar::of(&found.refresh).map(Block::Bar));
    out
}

/// Whether there is drift, from what.
fn verdict(found: &DriftReport) -> Fact {
    let DriftReport {
        session,
        told,
        drift,
        refresh,
    } = found;
    if drift.same {
        let bytes: usize = refresh.b.channels.iter().map(|c| c.bytes).sum();
        let text = match told {
            Some(at) => format!("nothing differs from the reminder of {}", rfc3339(*at)),
            None if bytes == 0 => "nothing is frozen, and nothing would be".to_owned(),
            None => format!("a rebuild would freeze the same {}", count(bytes, "byte")),
        };
        return Fact::new("same", text).brief();
    }
    let what = match drift.layers.len() {
        0 => "the text differs".to_owned(),
        1 => "1 layer differs".to_owned(),
        n => format!("{} differ", count(n, "layer")),
    };
    let from = match told {
        Some(at) => format!("the reminder of {}", rfc3339(*at)),
        None => {
            let number = usize::try_from(session.build.number).unwrap_or(usize::MAX);
            format!(
                "build {} of {}",
                thousands(number),
                rfc3339(session.build.at)
            )
        }
    };
    Fact::new("drift", format!("{what} from {from}"))
        .alarm()
        .brief()
}

fn place(layer: &Drifted) -> String {
    let channel = match layer.channel {
        Deliver::System => "",
        Deliver::Tools => " of the tools",
        Deliver::User => " of the user text",
    };
    format!("layer `{}` (tier {}){channel}", layer.layer, layer.tier)
}

/// The cost of rebuilding the session.
fn refresh(found: &DriftReport) -> Vec<Fact> {
    let diff = &found.refresh.diff;
    let Some(first) = &diff.first else {
        return Vec::new();
    };
    let KeptShare { share, of, lost } = kept_share(diff);
    let text = match diff.of.bytes {
        0 => format!("keeps nothing; {lost} to rewrite"),
        _ => format!("keeps {share} of {of}; {lost} to rewrite"),
    };
    let mut lines = vec![Fact::new("refresh", text).brief()];
    if first.channel == Deliver::Tools {
        let text = "most providers read the tools first, and would reuse nothing after them";
        lines.push(Fact::new("note", text).brief());
    }
    lines
}
