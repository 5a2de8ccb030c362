//! The command line: streams and exits, arguments, `watch`, manual pages.

mod streams;
mod given;
mod man;
mod unused;
mod version;
mod watch;
