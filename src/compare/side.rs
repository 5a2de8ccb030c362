//! One layer as one prompt has it: present, absent, or not there at all.

use crate::prompt::{
    Absent, Channel, DEFAULT_MARKER, Definition, Deliver, Ingredient, Layer, Prompt, Span, Unused,
    UnusedReason,
};
use crate::text::SpanKind;
use std::collections::BTreeMap;

/// A layer on one side of the comparison.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side<'p> {
    pub(super) present: Option<(&'p Channel, &'p Layer)>,
    pub(super) absent: Option<&'p Absent>,
}

/// The layers of a prompt by channel and name.
pub(super) struct Sides<'p> {
    present: BTreeMap<(Deliver, &'p str), (&'p Channel, &'p Layer)>,
    absent: BTreeMap<&'p str, &'p Absent>,
}

impl<'p> Sides<'p> {
    /// The layers of `prompt`; of several of one name the first.
    pub(super) fn of(prompt: &'p Prompt) -> Self {
        // A map keeps the last inserted one.
        let channels = prompt.channels.iter().rev();
        let layers = channels.flat_map(|c| c.layers.iter().rev().map(move |l| (c, l)));
        let absent = prompt.absent.iter().rev();
        Self {
            present: layers
                .map(|(c, l)| ((c.deliver, l.name.as_str()), (c, l)))
                .collect(),
            absent: absent.map(|a| (a.layer.as_str(), a)).collect(),
        }
    }

    /// The layer called `name`; as present only if it is in the channel `deliver`.
    pub(super) fn get(&self, name: &str, deliver: Deliver) -> Side<'p> {
        Side {
            present: self.present.get(&(deliver, name)).copied(),
            absent: self.absent.get(name).copied(),
        }
    }
}

impl<'p> Sides<'p> {
    /// The layer called `name`, if it is in another channel than `deliver` and not in that one.
    pub(super) fn elsewhere(&self, name: &str, deliver: Deliver) -> Option<Side<'p>> {
        if self.get(name, deliver).present.is_some() {
            return None;
        }
        let mut all = Deliver::ALL.into_iter().map(|other| self.get(name, other));
        all.find(|side| side.present.is_some())
    }
}

impl<'p> Side<'p> {
    /// The channel that it is in.
    pub(super) fn channel(&self) -> Option<Deliver> {
        self.present.map(|(channel, _)| channel.deliver)
    }

    /// Whether the manifest has it.
    pub(super) fn known(&self) -> bool {
        self.present.is_some() || self.absent.is_some()
    }

    /// Its name, if the manifest has it.
    pub(super) fn name(&self) -> Option<&'p str> {
        let present = self.present.map(|(_, layer)| layer.name.as_str());
        present.or(self.absent.map(|absent| absent.layer.as_str()))
    }

    pub(super) fn tier(&self) -> Option<&'p str> {
        let present = self.present.map(|(_, l)| l.tier.as_str());
        present.or(self.absent.map(|a| a.tier.as_str()))
    }

    pub(super) fn ingredients(&self) -> &'p [Ingredient] {
        let present = self.present.map(|(_, l)| &*l.ingredients);
        present
            .or(self.absent.map(|a| &*a.ingredients))
            .unwrap_or_default()
    }

    pub(super) fn ingredient(&self, index: Option<u32>) -> Option<&'p Ingredient> {
        self.ingredients().get(index? as usize)
    }

    pub(super) fn unused(&self) -> &'p [Unused] {
        let present = self.present.map(|(_, l)| l.unused.as_slice());
        present
            .or(self.absent.map(|a| a.unused.as_slice()))
            .unwrap_or_default()
    }

    /// Why a document did not count, if it was looked for.
    pub(super) fn why_unused(&self, root: &str, path: &str) -> Option<UnusedReason> {
        let unused = self.unused().iter();
        let mut of_it = unused.filter(|u| u.root == root && u.path == path);
        of_it.next().map(|u| u.reason)
    }

    pub(super) fn definition(&self) -> Option<&'p Definition> {
        let present = self.present.map(|(_, l)| &l.definition);
        present.or(self.absent.map(|a| &a.definition))
    }

    /// The node of its definition whose text is at a line: on that line, or the last before it, because a
    /// string can begin lines after its node. Of several on one line the one that contains `text`, else the
    /// last that has one.
    pub(super) fn node(&self, line: usize, text: &str) -> Option<usize> {
        let nodes = &self.definition()?.nodes;
        let last = nodes.partition_point(|n| n.line <= line).checked_sub(1)?;
        let first = nodes.partition_point(|n| n.line < nodes[last].line);
        let says = (first..=last).find(|n| nodes[*n].values().any(|v| v.is(text)));
        let holds = |n: &usize| ["text", "template"].contains(&nodes[*n].name.as_str());
        says.or_else(|| (first..=last).rfind(holds)).or(Some(last))
    }

    /// Whether a template, of a file or at a line of the manifest, is the mark at cuts.
    pub(super) fn marks_cuts(&self, file: &str, line: Option<usize>) -> bool {
        let Some(definition) = self.definition() else {
            return false;
        };
        let mut nodes = definition.nodes.iter();
        nodes.any(|node| match (line, node) {
            (Some(line), said) => {
                node.line == line && ["budget", "marker"].contains(&said.name.as_str())
            }
            (None, said) => said.name == "marker" && said.values().any(|value| value.is(file)),
        }) || file.starts_with(DEFAULT_MARKER)
    }

    /// Bytes of the join before it.
    pub(super) fn join_len(&self) -> usize {
        self.join().len()
    }

    /// The join before it.
    pub(super) fn join(&self) -> &'p str {
        let Some((channel, layer)) = self.present else {
            return "";
        };
        match layer.spans.first() {
            Some(first) if first.kind == SpanKind::Join && layer.start > 0 => {
                channel.text.get(first.start..first.end).unwrap_or_default()
            }
            _ => "",
        }
    }

    /// Where its own text begins in the channel, after the join.
    pub(super) fn start(&self) -> usize {
        self.present
            .map_or(0, |(_, layer)| layer.start + self.join_len())
    }

    /// Its text without the join before it.
    pub(super) fn text(&self) -> &'p str {
        self.present.map_or("", |(channel, layer)| {
            channel
                .text
                .get(self.start()..layer.end)
                .unwrap_or_default()
        })
    }

    /// The owners of its own text, in order; offsets are the channel's.
    pub(super) fn spans(&self) -> &'p [Span] {
        let Some((_, layer)) = self.present else {
            return &[];
        };
        match self.join_len() {
            0 => &layer.spans,
            _ => layer.spans.get(1..).unwrap_or_default(),
        }
    }

    /// The bytes of a span.
    pub(super) fn bytes(&self, span: &Span) -> &'p str {
        self.present.map_or("", |(channel, _)| {
            channel.text.get(span.start..span.end).unwrap_or_default()
        })
    }

    /// Whether a document was read, with its index and hash; the first of several readings.
    pub(super) fn document(&self, root: &str, path: &str) -> Option<(usize, &'p str)> {
        self.ingredients()
            .iter()
            .enumerate()
            .find_map(|(i, ing)| match ing {
                Ingredient::Document {
                    root: r,
                    path: p,
                    sha256,
                    ..
                } if r == root && p == path => Some((i, sha256.as_str())),
                _ => None,
            })
    }

    /// The document that imports this one, if no source read it for itself.
    pub(super) fn importer(&self, root: &str, path: &str) -> Option<&'p str> {
        let mut readings = self.ingredients().iter().filter_map(|i| match i {
            Ingredient::Document {
                root: r,
                path: p,
                imported_by,
                ..
            } if r == root && p == path => Some(imported_by.as_deref()),
            _ => None,
        });
        let first = readings.next()??;
        readings.all(|by| by.is_some()).then_some(first)
    }

    /// The answer of `exists()`, if it was asked.
    pub(super) fn exists(&self, root: &str, path: &str) -> Option<bool> {
        self.ingredients().iter().find_map(|i| match i {
            Ingredient::Exists {
                root: r,
                path: p,
                value,
            } if r == root && p == path => Some(*value),
            _ => None,
        })
    }

    /// The answer of `loaded()`, if it was asked.
    pub(super) fn loaded(&self, layer: &str) -> Option<bool> {
        self.ingredients().iter().find_map(|i| match i {
            Ingredient::Loaded { layer: l, value } if l == layer => Some(*value),
            _ => None,
        })
    }
}
