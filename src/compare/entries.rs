//! The entries of one file as separate documents while prompts are compared.
//!
//! The numbers of entries cannot be compared across two prompts: a new entry at the top renumbers all later ones.
//! So entries are paired by their content and then by their position, and both of a pair get one path, which no
//! other document has. A file with entries on one side only is not divided: it has appeared, disappeared or changed
//! as one document.

use super::model::Cause;
use super::order::stay;
use crate::prompt::{Ingredient, Prompt, Unused};
use crate::source::skills;
use std::collections::{BTreeMap, BTreeSet};

/// Between the path of a file and the number of a pair; no path holds it.
const MARK: char = '\0';

/// The file that a path means.
pub(super) fn file_of(path: &str) -> &str {
    path.split(MARK).next().unwrap_or(path)
}

/// Whether a path means an entry of a file.
pub(super) fn is_entry(path: &str) -> bool {
    path.contains(MARK)
}

/// Whether a hash is that of an entry that is unchanged but moved among the others.
pub(super) fn is_moved(hash: &str) -> bool {
    hash.starts_with(MARK)
}

/// Two prompts whose entries have paths of their own; `None` if neither has entries.
pub(super) struct Paired {
    pub(super) a: Prompt,
    pub(super) b: Prompt,
    /// The numbers of entries in their files, in A and in B, by layer and pair.
    numbers: BTreeMap<String, [Option<String>; 2]>,
}

/// Layer, root and path.
type File = (String, String, String);

/// An entry of one side: its number and its hash.
pub(super) type Numbered = (String, String);

impl Paired {
    pub(super) fn of(a: &Prompt, b: &Prompt) -> Option<Self> {
        let (in_a, in_b) = (entries(a), entries(b));
        if in_a.is_empty() && in_b.is_empty() {
            return None;
        }
        let mut names: [Names; 2] = Default::default();
        let mut numbers = BTreeMap::new();
        for (file, before) in &in_a {
            let Some(after) = in_b.get(file) else {
                continue;
            };
            for pair in pairs(before, after) {
                let path = format!("{}{MARK}{}", file.2, numbers.len());
                let of = [pair.a.map(|i| &before[i]), pair.b.map(|i| &after[i])];
                for (side, entry) in names.iter_mut().zip(of) {
                    if let Some((item, _)) = entry {
                        let name = Named {
                            path: path.clone(),
                            moved: pair.moved,
                        };
                        side.insert((file.clone(), item.clone()), name);
                    }
                }
                numbers.insert(path, of.map(|entry| entry.map(|(item, _)| item.clone())));
            }
        }
        let [of_a, of_b] = names;
        Some(Self {
            a: renamed(a, &of_a, false),
            b: renamed(b, &of_b, true),
            numbers,
        })
    }

    /// Gives a cause and all its reasons the path of the file and the number of the entry.
    pub(super) fn restore(&self, cause: &mut Cause) {
        if let Some(path) = cause.path.as_mut().filter(|p| is_entry(p)) {
            let [before, after] = self.numbers.get(path).cloned().unwrap_or_default();
            cause.item = after.or(before);
            *path = file_of(path).to_owned();
        }
        cause.because.iter_mut().for_each(|c| self.restore(c));
    }
}

/// The names of entries, by file and number.
type Names = BTreeMap<(File, String), Named>;

struct Named {
    path: String,
    moved: bool,
}

/// Whether a document is one of many entries of its file, which have numbers. That of a skill has a name, which may be one.
fn number(ingredient: &Ingredient) -> Option<(&str, &str, &str, &str)> {
    match ingredient {
        Ingredient::Document {
            root,
            path,
            sha256,
            item: Some(item),
            ..
        } if item.parse::<usize>().is_ok() && path.rsplit('/').next() != Some(skills::FILE) => {
            Some((root, path, item, sha256))
        }
        _ => None,
    }
}

/// The entries of each file, in their order.
fn entries(prompt: &Prompt) -> BTreeMap<File, Vec<Numbered>> {
    let present = prompt.channels.iter().flat_map(|c| &c.layers);
    let present = present.map(|l| (&l.name, &l.ingredients));
    let absent = prompt.absent.iter().map(|a| (&a.layer, &a.ingredients));
    let mut out: BTreeMap<File, Vec<Numbered>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for (layer, ingredients) in present.chain(absent) {
        for (root, path, item, hash) in ingredients.iter().filter_map(number) {
            let file = (layer.clone(), root.to_owned(), path.to_owned());
            if seen.insert((layer, root, path, item)) {
                let known = out.entry(file).or_default();
                known.push((item.to_owned(), hash.to_owned()));
            }
        }
    }
    out
}

/// An entry of A, of B, or of both.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) a: Option<usize>,
    pub(super) b: Option<usize>,
    /// The entry is unchanged but moved among the unchanged ones.
    pub(super) moved: bool,
}

/// Pairs entries: those that say the same; of the others, those at the same place between two that stay, in order.
pub(super) fn pairs(before: &[Numbered], after: &[Numbered]) -> Vec<Pair> {
    let places: BTreeMap<&str, usize> = (after.iter().enumerate())
        .map(|(j, (_, hash))| (hash.as_str(), j))
        .collect();
    let same: Vec<(usize, usize)> = (before.iter().enumerate())
        .filter_map(|(i, (_, hash))| Some((i, *places.get(hash.as_str())?)))
        .collect();
    let anchors = stay(&same);
    let (known_a, known_b): (BTreeSet<usize>, BTreeSet<usize>) = same.iter().copied().unzip();
    let both = |(i, j): &(usize, usize)| Pair {
        a: Some(*i),
        b: Some(*j),
        moved: anchors.binary_search(&(*i, *j)).is_err(),
    };
    let mut out: Vec<Pair> = same.iter().map(both).collect();
    let mut from = (0, 0);
    for &(i, j) in anchors.iter().chain([&(before.len(), after.len())]) {
        let mut old = (from.0..i).filter(|i| !known_a.contains(i));
        let mut new = (from.1..j).filter(|j| !known_b.contains(j));
        loop {
            let (a, b) = (old.next(), new.next());
            if a.is_none() && b.is_none() {
                break;
            }
            out.push(Pair { a, b, moved: false });
        }
        from = (i + 1, j + 1);
    }
    out
}

/// The prompt with the paths of its entries; with `mark`, moved entries have a hash that says so.
fn renamed(prompt: &Prompt, names: &Names, mark: bool) -> Prompt {
    let mut out = prompt.clone();
    let present = out.channels.iter_mut().flat_map(|c| &mut c.layers);
    let present = present.map(|l| (&l.name, &mut l.ingredients, &mut l.unused));
    let absent = out
        .absent
        .iter_mut()
        .map(|a| (&a.layer, &mut a.ingredients, &mut a.unused));
    for (layer, ingredients, unused) in present.chain(absent) {
        let name = |root: &str, path: &str, item: &str| {
            let file = (layer.clone(), root.to_owned(), path.to_owned());
            names.get(&(file, item.to_owned()))
        };
        // The entries of each file that came last. An import comes after the entry that requests it first,
        // and writes only its file.
        let mut last: BTreeMap<(String, String), String> = BTreeMap::new();
        for ingredient in ingredients {
            let is_entry = number(ingredient).is_some();
            let Ingredient::Document {
                root,
                path,
                sha256,
                imported_by,
                item,
                ..
            } = ingredient
            else {
                continue;
            };
            if let Some(by) = imported_by
                && let Some(entry) = last.get(&(root.clone(), by.clone()))
            {
                by.clone_from(entry);
            }
            if !is_entry {
                continue;
            }
            match item.as_ref().and_then(|item| name(root, path, item)) {
                Some(named) => {
                    last.insert((root.clone(), path.clone()), named.path.clone());
                    path.clone_from(&named.path);
                    if mark && named.moved {
                        *sha256 = format!("{MARK}{sha256}");
                    }
                }
                None => *item = None,
            }
        }
        for Unused {
            root, path, item, ..
        } in unused
        {
            if let Some(named) = item.as_ref().and_then(|item| name(root, path, item)) {
                path.clone_from(&named.path);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Numbered, pairs};

    /// Entries by what they say: `=x` stays, `~x` moved, `x>y` changed, `-x` gone, `+x` new; those of A in their order.
    fn shown(a: &str, b: &str) -> String {
        let entries = |text: &str| -> Vec<Numbered> {
            let letters = text.chars().map(|c| c.to_string()).enumerate();
            letters.map(|(i, c)| ((i + 1).to_string(), c)).collect()
        };
        let (before, after) = (entries(a), entries(b));
        let mut shown: Vec<(usize, usize, String)> = pairs(&before, &after)
            .into_iter()
            .map(|pair| {
                let says = |side: &[Numbered], at: Option<usize>| at.map(|i| side[i].1.clone());
                let word = match (says(&before, pair.a), says(&after, pair.b)) {
                    (Some(x), Some(y)) if x != y => format!("{x}>{y}"),
                    (Some(x), Some(_)) if pair.moved => format!("~{x}"),
                    (Some(x), Some(_)) => format!("={x}"),
                    (Some(x), None) => format!("-{x}"),
                    (None, Some(y)) => format!("+{y}"),
                    (None, None) => "?".to_owned(),
                };
                (
                    pair.a.unwrap_or(usize::MAX),
                    pair.b.unwrap_or(usize::MAX),
                    word,
                )
            })
            .collect();
        shown.sort();
        shown
            .into_iter()
            .map(|(_, _, word)| word)
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn entries_are_paired_by_text_and_then_by_position() {
        assert_eq!(shown("abc", "abc"), "=a =b =c");
        assert_eq!(shown("abc", "xabc"), "=a =b =c +x");
        assert_eq!(shown("abc", "ac"), "=a -b =c");
        assert_eq!(shown("abc", "aBc"), "=a b>B =c");
        assert_eq!(shown("abc", "bca"), "~a =b =c");
        assert_eq!(shown("abc", "cab"), "=a =b ~c");
        assert_eq!(shown("abc", "xaBc"), "=a b>B =c +x");
        assert_eq!(shown("abc", "ABCD"), "a>A b>B c>C +D");
        assert_eq!(shown("", "ab"), "+a +b");
        assert_eq!(shown("ab", ""), "-a -b");
    }
}
