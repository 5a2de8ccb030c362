//! Braces: which are open, what `/-` leaves out, and where what is left open was opened.

use super::{Dashed, Parser, State, index};
use crate::diagnostic::{Diagnostic, KDL_SYNTAX};
use crate::syntax::lex::{MAX_NESTING, Token, too_deep};

/// The line that is being read.
#[derive(Clone, Copy, Default)]
pub(super) struct Line {
    /// Its first token that is no trivia.
    pub(super) first: usize,
    /// The bytes before that.
    pub(super) indentation: usize,
}

/// A brace that is open.
pub(super) struct Brace {
    pub(super) token: Token,
    /// The indentation of its line.
    pub(super) indentation: usize,
    /// The node that it belongs to.
    pub(super) node: Option<usize>,
}

impl Parser<'_> {
    /// Leaves out the part after `/-`, if it ends here; returns whether it did.
    pub(super) fn end_dashed(&mut self, children: bool) -> bool {
        let (depth, ends) = (self.open.len(), |d: &mut Dashed| d.children == children);
        let dashed = self
            .dashed
            .pop_if(|dashed| dashed.depth == depth && ends(dashed));
        if let Some(Dashed { kept, .. }) = &dashed {
            self.nodes.truncate(kept.nodes);
            self.entries.truncate(kept.entries);
        }
        dashed.is_some()
    }

    pub(super) fn open(&mut self, token: Token) -> Option<()> {
        self.advance();
        if self.open.len() == MAX_NESTING {
            let fault = too_deep("node", self.span(token));
            self.faults.push(fault);
            return None;
        }
        let left_out = |d: &Dashed| d.children && d.depth == self.open.len();
        let left_out = self.dashed.last().is_some_and(left_out);
        let node = self.node.take();
        let block = node
            .filter(|_| !left_out)
            .map(|node| &mut self.nodes[node].block);
        let again = block.is_some_and(|block| std::mem::replace(block, true));
        let wrong = match self.state {
            State::Start => Some((
                "`{` is where a node's name should be",
                "children start on the line of their node: write `NAME {`",
            )),
            State::Behind if again => Some((
                "a node has one block of children",
                "put everything between one `{` and `}`",
            )),
            State::Node | State::Behind => None,
        };
        if let Some((message, help)) = wrong {
            self.fault(KDL_SYNTAX, token, message, help);
        }
        let indentation = self.line.indentation;
        self.open.push(Brace {
            token,
            indentation,
            node,
        });
        self.state = State::Start;
        Some(())
    }

    pub(super) fn close(&mut self, token: Token) {
        let leads = self.line.first == self.at;
        self.advance();
        self.end_node();
        match self.open.pop() {
            Some(brace) => {
                self.node = brace.node;
                if leads && self.line.indentation < brace.indentation {
                    self.lost.get_or_insert(brace.token);
                }
            }
            None if self.unsure => {}
            None => self.fault(KDL_SYNTAX, token, "`}` closes nothing", "remove it"),
        }
        self.state = State::Behind;
        self.reach();
        if !self.end_dashed(true)
            && let Some(node) = self.node
        {
            self.nodes[node].below = index(self.nodes.len());
        }
    }

    /// Lets the node that is being read end where it is read to.
    pub(super) fn reach(&mut self) {
        let read = self.tokens[..self.at].iter();
        let last = read.rev().find(|token| !token.kind.is_trivia());
        if let (Some(node), Some(last)) = (self.node, last) {
            self.nodes[node].end = index(last.end);
        }
    }

    pub(super) fn dash(&mut self, children: bool) {
        let kept = self.kept();
        self.dashed.push(Dashed {
            depth: self.open.len(),
            children,
            kept,
        });
    }

    /// Reports what is still open; not if the end was not reached.
    pub(super) fn finish(&mut self) {
        if self.at < self.tokens.len() {
            return;
        }
        self.end_node();
        if let (Some(open), false) = (self.open.pop(), self.unsure) {
            let fault = Diagnostic::error(KDL_SYNTAX, "`{` is not closed")
                .at(self.span(open.token))
                .help("close it with `}`");
            self.faults.push(match self.lost {
                Some(lost) => {
                    fault.related(self.span(lost), "the `}` of this one is indented less")
                }
                None => fault,
            });
        }
    }
}
