//! Reading a history.

use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::project::artifact::FILE;
use crate::project::input::{self, Input, What};
use crate::world::World;
use std::path::Path;
use std::sync::Arc;

/// The wording for a history in messages.
const MESSAGES: What = What {
    help: "--messages takes the path of a JSON file, or `-` for standard input",
    ..FILE
};

/// The content of the file at `path`, `-` for standard input, and its name in messages.
pub(super) fn read(
    path: &Path,
    world: &dyn World,
    diags: &mut Diagnostics,
) -> Result<(String, Arc<[u8]>), ErrorReported> {
    let read = input::read(world, path, &MESSAGES);
    let Input { name, bytes } = read.map_err(|problem| diags.push(*problem))?;
    Ok((name, bytes.into()))
}
