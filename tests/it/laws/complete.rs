//! Law 4: nothing disappears silently.

use super::model::{Kind, Layer, Manifest, Node};
use super::oracle::{self, folders, trimmed};
use super::sample::{ALL, PLAIN, Sample, sample};
use super::{built, config};
use promptc::prompt::{Ingredient, Prompt, Unused, UnusedReason};
use proptest::prelude::{prop_assert, prop_assert_eq, proptest};
use std::collections::BTreeMap;

proptest! {
    #![proptest_config(config(64))]

    #[test]
    fn every_layer_is_present_or_absent(sample in sample(ALL)) {
        if let Ok(prompt) = built(&sample) {
            let there = prompt.channels.iter().flat_map(|c| &c.layers).map(|l| l.name.as_str());
            let mut told: Vec<&str> = there.chain(prompt.absent.iter().map(|a| a.layer.as_str())).collect();
            told.sort_unstable();
            let mut written: Vec<&str> = sample.manifest.layers().map(|l| l.name.as_str()).collect();
            written.sort_unstable();
            prop_assert_eq!(told, written);
        }
    }

    #[test]
    fn every_named_file_is_reported(sample in sample(ALL)) {
        if let Ok(prompt) = built(&sample) {
            for layer in sample.manifest.layers() {
                check_named(&sample, &prompt, layer);
            }
        }
    }

    #[test]
    fn every_loss_is_noticed(sample in sample(ALL)) {
        if let Ok(prompt) = built(&sample) {
            check_losses(&prompt);
        }
    }

    #[test]
    fn plain_manifests_lose_nothing(sample in sample(PLAIN)) {
        let built = built(&sample);
        // Text that is not UTF-8 is the one thing that a plain sample fails for.
        let Ok(prompt) = built else {
            prop_assert!(built.unwrap_err().iter().all(|c| *c == "invalid-utf8" || *c == "bad-file-name"));
            return Ok(());
        };
        let texts: BTreeMap<&str, &str> = prompt.channels.iter().map(|c| (c.deliver.name(), c.text.as_str())).collect();
        let expected = Plain { sample: &sample }.channels();
        prop_assert_eq!(texts, expected.iter().map(|(k, v)| (*k, v.as_str())).collect());
    }
}

/// The map's data about one layer.
fn told<'a>(prompt: &'a Prompt, layer: &str) -> (&'a [Ingredient], &'a [Unused], bool) {
    match prompt.layer(layer) {
        Some((_, l)) => (&l.ingredients, &l.unused, true),
        None => {
            let absent = prompt.absent.iter().find(|a| a.layer == layer).unwrap();
            (
                &absent.ingredients,
                &absent.unused,
                !absent.detail.starts_with("its condition is false"),
            )
        }
    }
}

/// Files that `file` and `json` name, in the folder that they are looked for, are ingredients or unused.
fn check_named(sample: &Sample, prompt: &Prompt, layer: &Layer) {
    let (ingredients, unused, asked) = told(prompt, &layer.name);
    // Of a layer that its condition leaves out nothing is looked at. Parts are of no use if there is no content.
    let Some(content) = layer.content.as_ref().filter(|_| asked) else {
        return;
    };
    let mut open = vec![(content, "workspace")];
    while let Some((node, root)) = open.pop() {
        let root = node.root.unwrap_or(root);
        // Of a climb only the level that wins counts.
        if node.climbs.is_some() {
            continue;
        }
        open.extend(node.members().iter().map(|m| (m, root)));
        let names: Vec<&str> = match &node.kind {
            Kind::File(names) => names.clone(),
            Kind::Json(name) => vec![*name],
            _ => Vec::new(),
        };
        for name in names.iter().filter(|n| !n.starts_with("(fact)")) {
            if !folders(root)
                .iter()
                .any(|f| sample.files.contains_key(&format!("{f}/{name}")))
            {
                continue;
            }
            let read = ingredients.iter().any(|i| matches!(i, Ingredient::Document { root: r, path, .. } if r == root && path == name));
            let left = unused
                .iter()
                .any(|u| u.root == root && u.path == *name && u.reason != UnusedReason::Missing);
            assert!(read || left, "{}: {root}/{name} is not told of", layer.name);
        }
    }
}

/// Each document that lost text to a budget has a notice in its layer, and each notice a budget that took something, or an
/// import that leads to nothing.
fn check_losses(prompt: &Prompt) {
    for (layer, ingredient) in oracle::ingredients(prompt) {
        let losses = prompt
            .notices
            .iter()
            .filter(|n| n.layer.as_deref() == Some(layer) && n.is_loss());
        match ingredient {
            Ingredient::Document { dropped, path, .. } if *dropped > 0 => {
                assert!(
                    losses.count() > 0,
                    "{layer}: {path} lost {dropped} characters and nothing says so"
                );
            }
            Ingredient::Document { findings, path, .. } if !findings.is_empty() => {
                // Where the text stays, on-hit=warn says so in a notice that is no loss.
                let layers = prompt.notices.iter();
                let mut own = layers.filter(|n| n.layer.as_deref() == Some(layer));
                assert!(
                    own.any(|n| n.message.starts_with("a scan found `")),
                    "{layer}: a scan found something in {path} and nothing says so"
                );
            }
            Ingredient::Budget {
                before,
                after,
                of,
                spread,
                ..
            } if before > after && spread.as_deref() != Some("total") => {
                let named = losses
                    .filter(|n| n.message.contains(&format!("`{of}`")))
                    .count();
                assert!(
                    named > 0,
                    "{layer}: {of} was cut from {before} to {after} and nothing says so"
                );
            }
            _ => {}
        }
    }
    for notice in prompt.notices.iter().filter(|n| n.is_loss()) {
        let layer = notice.layer.as_deref().unwrap();
        let (ingredients, ..) = told(prompt, layer);
        let budget = ingredients
            .iter()
            .any(|i| matches!(i, Ingredient::Budget { .. }));
        // `missing=drop` takes an `@path` out that leads to no file.
        let import = notice.code == "dropped" && notice.message.contains(" imports `");
        let scan = notice.code == "replaced" && notice.message.starts_with("a scan found `");
        assert!(
            budget || import || scan,
            "{layer}: {} and neither budget nor finding",
            notice.message
        );
    }
}

/// The meaning of plain manifests: conditions, groups, files, joins; nothing that removes text.
struct Plain<'a> {
    sample: &'a Sample,
}

/// Patterns of plain samples, as conditions on paths without hidden names.
fn matches(pattern: &str, path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    match pattern {
        "*.md" => folder.is_empty() && name.ends_with(".md"),
        "**/*.md" => name.ends_with(".md"),
        "notes/*" => folder == "notes",
        "sub/**" => path.starts_with("sub/"),
        "[a-b].{md,txt}" => ["a.md", "a.txt", "b.md", "b.txt"].contains(&path),
        "none/*" => false,
        other => panic!("a pattern {other}"),
    }
}

impl Plain<'_> {
    fn channels(&self) -> BTreeMap<&'static str, String> {
        let manifest: &Manifest = &self.sample.manifest;
        let between = manifest.join.as_deref().unwrap_or("\n\n");
        let mut out: BTreeMap<&'static str, String> = BTreeMap::new();
        for tier in &manifest.tiers {
            let join = tier.join.as_deref().unwrap_or(between);
            let layers: Vec<String> = tier
                .layers
                .iter()
                .filter_map(|l| self.layer(l, join))
                .collect();
            if layers.is_empty() {
                continue;
            }
            let channel = out.entry(tier.deliver.unwrap_or("system")).or_default();
            if !channel.is_empty() {
                channel.push_str(between);
            }
            channel.push_str(&layers.join(join));
        }
        out
    }

    fn holds(&self, when: Option<&str>) -> bool {
        let b = self.sample.facts.get("b").is_some_and(|v| v == true);
        match when {
            None => true,
            Some("b") => b,
            Some("not b") => !b,
            Some(other) => panic!("a condition {other}"),
        }
    }

    fn layer(&self, layer: &Layer, join: &str) -> Option<String> {
        if !self.holds(layer.when.as_deref()) {
            return None;
        }
        let texts = self.node(layer.content.as_ref()?, "workspace", join);
        let text = texts.join(join);
        (!trimmed(&text).is_empty()).then(|| trimmed(&text).to_owned())
    }

    /// The texts of a node: several only for a `glob`, whose documents are members of the group around it.
    fn node(&self, node: &Node, root: &'static str, tier: &str) -> Vec<String> {
        if !self.holds(node.when) {
            return Vec::new();
        }
        let root = node.root.unwrap_or(root);
        let texts: Vec<String> = match &node.kind {
            Kind::Text(text) => vec![text.clone()],
            Kind::Fact(_) => {
                let s1 = self.sample.facts.get("s1").and_then(|v| v.as_str());
                vec![s1.unwrap_or("first").to_owned()]
            }
            Kind::File(names) => self.file(names, root).into_iter().collect(),
            Kind::Glob(patterns, exclude) => self.glob(patterns, *exclude, root),
            Kind::First(members) => {
                let mut found = members.iter().map(|m| self.node(m, root, tier));
                return found.find(|texts| !texts.is_empty()).unwrap_or_default();
            }
            Kind::All(join, members) => {
                let texts: Vec<String> = members
                    .iter()
                    .flat_map(|m| self.node(m, root, tier))
                    .collect();
                return if texts.is_empty() {
                    Vec::new()
                } else {
                    vec![texts.join(join.as_deref().unwrap_or(tier))]
                };
            }
            Kind::Json(_) | Kind::Template(_) | Kind::Memory(..) | Kind::Skills(..) => Vec::new(),
        };
        let clean = texts.iter().map(|t| oracle::readings(t, false).remove(0));
        clean
            .map(|t| trimmed(&t).to_owned())
            .filter(|t| !t.is_empty())
            .collect()
    }

    fn file(&self, names: &[&str], root: &str) -> Option<String> {
        // Folder by folder, and in each name by name.
        let paths = folders(root)
            .iter()
            .flat_map(|f| names.iter().map(move |n| format!("{f}/{n}")));
        let mut there = paths.filter_map(|p| self.sample.files.get(&p));
        there
            .next()
            .map(|bytes| String::from_utf8(bytes.clone()).unwrap())
    }

    fn glob(&self, patterns: &[&str], exclude: Option<&str>, root: &str) -> Vec<String> {
        let mut out = Vec::new();
        for pattern in patterns {
            for folder in folders(root) {
                let below = format!("{folder}/");
                for (path, bytes) in &self.sample.files {
                    let Some(inside) = path.strip_prefix(&below) else {
                        continue;
                    };
                    let left_out =
                        exclude.is_some_and(|e| inside.split('/').rev().skip(1).any(|f| f == e));
                    let hidden = inside.split('/').any(|name| name.starts_with('.'));
                    if !hidden && !left_out && matches(pattern, inside) {
                        out.push(String::from_utf8(bytes.clone()).unwrap());
                    }
                }
            }
        }
        out
    }
}
