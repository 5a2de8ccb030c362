//! The action for a layer without room.

use super::{Candidate, Over};
use crate::compile::budget::{all, shown};
use crate::compile::layer::RenderedLayer;
use crate::compile::plan::Tier;
use crate::manifest::Unit;
use crate::prompt::{Ingredient, Reason};

/// Takes a layer out of the prompt. Its record is that of the text before it was cut.
pub(super) fn drop_layer<'p>(
    candidate: &mut Candidate<'p>,
    tier: &Tier,
    unit: Unit,
    over: &Over<'_>,
    layers: &mut [RenderedLayer<'p>],
) {
    candidate.after = 0;
    let place = &mut layers[candidate.at];
    let RenderedLayer::Present(layer, text, record) = place else {
        return;
    };
    let (text, mut record) = candidate
        .whole
        .take()
        .unwrap_or_else(|| (std::mem::take(text), std::mem::take(record)));
    let (name, unit) = (&layer.name, unit.name());
    let (size, max) = (shown(candidate.before), shown(over.max));
    record.lost(&text, &[]);
    record.notice(
        "dropped",
        format!(
            "`{name}`: {} left out (budget {max} of {})",
            all(candidate.before, unit),
            over.by
        ),
    );
    record.ingredients.add(Ingredient::Budget {
        unit: unit.to_owned(),
        max: over.max,
        before: candidate.before,
        after: 0,
        of: name.to_string(),
        spread: None,
        head: None,
        marker: None,
        tail: None,
        left: None,
        floor: None,
        entries: None,
        dropped: None,
        by: Some(over.by.name().to_owned()),
    });
    let reserved = match over.reserved {
        0 => String::new(),
        n => format!(" with {} reserved after it", shown(n)),
    };
    let detail = format!(
        "its {size} {unit} do not fit: {} would have {}{reserved}, and may have {max}",
        over.by,
        shown(over.size.saturating_add(over.reserved)),
    );
    let absent = record.absent(layer, &tier.name, Reason::Dropped, detail);
    *place = RenderedLayer::Absent(absent, record);
}
