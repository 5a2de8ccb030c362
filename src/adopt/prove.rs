//! Builds what would be written, in memory, and compares.

use super::Dump;
use super::write::File;
use crate::compile::{GivenInputs, compile};
use crate::diagnostic::Diagnostics;
use crate::diagnostic::span::Files;
use crate::manifest::{self, FILE_NAME};
use crate::prompt::Deliver;
use crate::world::MapWorld;

/// Whether the build of each scenario is its dump, byte for byte.
pub(super) fn holds(files: &[File], dumps: &[Dump], scenarios: &[String]) -> bool {
    let world = files.iter().fold(MapWorld::new(), |world, file| {
        world.file(&file.path, file.text.as_bytes())
    });
    let builds = |scenario: Option<&String>, dump: &Dump| {
        let (mut read, mut diags) = (Files::default(), Diagnostics::default());
        let given = GivenInputs {
            scenario: scenario.cloned(),
            ..GivenInputs::default()
        };
        let path = format!("/{FILE_NAME}");
        let manifest = manifest::open(&world, Some(&path), &mut read, &mut diags);
        let prompt = manifest.and_then(|m| compile(&m, &given, &world, &mut read, &mut diags));
        prompt.is_ok_and(|prompt| prompt.text(Deliver::System) == dump.text)
    };
    let all = dumps.iter().zip(scenarios);
    // A dump alone needs no scenario.
    let alone = match dumps {
        [one] => builds(None, one),
        _ => true,
    };
    alone
        && all
            .into_iter()
            .all(|(dump, scenario)| builds(Some(scenario), dump))
}
