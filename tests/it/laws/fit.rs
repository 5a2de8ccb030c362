//! Budgets of tiers and of the prompt: they hold, the right layers are dropped, and no layer is dropped for the text
//! after its tier.

use super::choices::Choices;
use super::oracle::size;
use super::{build, config, memory};
use promptc::compile::GivenInputs;
use promptc::prompt::{Deliver, Prompt};
use proptest::collection::vec;
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

#[derive(Debug, Clone)]
struct Layer {
    name: String,
    text: String,
    priority: Option<usize>,
    min: Option<usize>,
    required: bool,
}

#[derive(Debug, Clone)]
struct Tier {
    name: String,
    deliver: &'static str,
    join: Option<&'static str>,
    budget: Option<usize>,
    reserve: Option<usize>,
    layers: Vec<Layer>,
}

#[derive(Debug, Clone)]
pub(super) struct Manifest {
    unit: &'static str,
    join: &'static str,
    budget: Option<usize>,
    /// Whether the prompt's budget is a fact.
    fact: bool,
    tiers: Vec<Tier>,
}

/// The end of a cut layer; one character, one byte and no line.
const MARKER: char = '~';
const JOINS: &[&str] = &["\n\n", " ", "", "\n"];

fn layer(c: &Choices<'_>, name: String, unit: &str) -> Layer {
    let words = ["alpha ", "be\n", "gamma", " d ", "\n\n", "epsilon"];
    let text = c.several(1, 9, |_| c.of(&words)).concat();
    let min = (unit != "lines" && c.odds(6)).then(|| c.below(30));
    Layer {
        name,
        text: if text.trim().is_empty() {
            "x".to_owned()
        } else {
            text
        },
        priority: c.odds(9).then(|| c.of(&[10, 50, 90, 60])),
        min,
        required: c.odds(3),
    }
}

fn tier(c: &Choices<'_>, name: &str, unit: &str, prompt: bool) -> Tier {
    let budget = c
        .odds(8)
        .then(|| c.below(if unit == "lines" { 14 } else { 90 }));
    let deliver = c.of(&["system", "system", "system", "system", "system", "user"]);
    let bounded = budget.is_some() || (prompt && deliver == "system");
    let mut layers = c.several(1, 5, |at| layer(c, format!("{name}-{at}"), unit));
    for layer in &mut layers {
        let most = budget.unwrap_or(usize::MAX).min(60);
        layer.min = layer.min.filter(|min| bounded && *min <= most);
    }
    Tier {
        name: name.to_owned(),
        deliver,
        join: c.odds(5).then(|| c.of(JOINS)),
        budget,
        reserve: (prompt && deliver == "system" && c.odds(5)).then(|| c.below(20)),
        layers,
    }
}

fn manifest(row: &[u16]) -> Manifest {
    let c = Choices::new(row);
    let unit = c.of(&["chars", "chars", "bytes", "lines"]);
    let wide = if unit == "lines" { 30 } else { 160 };
    let budget = c.odds(11).then(|| 60.min(wide) + c.below(wide));
    let tiers = c.several(1, 4, |at| {
        tier(&c, &format!("t{at}"), unit, budget.is_some())
    });
    Manifest {
        unit,
        join: c.of(JOINS),
        budget,
        fact: c.odds(4),
        tiers,
    }
}

pub(super) fn manifests() -> impl proptest::strategy::Strategy<Value = Manifest> {
    vec(any::<u16>(), 40..300).prop_map(|row| manifest(&row))
}

impl Manifest {
    pub(super) fn kdl(&self) -> String {
        let mut out = format!("promptc 1\njoin {:?}\n", self.join);
        if let Some(max) = self.budget {
            let number = if self.fact {
                "(fact)room".to_owned()
            } else {
                max.to_string()
            };
            _ = writeln!(
                out,
                "fact room int default={max}\nbudget {number} {}",
                self.unit
            );
        }
        for tier in &self.tiers {
            _ = write!(out, "tier {} deliver={}", tier.name, tier.deliver);
            _ = tier.reserve.map(|n| write!(out, " reserve={n}"));
            _ = tier.join.map(|join| write!(out, " join={join:?}"));
            out.push_str(" {\n");
            _ = tier
                .budget
                .map(|max| writeln!(out, "budget {max} {}", self.unit));
            for layer in &tier.layers {
                out.push_str(&layer.kdl());
            }
            out.push_str("}\n");
        }
        out
    }

    fn built(&self) -> Result<Prompt, Vec<&'static str>> {
        let files = BTreeMap::from([("promptc.kdl".to_owned(), self.kdl().into_bytes())]);
        let manifest = Path::new("/base/promptc.kdl");
        build(&memory(&files), manifest, &GivenInputs::default())
    }

    /// The joins before a tier's first layer and between its layers.
    fn joins(&self, tier: &Tier) -> (&'static str, &'static str) {
        (self.join, tier.join.unwrap_or(self.join))
    }
}

impl Layer {
    fn kdl(&self) -> String {
        let mut out = format!("layer {}", self.name);
        for (name, number) in [("priority", self.priority), ("min", self.min)] {
            _ = number.map(|n| write!(out, " {name}={n}"));
        }
        if self.required {
            out.push_str(" required=#true");
        }
        // A budget that never binds, for how the layer is cut.
        let text = &self.text;
        _ = writeln!(
            out,
            " {{\ntrim #false\ntext {text:?}\nbudget 9999 at=char marker=\"{MARKER}\"\n}}"
        );
        out
    }
}

/// The text of each tier as the rules have it; none where they have an error.
fn texts(manifest: &Manifest) -> Option<Vec<String>> {
    let mut channels: BTreeMap<&str, String> = BTreeMap::new();
    let mut out = Vec::new();
    for (at, tier) in manifest.tiers.iter().enumerate() {
        let behind = manifest.tiers[at + 1..].iter();
        let behind: usize = behind.filter_map(|t| t.reserve).sum();
        let channel = channels.entry(tier.deliver).or_default();
        let (lead, join) = manifest.joins(tier);
        let mut layers: Vec<(&Layer, String)> =
            tier.layers.iter().map(|l| (l, l.text.clone())).collect();
        let text = loop {
            let texts: Vec<&str> = layers.iter().map(|(_, text)| text.as_str()).collect();
            let mut text = texts.join(join);
            if !texts.is_empty() && !channel.is_empty() {
                text.insert_str(0, lead);
            }
            let own = tier
                .budget
                .is_some_and(|max| size(&text, manifest.unit) > max);
            let whole = format!("{channel}{text}");
            let all = manifest.budget.is_some_and(|max| {
                tier.deliver == "system"
                    && !texts.is_empty()
                    && size(&whole, manifest.unit) + behind > max
            });
            if !own && !all {
                break text;
            }
            give_way(&mut layers, manifest.unit)?;
        };
        channel.push_str(&text);
        out.push(text);
    }
    Some(out)
}

/// The weakest layer of a tier is cut or goes; none if there is none.
fn give_way(layers: &mut Vec<(&Layer, String)>, unit: &str) -> Option<()> {
    let mut order: Vec<usize> = (0..layers.len()).collect();
    order.reverse();
    order.sort_by_key(|at| layers[*at].0.priority.unwrap_or(50));
    for at in order {
        let (layer, text) = &mut layers[at];
        if let Some(min) = layer.min.filter(|min| *min > 0 && size(text, unit) > *min) {
            // All texts are ASCII, so characters are bytes.
            *text = format!("{}{MARKER}", &layer.text[..min - 1]);
            return Some(());
        }
        if !layer.required {
            layers.remove(at);
            return Some(());
        }
    }
    None
}

fn tier_text<'p>(prompt: &'p Prompt, tier: &Tier) -> &'p str {
    let tiers = prompt
        .channels
        .iter()
        .flat_map(|c| c.tiers.iter().map(move |t| (c, t)));
    let mut own = tiers.filter(|(_, t)| t.name == tier.name);
    own.next().map_or("", |(c, t)| &c.text[t.start..t.end])
}

fn check_bounds(manifest: &Manifest, prompt: &Prompt) {
    let unit = manifest.unit;
    for (at, tier) in manifest.tiers.iter().enumerate() {
        let own = size(tier_text(prompt, tier), unit);
        assert!(
            own <= tier.budget.unwrap_or(usize::MAX),
            "{}: {own}",
            tier.name
        );
        let channel = prompt.channel(Deliver::System);
        let end = channel.and_then(|c| c.tiers.iter().find(|t| t.name == tier.name));
        if let (Some(max), Some(end)) = (manifest.budget, end) {
            let so_far = size(&prompt.text(Deliver::System)[..end.end], unit);
            let behind = manifest.tiers[at + 1..].iter();
            let behind: usize = behind.filter_map(|t| t.reserve).sum();
            assert!(
                own == 0 || so_far + behind <= max,
                "{}: {so_far} + {behind}",
                tier.name
            );
        }
        for layer in &tier.layers {
            let there = prompt.layer(&layer.name).is_some();
            let absent = prompt.absent.iter().find(|a| a.layer == layer.name);
            assert_eq!(there, absent.is_none());
            assert!(there || !layer.required, "{} is required", layer.name);
            let told = prompt
                .notices
                .iter()
                .any(|n| n.is_loss() && n.layer.as_deref() == Some(&layer.name));
            let whole = tier_text(prompt, tier).contains(&layer.text);
            assert!(whole || told, "nothing says what {} lost", layer.name);
        }
    }
    let all = size(prompt.text(Deliver::System), unit);
    assert!(all <= manifest.budget.unwrap_or(usize::MAX), "{all}");
}

/// The sums that the map shows are those of the text.
fn check_sums(manifest: &Manifest, prompt: &Prompt) {
    for fit in &prompt.fits {
        let tier = manifest.tiers.iter().find(|t| t.name == fit.tier).unwrap();
        assert_eq!((fit.max, fit.reserve), (tier.budget, tier.reserve));
        assert_eq!(fit.after, size(tier_text(prompt, tier), manifest.unit));
        assert_eq!(fit.layers.len(), tier.layers.len());
        for (fitted, layer) in fit.layers.iter().zip(&tier.layers) {
            assert_eq!(fitted.layer, layer.name);
            assert_eq!(fitted.before, size(&layer.text, manifest.unit));
            assert_eq!(fitted.after > 0, prompt.layer(&layer.name).is_some());
        }
        if let Some(share) = &fit.prompt {
            assert_eq!(share.total, {
                let channel = prompt.channel(Deliver::System).unwrap();
                let end = channel
                    .tiers
                    .iter()
                    .find(|t| t.name == fit.tier)
                    .unwrap()
                    .end;
                size(&channel.text[..end], manifest.unit)
            });
        }
    }
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn budgets_of_tiers_and_prompt_hold(manifest in manifests()) {
        if let Ok(prompt) = manifest.built() {
            check_bounds(&manifest, &prompt);
            if !prompt.channels.is_empty() && prompt.channel(Deliver::System).is_some() {
                check_sums(&manifest, &prompt);
            }
        }
    }

    #[test]
    fn the_weakest_layers_are_dropped(manifest in manifests()) {
        // Reserves after the first tier that exceed the whole are refused before anything is built. The value of a fact
        // is not known then: the whole is fitted like any other.
        let behind = manifest.tiers.iter().filter(|t| t.deliver == "system").skip(1);
        let aside: usize = behind.filter_map(|t| t.reserve).sum();
        let refused = !manifest.fact && manifest.budget.is_some_and(|budget| aside > budget);
        match (texts(&manifest), manifest.built()) {
            (_, built) if refused => prop_assert_eq!(built.err(), Some(vec!["conflicting-settings"])),
            (Some(texts), Ok(prompt)) => {
                for (tier, text) in manifest.tiers.iter().zip(texts) {
                    prop_assert_eq!(tier_text(&prompt, tier), text, "{}\n{}", tier.name, manifest.kdl());
                }
            }
            (None, Err(codes)) => prop_assert!(codes.iter().all(|c| *c == "over-budget"), "{:?}", codes),
            (Some(_), Err(codes)) => prop_assert!(false, "{codes:?}\n{}", manifest.kdl()),
            (None, Ok(_)) => prop_assert!(false, "no error\n{}", manifest.kdl()),
        }
    }

    #[test]
    fn no_layer_is_dropped_for_later_text(one in manifests(), other in manifests(), at in 0_usize..4) {
        let at = 1 + at % one.tiers.len();
        let mut changed = one.clone();
        // After the tier everything differs, except its reserves.
        changed.tiers.truncate(at);
        let reserved = |tiers: &[Tier]| -> usize { tiers.iter().filter_map(|t| t.reserve).sum() };
        for mut tier in other.tiers {
            let behind = one.budget.is_some() && tier.deliver == "system";
            let bounded = tier.budget.is_some() || behind;
            tier.reserve = None;
            tier.name = format!("other-{}", tier.name);
            for layer in &mut tier.layers {
                layer.name = format!("other-{}", layer.name);
                layer.min = layer.min.filter(|_| bounded && one.unit != "lines");
                layer.required = false;
            }
            changed.tiers.push(tier);
        }
        let kept = reserved(&one.tiers[at..]);
        if kept > 0 {
            changed.tiers.push(Tier {
                name: "last".to_owned(),
                deliver: "system",
                join: None,
                budget: None,
                reserve: Some(kept),
                layers: vec![Layer {
                    name: "last-0".to_owned(),
                    text: "z".repeat(200),
                    priority: None,
                    min: None,
                    required: false,
                }],
            });
        }
        if let (Ok(before), Ok(after)) = (one.built(), changed.built()) {
            for tier in &one.tiers[..at] {
                prop_assert_eq!(tier_text(&before, tier), tier_text(&after, tier));
                let fate = |prompt: &Prompt| {
                    let fits = prompt.fits.iter().filter(|f| f.tier == tier.name);
                    let absent = prompt.absent.iter().filter(|a| a.tier == tier.name);
                    (fits.cloned().collect::<Vec<_>>(), absent.map(|a| (a.layer.clone(), a.detail.clone())).collect::<Vec<_>>())
                };
                prop_assert_eq!(fate(&before), fate(&after));
            }
        }
    }
}

/// A generator of manifests that all fit, or never do, would prove nothing.
#[test]
fn most_manifests_build_and_many_drop_layers() {
    let mut runner = TestRunner::deterministic();
    let [mut built, mut over, mut cut, mut dropped] = [0; 4];
    for _ in 0..200 {
        let manifest = manifests().new_tree(&mut runner).unwrap().current();
        match manifest.built() {
            Ok(prompt) => {
                built += 1;
                let has = |code: &str| prompt.notices.iter().any(|n| n.code == code);
                cut += usize::from(has("cut"));
                dropped += usize::from(has("dropped"));
            }
            Err(codes) => over += usize::from(codes.contains(&"over-budget")),
        }
    }
    println!("{built} built, {over} over, {cut} with cuts, {dropped} with drops");
    assert!(built > 90 && over > 15 && cut > 15 && dropped > 50);
}
