//! A batch: a fact object a line in, an artifact a line out, in order, on several threads. The variants of a prompt, each without
//! one layer, are a batch too.

mod lines;
mod variants;
mod world;

use super::service::answer;
use super::{Answer, BuildCall, BuildInputs, Error, Findings, Project, Run, output};
use crate::compile::{self, FactsFile, GivenInputs, LayerMemo, stage};
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported};
use crate::manifest;
use crate::prompt::{Notice, Prompt};
use crate::world::Recorder;
use crate::world::threads::OrderedPool;
use lines::Line;
use serde::Serialize;
use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use world::BatchWorld;

/// The name in messages of the line that is built. Its number is printed next to them, so the output of a line depends
/// on nothing but the line.
const LINE: &str = "<line>";

/// The input of a batch.
pub(crate) struct BatchCall<'a> {
    /// The manifest, and what is given to every line.
    pub(crate) build: &'a BuildCall,
    /// The file of the lines; `-` is standard input.
    pub(crate) lines: &'a Path,
    /// The file that is written, so that it is noticed where it is read.
    pub(crate) output: Option<&'a Path>,
    /// How many threads build; one for each core without it.
    pub(crate) jobs: Option<usize>,
}

/// The result of a line or a variant.
pub(crate) enum Outcome<T> {
    /// The prompt as it is handed on, what was lost, and the warnings about the line.
    Built(T, Vec<Notice>, Diagnostics),
    /// It cannot be built.
    Refused(Diagnostics),
    /// The lines cannot be read on.
    Failed(io::Error),
}

/// A batch that is being built.
pub(crate) struct LineBatch {
    /// Lines are handed on several at once: to wake a thread takes longer than to build many a prompt.
    pool: OrderedPool<Vec<Outcome<Vec<u8>>>>,
    /// The results that are not taken yet.
    ready: VecDeque<Outcome<Vec<u8>>>,
    shared: Arc<Shared>,
}

impl LineBatch {
    /// Reads the manifest, opens the lines and begins to build them: each artifact as one line.
    pub(crate) fn open(call: &BatchCall<'_>, run: &mut Run) -> Result<Self, ErrorReported> {
        if call.lines == Path::new("-") && call.build.inputs.takes_stdin() {
            let message = "--facts and --batch both read standard input";
            let found = Diagnostic::error(diagnostic::USAGE, message);
            return Err(run.diags.push(found.help("give one of them as a file")));
        }
        let mut builder = Builder::new(call.build, call.output, run)?;
        let shared = builder.shared.clone();
        let lines = lines::open(call.lines).map_err(|error| run.diags.push(*error))?;
        shared.world.note(call.lines);
        if shared.world.has_read_output() {
            return Err(run
                .diags
                .push(output::is_input(call.output.unwrap_or(call.lines))));
        }
        let build = move |lines: Vec<Line>| {
            let lines = lines.into_iter();
            lines.map(|line| builder.line(line)).collect()
        };
        Ok(Self {
            pool: start(call.jobs, lines.chunks(), build, run)?,
            ready: VecDeque::new(),
            shared,
        })
    }

    /// The result of the next line; none after the last. `idle` is called before waiting for it.
    pub(crate) fn next(&mut self, idle: impl FnOnce()) -> Option<Outcome<Vec<u8>>> {
        if self.ready.is_empty() {
            self.ready.extend(self.pool.next(idle)?);
        }
        self.ready.pop_front()
    }

    /// Whether the file that is written was read for a line.
    pub(crate) fn has_read_output(&self) -> bool {
        self.shared.world.has_read_output()
    }

    /// The name of the file of lines in messages.
    pub(crate) fn shown(&self, lines: &Path) -> String {
        if lines == Path::new("-") {
            "<stdin>".to_owned()
        } else {
            manifest::shown(self.shared.world.as_ref(), lines)
        }
    }
}

/// Lets threads build; as many as there are cores if no number is given.
fn start<T: Send + 'static, R: Send + 'static>(
    jobs: Option<usize>,
    items: impl Iterator<Item = T> + Send + 'static,
    build: impl FnMut(T) -> R + Clone + Send + 'static,
    run: &mut Run,
) -> Result<OrderedPool<R>, ErrorReported> {
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    OrderedPool::start(jobs.unwrap_or_else(cores), items, build).map_err(|error| {
        let message = format!("no thread could be started: {}", output::reason(&error));
        let found = Diagnostic::error(diagnostic::OUTPUT_NOT_WRITTEN, message);
        run.diags
            .push(found.help("give promptc more memory, or end other processes"))
    })
}

/// A batch that is being built: a prompt for each JSON object of facts, in their order, or what is wrong with it.
pub struct Batch {
    pool: OrderedPool<Result<Answer<Prompt>, Error>>,
}

impl Iterator for Batch {
    type Item = Result<Answer<Prompt>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.pool.next(|| {})
    }
}

impl Project {
    /// Builds a prompt for each JSON object of facts, on several threads: `jobs`, or one for each core. The manifest is read once.
    ///
    /// # Errors
    /// Where the manifest or what is given to all is wrong.
    pub fn batch(
        &self,
        inputs: &BuildInputs,
        facts: impl Iterator<Item = Vec<u8>> + Send + 'static,
        jobs: Option<usize>,
    ) -> Result<Answer<Batch>, Error> {
        let build = self.call(inputs);
        answer(|run| {
            let mut builder = Builder::new(&build, None, run)?;
            let files = run.files.clone();
            let build = move |facts: Vec<u8>| {
                let mut diags = Diagnostics::default();
                let built = builder.build(Line::Bytes(facts), &mut diags);
                let findings = Findings::new(&diags, &files);
                match built {
                    Ok(value) => Ok(Answer { value, findings }),
                    Err(_) => Err(Error(findings)),
                }
            };
            let pool = start(jobs, facts, build, run)?;
            Ok(Batch { pool })
        })
    }
}

/// Builds lines.
#[derive(Clone)]
struct Builder {
    shared: Arc<Shared>,
    /// The inputs of every line; the line is added to them.
    given: GivenInputs,
}

/// The state shared by all lines.
struct Shared {
    plan: stage::Plan,
    /// The world's answers so far: each file is read once for all lines.
    recorder: Recorder<'static>,
    world: Arc<BatchWorld>,
    memo: LayerMemo,
    /// The findings about the manifest.
    notice: Option<Notice>,
}

impl Builder {
    /// Reads the manifest and what is given to all lines.
    fn new(build: &BuildCall, output: Option<&Path>, run: &mut Run) -> Result<Self, ErrorReported> {
        let world = BatchWorld::new(build.project.shared_world(), output);
        let given = build.inputs.read(&world, &mut run.diags);
        let manifest = build.project.open_in(&world, run)?;
        let Run { files, diags, .. } = &mut *run;
        let plan = compile::prepare(&manifest, &given, &world, files, diags)?;
        // Reported once here, or else for each line.
        stage::check_given(&plan, &given, &world, diags)?;
        let world = Arc::new(world);
        let shared = Shared {
            memo: LayerMemo::new(&plan),
            plan,
            recorder: Recorder::bounded(world.clone()),
            world,
            notice: manifest::notice(&manifest),
        };
        Ok(Self {
            shared: Arc::new(shared),
            given,
        })
    }

    fn line(&mut self, line: Line) -> Outcome<Vec<u8>> {
        if let Line::Failed(error) = line {
            return Outcome::Failed(error);
        }
        let mut diags = Diagnostics::default();
        match self.build(line, &mut diags) {
            Ok(prompt) => built(prompt, diags),
            Err(_) => Outcome::Refused(diags),
        }
    }

    fn build(&mut self, line: Line, diags: &mut Diagnostics) -> Result<Prompt, ErrorReported> {
        let bytes = match line {
            Line::Bytes(bytes) if !bytes.trim_ascii().is_empty() => bytes,
            unusable => return Err(diags.push(not_usable(&unusable))),
        };
        self.given.facts.push(FactsFile::new(LINE, &bytes));
        let built = self.shared.build(&self.given, diags);
        self.given.facts.pop();
        built
    }
}

impl Shared {
    /// Builds a prompt from what is given.
    fn build(&self, given: &GivenInputs, diags: &mut Diagnostics) -> Result<Prompt, ErrorReported> {
        let (recorder, memo) = (&self.recorder, &self.memo);
        let (mut prompt, _) = compile::build_warm(&self.plan, given, recorder, memo, diags)?;
        prompt.notices.extend(self.notice.clone());
        Ok(prompt)
    }
}

/// A prompt as it is handed on.
fn built(prompt: Prompt, diags: Diagnostics) -> Outcome<Vec<u8>> {
    let line = json_line(&prompt);
    let mut notices = prompt.notices;
    if prompt.channels.is_empty() {
        notices.push(Notice {
            code: diagnostic::EMPTY_PROMPT.name.to_owned(),
            layer: None,
            message: "the prompt is empty".to_owned(),
        });
    }
    Outcome::Built(line, notices, diags)
}

/// The error of a line that is too long or blank.
fn not_usable(line: &Line) -> Diagnostic {
    match line {
        Line::TooLong => {
            let message = format!("`{LINE}` is longer than 4 MiB");
            Diagnostic::error(diagnostic::DOCUMENT_TOO_LARGE, message)
                .help("a long text belongs into a document that a layer reads")
        }
        _ => Diagnostic::error(diagnostic::FACTS_NOT_JSON, format!("`{LINE}` is blank"))
            .help("each line is one whole JSON object; that of no facts is {}"),
    }
}

/// A value as JSON on one line.
pub(crate) fn json_line(value: &impl Serialize) -> Vec<u8> {
    // Strings, numbers and lists always have a JSON form.
    let mut line = serde_json::to_vec(value).unwrap_or_default();
    line.push(b'\n');
    line
}
