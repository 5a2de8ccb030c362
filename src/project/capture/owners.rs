//! The owner of a changed line: a file of a folder, or a layer of a prompt.

use super::layers::Layers;
use super::proof::Proofs;
use crate::compare::Break;
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::project::Run;
use crate::project::output;
use crate::project::sources::Sources;
use crate::prompt::Prompt;
use crate::request::usage::{self, LayersOfLines};
use crate::request::whole::{Cause, LoadedFile, Part, Request, loaded_files, loaded_place};
use crate::world::DiskWorld;
use std::path::Path;

/// The possible owners of a changed line.
#[derive(Debug, Default)]
pub(crate) struct Owners<'p> {
    sources: Option<Sources>,
    layers: Option<Layers<'p>>,
    proofs: Proofs<'p>,
}

impl<'p> Owners<'p> {
    /// The files of a folder, and prompts: the layers are those of the first.
    pub(crate) fn of(
        sources: Option<&Path>,
        prompts: &'p [Prompt],
        run: &mut Run,
    ) -> Result<Self, ErrorReported> {
        Ok(Self {
            sources: sources.map(|folder| files(folder, run)).transpose()?,
            layers: prompts.first().map(Layers::of),
            proofs: Proofs::of(prompts),
        })
    }

    /// Why the system prompt of a request is another one than that of the one before, as far as builds prove it.
    pub(super) fn proven(&self, before: &Request, now: &Request) -> Option<Break> {
        self.proofs.find(before, now)
    }

    /// Notes the file and the layer of each cause.
    pub(crate) fn note(&self, causes: &mut [Cause], before: Option<&Request>, now: &Request) {
        let Some(before) = before else { return };
        for cause in &mut *causes {
            cause.source = match &self.sources {
                Some(sources) => sources.of(cause, before, now),
                None => loaded_place(cause, before, now),
            };
        }
        if let Some(layers) = &self.layers {
            layers.note(causes, before, now);
        }
    }
}

impl usage::Owners for Owners<'_> {
    fn note(&self, first: &mut Cause, before: &Request, now: &Request) {
        self.note(std::slice::from_mut(first), Some(before), now);
    }

    fn files(&self, text: &str) -> Vec<LoadedFile> {
        match &self.sources {
            Some(sources) => sources.files(text),
            None => loaded_files(text),
        }
    }

    fn lines(&self, request: &Request) -> Option<LayersOfLines> {
        let blocks: Vec<String> = request.system.iter().map(Part::text).collect();
        Some(self.layers.as_ref()?.of_lines(&blocks))
    }
}

fn files(folder: &Path, run: &mut Run) -> Result<Sources, ErrorReported> {
    let read = Sources::read(&DiskWorld, folder).map_err(|error| {
        let message = format!(
            "the folder `{}` cannot be read: {}",
            folder.display(),
            output::reason(&error)
        );
        let found = Diagnostic::error(diagnostic::OPERAND_NOT_FOUND, message);
        let help = "--files takes the folder that the agent works in";
        run.diags.push(found.help(help))
    })?;
    run.read.extend(read.paths().map(|path| folder.join(path)));
    Ok(read)
}
