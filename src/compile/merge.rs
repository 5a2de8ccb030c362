//! Stage 1: `Manifest` -> `Merged`. Every template file that the manifest names is read, and those that they name.

use super::given::GivenInputs;
use super::roots::{self, LookupRank};
use crate::diagnostic::span::{Files, Span, Spanned};
use crate::diagnostic::{self as codes, Diagnostic, Diagnostics, suggest};
use crate::manifest::{Manifest, Program, Reminder, Root, TemplateRef};
use crate::prompt::{Ingredient, sha256};
use crate::source::builtin;
use crate::source::wall::{self, Folder, Obstacle};
use crate::template::{Analysis, analyse};
use crate::text::document::Document;
use crate::text::normalise;
use crate::world::{Kind, World};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The largest template file, in bytes.
const MAX_TEMPLATE: u64 = 1 << 20;

/// A manifest with all its program text.
#[derive(Debug)]
pub struct Merged {
    /// The manifest.
    pub(super) manifest: Arc<Manifest>,
    /// Every template, by key.
    pub(super) templates: BTreeMap<String, Template>,
}

/// A template that was read.
#[derive(Debug)]
pub(super) struct Template {
    /// Its source and location.
    pub(super) program: Program,
    /// Its name in the map.
    pub(super) ingredient: Ingredient,
    /// Where it was found.
    pub(super) found: LookupRank,
    /// The names that it uses, where `documents` is the only list of documents.
    pub(super) analysis: Analysis,
}

/// The key of a template: its name for files, its place for inline ones. Keys that cannot be the name of a file in a
/// template begin with `/`.
pub(super) fn key(template: &TemplateRef) -> String {
    match template {
        TemplateRef::Inline(literal) => {
            format!(
                "/inline:{}:{}",
                literal.span.file.index(),
                literal.span.start
            )
        }
        TemplateRef::File { name, root: None } => name.value.clone(),
        TemplateRef::File {
            name,
            root: Some(root),
        } => format!("/root:{}/{}", root.value, name.value),
    }
}

/// Reads the templates of a manifest. A missing, unreadable or invalid one is reported and left out; planning then
/// stops, after it has reported all other errors.
pub fn merge(
    manifest: &Arc<Manifest>,
    given: &GivenInputs,
    world: &dyn World,
    files: &mut Files,
    diags: &mut Diagnostics,
) -> Merged {
    let mut reader = Reader {
        manifest,
        given,
        world,
        files,
        diags,
        templates: BTreeMap::new(),
        failed: BTreeSet::new(),
    };
    let of_directory_rules = manifest.directory_rules.iter().map(|h| &h.tier);
    for tier in manifest.tiers.iter().chain(of_directory_rules) {
        tier.templates().for_each(|t| reader.template(t));
    }
    let reminder = manifest.session.iter().filter_map(|s| s.reminder.as_ref());
    for template in reminder.flat_map(Reminder::templates) {
        reader.template(template);
    }
    Merged {
        manifest: manifest.clone(),
        templates: reader.templates,
    }
}

struct Reader<'a> {
    manifest: &'a Manifest,
    given: &'a GivenInputs,
    world: &'a dyn World,
    files: &'a mut Files,
    diags: &'a mut Diagnostics,
    templates: BTreeMap<String, Template>,
    failed: BTreeSet<String>,
}

impl Reader<'_> {
    fn template(&mut self, template: &TemplateRef) {
        let key = key(template);
        if self.templates.contains_key(&key) || self.failed.contains(&key) {
            return;
        }
        let read = match template {
            TemplateRef::Inline(literal) => Some((self.inline(literal), LookupRank::Elsewhere)),
            TemplateRef::File { name, root } => self.file(name, root.as_ref()),
        };
        match read {
            Some((read, found)) => self.keep(key, read, found),
            None => _ = self.failed.insert(key),
        }
    }

    fn inline(&self, literal: &crate::diagnostic::span::Literal) -> (Program, Ingredient) {
        let span = literal.span;
        let ingredient = Ingredient::Template {
            file: self.manifest.name_of(span.file).to_string(),
            line: Some(self.files.get(span.file).lines.line(span.start as usize)),
            sha256: sha256(literal.text.as_bytes()),
        };
        (Program::Inline(literal.clone()), ingredient)
    }

    /// Analyses a template and reads those that it includes.
    fn keep(
        &mut self,
        key: String,
        (program, ingredient): (Program, Ingredient),
        found: LookupRank,
    ) {
        let lists = Document::LISTS
            .iter()
            .map(|&list| list.to_owned())
            .collect();
        let analysis = match analyse::template(program.text(), &lists) {
            Ok(analysis) => analysis,
            Err(failure) => {
                self.diags.push(failure.diagnostic(&program));
                self.failed.insert(key);
                return;
            }
        };
        let included: Vec<(Spanned<String>, bool)> = analysis
            .templates
            .iter()
            .map(|u| {
                let name = Spanned::new(u.name.clone(), program.span_of(u.range.clone()));
                (name, u.may_be_missing)
            })
            .collect();
        self.templates.insert(
            key,
            Template {
                program,
                ingredient,
                found,
                analysis,
            },
        );
        for (name, may_be_missing) in included {
            if let Err(obstacle) = wall::inside(&name.value) {
                self.diags.push(obstacle.diagnostic().at(name.span));
            } else if !may_be_missing || self.exists(&name.value) {
                self.template(&TemplateRef::File { name, root: None });
            }
        }
    }

    /// Whether a template of that name is there, for those that may be missing.
    fn exists(&self, name: &str) -> bool {
        let on_disk = |folder: &PathBuf| {
            self.world
                .kind(&folder.join(name))
                .is_ok_and(|kind| kind == Kind::File)
        };
        self.standard_folders().iter().any(on_disk) || builtin::template(name).is_some()
    }

    fn file(
        &mut self,
        name: &Spanned<String>,
        root: Option<&Spanned<String>>,
    ) -> Option<((Program, Ingredient), LookupRank)> {
        if let Err(obstacle) = wall::inside(&name.value) {
            self.diags.push(obstacle.diagnostic().at(name.span));
            return None;
        }
        let folders = match root {
            Some(root) => self.root_folders(root)?,
            None => self.standard_folders(),
        };
        for (at, folder) in folders.iter().enumerate() {
            let shown = shown(&folder.join(&name.value));
            let found = match root {
                // A root is a wall for program files too. Next to the manifest, links may lead anywhere, like those to
                // the manifest itself.
                Some(root) => self.find(root, folder, &name.value),
                None => Ok(Some(folder.join(&name.value))),
            };
            let path = match found {
                Ok(Some(path)) => path,
                Ok(None) => continue,
                Err(obstacle) => {
                    self.diags.push(obstacle.diagnostic().at(name.span));
                    return None;
                }
            };
            let read = match root {
                Some(_) => self.world.read_found(&path, MAX_TEMPLATE),
                None => self.world.read(&path, MAX_TEMPLATE),
            };
            match read {
                Ok(bytes) => {
                    let found = self.found(root, at, folders.len());
                    return Some((self.decode(&shown, bytes, name)?, found));
                }
                Err(e) if is_absent(&e) => {}
                Err(e) => {
                    let message = format!("cannot read the template `{shown}`: {e}");
                    self.report(codes::UNREADABLE_PROGRAM, name.span, message);
                    return None;
                }
            }
        }
        let embedded = match root {
            None => builtin::template(&name.value),
            Some(root) if root.value == roots::TEXT => builtin::text(&name.value),
            Some(_) => None,
        };
        if let Some(text) = embedded {
            let shown = format!("builtin:{}", name.value);
            let read = self.decode(&shown, text.as_bytes().to_vec(), name)?;
            return Some((read, LookupRank::Elsewhere));
        }
        self.diags.push(not_found(name, root.is_some(), &folders));
        None
    }

    /// Where the template is that was found in the folder at `at` of so many.
    fn found(&self, root: Option<&Spanned<String>>, at: usize, folders: usize) -> LookupRank {
        match root {
            // Two folders next to each manifest.
            None => LookupRank::Beside(at / 2),
            Some(root) if root.value == roots::TEXT => {
                LookupRank::in_text(self.manifest, at, folders)
            }
            Some(_) => LookupRank::Elsewhere,
        }
    }

    /// The file of that name inside a folder of a root.
    fn find(
        &self,
        root: &Spanned<String>,
        folder: &Path,
        name: &str,
    ) -> Result<Option<PathBuf>, Obstacle> {
        let follow_links =
            roots::declared(self.manifest, &root.value).is_some_and(Root::follows_links);
        let folder = Folder::new(folder, follow_links);
        wall::find(self.world, &folder, name)
    }

    fn standard_folders(&self) -> Vec<PathBuf> {
        roots::homes(self.manifest)
            .flat_map(|folder| [folder.clone(), folder.join("templates")])
            .collect()
    }

    fn root_folders(&mut self, root: &Spanned<String>) -> Option<Vec<PathBuf>> {
        match roots::plain_folders(&root.value, self.manifest, self.given, self.world) {
            Ok(folders) => Some(folders),
            Err(diagnostic) => {
                self.diags.push(diagnostic.at(root.span));
                None
            }
        }
    }

    fn decode(
        &mut self,
        shown: &str,
        bytes: Vec<u8>,
        name: &Spanned<String>,
    ) -> Option<(Program, Ingredient)> {
        if bytes.len() as u64 > MAX_TEMPLATE {
            self.report(
                codes::PROGRAM_TOO_LARGE,
                name.span,
                format!("the template `{shown}` is larger than 1 MiB"),
            );
            return None;
        }
        let hash = sha256(&bytes);
        let text = match normalise::decode(bytes) {
            Ok(text) => text,
            Err(offset) => {
                self.report(
                    codes::PROGRAM_NOT_UTF8,
                    name.span,
                    format!("the template `{shown}` is not UTF-8 (byte {offset})"),
                );
                return None;
            }
        };
        let text = normalise::newlines(normalise::bom(&text)).into_owned();
        // One final newline belongs to the file, not to the text.
        let text: Arc<str> = text.strip_suffix('\n').unwrap_or(&text).into();
        let file = self.files.add(shown, text.clone());
        let ingredient = Ingredient::Template {
            file: name.value.clone(),
            line: None,
            sha256: hash,
        };
        Some((Program::File { file, text }, ingredient))
    }

    fn report(&mut self, code: codes::Code, span: Span, message: String) {
        self.diags.push(Diagnostic::error(code, message).at(span));
    }
}

/// A template that is in none of the folders.
fn not_found(name: &Spanned<String>, in_root: bool, folders: &[PathBuf]) -> Diagnostic {
    let message = format!("there is no template `{}`", name.value);
    let near = suggest::nearest(&name.value, builtin::TEMPLATES.iter().map(|t| t.name));
    let help = match near.filter(|_| !in_root) {
        Some(near) => format!("a built-in one is called `{near}`"),
        None => {
            let folders: Vec<String> = folders.iter().map(|f| shown(f)).collect();
            format!(
                "looked in {}",
                suggest::list(folders.iter().map(String::as_str))
            )
        }
    };
    Diagnostic::error(codes::TEMPLATE_NOT_FOUND, message)
        .at(name.span)
        .help(help)
}

/// A path as diagnostics write it.
fn shown(path: &Path) -> String {
    let text = path.display().to_string();
    text.strip_prefix("./").map_or(text.clone(), str::to_owned)
}

fn is_absent(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory | IsADirectory)
}
