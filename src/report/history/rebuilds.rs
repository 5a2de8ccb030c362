//! The rebuilds of sessions, one by one.

use super::words::{argument, what};
use crate::compare::Size;
use crate::report::table::{Cell, Table};
use crate::report::text::{Style, Text};
use crate::report::words::{count, thousands};
use crate::session::history::{Broken, History, Rebuild, rfc3339};

/// The most rebuilds that are listed, the newest.
const MOST: usize = 500;

/// The newest rebuilds; `store` is the option that leads to the store, if the call had one.
#[must_use]
pub fn rebuilds(history: &History, store: Option<&str>) -> Table {
    let mut table = Table::new(&["rebuild", "layer and cause", ">kept", ">rewritten"]);
    for rebuild in history.rebuilds.iter().rev().take(MOST) {
        row(&mut table, rebuild, store);
    }
    let more = history.rebuilds.len().saturating_sub(MOST);
    if more > 0 {
        table.more(format!("{} before these.", count(more, "rebuild")));
    }
    table
}

fn row(table: &mut Table, rebuild: &Rebuild, store: Option<&str>) {
    let change = &rebuild.change;
    let (session, from, to) = (&rebuild.session, rebuild.from, rebuild.to);
    let name = Text::new().name(session).words(format!(" {from} → {to}"));
    let why = match &change.broken {
        None => "the same bytes".into(),
        Some(broken) => {
            let mut text = broke(Text::new(), broken);
            for hidden in &change.hidden {
                text = broke(text.line_end().words("hidden: "), hidden);
            }
            let operand = |n: u64| argument(&format!("session:{session}@{n}"));
            let store = store.map(|named| format!(" {named}")).unwrap_or_default();
            let (from, to) = (operand(from), operand(to));
            text.line_end()
                .code(format!("promptc diff {from} {to}{store}"))
        }
    };
    let [kept, lost] = [&change.kept, &change.lost].map(|size| amount(size).into());
    table.row([Cell::from(name), why.into(), kept, lost]);
    let at = rfc3339(rebuild.at);
    table.below(format!("{} UTC", at.trim_end_matches('Z')));
    table.below(rebuild.reason.as_str());
}

fn broke(text: Text, broken: &Broken) -> Text {
    let layer = broken.layer.as_deref().unwrap_or("(no layer)");
    let text = match broken.changes {
        Some(changes) => text.styled(Style::Class(changes), layer),
        None => text.name(layer),
    };
    let causes: Vec<String> = broken.causes.iter().map(what).collect();
    if causes.is_empty() {
        text
    } else {
        text.words(format!(" {}", causes.join("; ")))
    }
}

/// Tokens, or bytes where no tokens are known.
fn amount(size: &Size) -> String {
    match size.counted() {
        Some(tokens) if tokens.estimate => format!("~{}", thousands(tokens.count)),
        Some(tokens) => thousands(tokens.count),
        None => count(size.bytes, "byte"),
    }
}
