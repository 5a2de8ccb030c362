//! The row of a model by its name.

use super::embedded;
use super::glob::{bare, matches};
use super::table::{Match, Model, Provider, Table};
use crate::text::tokens::Tokenizer;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

/// The tables that count: those of the caller, later ones first, then the one inside the program.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    own: Vec<Table>,
}

/// The data about a model.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ModelMatch {
    /// The gateway that forwards requests to the provider; null without one.
    pub via: Option<String>,
    /// The provider.
    #[serde(rename = "served_by")]
    pub provider: Provider,
    /// Its row; null if only the provider is known, or no row counts on that day.
    #[serde(rename = "row")]
    pub model: Option<Model>,
    /// Its rows that count on other days.
    pub other_days: Vec<Model>,
}

impl ModelMatch {
    /// Whether figures of this tokenizer are those of the model: it is the provider's own, and no estimate. A tokenizer
    /// that the caller chooses is not the provider's; a table of one's own can set it (`tokenizer=`).
    #[must_use]
    pub fn is_exact(&self, tokenizer: Tokenizer) -> bool {
        tokenizer.is_exact() && self.provider.tokenizer == Some(tokenizer)
    }
}

impl Catalog {
    /// The tables of a caller, each of which takes precedence over those before it.
    #[must_use]
    pub fn new(own: Vec<Table>) -> Self {
        Self { own }
    }

    /// The data about a model on a day.
    ///
    /// A name is `MODEL` or `PROVIDER/MODEL`; other names before a `/` are ignored. A provider with several rules, such
    /// as `openai>=5.6` and `openai<5.6`, is called by the part that they share. A model has the row whose pattern
    /// matches its name, or the name without a date; of several patterns the longest wins. `None` if neither the model
    /// nor a provider of that name is known.
    #[must_use]
    pub fn find(&self, name: &str, on: Date) -> Option<ModelMatch> {
        let (host, rest) = name.split_once('/').unwrap_or(("", name));
        match self.provider(host) {
            Some(gateway) if gateway.rule == Match::Passthrough => {
                // One gateway: a second one after it is not looked up.
                Some(match self.served(rest, on) {
                    Some(found) => ModelMatch {
                        via: Some(gateway.name),
                        ..found
                    },
                    None => unknown(&gateway),
                })
            }
            _ => self.served(name, on),
        }
    }

    /// The data about a model as the provider itself serves it.
    fn served(&self, name: &str, on: Date) -> Option<ModelMatch> {
        let (host, rest) = name.split_once('/').unwrap_or(("", name));
        let named = self.provider(host);
        let (only, name) = match &named {
            Some(provider) => (Some(provider.name.as_str()), rest),
            None if self.has_provider(host) => (Some(host), rest),
            None => (None, name.rsplit('/').next().unwrap_or(name)),
        };
        let model = self
            .models(name, only)
            .or_else(|| self.models(bare(name), only));
        let Some(rows) = model else {
            return named.as_ref().map(unknown);
        };
        let provider = self.provider(&rows.first()?.provider)?;
        let mut other_days = rows;
        let today = other_days.iter().position(|row| row.counts_on(on));
        let model = today.map(|at| other_days.remove(at));
        Some(ModelMatch {
            provider,
            model,
            other_days,
            via: None,
        })
    }

    /// The provider called `name`.
    #[must_use]
    pub fn provider(&self, name: &str) -> Option<Provider> {
        if name.is_empty() {
            return None;
        }
        let mut own = self.own.iter().rev();
        let found = own.find_map(|table| table.providers.iter().find(|p| p.name == name));
        found.cloned().or_else(|| {
            let table = embedded::read(|row| row.provider() == Some(name));
            table.providers.into_iter().next()
        })
    }

    /// Whether `name` is a provider, or the part that the rules of one share.
    pub(crate) fn has_provider(&self, name: &str) -> bool {
        self.provider_names().iter().any(|known| is_of(known, name))
    }

    /// The tables of the caller.
    #[must_use]
    pub fn own(&self) -> &[Table] {
        &self.own
    }

    /// The day of the newest table.
    #[must_use]
    pub fn as_of(&self) -> Date {
        let own = self.own.iter().map(|table| table.as_of);
        own.chain([embedded::as_of()]).max().unwrap_or(Date::ZERO)
    }

    /// All tables, those of the caller first, the latest before the others.
    #[must_use]
    pub fn tables(&self) -> Vec<Table> {
        let own = self.own.iter().rev().cloned();
        own.chain([embedded::read(|_| true)]).collect()
    }

    /// The rows of the longest pattern that says `name`: several where they count on different days.
    fn models(&self, name: &str, only: Option<&str>) -> Option<Vec<Model>> {
        let own = self.own.iter().rev();
        let mut tables = own.filter_map(|table| self.longest(&table.models, name, only));
        tables.next().or_else(|| {
            let table = embedded::read(|row| row.is_model(name, |p| self.counts(p, only)));
            self.longest(&table.models, name, only)
        })
    }

    /// Whether the rows of a provider count: those of `only` if a name says so, else of all that count without their name.
    fn counts(&self, provider: &str, only: Option<&str>) -> bool {
        let own = || self.own.iter().rev().flat_map(|table| &table.providers);
        match only {
            Some(only) => is_of(provider, only),
            None => match own().find(|p| p.name == provider) {
                Some(own) => !own.only_named,
                None => embedded::rows().any(|r| r.provider() == Some(provider) && !r.is_named()),
            },
        }
    }

    /// The names of all providers, those of the caller first.
    #[must_use]
    pub fn provider_names(&self) -> Vec<&str> {
        let own = self.own.iter().rev().flat_map(|table| &table.providers);
        let own = own.map(|p| p.name.as_str());
        own.chain(embedded::rows().filter_map(|row| row.provider()))
            .collect()
    }

    fn longest(&self, rows: &[Model], name: &str, only: Option<&str>) -> Option<Vec<Model>> {
        let length = |row: &Model| {
            let said = row.patterns.iter().filter(|p| matches(p, name));
            said.map(String::len).max()
        };
        let rows = rows.iter().filter(|row| self.counts(&row.provider, only));
        let rows: Vec<_> = rows.collect();
        let longest = rows.iter().filter_map(|row| length(row)).max()?;
        let provider = rows.iter().find(|row| length(row) == Some(longest));
        let provider = &provider?.provider;
        let kept = rows.iter().filter(|row| length(row) == Some(longest));
        let kept = kept.filter(|row| row.provider == *provider);
        Some(kept.map(|row| (*row).clone()).collect())
    }
}

/// Whether a provider is `host`, or one of several rules of it: `openai>=5.6` is of `openai`.
fn is_of(provider: &str, host: &str) -> bool {
    let rest = provider.strip_prefix(host).filter(|_| !host.is_empty());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['<', '>']))
}

fn unknown(provider: &Provider) -> ModelMatch {
    ModelMatch {
        provider: provider.clone(),
        model: None,
        other_days: Vec::new(),
        via: None,
    }
}
