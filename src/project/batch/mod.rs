//! A batch: a fact object a line in, an artifact a line out, in order, on several threads.

mod lines;
mod world;

use super::{BuildCall, Run, output};
use crate::compile::{self, FactsFile, GivenInputs, LayerMemo, stage};
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported};
use crate::manifest;
use crate::prompt::Notice;
use crate::world::Snapshot;
use crate::world::threads::OrderedPool;
use lines::Line;
use serde::Serialize;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use world::BatchWorld;

/// What messages call the line that is built. Its number stands beside them, so that what is written for a line depends on
/// nothing but the line.
const LINE: &str = "<line>";

/// What a batch is made of.
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

/// What a line came to.
pub(crate) enum Outcome {
    /// The artifact as one line, and what was lost.
    Built(Vec<u8>, Vec<Notice>),
    /// It is a bad line.
    Refused(Diagnostics),
    /// The lines cannot be read on.
    Failed(io::Error),
}

/// A batch that is being built.
pub(crate) struct Batch {
    pool: OrderedPool<Outcome>,
    shared: Arc<Shared>,
}

impl Batch {
    /// Reads the manifest, opens the lines and begins to build them.
    pub(crate) fn open(call: &BatchCall<'_>, run: &mut Run) -> Result<Self, ErrorReported> {
        if call.lines == Path::new("-") && call.build.inputs.takes_stdin() {
            let message = "--facts and --batch both read standard input";
            let found = Diagnostic::error(diagnostic::USAGE, message);
            return Err(run.diags.push(found.help("give one of them as a file")));
        }
        let mut builder = Builder::new(call, run)?;
        let shared = builder.shared.clone();
        let lines = lines::open(call.lines).map_err(|error| run.diags.push(*error))?;
        shared.world.note(call.lines);
        if shared.world.has_read_output() {
            return Err(run
                .diags
                .push(output::is_input(call.output.unwrap_or(call.lines))));
        }
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        let jobs = call.jobs.unwrap_or_else(cores);
        let pool = OrderedPool::start(jobs, lines, move |line| builder.build(line));
        let pool = pool.map_err(|error| {
            let message = format!("no thread could be started: {}", output::reason(&error));
            let found = Diagnostic::error(diagnostic::OUTPUT_NOT_WRITTEN, message);
            run.diags
                .push(found.help("give promptc more memory, or end other processes"))
        })?;
        Ok(Self { pool, shared })
    }

    /// What the next line came to; none behind the last. `idle` is called if it has to be waited for.
    pub(crate) fn next(&mut self, idle: impl FnOnce()) -> Option<Outcome> {
        self.pool.next(idle)
    }

    /// Whether the file that is written was read for a line.
    pub(crate) fn has_read_output(&self) -> bool {
        self.shared.world.has_read_output()
    }

    /// What messages call the file of the lines.
    pub(crate) fn shown(&self, lines: &Path) -> String {
        match lines == Path::new("-") {
            true => "<stdin>".to_owned(),
            false => manifest::shown(self.shared.world.as_ref(), lines),
        }
    }
}

/// Builds lines.
#[derive(Clone)]
struct Builder {
    shared: Arc<Shared>,
    /// What is given to every line; the line comes on top.
    given: GivenInputs,
}

/// What is the same for all lines.
struct Shared {
    plan: stage::Plan,
    /// What was found of the world: each file is read once for all lines.
    snapshot: Snapshot,
    world: Arc<BatchWorld>,
    memo: LayerMemo,
    /// What there is to say of the manifest.
    notice: Option<Notice>,
}

impl Builder {
    /// Reads the manifest and what is given to all lines.
    fn new(call: &BatchCall<'_>, run: &mut Run) -> Result<Self, ErrorReported> {
        let world = BatchWorld::new(call.build.project.shared_world(), call.output);
        let given = call.build.inputs.read(&world, &mut run.diags);
        let manifest = call.build.project.open_in(&world, run)?;
        let Run { files, diags, .. } = &mut *run;
        let plan = compile::prepare(&manifest, &given, &world, files, diags)?;
        // Told once here, or else for each line.
        stage::check_given(&plan, &given, &world, diags)?;
        let world = Arc::new(world);
        let shared = Shared {
            memo: LayerMemo::new(&plan),
            plan,
            snapshot: Snapshot::new(world.clone()),
            world,
            notice: manifest::notice(&manifest),
        };
        Ok(Self {
            shared: Arc::new(shared),
            given,
        })
    }

    fn build(&mut self, line: Line) -> Outcome {
        let mut diags = Diagnostics::default();
        let bytes = match line {
            Line::Bytes(bytes) if !bytes.trim_ascii().is_empty() => bytes,
            Line::Failed(error) => return Outcome::Failed(error),
            unusable => {
                diags.push(not_usable(&unusable));
                return Outcome::Refused(diags);
            }
        };
        self.given.facts.push(FactsFile::new(LINE, &bytes));
        let shared = &self.shared;
        let Shared {
            plan,
            snapshot,
            memo,
            ..
        } = &**shared;
        let built = compile::build_warm(plan, &self.given, snapshot, memo, &mut diags);
        self.given.facts.pop();
        let Ok((mut prompt, _)) = built else {
            return Outcome::Refused(diags);
        };
        prompt.notices.extend(shared.notice.clone());
        let line = json_line(&prompt);
        let mut notices = prompt.notices;
        if prompt.channels.is_empty() {
            notices.push(Notice {
                code: diagnostic::EMPTY_PROMPT.name.to_owned(),
                layer: None,
                message: "the prompt is empty".to_owned(),
            });
        }
        Outcome::Built(line, notices)
    }
}

/// The error of a line that is too long or blank.
fn not_usable(line: &Line) -> Diagnostic {
    match line {
        Line::TooLong => {
            let message = format!("`{LINE}` is longer than 64 MiB");
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
