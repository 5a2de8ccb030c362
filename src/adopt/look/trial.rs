//! Builds a manifest in memory, over the unchanged files.

use crate::compile::{GivenInputs, compile};
use crate::diagnostic::span::Files;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::manifest::{self, FILE_NAME};
use crate::prompt::{Ingredient, Layer, Prompt};
use crate::world::{Kind, World, as_in};
use std::io;
use std::path::Path;

/// A world with a manifest that is not written yet.
struct Drafted<'a> {
    world: &'a dyn World,
    text: &'a str,
}

impl World for Drafted<'_> {
    as_in!(self => self.world; kind_of_name canonical read_found stream list env home now stdin);

    fn kind(&self, path: &Path) -> io::Result<Kind> {
        if path == Path::new(FILE_NAME) {
            Ok(Kind::File)
        } else {
            self.world.kind(path)
        }
    }

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        if path == Path::new(FILE_NAME) {
            Ok(self.text.into())
        } else {
            self.world.read(path, limit)
        }
    }
}

/// The prompt of a manifest whose workspace is `folder`, and the warnings about its documents.
///
/// # Errors
/// The first error.
pub(super) fn build(
    world: &dyn World,
    folder: &Path,
    text: &str,
) -> Result<(Prompt, Vec<Diagnostic>), String> {
    let world = Drafted { world, text };
    let (mut read, mut diags) = (Files::default(), Diagnostics::default());
    let given = GivenInputs {
        roots: vec![("workspace".to_owned(), folder.to_owned())],
        ..GivenInputs::default()
    };
    let manifest = manifest::open(&world, Some(FILE_NAME), &mut read, &mut diags);
    let prompt = manifest.and_then(|m| compile(&m, &given, &world, &mut read, &mut diags));
    let about = diags.iter().filter(|d| d.document.is_some());
    // The manifest is not written yet, so no place in it can be shown.
    let warnings = about.map(|d| Diagnostic {
        span: None,
        ..d.clone()
    });
    let warnings = warnings.collect();
    let built = prompt.map(|prompt| (prompt, warnings));
    built.map_err(|_| {
        let mut errors = diags.iter().filter(|d| d.severity == Severity::Error);
        errors.next().map_or_else(
            || "it cannot be built".to_owned(),
            |error| error.message.clone(),
        )
    })
}

/// The paths of the documents that a layer was made from.
pub(super) fn documents(layer: &Layer) -> Vec<String> {
    let paths = layer.ingredients.iter().filter_map(|one| match one {
        Ingredient::Document { path, .. } => Some(path.clone()),
        _ => None,
    });
    paths.collect()
}
