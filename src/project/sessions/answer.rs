//! The answer of a restore, and what it may not be written over.

use super::call::Answer;
use super::session_service::{SessionService, Stop};
use crate::diagnostic::ErrorReported;
use crate::project::output;
use crate::project::sessions::program::Program;
use crate::prompt::{Deliver, Prompt, State};
use crate::session::store::Restored;
use crate::session::{Inputs, mark, restore};
use std::collections::BTreeSet;
use std::path::PathBuf;

impl SessionService<'_> {
    /// The prompt of the frozen text and, with a program, of the tiers after it.
    pub(super) fn restored(
        &mut self,
        kept: &Restored,
        program: Option<Program>,
    ) -> Result<Answer, Stop> {
        let mark = mark(&kept.session, &kept.build, State::Restored);
        if program.is_none() && !self.asked.whole {
            let text = match kept.build.texts.get(&Deliver::System) {
                Some(key) => self.told(kept.content(key))?,
                None => String::new(),
            };
            return Ok(Answer {
                text,
                prompt: None,
                mark,
            });
        }
        let restored = restore(&mut |key| kept.content(key), &kept.build);
        let (frozen, _) = self.told(restored)?;
        let mut prompt = match program {
            None => self.counted(frozen.prompt),
            Some(program) => {
                let (prompt, read) = program.complete(frozen, self.asked.given, self.run)?;
                self.ensure_not_input(read)?;
                prompt
            }
        };
        prompt.session = Some(mark.clone());
        Ok(Answer {
            text: prompt.text(Deliver::System).to_owned(),
            prompt: Some(prompt),
            mark,
        })
    }

    /// The frozen prompt, counted with the tokenizer of the call.
    fn counted(&self, mut prompt: Prompt) -> Prompt {
        if let Some(tokenizer) = self.asked.given.inputs.tokenizer {
            prompt.count_tokens(tokenizer);
        }
        prompt
    }

    /// Fails if the output would replace a file that this call has read or that the build was made from.
    pub(super) fn spare_kept(
        &mut self,
        kept: &Restored,
        mut read: BTreeSet<PathBuf>,
    ) -> Result<(), Stop> {
        if self.asked.output.is_some() {
            let inputs = Inputs::of(&mut |key| kept.content(key), &kept.build);
            let inputs = self.told(inputs)?;
            read.extend(inputs.read.into_iter().map(PathBuf::from));
        }
        Ok(self.ensure_not_input(read)?)
    }

    /// Fails if the output would be written over one of these files, the manifest, or the store.
    pub(super) fn ensure_not_input(
        &mut self,
        mut read: BTreeSet<PathBuf>,
    ) -> Result<(), ErrorReported> {
        let Some(output) = self.asked.output else {
            return Ok(());
        };
        read.extend(self.place.manifest.as_ref().map(PathBuf::from));
        if output::is_among(output, &read) || self.location.owns(output) {
            Err(self.run.diags.push(output::is_input(output)))
        } else {
            Ok(())
        }
    }
}
