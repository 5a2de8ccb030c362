//! The memory that a call names, and the files that are read for it.

use crate::agent::memory::Refusal;
use crate::compile::{self, GivenInputs, MemoryTarget, memory_layers, memory_target, stage};
use crate::diagnostic::{self as codes, Diagnostic, Diagnostics, ErrorReported, suggest};
use crate::project::input::{Input, NAME_A_FILE, Takes, What};
use crate::project::{BuildCall, Run};
use crate::text::normalise;
use crate::world::World;
use crate::world::write::Walls;
use std::path::Path;
use std::sync::Arc;

/// The largest call, in bytes.
const LARGEST: u64 = 64 * 1024 * 1024;

/// The memories of a manifest.
pub(crate) struct Memories {
    plan: stage::Plan,
    given: GivenInputs,
    world: Arc<dyn World + Send + Sync>,
    /// Where no writer follows a link.
    walls: Walls,
    /// The layers, in order; there is one at least.
    names: Vec<Arc<str>>,
}

impl Memories {
    /// Reads the manifest.
    pub(crate) fn open(args: &BuildCall, run: &mut Run) -> Result<Self, ErrorReported> {
        let world = args.project.shared_world();
        let given = args.inputs.read(world.as_ref(), &mut run.diags);
        let manifest = args.project.open_in(world.as_ref(), run)?;
        let Run { files, diags, .. } = &mut *run;
        let plan = compile::prepare(&manifest, &given, world.as_ref(), files, diags)?;
        let names = memory_layers(&plan);
        if names.is_empty() {
            let message = "no layer of the manifest has a `memory` source";
            return Err(diags.push(
                Diagnostic::error(codes::UNKNOWN_MEMORY, message).help(
                    "write one: layer notes { memory \"MEMORY.md\" root=ROOT capacity=2000 }",
                ),
            ));
        }
        Ok(Self {
            plan,
            given,
            world,
            walls: run.walls.clone(),
            names,
        })
    }

    /// The world that this run reads.
    pub(crate) fn world(&self) -> &dyn World {
        self.world.as_ref()
    }

    /// Where no writer follows a link.
    pub(crate) fn walls(&self) -> &Walls {
        &self.walls
    }

    /// The names of the memories, in order.
    pub(crate) fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    /// The memory of that name, which there is.
    pub(crate) fn target(
        &self,
        name: &str,
        diags: &mut Diagnostics,
    ) -> Result<MemoryTarget, ErrorReported> {
        memory_target(&self.plan, name, &self.given, self.world(), diags)
    }

    /// All of them, in order.
    pub(crate) fn all(&self, diags: &mut Diagnostics) -> Result<Vec<MemoryTarget>, ErrorReported> {
        let mut out = Vec::new();
        // The errors of all of them are reported in one run.
        for name in &self.names {
            let mut own = Diagnostics::default();
            out.extend(self.target(name, &mut own).ok());
            diags.extend(&own);
        }
        diags.check()?;
        Ok(out)
    }

    /// The requested memory; without a name the only one.
    pub(crate) fn chosen(
        &self,
        asked: Option<&str>,
        diags: &mut Diagnostics,
    ) -> Result<MemoryTarget, ErrorReported> {
        match (asked, &self.names[..]) {
            (Some(name), _) => {
                self.check(name, diags)?;
                self.target(name, diags)
            }
            (None, [only]) => self.target(only, diags),
            (None, _) => {
                let message = "the manifest has several memories, and none is named";
                Err(diags.push(
                    Diagnostic::error(codes::UNKNOWN_MEMORY, message)
                        .help(format!("--target takes one of {}", self.listed())),
                ))
            }
        }
    }

    /// Fails if there is no memory of that name.
    pub(crate) fn check(&self, name: &str, diags: &mut Diagnostics) -> Result<(), ErrorReported> {
        if self.names.iter().any(|n| **n == *name) {
            return Ok(());
        }
        let message = format!("there is no memory `{name}`");
        let names = self.names.iter().map(|n| &**n);
        let help = match suggest::nearest(name, names) {
            Some(near) => format!("there is a memory `{near}`"),
            None => format!("the memories are {}", self.listed()),
        };
        Err(diags.push(Diagnostic::error(codes::UNKNOWN_MEMORY, message).help(help)))
    }

    fn listed(&self) -> String {
        suggest::list(self.names.iter().map(|n| &**n))
    }
}

/// The wording of errors about the file of a call.
const CALL: What = What {
    noun: "",
    missing: codes::MISSING_FILE,
    help: "the call is read from a file, or from standard input with `-`",
    folder: NAME_A_FILE,
    unreadable: codes::UNREADABLE_FILE,
    limit: LARGEST,
    large: "a call of the model holds one change; name its file",
    takes: Takes::Streams,
};

/// The call of a model. The model gets errors of the call itself; its caller gets errors of reading it.
pub(crate) fn call(
    path: &Path,
    args: &BuildCall,
    world: &dyn World,
    diags: &mut Diagnostics,
) -> Result<Result<String, Refusal>, ErrorReported> {
    let mut found = Diagnostics::default();
    let read = input(path, args, world, &mut found);
    let why = found.iter().find_map(|d| match d.code {
        codes::INVALID_UTF8 => Some("it is not UTF-8"),
        codes::DOCUMENT_TOO_LARGE => Some("it is larger than 64 MiB"),
        _ => None,
    });
    if let Some(why) = why {
        return Ok(Err(Refusal::no_call(why.to_owned())));
    }
    diags.extend(&found);
    read.map(Ok)
}

/// A text from a file, or with `-` from standard input.
pub(crate) fn input(
    path: &Path,
    args: &BuildCall,
    world: &dyn World,
    diags: &mut Diagnostics,
) -> Result<String, ErrorReported> {
    if path == Path::new("-") && args.inputs.takes_stdin() {
        let message = "standard input is wanted for --facts and for the memory";
        return Err(
            diags.push(Diagnostic::error(codes::USAGE, message).help("pass one of them as a file"))
        );
    }
    let Input { name, bytes } = args.inputs.input(world, path, &CALL, diags)?;
    match normalise::decode(bytes) {
        Ok(text) => Ok(normalise::bom(&text).to_owned()),
        Err(at) => {
            let message = format!("`{name}` is not UTF-8: byte {at} is invalid");
            let found = Diagnostic::error(codes::INVALID_UTF8, message);
            Err(diags.push(found.help("a memory holds text only")))
        }
    }
}
