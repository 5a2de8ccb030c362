//! A project that stays open: each call redoes only what a difference reaches.

use super::{Answer, BuildInputs, Error, Project};
use crate::prompt::Prompt;
use std::sync::Arc;

/// A project that stays open, for programs that build again and again. Many threads may call it at once.
pub struct Engine {
    project: Project,
}

impl Engine {
    /// Keeps `project` open.
    #[must_use]
    pub fn new(project: Project) -> Self {
        Self { project }
    }

    /// The project.
    #[must_use]
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// Builds the prompt: what [`Project::build`] gives.
    ///
    /// # Errors
    /// As [`Project::build`].
    pub fn build(&self, inputs: &BuildInputs) -> Result<Answer<Arc<Prompt>>, Error> {
        let Answer { value, findings } = self.project.build(inputs)?;
        Ok(Answer {
            value: Arc::new(value),
            findings,
        })
    }
}
