//! The calls of a project for sessions, and for prompts by their names.

use super::compare::{CompareCall, CompareOptions, compare};
use super::directory_rules::{RulesCall, folder_rules};
use super::service::answer;
use super::sessions::call::SessionCall;
use super::sessions::program::Programs;
use super::sessions::serve::get_or_build;
use super::{Answer, BuildCall, BuildInputs, Compared, Error, Project, Run, Session, StoreOptions};
use crate::diagnostic::{self, Diagnostic, ErrorReported};
use crate::session::store::SessionId;
use std::path::PathBuf;

/// The options of a call for a session.
#[derive(Debug, Clone, Default)]
pub struct SessionOptions {
    /// The location of the store of sessions.
    pub store: StoreOptions,
    /// An event: the session is rebuilt if its manifest has `refresh event=NAME`. One that the manifest does not name is an
    /// error, except `compaction`.
    pub event: Option<String>,
    /// Builds it again in any case.
    pub refresh: bool,
}

impl Project {
    /// The frozen prompt of a session; a new session is built and frozen.
    ///
    /// # Errors
    /// Fails if the ID is invalid, the store does not answer, the session is another caller's, or a build fails.
    pub fn session(
        &self,
        id: &str,
        inputs: &BuildInputs,
        options: &SessionOptions,
    ) -> Result<Answer<Session>, Error> {
        session((id, &self.call(inputs)), options, &Programs::default())
    }

    /// The directory rules that a session gets about folders that it uses for the first time, by `directory-rules` in the manifest; empty if
    /// the session already got it. It counts as delivered from then on.
    ///
    /// # Errors
    /// Where the manifest has no `directory-rules`, the store does not answer, or directory rules cannot be built.
    pub fn folder_rules(
        &self,
        session: &str,
        paths: &[PathBuf],
        inputs: &BuildInputs,
        store: &StoreOptions,
    ) -> Result<Answer<String>, Error> {
        answer(|run| {
            let session = named(session, run)?;
            let call = RulesCall {
                build: &self.call(inputs),
                store,
                session: &session,
                paths,
            };
            let given = folder_rules(&call, run)?;
            Ok(given.told.text(given.directory_rules.join()))
        })
    }

    /// Compares what two operands name, `None` being all snapshots (A) and a build now (B): a file, `snapshot:NAME`, `git:REV`,
    /// `session:ID`, or `.` for a build now. There is a comparison for each snapshot that both sides have.
    ///
    /// # Errors
    /// Where an operand cannot be read or built.
    pub fn compare(
        &self,
        operands: [Option<&str>; 2],
        inputs: &BuildInputs,
        options: &CompareOptions,
    ) -> Result<Answer<Vec<Compared>>, Error> {
        let call = CompareCall {
            build: self.call(inputs),
            options: options.clone(),
        };
        answer(|run| compare(operands, &call, run))
    }
}

/// The frozen prompt of a session, with programs that were read before.
pub(super) fn session(
    (id, given): (&str, &BuildCall),
    options: &SessionOptions,
    programs: &Programs,
) -> Result<Answer<Session>, Error> {
    answer(|run| {
        let id = named(id, run)?;
        let call = SessionCall {
            given,
            programs,
            store: &options.store,
            id: &id,
            event: options.event.as_deref(),
            refresh: options.refresh,
            whole: true,
            output: None,
        };
        get_or_build(&call, run)
    })
}

fn named(id: &str, run: &mut Run) -> Result<SessionId, ErrorReported> {
    SessionId::parse(id).map_err(|why| {
        let message = format!("`{}` is not a valid session ID: {why}", id.escape_debug());
        run.diags
            .push(Diagnostic::error(diagnostic::USAGE, message))
    })
}
