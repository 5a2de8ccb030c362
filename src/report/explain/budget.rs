//! The arithmetic of budgets: of tiers and the prompt as sums, of nodes and layers one by one.

use super::LayerStatus;
use crate::prompt::{Deliver, Fit, FitLayer, FitPrompt, Ingredient, Prompt};
use crate::report::document::{Document, Items};
use crate::report::table::Table;
use crate::report::text::{Style, Text};
use crate::report::words::{counted, plain, thousands};
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The budgets of these layers and of the tiers around them.
#[must_use]
pub fn budgets(prompt: &Prompt, fates: &[LayerStatus<'_>]) -> Document {
    let mut out = Document::new();
    for fit in fits(prompt, fates) {
        out.push(tier(fit));
    }
    for fate in fates {
        let mut lines = Document::new();
        budgets_of(*fate).for_each(|item| lines.line(line(item)));
        if !lines.blocks.is_empty() {
            out.push(thing(
                Text::new().name(format!("layer {}", fate.name())),
                lines,
            ));
        }
    }
    if out.blocks.is_empty() {
        out.line("nothing has a budget");
    }
    out
}

/// A thing with what is below it.
fn thing(text: Text, below: Document) -> Items {
    Items {
        indent: 0,
        inner: 2,
        items: vec![(text, below)],
    }
}

/// The tiers around these layers that something bounds; those around none when all layers are asked for have no layers.
#[must_use]
pub fn fits<'p>(prompt: &'p Prompt, fates: &[LayerStatus<'_>]) -> Vec<&'p Fit> {
    let tiers: BTreeSet<&str> = fates.iter().map(LayerStatus::tier).collect();
    let around = |fit: &&Fit| tiers.contains(fit.tier.as_str());
    prompt.fits.iter().filter(around).collect()
}

/// The budgets of a layer and its nodes.
pub fn budgets_of<'p>(fate: LayerStatus<'p>) -> impl Iterator<Item = &'p Ingredient> {
    let all = match fate {
        LayerStatus::Present(_, layer) => &layer.ingredients,
        LayerStatus::Absent(absent, _) => &absent.ingredients,
    };
    all.iter()
        .filter(|i| matches!(i, Ingredient::Budget { .. }))
}

/// The sums of a tier.
fn tier(fit: &Fit) -> Items {
    let unit = &fit.unit;
    let size = if fit.before == fit.after {
        thousands(fit.after)
    } else {
        format!("{} → {}", thousands(fit.before), thousands(fit.after))
    };
    let max = fit.max.map(|max| format!(" of {}", thousands(max)));
    let max = max.unwrap_or_default();
    let channel = match fit.deliver {
        Deliver::System => String::new(),
        deliver => format!(", delivered as {deliver}"),
    };
    let text = Text::new().name(format!("tier {}", fit.tier));
    let mut text = text.words(format!("  {size}{max} {unit}{channel}"));
    if let Some(prompt) = &fit.prompt {
        let share = share(prompt, fit);
        let prompt = text.line_end().words("  ").styled(Style::Faint, "prompt");
        text = prompt.words(format!("  {share}"));
    }
    let mut below = Document::new();
    if fit.layers.is_empty() {
        below.line("no layer has text")
    } else {
        below.push(layers(fit, |name| name.into()))
    }
    thing(text, below)
}

/// The sum of a budget: "20 before + 75 here = 95, and 40 reserved after: 135 of 200 chars". A text that is counted
/// as a whole can be larger or smaller than its parts, since lines meet on one and tokens reach from one into the
/// other.
pub fn share(prompt: &FitPrompt, fit: &Fit) -> String {
    let FitPrompt {
        max,
        front,
        reserved,
        total,
    } = prompt;
    let mut out = match front {
        0 => format!("{} here", thousands(fit.after)),
        _ => {
            let sum = front.saturating_add(fit.after);
            let off = thousands(sum.abs_diff(*total));
            let meet = match sum.cmp(total) {
                Ordering::Greater => format!(" - {off} where they meet"),
                Ordering::Equal => String::new(),
                Ordering::Less => format!(" + {off} where they meet"),
            };
            let (front, here) = (thousands(*front), thousands(fit.after));
            format!("{front} before + {here} here{meet} = {}", thousands(*total))
        }
    };
    if *reserved > 0 {
        let all = thousands(total.saturating_add(*reserved));
        let _ = write!(out, ", and {} reserved after: {all}", thousands(*reserved));
    }
    let _ = write!(out, " of {} {}", thousands(*max), fit.unit);
    if let Some(reserve) = fit.reserve {
        let _ = write!(out, "; reserved for it: {}", thousands(reserve));
    }
    out
}

/// The layers of a tier that is bounded, each with what it can do about its size; `name` writes the name of one.
pub fn layers(fit: &Fit, name: impl Fn(&str) -> Text) -> Table {
    let mut table = Table::new(&["layer", ">priority", "can shrink", ">rendered", ">kept"]);
    for layer in &fit.layers {
        table.row([
            name(&layer.layer),
            thousands(layer.priority).into(),
            gives_way(layer).into(),
            thousands(layer.before).into(),
            thousands(layer.after).into(),
        ]);
    }
    if let Some([before, after]) = rest(fit) {
        let none = String::new;
        table.row(["joins".to_owned(), none(), none(), before, after]);
    }
    table
}

/// The size of a tier besides its layers, rendered and kept; none if there is nothing else.
fn rest(fit: &Fit) -> Option<[String; 2]> {
    let sum = |size: fn(&FitLayer) -> usize| {
        let sizes = fit.layers.iter().map(size);
        sizes.fold(0, usize::saturating_add)
    };
    let sums = [sum(|l| l.before), sum(|l| l.after)];
    let some = sums != [fit.before, fit.after];
    some.then(|| [(fit.before, sums[0]), (fit.after, sums[1])].map(joins))
}

/// The size of a tier besides its layers; negative where these meet on one line or share tokens.
fn joins((tier, layers): (usize, usize)) -> String {
    let sign = if layers > tier { "-" } else { "" };
    format!("{sign}{}", thousands(tier.abs_diff(layers)))
}

/// The least size of a layer, in words.
fn gives_way(layer: &FitLayer) -> String {
    match (layer.min, layer.required) {
        (None, true) => "never, required".to_owned(),
        (None, false) => "to nothing".to_owned(),
        (Some(min), true) => format!("to {}, required", thousands(min)),
        (Some(min), false) => format!("to {}, then to nothing", thousands(min)),
    }
}

/// A budget with its sums; nothing for other ingredients.
pub fn line(item: &Ingredient) -> String {
    let Ingredient::Budget {
        unit: name,
        max,
        before,
        after,
        of,
        spread,
        head,
        marker,
        tail,
        left,
        floor,
        entries,
        dropped,
        by,
    } = item
    else {
        return String::new();
    };
    let spread = spread.as_ref().map_or(String::new(), |s| format!(" ({s})"));
    let arrow = if after < before {
        format!("{} → {}", thousands(*before), thousands(*after))
    } else {
        thousands(*before)
    };
    let mut text = format!("{}: {arrow} of {}{spread}", plain(of), counted(*max, name));
    match (head, marker, tail) {
        (Some(head), Some(marker), Some(tail)) => {
            text.push_str("; ");
            text.push_str(&sum(*head, *marker, *tail, *after));
        }
        (None, Some(marker), None) if marker > max => {
            let _ = write!(text, "; its marker alone takes {}", thousands(*marker));
        }
        (None, Some(_), None) => text.push_str("; no cut of it fits"),
        _ => {}
    }
    if let (Some(entries), Some(dropped)) = (entries, dropped) {
        let all = counted(entries + dropped, "entries");
        let _ = write!(text, "; {} of {all}", thousands(*entries));
    }
    match (by.as_deref(), after) {
        (Some(by), 0) => {
            let _ = write!(text, "; dropped for the budget of the {by}");
        }
        (Some(by), _) => {
            let _ = write!(text, "; cut to its min for the budget of the {by}");
        }
        (None, _) => {}
    }
    if let Some(left) = left {
        let _ = write!(text, "; {} left of the total", thousands(*left));
        let _ = match floor {
            Some(floor) => write!(text, ", below the floor of {}", thousands(*floor)),
            None => write!(
                text,
                ", {} after it",
                thousands(left.saturating_sub(*after))
            ),
        };
    }
    text
}

/// "head 60 + marker 28 + tail 12 = 100"; zero parts are left out, and a marker outside comes last.
fn sum(head: usize, marker: usize, tail: usize, after: usize) -> String {
    let outside = head + marker + tail != after;
    let parts = [("head", head), ("marker", marker), ("tail", tail)];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(name, size)| *size > 0 && !(outside && *name == "marker"))
        .map(|(name, size)| format!("{name} {}", thousands(size)))
        .collect();
    let sum = format!("{} = {}", parts.join(" + "), thousands(after));
    if outside {
        format!("{sum}, and a marker of {} outside", thousands(marker))
    } else {
        sum
    }
}
