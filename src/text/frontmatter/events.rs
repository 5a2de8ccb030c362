//! The events of a YAML document. Where readers of 1.1 differ from today's: they refuse tabs that indent, some characters
//! and a missing key, and add no line break after a block of text that ends the document.

use super::{DEEPEST, MALFORMED, TOO_MUCH, UNKNOWN_ALIAS};
use granit_parser::{
    ErrorKind, Event, Parser, ScalarStyle, ScanError, Span, StrInput, StructureStyle,
};

/// The error.
pub(super) type Message = &'static str;

pub(super) struct Events<'y> {
    parser: Parser<'y, StrInput<'y>>,
    yaml: &'y str,
    yaml11: bool,
    /// For each list and map that is open, whether it is written in brackets.
    flows: Vec<bool>,
    /// The line of the last event or error, from 1.
    pub(super) line: usize,
}

impl<'y> Events<'y> {
    pub(super) fn new(yaml: &'y str, yaml11: bool) -> Self {
        let options = granit_parser::options! {
            emit_unresolved_aliases: true,
            emit_anchor_events: true,
            emit_comments: false,
            flow_nesting_limit: DEEPEST,
            block_nesting_limit: DEEPEST,
        };
        Self {
            parser: Parser::new_from_str_with_options(yaml, options),
            yaml,
            yaml11,
            flows: Vec::new(),
            line: 1,
        }
    }

    /// The error, which is that of an earlier line.
    pub(super) fn at(&mut self, line: usize, message: Message) -> Message {
        self.line = line;
        message
    }

    /// Looks for characters that YAML 1.1 may not hold.
    pub(super) fn check(&mut self) -> Result<(), Message> {
        match self.yaml.find(|c| !is_readable(c)) {
            Some(at) if self.yaml11 => {
                self.line = 1 + self.yaml[..at].matches('\n').count();
                Err(MALFORMED)
            }
            _ => Ok(()),
        }
    }

    /// The next event.
    pub(super) fn next(&mut self) -> Result<Event<'y>, Message> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => {
                self.line = span.start.line().max(1);
                if self.yaml11 {
                    self.as_before(event, &span)
                } else {
                    Ok(event)
                }
            }
            Some(Err(error)) => {
                self.line = error.marker().line().max(1);
                Err(message(&error))
            }
            None => Ok(Event::StreamEnd),
        }
    }

    fn as_before(&mut self, event: Event<'y>, span: &Span) -> Result<Event<'y>, Message> {
        let inside = self.flows.last().is_some_and(|flow| *flow);
        if event.is_node()
            && !inside
            && (self.is_indented_by_tab(span) || self.is_missing(&event, span))
        {
            return Err(MALFORMED);
        }
        match &event {
            Event::SequenceStart(style, ..) | Event::MappingStart(style, ..) => {
                self.flows.push(*style == StructureStyle::Flow);
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.flows.pop();
            }
            _ => {}
        }
        Ok(match event {
            // The parser writes a tilde for a missing value.
            Event::Scalar(_, ScalarStyle::Plain, anchor, tag) if span.is_empty() => {
                Event::Scalar("".into(), ScalarStyle::Plain, anchor, tag)
            }
            Event::Scalar(text, style, anchor, tag) if self.is_cut_short(style, span) => {
                let text = text.strip_suffix('\n').unwrap_or(&text).to_owned();
                Event::Scalar(text.into(), style, anchor, tag)
            }
            event => event,
        })
    }

    /// The text before an event on its line.
    fn before(&self, span: &Span) -> &'y str {
        let at = span.start.byte_offset().unwrap_or_default();
        let before = &self.yaml[..at.min(self.yaml.len())];
        &before[before.rfind('\n').map_or(0, |at| at + 1)..]
    }

    fn is_indented_by_tab(&self, span: &Span) -> bool {
        let line = self.before(span);
        line[..line.len() - line.trim_start_matches([' ', '\t', '-', '?']).len()].contains('\t')
    }

    /// Whether no key comes before a colon.
    fn is_missing(&self, event: &Event<'y>, span: &Span) -> bool {
        let rest = span.start.byte_offset().and_then(|at| self.yaml.get(at..));
        matches!(event, Event::Scalar(_, ScalarStyle::Plain, 0, None))
            && span.is_empty()
            && rest.is_some_and(|rest| rest.starts_with(':'))
            // The empty value of a key is before its colon.
            && self.before(span).trim_start_matches([' ', '-']).is_empty()
    }

    /// Whether a block of text ends where all ends, without a line break, which the parser adds.
    fn is_cut_short(&self, style: ScalarStyle, span: &Span) -> bool {
        let block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
        let end = span.byte_range().map(|range| range.end);
        block && !self.yaml.ends_with('\n') && end == Some(self.yaml.len())
    }
}

fn is_readable(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{A0}'..='\u{FFFD}' | '\u{10000}'..)
}

fn message(error: &ScanError) -> Message {
    match error.kind() {
        ErrorKind::RecursionLimitExceeded => TOO_MUCH,
        ErrorKind::UnknownAnchor => UNKNOWN_ALIAS,
        _ => MALFORMED,
    }
}
