//! The inputs of builds, and a manifest with its inputs.

use super::input::{self, Input, NAME_A_FILE, Streams, Takes, What, read_input};
use super::{Project, Run, output};
use crate::check;
use crate::compile::given::FactsFile;
use crate::compile::{self, GivenInputs, Plan};
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported, ExitClass};
use crate::manifest::{self, Manifest};
use crate::prompt::{Prompt, RecordedInputs};
use crate::text::tokens::Tokenizer;
use crate::world::{Recorder, TracingWorld, World};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The largest facts file, in bytes.
pub(crate) const MAX_FACTS: u64 = 4 << 20;

/// The inputs of builds: facts, roots and a scenario.
#[derive(Debug, Clone, Default)]
pub struct BuildInputs {
    /// The scenario of the manifest that is built.
    pub(crate) scenario: Option<String>,
    /// JSON objects of facts, in order: a later file wins. `-` is standard input.
    pub(crate) facts: Vec<PathBuf>,
    /// A JSON object of facts that wins over those of files, and how messages call it.
    pub(crate) object: Option<(String, Arc<[u8]>)>,
    /// Facts by name, in order: the last wins, and all win over files. Lists and maps are JSON.
    pub(crate) sets: Vec<(String, String)>,
    /// Folders of roots by name; several of one name for a root that is `many`.
    pub(crate) roots: Vec<(String, PathBuf)>,
    /// The tokenizer; without it that of the prompt's budget, if the budget counts tokens.
    pub(crate) tokenizer: Option<Tokenizer>,
    /// The current time for facts with a clock, RFC 3339.
    pub(crate) now: Option<String>,
    /// Whether it is an error to read a fact or root from the environment, the clock or the home folder.
    pub(crate) hermetic: bool,
    /// The layers that are left out.
    pub(crate) without: Vec<String>,
    /// Whether the prompt carries its inputs.
    pub(crate) keeps: bool,
    /// The errors of the call itself.
    pub(crate) wrong: Vec<Diagnostic>,
    /// The content of standard input and of pipes among the facts files: they can be read once.
    pub(crate) streams: Arc<Streams>,
}

impl BuildInputs {
    /// Nothing is given.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Builds this scenario of the manifest.
    #[must_use]
    pub fn scenario(mut self, name: impl Into<String>) -> Self {
        self.scenario = Some(name.into());
        self
    }

    /// Gives a fact, as text; lists and maps as JSON. The last of one name wins, and wins over files.
    #[must_use]
    pub fn set(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.sets.push((name.into(), value.into()));
        self
    }

    /// Gives the facts of a file with a JSON object; a later file wins.
    #[must_use]
    pub fn facts(mut self, file: impl Into<PathBuf>) -> Self {
        self.facts.push(file.into());
        self
    }

    /// Gives the facts of a JSON object, which win over those of files. Messages call it `name`, such as `<facts>`.
    #[must_use]
    pub fn facts_object(mut self, name: impl Into<String>, json: impl Into<Arc<[u8]>>) -> Self {
        self.object = Some((name.into(), json.into()));
        self
    }

    /// Gives a root's folder; again for a further one of a root that is `many`.
    #[must_use]
    pub fn root(mut self, name: impl Into<String>, folder: impl Into<PathBuf>) -> Self {
        self.roots.push((name.into(), folder.into()));
        self
    }

    /// Counts tokens so, whatever the prompt's budget counts with.
    #[must_use]
    pub fn tokenizer(mut self, tokenizer: Tokenizer) -> Self {
        self.tokenizer = Some(tokenizer);
        self
    }

    /// Lets facts with a clock take this as now, RFC 3339.
    #[must_use]
    pub fn now(mut self, time: impl Into<String>) -> Self {
        self.now = Some(time.into());
        self
    }

    /// Makes it an error to read a fact or root from the environment, the clock or the home folder.
    #[must_use]
    pub fn hermetic(mut self) -> Self {
        self.hermetic = true;
        self
    }

    /// Leaves a layer out: it yields nothing, as if its `when` were false. The result is a variant of the prompt, to measure
    /// the value of a layer; no session takes it.
    #[must_use]
    pub fn without(mut self, layer: impl Into<String>) -> Self {
        self.without.push(layer.into());
        self
    }

    /// Lets the prompt carry its inputs, as an artifact of `promptc build --format json` does: a comparison of two prompts that do
    /// names causes, which builds from these inputs prove. The artifact then holds the manifest, what was read for the prompt, and the
    /// values of facts that are not private.
    #[must_use]
    pub fn keep_inputs(mut self) -> Self {
        self.keeps = true;
        self
    }

    /// Whether the same is given: of what is read from files only their names are compared.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let Self {
            scenario,
            facts,
            object,
            sets,
            roots,
            tokenizer,
            now,
            hermetic,
            without,
            keeps,
            wrong,
            streams: _,
        } = self;
        (scenario, facts, object) == (&other.scenario, &other.facts, &other.object)
            && (sets, roots, now) == (&other.sets, &other.roots, &other.now)
            && (tokenizer, hermetic, without) == (&other.tokenizer, &other.hermetic, &other.without)
            && *keeps == other.keeps
            && wrong.is_empty()
            && other.wrong.is_empty()
    }

    /// Whether all that was read for it can be read again: standard input and pipes cannot.
    pub(super) fn can_be_read_again(&self) -> bool {
        input::is_empty(&self.streams)
    }

    /// Whether standard input holds facts for all that is built.
    pub(crate) fn takes_stdin(&self) -> bool {
        self.facts.iter().any(|path| path == Path::new("-"))
    }

    /// Whether facts, roots or a scenario are given.
    pub(crate) fn gives_any(&self) -> bool {
        self.gives() || !self.roots.is_empty() || self.scenario.is_some()
    }

    /// Whether facts are given.
    pub(crate) fn gives(&self) -> bool {
        !self.facts.is_empty()
            || self.object.is_some()
            || !self.sets.is_empty()
            || !self.wrong.is_empty()
    }

    /// Reads a file that another argument names, or standard input, which facts may have taken.
    pub(crate) fn input(
        &self,
        world: &dyn World,
        path: &Path,
        what: &What,
        diags: &mut Diagnostics,
    ) -> Result<Input, ErrorReported> {
        read_input(world, path, what, &self.streams, diags)
    }

    /// Reads the files of facts in `world`.
    pub(crate) fn read(&self, world: &dyn World, diags: &mut Diagnostics) -> GivenInputs {
        let mut given = GivenInputs {
            scenario: self.scenario.clone(),
            now: self.now.clone(),
            tokenizer: self.tokenizer,
            hermetic: self.hermetic,
            without: self.without.clone(),
            sets: self.sets.clone(),
            roots: self.roots.clone(),
            ..GivenInputs::default()
        };
        for path in &self.facts {
            let facts = read_facts(world, path, &self.streams, diags);
            given.facts.extend(facts);
        }
        let object = self.object.iter();
        let object = object.map(|(name, json)| FactsFile::new(name, json));
        given.facts.extend(object);
        for wrong in &self.wrong {
            diags.push(wrong.clone());
        }
        given
    }
}

/// A manifest and what is given to its builds.
#[derive(Clone)]
pub(crate) struct BuildCall {
    /// The manifest.
    pub(crate) project: Project,
    /// The inputs.
    pub(crate) inputs: BuildInputs,
}

impl BuildCall {
    /// One call for each scenario if there are several and no input selects one; else this call alone.
    pub(crate) fn scenarios(self, run: &mut Run) -> Result<Vec<Self>, ErrorReported> {
        if self.inputs.gives_any() {
            return Ok(vec![self]);
        }
        let mut scratch = Run::default();
        let manifest = self.project.open_in(self.project.world(), &mut scratch);
        // Other errors are reported when it is built.
        if let Err(reported) = manifest
            && scratch.diags.exit_class() == Some(ExitClass::World)
        {
            (run.files, run.diags) = (scratch.files, scratch.diags);
            return Err(reported);
        }
        let names = manifest.iter().flat_map(|manifest| manifest.tried());
        let names: Vec<&String> = names.map(|scenario| &scenario.name.value).collect();
        Ok(match names.as_slice() {
            [] | [_] => vec![self.clone()],
            names => {
                let call = |name: &&String| Self {
                    inputs: self.inputs.clone().scenario(*name),
                    ..self.clone()
                };
                names.iter().map(call).collect()
            }
        })
    }

    /// Reads the manifest and builds it.
    pub(crate) fn build(&self, run: &mut Run) -> Result<Built, ErrorReported> {
        self.build_in(self.project.world(), run)
    }

    /// Reads the manifest in `world` and builds it there.
    pub(crate) fn build_in(
        &self,
        world: &dyn World,
        run: &mut Run,
    ) -> Result<Built, ErrorReported> {
        let world = TracingWorld::new(world);
        let given = self.inputs.read(&world, &mut run.diags);
        let manifest = self.project.open_in(&world, run)?;
        // The plan stops at the errors so far, after it has reported all others.
        let Run { files, diags, .. } = &mut *run;
        let plan = compile::prepare(&manifest, &given, &world, files, diags)?;
        let mut prompt = compile::build(&plan, &given, &world, diags)?;
        prompt.notices.extend(manifest::notice(&manifest));
        Ok(Built::new(manifest, prompt, world, run))
    }

    /// Reads the manifest and builds it; the prompt carries its inputs, to be kept: with a warning if they are too large, and an error
    /// for what must not be kept.
    pub(crate) fn build_recorded(&self, run: &mut Run) -> Result<Built, ErrorReported> {
        self.build_with_inputs(self.project.world(), true, run)
    }

    /// Reads the manifest and builds it; the prompt carries its inputs, if they are not too large, to be compared.
    pub(crate) fn build_comparable(&self, run: &mut Run) -> Result<Built, ErrorReported> {
        self.build_comparable_in(self.project.world(), run)
    }

    /// The same in `world`.
    pub(crate) fn build_comparable_in(
        &self,
        world: &dyn World,
        run: &mut Run,
    ) -> Result<Built, ErrorReported> {
        self.build_with_inputs(world, false, run)
    }

    fn build_with_inputs(
        &self,
        world: &dyn World,
        is_kept: bool,
        run: &mut Run,
    ) -> Result<Built, ErrorReported> {
        let world = TracingWorld::new(world);
        // Facts files may be private: the record has the values of facts, and no file that gives them.
        let given = self.inputs.read(&world, &mut run.diags);
        let recorder = Recorder::new(&world);
        let manifest = self.project.open_in(&recorder, run)?;
        let Run { files, diags, .. } = &mut *run;
        let plan = compile::prepare(&manifest, &given, &recorder, files, diags)?;
        let built = compile::build_recorded(&plan, &given, recorder, diags);
        if is_kept {
            for finding in check::of_kept_inputs(&plan, files) {
                let mut found = finding.diagnostic;
                let help = found.help.take().unwrap_or_default();
                diags.push(found.help(format!("{help}; or build with --no-inputs")));
            }
        }
        let (mut prompt, inputs) = built?;
        prompt.notices.extend(manifest::notice(&manifest));
        prompt.inputs = if is_kept {
            diags.check()?;
            carried(inputs, CARRIER, diags)
        } else {
            inputs.fits().then(|| Arc::new(inputs))
        };
        Ok(Built::new(manifest, prompt, world, run))
    }
}

/// Builds a prompt that carries its inputs, if they are not too large.
pub(super) fn build_comparable(
    plan: &Plan,
    given: &GivenInputs,
    recorder: Recorder<'_>,
    diags: &mut Diagnostics,
) -> Result<Prompt, ErrorReported> {
    let (mut prompt, inputs) = compile::build_recorded(plan, given, recorder, diags)?;
    prompt.inputs = inputs.fits().then(|| Arc::new(inputs));
    Ok(prompt)
}

/// What carries the inputs of a build, in words of the warning that they are too large.
pub(crate) struct Carrier {
    /// "an artifact carries"
    pub(crate) carries: &'static str,
    /// "it is written without them"
    pub(crate) without: &'static str,
    /// What to do, or what follows.
    pub(crate) help: &'static str,
}

const CARRIER: Carrier = Carrier {
    carries: "an artifact carries",
    without: "it is written without them",
    help: "--no-inputs leaves them out without this warning",
};

/// The inputs as a prompt carries them; none if they are too large.
pub(crate) fn carried(
    inputs: RecordedInputs,
    carrier: Carrier,
    diags: &mut Diagnostics,
) -> Option<Arc<RecordedInputs>> {
    let (bytes, most) = (inputs.bytes(), RecordedInputs::MAX_BYTES);
    if bytes <= most {
        return Some(Arc::new(inputs));
    }
    let Carrier {
        carries,
        without,
        help,
    } = carrier;
    let message = format!("the inputs have {bytes} bytes, and {carries} at most {most}: {without}");
    diags.push(Diagnostic::warning(diagnostic::INPUTS_LEFT_OUT, message).help(help));
    None
}

/// A prompt and what it was made from.
pub(crate) struct Built {
    pub(crate) manifest: Arc<Manifest>,
    pub(crate) prompt: Prompt,
    pub(super) read: BTreeSet<PathBuf>,
}

impl Built {
    fn new(
        manifest: Arc<Manifest>,
        prompt: Prompt,
        world: TracingWorld<'_>,
        run: &mut Run,
    ) -> Self {
        let read = world.into_read();
        run.read.append(&mut read.clone());
        Self {
            manifest,
            prompt,
            read,
        }
    }

    /// Whether the file at `path` was read to make it, under whatever name.
    pub(crate) fn has_read(&self, path: &Path) -> bool {
        output::is_among(path, &self.read)
    }
}

/// The wording of errors about a facts file.
const FACTS: What = What {
    noun: "facts file",
    missing: diagnostic::FACTS_NOT_FOUND,
    help: "--facts takes the path of a JSON file, or `-` for standard input",
    folder: NAME_A_FILE,
    unreadable: diagnostic::UNREADABLE_PROGRAM,
    limit: MAX_FACTS,
    large: "a long text belongs into a document that a layer reads",
    takes: Takes::Streams,
};

/// Whether the argument holds facts instead of the name of a file. They are not shown: they may be private.
pub(crate) fn is_value(world: &dyn World, path: &Path) -> bool {
    let written = path.to_string_lossy();
    let is_json = written.trim_start().starts_with(['{', '[']) || written.contains('"');
    is_json && world.kind(path).is_err()
}

/// The error of facts in place of the name of a file.
pub(crate) fn no_file_name(option: &str) -> Diagnostic {
    let message = format!("{option} takes the name of a file, and is given JSON");
    Diagnostic::error(diagnostic::FACTS_NOT_FOUND, message).help(format!(
        "write it to a file, or to standard input with `{option} -`; what is given is not shown, since it may be private"
    ))
}

fn read_facts(
    world: &dyn World,
    path: &Path,
    streams: &Streams,
    diags: &mut Diagnostics,
) -> Option<FactsFile> {
    if is_value(world, path) {
        diags.push(no_file_name("--facts"));
        return None;
    }
    let read = read_input(world, path, &FACTS, streams, diags);
    let Input { name, bytes } = read.ok()?;
    Some(FactsFile::new(name, &bytes))
}
