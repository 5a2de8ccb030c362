//! The page around what it shows.

use super::csp::{PAGE, Parts, USAGE, csp};
use super::prompt::{View, id};
use super::top;
use crate::report::explain::LayerStatus;
use crate::report::html::{self, Html};
use crate::report::verdict::Verdict;
use crate::report::words::{count, plain, share, thousands};
use crate::report::{Cell, Table, Text};
use std::collections::BTreeSet;

/// A page.
pub(super) struct Page<'a> {
    /// The subject of the report.
    pub(super) title: &'a str,
    /// Whether its parts are screens, one of which is shown at a time.
    pub(super) screens: bool,
    /// Its scenes: one, or several to choose from.
    pub(super) scenes: Vec<Scene<'a>>,
    /// The names of scenes that have no room.
    pub(super) left: Vec<&'a str>,
    /// The notes about all scenes together.
    pub(super) shared: Html,
}

/// The parts of what is said of all scenes together.
const SHARED: [(&str, &str); 3] = [
    ("lost", "Lost"),
    ("told", "Notes"),
    ("findings", "Findings"),
];

/// The content that is shown at one time.
#[derive(Default)]
pub(super) struct Scene<'a> {
    /// Its name, where there are several.
    pub(super) name: Option<&'a str>,
    /// The verdict.
    pub(super) verdict: Verdict,
    /// A line or two about it.
    pub(super) about: Vec<String>,
    /// The parts of it that are linked: their ids and names.
    pub(super) parts: Vec<(&'static str, &'static str)>,
    /// The prompt, if one is shown.
    pub(super) view: Option<&'a View<'a>>,
    /// Its content.
    pub(super) main: Html,
}

/// The prefix of the ids of a scene.
pub(super) fn scope(number: usize) -> String {
    match number {
        0 => String::new(),
        number => format!("s{number}-"),
    }
}

impl<'a> Page<'a> {
    /// A page of one scene.
    pub(super) fn of(title: &'a str, scene: Scene<'a>) -> Self {
        Self {
            title,
            screens: false,
            scenes: vec![scene],
            left: Vec::new(),
            shared: Html::default(),
        }
    }

    /// The whole page.
    pub(super) fn draw(self) -> String {
        let parts = if self.screens { &USAGE } else { &PAGE };
        let mut html = Html::default();
        head(&mut html, self.title, parts);
        html.markup("<body><a class=\"skip\" href=\"#main\">Skip to the report</a><header><p class=\"kind\">promptc report</p>");
        html.leaf("h1", &[], self.title);
        self.each(&mut html, |html, scene| {
            top::draw(html, &scene.verdict);
            for line in &scene.about {
                html.said("p", &[("class", "about")], line);
            }
        });
        if self.scenes.len() > 1 {
            self.choice(&mut html);
        }
        html.markup("</header>");
        let has_view = self.scenes.iter().any(|scene| scene.view.is_some());
        let class = match (self.screens, has_view) {
            (true, _) => "page screens",
            (false, true) => "page",
            (false, false) => "page wide",
        };
        html.open("div", &[("class", class)]);
        html.markup("<nav aria-label=\"Contents\">");
        links(&mut html, &SHARED, &self.shared);
        self.each(&mut html, nav);
        html.markup("</nav><main id=\"main\" tabindex=\"-1\">");
        html.append(&self.shared);
        self.each(&mut html, |html, scene| html.append(&scene.main));
        html.markup("</main>");
        if has_view {
            html.markup(
                "<aside id=\"source\" aria-labelledby=\"h-source\"><div class=\"bar\"><h2 id=\"h-source\" tabindex=\"-1\">Source</h2>\
                 <button type=\"button\" id=\"close\">Close</button></div>\
                 <div id=\"told\" aria-live=\"polite\"><p class=\"none\">Choose a layer, or a place of its text.</p></div></aside>",
            );
        }
        html.markup("</div><script>");
        html.markup(parts.script);
        html.markup("</script></body></html>\n");
        html.into_string()
    }

    /// Draws a part of each scene.
    fn each(&self, html: &mut Html, draw: impl Fn(&mut Html, &Scene<'_>)) {
        let several = self.scenes.len() > 1;
        for (number, scene) in self.scenes.iter().enumerate() {
            let mut part = Html::scoped(scope(number));
            if several {
                let number = number.to_string();
                part.open("div", &[("class", "scene"), ("data-scene", &number)]);
                let name = format!("Scenario {}", scene.name.unwrap_or_default());
                part.leaf("p", &[("class", "scenario")], &name);
            }
            draw(&mut part, scene);
            if several {
                part.close("div");
            }
            html.append(&part);
        }
    }

    /// The scenes with their figures; the script adds what chooses one.
    fn choice(&self, html: &mut Html) {
        html.markup("<section class=\"scenes\" aria-labelledby=\"h-scenes\"><h2 id=\"h-scenes\">Scenarios</h2>");
        let known = |scene: &Scene<'a>| {
            let figures = scene.verdict.figures.iter();
            let figures = figures.filter_map(|figure| Some((figure.label, figure.value.clone()?)));
            figures.collect::<Vec<_>>()
        };
        let figures = known(&self.scenes[0]).into_iter();
        let figures = figures.map(|(label, _)| format!(">{label}"));
        let mut columns = vec!["scenario".to_owned()];
        columns.extend(figures);
        let fixes: BTreeSet<String> = (self.scenes.iter())
            .map(|scene| scene.verdict.fix.text.flat())
            .collect();
        let differ = fixes.len() > 1;
        columns.extend(differ.then(|| "fix first".to_owned()));
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let mut table = Table::new(&columns);
        for (number, scene) in self.scenes.iter().enumerate() {
            let id = format!("{}prefix", scope(number));
            let name = Text::new().link(id, scene.name.unwrap_or_default());
            let figures = known(scene).into_iter();
            let figures = figures.map(|(_, value)| Cell::from(value));
            let fix = differ.then(|| Cell::from(scene.verdict.fix.text.clone()));
            table.row([Cell::from(name)].into_iter().chain(figures).chain(fix));
        }
        if !self.left.is_empty() {
            let names = self.left.join(", ");
            table.more(format!("without room here, shown with --scenario: {names}"));
        }
        html::table(html, &table, "h-scenes", "sums sort");
        html.markup("</section>");
    }
}

/// Links to those parts that are there.
fn links(html: &mut Html, parts: &[(&str, &str)], main: &Html) {
    let parts = parts.iter().filter(|(part, _)| main.has(part));
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return;
    }
    html.markup("<ul class=\"parts\">");
    for (part, name) in parts {
        html.markup("<li>");
        html.leaf("a", &[("href", &format!("#{part}"))], name);
        html.markup("</li>");
    }
    html.markup("</ul>");
}

fn nav(html: &mut Html, scene: &Scene<'_>) {
    links(html, &scene.parts, &scene.main);
    if let Some(view) = scene.view {
        tree(html, view);
    }
}

/// Tiers and layers.
fn tree(html: &mut Html, view: &View<'_>) {
    html.markup("<details class=\"tree\" open><summary>Layers</summary><ol>");
    for (number, (tier, _, layers)) in view.tiers().into_iter().enumerate() {
        html.markup("<li>");
        html.leaf(
            "a",
            &[("class", "tier"), ("href", &format!("#tier-{number}"))],
            tier,
        );
        html.markup("<ol>");
        for at in layers {
            layer(html, view, at);
        }
        html.markup("</ol></li>");
    }
    html.markup("</ol></details>");
}

fn layer(html: &mut Html, view: &View<'_>, at: usize) {
    let href = format!("#{}", id(at));
    match &view.fates[at] {
        LayerStatus::Present(channel, layer) => {
            let fate = view.fate(channel, layer).map_or("", |(_, class)| class);
            let class = format!("{} {fate}", layer.changes);
            html.open("li", &[("class", class.trim_end())]);
            html.leaf("a", &[("href", &href)], &layer.name);
            let bytes = layer.end - layer.start;
            html.text(" ");
            html.open("small", &[]);
            html.text(&share(bytes, channel.bytes));
            if let Some((word, _)) = view
                .fate(channel, layer)
                .filter(|(_, class)| *class != "kept")
            {
                html.leaf("span", &[("class", "unseen")], &format!(", {word}"));
            }
            html.close("small");
        }
        LayerStatus::Absent(absent, _) => {
            html.open("li", &[("class", "absent")]);
            html.leaf("a", &[("href", &href)], &absent.layer);
            html.text(" ");
            html.leaf("small", &[], "absent");
        }
    }
    html.close("li");
}

fn head(html: &mut Html, title: &str, parts: &Parts) {
    html.markup("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    html.open(
        "meta",
        &[
            ("http-equiv", "Content-Security-Policy"),
            ("content", &csp(parts)),
        ],
    );
    html.markup(
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\">\
         <meta name=\"referrer\" content=\"no-referrer\">",
    );
    html.leaf("title", &[], &format!("{} – promptc report", plain(title)));
    html.markup("<style>");
    html.markup(parts.style);
    html.markup("</style></head>\n");
}

/// The size of each channel and its hash, in words.
pub(super) fn sizes(view: &View<'_>) -> Vec<String> {
    let mut channels = Vec::new();
    for channel in &view.prompt.channels {
        let size = crate::report::explain::size(channel.bytes, channel.chars);
        let tokens = channel.counted().map_or(String::new(), |all| {
            format!(
                ", {} ({})",
                crate::report::words::tokens(&all),
                all.tokenizer
            )
        });
        channels.push(format!("{}: {size}{tokens}", channel.deliver.text_name()));
    }
    let mut out = vec![channels.join("; ")];
    let layers = view
        .fates
        .iter()
        .filter(|f| matches!(f, LayerStatus::Present(..)))
        .count();
    let absent = view.fates.len() - layers;
    let absent = match absent {
        0 => String::new(),
        n => format!(" and {} absent", thousands(n)),
    };
    out.push(format!(
        "{}{absent}; fingerprint `{}`",
        count(layers, "layer"),
        view.prompt.fingerprint
    ));
    out
}
