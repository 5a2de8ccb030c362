//! `--fail-on CONDITION`: what makes a command exit with 1.

use crate::diagnostic::suggest;
use crate::report::check::rules;

use crate::request::provider::amount::{Amount, Usd};

/// The condition of `check` that is all warnings.
pub(super) const WARNINGS: &str = "warnings";

/// A finding that fails a check: `warnings`, or a rule. With an unknown name every check would pass.
pub(super) fn finding(name: &str) -> Result<String, String> {
    let names = || rules().map(|r| r.code.name).chain([WARNINGS]);
    if names().any(|known| known == name) {
        return Ok(name.to_owned());
    }
    Err(match suggest::nearest(name, names()) {
        Some(near) => format!("there is no such rule; did you mean `{near}`?"),
        None => {
            format!("there is no such rule; `--list-rules` lists them, and `{WARNINGS}` are all")
        }
    })
}

/// What of a comparison fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Difference {
    /// Any change.
    Change,
    /// A break of the prefix, in this place or in one before it; anywhere if none is named.
    Break(Option<String>),
}

/// `change`, `break` or `break=PLACE`.
pub(super) fn difference(text: &str) -> Result<Difference, String> {
    match text.split_once('=') {
        None if text == "change" => Ok(Difference::Change),
        None if text == "break" => Ok(Difference::Break(None)),
        Some(("break", place)) if !place.is_empty() => {
            Ok(Difference::Break(Some(place.to_owned())))
        }
        _ => Err("write `change`, `break`, or `break=TIER`".to_owned()),
    }
}

/// The most that some of a bill may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Limit {
    /// The file that it is about; none of what was avoidable.
    pub(super) file: Option<String>,
    most: Most,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Most {
    /// In millionths of what was billed.
    Share(u64),
    /// In millionths of a dollar.
    Dollars(u64),
}

impl Limit {
    /// Whether an amount is more than that.
    pub(super) fn is_passed(&self, billed: Amount, amount: Amount) -> bool {
        const MILLION: u64 = 1_000_000;
        match self.most {
            Most::Share(share) => amount.0 * MILLION > billed.0 * share,
            Most::Dollars(most) => amount.0 * MILLION > Usd::near(1.0) * most,
        }
    }
}

/// `avoidable > 5%`, `avoidable > $2`, or `file PATH > $2`.
pub(super) fn limit(text: &str) -> Result<Limit, String> {
    let millionths = |number: &str, times: f64| {
        let number = number.trim().parse::<f64>().ok()?;
        let in_range = (0.0..=1e9).contains(&number);
        in_range.then_some((number * times).round() as u64)
    };
    let (name, most) = text.rsplit_once('>').unwrap_or_default();
    let most = most.trim();
    let most = match (most.strip_suffix('%'), most.strip_prefix('$')) {
        (Some(share), _) => millionths(share, 1e4).map(Most::Share),
        (None, Some(dollars)) => millionths(dollars, 1e6).map(Most::Dollars),
        (None, None) => None,
    };
    let file = match name.trim() {
        "avoidable" => Some(None),
        name => {
            let path = name.strip_prefix("file ").map(str::trim);
            path.filter(|path| !path.is_empty())
                .map(|path| Some(path.to_owned()))
        }
    };
    let limit = file.zip(most).map(|(file, most)| Limit { file, most });
    limit.ok_or_else(|| {
        "write 'avoidable > 5%', 'avoidable > $2' or 'file CLAUDE.md > $2'".to_owned()
    })
}
