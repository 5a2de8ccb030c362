//! The sums of budgets, as `promptc explain --budget` has them.

use super::prompt::View;
use super::section;
use crate::prompt::{Deliver, Fit, Ingredient};
use crate::report::explain::LayerStatus;
use crate::report::explain::{budget, layers_of, share_of};
use crate::report::html::share_bar;
use crate::report::html::{self, Html};
use crate::report::words::{thousands, unit};

/// Budgets of the prompt and its tiers with their layers, then those of layers and documents.
pub(super) fn draw(html: &mut Html, view: &View<'_>) {
    section(html, "budgets", "Budgets", |html| all(html, view));
}

fn all(html: &mut Html, view: &View<'_>) {
    let own = own(view);
    if view.prompt.fits.is_empty() && own.is_empty() {
        html.markup("<p class=\"none\">Nothing has a budget.</p>");
    }
    for fit in &view.prompt.fits {
        tier(html, view, fit);
    }
    if !own.is_empty() {
        html.markup("<h3>Layers and documents</h3><ul class=\"budgets\">");
        for (layer, item) in own {
            html.markup("<li>");
            view.link(html, layer);
            html.text(" ");
            html.text(&budget(item));
            bar(html, item);
            html.markup("</li>");
        }
        html.markup("</ul>");
    }
}

fn own<'a>(view: &View<'a>) -> Vec<(&'a str, &'a Ingredient)> {
    let mut out = Vec::new();
    for fate in view.fates {
        let (name, all) = match fate {
            LayerStatus::Present(_, layer) => (&layer.name, &layer.ingredients),
            LayerStatus::Absent(absent, _) => (&absent.layer, &absent.ingredients),
        };
        let budgets = all
            .iter()
            .filter(|i| matches!(i, Ingredient::Budget { .. }));
        out.extend(budgets.map(|item| (name.as_str(), item)));
    }
    out
}

/// How much of its maximum is used.
fn bar(html: &mut Html, item: &Ingredient) {
    if let Ingredient::Budget {
        max, before, after, ..
    } = item
    {
        let class = if after < before { "used cut" } else { "used" };
        share_bar(html, (*after).min(*max), *max, class);
    }
}

fn tier(html: &mut Html, view: &View<'_>, fit: &Fit) {
    html.markup("<h3>tier ");
    html.text(&fit.tier);
    html.markup("</h3><p>");
    let size = if fit.before == fit.after {
        thousands(fit.after)
    } else {
        format!("{} → {}", thousands(fit.before), thousands(fit.after))
    };
    let max = fit
        .max
        .map_or(String::new(), |max| format!(" of {}", thousands(max)));
    html.text(&format!(
        "{size}{max} {}",
        unit(fit.max.unwrap_or(fit.after), &fit.unit)
    ));
    if fit.deliver != Deliver::System {
        html.text(&format!(", delivered as {}", fit.deliver));
    }
    if let Some(prompt) = &fit.prompt {
        html.text(&format!("; in the prompt {}", share_of(prompt, fit)));
    }
    html.markup("</p>");
    if let Some(max) = fit.max {
        let class = if fit.after < fit.before {
            "used cut"
        } else {
            "used"
        };
        share_bar(html, fit.after.min(max), max, class);
    } else if let Some(prompt) = &fit.prompt {
        share_bar(html, prompt.total.min(prompt.max), prompt.max, "used");
    }
    if fit.layers.is_empty() {
        return;
    }
    html::table(
        html,
        &layers_of(fit, |name| view.name(name)),
        "h-budgets",
        "fits",
    );
}
