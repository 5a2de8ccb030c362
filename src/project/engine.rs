//! A project that stays open: each call redoes only what a difference reaches.

use super::service::answer;
use super::{Answer, BuildInputs, Built, Error, Findings, Project, Run};
#[cfg(feature = "sqlite")]
use super::{Session, SessionOptions, named, sessions::program::Programs};
use crate::compile::{GivenInputs, LayerMemo, Plan, Recent, build_warm, prepare};
use crate::diagnostic::span::Files;
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::manifest;
use crate::prompt::{Notice, Prompt};
use crate::world::{Answered, Recorder, needed};
use std::path::PathBuf;
use std::sync::Arc;

/// A project that stays open, for programs that build again and again. Many threads may call it at once.
///
/// It caches the manifest as it was read, each layer as it was built, and the last prompts. A call opens each file once
/// and lists each folder once, compares the results with the earlier ones, and rebuilds what a difference affects. It
/// trusts neither times nor sizes, and caches nothing outside of the process. Its results equal those of
/// [`Project::build`].
///
/// ```
/// # fn main() -> Result<(), promptc::Error> {
/// use promptc::{BuildInputs, Deliver, Engine, Project};
///
/// let engine = Engine::new(Project::open("examples/atlas/promptc.kdl")?);
/// let inputs = BuildInputs::new().facts("examples/atlas/facts.json");
/// let first = engine.build(&inputs)?;
/// let second = engine.build(&inputs)?;
/// assert_eq!(first.text(Deliver::System), second.text(Deliver::System));
/// # Ok(())
/// # }
/// ```
pub struct Engine {
    project: Project,
    plans: Recent<Arc<KeptPlan>, PLANS>,
    prompts: Recent<Arc<KeptPrompt>, PROMPTS>,
    /// Programs of sessions.
    #[cfg(feature = "sqlite")]
    programs: Programs,
}

/// The most prompts that are cached.
const PROMPTS: usize = 64;

/// The most plans that are cached: other roots and scenarios can need another plan.
const PLANS: usize = 8;

/// A manifest that was read.
struct KeptPlan {
    by: PlanKey,
    asked: Vec<Answered>,
    plan: Plan,
    files: Files,
    found: Diagnostics,
    notice: Option<Notice>,
    memo: LayerMemo,
}

/// The inputs of a plan other than the world.
#[derive(PartialEq)]
struct PlanKey {
    scenario: Option<String>,
    roots: Vec<(String, PathBuf)>,
    hermetic: bool,
}

/// A prompt that was built.
struct KeptPrompt {
    inputs: BuildInputs,
    asked: Vec<Answered>,
    prompt: Arc<Prompt>,
    findings: Findings,
}

impl Engine {
    /// Keeps `project` open.
    #[must_use]
    pub fn new(project: Project) -> Self {
        Self {
            project,
            plans: Recent::default(),
            prompts: Recent::default(),
            #[cfg(feature = "sqlite")]
            programs: Programs::default(),
        }
    }

    /// The project.
    #[must_use]
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// Builds the prompt.
    ///
    /// # Errors
    /// As [`Project::build`].
    pub fn build(&self, inputs: &BuildInputs) -> Result<Answer<Arc<Prompt>>, Error> {
        if inputs.keeps {
            // The record of a build has all that it read, and what is kept from an earlier one was not read again.
            let Answer { value, findings } = self.project.build(inputs)?;
            let value = Arc::new(value);
            return Ok(Answer { value, findings });
        }
        let recorder = Recorder::new(self.project.world());
        if let Some(kept) = self.built(inputs, &recorder) {
            return Ok(Answer {
                value: kept.prompt.clone(),
                findings: kept.findings.clone(),
            });
        }
        let Answer { value, findings } = answer(|run| self.fails(inputs, &recorder, run))?;
        Ok(Answer {
            value: Arc::new(value.prompt),
            findings,
        })
    }

    /// The frozen prompt of a session, as [`Project::session`] returns it.
    ///
    /// # Errors
    /// As [`Project::session`].
    #[cfg(feature = "sqlite")]
    pub fn session(
        &self,
        id: &str,
        inputs: &BuildInputs,
        options: &SessionOptions,
    ) -> Result<Answer<Session>, Error> {
        let call = self.project.call(inputs);
        named::session((id, &call), options, &self.programs)
    }

    fn built(&self, inputs: &BuildInputs, recorder: &Recorder<'_>) -> Option<Arc<KeptPrompt>> {
        let kept = self.kept(inputs, recorder);
        kept.or_else(|| self.make(inputs, recorder))
    }

    /// The errors, reported as by a build without a cache.
    fn fails(
        &self,
        inputs: &BuildInputs,
        recorder: &Recorder<'_>,
        run: &mut Run,
    ) -> Result<Built, ErrorReported> {
        let call = self.project.call(inputs);
        call.build_in(recorder, run)
    }

    /// The prompt that these inputs gave, if nothing is different since.
    fn kept(&self, inputs: &BuildInputs, recorder: &Recorder<'_>) -> Option<Arc<KeptPrompt>> {
        let same = |kept: &Arc<KeptPrompt>| kept.inputs.is_same(inputs).then(|| kept.clone());
        let found = self.prompts.find(same)?;
        recorder.are_still(&found.asked).then_some(found)
    }

    /// Builds the prompt; none if something is wrong.
    fn make(&self, inputs: &BuildInputs, recorder: &Recorder<'_>) -> Option<Arc<KeptPrompt>> {
        let (trace, mut found) = (Recorder::over(recorder), Diagnostics::default());
        let given = inputs.read(&trace, &mut found);
        found.check().ok()?;
        let kept = self.plan(&given, recorder)?;
        found.extend(&kept.found);
        let built = build_warm(&kept.plan, &given, recorder, &kept.memo, &mut found);
        let (mut prompt, asked) = built.ok()?;
        prompt.notices.extend(kept.notice.clone());
        let findings = Findings::of(Run {
            files: kept.files.clone(),
            diags: found,
            ..Run::default()
        });
        let made = |asked| {
            Arc::new(KeptPrompt {
                inputs: inputs.clone(),
                asked,
                prompt: Arc::new(prompt),
                findings,
            })
        };
        let (true, Some(asked), Some(mut all)) =
            (inputs.can_be_read_again(), asked, trace.into_asked())
        else {
            return Some(made(Vec::new()));
        };
        all.extend(asked);
        all.extend(kept.asked.iter().cloned());
        let made = made(needed(all));
        let is_same = |kept: &Arc<KeptPrompt>| kept.inputs.is_same(inputs);
        self.prompts.put(made.clone(), is_same);
        Some(made)
    }

    /// The plan for what is given; none if something is wrong.
    fn plan(&self, given: &GivenInputs, recorder: &Recorder<'_>) -> Option<Arc<KeptPlan>> {
        let by = PlanKey {
            scenario: given.scenario.clone(),
            roots: given.roots.clone(),
            hermetic: given.hermetic,
        };
        let same = |kept: &Arc<KeptPlan>| (kept.by == by).then(|| kept.clone());
        let found = self.plans.find(same);
        if let Some(found) = found.filter(|found| recorder.are_still(&found.asked)) {
            return Some(found);
        }
        let (trace, mut run) = (Recorder::over(recorder), Run::default());
        let manifest = self.project.open_in(&trace, &mut run).ok()?;
        let Run { files, diags, .. } = &mut run;
        let plan = prepare(&manifest, given, &trace, files, diags).ok()?;
        let asked = trace.into_asked()?;
        let kept = Arc::new(KeptPlan {
            by,
            asked,
            memo: LayerMemo::new(&plan),
            plan,
            files: run.files,
            found: run.diags,
            notice: manifest::notice(&manifest),
        });
        self.plans.put(kept.clone(), |before| before.by == kept.by);
        Some(kept)
    }
}
