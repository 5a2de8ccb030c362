//! What differs between two snapshots, in words.
//!
//! It is what a reader of the prompt gets, and whose text that is. Lines, offsets, the sizes and hashes of whole sources,
//! the words of the manifest, and what a budget cut away do not count.

use super::line::{LayerLine, Line, Note};
use super::lock::Snapshot;
use crate::diagnostic::suggest;
use crate::prompt::Ingredient;
use std::collections::{BTreeMap, BTreeSet};

/// Something that differs between two snapshots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotDifference {
    /// The layer that it is about, if it is about one.
    pub layer: Option<String>,
    /// What it is, in words.
    pub words: String,
}

impl Snapshot {
    /// What differs in `new`; nothing if both are of the same prompt.
    #[must_use]
    pub fn differences(&self, new: &Self) -> Vec<SnapshotDifference> {
        let mut out = Vec::new();
        if self == new {
            return out;
        }
        let mut report = |layer: Option<&str>, words| {
            out.push(SnapshotDifference {
                layer: layer.map(str::to_owned),
                words,
            });
        };
        let heads = [self, new].map(|of| of.head());
        for words in heads[0].changes(&heads[1]) {
            report(None, format!("the snapshot: {words}"));
        }
        let tiers = [self, new].map(Snapshot::tier_parts);
        let renamed = compare("tier", &tiers[0], &tiers[1], |_, words| report(None, words));
        let layers = [
            self.layer_parts(|tier| renamed.get(tier).copied().unwrap_or(tier)),
            new.layer_parts(|tier| tier),
        ];
        compare("layer", &layers[0], &layers[1], |layer, words| {
            report(Some(layer), words);
        });
        out
    }

    fn head(&self) -> Part<'_> {
        let head = &self.head;
        Part {
            aspects: vec![
                ("language", head.language.to_string()),
                (
                    "prompt",
                    format!("`{}`", head.name.as_deref().unwrap_or_default()),
                ),
                ("texts stored", head.texts.to_string()),
                ("notices", codes(&head.notices)),
            ],
            ..Part::default()
        }
    }

    /// The tiers in order.
    fn tier_parts(&self) -> Vec<Part<'_>> {
        let mut texts: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (layer, _) in self.layers() {
            texts.entry(&layer.tier).or_default().push(&layer.sha256);
        }
        let tiers = self.body.iter().filter_map(|line| match line {
            Line::Tier(tier) => Some(tier),
            _ => None,
        });
        let parts = tiers.map(|tier| Part {
            name: &tier.tier,
            texts: texts.remove(&*tier.tier).unwrap_or_default(),
            aspects: vec![
                ("channel", tier.deliver.to_string()),
                ("volatility", tier.changes.to_string()),
            ],
            owners: Vec::new(),
        });
        parts.collect()
    }

    /// The layers in order, then the absent ones.
    fn layer_parts<'a>(&'a self, tier: impl Fn(&'a str) -> &'a str) -> Vec<Part<'a>> {
        let there = self.layers().into_iter().map(|(layer, join)| Part {
            name: &layer.layer,
            texts: vec![&layer.sha256],
            aspects: vec![
                ("tier", format!("`{}`", tier(&layer.tier))),
                ("", "in the prompt".to_owned()),
                ("volatility", layer.changes.to_string()),
                ("text", layer.sha256.clone()),
                ("separator before it", format!("{join:?}")),
                ("facts", facts(&layer.ingredients)),
                ("notices", codes(&layer.notices)),
            ],
            owners: owners(layer),
        });
        let absent = self.body.iter().filter_map(|line| match line {
            Line::Absent(absent) => Some(absent),
            _ => None,
        });
        let absent = absent.map(|absent| Part {
            name: &absent.layer,
            aspects: vec![
                ("tier", format!("`{}`", tier(&absent.tier))),
                ("", format!("absent ({})", absent.reason)),
                ("notices", codes(&absent.notices)),
            ],
            ..Part::default()
        });
        there.chain(absent).collect()
    }
}

/// The head, a tier or a layer of a snapshot.
#[derive(Default)]
struct Part<'a> {
    name: &'a str,
    /// The hashes of its texts; none of an absent layer.
    texts: Vec<&'a str>,
    /// What counts, each with its value.
    aspects: Vec<(&'static str, String)>,
    /// Whose its text is, with the end of each stretch.
    owners: Vec<(usize, String)>,
}

impl Part<'_> {
    /// What is another thing in `new`.
    fn changes(&self, new: &Self) -> Vec<String> {
        let both = self.aspects.iter().filter_map(|(what, old)| {
            let (_, new) = new.aspects.iter().find(|(other, _)| other == what)?;
            (old != new).then(|| format!("{what} {new}, was {old}").trim_start().to_owned())
        });
        let mut out: Vec<String> = both.collect();
        if self.texts == new.texts {
            out.extend(self.moved(new));
        }
        out
    }

    /// The stretches of the same text that are another owner's in `new`, each pair of owners once.
    fn moved(&self, new: &Self) -> Vec<String> {
        let mut out = Vec::new();
        let (mut old, mut new) = (self.owners.iter().peekable(), new.owners.iter().peekable());
        while let (Some((old_end, was)), Some((new_end, is))) = (old.peek(), new.peek()) {
            let words = format!("text of {is}, was of {was}");
            if is != was && !out.contains(&words) {
                out.push(words);
            }
            let (old_end, new_end) = (*old_end, *new_end);
            if old_end <= new_end {
                old.next();
            }
            if new_end <= old_end {
                new.next();
            }
        }
        out
    }
}

/// Reports what differs, by the names in `new`. Returns the new names of those that have only another name.
fn compare<'a>(
    kind: &str,
    old: &[Part<'a>],
    new: &[Part<'a>],
    mut report: impl FnMut(&str, String),
) -> BTreeMap<&'a str, &'a str> {
    let [was, is]: [BTreeSet<&str>; 2] = [old, new].map(|all| all.iter().map(|p| p.name).collect());
    let mut fresh: Vec<&Part<'a>> = new.iter().filter(|p| !was.contains(p.name)).collect();
    let mut renamed = BTreeMap::new();
    for gone in old.iter().filter(|part| !is.contains(part.name)) {
        let same = |part: &&Part<'a>| !gone.texts.is_empty() && part.texts == gone.texts;
        match fresh.iter().position(same) {
            Some(at) => {
                let name = fresh.remove(at).name;
                renamed.insert(gone.name, name);
                report(name, format!("{kind} `{name}` was called `{}`", gone.name));
            }
            None => report(gone.name, format!("{kind} `{}` is gone", gone.name)),
        }
    }
    for part in &fresh {
        report(part.name, format!("{kind} `{}` is new", part.name));
    }
    let now: BTreeMap<&str, &Part<'a>> = new.iter().map(|part| (part.name, part)).collect();
    let name = |part: &Part<'a>| renamed.get(part.name).copied().unwrap_or(part.name);
    let pairs = old
        .iter()
        .filter_map(|old| Some((old, *now.get(name(old))?)));
    let mut order = Vec::new();
    for (old, new) in pairs {
        for words in old.changes(new) {
            report(new.name, format!("{kind} `{}`: {words}", new.name));
        }
        if !old.texts.is_empty() && !new.texts.is_empty() {
            order.push(new.name);
        }
    }
    let kept: BTreeSet<&str> = order.iter().copied().collect();
    let ordered = new
        .iter()
        .map(|part| part.name)
        .filter(|name| kept.contains(name));
    let mut moved = order.iter().zip(ordered).filter(|(was, is)| *was != is);
    if let Some((was, is)) = moved.next() {
        report(is, format!("{kind} `{is}` comes before `{was}`"));
    }
    renamed
}

/// Whose the text of a layer is, with the end of each stretch.
fn owners(layer: &LayerLine) -> Vec<(usize, String)> {
    let mut out: Vec<(usize, String)> = Vec::new();
    for span in &layer.spans {
        let ingredient = span
            .ingredient
            .and_then(|at| layer.ingredients.get(at as usize));
        let owner = ingredient.map_or_else(|| "the manifest".to_owned(), owner);
        match out.last_mut().filter(|(_, last)| *last == owner) {
            Some((end, _)) => *end = span.end,
            None => out.push((span.end, owner)),
        }
    }
    out
}

fn owner(ingredient: &Ingredient) -> String {
    match ingredient {
        Ingredient::Document {
            root,
            path,
            item,
            base,
            ..
        } => {
            let item = item.as_ref().map(|item| format!(", entry `{item}`"));
            let base = (*base > 0).then(|| format!(" of base {base}"));
            let [base, item] = [base, item].map(Option::unwrap_or_default);
            format!("`{root}:{path}`{base}{item}")
        }
        Ingredient::Fact { name, .. } => format!("the fact `{name}`"),
        Ingredient::Let { name, .. } => format!("the let `{name}`"),
        Ingredient::Template { file, .. } => format!("a template in `{file}`"),
        Ingredient::Literal { file, .. } => format!("`{file}`"),
        Ingredient::Root { name, .. } => format!("the root `{name}`"),
        Ingredient::Condition { .. }
        | Ingredient::Exists { .. }
        | Ingredient::Loaded { .. }
        | Ingredient::Budget { .. } => "the manifest".to_owned(),
    }
}

/// The facts that a layer depends on.
fn facts(ingredients: &[Ingredient]) -> String {
    named(
        ingredients
            .iter()
            .filter_map(|ingredient| match ingredient {
                Ingredient::Fact { name, .. } => Some(name.as_str()),
                _ => None,
            }),
    )
}

/// The codes of notices. Their messages count what a budget cut.
fn codes(notices: &[Note]) -> String {
    named(notices.iter().map(|note| note.code.as_str()))
}

fn named<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: BTreeSet<&str> = names.collect();
    if names.is_empty() {
        "none".to_owned()
    } else {
        suggest::list(names)
    }
}
