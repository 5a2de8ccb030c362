//! One page for a browser: a prompt, a comparison or a history. It is one file and can reach nothing.

mod csp;
mod text;
mod search;
mod prompt;
mod icicle;
mod picture;
mod notes;
mod budgets;
mod waterfall;
mod top;
mod layout;
mod usage;

pub use notes::Judged;
pub(crate) use usage::of_usage;

use super::comparison::comparison;
use super::document::Block;
use super::explain::provider::Kept;
use super::explain::{LayerStatus, fates_of};
use super::history::{Shown, notes as history_notes, rebuilds, sections};
use super::html::{self, Html};
use super::hunk::Extent;
use super::requests::totals;
use super::verdict::{self, Bill};
use super::words::count;
use crate::project::Compared;
use crate::project::advised::AdvisedEdit;
use crate::project::capture::{Detail, RequestComparison};
use crate::prompt::Prompt;
use crate::request::cost::CostQuery;
use crate::session::history::History;
use layout::{Page, Scene};
use notes::Told;
use prompt::{Beside, View};

/// The parts of a page that shows a prompt.
const PROMPT: [(&str, &str); 7] = [
    ("tokens", "Tokens"),
    ("layers", "Layers"),
    ("lost", "Lost"),
    ("absent", "Absent"),
    ("findings", "Findings"),
    ("prompt", "Prompt"),
    ("budgets", "Budgets"),
];

/// The most bytes of a page that shows several prompts; those that have no room are named.
const MOST_OF_PROMPTS: usize = 1_900_000;

/// A prompt that a page shows.
pub(crate) struct PromptView<'a> {
    /// The scenario that it was built for, where a page shows several.
    pub(crate) scenario: Option<&'a str>,
    /// The built prompt.
    pub(crate) prompt: &'a Prompt,
    /// Its layers, absent ones at their place.
    pub(crate) fates: &'a [LayerStatus<'a>],
    /// The findings of the rules.
    pub(crate) judged: &'a Judged,
}

/// A page that shows a prompt, or several to choose from.
#[must_use]
pub(crate) fn of_prompts(all: &[PromptView<'_>], asked: Option<&CostQuery>) -> String {
    let views = all.iter().map(|one| View::new(one.prompt, one.fates, None));
    let views: Vec<View<'_>> = views.collect();
    let (mut scenes, mut bytes, mut left) = (Vec::new(), 0, Vec::new());
    let mut told = Vec::new();
    for (one, view) in all.iter().zip(&views) {
        let prompt = one.prompt;
        let scope = layout::scope(scenes.len());
        let mut main = Html::scoped(scope.clone());
        let kept = asked.map(|asked| kept(prompt, asked));
        picture::alone(&mut main, view, kept.as_ref());
        parts(
            &mut main,
            view,
            one.scenario.is_none().then_some(one.judged),
        );
        bytes += main.len();
        let has_room = bytes <= MOST_OF_PROMPTS || scenes.is_empty();
        told.extend(one.scenario.map(|scenario| Told {
            scenario,
            view,
            judged: one.judged,
            scope: has_room.then_some(scope),
        }));
        if !has_room {
            left.extend(one.scenario);
            continue;
        }
        let mut linked = vec![("prefix", "Prefix")];
        linked.extend(PROMPT);
        scenes.push(Scene {
            name: one.scenario,
            verdict: verdict::of_prompt(prompt, one.judged.as_ref(), asked),
            about: layout::sizes(view),
            parts: linked,
            view: Some(view),
            main,
        });
    }
    let mut shared = Html::default();
    if !told.is_empty() {
        notes::draw_shared(&mut shared, &told);
    }
    let page = Page {
        title: all.first().map_or("prompt", |one| name(one.prompt)),
        screens: false,
        scenes,
        left,
        shared,
    };
    page.draw()
}

/// The part of a prompt that a model's cache keeps.
fn kept<'a>(prompt: &'a Prompt, asked: &'a CostQuery) -> Kept<'a> {
    Kept::of(
        prompt,
        &asked.name,
        &asked.found,
        asked.tokenizer,
        asked.messages,
    )
}

/// A page that shows two prompts and where the prefix breaks; `edits` are those of its advice.
#[must_use]
pub(crate) fn of_pair(
    compared: &Compared,
    judged: &Judged,
    edits: &[Option<AdvisedEdit>],
    asked: Option<&CostQuery>,
) -> String {
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
        let kept = asked.map(|asked| kept(&compared.a, asked));
        let broke = diff.first.as_ref();
        let channel = broke.and_then(|first| compared.a.channel(first.channel));
        for block in &document.blocks {
            // Where it broke is in the bar; where a model lets it be reused is not.
            if let (Block::Bar(_), Some(channel), Some(_)) = (block, channel, &kept) {
                let marks = picture::marks(channel, kept.as_ref());
                icicle::marks(html, &marks, channel.text.len());
            }
            html::block(html, block, "h-prefix");
        }
        // The first is what to fix first, unless a rule knows better.
        let first = verdict::advised(compared, judged.as_ref(), edits);
        for edit in edits.iter().flatten() {
            if !first.is_some_and(|first| std::ptr::eq(first, edit)) {
                top::advice(html, edit);
            }
        }
    });
    if !texts.blocks.is_empty() {
        section(&mut main, "changed", "Changed text", |html| {
            html::blocks(html, &texts, "h-changed");
        });
    }
    let mut linked = vec![("prefix", "Prefix"), ("changed", "Changed text")];
    let view = compared.b_known.then_some(&view);
    if let Some(view) = view {
        parts(&mut main, view, Some(judged));
        linked.extend(PROMPT);
    }
    let mut about = vec!["B, which is sent now, compared with A, which may be cached.".to_owned()];
    about.extend(view.map(layout::sizes).into_iter().flatten());
    let scene = Scene {
        verdict: verdict::of_pair(compared, judged.as_ref(), edits, asked),
        about,
        parts: linked,
        view,
        main,
        name: None,
    };
    Page::of(name(&compared.b), scene).draw()
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
    let scene = Scene {
        verdict: verdict::of_history(history, super::history::look(history, store)),
        about: vec!["What the rebuilds of sessions did to the cached prefix.".to_owned()],
        parts: linked,
        main,
        ..Scene::default()
    };
    Page::of(title, scene).draw()
}

/// A page that shows the requests of a log; `title` is its name.
#[must_use]
pub(crate) fn of_log(title: &str, all: &[(RequestComparison, Detail)], bill: Bill<'_>) -> String {
    let mut main = Html::default();
    waterfall::draw(&mut main, title, all);
    let requests = count(all.len(), "request");
    let totals = totals(all.iter().map(|(compared, _)| compared));
    let scene = Scene {
        verdict: verdict::of_log(title, all, bill),
        about: vec![
            "Each request compared with the one before it in its chain.".to_owned(),
            format!("{requests}: {totals}"),
        ],
        parts: vec![
            ("causes", "What broke"),
            ("requests", "Requests"),
            ("texts", "Texts"),
        ],
        main,
        ..Scene::default()
    };
    Page::of(title, scene).draw()
}

/// The name of a prompt.
fn name(prompt: &Prompt) -> &str {
    prompt.name.as_deref().unwrap_or("prompt")
}

/// The prompt by tokens, what is absent, the prompt with its budgets; with `judged` also what was lost and found, which a page of
/// several prompts says once.
fn parts(main: &mut Html, view: &View<'_>, judged: Option<&Judged>) {
    icicle::draw(main, view);
    icicle::layers(main, view);
    match judged {
        Some(judged) => notes::draw(main, view, judged),
        None => notes::draw_own(main, view),
    }
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
