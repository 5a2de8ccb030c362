//! The texts that causes are about.

use crate::report::html::Html;
use crate::report::words::count;
use crate::text::passage::Passage;
use std::collections::BTreeMap;

/// The least bytes of each text.
pub(super) const LEAST_OF_TEXT: usize = 500;

/// The most bytes of each text, by how much room there is.
const TEXTS: [usize; 5] = [20_000, 8_000, 4_000, 2_000, 1_000];

/// The texts of a page, each once.
#[derive(Default)]
pub(super) struct Texts {
    pub(super) all: Vec<(String, Passage)>,
    places: BTreeMap<(String, usize, usize), usize>,
}

impl Texts {
    /// The place of a text, from 1.
    pub(super) fn place(&mut self, passage: &Passage, label: &str) -> usize {
        let key = (passage.text.clone(), passage.before, passage.after);
        if let Some(at) = self.places.get(&key) {
            return *at;
        }
        self.all.push((label.to_owned(), passage.clone()));
        self.places.insert(key, self.all.len());
        self.all.len()
    }

    /// All of them in `room` bytes: as much around each difference as there is room for.
    pub(super) fn draw(&self, html: &mut Html, room: usize) {
        let drawn = TEXTS.into_iter().map(|most| {
            let mut part = Html::default();
            self.draw_from(&mut part, 0, most);
            part
        });
        let mut drawn = drawn.skip_while(|part| part.len() > room);
        match drawn.next() {
            Some(part) => html.append(&part),
            None => self.draw_from(html, 0, LEAST_OF_TEXT),
        }
    }

    /// The texts from an index on, each cut around its difference.
    pub(super) fn draw_from(&self, html: &mut Html, from: usize, most: usize) {
        for (at, (label, passage)) in self.all.iter().enumerate().skip(from) {
            let passage = passage.cut(most);
            let id = format!("t{}", at + 1);
            let line = passage
                .at
                .map(|at| passage.text[..at].matches('\n').count().to_string());
            html.markup("<details class=\"whole\"><summary>");
            let size = passage.before + passage.text.len() + passage.after;
            html.text(&format!("{label}, {}", count(size, "byte")));
            html.markup("</summary>");
            let mut attrs = vec![("id", id.as_str())];
            attrs.extend(line.as_deref().map(|line| ("data-line", line)));
            html.open("div", &attrs);
            left_out(html, passage.before, "in front");
            html.markup("<div class=\"text\">");
            html.verbatim(&passage.text);
            html.markup("</div>");
            left_out(html, passage.after, "behind");
            html.markup("</div></details>");
        }
    }
}

fn left_out(html: &mut Html, bytes: usize, place: &str) {
    if bytes > 0 {
        let words = format!("{} {place} are left out", count(bytes, "byte"));
        html.leaf("p", &[("class", "none")], &words);
    }
}
