//! The calls of a project.

use super::base::Base;
use super::capture::SentSystems;
use super::check::Fixes;
use super::check::{CheckCall, check};
use super::fix::fix;
use super::memory::MemoryOptions;
use super::memory::change::of_model;
use super::memory::select::Memories;
use super::{Answer, BuildCall, BuildInputs, Error, Findings, Project, Run};
use crate::agent;
use crate::check::Report;
use crate::diagnostic::ErrorReported;
use crate::prompt::Prompt;
use crate::world::write::Walls;
use crate::world::{DiskWorld, World};
use std::path::PathBuf;
use std::sync::Arc;

/// The options of a check.
#[derive(Debug, Clone, Default)]
pub struct CheckOptions {
    /// Builds every scenario, or what is given, for the rules that read sources.
    pub sources: bool,
    /// Logs of requests: the observed changes of layers are compared with the manifest.
    pub usage: Vec<PathBuf>,
    /// The least prefix that a provider caches, in tokens; 1024 without it.
    pub min_prefix: Option<usize>,
    /// The manifest that it must extend, named as in [`Project::open`].
    pub base: Option<String>,
}

impl Project {
    /// The manifest at this path, or `builtin:NAME@N`, read from the disk.
    ///
    /// # Errors
    /// Where it cannot be read, or what it says is wrong.
    pub fn open(name: impl Into<String>) -> Result<Self, Error> {
        Self::open_with(Some(name.into()), Arc::new(DiskWorld))
    }

    /// The nearest `promptc.kdl`, in the current directory or above.
    ///
    /// # Errors
    /// Where there is none, it cannot be read, or what it says is wrong.
    pub fn nearest() -> Result<Self, Error> {
        Self::open_with(None, Arc::new(DiskWorld))
    }

    /// The manifest at a path of `world` or `builtin:NAME@N`, without a name the nearest one, read in `world` instead of from the
    /// disk.
    ///
    /// # Errors
    /// As [`Project::open`].
    pub fn open_with(
        name: Option<String>,
        world: Arc<dyn World + Send + Sync>,
    ) -> Result<Self, Error> {
        let project = Self::named(name, world);
        answer(|run| {
            project.read(run)?;
            run.diags.check()
        })?;
        Ok(project)
    }

    /// Builds the prompt.
    ///
    /// # Errors
    /// Where the manifest, what is given or a source is wrong, or a private value would be among the [kept
    /// inputs](BuildInputs::keep_inputs).
    pub fn build(&self, inputs: &BuildInputs) -> Result<Answer<Prompt>, Error> {
        let call = self.call(inputs);
        answer(|run| {
            let built = if inputs.keeps {
                call.build_recorded(run)
            } else {
                call.build(run)
            };
            Ok(built?.prompt)
        })
    }

    /// Checks the manifest by all rules. The places in the report are in the [files](Findings::files) of the answer's findings, which
    /// are those of reading it; [`Project::diagnose`] has both in one list.
    ///
    /// # Errors
    /// When the manifest or its inputs have errors, or a requested build fails.
    pub fn check(
        &self,
        inputs: &BuildInputs,
        options: &CheckOptions,
    ) -> Result<Answer<Report>, Error> {
        self.checked(inputs, options, |call, run| {
            Ok(check(call, self.world(), run)?.report)
        })
    }

    /// All that can be said of a manifest, as an editor shows it: what reading it finds, errors among it, and where there are none
    /// what the rules find. The manifest is named as in [`Project::open_with`].
    ///
    /// ```
    /// # fn main() -> std::io::Result<()> {
    /// use promptc::{BuildInputs, CheckOptions, DiskWorld, EditedWorld, Project};
    /// use std::{path::Path, sync::Arc};
    ///
    /// let file = "examples/atlas/promptc.kdl";
    /// let buffer = "promptc 1\ntier t { layer l { txt x } }\n";
    /// let world = Arc::new(EditedWorld::new(DiskWorld, Path::new(file), buffer)?);
    /// let found = Project::diagnose(Some(file.into()), world, &BuildInputs::new(), &CheckOptions::default());
    /// for diagnostic in found.iter() {
    ///     let (file, [start, end]) = found.range(diagnostic).unwrap();
    ///     println!("{file} {start:?} to {end:?}: {} {:?}", diagnostic.message, diagnostic.suggestion);
    /// }
    /// # assert_eq!(found.range(found.iter().next().unwrap()).unwrap().1, [(2, 20), (2, 23)]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn diagnose(
        name: Option<String>,
        world: Arc<dyn World + Send + Sync>,
        inputs: &BuildInputs,
        options: &CheckOptions,
    ) -> Findings {
        let project = Self::named(name, world);
        let found = project.checked(inputs, options, |call, run| {
            let report = check(call, project.world(), run)?.report;
            for finding in report.findings {
                run.diags.push(finding.diagnostic);
            }
            Ok(())
        });
        match found {
            Ok(answer) => answer.findings,
            Err(error) => error.0,
        }
    }

    /// Makes the edits that are safe in the manifest, and writes it if `write`: its layers and their texts stay as they are.
    ///
    /// # Errors
    /// As [`Project::check`], and where the manifest cannot be written.
    pub fn fix(
        &self,
        inputs: &BuildInputs,
        options: &CheckOptions,
        write: bool,
    ) -> Result<Answer<Fixes>, Error> {
        self.checked(inputs, options, |call, run| {
            let first = check(call, self.world(), run)?;
            Ok(fix(first, write, call, self.world(), run)?.1)
        })
    }

    /// Applies the arguments of a model's tool call to a memory. Errors of the call are for the model, and in the
    /// answer.
    ///
    /// # Errors
    /// Where the manifest has no such memory, or its file cannot be read or written.
    pub fn remember(
        &self,
        arguments: &str,
        inputs: &BuildInputs,
        options: &MemoryOptions,
    ) -> Result<Answer<agent::memory::Answer>, Error> {
        answer(|run| {
            let memories = Memories::open(&self.call(inputs), run)?;
            let arguments = Ok(arguments.to_owned());
            of_model(&memories, options, arguments, &mut run.diags)
        })
    }

    pub(crate) fn checked<T>(
        &self,
        inputs: &BuildInputs,
        options: &CheckOptions,
        with: impl FnOnce(&CheckCall<'_>, &mut Run) -> Result<T, ErrorReported>,
    ) -> Result<Answer<T>, Error> {
        answer(|run| {
            let build = self.call(inputs);
            let given = inputs.read(self.world(), &mut run.diags);
            let base = options.base.as_ref();
            let base = base.map(|name| Base::named(name, self.world(), &mut run.diags));
            let base = base.transpose()?;
            let usage = options.usage.as_slice();
            let sent = (!usage.is_empty()).then(|| SentSystems::read(usage, run));
            let sent = sent.transpose()?;
            let call = CheckCall {
                sent: sent.as_ref(),
                base: base.as_ref(),
                build: &build,
                given: &given,
                sources: options.sources,
                min_prefix: options.min_prefix,
                cost: None,
            };
            with(&call, run)
        })
    }

    pub(crate) fn call(&self, inputs: &BuildInputs) -> BuildCall {
        BuildCall {
            project: self.clone(),
            inputs: inputs.clone(),
        }
    }
}

/// The result of one call, with what it found.
pub(crate) fn answer<T>(
    call: impl FnOnce(&mut Run) -> Result<T, ErrorReported>,
) -> Result<Answer<T>, Error> {
    let mut run = Run {
        walls: Walls::here(),
        ..Run::default()
    };
    match call(&mut run) {
        Ok(value) => Ok(Answer {
            value,
            findings: Findings::of(run),
        }),
        Err(_) => Err(Error(Findings::of(run))),
    }
}
