//! The answers of commands to programs, as methods: the documents of `--format json`, byte for byte.

#[cfg(feature = "sqlite")]
mod comparisons;
#[cfg(feature = "sqlite")]
pub(crate) use comparisons::Comparisons;

use crate::diagnostic::{Diagnostic, ErrorReported};
use crate::manifest::Manifest;
use crate::project::check::check;
use crate::project::model::{catalog, day, need, no_messages};
use crate::project::service::answer;
use crate::project::{
    Answer, BuildInputs, Built, CheckOptions, Error, Findings, Project, Run, artifact,
};
use crate::prompt::document::page;
use crate::prompt::{Deliver, Prompt};
use crate::report::blame::{self, PlaceQuery};
use crate::report::check::{CheckedManifest, json};
use crate::report::explain::json::Report;
use crate::report::explain::provider::Kept;
use crate::report::{check as checked, diagnostic_json, explain};
use crate::text::tokens::Tokenizer;
use crate::world::DiskWorld;
use std::path::PathBuf;

/// The options of a call for a prompt's layers.
#[derive(Debug, Clone, Default)]
pub struct ExplainOptions {
    /// Only this layer, which may be absent.
    pub layer: Option<String>,
    /// Only the arithmetic of budgets.
    pub budget: bool,
    /// Where breakpoints are for this model, in place of what layers are made of.
    pub model: Option<String>,
    /// Places breakpoints for a request without messages; else for one in a conversation.
    pub no_messages: bool,
    /// Tables of providers that count before the one inside, a later one first.
    pub tables: Vec<PathBuf>,
    /// The tokenizer; without it that of the prompt, else of the provider.
    pub tokenizer: Option<Tokenizer>,
    /// The day on which limits of models count, RFC 3339; without it today.
    pub now: Option<String>,
}

impl Project {
    /// The origin of each layer or why it is absent: the document of `promptc explain --format json`.
    ///
    /// # Errors
    /// Where the build fails, or there is no such layer or model.
    pub fn explain(
        &self,
        inputs: &BuildInputs,
        options: &ExplainOptions,
    ) -> Result<Answer<String>, Error> {
        answer(|run| {
            let Built {
                manifest, prompt, ..
            } = self.call(inputs).build(run)?;
            explained(prompt, Some(&manifest), options, run)
        })
    }

    /// The document of `promptc check --format json`.
    ///
    /// # Errors
    /// As [`Project::check`].
    pub fn check_json(
        &self,
        inputs: &BuildInputs,
        options: &CheckOptions,
    ) -> Result<Answer<String>, Error> {
        self.checked(inputs, options, |call, run| {
            let found = check(call, self.world(), run)?;
            let manifest = CheckedManifest {
                checked: &found,
                files: &run.files,
            };
            Ok(page(&json::report(&checked::Answer {
                manifests: vec![manifest],
                errors: Vec::new(),
                several: false,
            })))
        })
    }
}

impl Prompt {
    /// The artifact that this JSON is; errors call it `name`.
    ///
    /// # Errors
    /// Where it is none, or one of another release's shape.
    pub fn from_json(name: &str, json: &[u8]) -> Result<Self, Error> {
        let read =
            answer(|run| artifact::parse(name, json).map_err(|problem| run.diags.push(*problem)));
        Ok(read?.value)
    }

    /// The origin of each layer, by the artifact: the document of `promptc explain --artifact FILE --format json`.
    ///
    /// # Errors
    /// Where there is no such layer or model.
    pub fn explain(&self, options: &ExplainOptions) -> Result<Answer<String>, Error> {
        answer(|run| explained(self.clone(), None, options, run))
    }

    /// The source of each byte of a place: the document of `promptc blame --format json`.
    ///
    /// # Errors
    /// Where there is no such place.
    pub fn blame_json(
        &self,
        channel: Deliver,
        place: PlaceQuery<'_>,
    ) -> Result<Answer<String>, Error> {
        let find = || -> Result<_, Box<Diagnostic>> {
            let channel = blame::channel(self, channel)?;
            let (places, more) = blame::find(channel, place)?;
            Ok(page(&blame::Report::of(channel, &places, more)))
        };
        answer(|run| find().map_err(|problem| run.diags.push(*problem)))
    }
}

fn explained(
    mut prompt: Prompt,
    manifest: Option<&Manifest>,
    options: &ExplainOptions,
    run: &mut Run,
) -> Result<String, ErrorReported> {
    if let Some(name) = &options.model {
        let catalog = catalog(&options.tables, &DiskWorld, run)?;
        let today = day(options.now.as_deref(), run)?;
        let found = need(name, &catalog, today, &mut run.diags)?;
        let messages = no_messages(options.no_messages, name, &found, &mut run.diags)?;
        let kept = Kept::of(&prompt, name, &found, options.tokenizer, messages);
        return Ok(page(&Report::Provider(kept.report())));
    }
    prompt.estimate_tokens();
    let layer = options.layer.as_deref();
    let layers = explain::chosen(layer, &prompt, manifest, &mut run.diags)?;
    Ok(page(&Report::of(
        &prompt,
        &layers,
        layer.is_some(),
        options.budget,
    )))
}

impl Findings {
    /// All as a JSON list: each as `--message-format json` writes it, but for its `schema`.
    #[must_use]
    pub fn to_json(&self) -> String {
        let all = self
            .iter()
            .map(|found| diagnostic_json::of(found, self.files()));
        // Strings and numbers always have a JSON form.
        serde_json::to_string(&all.collect::<Vec<_>>()).unwrap_or_default()
    }
}
