//! A prompt from a snapshot.

use super::line::{LayerLine, Line, Note, TierLine};
use super::lock::Snapshot;
use crate::prompt::{
    Absent, Channel, Deliver, Layer, Notice, PrefixHash, Prompt, SCHEMA, Span, Tier, sha256,
};
use crate::text::SpanKind;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The texts of a snapshot's channels, as its files hold them.
pub type Texts = BTreeMap<Deliver, String>;

/// A prompt restored from its snapshot.
///
/// It is the accepted prompt, with these differences: `promptc` and `manifest` are empty; lines of the manifest
/// count from the layer's first line, which is 1, and those of tiers are 0; token counts are null; notices are in
/// the order of their layers, those without a layer at the end; absent layers are in the order of the channels;
/// `fits` is empty.
#[derive(Debug, Clone, PartialEq)]
pub struct RestoredSnapshot {
    /// The prompt.
    pub prompt: Prompt,
    /// Whether the texts are known. If not (`snapshot=#false`), all texts are empty while offsets and lengths are those
    /// of the prompt that was recorded; hashes of layers are without the join before them, fingerprints are empty.
    pub text: bool,
}

/// A text that is not the one that was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotMismatch {
    /// The channel.
    pub deliver: Deliver,
    /// The first layer that differs; `None` if there is text after the last one.
    pub layer: Option<String>,
}

impl Snapshot {
    /// The prompt, with these texts.
    ///
    /// # Errors
    /// When a text is not the one that was recorded.
    pub fn restore(&self, texts: &Texts) -> Result<RestoredSnapshot, SnapshotMismatch> {
        restore(self, texts)
    }
}

fn restore(snapshot: &Snapshot, texts: &Texts) -> Result<RestoredSnapshot, SnapshotMismatch> {
    let head = &snapshot.head;
    let known = head.texts;
    let mut out = Prompt {
        schema: SCHEMA,
        promptc: String::new(),
        language: head.language,
        name: head.name.clone(),
        fingerprint: String::new(),
        manifest_sha256: String::new(),
        channels: Vec::new(),
        absent: Vec::new(),
        notices: Vec::new(),
        without: Vec::new(),
        fits: Vec::new(),
        session: None,
        overlays: Arc::default(),
        inputs: None,
    };
    for deliver in Deliver::ALL {
        let text = known.then(|| texts.get(&deliver).map_or("", String::as_str));
        let mut channel = Restoring::new(deliver, text);
        let mut here = false;
        for line in &snapshot.body {
            match line {
                Line::Tier(tier) => {
                    here = tier.deliver == deliver;
                    if here {
                        channel.tier(tier);
                    }
                }
                Line::Layer(layer) if here => channel.layer(layer)?,
                _ => {}
            }
        }
        out.channels.extend(channel.finish()?);
    }
    if known {
        out.fingerprint = sha256(out.text(Deliver::System));
    }
    for line in &snapshot.body {
        if let Line::Layer(layer) = line {
            notices(&mut out, &layer.notices, Some(&layer.layer));
        }
        if let Line::Absent(absent) = line {
            notices(&mut out, &absent.notices, Some(&absent.layer));
            out.absent.push(Absent {
                layer: absent.layer.clone(),
                tier: absent.tier.clone(),
                reason: absent.reason,
                detail: absent.detail.clone(),
                ingredients: absent.ingredients.clone().into(),
                unused: absent.unused.clone(),
                definition: absent.definition.clone(),
            });
        }
    }
    notices(&mut out, &head.notices, None);
    Ok(RestoredSnapshot {
        prompt: out,
        text: known,
    })
}

fn notices(out: &mut Prompt, notes: &[Note], layer: Option<&str>) {
    out.notices.extend(notes.iter().map(|note| Notice {
        code: note.code.clone(),
        layer: layer.map(str::to_owned),
        message: note.message.clone(),
    }));
}

/// A channel in the making.
struct Restoring<'a> {
    deliver: Deliver,
    /// If it is known.
    text: Option<&'a str>,
    /// The end of what is restored.
    at: usize,
    chars: usize,
    prefix: PrefixHash,
    /// The tier at hand, and whether a layer of it has come.
    tier: Option<(&'a TierLine, bool)>,
    tiers: Vec<Tier>,
    layers: Vec<Layer>,
}

impl<'a> Restoring<'a> {
    fn new(deliver: Deliver, text: Option<&'a str>) -> Self {
        Self {
            deliver,
            text,
            at: 0,
            chars: 0,
            prefix: PrefixHash::default(),
            tier: None,
            tiers: Vec::new(),
            layers: Vec::new(),
        }
    }

    fn tier(&mut self, line: &'a TierLine) {
        self.close_tier();
        self.tier = Some((line, false));
        self.tiers.push(Tier {
            name: line.tier.clone(),
            changes: line.changes,
            start: self.at,
            end: self.at,
            fingerprint: String::new(),
            definition: line.definition.clone(),
        });
    }

    fn close_tier(&mut self) {
        if let Some(tier) = self.tiers.last_mut() {
            tier.end = self.at;
            if self.text.is_some() {
                tier.fingerprint = self.prefix.so_far();
            }
        }
    }

    fn layer(&mut self, line: &LayerLine) -> Result<(), SnapshotMismatch> {
        let join = match self.tier {
            Some((tier, begun)) if self.at > 0 => {
                if begun {
                    tier.join.as_str()
                } else {
                    tier.lead.as_str()
                }
            }
            _ => "",
        };
        self.tier = self.tier.map(|(tier, _)| (tier, true));
        let start = self.at;
        let own = start.saturating_add(join.len());
        let end = own.saturating_add(line.bytes);
        let unlike = || SnapshotMismatch {
            deliver: self.deliver,
            layer: Some(line.layer.clone()),
        };
        let hash = match self.text {
            None => line.sha256.clone(),
            Some(text) => {
                let whole = text.get(start..end).ok_or_else(unlike)?;
                let text = whole.strip_prefix(join).ok_or_else(unlike)?;
                if sha256(text) != line.sha256 || text.chars().count() != line.chars {
                    return Err(unlike());
                }
                self.prefix.extend(whole.as_bytes());
                sha256(whole)
            }
        };
        let chars = join.chars().count().saturating_add(line.chars);
        self.layers.push(Layer {
            name: line.layer.clone(),
            tier: line.tier.clone(),
            start,
            end,
            chars,
            tokens: None,
            changes: line.changes,
            sha256: hash,
            ingredients: line.ingredients.clone().into(),
            spans: spans(line, start, own),
            unused: line.unused.clone(),
            definition: line.definition.clone(),
        });
        self.at = end;
        self.chars = self.chars.saturating_add(chars);
        Ok(())
    }

    /// `None` if the channel has no text.
    fn finish(mut self) -> Result<Option<Channel>, SnapshotMismatch> {
        self.close_tier();
        if self.text.is_some_and(|text| text.len() != self.at) {
            return Err(SnapshotMismatch {
                deliver: self.deliver,
                layer: None,
            });
        }
        Ok((self.at > 0).then(|| Channel {
            deliver: self.deliver,
            text: self.text.unwrap_or_default().to_owned(),
            bytes: self.at,
            chars: self.chars,
            tokens: None,
            tokenizer: None,
            estimate: false,
            tiers: self.tiers,
            layers: self.layers,
        }))
    }
}

/// The spans in the channel of a layer that starts at `start`, its own text at `own`.
fn spans(line: &LayerLine, start: usize, own: usize) -> Vec<Span> {
    let join = (own > start).then_some(Span {
        start,
        end: own,
        kind: SpanKind::Join,
        ingredient: None,
        offset: None,
        line: None,
        of: None,
    });
    let moved = line.spans.iter().map(|span| Span {
        start: span.start.saturating_add(own),
        end: span.end.saturating_add(own),
        ..*span
    });
    join.into_iter().chain(moved).collect()
}
