//! Comparisons.

use crate::project::compare::{CompareCall, compare, grades};
use crate::project::service::answer;
use crate::project::{Answer, BuildInputs, CompareOptions, Compared, Error, FamilyChange, Project};
use crate::prompt::Prompt;
use crate::prompt::document::page;
use schemars::JsonSchema;
use serde::Serialize;

/// The document that `diff --format json` writes.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "JsonReport")]
pub(crate) struct Comparisons<'a> {
    /// The comparison; of snapshots one for each scenario that is compared.
    comparisons: &'a [Compared],
    /// The prefix families whose members are among the compared scenarios.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    families: &'a [FamilyChange],
}

impl<'a> Comparisons<'a> {
    /// All of them.
    pub(crate) fn of(comparisons: &'a [Compared], families: &'a [FamilyChange]) -> Self {
        Self {
            comparisons,
            families,
        }
    }
}

impl Project {
    /// The document of `promptc diff --format json`; operands as in [`Project::compare`].
    ///
    /// # Errors
    /// Where an operand cannot be read or built.
    pub fn compare_json(
        &self,
        operands: [Option<&str>; 2],
        inputs: &BuildInputs,
        options: &CompareOptions,
    ) -> Result<Answer<String>, Error> {
        let call = CompareCall {
            build: self.call(inputs),
            options: options.clone(),
        };
        answer(|run| {
            let all = compare(operands, &call, run)?;
            let families = grades(&all, operands, &call);
            Ok(page(&Comparisons::of(&all, &families)))
        })
    }
}

impl Prompt {
    /// The comparison with the prompt that follows, as the document of `promptc diff --format json`; the names are what it calls them.
    #[must_use]
    pub fn compare_json(&self, name: &str, next: &Self, next_name: &str) -> String {
        let compared = Compared {
            a_name: name.to_owned(),
            b_name: next_name.to_owned(),
            ..Compared::of((self, true), (next, true))
        };
        page(&Comparisons::of(&[compared], &[]))
    }
}
