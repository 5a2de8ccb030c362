//! Reading a history.

use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported};
use crate::project::artifact;
use crate::project::artifact::FILE;
use crate::project::input::{self, Input, What};
use crate::request::json::{Exact, Json};
use crate::world::World;
use std::path::Path;

/// How a history is told of.
const MESSAGES: What = What {
    help: "--messages takes the path of a JSON file, or `-` for standard input",
    ..FILE
};

/// The messages of the file at `path`, `-` for standard input; none without one.
pub(super) fn read(
    path: Option<&Path>,
    world: &dyn World,
    diags: &mut Diagnostics,
) -> Result<Vec<Json>, ErrorReported> {
    let Some(path) = path else {
        return Ok(Vec::new());
    };
    let read = input::read(world, path, &MESSAGES);
    let Input { name, bytes } = read.map_err(|problem| diags.push(*problem))?;
    let bad = |what: String| {
        let help = "write a JSON list of messages in the provider's form, the oldest first";
        Diagnostic::error(diagnostic::BAD_MESSAGES, what).help(help)
    };
    match serde_json::from_slice::<Exact>(artifact::unmarked(&bytes)) {
        Ok(Exact(Json::List(messages)))
            if messages.iter().all(|m| matches!(m, Json::Object(_))) =>
        {
            Ok(messages)
        }
        Ok(_) => Err(diags.push(bad(format!("`{name}` is no list of messages")))),
        Err(error) => Err(diags.push(bad(format!("`{name}` cannot be read: {error}")))),
    }
}
