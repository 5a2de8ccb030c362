//! One page for a browser: a prompt, a comparison or a history. It is one file and can reach nothing.

mod csp;
mod text;
mod search;
mod prompt;
mod picture;
mod notes;
mod budgets;
mod waterfall;
mod layout;
mod usage;

pub use notes::Judged;
pub(crate) use usage::of_usage;

use super::comparison::comparison;
use super::document::Block;
use super::explain::{LayerStatus, fates_of};
use super::history::{Shown, notes as history_notes, rebuilds, sections};
use super::html::{self, Html};
use super::hunk::Extent;
use super::requests::totals;
use super::words::count;
use crate::project::Compared;
use crate::project::capture::{Detail, RequestComparison};
use crate::prompt::Prompt;
use crate::session::history::History;
use layout::Page;
use prompt::{Beside, View};

/// The parts of a page that shows a prompt.
const PROMPT: [(&str, &str); 5] = [
    ("lost", "Lost"),
    ("absent", "Absent"),
    ("findings", "Findings"),
    ("prompt", "Prompt"),
    ("budgets", "Budgets"),
];

/// A page that shows a prompt.
#[must_use]
pub fn of_prompt(prompt: &Prompt, fates: &[LayerStatus<'_>], judged: &Judged) -> String {
    let view = View::new(prompt, fates, None);
    let mut main = Html::default();
    picture::alone(&mut main, &view);
    parts(&mut main, &view, judged);
    let mut linked = vec![("prefix", "Prefix")];
    linked.extend(PROMPT);
    let page = Page {
        title: name(prompt),
        about: &layout::sizes(&view),
        parts: &linked,
        view: Some(&view),
        screens: false,
        main,
    };
    page.draw()
}

/// A page that shows two prompts and where the prefix breaks.
#[must_use]
pub fn of_pair(compared: &Compared, judged: &Judged) -> String {
    let fates = fates_of(&compared.b);
    let diff = &compared.diff;
    let view = View::new(&compared.b, &fates, Some(Beside { diff }));
    let mut main = Html::default();
    let mut document = comparison(compared, Extent::Around);
    let is_text = |block: &mut Block| matches!(block, Block::Hunk(_));
    let texts = super::Document {
        blocks: document.blocks.extract_if(.., is_text).collect(),
    };
    section(&mut main, "prefix", "Prefix", |html| {
        picture::sides(html, compared);
        html::blocks(html, &document, "h-prefix");
    });
    if !texts.blocks.is_empty() {
        section(&mut main, "changed", "Changed text", |html| {
            html::blocks(html, &texts, "h-changed");
        });
    }
    let mut linked = vec![("prefix", "Prefix"), ("changed", "Changed text")];
    let view = compared.b_known.then_some(&view);
    if let Some(view) = view {
        parts(&mut main, view, judged);
        linked.extend(PROMPT);
    }
    let mut about = vec!["What is sent now (B) beside what may be cached (A).".to_owned()];
    about.extend(view.map(layout::sizes).into_iter().flatten());
    let page = Page {
        title: name(&compared.b),
        about: &about,
        parts: &linked,
        view,
        screens: false,
        main,
    };
    page.draw()
}

/// A page that shows what the rebuilds of sessions did to the cached prefix; `store` is the option that leads to the store, if
/// the call had one.
#[must_use]
pub fn of_history(title: &str, history: &History, store: Option<&str>) -> String {
    let shown = Shown {
        top: usize::MAX,
        causes: true,
        look: None,
    };
    let mut main = Html::default();
    let mut all = sections(history, shown).into_iter();
    let mut linked = Vec::new();
    for first in all.by_ref().take(1) {
        let mut document = first.document;
        document.facts(history_notes(history, shown));
        linked.push((first.id, first.title));
        section(&mut main, first.id, first.title, |html| {
            html::blocks(html, &document, &format!("h-{}", first.id));
        });
    }
    if history.all.rebuilds > 0 {
        search::form(&mut main, "the history");
    }
    for part in all {
        linked.push((part.id, part.title));
        section(&mut main, part.id, part.title, |html| {
            html::blocks(html, &part.document, &format!("h-{}", part.id));
        });
    }
    if history.all.rebuilds > 0 {
        linked.push(("rebuilds", "Rebuilds"));
        section(&mut main, "rebuilds", "Rebuilds", |html| {
            html::table(html, &rebuilds(history, store), "h-rebuilds", "list");
        });
    }
    let page = Page {
        title,
        about: &["What the rebuilds of sessions did to the cached prefix.".to_owned()],
        parts: &linked,
        view: None,
        screens: false,
        main,
    };
    page.draw()
}

/// A page that shows the requests of a log; `title` is its name.
#[must_use]
pub(crate) fn of_log(title: &str, all: &[(RequestComparison, Detail)]) -> String {
    let mut main = Html::default();
    waterfall::draw(&mut main, all);
    let requests = count(all.len(), "request");
    let totals = totals(all.iter().map(|(compared, _)| compared));
    let page = Page {
        title,
        about: &[
            "Each request beside the one before it in its lane.".to_owned(),
            format!("{requests}: {totals}"),
        ],
        parts: &[("requests", "Requests"), ("texts", "Texts")],
        view: None,
        screens: false,
        main,
    };
    page.draw()
}

/// What a prompt is called.
fn name(prompt: &Prompt) -> &str {
    prompt.name.as_deref().unwrap_or("prompt")
}

/// What of a prompt was lost, is absent and was found, and the prompt with its budgets.
fn parts(main: &mut Html, view: &View<'_>, judged: &Judged) {
    notes::draw(main, view, judged);
    prompt::draw(main, view);
    budgets::draw(main, view);
}

/// A part with its heading.
fn section(html: &mut Html, id: &'static str, title: &'static str, draw: impl FnOnce(&mut Html)) {
    let heading = format!("h-{id}");
    html.open("section", &[("id", id), ("aria-labelledby", &heading)]);
    html.leaf("h2", &[("id", &heading)], title);
    draw(html);
    html.close("section");
}
