//! Requests of any agent: makes a log of what others recorded, and says why each could not reuse the one before it.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use promptc::requests::{ImportOptions, Key, Log};
//!
//! # let folder = std::env::temp_dir().join(format!("promptc-requests-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! let body = |time: &str| {
//!     format!(
//!         r#"{{"conversation": "chat-7", "request": {{"model": "claude-opus-5-5", "max_tokens": 500,
//!             "system": "You are Harbor.\nIt is {time}.", "messages": [{{"role": "user", "content": "Hello"}}]}}}}"#
//!     )
//!     .replace('\n', " ")
//! };
//! let bodies = folder.join("bodies.jsonl");
//! std::fs::write(&bodies, [body("10:00"), body("10:02")].join("\n"))?;
//!
//! let log = Log::at(folder.join("requests.jsonl"));
//! let imported = log.import([bodies], &ImportOptions::default())?;
//! println!("{} requests", imported.requests);
//! for request in &log.compare(None)?.value {
//!     for cause in request.causes() {
//!         println!("#{}: {} at {}", request.number(), cause.kind.name(), cause.at);
//!     }
//! }
//! let usage = log.usage(&[Key::Day, Key::Cause], None)?;
//! println!("${:.2}, of which ${:.2} avoidable", usage.billed(), usage.avoidable());
//! # assert_eq!(imported.requests, 2);
//! # assert_eq!(log.compare(None)?[1].causes()[0].at, "system/0");
//! # std::fs::remove_dir_all(folder)?;
//! # Ok(())
//! # }
//! ```

use super::capture::{self, ImportCall, RequestComparison, RequestQuery};
use super::model::{day, need};
use super::service::answer;
use super::usage::{self, UsageCall, UsageReport};
use super::{Answer, Error};
use super::{Run, moment};
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::prompt::document::page;
use crate::request::provider::Catalog;
use crate::request::provider::amount::Usd;
pub use crate::request::usage::Key;
use crate::request::usage::Period;
pub use crate::request::whole::import::Format;
pub use crate::request::whole::{Cause, Kind, Reused, SourcePlace, State};
use jiff::Timestamp;
use std::path::{Path, PathBuf};

/// The options of an import.
#[derive(Debug, Clone, Default)]
pub struct ImportOptions {
    /// The program that recorded; by default each file is inspected.
    pub format: Option<Format>,
    /// The file of the key of hashes, which is made if it is missing. Without it a key is drawn.
    pub key: Option<PathBuf>,
    /// Replaces each line of text by its keyed hash and its length.
    pub redact_text: bool,
}

/// The result of an import. Skipped items, and fields that a format lacks, are among the findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Imported {
    /// The requests in the log.
    pub requests: usize,
    /// The requests that were there twice.
    pub twice: usize,
}

/// A log of requests: a file.
#[derive(Debug, Clone)]
pub struct Log {
    path: PathBuf,
}

impl Log {
    /// The log at this path; nothing is read yet.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Writes the log: whole or not at all, for its owner alone. Files and folders are read in order.
    ///
    /// # Errors
    /// Where nothing could be read, or the log cannot be written.
    pub fn import(
        &self,
        paths: impl IntoIterator<Item = impl Into<PathBuf>>,
        options: &ImportOptions,
    ) -> Result<Answer<Imported>, Error> {
        let paths: Vec<PathBuf> = paths.into_iter().map(Into::into).collect();
        let call = ImportCall {
            paths: &paths,
            format: options.format,
            key: options.key.as_deref(),
            hash_lines: options.redact_text,
            output: Some(&self.path),
        };
        answer(|run| {
            let imported = capture::import(&call, run)?;
            Ok(Imported {
                requests: imported.requests,
                twice: imported.twice.len(),
            })
        })
    }

    /// Compares each request with the one before it in its chain. With a folder of sources, changed lines are led back to its files.
    ///
    /// # Errors
    /// Where it is no log, or the folder cannot be read.
    pub fn compare(&self, sources: Option<&Path>) -> Result<Answer<Vec<Comparison>>, Error> {
        let query = RequestQuery {
            sources,
            ..RequestQuery::default()
        };
        answer(|run| {
            let all = capture::each(&self.path, query, run)?;
            Ok(all.into_iter().map(Comparison).collect())
        })
    }

    /// Sums what was billed, by these keys, at the prices of the table inside.
    ///
    /// # Errors
    /// Where it is no log.
    pub fn usage(&self, by: &[Key], since: Option<Timestamp>) -> Result<Answer<Usage>, Error> {
        let paths = [self.path.clone()];
        let until = None;
        answer(|run| summed(&paths, by.to_vec(), Period { since, until }, None, run))
    }

    /// Writes the requests as whole bodies, one a line; how many.
    ///
    /// # Errors
    /// Where it is no log, or the file cannot be written.
    pub fn export(&self, to: &Path) -> Result<Answer<usize>, Error> {
        answer(|run| capture::export(&self.path, Some(to), run))
    }
}

/// The options of a report on bills, as the command line takes them.
#[derive(Debug, Clone, Default)]
pub struct UsageOptions {
    /// The keys that sums are grouped by, such as `day`; by default day, model and cause.
    pub by: Vec<String>,
    /// The start of the period: a day (`2026-11-01`), a time with its zone, or how long ago it was (`7d`, `12h`).
    pub since: Option<String>,
    /// Takes all requests for those of this model.
    pub model: Option<String>,
}

/// Sums what was billed for the requests of logs and recordings; without any for those that agents wrote on this machine.
///
/// # Errors
/// When a log cannot be read, or an option is invalid.
pub fn usage(
    logs: impl IntoIterator<Item = impl Into<PathBuf>>,
    options: &UsageOptions,
) -> Result<Answer<Usage>, Error> {
    let paths: Vec<PathBuf> = logs.into_iter().map(Into::into).collect();
    answer(|run| {
        let by = match options.by.as_slice() {
            [] => usage::USUAL.to_vec(),
            names => usage::keys(names, &mut run.diags)?,
        };
        let since = options.since.as_deref().map(moment::moment).transpose();
        let since = since.map_err(|why| {
            let found = Diagnostic::error(diagnostic::USAGE, "the start of the period is no time");
            run.diags.push(found.help(why))
        })?;
        let period = moment::period(since, None, None, run)?;
        if let Some(name) = &options.model {
            let today = day(None, run)?;
            need(name, &Catalog::default(), today, &mut run.diags)?;
        }
        summed(&paths, by, period, options.model.clone(), run)
    })
}

fn summed(
    paths: &[PathBuf],
    by: Vec<Key>,
    period: Period,
    model: Option<String>,
    run: &mut Run,
) -> Result<Usage, ErrorReported> {
    let call = UsageCall {
        paths,
        tables: vec![by],
        period,
        model,
        ..UsageCall::default()
    };
    let mut reports = usage::usage(call, &mut |_| {}, run)?;
    Ok(Usage(reports.pop().unwrap_or_default()))
}

/// The bill of the requests of a log.
#[derive(Debug, Clone)]
pub struct Usage(UsageReport);

impl Usage {
    /// The number of requests that were summed.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.0.requests
    }

    /// The billed dollars; [`Usage::to_json`] has all digits.
    #[must_use]
    pub fn billed(&self) -> f64 {
        self.0.total.billed.0.value()
    }

    /// The avoidable dollars of that.
    #[must_use]
    pub fn avoidable(&self) -> f64 {
        self.0.total.avoidable.0.value()
    }

    /// The changes that would save most, in dollars a day: what to edit or to set. Each is simulated alone, except
    /// those that are simulated together.
    pub fn changes(&self) -> impl Iterator<Item = (f64, String)> {
        let saving = self.0.changes.iter();
        let saving = saving.filter(|change| change.saves.0 > Usd::default());
        saving.map(|change| (change.per_day.0.value(), change.advice()))
    }

    /// The document of `promptc usage --format json`.
    #[must_use]
    pub fn to_json(&self) -> String {
        page(&self.0)
    }
}

/// A request with the one before it in its chain.
#[derive(Debug, Clone)]
pub struct Comparison(RequestComparison);

impl Comparison {
    /// Its number in the log, from 1.
    #[must_use]
    pub fn number(&self) -> usize {
        self.0.b
    }

    /// The number of the request that it is compared with: the one before it in its chain, or one of another chain for the first; none without any.
    #[must_use]
    pub fn before(&self) -> Option<usize> {
        self.0.a
    }

    /// Whether that is of another chain: providers share a cache between conversations.
    #[must_use]
    pub fn is_across(&self) -> bool {
        self.0.across
    }

    /// Its id, as its recording gave it; else `r` with the number.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// The conversation.
    #[must_use]
    pub fn conversation(&self) -> &str {
        &self.0.conversation
    }

    /// The chain.
    #[must_use]
    pub fn chain(&self) -> &str {
        &self.0.chain
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.0.model
    }

    /// Its relation to the one before.
    #[must_use]
    pub fn state(&self) -> State {
        self.0.state
    }

    /// Why the whole is not known; none if it is.
    #[must_use]
    pub fn incomplete(&self) -> Option<&str> {
        self.0.reason.as_deref()
    }

    /// The time since the one before, in seconds.
    #[must_use]
    pub fn gap(&self) -> Option<f64> {
        self.0.gap
    }

    /// The part of the one before that could be reused.
    #[must_use]
    pub fn reused(&self) -> Reused {
        self.0.reused
    }

    /// The changes, in the order in which the provider reads.
    #[must_use]
    pub fn causes(&self) -> &[Cause] {
        &self.0.causes
    }
}
