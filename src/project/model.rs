//! The tables that know models, and what is said of one.

use super::Run;
use super::input::{self, Input, NAME_A_FILE, Takes, What};
use crate::diagnostic::suggest::nearest;
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported};
use crate::request::emit::place::Messages;
use crate::request::provider::{self, Catalog, Match, ModelMatch, Table};
use crate::world::World;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::path::{Path, PathBuf};

/// Where a table comes from.
const HOW: &str = "--providers takes the path of a table; `promptc providers import` makes one";

/// The wording of errors about a table.
const TABLE: What = What {
    noun: "table",
    missing: diagnostic::OPERAND_NOT_FOUND,
    help: HOW,
    folder: NAME_A_FILE,
    unreadable: diagnostic::UNREADABLE_PROGRAM,
    limit: 16 * 1024 * 1024,
    large: HOW,
    takes: Takes::Files,
};

/// The number of days for which a price is relied on.
const OLDEST: i64 = 60;

/// The tables `files` and the one inside.
pub(crate) fn catalog(
    files: &[PathBuf],
    world: &dyn World,
    run: &mut Run,
) -> Result<Catalog, ErrorReported> {
    let mut own: Vec<Table> = Vec::new();
    for path in files {
        let table = read(path, &own, world, run)?;
        own.push(table);
    }
    Ok(Catalog::new(own))
}

/// Reads a table that the program does not have inside.
fn read(
    path: &Path,
    before: &[Table],
    world: &dyn World,
    run: &mut Run,
) -> Result<Table, ErrorReported> {
    run.read.insert(path.to_owned());
    let diags = &mut run.diags;
    let read = input::read(world, path, &TABLE);
    let Input { name, bytes } = read.map_err(|problem| {
        diags.push(if path == Path::new("-") {
            problem.help("--providers takes the path of a table, and does not read standard input")
        } else {
            *problem
        })
    })?;
    let text = String::from_utf8(bytes).map_err(|_| {
        let message = format!("table `{name}` cannot be read: it is not UTF-8");
        let found = Diagnostic::error(diagnostic::UNREADABLE_PROGRAM, message);
        diags.push(found.help(HOW))
    })?;
    let file = run.files.add(name, text.clone());
    let below = Catalog::new(before.to_vec());
    provider::table(file, &text, &below.provider_names(), &mut run.diags)
}

/// The day, in UTC, of the time `now`, else of the clock.
pub(crate) fn day(now: Option<&str>, run: &mut Run) -> Result<Date, ErrorReported> {
    let seconds = super::time(now, run)?;
    let now = jiff::Timestamp::from_second(seconds).unwrap_or_default();
    Ok(now.to_zoned(TimeZone::UTC).date())
}

/// The messages that are assumed; with `--no-messages` none, which only matters where breakpoints are.
pub(crate) fn no_messages(
    given: bool,
    name: &str,
    found: &ModelMatch,
    diags: &mut Diagnostics,
) -> Result<Messages, ErrorReported> {
    if !given {
        return Ok(Messages::Conversation);
    }
    if found.provider.rule == Match::Breakpoint {
        return Ok(Messages::Count(0));
    }
    let message = format!(
        "--no-messages has no effect: requests to `{}` have no breakpoints",
        name.escape_debug()
    );
    let found = Diagnostic::error(diagnostic::CONFLICTING_SETTINGS, message);
    Err(diags.push(found.help("leave --no-messages out")))
}

/// The data about the model of an answer.
pub(crate) fn need(
    name: &str,
    catalog: &Catalog,
    today: Date,
    diags: &mut Diagnostics,
) -> Result<ModelMatch, ErrorReported> {
    if name.contains('/') && name.split('/').any(str::is_empty) {
        let message = format!("`{}` names no model", name.escape_debug());
        let found = Diagnostic::error(diagnostic::UNKNOWN_MODEL, message);
        return Err(diags.push(found.help("write MODEL or PROVIDER/MODEL")));
    }
    if let Some(found) = catalog.find(name, today) {
        return Ok(found);
    }
    let message = format!(
        "no table has the model `{}`; the newest is of {}",
        name.escape_debug(),
        catalog.as_of()
    );
    let found = Diagnostic::error(diagnostic::UNKNOWN_MODEL, message);
    Err(diags.push(match near(name, None, catalog) {
        Some(near) => found.help(format!("did you mean `{near}`?")),
        None => found.help("`promptc providers list` shows all; --providers FILE adds a table"),
    }))
}

/// The model that is called nearly so, of all or of one provider. A pattern is no name.
fn near(name: &str, provider: Option<&str>, catalog: &Catalog) -> Option<String> {
    let tables = catalog.tables();
    let models = tables.iter().flat_map(|t| &t.models);
    let models = models.filter(|m| provider.is_none_or(|p| m.provider == p));
    let names = models.flat_map(|m| &m.patterns).map(String::as_str);
    let names = names.filter(|n| !n.contains('*') && *n != name);
    nearest(name, names).map(ToOwned::to_owned)
}

/// Reports a model without a row whose name is close to one of the same provider.
pub(crate) fn tell_near(
    name: &str,
    found: &ModelMatch,
    catalog: &Catalog,
    diags: &mut Diagnostics,
) {
    let is_known = found.model.is_some() || !found.other_days.is_empty();
    let Some((host, model)) = name.rsplit_once('/').filter(|_| !is_known) else {
        return;
    };
    if let Some(near) = near(model, Some(&found.provider.name), catalog) {
        let (host, model) = (host.escape_debug(), model.escape_debug());
        let message = format!("`{host}` has no row for `{model}`, so that there is no price");
        let found = Diagnostic::warning(diagnostic::UNKNOWN_MODEL, message);
        diags.push(found.help(format!("did you mean `{host}/{near}`?")));
    }
}

/// Warns of facts in the caller's tables that were read on days to come: they would never count as old.
pub(crate) fn tell_future(catalog: &Catalog, today: Date, diags: &mut Diagnostics) {
    let days = catalog.own().iter().flat_map(|table| {
        let models = table.models.iter().map(|m| m.source.as_of);
        let providers = table.providers.iter().map(|p| p.source.as_of);
        models.chain(providers).chain([table.as_of])
    });
    // Where it is tomorrow already, a fact can be of tomorrow.
    let tomorrow = today.tomorrow().unwrap_or(today);
    if let Some(latest) = days.max().filter(|day| *day > tomorrow) {
        let message = format!("a table has facts as of {latest}, and today is {today}");
        let found = Diagnostic::warning(diagnostic::OUT_OF_RANGE, message);
        diags.push(found.help(
            "as-of= is the day on which a fact was read; one that is still to come never counts as old",
        ));
    }
}

/// Whether what was read on `as_of` is too old to be relied on.
pub(crate) fn is_stale(as_of: Date, today: Date) -> bool {
    today.duration_since(as_of).as_hours() > OLDEST * 24
}

/// Warns about a requested price that is old.
pub(crate) fn warn_stale(name: &str, found: &ModelMatch, today: Date, diags: &mut Diagnostics) {
    let row = found.model.as_ref().filter(|row| row.prices.is_some());
    let Some(as_of) = row.map(|row| row.source.as_of) else {
        return;
    };
    if is_stale(as_of, today) {
        let name = name.escape_debug();
        diags.push(stale(format!("the price of `{name}` is of {as_of}")));
    }
}

/// The warning that what `message` says is old.
pub(crate) fn stale(message: String) -> Diagnostic {
    let message = format!("{message}, more than {OLDEST} days ago");
    Diagnostic::warning(diagnostic::STALE_PRICES, message).help(
        "take a newer release, or a table of your own with --providers; `promptc providers import` makes one",
    )
}
