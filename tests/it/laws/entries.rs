//! Budgets of whole entries: the most of the leading documents that fit stay, and nothing is cut inside one.

use super::choices::Choices;
use super::config;
use super::oracle::{size, trimmed};
use super::{build, memory};
use promptc::compile::GivenInputs;
use promptc::prompt::{Deliver, Ingredient, Prompt};
use proptest::collection::vec;
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use std::collections::BTreeMap;
use std::path::Path;

/// The output of a layer for its entries: the template, and the same by hand.
type Template = (&'static str, fn(&[&str], usize) -> String);

const TEMPLATES: &[Template] = &[
    ("{{ content }}", |entries, _| entries.join("|")),
    (
        "{% for d in documents %}\n- {{ d.text }}\n{% endfor %}\n{{ dropped }} more",
        |entries, dropped| {
            let lines: String = entries.iter().map(|e| format!("- {e}\n")).collect();
            format!("{lines}{dropped} more")
        },
    ),
    // Fewer entries can be longer.
    (
        "{% if dropped > 1 %}Of all that there is, these are the first:\n{% endif %}\n{{ content }}",
        |entries, dropped| {
            let head = match dropped {
                0 | 1 => "",
                _ => "Of all that there is, these are the first:\n",
            };
            format!("{head}{}", entries.join("|"))
        },
    ),
];

#[derive(Debug)]
struct Sample {
    entries: Vec<String>,
    template: Option<usize>,
    /// Of the node: unit and maximum.
    node: Option<(&'static str, usize)>,
    layer: Option<(&'static str, usize)>,
    step: Option<usize>,
}

fn sample(row: &[u16]) -> Sample {
    let c = Choices::new(row);
    let word = |_| c.of(&["alpha", "be ta", "x", "gamma\ndelta", "é"]);
    let entries = c.several(1, 9, |_| c.several(1, 3, word).join(" "));
    let bound = |c: &Choices<'_>| {
        let unit = c.of(&["chars", "bytes", "lines", "entries"]);
        let most = if matches!(unit, "lines" | "entries") {
            12
        } else {
            90
        };
        (unit, c.below(most))
    };
    let node = c.odds(6).then(|| bound(&c));
    Sample {
        template: c.odds(12).then(|| c.below(TEMPLATES.len())),
        layer: (node.is_none() || c.odds(10)).then(|| bound(&c)),
        step: c.odds(4).then(|| c.below(4)),
        entries,
        node,
    }
}

impl Sample {
    fn build(&self) -> Prompt {
        let budget = |(unit, max): (&str, usize)| {
            let step = self
                .step
                .map_or(String::new(), |step| format!(" step={step}"));
            match unit {
                "entries" => format!("budget {max} entries{step}"),
                _ => format!("budget {max} {unit} at=entry{step}"),
            }
        };
        let mut layer = format!(
            "all join=\"|\" {{\nglob \"*.md\"\n{}\n}}\n",
            self.node.map_or(String::new(), budget)
        );
        if let Some(at) = self.template {
            layer.push_str(&format!("template {:?}\n", TEMPLATES[at].0));
        }
        layer.push_str(&self.layer.map_or(String::new(), budget));
        let manifest = format!(
            "promptc 1\nroot workspace default=\".\"\ntier t {{\nlayer l {{\n{layer}\n}}\n}}\n"
        );
        let mut files = BTreeMap::from([("promptc.kdl".to_owned(), manifest.into_bytes())]);
        for (at, entry) in self.entries.iter().enumerate() {
            files.insert(format!("{at}.md"), entry.clone().into_bytes());
        }
        let path = Path::new("/base/promptc.kdl");
        build(&memory(&files), path, &GivenInputs::default()).unwrap()
    }

    /// The text, and how many entries went; none if the layer is absent.
    fn expected(&self) -> Option<(String, usize)> {
        let entries: Vec<&str> = self.entries.iter().map(String::as_str).collect();
        let node = self.most(&entries, self.node, &|kept| entries[..kept].join("|"))?;
        let (there, gone) = (&entries[..node], entries.len() - node);
        let make = |kept: usize| {
            let dropped = gone + there.len() - kept;
            let text = match self.template {
                Some(at) => TEMPLATES[at].1(&there[..kept], dropped),
                None => there[..kept].join("|"),
            };
            trimmed(&text).to_owned()
        };
        let kept = self.most(there, self.layer, &make)?;
        Some((make(kept), entries.len() - kept))
    }

    /// The largest number of entries that a budget allows.
    fn most(
        &self,
        entries: &[&str],
        budget: Option<(&str, usize)>,
        make: &dyn Fn(usize) -> String,
    ) -> Option<usize> {
        let Some((unit, max)) = budget else {
            return Some(entries.len());
        };
        let step = self.step.unwrap_or(0).max(1);
        (1..=entries.len()).rev().find(|kept| {
            let whole = *kept == entries.len() || kept % step == 0;
            whole
                && match unit {
                    "entries" => *kept <= max,
                    _ => size(&make(*kept), unit) <= max,
                }
        })
    }
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn the_most_entries_that_fit_stay(row in vec(any::<u16>(), 10..60)) {
        let sample = sample(&row);
        let prompt = sample.build();
        match sample.expected() {
            Some((text, gone)) => {
                prop_assert_eq!(prompt.text(Deliver::System), text, "{:?}", sample);
                prop_assert_eq!(prompt.notices.iter().any(|n| n.code == "cut"), gone > 0);
                let (_, layer) = prompt.layer("l").unwrap();
                let unused = layer.unused.iter().filter(|u| u.reason.to_string() == "budget");
                prop_assert_eq!(unused.count(), gone);
                let whole = layer.ingredients.iter().filter(|i| {
                    matches!(i, Ingredient::Document { dropped, .. } if *dropped > 0)
                });
                prop_assert_eq!(whole.count(), gone);
            }
            None => {
                prop_assert_eq!(prompt.text(Deliver::System), "");
                prop_assert_eq!(prompt.absent[0].reason.to_string(), "dropped");
                prop_assert!(prompt.notices.iter().any(|n| n.code == "dropped"));
            }
        }
    }
}
