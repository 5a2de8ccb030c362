//! KDL to a table.

mod rows;
mod parts;
mod provider;
mod model;

use super::table::{Model, Provider, Table};
use crate::diagnostic::span::{FileId, Lines, Spanned};
use crate::diagnostic::suggest::nearest;
use crate::diagnostic::{
    DUPLICATE_NODE, Diagnostic, Diagnostics, ErrorReported, UNKNOWN_PROVIDER, UNSUPPORTED_TABLE,
};
use crate::manifest::context::{Context, Once, Reads};
use crate::manifest::read::Reader;
use crate::syntax;
use crate::syntax::write::one_line;
use crate::syntax::{Node, Nodes};
use jiff::civil::Date;
use model::model;
use parts::day;
use provider::provider;
use rows::{HEAD, TABLE};

/// The version of tables that this release reads.
const VERSION: usize = 1;

/// The most tokens that a figure of a table may have.
const MOST_TOKENS: usize = 1_000_000_000;

/// Reads the text `src` of `file` as a table. `known` are the providers of the tables below it, which its models may name.
///
/// # Errors
/// When it has a mistake; all mistakes are in `diags`.
pub fn table(
    file: FileId,
    src: &str,
    known: &[&str],
    diags: &mut Diagnostics,
) -> Result<Table, ErrorReported> {
    let cx = Context::new(Reads::Whole, file, Lines::of(src));
    let mut rows = Rows::default();
    match syntax::read(file, &src.into()) {
        Ok(document) => rows.read(&cx, document.nodes(), known),
        Err(found) => found.into_iter().for_each(|problem| cx.report(problem)),
    }
    let (found, _) = cx.into_found();
    diags.extend(&found);
    found.check()?;
    Ok(Table {
        as_of: rows.as_of.unwrap_or(Date::ZERO),
        providers: rows.providers.into_iter().map(|p| p.value).collect(),
        models: rows.models.into_iter().map(|m| m.value).collect(),
    })
}

/// The rows read so far.
#[derive(Default)]
struct Rows {
    as_of: Option<Date>,
    providers: Vec<Spanned<Provider>>,
    models: Vec<Spanned<Model>>,
    /// The providers that models name, with their places.
    named: Vec<Spanned<String>>,
}

impl Rows {
    fn read(&mut self, cx: &Context, nodes: Nodes<'_>, known: &[&str]) {
        let mut once = Once::default();
        for node in nodes {
            match node.name().value() {
                "providers" => {
                    once.node(cx, node);
                    self.as_of = head(cx, node).or(self.as_of);
                }
                "provider" => self.provider(cx, node),
                "model" => self.model(cx, node),
                _ => cx.unknown_node(node, None, TABLE.iter().copied()),
            }
        }
        if once.place("providers").is_none() {
            let at = nodes.first().map(|node| cx.name_span(node));
            let problem = Diagnostic::error(UNSUPPORTED_TABLE, "the table has no date").help(
                "begin with `providers 1 currency=USD as-of=\"YYYY-MM-DD\"`, the day of its facts",
            );
            cx.report(match at {
                Some(at) => problem.at(at),
                None => problem,
            });
        }
        for name in &self.named {
            self.check_name(cx, name, known);
        }
    }

    fn check_name(&self, cx: &Context, name: &Spanned<String>, known: &[&str]) {
        let own = self.providers.iter().map(|p| p.value.name.as_str());
        let all: Vec<&str> = own.chain(known.iter().copied()).collect();
        if all.contains(&name.value.as_str()) {
            return;
        }
        let message = format!("there is no provider `{}`", name.value.escape_debug());
        let found = Diagnostic::error(UNKNOWN_PROVIDER, message).at(name.span);
        cx.report(match nearest(&name.value, all.iter().copied()) {
            Some(near) => found
                .help(format!("did you mean `{near}`?"))
                .suggest(name.span, one_line(near)),
            None => found.help("declare it in the table: `provider NAME match=RULE { source … }`"),
        });
    }

    fn provider(&mut self, cx: &Context, node: Node<'_>) {
        let Some(read) = provider(cx, node) else {
            return;
        };
        let twice = |p: &&Spanned<Provider>| p.value.name == read.value.name;
        if let Some(first) = self.providers.iter().find(twice) {
            let message = format!("the provider `{}` is written twice", read.value.name);
            let found = Diagnostic::error(DUPLICATE_NODE, message).at(read.span);
            cx.report(found.related(first.span, "first").help("write one of them"));
        }
        self.providers.push(read);
    }

    fn model(&mut self, cx: &Context, node: Node<'_>) {
        let Some((read, provider)) = model(cx, node) else {
            return;
        };
        let doubled = |old: &&Spanned<Model>| {
            let same = |pattern| old.value.patterns.contains(pattern);
            old.value.provider == read.value.provider
                && read.value.patterns.iter().any(same)
                && overlap(&old.value, &read.value)
        };
        if let Some(first) = self.models.iter().find(doubled) {
            let message = "a row for the same model, provider and days is above";
            let found = Diagnostic::error(DUPLICATE_NODE, message).at(read.span);
            let help =
                "remove one, or say with `valid from=` and `until=` when each of them counts";
            cx.report(found.related(first.span, "first").help(help));
        }
        self.named.push(provider);
        self.models.push(read);
    }
}

/// Whether both rows count on one day.
fn overlap(a: &Model, b: &Model) -> bool {
    let starts = a.from.max(b.from);
    let ends = [a.until, b.until].into_iter().flatten().min();
    match (starts, ends) {
        (Some(first), Some(last)) => first <= last,
        _ => true,
    }
}

/// `providers 1 currency=USD as-of="2026-11-21"`.
fn head(cx: &Context, node: Node<'_>) -> Option<Date> {
    let mut reader = Reader::new(cx, node, &HEAD);
    let version = reader.need_number();
    if let Some(version) = version
        && version
            .whole_number(0..=MOST_TOKENS)
            .is_some_and(|v| v != VERSION)
    {
        let message = "this release reads tables of version 1";
        let found = Diagnostic::error(UNSUPPORTED_TABLE, message).at(version.whole());
        cx.report(found.help("use the release that it was written for"));
    }
    // Amounts in other currencies would need rates, which change by the hour.
    match reader.prop("currency") {
        Some(value) => drop(value.choice(&[("USD", ())])),
        None => cx.missing(
            reader.span(),
            "`providers` lacks currency=USD",
            "prices are US dollars for a million tokens; other currencies are not read",
        ),
    }
    let as_of = day(cx, &mut reader, "as-of", true);
    reader.finish();
    as_of
}
