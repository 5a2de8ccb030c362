//! From dumped prompts to a manifest that builds them: stretches that stay become files, what changed becomes facts.
//!
//! Invariant: what [`adopt`] returns was built, and every build was its dump, byte for byte.

mod lines;
mod label;
mod structure;
mod split;
mod align;
mod kind;
mod form;
mod fact;
mod tokens;
mod pieces;
mod shape;
mod sections;
mod names;
mod layer;
mod pace;
mod tiers;
mod layout;
mod template;
mod write;
mod prove;
mod report;
pub mod look;

pub use fact::Confidence;
pub use report::{Change, DumpReport, Guess, Kept, LayerReport, Report, Stands, Style};
pub use write::{FOLDER, File};

use layout::Layout;

/// Where the sections of a text begin, at its headings and tags, and what each is called.
pub(crate) fn sections_of(text: &str) -> Vec<(usize, String)> {
    let marks = structure::marks(text).into_iter();
    let marks =
        marks.filter(|mark| mark.rank <= structure::MINOR_SECTION && !mark.title.is_empty());
    marks.map(|mark| (mark.at, mark.title)).collect()
}

/// The most dumps that are taken.
pub const MOST_DUMPS: usize = 32;

/// A prompt as it was sent.
#[derive(Debug, Clone)]
pub struct Dump {
    /// Its name in reports; the scenario is named after it.
    pub name: String,
    /// Its text; not blank.
    pub text: String,
}

/// The files to be written, and the report about them.
#[derive(Debug, Clone)]
pub struct Adoption {
    /// The manifest, then its documents and templates.
    pub files: Vec<File>,
    /// The report.
    pub report: Report,
}

/// Finds layers and facts in dumps of one agent's prompt. `None` if there is no dump, one is blank, or no build is its
/// dump (which would be a fault of this module).
#[must_use]
pub fn adopt(dumps: &[Dump]) -> Option<Adoption> {
    let texts: Vec<&str> = dumps.iter().map(|d| d.text.as_str()).collect();
    if texts.is_empty() || texts.iter().any(|t| crate::text::normalise::is_blank(t)) {
        return None;
    }
    let scenarios = scenarios(dumps);
    let candidates = layouts(&texts);
    candidates.into_iter().find_map(|(style, layout)| {
        let files = write::files(&layout, dumps, &scenarios);
        prove::holds(&files, dumps, &scenarios).then(|| Adoption {
            report: report::report(&layout, style, &files, dumps, &scenarios),
            files,
        })
    })
}

/// The layouts that may do, the best first.
fn layouts(texts: &[&str]) -> Vec<(Style, Layout)> {
    let marks: Vec<_> = texts.iter().map(|t| structure::marks(t)).collect();
    let usual = split::usual_join(texts, &marks);
    let join = usual.as_deref().unwrap_or(write::DEFAULT_JOIN);
    let mut all = vec![
        (Style::Joined, layout::lay(texts, &marks, join)),
        (Style::Exact, layout::lay(texts, &marks, "")),
    ];
    // With fewer and shorter values, less of the white space between layers is in them.
    all.sort_by_key(|(_, (layout, loses))| (*loses, layout.burden()));
    let all = all.into_iter().map(|(style, (layout, _))| (style, layout));
    all.chain([(Style::Whole, layout::whole(texts))]).collect()
}

/// A name for the scenario of each dump.
fn scenarios(dumps: &[Dump]) -> Vec<String> {
    let mut taken = names::Names::default();
    let name = |dump: &Dump| taken.take(&names::scenario(&dump.name), '-');
    dumps.iter().map(name).collect()
}
