//! From a folder as it is to a manifest that takes what agents read there.
//!
//! The content of the folder is data: nothing of it is run, and no link is followed out of it. The proposed manifest
//! has been built in memory, over the unchanged files.

mod noting;
mod ignored;
mod known;
mod report;
mod walk;
mod skills;
mod draft;
mod trial;
mod offer;

pub use report::{LeftOut, LookReport};

use crate::adopt::LayerReport;
use crate::adopt::names::{self, Names};
use crate::diagnostic::span::Files;
use crate::diagnostic::{self, Diagnostic, Diagnostics};
use crate::manifest::{self, FILE_NAME};
use crate::prompt::{Deliver, Prompt};
use crate::source::wall::Folder;
use crate::world::{Kind, World};
use draft::Layer;
use ignored::Ignored;
use known::{Form, KNOWN, NESTED, Role, TOOLS, What};
use noting::Noting;
use offer::Offers;
use std::collections::BTreeMap;
use std::path::Path;

/// The preset for a folder in which there is nothing to take.
pub const FALLBACK: &str = "minimal";

/// The layer of all skills.
const SKILLS: &str = "skills";
/// The most files with definitions of tools that are taken from their folder.
const MOST_TOOLS: usize = 64;

/// The result of looking into a folder.
#[derive(Debug, Clone)]
pub struct Look {
    /// The manifest that takes it; none if there is nothing to take.
    pub manifest: Option<String>,
    /// The files that were found, and those that are left out.
    pub report: LookReport,
    /// What of them its build does not read whole.
    pub warnings: Vec<Diagnostic>,
}

/// Looks for what agents read in `folder`.
///
/// # Errors
/// When the system fails at a file or folder that is to be read. Files that this user may not read are left out
/// instead.
pub fn look(world: &dyn World, folder: &Path) -> Result<Look, Box<Diagnostic>> {
    let noting = Noting::new(world);
    let found = proposed(&noting, folder);
    match noting.failure() {
        Some(failure) => Err(failure),
        None => found.ok_or_else(|| {
            let message = "the proposed manifest does not build; this is a bug in promptc";
            let help =
                "please report it; `promptc init --preset minimal` writes a manifest to start from";
            Diagnostic::error(diagnostic::OUTPUT_NOT_WRITTEN, message)
                .help(help)
                .into()
        }),
    }
}

/// The files that were found, and the manifest that uses them; none if it does not build.
fn proposed(world: &dyn World, folder: &Path) -> Option<Look> {
    let nothing = LookReport {
        preset: Some(FALLBACK),
        files: vec![FILE_NAME.to_owned()],
        whole: true,
        ..LookReport::default()
    };
    let root = Folder::new(folder, false);
    let Ok(top) = world.canonical(folder) else {
        // It is made when the manifest is written.
        return Some(Look {
            manifest: None,
            report: nothing,
            warnings: Vec::new(),
        });
    };
    let mut ignored = Ignored::default();
    let nested = walk::nested(world, (&root, &top), &mut ignored);
    let mut offers = Offers {
        world,
        root: &root,
        top: &top,
        ignored: &ignored,
        taken: Vec::new(),
        left_out: Vec::new(),
    };
    offer_known(&mut offers, &ignored);
    let layers = layers(&offers);
    let mut left_out = offers.left_out;
    let directory_rules = directory_rules(nested.files, &mut left_out);
    // A folder of skills was looked into before.
    let is_new = |left: &LeftOut| left_out.iter().all(|other| other.path != left.path);
    let nested_left: Vec<_> = nested.left_out.into_iter().filter(is_new).collect();
    left_out.extend(nested_left);
    let seen = LookReport {
        directory_rules,
        left_out,
        names: nested.names,
        whole: nested.whole,
        ..nothing
    };
    if layers.is_empty() && seen.directory_rules.is_empty() {
        return Some(Look {
            manifest: None,
            report: seen,
            warnings: Vec::new(),
        });
    }
    let manifest = laid_out(draft::manifest(&layers, &seen.directory_rules));
    let (prompt, warnings) = trial::build(world, folder, &manifest).ok()?;
    let mut report = LookReport {
        preset: None,
        layers: layer_reports(&layers, &prompt)?,
        ..seen
    };
    name_imported(&layers, &prompt, &mut report.left_out);
    Some(Look {
        manifest: Some(manifest),
        report,
        warnings,
    })
}

/// A manifest in the layout of `promptc fmt`: a list of many names has a line of its own.
fn laid_out(text: String) -> String {
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let file = files.add(FILE_NAME, text.clone());
    manifest::formatted(file, &files, &mut diags).unwrap_or(text)
}

/// Offers each name that is known.
fn offer_known(offers: &mut Offers<'_>, ignored: &Ignored) {
    let mut taken = Names::default();
    // One is the layer of all skills; the other is used if no file says who the agent is.
    for name in [SKILLS, draft::HELPER] {
        taken.take(name, '-');
    }
    for known in KNOWN {
        let is_there = offers.world.kind_of_name(&offers.top.join(known.path));
        let Ok(kind) = is_there else {
            continue;
        };
        let is_folder = kind == Kind::Folder;
        if ignored.any(known.path, is_folder) {
            let reason = "git ignores it";
            offers.left_out.push(LeftOut::new(known.path, reason));
            continue;
        }
        match known.what {
            What::Left(reason) => offers.left_out.push(LeftOut::new(known.path, reason)),
            What::Layer(name, role, form) => offers.offer(Layer {
                name: match form {
                    Form::Skills => SKILLS.to_owned(),
                    _ => taken.take(name, '-'),
                },
                role,
                form,
                paths: vec![known.path.to_owned()],
                except: BTreeMap::new(),
            }),
        }
    }
    offer_tools(offers, &mut taken, ignored);
    let notes = walk::files(offers.world, offers.top, "memory", ".md");
    if notes.iter().any(|path| path != "memory/MEMORY.md") && !ignored.any("memory", true) {
        let reason = "notes of single days or matters; take one with `file`, or all with `glob`";
        offers.left_out.push(LeftOut::new("memory", reason));
    }
}

/// Offers what the folder of tools holds.
fn offer_tools(offers: &mut Offers<'_>, taken: &mut Names, ignored: &Ignored) {
    let files = walk::files(offers.world, offers.top, TOOLS, ".json");
    if files.len() > MOST_TOOLS {
        let reason = format!("it has more than {MOST_TOOLS} JSON files");
        return offers.left_out.push(LeftOut::new(TOOLS, reason));
    }
    for path in files {
        if ignored.any(&path, false) {
            continue;
        }
        let stem = &path[TOOLS.len() + 1..path.len() - ".json".len()];
        let name =
            names::layer(&[stem], &[], false).map_or_else(|| TOOLS.to_owned(), |(name, _)| name);
        offers.offer(Layer {
            name: taken.take(&name, '-'),
            role: Role::Tools,
            form: Form::Tools,
            paths: vec![path],
            except: BTreeMap::new(),
        });
    }
}

/// The layers of what was taken; that of skills has all of their folders.
fn layers(offers: &Offers<'_>) -> Vec<Layer> {
    let mut out: Vec<Layer> = Vec::new();
    for taken in &offers.taken {
        let skills = |layer: &&mut Layer| layer.form == Form::Skills;
        match out.iter_mut().find(skills) {
            Some(layer) if taken.layer.form == Form::Skills => {
                layer.paths.extend(taken.layer.paths.iter().cloned());
                layer.except.extend(taken.layer.except.clone());
            }
            _ => out.push(taken.layer.clone()),
        }
    }
    out
}

/// The files that directory rules are made from. Of several in one folder only the first name counts.
fn directory_rules(nested: Vec<String>, left_out: &mut Vec<LeftOut>) -> Vec<String> {
    let mut first: BTreeMap<&str, &String> = BTreeMap::new();
    for name in NESTED {
        for path in nested.iter() {
            let Some(folder) = path.strip_suffix(name).filter(|f| f.ends_with('/')) else {
                continue;
            };
            match first.get(folder) {
                Some(other) => left_out.push(LeftOut::new(path, format!("{other} counts there"))),
                None => {
                    first.insert(folder, path);
                }
            }
        }
    }
    first.into_values().cloned().collect()
}

/// Says of what is left out for another reason that a layer imports it, or something in it.
fn name_imported(layers: &[Layer], prompt: &Prompt, left_out: &mut [LeftOut]) {
    for layer in layers.iter().filter(|layer| layer.form == Form::Imports) {
        let own = &layer.paths[0];
        let built = prompt.layer(&layer.name);
        let documents = built.map_or_else(Vec::new, |(_, built)| trial::documents(built));
        for document in documents.iter().filter(|path| *path != own) {
            for left in left_out.iter_mut() {
                let LeftOut { path, reason } = left;
                if path == document {
                    *reason = format!("{own} imports it");
                } else if document
                    .strip_prefix(&**path)
                    .is_some_and(|d| d.starts_with('/'))
                {
                    *reason = format!("{reason}; {own} imports {document}");
                }
            }
        }
    }
}

/// The text of each layer; none if the layer is absent.
fn layer_reports(layers: &[Layer], prompt: &Prompt) -> Option<Vec<LayerReport>> {
    let mut out = Vec::new();
    for role in Role::ALL {
        for layer in layers.iter().filter(|layer| layer.role == role) {
            let (channel, built) = prompt.layer(&layer.name)?;
            // The blank line before a layer belongs to it in the map.
            let text = channel.text[built.start..built.end].trim_start_matches('\n');
            out.push(LayerReport {
                confidence: None,
                layer: layer.name.clone(),
                tier: role.tier().to_owned(),
                changes: built.changes,
                bytes: text.len(),
                files: layer.paths.clone(),
                facts: Vec::new(),
            });
        }
    }
    let has_text = !prompt.text(Deliver::System).is_empty();
    has_text.then_some(out)
}
