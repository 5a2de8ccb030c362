//! The rows that count on a day.

use super::find::Catalog;
use super::table::{Model, Provider};
use jiff::civil::Date;

/// Providers and models; those of tables with precedence come first.
pub struct Rows {
    /// Providers; each name once.
    pub providers: Vec<Provider>,
    /// Models; one row for each name and provider.
    pub models: Vec<Model>,
}

/// All of them.
pub fn all(catalog: &Catalog, today: Date) -> Rows {
    let mut rows = Rows {
        providers: Vec::new(),
        models: Vec::new(),
    };
    // The data of the tables above, whatever the day: a model is found in the first that has it.
    let mut above: Vec<(String, String)> = Vec::new();
    for table in catalog.tables() {
        for provider in table.providers {
            if !rows.providers.iter().any(|p| p.name == provider.name) {
                rows.providers.push(provider);
            }
        }
        let mut names = Vec::new();
        for mut model in table.models {
            let provider = model.provider.clone();
            let hidden = |name: &String| {
                let mut above = above.iter();
                above.any(|(other, of)| other == name && *of == provider)
            };
            model.patterns.retain(|name| !hidden(name));
            names.extend(model.patterns.iter().map(|n| (n.clone(), provider.clone())));
            if !model.patterns.is_empty() && model.counts_on(today) {
                rows.models.push(model);
            }
        }
        above.extend(names);
    }
    rows
}

impl Rows {
    /// The provider of a row.
    pub fn provider(&self, row: &Model) -> Option<&Provider> {
        self.providers.iter().find(|p| p.name == row.provider)
    }

    /// Leaves out all but those of one provider.
    pub fn only(&mut self, provider: &str) {
        self.providers.retain(|p| p.name == provider);
        self.models.retain(|m| m.provider == provider);
    }
}
