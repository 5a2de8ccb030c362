//! The engine's tree: where something in it is in the source, and what is passed by an argument.

use minijinja::machinery::ast::{CallArg, Expr};
use std::ops::Range;

/// The bytes of a position of the engine.
pub(super) fn range(span: minijinja::machinery::Span) -> Range<usize> {
    span.start_offset as usize..span.end_offset as usize
}

/// The value of an argument, however it is given.
pub(super) fn argument<'e, 's>(arg: &'e CallArg<'s>) -> &'e Expr<'s> {
    let (CallArg::Pos(e) | CallArg::Kwarg(_, e) | CallArg::PosSplat(e) | CallArg::KwargSplat(e)) =
        arg;
    e
}
