//! Reading a history.

use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::project::artifact::FILE;
use crate::project::input::{self, Input, What};
use crate::world::World;
use std::path::Path;
use std::sync::Arc;

/// How a history is told of.
const MESSAGES: What = What {
    help: "--messages takes the path of a JSON file, or `-` for standard input",
    ..FILE
};

/// What the file at `path` holds, `-` for standard input, and how messages call it.
pub(super) fn read(
    path: &Path,
    world: &dyn World,
    diags: &mut Diagnostics,
) -> Result<(String, Arc<[u8]>), ErrorReported> {
    let read = input::read(world, path, &MESSAGES);
    let Input { name, bytes } = read.map_err(|problem| diags.push(*problem))?;
    Ok((name, bytes.into()))
}
