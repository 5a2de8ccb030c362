//! The artifact as text.

use super::Prompt;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};
use std::io;

/// How many objects and lists around a value are laid out over lines. The spans, ingredients and nodes of definitions lie
/// deeper and have a line each: they are nine tenths of an artifact, and over lines they were twice as long.
const MOST_INDENTED: usize = 6;

impl Prompt {
    /// The artifact as text, as `promptc build --format json` writes it: indented, small objects on one line, one final
    /// newline.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = Vec::new();
        let layout = Layout {
            lines: PrettyFormatter::new(),
            line: CompactFormatter,
            depth: 0,
        };
        // Strings, numbers and lists always have a JSON form.
        let _ = self.serialize(&mut Serializer::with_formatter(&mut out, layout));
        out.push(b'\n');
        String::from_utf8(out).unwrap_or_default()
    }
}

/// Lays out over lines what is not deep, and the rest on one.
struct Layout {
    lines: PrettyFormatter<'static>,
    line: CompactFormatter,
    /// The number of objects and lists that are open.
    depth: usize,
}

/// Hands a call on to the layout of this depth.
macro_rules! at_depth {
    ($self:ident, $depth:expr, $call:ident ( $($arg:expr),* )) => {
        match $depth <= MOST_INDENTED {
            true => $self.lines.$call($($arg),*),
            false => $self.line.$call($($arg),*),
        }
    };
}

impl Formatter for Layout {
    fn begin_array<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        at_depth!(self, self.depth, begin_array(out))
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        let depth = self.depth;
        self.depth -= 1;
        at_depth!(self, depth, end_array(out))
    }

    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> io::Result<()> {
        at_depth!(self, self.depth, begin_array_value(out, first))
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        at_depth!(self, self.depth, end_array_value(out))
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        at_depth!(self, self.depth, begin_object(out))
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        let depth = self.depth;
        self.depth -= 1;
        at_depth!(self, depth, end_object(out))
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> io::Result<()> {
        at_depth!(self, self.depth, begin_object_key(out, first))
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        at_depth!(self, self.depth, begin_object_value(out))
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        at_depth!(self, self.depth, end_object_value(out))
    }
}
