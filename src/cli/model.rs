//! The options that name a model and the tables that know it.

use super::given::BuildArgs;
use crate::diagnostic::ErrorReported;
use crate::project::Run;
use crate::project::model::{catalog, day, need, tell_future, tell_near, warn_stale};
use crate::request::cost::CostQuery;
use crate::request::emit::place::Messages;
use crate::request::provider::Catalog;
use crate::text::tokens::Tokenizer;
use crate::world::{DiskWorld, World};
use clap::{ArgGroup, Args};
use jiff::civil::Date;
use std::path::PathBuf;

/// The help heading of these options.
pub(crate) const MODEL: &str = "Model";

#[derive(Debug, Default, Args)]
pub(crate) struct TableArgs {
    /// A table of providers that overrides the built-in one; repeatable, a later one wins
    #[arg(help_heading = MODEL, long = "providers", value_name = "FILE")]
    table_files: Vec<PathBuf>,
}

impl TableArgs {
    /// The files of the caller's tables.
    pub(crate) fn files(&self) -> &[PathBuf] {
        &self.table_files
    }

    /// All tables that count.
    pub(crate) fn catalog(
        &self,
        world: &dyn World,
        run: &mut Run,
    ) -> Result<Catalog, ErrorReported> {
        catalog(&self.table_files, world, run)
    }

    /// Whether one is named.
    pub(crate) fn are_given(&self) -> bool {
        !self.table_files.is_empty()
    }
}

/// The options that ask for costs.
#[derive(Debug, Default, Args)]
#[command(group = ArgGroup::new("priced").multiple(true))]
#[command(group = ArgGroup::new("tables").arg("table_files").requires("priced"))]
pub(crate) struct CostArgs {
    /// The model whose rules and prices apply; `PROVIDER/MODEL` names its provider
    #[arg(help_heading = MODEL, long, value_name = "NAME", group = "priced")]
    model: Option<String>,
    /// How many requests a day have such a break
    #[arg(
        help_heading = MODEL,
        long,
        value_name = "N",
        requires = "model",
        value_parser = requests,
        allow_hyphen_values = true
    )]
    requests_per_day: Option<u64>,
    #[command(flatten)]
    pub(crate) tables: TableArgs,
}

/// A number of requests, as an argument.
fn requests(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| "write a whole number in digits alone, such as 1000".to_owned())
}

impl CostArgs {
    /// The cost query of [`CostArgs::asked`]. Warnings about the model are left out: an earlier call reported them.
    pub(crate) fn known(
        &self,
        tokenizer: Option<Tokenizer>,
        now: Option<&str>,
        run: &mut Run,
    ) -> Result<Option<CostQuery>, ErrorReported> {
        let mut told = Run::default();
        let asked = self.asked(tokenizer, now, &DiskWorld, &mut told);
        asked.inspect_err(|_| run.diags.extend(&told.diags))
    }

    /// The cost query, if a model is named. `tokenizer` is the requested one, `now` the current time.
    pub(crate) fn asked(
        &self,
        tokenizer: Option<Tokenizer>,
        now: Option<&str>,
        world: &dyn World,
        run: &mut Run,
    ) -> Result<Option<CostQuery>, ErrorReported> {
        let Some(name) = &self.model else {
            return Ok(None);
        };
        let catalog = self.tables.catalog(world, run)?;
        let today = day(now, run)?;
        tell_future(&catalog, today, &mut run.diags);
        let found = need(name, &catalog, today, &mut run.diags)?;
        tell_near(name, &found, &catalog, &mut run.diags);
        warn_stale(name, &found, today, &mut run.diags);
        Ok(Some(CostQuery {
            name: name.clone(),
            found,
            tokenizer,
            requests: self.requests_per_day,
            messages: Messages::default(),
        }))
    }
}

/// The day of a call, in UTC: `--now`, else the clock.
pub(crate) fn today(given: &BuildArgs, run: &mut Run) -> Result<Date, ErrorReported> {
    day(given.now(), run)
}
