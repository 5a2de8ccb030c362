//! The page around what it shows.

use super::csp::{PAGE, Parts, USAGE, csp};
use super::prompt::{View, id};
use crate::report::explain::LayerStatus;
use crate::report::html::Html;
use crate::report::words::{count, plain, share, thousands};

/// A page.
pub(super) struct Page<'a> {
    /// What the report is about.
    pub(super) title: &'a str,
    /// A line or two below it.
    pub(super) about: &'a [String],
    /// The parts of it that are linked: their ids and names.
    pub(super) parts: &'a [(&'static str, &'static str)],
    /// The prompt, if one is shown.
    pub(super) view: Option<&'a View<'a>>,
    /// Whether its parts are screens, one of which is shown at a time.
    pub(super) screens: bool,
    /// What it shows.
    pub(super) main: Html,
}

impl Page<'_> {
    /// The whole page.
    pub(super) fn draw(self) -> String {
        let parts = if self.screens { &USAGE } else { &PAGE };
        let mut html = Html::default();
        head(&mut html, self.title, parts);
        html.markup("<body><a class=\"skip\" href=\"#main\">Skip to the report</a><header><p class=\"kind\">promptc report</p>");
        html.leaf("h1", &[], self.title);
        for line in self.about {
            html.said("p", &[], line);
        }
        html.markup("</header>");
        let class = match (self.screens, &self.view) {
            (true, _) => "page screens",
            (false, Some(_)) => "page",
            (false, None) => "page wide",
        };
        html.open("div", &[("class", class)]);
        self.nav(&mut html);
        html.markup("<main id=\"main\" tabindex=\"-1\">");
        let mut html = Html::joined(html, self.main);
        html.markup("</main>");
        if self.view.is_some() {
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

    fn nav(&self, html: &mut Html) {
        html.markup("<nav aria-label=\"Contents\"><ul class=\"parts\">");
        for (part, name) in self.parts.iter().filter(|(part, _)| self.main.has(part)) {
            html.markup("<li>");
            html.leaf("a", &[("href", &format!("#{part}"))], name);
            html.markup("</li>");
        }
        html.markup("</ul>");
        if let Some(view) = self.view {
            tree(html, view);
        }
        html.markup("</nav>");
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
        channels.push(format!("{} text: {size}{tokens}", channel.deliver));
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
