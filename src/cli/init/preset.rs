//! `promptc init --preset` and `--list-presets`.

use super::write::New;
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported, suggest};
use crate::manifest::FILE_NAME;
use crate::source::builtin::{self, Preset};
use crate::source::recipes::{self, RECIPES, Recipe};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The presets, a line for each.
pub(super) fn list() -> String {
    let own = builtin::PRESETS.iter().map(|p| {
        let from = format!("builtin:{}", p.manifest);
        (p.name, p.about, from)
    });
    let recipes = RECIPES
        .iter()
        .map(|r| (r.name, r.about, "recipe".to_owned()));
    let all: Vec<_> = own.chain(recipes).collect();
    let width = all.iter().map(|(name, ..)| name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for (name, about, from) in all {
        let _ = writeln!(out, "{name:width$}  {about} ({from})");
    }
    out
}

/// The files of the preset called `name`.
pub(super) fn find(
    name: &str,
    folder: &Path,
    diags: &mut Diagnostics,
) -> Result<Vec<New>, ErrorReported> {
    files(name, folder).ok_or_else(|| {
        let message = format!("there is no preset `{name}`");
        let diagnostic = Diagnostic::error(diagnostic::UNKNOWN_PRESET, message);
        let known = || {
            let own = builtin::PRESETS.iter().map(|p| p.name);
            own.chain(RECIPES.iter().map(|r| r.name))
        };
        diags.push(match suggest::nearest(name, known()) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic.help(format!("the presets are {}", suggest::list(known()))),
        })
    })
}

/// The files of the preset called `name`; none if there is no such preset.
pub(super) fn files(name: &str, folder: &Path) -> Option<Vec<New>> {
    let own = builtin::preset(name).map(|preset| of_builtin(preset, folder));
    own.or_else(|| Some(of_recipe(recipes::recipe(name)?, folder)))
}

fn new(path: PathBuf, text: &'static str) -> New {
    New {
        path,
        text: text.into(),
    }
}

fn of_builtin(preset: &Preset, folder: &Path) -> Vec<New> {
    let manifest = builtin::manifest(preset.manifest).map(|text| new(folder.join(FILE_NAME), text));
    let texts = preset
        .texts
        .iter()
        .filter_map(|path| Some(new(folder.join("text").join(path), builtin::text(path)?)));
    let templates = preset.templates.iter().filter_map(|name| {
        Some(new(
            folder.join("templates").join(name),
            builtin::template(name)?,
        ))
    });
    manifest.into_iter().chain(texts).chain(templates).collect()
}

fn of_recipe(recipe: &Recipe, folder: &Path) -> Vec<New> {
    let manifest = new(folder.join(FILE_NAME), recipe.without_scenarios());
    let templates = recipe
        .templates
        .iter()
        .map(|template| new(folder.join("templates").join(template.name), template.text));
    std::iter::once(manifest).chain(templates).collect()
}
