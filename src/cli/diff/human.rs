//! The comparison for people at a terminal, or in a log.

use super::Compared;
use super::bar::bar;
use super::fit::underline;
use super::picture::{self, Look};
use crate::cli::ui::words::{count, plain};
use crate::cli::ui::{ERROR, FAINT, NAME};
use crate::prompt::{Deliver, Prompt};
use anstyle::{AnsiColor, Style};
use similar::{ChangeTag, TextDiff};
use std::fmt::Write as _;
use std::time::Duration;

/// How long the text diff of one layer may search for the shortest one; then it takes what it has.
const PATIENCE: Duration = Duration::from_millis(300);

/// How many lines of a layer's diff are shown without `--full`.
const MOST: usize = 60;

/// The lines around a change that are shown with it.
const AROUND: usize = 2;

const REMOVED: Style = AnsiColor::Red.on_default();
const ADDED: Style = AnsiColor::Green.on_default();

/// Draws the comparison.
pub(super) fn draw(compared: &Compared, look: Look) -> String {
    let mut out = String::new();
    for line in picture::head(compared, look) {
        let style = match line.word {
            "broke" => ERROR,
            _ => NAME,
        };
        let _ = writeln!(out, "{style}{:<9}{style:#}{}", line.word, line.text);
    }
    if let Some(bar) = bar(compared, look) {
        let _ = write!(out, "\n{bar}");
    }
    let more = picture::more(compared, look);
    if !more.is_empty() {
        out.push('\n');
    }
    for line in more {
        let _ = writeln!(out, "{NAME}{:<9}{NAME:#}{}", line.word, line.text);
    }
    for layer in changed(compared) {
        out.push_str(&text(&layer, look));
    }
    out
}

/// A layer whose text differs.
pub(super) struct Changed {
    pub(super) name: String,
    pub(super) old: String,
    pub(super) new: String,
}

/// The layers whose text differs, in order; the whole texts if nothing is known of layers.
pub(super) fn changed(compared: &Compared) -> Vec<Changed> {
    let breaks = compared.diff.first.iter().chain(&compared.diff.hidden);
    breaks
        .filter_map(|b| {
            let (name, [old, new]) = match &b.layer {
                None => (
                    "text".to_owned(),
                    [&compared.a, &compared.b].map(|p| p.text(b.channel).to_owned()),
                ),
                Some(layer) => (
                    format!("layer {layer}"),
                    [&compared.a, &compared.b].map(|p| own(p, b.channel, layer)),
                ),
            };
            (old != new).then_some(Changed { name, old, new })
        })
        .collect()
}

/// The text of a layer without the join in front.
fn own(prompt: &Prompt, deliver: Deliver, layer: &str) -> String {
    crate::diff::own_text(prompt, deliver, layer).to_owned()
}

/// The text diff of one layer, line by line, with the words that differ marked.
fn text(layer: &Changed, look: Look) -> String {
    let mut out = format!("\n{FAINT}--- {}{FAINT:#}\n", plain(&layer.name));
    let mut config = TextDiff::configure();
    let diff = config
        .timeout(PATIENCE)
        .diff_lines(layer.old.as_str(), layer.new.as_str());
    let around = if look.full { usize::MAX / 4 } else { AROUND };
    let mut lines: Vec<String> = Vec::new();
    for (index, group) in diff.grouped_ops(around).iter().enumerate() {
        if index > 0 {
            lines.push(format!(
                "{FAINT}  {}{FAINT:#}",
                if look.ascii { "..." } else { "⋮" }
            ));
        }
        for op in group {
            for change in diff.iter_inline_changes(op) {
                let parts: Vec<(bool, String)> = change
                    .iter_strings_lossy()
                    .map(|(emphasised, part)| (emphasised, plain(part.trim_end_matches('\n'))))
                    .collect();
                lines.extend(line(change.tag(), &parts));
            }
        }
    }
    let hidden = lines.len().saturating_sub(MOST);
    let shown = if look.full { lines.len() } else { MOST };
    for line in lines.iter().take(shown) {
        out.push_str(line);
        out.push('\n');
    }
    if hidden > 0 && !look.full {
        let _ = writeln!(
            out,
            "{FAINT}  {} more (--full){FAINT:#}",
            count(hidden, "line")
        );
    }
    out
}

/// One line; under a line of which only some words differ, carets say which: colour alone says nothing.
fn line(tag: ChangeTag, parts: &[(bool, String)]) -> Vec<String> {
    let (sign, style) = match tag {
        ChangeTag::Equal => (' ', Style::new()),
        ChangeTag::Delete => ('-', REMOVED),
        ChangeTag::Insert => ('+', ADDED),
    };
    let mut drawn = format!("{style}{sign} ");
    let mut plain = String::new();
    let mut marks = Vec::new();
    for (emphasised, part) in parts {
        let start = plain.len();
        plain.push_str(part);
        match emphasised {
            true => {
                marks.push(start..plain.len());
                let strong = style.underline();
                let _ = write!(drawn, "{style:#}{strong}{part}{strong:#}{style}");
            }
            false => drawn.push_str(part),
        }
    }
    let _ = write!(drawn, "{style:#}");
    let mut out = vec![drawn.trim_end().to_owned()];
    let words = marks.iter().any(|m| !m.is_empty());
    if tag != ChangeTag::Equal && words {
        out.push(format!(
            "{FAINT}  {}{FAINT:#}",
            underline(&plain, &marks, '^')
        ));
    }
    out
}
