//! The folders of a root. Roots are bound with the facts (stage 3); `root=` on a template needs one earlier.

use super::given::GivenInputs;
use crate::diagnostic::span::{FileId, Span, Spanned};
use crate::diagnostic::{self as codes, Diagnostic};
use crate::manifest::{Manifest, Origin, Root, Scenario};
use crate::source::place::{BoundRoot, RootFolder};
pub(super) use crate::text::document::MANIFEST;
use crate::world::{Kind, World};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The root that sources read without `root=`.
pub(super) const WORKSPACE: &str = "workspace";
/// The texts next to the manifest, then the embedded ones.
pub(super) const TEXT: &str = "text";

/// The folder of the manifest.
pub(super) fn home(manifest: &Manifest) -> PathBuf {
    match &manifest.origin {
        Origin::Disk { folder } => folder.clone(),
        Origin::BuiltIn { .. } => PathBuf::new(),
    }
}

/// The folder that relative names in one of the manifest's files count from; those of a built-in count from the folder of
/// the manifest that extends it.
fn home_of(manifest: &Manifest, file: FileId) -> PathBuf {
    match manifest.origin_of(file) {
        Origin::Disk { folder } => folder.clone(),
        Origin::BuiltIn { .. } => home(manifest),
    }
}

/// The folders of the manifest and its bases, nearest first; built-in ones have none, and included files are parts of theirs.
pub(super) fn homes(manifest: &Manifest) -> impl Iterator<Item = &PathBuf> {
    let own = manifest.sheets.iter().filter(|s| !s.included);
    own.filter_map(|sheet| match &sheet.origin {
        Origin::Disk { folder } => Some(folder),
        Origin::BuiltIn { .. } => None,
    })
}

/// Who outside of the manifest named the folder of a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RootOrigin {
    /// This many `--root NAME=DIR`, which come before other folders.
    Argument(usize),
    /// This environment variable.
    Environment(String),
}

/// The manifests next to which a use of the root `manifest` looks, by their numbers from the outermost, which is 0. The nearest
/// file wins, so that a base has its files wherever it is extended; what a base of the user has is none of its business.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Homes {
    /// The outermost of them: 0, unless a lock keeps overlays out.
    first: usize,
    /// The one that names the root.
    last: usize,
}

impl Homes {
    /// For a use in `file`, in a layer whose lock is in the manifest `lock`. A built-in has no folder: it looks where the
    /// manifest does that extends it.
    pub(super) fn of(file: FileId, lock: Option<usize>, manifest: &Manifest) -> Self {
        let folders: Vec<&PathBuf> = homes(manifest).collect();
        let last = (manifest.level_of(file)).min(folders.len().saturating_sub(1));
        let first = lock.unwrap_or(0).min(last);
        let mut seen = folders.iter().skip(first).take(last + 1 - first);
        // Bases in the folder of the outermost manifest are no places of their own.
        if seen.all(|folder| Some(folder) == folders.first()) {
            Self { first: 0, last: 0 }
        } else {
            Self { first, last }
        }
    }

    /// By what the root is known among those that are bound. Where the outermost manifest alone counts it is the plain name.
    pub(super) fn key(self) -> Arc<str> {
        match (self.first, self.last) {
            (0, 0) => MANIFEST.into(),
            (first, last) => format!("{MANIFEST}/{first}-{last}").into(),
        }
    }

    /// The root as those see it who look there. The index of a folder is the number of its manifest.
    pub(super) fn bound(self, manifest: &Manifest) -> BoundRoot {
        let mut seen: Vec<&PathBuf> = Vec::new();
        let mut folders = Vec::new();
        for (at, folder) in homes(manifest).take(self.last + 1).enumerate() {
            if at < self.first || seen.contains(&folder) {
                folders.push(RootFolder::nowhere());
                continue;
            }
            seen.push(folder);
            folders.push(RootFolder::disk(folder.clone(), false));
        }
        BoundRoot {
            name: MANIFEST.into(),
            folders,
            overlaid: true,
            shown: None,
        }
    }
}

/// The name of the root that is bound as `key`.
pub(super) fn name_of(key: &str) -> &str {
    key.split_once('/').map_or(key, |(name, _)| name)
}

/// Where something that is looked up by its name was found, the place that wins first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LookupRank {
    /// In a folder that `--root text=` or a scenario gives.
    Given,
    /// Next to a manifest, with this number of manifests above it.
    Beside(usize),
    /// Without a location in a manifest: built in, in another root, or in the manifest's own text.
    Elsewhere,
}

impl LookupRank {
    /// In the folder at `at` of the `all` folders of the root `text`, the last of which are next to manifests.
    pub(super) fn in_text(manifest: &Manifest, at: usize, all: usize) -> Self {
        let beside = homes(manifest).count();
        let given = all.saturating_sub(beside);
        match at.checked_sub(given) {
            None => Self::Given,
            Some(level) if level < beside => Self::Beside(level),
            Some(_) => Self::Elsewhere,
        }
    }
}

/// The declared root called `name`.
pub(super) fn declared<'a>(manifest: &'a Manifest, name: &str) -> Option<&'a Root> {
    manifest.roots.iter().find(|r| r.name.value == name)
}

/// Every root's folders, by name.
pub(super) struct Folders<'a> {
    manifest: &'a Manifest,
    given: &'a GivenInputs,
    scenario: Option<&'a Scenario>,
    /// The folders of the scenario and of `--root`, by the root's name.
    set: BTreeMap<&'a str, &'a Vec<Spanned<String>>>,
    roots: BTreeMap<&'a str, Vec<&'a PathBuf>>,
    declared: BTreeMap<&'a str, &'a Root>,
    world: &'a dyn World,
    known: BTreeMap<String, Vec<PathBuf>>,
}

impl<'a> Folders<'a> {
    pub(super) fn new(
        manifest: &'a Manifest,
        given: &'a GivenInputs,
        world: &'a dyn World,
    ) -> Self {
        let scenario = given
            .scenario
            .as_ref()
            .and_then(|name| manifest.scenarios.iter().find(|s| s.name.value == *name));
        let set = scenario.iter().flat_map(|s| s.roots.iter().rev());
        let mut roots: BTreeMap<&str, Vec<&PathBuf>> = BTreeMap::new();
        let given_roots = given
            .fixed
            .as_ref()
            .map_or(&given.roots, |fixed| &fixed.roots);
        for (name, folder) in given_roots {
            roots.entry(name).or_default().push(folder);
        }
        let declared = manifest.roots.iter().rev();
        Self {
            manifest,
            given,
            scenario,
            set: set
                .map(|(n, folders)| (n.value.as_str(), folders))
                .collect(),
            roots,
            declared: declared.map(|r| (r.name.value.as_str(), r)).collect(),
            world,
            known: BTreeMap::new(),
        }
    }

    /// The declared root called `name`.
    pub(super) fn declared(&self, name: &str) -> Option<&'a Root> {
        self.declared.get(name).copied()
    }

    /// The folders of the root called `name`, in order. The plan has made sure that derived roots end somewhere.
    pub(super) fn of(&mut self, name: &str) -> Result<Vec<PathBuf>, Box<Diagnostic>> {
        if let Some(known) = self.known.get(name) {
            return Ok(known.clone());
        }
        let folders = self.resolve(name)?;
        for folder in &folders {
            self.check(name, folder)?;
        }
        self.known.insert(name.to_owned(), folders.clone());
        Ok(folders)
    }

    /// The folders of the root called `name` that the manifest alone does not place: of `text` those before the usual ones,
    /// of other roots all or none.
    pub(super) fn outside(&mut self, name: &str) -> Vec<PathBuf> {
        let placed = |folder: &Spanned<String>| {
            let path = Path::new(&folder.value);
            let mut parts = path.components();
            !folder.value.starts_with('~')
                && parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        };
        if let Some(mut folders) = self.written(name) {
            let usual = match name {
                TEXT => homes(self.manifest).count(),
                _ => 0,
            };
            folders.truncate(folders.len() - usual);
            return folders;
        }
        // The folders of a built-in manifest count from the current directory.
        let built_in = matches!(self.manifest.origin, Origin::BuiltIn { .. });
        match self.declared.get(name) {
            Some(root)
                if built_in
                    || root.above.is_some()
                    || root.env.is_some()
                    || !root.default.iter().all(placed) =>
            {
                self.of(name).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    fn resolve(&mut self, name: &str) -> Result<Vec<PathBuf>, Box<Diagnostic>> {
        let home = home(self.manifest);
        if let Some(folders) = self.written(name) {
            return Ok(folders);
        }
        match (name, self.declared.get(name)) {
            (MANIFEST, _) => Ok(vec![home]),
            (TEXT, _) => Ok(homes(self.manifest).map(|h| h.join(TEXT)).collect()),
            (_, Some(root)) => self.own(root),
            (_, None) => Err(Box::new(Diagnostic::error(
                codes::UNKNOWN_ROOT,
                format!("there is no root `{name}`"),
            ))),
        }
    }

    /// From `--root`, then the scenario. For `text` these come before the usual folders.
    fn written(&self, name: &str) -> Option<Vec<PathBuf>> {
        let given = self.roots.get(name).into_iter().flatten();
        let given: Vec<PathBuf> = given.map(|p| (*p).clone()).collect();
        let set = self.set.get(name);
        let mut folders = if given.is_empty() {
            let home = |at: Span| home_of(self.manifest, at.file);
            set?.iter().map(|p| home(p.span).join(&p.value)).collect()
        } else {
            given
        };
        if name == TEXT {
            folders.extend(homes(self.manifest).map(|h| h.join(TEXT)));
        } else if !self.declared.get(name).is_some_and(|r| r.is_many()) {
            folders = folders.split_off(folders.len().saturating_sub(1));
        }
        Some(folders)
    }

    /// Who named the folder of a root, if the manifest did not.
    pub(super) fn origin(&self, name: &str) -> Option<RootOrigin> {
        if let Some(given) = self.roots.get(name).filter(|given| !given.is_empty()) {
            return Some(RootOrigin::Argument(given.len()));
        }
        if self.set.contains_key(name) {
            return None;
        }
        let variable = self.declared.get(name)?.env.as_ref()?;
        let value = self.env(&variable.value)?;
        (!value.is_empty()).then(|| RootOrigin::Environment(variable.value.clone()))
    }

    /// From the root's own declaration.
    fn own(&mut self, root: &Root) -> Result<Vec<PathBuf>, Box<Diagnostic>> {
        self.refuse_ambient(root)?;
        // An empty variable names no folder.
        let value = root.env.as_ref().and_then(|v| self.env(&v.value));
        if let Some(value) = value.filter(|v| !v.is_empty()) {
            // The paths of a scenario are relative to its manifest, like all paths in it.
            return Ok(vec![match self.scenario {
                Some(scenario) => self.home_of_scenario(scenario).join(value),
                None => PathBuf::from(value),
            }]);
        }
        if let Some(above) = &root.above {
            let start = self.first(&above.value)?;
            return Ok(vec![self.above(&start, root)]);
        }
        let within = match &root.within {
            Some(within) => Some(self.first(&within.value)?),
            None => None,
        };
        if root.default.is_empty() && !root.is_many() {
            return Err(self.missing(root));
        }
        root.default
            .iter()
            .map(|d| {
                let base = within
                    .clone()
                    .unwrap_or_else(|| home_of(self.manifest, d.span.file));
                self.expand(&d.value, &base)
                    .ok_or_else(|| self.missing(root))
            })
            .collect()
    }

    /// The folder of the manifest that a scenario is of; what a built-in says counts from the manifest that was named.
    fn home_of_scenario(&self, scenario: &Scenario) -> PathBuf {
        let level = self.manifest.level_of(scenario.span.file);
        let own = homes(self.manifest).nth(level).cloned();
        own.unwrap_or_else(|| home(self.manifest))
    }

    /// With `--hermetic` a root has its folder from elsewhere. The values of a scenario do not come from the
    /// environment.
    fn refuse_ambient(&self, root: &Root) -> Result<(), Box<Diagnostic>> {
        if !self.given.hermetic || self.scenario.is_some() {
            return Ok(());
        }
        let at_home = |d: &&Spanned<String>| d.value == "~" || d.value.starts_with("~/");
        let (at, place) = if let Some(variable) = &root.env {
            let place = format!("from the environment variable {}", variable.value);
            (variable.span, place)
        } else if let Some(default) = root.default.iter().find(at_home) {
            (default.span, "from the home folder".to_owned())
        } else {
            return Ok(());
        };
        let name = &root.name.value;
        let message = format!(
            "the folder of the root `{name}` would be read {place}, which --hermetic forbids"
        );
        let found = Diagnostic::error(codes::NOT_HERMETIC, message);
        let help = format!("give it with --root {name}=DIR");
        Err(Box::new(found.at(at).help(help)))
    }

    fn missing(&self, root: &Root) -> Box<Diagnostic> {
        let name = &root.name.value;
        let diagnostic = Diagnostic::error(
            codes::MISSING_ROOT,
            format!("the root `{name}` has no folder"),
        )
        .at(root.name.span)
        .help({
            let home = if root.default.iter().any(|d| d.value.starts_with('~')) { "its default counts from the home folder, which is not known here (HOME is not set; a scenario and `git:REV` see only the scenario's `env`); " } else { "" };
            let ways = match &root.env {
                Some(env) => format!(
                    "give it with --root {name}=DIR or in the environment variable {}",
                    env.value
                ),
                None if home.is_empty() => format!("give it with --root {name}=DIR"),
                None => format!(
                    "give it with --root {name}=DIR, or `root {name} \"DIR\"` in the scenario"
                ),
            };
            format!("{home}{ways}")
        });
        Box::new(diagnostic)
    }

    fn first(&mut self, name: &str) -> Result<PathBuf, Box<Diagnostic>> {
        Ok(self.of(name)?.into_iter().next().unwrap_or_default())
    }

    /// In a scenario the environment is what the scenario writes, and nothing else.
    pub(super) fn env(&self, name: &str) -> Option<OsString> {
        match self.scenario {
            Some(s) => {
                let (_, value) = s.env.iter().find(|(n, _)| n.value == name)?;
                Some(value.value.clone().into())
            }
            None => self.world.env(name),
        }
    }

    /// The value of `~`. A scenario sees no environment but its own.
    fn user_home(&self) -> Option<PathBuf> {
        match self.scenario {
            Some(_) => self.env("HOME").map(PathBuf::from),
            None => self.world.home(),
        }
    }

    fn expand(&self, default: &str, base: &Path) -> Option<PathBuf> {
        match default.strip_prefix('~') {
            Some("") => self.user_home(),
            Some(rest) if rest.starts_with('/') => {
                Some(self.user_home()?.join(rest.trim_start_matches('/')))
            }
            _ => Some(base.join(default)),
        }
    }

    /// The nearest folder at or above `start` that holds one of the names; `start` itself if none does.
    fn above(&self, start: &Path, root: &Root) -> PathBuf {
        self.absolute(start)
            .ancestors()
            .find(|folder| {
                root.holding
                    .iter()
                    .any(|name| self.world.kind_of_name(&folder.join(&name.value)).is_ok())
            })
            .map_or_else(|| start.to_owned(), Path::to_owned)
    }

    /// The absolute path of a folder; of one that does not exist, below the nearest that does.
    fn absolute(&self, folder: &Path) -> PathBuf {
        let mut after = Vec::new();
        for above in folder.ancestors() {
            let here = if above.as_os_str().is_empty() {
                Path::new(".")
            } else {
                above
            };
            if let Ok(canonical) = self.world.canonical(here) {
                return after
                    .into_iter()
                    .rev()
                    .fold(canonical, |path, name| path.join(name));
            }
            after.extend(above.file_name());
        }
        folder.to_owned()
    }

    fn check(&self, name: &str, folder: &Path) -> Result<(), Box<Diagnostic>> {
        let path = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        match self.world.kind(path) {
            Ok(Kind::File | Kind::Other) => {
                let diagnostic = Diagnostic::error(
                    codes::ROOT_NOT_FOLDER,
                    format!("the root `{name}` is not a folder"),
                )
                .help("name the folder that holds the file");
                Err(match declared(self.manifest, name) {
                    Some(root) => Box::new(diagnostic.at(root.name.span)),
                    None => Box::new(diagnostic),
                })
            }
            _ => Ok(()),
        }
    }
}

/// The folders of a root that a template is read from: neither `many` nor derived.
pub(super) fn plain_folders(
    name: &str,
    manifest: &Manifest,
    given: &GivenInputs,
    world: &dyn World,
) -> Result<Vec<PathBuf>, Box<Diagnostic>> {
    match declared(manifest, name) {
        Some(root) if root.is_many() || root.above.is_some() || root.within.is_some() => {
            let message = format!(
                "a template cannot be read from the root `{name}`, which is derived or has many folders"
            );
            let diagnostic = Diagnostic::error(codes::CONFLICTING_SETTINGS, message)
                .help("templates are program: they are read before facts and sources are known");
            Err(Box::new(diagnostic))
        }
        _ => Folders::new(manifest, given, world).of(name),
    }
}

/// The folders as sources read them.
pub(super) fn bound(name: &str, folders: Vec<PathBuf>, follow_links: bool) -> Vec<RootFolder> {
    let mut out: Vec<RootFolder> = folders
        .into_iter()
        .map(|path| RootFolder::disk(path, follow_links))
        .collect();
    if name == TEXT {
        out.push(RootFolder::embedded());
    }
    out
}
