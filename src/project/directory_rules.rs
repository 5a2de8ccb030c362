//! The directory rules that a session gets about folders that it uses for the first time.

use super::sessions::location::{self, StoreOptions};
use super::sessions::place::ManifestLocation;
use super::sessions::{identity, now, stored};
use super::{BuildCall, Run, time};
use crate::agent::directory_rules::{self, Failure, NewRules};
use crate::compile::{DirectoryRulesReader, prepare, watch};
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::manifest::{self, Manifest};
use crate::session::Inputs;
use crate::session::store::{Build, Location, Session, SessionId, Store};
use crate::world::{RebasedWorld, World};
use std::path::PathBuf;

/// The session and the folders.
pub(crate) struct RulesCall<'a> {
    /// The manifest and what is given.
    pub(crate) build: &'a BuildCall,
    /// The location of the store of sessions.
    pub(crate) store: &'a StoreOptions,
    /// The conversation that gets the directory rules.
    pub(crate) session: &'a SessionId,
    /// Files and folders, relative to the folder of the directory rules' root.
    pub(crate) paths: &'a [PathBuf],
}

/// The directory rules that a session just got. They are noted; a caller that could not deliver them takes the note back.
pub(crate) struct GivenRules {
    /// The directory rules of the manifest.
    pub(crate) directory_rules: DirectoryRulesReader,
    /// The new directory rules.
    pub(crate) told: NewRules,
    store: Box<dyn Store>,
    location: Location,
}

impl GivenRules {
    /// Removes the note that the session got directory rules about these folders.
    pub(crate) fn take_back(
        &mut self,
        session: &SessionId,
        run: &mut Run,
    ) -> Result<(), ErrorReported> {
        let taken = directory_rules::take_back(&self.told, self.store.as_mut(), session);
        taken.map_err(|error| run.diags.push(location::refuse(&error, &self.location)))
    }
}

/// Finds the directory rules for a session, and notes that it got them.
pub(crate) fn folder_rules(
    call: &RulesCall<'_>,
    run: &mut Run,
) -> Result<GivenRules, ErrorReported> {
    let project = &call.build.project;
    let outside = project.world();
    let known = known(call, run)?;
    let own = !project.is_found() && call.store.is_named();
    let before = known.as_ref().filter(|_| own);
    if let Some(before) = before {
        now::may_build(before, call.build, run)?;
    }
    let anchored = before.map(|before| RebasedWorld {
        world: outside,
        folder: before.folder.clone(),
    });
    let world: &dyn World = match &anchored {
        Some(anchored) => anchored,
        None => outside,
    };
    let directory_rules = directory_rules(call, known.as_ref(), own, world, run)?;
    let at = time(call.build.inputs.now.as_deref(), run)?;
    let place = ManifestLocation::of(project, before.is_some(), outside, &mut run.diags)?;
    let location = call.store.location(&place.folder, &mut run.diags)?;
    let mut store = call.store.open(&location, run)?;
    let (session, paths) = (call.session, call.paths);
    let told = directory_rules::folder_rules(
        &directory_rules,
        store.as_mut(),
        session,
        paths,
        at,
        world,
        &mut run.diags,
    );
    let told = told.map_err(|failure| match failure {
        Failure::ErrorReported(reported) => reported,
        Failure::Store(error) => run.diags.push(location::refuse(&error, &location)),
    })?;
    Ok(GivenRules {
        directory_rules,
        told,
        store,
        location,
    })
}

/// The session's own inputs, if there is a session. A call that neither names nor finds a manifest uses the session's.
fn known(call: &RulesCall<'_>, run: &mut Run) -> Result<Option<Inputs>, ErrorReported> {
    let mut stored = stored::open(&call.build.project, call.store, run)?;
    let wanted = |_: &Session, build: &Build| vec![build.inputs.clone()];
    let read = |store: &mut dyn Store| match store.restore(call.session, None, &wanted)? {
        Some(kept) => Inputs::of(&mut |key| kept.content(key), &kept.build).map(Some),
        None => Ok(None),
    };
    stored.step(None, read, run)
}

/// The directory rules of the manifest.
fn directory_rules(
    call: &RulesCall<'_>,
    known: Option<&Inputs>,
    own: bool,
    world: &dyn World,
    run: &mut Run,
) -> Result<DirectoryRulesReader, ErrorReported> {
    let outside = call.build.project.world();
    let mut given = now::given(call.build, outside, run)?;
    let before = known.filter(|_| own);
    let name = match before {
        Some(before) => before.manifest.as_deref(),
        None => call.build.project.name(),
    };
    let Run { files, diags, .. } = &mut *run;
    let manifest = manifest::open(world, name, files, diags)?;
    if let Some(before) = before {
        before.remind(&manifest, &mut given);
    }
    let plan = prepare(&manifest, &given, world, files, diags)?;
    if let Some(known) = known.filter(|known| !known.identity.is_empty()) {
        let facts: Vec<String> = known.identity.names().into_iter().collect();
        let facts = watch(&plan, &given, &facts, world, diags)?;
        identity::check(known, &facts.values, diags)?;
    }
    match DirectoryRulesReader::bind(plan, &given, world, diags)? {
        Some(directory_rules) => Ok(directory_rules),
        None => Err(diags.push(no_directory_rules(&manifest))),
    }
}

fn no_directory_rules(manifest: &Manifest) -> Diagnostic {
    let name = manifest.name_of(manifest.file);
    let message = format!("`{name}` has no directory rules for folders");
    Diagnostic::error(diagnostic::NO_DIRECTORY_RULES, message)
        .help("write it in the manifest, such as: directory-rules { file \"AGENTS.md\" }")
}
