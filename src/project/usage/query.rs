//! The keys and the period of a usage report, parsed from their text form.

use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported, suggest};
use crate::project::{Run, time};
use crate::request::usage::Key;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};

/// The default keys of sums for programs.
pub(crate) const USUAL: [Key; 3] = [Key::Day, Key::Model, Key::Cause];

/// The keys of groups.
pub(crate) fn keys(names: &[String], diags: &mut Diagnostics) -> Result<Vec<Key>, ErrorReported> {
    let key = |name: &str| Key::ALL.iter().find(|(known, _)| *known == name);
    let found = names
        .iter()
        .map(|name| key(name).map(|(_, key)| *key).ok_or(name));
    let found: Result<Vec<Key>, &String> = found.collect();
    found.map_err(|name| {
        let all = || Key::ALL.iter().map(|(name, _)| *name);
        let message = format!("`{}` is nothing to group by", name.escape_debug());
        let help = match suggest::nearest(name, all()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("group by {}", suggest::list(all())),
        };
        let found = Diagnostic::error(diagnostic::USAGE, message);
        diags.push(found.help(help))
    })
}

/// The time from which on requests count.
pub(crate) fn since(
    text: &str,
    now: Option<&str>,
    run: &mut Run,
) -> Result<Timestamp, ErrorReported> {
    if let Some(days) = text
        .strip_suffix('d')
        .and_then(|days| days.parse::<u16>().ok())
    {
        let now = time(now, run)?;
        let now = Timestamp::from_second(now).unwrap_or_default();
        let hours = i64::from(days) * 24;
        return Ok(now.checked_sub(hours.hours()).unwrap_or(Timestamp::MIN));
    }
    let day = text.parse::<Date>().ok();
    let start = day.and_then(|day| day.to_zoned(TimeZone::UTC).ok());
    start.map(|start| start.timestamp()).ok_or_else(|| {
        let message = format!("`{}` is not a day", text.escape_debug());
        let found = Diagnostic::error(diagnostic::USAGE, message);
        run.diags
            .push(found.help("write 2026-11-01, or 7d for the last seven days"))
    })
}
