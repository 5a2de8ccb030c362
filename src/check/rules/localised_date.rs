//! A date in digits that countries read differently.

use crate::check::prints::conversions;
use crate::check::{Context, Finding, FindingSet, Rule, RuleInput};
use crate::diagnostic::{Code, ExitClass, Severity};

pub(super) static RULE: Rule = Rule {
    code: Code {
        name: "localised-date",
        exit: ExitClass::Success,
        summary: "a date is printed in digits that countries read differently",
        detail: "`04/05/2026` is in April for some and in May for others, and a model guesses. `%Y-%m-%d` has one reading, and so has a month in letters: `%-d %B %Y`.",
    },
    severity: Severity::Warning,
    waivable: true,
    looks: &[RuleInput::Plan(run)],
};

fn run(context: &Context<'_>, found: &mut FindingSet) {
    for print in &context.analysis.prints {
        for (name, format, span) in print.filters() {
            let Some(format) = format.filter(|f| name == "date" && is_ambiguous(f)) else {
                continue;
            };
            let message = format!(
                "`{format}` gives day and month in digits, in an order that differs between countries"
            );
            found.push(
                Finding::new(&RULE, span, message)
                    .within(&print.site)
                    .around(print.fact.span)
                    .help("write '%Y-%m-%d', or the month in letters: '%-d %B %Y'"),
            );
        }
    }
}

/// Whether day and month are adjacent digits between `/` or `-`, without the year before them.
fn is_ambiguous(format: &str) -> bool {
    let letters = conversions(format);
    if letters.iter().any(|c| matches!(c, 'x' | 'D')) {
        return true;
    }
    let separated = |a: usize| {
        let pieces: Vec<&str> = format.split('%').collect();
        // The text after the letter of a conversion, up to the next one.
        let between = pieces
            .get(a + 1)
            .and_then(|p| p.trim_start_matches(['-', '_', '0']).get(1..));
        matches!(between, Some("/" | "-"))
    };
    letters.windows(2).enumerate().any(|(at, pair)| {
        let digits = matches!(pair, ['d' | 'e', 'm'] | ['m', 'd' | 'e']);
        let year_first = at > 0 && matches!(letters[at - 1], 'Y' | 'y' | 'G');
        digits && !year_first && separated(at)
    })
}

#[cfg(test)]
mod tests {
    use super::is_ambiguous;

    #[test]
    fn only_digits_in_an_open_order_are_ambiguous() {
        for format in ["%d/%m/%Y", "%m/%d/%Y", "on %-m/%-d", "%d-%m-%Y", "%x", "%D"] {
            assert!(is_ambiguous(format), "{format}");
        }
        for format in [
            "%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d %B %Y", "%-d %b", "%H:%M", "%m",
        ] {
            assert!(!is_ambiguous(format), "{format}");
        }
    }
}
