//! What a project is asked of sessions, and of prompts by their names.

use super::compare::{CompareCall, compare};
use super::service::answer;
use super::sessions::call::SessionCall;
use super::sessions::serve::get_or_build;
use super::{Answer, BuildInputs, Compared, Error, Project, Session, StoreOptions};
use crate::diagnostic::{self, Diagnostic};
use crate::session::store::SessionId;

/// How a session is asked for.
#[derive(Debug, Clone, Default)]
pub struct SessionOptions {
    /// Where sessions are kept.
    pub store: StoreOptions,
    /// What has happened to it: the session is built again if its manifest has `refresh event=NAME`.
    pub event: Option<String>,
    /// Builds it again in any case.
    pub refresh: bool,
}

/// How two prompts are compared.
#[derive(Debug, Clone, Default)]
pub struct CompareOptions {
    /// Where sessions are kept.
    pub store: StoreOptions,
    /// Builds what `git:REV` names from that revision's files, and does not read its records.
    pub rebuild: bool,
}

impl Project {
    /// What a session keeps; if there is no such session, what it keeps from now on.
    ///
    /// # Errors
    /// Where the name is none, the store does not answer, the session is of somebody else, or a build fails.
    pub fn session(
        &self,
        id: &str,
        inputs: &BuildInputs,
        options: &SessionOptions,
    ) -> Result<Answer<Session>, Error> {
        answer(|run| {
            let id = SessionId::parse(id).map_err(|why| {
                let message = format!("`{}` is no ID of a session: {why}", id.escape_debug());
                run.diags
                    .push(Diagnostic::error(diagnostic::USAGE, message))
            })?;
            let call = SessionCall {
                given: &self.call(inputs),
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

    /// Compares what two operands name, `None` being all records (A) and a build now (B): a file, `record:NAME`, `git:REV`,
    /// `session:ID`, or `.` for a build now. There is a comparison for each record that both sides have.
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
            store: options.store.clone(),
            rebuild: options.rebuild,
        };
        answer(|run| compare(operands, &call, run))
    }
}
