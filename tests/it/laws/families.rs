//! The shared prefix of a prefix family is the byte-wise common prefix of two builds, and a layer that `check` reports
//! as dividing them does so.
//!
//! No two layers say the same, so a prefix never runs on by chance.

use super::choices::Choices;
use super::config;
use promptc::check::{self, Options};
use promptc::compare::{Sample, grade};
use promptc::compile::{GivenInputs, build, prepare};
use promptc::diagnostic::Diagnostics;
use promptc::diagnostic::span::Files;
use promptc::manifest;
use promptc::project::families_of;
use promptc::prompt::{Deliver, Prompt};
use promptc::world::MapWorld;
use proptest::collection::vec;
use proptest::prelude::{any, prop_assert, prop_assert_eq};
use proptest::test_runner::{TestCaseError, TestRunner};
use std::cell::Cell;
use std::fmt::Write as _;

const SCENARIOS: [&str; 3] = ["main", "sub", "cron"];
const VALUES: [&str; 3] = ["one", "öne", "two"];

/// A manifest, the channels of its layers in order, and what the family is through, as a number of these layers.
struct Case {
    text: String,
    layers: Vec<(String, Deliver)>,
    through: usize,
    least: usize,
}

fn case(row: &[u16]) -> Case {
    let choices = Choices::new(row);
    let mut text = String::from("promptc 1\nroot workspace default=\".\"\n");
    for fact in ["a", "b"] {
        let _ = writeln!(text, "fact {fact} string default=\"one\"");
    }
    let _ = writeln!(text, "let both \"a ~ b\"");
    let mut layers = Vec::new();
    let mut ends = Vec::new();
    for tier in 0..1 + choices.below(3) {
        let deliver = choices.of(&[Deliver::System, Deliver::Tools, Deliver::System]);
        let _ = writeln!(text, "tier t{tier} deliver={deliver} changes=session {{");
        for _ in 0..1 + choices.below(3) {
            let at = layers.len();
            let when = choices.of(&["", "", "", " when=\"a == 'one'\"", " when=\"b != 'two'\""]);
            let says = match choices.below(7) {
                0 => format!("template \"L{at} {{{{ a }}}}.\""),
                1 => format!("template \"L{at}{{% if b == 'two' %}} two{{% endif %}}.\""),
                2 => format!("template \"L{at} {{{{ both | length }}}}.\""),
                3 => format!("all {{ text \"L{at}\"; file \"{{a}}.md\" }}"),
                4 => format!("all join=\"\" {{ text \"L{at} \"; fact b }}"),
                _ => format!("text \"L{at} says so.\""),
            };
            let _ = writeln!(text, "    layer l{at}{when} {{ {says} }}");
            layers.push((format!("l{at}"), deliver));
        }
        text.push_str("}\n");
        ends.push((format!("t{tier}"), layers.len()));
    }
    for name in SCENARIOS {
        let (a, b) = (choices.of(&VALUES), choices.of(&VALUES));
        let _ = writeln!(text, "scenario {name} {{ set a \"{a}\"; set b \"{b}\" }}");
    }
    let at = choices.below(layers.len());
    let (name, through) = if choices.odds(8) {
        (format!("l{at}"), at + 1)
    } else {
        ends[choices.below(ends.len())].clone()
    };
    let least = choices.below(60);
    let _ = writeln!(
        text,
        "expect family {{ members {}; through {name}; at-least {least} bytes }}",
        SCENARIOS.join(" ")
    );
    Case {
        text,
        layers,
        through,
        least,
    }
}

/// The bytes that both texts begin with, down to a whole character.
fn common(a: &str, b: &str) -> usize {
    let mut pairs = a.char_indices().zip(b.chars());
    let differs = pairs.find(|((_, x), y)| x != y);
    differs.map_or(a.len().min(b.len()), |((at, _), _)| at)
}

/// The common prefix of two prompts, and whether it reaches the end of the layers up to `through`.
fn shared(case: &Case, a: &Prompt, b: &Prompt) -> (usize, bool) {
    let (_, deliver) = case.layers[case.through - 1];
    let end = |prompt: &Prompt| {
        let layers = prompt.channel(deliver).map_or(&[][..], |c| &c.layers);
        let before = case.layers[..case.through].iter();
        let before = before.filter_map(|(name, _)| layers.iter().find(|l| l.name == *name));
        before.map(|l| l.end).max().unwrap_or(0)
    };
    let (mut bytes, mut reaches, mut open) = (0, true, true);
    for channel in [Deliver::Tools, Deliver::System] {
        let (x, y) = (a.text(channel), b.text(channel));
        let here = if open { common(x, y) } else { 0 };
        bytes += here;
        reaches &= if channel == deliver {
            open && here >= end(a).max(end(b))
        } else {
            channel > deliver || x == y
        };
        open &= x == y;
    }
    (bytes, reaches)
}

#[test]
fn the_shared_prefix_of_a_family_is_the_common_prefix() {
    let (kept, parted, found) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let mut runner = TestRunner::new(config(400));
    let result = runner.run(&vec(any::<u16>(), 0..60), |row| {
        let case = case(&row);
        let world = MapWorld::new()
            .file("/m/promptc.kdl", case.text.clone())
            .file("/m/one.md", "First file.")
            .file("/m/two.md", "Second file.");
        let (mut files, mut diags) = (Files::default(), Diagnostics::default());
        let fail = |diags: &Diagnostics| {
            let said: Vec<&str> = diags.iter().map(|d| d.message.as_str()).collect();
            TestCaseError::fail(format!("{said:?}\n{}", case.text))
        };
        let manifest = manifest::open(&world, Some("/m/promptc.kdl"), &mut files, &mut diags);
        let manifest = manifest.map_err(|_| fail(&diags))?;
        let given = GivenInputs::default();
        let plan = prepare(&manifest, &given, &world, &mut files, &mut diags);
        let plan = plan.map_err(|_| fail(&diags))?;
        let mut prompts = Vec::new();
        for name in SCENARIOS {
            let given = GivenInputs {
                scenario: Some(name.to_owned()),
                ..GivenInputs::default()
            };
            let prompt = build(&plan, &given, &world, &mut diags);
            prompts.push(prompt.map_err(|_| fail(&diags))?);
        }
        let samples: Vec<Sample<'_>> = SCENARIOS
            .iter()
            .zip(&prompts)
            .map(|(scenario, prompt)| Sample {
                scenario,
                prompt,
                shown: true,
            })
            .collect();
        let families = families_of(&manifest);
        let grade = grade(&families[0], &samples).unwrap();
        for (member, prompt) in grade.members.iter().zip(&prompts[1..]) {
            let (bytes, reaches) = shared(&case, &prompts[0], prompt);
            prop_assert_eq!(member.shared.bytes, bytes, "{}", case.text);
            prop_assert_eq!(member.reaches, Some(reaches), "{}", case.text);
            prop_assert_eq!(
                member.holds,
                reaches && bytes >= case.least,
                "{}",
                case.text
            );
            let same = [Deliver::Tools, Deliver::System]
                .iter()
                .all(|d| prompts[0].text(*d) == prompt.text(*d));
            prop_assert_eq!(member.layer.is_none(), same, "{}", case.text);
            let count = if reaches { &kept } else { &parted };
            count.set(count.get() + 1);
        }
        let least = grade.members.iter().map(|m| m.shared.bytes).min();
        prop_assert_eq!(Some(grade.shared.bytes), least);
        let report = check::check(&plan, &files, &[], &Options::default());
        let mut split = report.findings.iter();
        if split.any(|f| f.rule.code.name == "split-family") {
            found.set(found.get() + 1);
            let parted = grade.members.iter().any(|m| m.reaches == Some(false));
            prop_assert!(parted, "{}", case.text);
        }
        Ok(())
    });
    result.unwrap();
    assert!(kept.get() > 50 && parted.get() > 50 && found.get() > 50);
}
