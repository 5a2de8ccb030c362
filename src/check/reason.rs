//! The reason of reasons in words.

use super::Finding;
use crate::compile::{Link, Reason, What};
use crate::prompt::Changes;

impl Finding {
    /// Adds why something changes as often as it does: as data, as a sentence in the message and as places.
    #[must_use]
    pub fn reason(mut self, reason: &Reason) -> Self {
        let bare = || self.diagnostic.message.clone();
        self.bare.get_or_insert_with(bare);
        self.diagnostic.message.push_str(": ");
        self.diagnostic.message.push_str(&sentence(reason));
        if let Some(declared) = reason.declared {
            self = self.related(declared, "declared here");
        }
        if let Some(place) = reason.links.last().and_then(|link| link.place)
            && self.diagnostic.span != Some(place)
        {
            self = self.related(place, "used here");
        }
        self.because(reason)
    }
}

/// When a text of a volatility may become another one, in words.
#[must_use]
pub fn when(changes: Changes) -> &'static str {
    match changes {
        Changes::Never => "never",
        Changes::Deploy => "with a deployment",
        Changes::Session => "from conversation to conversation",
        Changes::Day => "at midnight",
        Changes::Turn => "at every call",
    }
}

/// "its template `a.md.j2` uses the let `x`, which reads the fact `y`, declared `changes=turn`".
#[must_use]
pub fn sentence(reason: &Reason) -> String {
    let mut out = String::new();
    for (index, link) in reason.links.iter().enumerate() {
        if index > 0 {
            out.push_str(if index == 1 {
                " uses "
            } else {
                ", which uses "
            });
        }
        out.push_str(&named(link, index == 0));
    }
    match reason.declared {
        Some(_) => out.push_str(&format!(", declared `changes={}`", reason.changes)),
        None => out.push_str(&format!(
            ", which may change {} unless declared otherwise",
            when(reason.changes)
        )),
    }
    out
}

fn named(link: &Link, first: bool) -> String {
    let article = if first { "its" } else { "the" };
    let name = &link.name;
    match link.what {
        What::Condition => format!("{article} condition `{name}`"),
        What::Filter => format!("{article} filter `{name}`"),
        What::Template if name.is_empty() => format!("{article} template"),
        What::Template => format!("{article} template `{name}`"),
        What::Wrap => format!("{article} `wrap`"),
        What::Scan => format!("{article} scan"),
        What::Placeholder => format!("{article} placeholder"),
        What::Hide => format!("{article} `hide`"),
        What::Marker => format!("{article} marker"),
        What::Budget => format!("{article} budget"),
        What::Source => format!("{article} source `{name}`"),
        What::Label => format!("{article} label"),
        What::Imports => format!("{article} imports"),
        What::Exists => format!("the test whether `{name}` exists"),
        What::Loaded => format!("the test whether `{name}` is loaded"),
        What::Let => format!("the let `{name}`"),
        What::Root => format!("the root `{name}`"),
        What::Fact => format!("the fact `{name}`"),
        What::Program => "text of the manifest".to_owned(),
    }
}
