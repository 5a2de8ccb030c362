//! The arithmetic of budgets: of tiers and the prompt as sums, of nodes and layers one by one.

use super::Fate;
use crate::cli::ui::table::Table;
use crate::cli::ui::words::{plain, thousands, unit};
use crate::cli::ui::{FAINT, NAME};
use crate::prompt::{Deliver, Fit, FitLayer, FitPrompt, Ingredient, Prompt};
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The budgets of these layers and of the tiers around them, for people.
pub(super) fn human(prompt: &Prompt, fates: &[Fate<'_>]) -> String {
    let fits = fits(prompt, fates);
    let mut blocks: Vec<String> = fits.iter().map(|fit| tier(fit)).collect();
    blocks.extend(fates.iter().filter_map(|fate| layer(*fate)));
    if blocks.is_empty() {
        return "nothing has a budget\n".to_owned();
    }
    blocks.join("\n")
}

/// The tiers around these layers that something bounds; those around none when all layers are asked for have no layers.
pub(super) fn fits<'p>(prompt: &'p Prompt, fates: &[Fate<'_>]) -> Vec<&'p Fit> {
    let tiers: BTreeSet<&str> = fates.iter().map(Fate::tier).collect();
    let around = |fit: &&Fit| tiers.contains(fit.tier.as_str());
    prompt.fits.iter().filter(around).collect()
}

/// The budgets of a layer and its nodes.
pub(super) fn budgets<'p>(fate: Fate<'p>) -> impl Iterator<Item = &'p Ingredient> {
    let all = match fate {
        Fate::Present(_, layer) => &layer.ingredients,
        Fate::Absent(absent, _) => &absent.ingredients,
    };
    all.iter()
        .filter(|i| matches!(i, Ingredient::Budget { .. }))
}

/// The budgets of nodes and of the layer itself.
fn layer(fate: Fate<'_>) -> Option<String> {
    let lines: Vec<String> = budgets(fate).map(line).collect();
    if lines.is_empty() {
        return None;
    }
    let mut out = format!("{NAME}layer {}{NAME:#}\n", fate.name());
    for line in lines {
        let _ = writeln!(out, "  {line}");
    }
    Some(out)
}

/// The sums of a tier.
fn tier(fit: &Fit) -> String {
    let unit = &fit.unit;
    let size = match fit.before == fit.after {
        true => thousands(fit.after),
        false => format!("{} → {}", thousands(fit.before), thousands(fit.after)),
    };
    let of = fit
        .max
        .map_or(String::new(), |max| format!(" of {}", thousands(max)));
    let channel = match fit.deliver {
        Deliver::System => String::new(),
        deliver => format!(", delivered as {deliver}"),
    };
    let mut out = format!(
        "{NAME}tier {}{NAME:#}  {size}{of} {unit}{channel}\n",
        fit.tier
    );
    if let Some(prompt) = &fit.prompt {
        let _ = writeln!(out, "  {FAINT}prompt{FAINT:#}  {}", share(prompt, fit));
    }
    for line in layers(fit).lines() {
        let _ = writeln!(out, "  {line}");
    }
    out
}

/// "20 in front + 75 here = 95, and 40 set aside behind: 135 of 200 chars". What is counted as a whole can have more or less
/// than its parts, since lines meet on one and tokens reach from one into the other.
pub(crate) fn share(prompt: &FitPrompt, fit: &Fit) -> String {
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
            format!(
                "{front} in front + {here} here{meet} = {}",
                thousands(*total)
            )
        }
    };
    if *reserved > 0 {
        let all = thousands(total.saturating_add(*reserved));
        let _ = write!(
            out,
            ", and {} set aside behind: {all}",
            thousands(*reserved)
        );
    }
    let _ = write!(out, " of {} {}", thousands(*max), fit.unit);
    if let Some(reserve) = fit.reserve {
        let _ = write!(out, "; set aside for it: {}", thousands(reserve));
    }
    out
}

fn layers(fit: &Fit) -> String {
    if fit.layers.is_empty() {
        return "no layer has text".to_owned();
    }
    let mut table = Table::new(
        false,
        &["layer", ">priority", "gives way", ">rendered", ">kept"],
    );
    for layer in &fit.layers {
        table.row([
            layer.layer.clone(),
            thousands(layer.priority),
            gives_way(layer),
            thousands(layer.before),
            thousands(layer.after),
        ]);
    }
    if let Some([before, after]) = rest(fit) {
        let none = String::new;
        table.row(["joins".to_owned(), none(), none(), before, after]);
    }
    table.draw()
}

/// What a tier has besides its layers, rendered and kept; none if it has nothing.
pub(crate) fn rest(fit: &Fit) -> Option<[String; 2]> {
    let sum = |size: fn(&FitLayer) -> usize| {
        let sizes = fit.layers.iter().map(size);
        sizes.fold(0, usize::saturating_add)
    };
    let sums = [sum(|l| l.before), sum(|l| l.after)];
    let some = sums != [fit.before, fit.after];
    some.then(|| [(fit.before, sums[0]), (fit.after, sums[1])].map(joins))
}

/// What a tier has besides its layers; less than nothing where these meet on one line or share tokens.
fn joins((tier, layers): (usize, usize)) -> String {
    let sign = if layers > tier { "-" } else { "" };
    format!("{sign}{}", thousands(tier.abs_diff(layers)))
}

/// What a layer can do about its size.
pub(crate) fn gives_way(layer: &FitLayer) -> String {
    match (layer.min, layer.required) {
        (None, true) => "never, required".to_owned(),
        (None, false) => "as a whole".to_owned(),
        (Some(min), true) => format!("to {}, required", thousands(min)),
        (Some(min), false) => format!("to {}, then as a whole", thousands(min)),
    }
}

/// "2 tiers".
pub(super) fn counted(n: usize, name: &str) -> String {
    format!("{} {}", thousands(n), unit(n, name))
}

/// A budget with its sums; nothing for other ingredients.
pub(crate) fn line(item: &Ingredient) -> String {
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
        node: _,
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
            let _ = write!(text, "; gave way to the budget of the {by}");
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
                ", {} behind it",
                thousands(left.saturating_sub(*after))
            ),
        };
    }
    text
}

/// "head 60 + marker 28 + tail 12 = 100"; what is 0 is left out, and a marker outside stands behind.
fn sum(head: usize, marker: usize, tail: usize, after: usize) -> String {
    let outside = head + marker + tail != after;
    let parts = [("head", head), ("marker", marker), ("tail", tail)];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(name, size)| *size > 0 && !(outside && *name == "marker"))
        .map(|(name, size)| format!("{name} {}", thousands(size)))
        .collect();
    let sum = format!("{} = {}", parts.join(" + "), thousands(after));
    match outside {
        true => format!("{sum}, and a marker of {} outside", thousands(marker)),
        false => sum,
    }
}
