//! Law 5: budgets hold.

use super::model::{Budget, Layer, Manifest, Node};
use super::oracle::{self, size};
use super::sample::{ALL, sample};
use super::{built, config, small};
use promptc::prompt::{self, Deliver, Ingredient, Prompt};
use promptc::text::SpanKind;
use proptest::prelude::proptest;

proptest! {
    #![proptest_config(config(128))]

    #[test]
    fn budgets_hold(sample in sample(ALL)) {
        if let Ok(prompt) = built(&sample) {
            check_ingredients(&sample.manifest, &prompt);
            for layer in sample.manifest.layers() {
                if let Some((channel, there)) = prompt.layer(&layer.name) {
                    let parted = !oracle::joins(&sample.manifest).contains("");
                    check_layer(layer, &channel.text, there, parted);
                }
            }
        }
    }
}

/// The map's data about budgets: nothing is larger than its maximum, unless a marker is outside.
fn check_ingredients(manifest: &Manifest, prompt: &Prompt) {
    for (name, ingredient) in oracle::ingredients(prompt) {
        let layer = manifest.layers().find(|l| l.name == name).unwrap();
        let nodes = layer.nodes();
        let mut budgets = nodes.iter().flat_map(|n| &n.budgets).chain(&layer.budgets);
        let outside = budgets.any(|b| b.outside);
        if let Ingredient::Budget {
            max,
            after,
            unit,
            head,
            marker,
            tail,
            left,
            ..
        } = ingredient
        {
            assert!(outside || after <= max, "{name}: {after} of {max} {unit}");
            if let (Some(head), Some(marker), Some(tail)) = (head, marker, tail) {
                let sum = head + tail + if outside { 0 } else { *marker };
                assert!(sum <= *after, "{name}: {head} + {tail} is not {after}");
                assert!(outside || sum == *after, "{name}: {sum} is not {after}");
                assert!(head + marker + tail == *after || head + tail == *after);
            }
            let left = left.unwrap_or(usize::MAX);
            assert!(*after <= left, "{name}: {after} of {left} left");
        }
    }
}

/// The numbers in the manifest, compared with the bytes of the output. `parted`: documents that are side by side have a
/// join between them.
fn check_layer(layer: &Layer, text: &str, there: &prompt::Layer, parted: bool) {
    let join = there
        .spans
        .first()
        .filter(|s| s.kind == SpanKind::Join && s.start == there.start && there.start > 0);
    let own = &text[join.map_or(there.start, |j| j.end)..there.end];
    for budget in &layer.budgets {
        bounds(budget, budget.one, own, &there.name);
    }
    // The steps after the node's budget must not make it larger.
    let Some(content) = layer.content.as_ref().filter(|_| layer.template.is_none()) else {
        return;
    };
    // A marker outside counts as text wherever else it is counted, and the layer's own come later.
    let outside = content.budgets.iter().any(|b| b.outside);
    if !layer.budgets.is_empty() || (outside && content.budgets.len() > 1) {
        return;
    }
    for budget in &content.budgets {
        bounds(budget, budget.one, own, &there.name);
        let owned: String = there
            .spans
            .iter()
            .filter(|s| {
                s.kind != SpanKind::Join && !(budget.outside && s.kind == SpanKind::Template)
            })
            .map(|s| &text[s.start..s.end])
            .collect();
        // Lines of documents meet where they are joined. Cuts of the joined text put markers between documents.
        if budget.unit != "lines" && content.budgets.iter().all(|b| b.one.is_none()) {
            bounds(budget, budget.total, &owned, &there.name);
        }
        if parted {
            check_each(budget, text, there, content);
        }
    }
}

/// Documents between joins, each within `each`.
fn check_each(budget: &Budget, text: &str, there: &prompt::Layer, content: &Node) {
    if content.budgets.iter().any(|b| b.one.is_some()) {
        return;
    }
    let mut document = String::new();
    for span in &there.spans {
        if span.kind == SpanKind::Join {
            document.clear();
        } else {
            document.push_str(&text[span.start..span.end]);
            bounds(budget, budget.each, &document, &there.name);
        }
    }
}

fn bounds(budget: &Budget, max: Option<usize>, text: &str, of: &str) {
    let Some(max) = max.filter(|_| !budget.outside) else {
        return;
    };
    let size = size(text, budget.unit);
    assert!(
        size <= max,
        "{of}: {size} of {max} {}: {text:?}",
        budget.unit
    );
}

#[test]
fn a_second_budget_keeps_the_first() {
    let text = "one\ntwo\nthree\nfour";
    let prompt = |budgets: &str| {
        small(
            &format!("tier t {{\nlayer a {{\nfile \"a.md\" {{\n{budgets}\n}}\n}}\n}}"),
            &[("a.md", text)],
        )
    };
    let built = prompt("budget 20 bytes\nbudget 3 lines marker=\"[cut here]\"");
    assert_eq!(built.text(Deliver::System), "one\ntwo\n[cut here]");
    let built = prompt("budget 19 bytes\nbudget 2 lines marker=\"[cut here]\"");
    assert_eq!(built.text(Deliver::System), "one\n[cut here]");
    // Nothing but the marker would be 20 bytes in 2 lines: it is dropped.
    let built = prompt("budget 19 bytes\nbudget 2 lines marker=\"[the marker is long]\"");
    assert_eq!(built.absent[0].reason.to_string(), "dropped");
    let built = small(
        "tier t {\nlayer a {\nfile \"a.md\"\nbudget 19 bytes\nbudget 2 lines marker=\"[cut here]\"\n}\n}",
        &[("a.md", text)],
    );
    assert_eq!(built.text(Deliver::System), "one\n[cut here]");
}

#[test]
fn a_budget_over_documents_keeps_those_before_it() {
    let manifest = |budgets: &str| {
        format!(
            "tier t {{\nlayer a {{\nall join=\"|\" {{\nfile \"a.md\"\nfile \"b.md\"\n{budgets}\n}}\n}}\n}}"
        )
    };
    let files = [("a.md", "1\n2\n3\n4"), ("b.md", "5\n6\n7\n8")];
    let total = small(
        &manifest("budget total=14 bytes\nbudget each=2 lines marker=\"[..]\""),
        &files,
    );
    assert_eq!(total.text(Deliver::System), "1\n[..]|5\n[..]");
    let total = small(
        &manifest("budget total=14 bytes\nbudget each=2 lines marker=\"[.....]\""),
        &files,
    );
    assert_eq!(total.text(Deliver::System), "[.....]|[.....]");
    let one = small(
        &manifest("budget 15\nbudget each=2 lines marker=\"[......]\""),
        &files,
    );
    assert_eq!(one.text(Deliver::System), "5\n[......]");
}

#[test]
fn a_marker_outside_is_not_spent() {
    let built = small(
        "tier t {\nlayer a {\nall join=\"|\" {\nfile \"a.md\"\nfile \"b.md\"\n\
         budget each=4 total=8 marker=\"[......]\" marker-outside=#true\n}\n}\n}",
        &[("a.md", "123456"), ("b.md", "abcdef")],
    );
    assert_eq!(built.text(Deliver::System), "1234[......]|abcd[......]");
}
