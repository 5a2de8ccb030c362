//! The verdict on rebuilds.

use super::figure::{Remedy, Verdict, figure, mark, most, no_price, part, unpriced};
use crate::report::history::main_cause;
use crate::report::text::Text;
use crate::report::words::{count, percent, thousands};
use crate::session::history::History;

/// The verdict on the rebuilds of sessions; `look` is the command that shows the worst.
pub(crate) fn of_history(history: &History, look: Option<String>) -> Verdict {
    let all = &history.all;
    let sent = all.kept.tokens + all.lost.tokens;
    let mark = mark(history.counted.estimate);
    let note = format!(
        "{mark}{} of {mark}{} tokens of {}",
        thousands(all.kept.tokens),
        thousands(sent),
        count(all.rebuilds, "rebuild")
    );
    let mut figures = vec![part("kept by rebuilds", all.kept.tokens, sent, note)];
    figures.push(match &history.cost {
        None => unpriced(),
        Some(cost) => {
            let spent = cost
                .spent
                .usd
                .map(|usd| format!("{}{mark}{usd}", most(cost.at_most)));
            let day = cost
                .usd_per_day
                .map(|usd| format!("{}{mark}{usd}", most(cost.at_most)));
            let note = format!("{}, prices of {}", cost.model, cost.as_of);
            match (day, spent) {
                (Some(usd), _) => figure("a day", usd, note),
                (None, Some(usd)) => figure("for all breaks", usd, note),
                (None, None) => no_price(format!("no price of {} is known", cost.model)),
            }
        }
    });
    let fix = match history.layers.first() {
        Some(worst) => {
            let name = worst.layer.as_deref().unwrap_or("(no layer)");
            let text = Text::new()
                .words("Layer ")
                .code(name)
                .words(format!(
                    " broke the prefix {} and rewrote {} of all: make its text change less often, or put it later.",
                    count(worst.broke, "time"),
                    percent(worst.lost.tokens, all.lost.tokens)
                ));
            Remedy {
                why: main_cause(worst).map(Text::from),
                command: look,
                ..Remedy::new(text)
            }
        }
        None => Remedy::new("Nothing: no rebuild broke the prefix."),
    };
    Verdict {
        figures,
        fix,
        source: None,
    }
}
