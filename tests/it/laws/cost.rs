//! The cost of a break: (before - after) times the input price times (write - read). Nothing is reused after the first
//! difference, and never more than without a change.
//!
//! Texts are made of words that are one token each, so that the oracle counts tokens without a tokenizer. It knows the rules
//! by their description alone and calculates in whole numbers.

use super::{config, small};
use promptc::compare::Cost;
use promptc::diagnostic::Diagnostics;
use promptc::diagnostic::span::Files;
use promptc::prompt::Prompt;
use promptc::request::cost::{CostQuery, of};
use promptc::request::emit::place::Messages;
use promptc::request::provider::{self, Catalog, ModelMatch};
use promptc::text::tokens::Tokenizer;
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, prop_assert, prop_assert_eq, prop_oneof};
use proptest::test_runner::{TestCaseError, TestRunner};
use std::cell::Cell;
use std::fmt::Write as _;

/// Each is one token of o200k, with a space before it and without.
const WORDS: [&str; 4] = ["go", "so", "it", "we"];

/// The words of the tiers; the first `tools` of them are tools.
#[derive(Debug, Clone)]
struct Side {
    tools: usize,
    tiers: Vec<Vec<usize>>,
}

/// How the second side came from the first.
#[derive(Debug, Clone)]
enum Edit {
    Nothing,
    Word { tier: usize, at: usize },
    Shorter { tier: usize, to: usize },
    Longer { tier: usize, more: Vec<usize> },
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Rule {
    Breakpoint,
    BlockFloor,
    Lcp,
    Opaque,
    Resource,
}

/// A row, in millionths.
#[derive(Debug, Clone)]
struct Row {
    rule: Rule,
    min: u64,
    granularity: u64,
    input: u64,
    read: u64,
    write: u64,
}

fn sides() -> impl Strategy<Value = (Side, Edit)> {
    let tiers = vec(vec(0..WORDS.len(), 1..12), 1..=4);
    (tiers, 0_usize..3).prop_flat_map(|(tiers, tools)| {
        let last = tiers.len();
        let side = Side {
            tools: tools.min(last - 1),
            tiers,
        };
        let words = vec(0..WORDS.len(), 1..4);
        let edit = prop_oneof![
            1 => Just(Edit::Nothing),
            4 => (0..last, 0_usize..12).prop_map(|(tier, at)| Edit::Word { tier, at }),
            3 => (0..last, 0_usize..12).prop_map(|(tier, to)| Edit::Shorter { tier, to }),
            3 => (0..last, words).prop_map(|(tier, more)| Edit::Longer { tier, more }),
        ];
        (Just(side), edit)
    })
}

fn rows() -> impl Strategy<Value = Row> {
    let rule = prop_oneof![
        3 => Just(Rule::Breakpoint),
        2 => Just(Rule::BlockFloor),
        1 => Just(Rule::Lcp),
        1 => Just(Rule::Opaque),
        1 => Just(Rule::Resource),
    ];
    let figures = (
        1_u64..10_000_000,
        0_u64..=1_000_000,
        1_000_000_u64..2_500_000,
    );
    (rule, 1_u64..12, 1_u64..6, figures).prop_map(
        |(rule, min, granularity, (input, read, write))| Row {
            rule,
            min,
            granularity,
            input,
            read,
            write,
        },
    )
}

impl Side {
    fn edited(&self, edit: &Edit) -> Self {
        let mut out = self.clone();
        match edit {
            Edit::Nothing => {}
            Edit::Word { tier, at } => {
                let words = &mut out.tiers[*tier];
                let at = at % words.len();
                words[at] = (words[at] + 1) % WORDS.len();
            }
            Edit::Shorter { tier, to } => out.tiers[*tier].truncate(*to),
            Edit::Longer { tier, more } => out.tiers[*tier].extend(more),
        }
        out
    }

    fn prompt(&self) -> Prompt {
        let mut manifest = String::new();
        for (at, words) in self.tiers.iter().enumerate().filter(|(_, w)| !w.is_empty()) {
            let text = words
                .iter()
                .map(|w| WORDS[*w])
                .collect::<Vec<_>>()
                .join(" ");
            let deliver = if at < self.tools {
                " deliver=tools"
            } else {
                ""
            };
            let _ = writeln!(
                manifest,
                "tier t{at} changes=session{deliver} {{ layer l{at} {{ text \"{text}\" }} }}"
            );
        }
        if manifest.is_empty() {
            manifest.push_str("tier t { layer l when=\"false\" { text \"x\" } }");
        }
        small(&manifest, &[])
    }

    /// The tokens of tools and of system prompt; a join, [`None`], is one.
    fn tokens(&self) -> [Vec<Option<usize>>; 2] {
        let mut out = [Vec::new(), Vec::new()];
        for (at, words) in self.tiers.iter().enumerate().filter(|(_, w)| !w.is_empty()) {
            let channel = &mut out[usize::from(at >= self.tools)];
            if !channel.is_empty() {
                channel.push(None);
            }
            channel.extend(words.iter().copied().map(Some));
        }
        out
    }

    /// The tokens before the end of each tier.
    fn ends(&self) -> Vec<u64> {
        let mut out = Vec::new();
        let mut before = 0;
        let mut in_channel = [false; 2];
        for (at, words) in self.tiers.iter().enumerate().filter(|(_, w)| !w.is_empty()) {
            let join = std::mem::replace(&mut in_channel[usize::from(at >= self.tools)], true);
            before += words.len() as u64 + u64::from(join);
            out.push(before);
        }
        out
    }
}

/// How many tokens both requests begin with.
fn common(a: &Side, b: &Side) -> u64 {
    let ([tools_a, system_a], [tools_b, system_b]) = (a.tokens(), b.tokens());
    let same = |a: &[Option<usize>], b: &[Option<usize>]| {
        a.iter().zip(b).take_while(|(a, b)| a == b).count() as u64
    };
    let tools = same(&tools_a, &tools_b);
    if tools_a == tools_b {
        tools + same(&system_a, &system_b)
    } else {
        tools
    }
}

/// The reused tokens without a change, and after the change.
fn reused(row: &Row, a: &Side, b: &Side) -> (u64, u64) {
    let same = common(a, b);
    let ends = b.ends();
    let whole = ends.last().copied().unwrap_or(0);
    let least = |n: u64| if n < row.min { 0 } else { n };
    match row.rule {
        Rule::Breakpoint => {
            let last = |most: u64, written: &[u64]| {
                let usable = ends.iter().filter(|e| **e <= most && written.contains(e));
                usable.copied().filter(|e| *e >= row.min).max().unwrap_or(0)
            };
            (last(whole, &ends), last(same, &a.ends()))
        }
        Rule::BlockFloor => {
            let blocks = |n: u64| least(n / row.granularity * row.granularity);
            (blocks(whole), blocks(same))
        }
        Rule::Lcp => (whole, same),
        Rule::Opaque => (least(whole), least(same)),
        Rule::Resource => {
            if a.tokens() == b.tokens() {
                (whole, whole)
            } else {
                (whole, 0)
            }
        }
    }
}

impl Row {
    fn found(&self) -> ModelMatch {
        let (rule, marker) = match self.rule {
            Rule::Breakpoint => ("breakpoint", "marker \"cache_control\""),
            Rule::BlockFloor => ("block-floor", ""),
            Rule::Lcp => ("lcp", ""),
            Rule::Opaque => ("opaque-prefix", ""),
            Rule::Resource => ("named-resource", "marker \"cachedContent\""),
        };
        let number = |n: u64| format!("{}.{:06}", n / 1_000_000, n % 1_000_000);
        let text = format!(
            "providers 1 currency=USD as-of=\"2026-03-01\"\n\
             provider \"p\" match={rule} {{\n{marker}\nsource \"s\" as-of=\"2026-03-01\"\n}}\n\
             model \"m\" provider=\"p\" {{\nprice input={} read={}\n\
             prefix min={} granularity={} breakpoints=4\nttl \"5m\" write={}\n\
             source \"s\" as-of=\"2026-03-01\"\n}}\n",
            number(self.input),
            number(self.read),
            self.min,
            self.granularity,
            number(self.write),
        );
        let (mut files, mut diags) = (Files::default(), Diagnostics::default());
        let file = files.add("table.kdl".to_owned(), text.clone());
        let table = provider::table(file, &text, &[], &mut diags);
        let catalog = Catalog::new(vec![table.expect("a table")]);
        catalog
            .find("m", jiff::civil::date(2026, 3, 2))
            .expect("its row")
    }
}

fn cost(row: &Row, a: &Side, b: &Side) -> Cost {
    let asked = CostQuery {
        messages: Messages::Count(0),
        name: "m".to_owned(),
        found: row.found(),
        tokenizer: Some(Tokenizer::O200K),
        requests: Some(1_000),
    };
    of(&a.prompt(), &b.prompt(), &asked)
}

/// Dollars of so many units of 10^-18.
#[expect(
    clippy::cast_precision_loss,
    reason = "the answer is a number of this kind"
)]
fn dollars(units: i128) -> Option<f64> {
    Some(units as f64 / 1e18)
}

/// Whether a part was kept and a part was lost.
fn check(row: &Row, a: &Side, b: &Side) -> Result<bool, TestCaseError> {
    let told = cost(row, a, b);
    let (before, after) = reused(row, a, b);
    prop_assert_eq!((told.before, told.after), (before, after));
    prop_assert!(told.after <= told.before);
    prop_assert!(told.after <= common(a, b), "reused behind the difference");
    let opaque = row.rule == Rule::Opaque;
    prop_assert_eq!(told.at_most, opaque);
    let untouched = common(a, b) == b.ends().last().copied().unwrap_or(0);
    let rewritten = match opaque {
        true if untouched => 0,
        true => before,
        false => before - after,
    };
    prop_assert_eq!(told.rewritten, rewritten);
    let unit = i128::from(rewritten) * i128::from(row.input);
    let once = unit * (i128::from(row.write) - i128::from(row.read));
    let over = unit * (i128::from(row.write) - 1_000_000);
    prop_assert_eq!(told.usd, dollars(once));
    prop_assert_eq!(told.usd_per_day, dollars(once * 1_000));
    prop_assert_eq!(told.surcharge_per_day, dollars(over * 1_000));
    Ok(0 < after && after < before)
}

#[test]
fn the_cost_of_a_break_is_that_of_rewritten_tokens() {
    let config = config(200);
    let cases = config.cases;
    let parts = Cell::new(0);
    let mut runner = TestRunner::new(config);
    let ran = runner.run(&(sides(), rows()), |((a, edit), row)| {
        let b = a.edited(&edit);
        parts.set(parts.get() + u32::from(check(&row, &a, &b)?));
        Ok(())
    });
    ran.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(parts.get() > cases / 20, "too few breaks keep a part");
}
