//! The receiver of the requests and answers of a log.

use super::line::{RequestLine, ResponseLine};
use crate::request::whole::chain::InChain;
use crate::request::whole::effective::Request;
use crate::request::whole::turns::{SentPart, Turn};
use std::io;
use std::sync::Arc;

/// A request with its messages as they are shared.
pub(super) type Whole = Request<SentPart, Turn>;

/// Where requests and answers go. The lines that it is given name no parts yet.
pub(super) trait Sink {
    /// The line before all requests, unless it exists.
    fn begin(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// A request with its answer, if there is one, and the messages that this wrote.
    fn add(
        &mut self,
        line: RequestLine,
        request: &Whole,
        place: &InChain,
        answer: Option<(ResponseLine, &[Arc<Turn>])>,
    ) -> io::Result<()>;

    /// A conversation has ended.
    fn close(&mut self, conversation: &str);

    /// The requests that are compared with nothing, though an earlier one is before them in their chain.
    fn uncompared(&self) -> usize {
        0
    }
}
