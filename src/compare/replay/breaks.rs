//! Rounds as breaks: what was changed, in words, and how it worked.

use super::effect::{cut, flip, hidden, is_direct, replaced};
use super::entry::entry;
use super::leaves::{Edit, Leaf, Leaves, Unit, is_in_root};
use super::search::{Kept, Named, Role, Round, changed};
use super::seen::{Seen, is_of};
use crate::compare::excerpt::{self, FirstDifference, blankless};
use crate::compare::model::{Break, Cause, CauseKind, Together};
use crate::prompt::{Deliver, Ingredient, Prompt, RecordedInputs};
use std::collections::BTreeSet;

/// What the words of a search need to know.
pub(super) struct Words<'w> {
    /// The folder of the manifest.
    pub(super) home: &'w str,
    pub(super) a: &'w Prompt,
    pub(super) b: &'w Prompt,
    pub(super) inputs: [&'w RecordedInputs; 2],
    /// The private facts whose value in A is not known.
    pub(super) unknown: &'w [String],
    /// All private facts, and what their values are in text.
    pub(super) private: &'w BTreeSet<String>,
    pub(super) secrets: &'w [String],
}

/// The bytes of A's system prompt that stay cached.
fn system(a: &Prompt, kept: Kept) -> usize {
    match kept {
        Kept::UpTo(Deliver::System, bytes) => bytes,
        Kept::UpTo(Deliver::Tools, _) => 0,
        Kept::UpTo(Deliver::User, _) | Kept::All => a.text(Deliver::System).len(),
    }
}

impl Words<'_> {
    /// The break of a round.
    pub(super) fn found(
        &self,
        (leaves, round): (&Leaves, &Round),
        place: &dyn Fn([&Prompt; 2]) -> Option<Break>,
    ) -> Option<Break> {
        let [without, with] = &round.prompts;
        let first = place([&round.from, &round.broken])?;
        let mut layers = changed(without, with, false);
        if layers.is_empty() {
            layers = changed(without, with, true);
        }
        let name = first.layer.clone().or_else(|| layers.first().cloned());
        let name = name.unwrap_or_default();
        let seen = Seen::of([without, with], &name);
        let mut causes: Vec<Cause> = Vec::new();
        for named in &round.causes {
            for cause in self.causes((leaves, named), &seen) {
                if !causes.contains(&cause) {
                    causes.push(cause);
                }
            }
        }
        if round.causes.is_empty() {
            causes = self.unrecorded(&seen);
        }
        let role = match round.causes.as_slice() {
            [one] => one.role,
            _ => round.role,
        };
        let role = match role {
            _ if causes.len() < 2 => None,
            Role::Alone => None,
            Role::Each => Some(Together::Each),
            Role::Together => Some(Together::Only),
            Role::Several => Some(Together::Several),
            Role::Any(number) => Some(Together::Any(number)),
        };
        Some(Break {
            causes,
            sources: Vec::new(),
            together: role,
            layers,
            undone: Some(system(self.a, round.kept)),
            ..first
        })
    }

    /// What was not recorded and may be the cause: private facts that the layer asks for, else the release.
    fn unrecorded(&self, seen: &Seen<'_>) -> Vec<Cause> {
        let asked = seen.b.ingredients().iter().chain(seen.a.ingredients());
        let private: BTreeSet<&String> = asked
            .filter_map(|ingredient| match ingredient {
                Ingredient::Fact { name, .. } if self.unknown.contains(name) => Some(name),
                _ => None,
            })
            .collect();
        let facts = private.into_iter().map(|name| Cause {
            fact: Some(name.clone()),
            ..Cause::new(CauseKind::FactChanged)
        });
        let mut out: Vec<Cause> = facts.collect();
        if out.is_empty() {
            let [old, new] = self.inputs.map(|inputs| Some(inputs.promptc.clone()));
            out.push(Cause {
                old,
                new,
                ..Cause::new(CauseKind::ReleaseChanged)
            });
        }
        out
    }

    /// The units that act only through what was named.
    pub(super) fn also<'u>(
        &self,
        leaves: &Leaves,
        units: impl Iterator<Item = &'u Unit>,
    ) -> Vec<Cause> {
        let seen = Seen::of([self.a, self.b], "");
        let units: BTreeSet<&Unit> = units.collect();
        let causes = units.into_iter().filter_map(|unit| {
            let leaf = *leaves.units.get(unit)?.iter().next()?;
            Some(self.withheld(self.changed((leaves, unit), leaf, &seen)))
        });
        causes.collect()
    }

    fn causes(&self, (leaves, named): (&Leaves, &Named), seen: &Seen<'_>) -> Vec<Cause> {
        let is_one = matches!(named.unit, Unit::Listing { .. } | Unit::Renamed { .. });
        let most = if is_one { 1 } else { usize::MAX };
        let causes = named.leaves.iter().take(most).map(|leaf| {
            let cause = self.changed((leaves, &named.unit), *leaf, seen);
            self.withheld(self.acted(cause, &leaves.all[*leaf], seen))
        });
        causes.collect()
    }

    /// The change without a private value: no text that has one, and no condition that asks for one.
    fn withheld(&self, mut cause: Cause) -> Cause {
        let of_private = |fact: &Option<String>| {
            fact.as_ref()
                .is_some_and(|fact| self.private.contains(fact))
        };
        let has_secret = |text: &Option<String>| {
            text.as_ref().is_some_and(|text| {
                self.secrets
                    .iter()
                    .any(|secret| text.contains(secret.as_str()))
            })
        };
        let is_asked = of_private(&cause.fact) || has_secret(&cause.item);
        if is_asked && let Some(changed) = cause.because.pop() {
            return self.withheld(changed);
        }
        if of_private(&cause.fact) || has_secret(&cause.old) || has_secret(&cause.new) {
            (cause.old, cause.new) = (None, None);
        }
        if of_private(&cause.fact) || has_secret(&cause.item) {
            cause.item = None;
        }
        cause.because = cause
            .because
            .into_iter()
            .map(|cause| self.withheld(cause))
            .collect();
        cause
    }

    /// What was changed.
    fn changed(&self, (leaves, unit): (&Leaves, &Unit), leaf: usize, seen: &Seen<'_>) -> Cause {
        let leaf = &leaves.all[leaf];
        match unit {
            Unit::Renamed { from, to } => Cause {
                old: Some(self.document(from, seen).1),
                new: None,
                ..self.file(CauseKind::DocumentRenamed, to, seen)
            },
            Unit::Listing { .. } => Cause {
                more: leaves.units[unit].len().saturating_sub(1),
                ..self.of_leaf(leaf, seen)
            },
            Unit::LeftOut(name) => {
                let option = || Some(format!("--without {name}"));
                let is_b = leaf.edit == Edit::Added;
                Cause {
                    item: Some(name.clone()),
                    old: if is_b { None } else { option() },
                    new: if is_b { option() } else { None },
                    ..Cause::new(CauseKind::LayerLeftOut)
                }
            }
            Unit::Tokenizer => Cause::new(CauseKind::TokenizerChanged),
            Unit::Fact(name) => {
                let [old, new] = texts(leaf);
                let item = match &leaf.edit {
                    Edit::Item(item) => Some(item.clone()),
                    _ => None,
                };
                // Where another default or choice gives it the value, that is where it was edited.
                let all = leaves.units[unit].iter();
                let mut edited = all.map(|leaf| &leaves.all[*leaf]);
                let declared = edited.find(|leaf| leaf.path.is_some());
                let path = declared.and_then(|leaf| leaf.path.as_deref());
                Cause {
                    fact: Some(name.clone()),
                    line: declared.and_then(line),
                    path: path.map(|path| self.shown(path)),
                    item,
                    old,
                    new,
                    ..Cause::new(CauseKind::FactChanged)
                }
            }
            _ => self.of_leaf(leaf, seen),
        }
    }

    fn of_leaf(&self, leaf: &Leaf, seen: &Seen<'_>) -> Cause {
        let path = leaf.path.as_deref().unwrap_or_default();
        match leaf.edit {
            Edit::Appeared => self.file(CauseKind::DocumentAppeared, path, seen),
            Edit::Vanished => self.file(CauseKind::DocumentVanished, path, seen),
            Edit::Kind => self.file(CauseKind::DocumentChanged, path, seen),
            Edit::Lines => {
                let cause = self.file(CauseKind::DocumentChanged, path, seen);
                let [a, b] = [&leaf.a, &leaf.b].map(|side| side.as_ref());
                let is_program = cause.kind == CauseKind::TemplateChanged;
                // What a scan, a cut or a template keeps out of the prompt is not for the log of a build either.
                let is_shown = |side: usize, line: &str| {
                    is_program || [&seen.a, &seen.b][side].text().contains(line.trim())
                };
                let FirstDifference { line, old, new } = excerpt::of_runs(
                    a.map(|side| (side.text.as_str(), side.line)),
                    b.map(|side| (side.text.as_str(), side.line)),
                    &is_shown,
                );
                Cause {
                    line,
                    old,
                    new,
                    ..cause
                }
            }
            _ => self.of_node(leaf, path),
        }
    }

    /// An edit of a manifest.
    fn of_node(&self, leaf: &Leaf, path: &str) -> Cause {
        let written = leaf.b.as_ref().or(leaf.a.as_ref());
        let head = written.map_or("", |side| side.text.as_str());
        let word = head.split(' ').next().unwrap_or_default();
        let is_b = leaf.b.is_some();
        let one_sided = matches!(leaf.edit, Edit::Added | Edit::Removed);
        let kind = match (word, &leaf.edit) {
            ("layer" | "tier", Edit::Moved) => CauseKind::LayerMoved,
            ("layer", Edit::Added) => CauseKind::LayerAdded,
            ("layer", Edit::Removed) => CauseKind::LayerRemoved,
            ("move", _) if one_sided => CauseKind::LayerMoved,
            ("remove", _) if one_sided && is_b => CauseKind::LayerRemoved,
            ("remove", _) if one_sided => CauseKind::LayerAdded,
            _ => CauseKind::LayerEdited,
        };
        let is_whole = matches!(word, "layer" | "tier") && kind != CauseKind::LayerEdited;
        let [old, new] = match &leaf.edit {
            _ if is_whole => [None, None],
            Edit::Moved => excerpt::both([None, Some(head)]),
            _ => texts(leaf),
        };
        Cause {
            path: Some(self.shown(path)),
            line: line(leaf),
            old,
            new,
            ..Cause::new(kind)
        }
    }

    /// A change of a file, with what shows of it in the layer.
    fn file(&self, kind: CauseKind, path: &str, seen: &Seen<'_>) -> Cause {
        let (root, path, is_template) = self.document(path, seen);
        let of_it = |ingredient: &Ingredient| is_of(ingredient, root.as_deref(), &path);
        let shown = match kind {
            CauseKind::DocumentVanished => FirstDifference::default(),
            _ => excerpt::first(&seen.a, &seen.b, of_it),
        };
        let FirstDifference { line, old, new } = shown;
        let kind = if is_template {
            CauseKind::TemplateChanged
        } else {
            kind
        };
        Cause {
            root,
            path: Some(path),
            line,
            old,
            new,
            ..Cause::new(kind)
        }
    }

    /// The path of a manifest from the folder of the main one, or in its own place.
    fn shown(&self, path: &str) -> String {
        let [home, parts] = [self.home, path].map(|path| path.split('/').skip(1).collect());
        let (home, parts): (Vec<&str>, Vec<&str>) = (home, parts);
        let same = home.iter().zip(&parts).take_while(|(a, b)| a == b).count();
        let above = if same > 0 { home.len() - same } else { 0 };
        let ups = std::iter::repeat_n("..", above);
        let below = parts.iter().copied().skip(same.max(1));
        ups.chain(below).collect::<Vec<_>>().join("/")
    }

    /// Root and path of a document as the map has them, and whether it is a template.
    fn document(&self, path: &str, seen: &Seen<'_>) -> (Option<String>, String, bool) {
        let mut found: Option<(Option<String>, String, bool)> = None;
        let prompts = [self.b, self.a];
        let layers = prompts.iter().flat_map(|prompt| {
            let present = prompt.channels.iter().flat_map(|channel| &channel.layers);
            let present = present.map(|layer| (&layer.ingredients, &layer.unused));
            let absent = prompt
                .absent
                .iter()
                .map(|absent| (&absent.ingredients, &absent.unused));
            present.chain(absent)
        });
        let own = [&seen.b, &seen.a].map(|side| (side.ingredients(), side.unused()));
        let all = own
            .into_iter()
            .chain(layers.map(|(a, b)| (&**a, b.as_slice())));
        // A longer name says more of where a file is.
        for (ingredients, unused) in all {
            let documents = ingredients
                .iter()
                .filter_map(|ingredient| match ingredient {
                    Ingredient::Document { root, path, .. }
                    | Ingredient::Exists { root, path, .. } => Some((Some(root), path, false)),
                    Ingredient::Template {
                        file, line: None, ..
                    } => Some((None, file, true)),
                    _ => None,
                });
            let unused = unused
                .iter()
                .map(|unused| (Some(&unused.root), &unused.path, false));
            for (root, known, is_template) in documents
                .chain(unused)
                .filter(|(_, known, _)| is_in_root(path, known))
            {
                let is_longer = found
                    .as_ref()
                    .is_none_or(|(_, path, _)| path.len() < known.len());
                if is_longer {
                    found = Some((root.cloned(), known.clone(), is_template));
                }
            }
        }
        found.unwrap_or_else(|| (None, self.shown(path), false))
    }

    /// The change with what it did in the layer.
    fn acted(&self, cause: Cause, leaf: &Leaf, seen: &Seen<'_>) -> Cause {
        let hidden = hidden(&cause, seen);
        if hidden.is_none()
            && let Some(entry) = entry(&cause, seen)
        {
            return entry;
        }
        let cut = cut(seen).filter(|cut| {
            let is_own = (&cut.root, &cut.path) == (&cause.root, &cause.path);
            let is_edit = cause.kind == CauseKind::LayerEdited;
            let is_whole = !matches!(leaf.edit, Edit::Lines);
            !(is_edit || is_own && is_whole)
        });
        if let Some(channels) = channels(seen).filter(|_| cause.kind == CauseKind::LayerMoved) {
            let [old, new] = channels.map(|channel| Some(channel.name().to_owned()));
            return Cause { old, new, ..cause };
        }
        if let Some(replaced) = replaced(seen) {
            return Cause {
                because: vec![cause],
                ..replaced
            };
        }
        let direct = is_direct(&cause, leaf, seen, cut.is_some());
        let is_edit = matches!(
            cause.kind,
            CauseKind::DocumentChanged | CauseKind::TemplateChanged | CauseKind::LayerEdited
        );
        let texts = [&seen.a, &seen.b].map(|side| side.present.map(|_| side.text()));
        if let ([Some(a), Some(b)], true) = (texts, is_edit)
            && a != b
            && blankless(a).eq(blankless(b))
        {
            return Cause {
                kind: CauseKind::WhitespaceOnly,
                ..cause
            };
        }
        if direct {
            return cause;
        }
        let effect = flip(&cause, seen).or(hidden).or(cut);
        match effect {
            Some(effect) => Cause {
                fact: effect.fact.or_else(|| cause.fact.clone()),
                because: vec![cause],
                ..effect
            },
            None => cause,
        }
    }
}

/// The two channels of a layer that is in another one now.
fn channels(seen: &Seen<'_>) -> Option<[Deliver; 2]> {
    let (a, b) = seen.a.present.zip(seen.b.present)?;
    let both = [a, b].map(|(channel, _)| channel.deliver);
    (both[0] != both[1]).then_some(both)
}

fn line(leaf: &Leaf) -> Option<usize> {
    leaf.b.as_ref().or(leaf.a.as_ref()).map(|side| side.line)
}

fn texts(leaf: &Leaf) -> [Option<String>; 2] {
    let [a, b] = [&leaf.a, &leaf.b].map(|side| side.as_ref().map(|side| side.text.as_str()));
    excerpt::both([a, b])
}
