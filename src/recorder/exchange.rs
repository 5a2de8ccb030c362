//! An exchange in progress, and the copy that is recorded of it.

use super::decode::{MOST, decoded};
use super::headers::text;
use super::spool::{Memory, Spool};
use crate::request::whole::log::{self, Exchange, Reply};
use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::HeaderMap;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

/// The kind of body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Request,
    Response,
}

/// The copy of a body, and how it is packed.
#[derive(Debug)]
struct Copied {
    bytes: Spool,
    coding: Option<String>,
}

impl Copied {
    /// An empty one.
    fn new(memory: &Memory) -> Self {
        Self {
            bytes: Spool::new(memory, MOST),
            coding: None,
        }
    }

    fn text(&mut self) -> Result<String, &'static str> {
        let bytes = decoded(&mut self.bytes, self.coding.as_deref())?;
        match String::from_utf8(bytes) {
            Ok(text) => Ok(text),
            // A stream may break off in the middle of a letter.
            Err(error) if error.utf8_error().error_len().is_none() => {
                let whole = error.utf8_error().valid_up_to();
                let mut bytes = error.into_bytes();
                bytes.truncate(whole);
                Ok(String::from_utf8_lossy(&bytes).into_owned())
            }
            Err(_) => Err("a body that is not UTF-8"),
        }
    }
}

/// The recorded copy of an exchange.
#[derive(Debug)]
pub(super) struct Recorded {
    url: String,
    time: Timestamp,
    headers: BTreeMap<String, String>,
    /// A credential in its URL, which is not kept.
    account: Option<String>,
    begun: Option<Timestamp>,
    request: Copied,
    status: Option<u16>,
    /// Its id at the provider.
    request_id: Option<String>,
    response: Copied,
    /// Why a copy is not whole.
    lost: Option<std::io::Error>,
}

impl Recorded {
    /// The exchange as an import reads it.
    ///
    /// # Errors
    /// Why it cannot be one.
    pub(super) fn exchange(mut self) -> Result<Exchange, String> {
        if let Some(error) = self.lost {
            return Err(format!("a copy could not be kept: {error}"));
        }
        Ok(Exchange {
            body: log::Body::Text(self.request.text()?),
            response: match self.status {
                Some(_) => {
                    let text = self.response.text()?;
                    (!text.is_empty()).then_some(Reply::Text(text))
                }
                None => None,
            },
            url: Some(self.url),
            time: Some(self.time),
            begun: self.begun,
            account: self.account,
            status: self.status,
            request_id: self.request_id,
            headers: self.headers,
            ..Exchange::default()
        })
    }
}

/// An exchange in progress. It is handed on when its last reference is dropped: at its end, or when a side disconnects.
#[derive(Debug)]
pub(super) struct Open {
    recorded: Mutex<Option<Recorded>>,
    to: Sender<Recorded>,
}

impl Open {
    /// An exchange that begins with these headers.
    pub(super) fn new(
        (url, account): (String, Option<String>),
        time: Timestamp,
        headers: &HeaderMap,
        memory: &Memory,
        to: Sender<Recorded>,
    ) -> Arc<Self> {
        let pairs = headers.iter().filter_map(|(name, value)| {
            Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
        });
        let recorded = Recorded {
            url,
            time,
            headers: pairs.collect(),
            account,
            begun: None,
            request: Copied {
                coding: coding(headers),
                ..Copied::new(memory)
            },
            status: None,
            request_id: None,
            response: Copied::new(memory),
            lost: None,
        };
        Arc::new(Self {
            recorded: Mutex::new(Some(recorded)),
            to,
        })
    }

    fn with(&self, change: impl FnOnce(&mut Recorded)) {
        if let Ok(mut recorded) = self.recorded.lock()
            && let Some(recorded) = &mut *recorded
        {
            change(recorded);
        }
    }

    /// Takes the head of the response.
    pub(super) fn answered(&self, status: u16, time: Timestamp, headers: &HeaderMap) {
        self.with(|recorded| {
            recorded.begun = Some(time);
            recorded.status = Some(status);
            recorded.request_id = text(headers, "request-id").map(str::to_owned);
            recorded.response.coding = coding(headers);
        });
    }

    /// Forgets it: no provider got it.
    pub(super) fn forget(&self) {
        if let Ok(mut recorded) = self.recorded.lock() {
            *recorded = None;
        }
    }

    fn push(&self, side: Side, bytes: &[u8]) {
        self.with(|recorded| {
            if recorded.lost.is_some() {
                return;
            }
            let copied = match side {
                Side::Request => &mut recorded.request,
                Side::Response => &mut recorded.response,
            };
            if let Err(error) = copied.bytes.push(bytes) {
                recorded.lost = Some(error);
            }
        });
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let recorded = self.recorded.get_mut().ok().and_then(Option::take);
        if let Some(recorded) = recorded {
            // The receiver is gone only when the program ends.
            let _ = self.to.send(recorded);
        }
    }
}

fn coding(headers: &HeaderMap) -> Option<String> {
    text(headers, "content-encoding").map(str::to_owned)
}

/// A body that is copied as it goes by, frame by frame.
pub(super) struct Copying<B> {
    body: B,
    side: Side,
    open: Option<Arc<Open>>,
}

impl<B> Copying<B> {
    /// A copy of one side of an exchange; without an exchange nothing is copied.
    pub(super) fn new(body: B, side: Side, open: Option<Arc<Open>>) -> Self {
        Self { body, side, open }
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for Copying<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let (Some(open), Poll::Ready(Some(Ok(frame)))) = (&self.open, &polled)
            && let Some(bytes) = frame.data_ref()
        {
            open.push(self.side, bytes);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
