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

    /// A request.
    fn request(&mut self, line: RequestLine, request: &Whole, place: &InChain) -> io::Result<()>;

    /// A conversation has ended.
    fn close(&mut self, conversation: &str);

    /// The answer of the request before.
    fn response(
        &mut self,
        line: ResponseLine,
        output: &[Arc<Turn>],
        place: &InChain,
    ) -> io::Result<()>;
}
