//! The figures of `promptc check`.

use crate::{EXAMPLE, PROMPTC, in_turn, ms, repeat, words};
use promptc::check::{Options, check};
use promptc::compile::{GivenInputs, prepare};
use promptc::diagnostic::Diagnostics;
use promptc::diagnostic::span::Files;
use promptc::manifest;
use promptc::world::DiskWorld;
use std::fmt::Write as _;

/// Whole processes, and the steps of one in the process.
pub(crate) fn figures() {
    println!("\ncheck");
    let folder = tempfile::tempdir().unwrap();
    let large = folder.path().join("promptc.kdl");
    std::fs::write(&large, thousand_lines()).unwrap();
    let large = large.to_str().unwrap();
    let commands = [
        vec!["build", "-q", "-m", EXAMPLE],
        vec!["check", "-m", EXAMPLE],
        vec!["check", "--sources", "-m", EXAMPLE],
        vec!["check", "-m", large],
    ];
    let commands = commands.map(|args| [words(&[PROMPTC]), words(&args)].concat());
    let names = [
        "build, the example",
        "check, the example",
        "check --sources, the example (3 builds)",
        "check, a manifest of 1,000 lines",
    ];
    for (name, (time, ratio)) in names.iter().zip(in_turn(&commands, 60)) {
        println!("  {name:<42} {:>7.2} ms {ratio:>5.1} x build", ms(time));
    }
    steps(large);
}

fn steps(path: &str) {
    let world = DiskWorld;
    let text = std::fs::read_to_string(path).unwrap();
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let parsed = manifest::open(&world, Some(path), &mut files, &mut diags).unwrap();
    let given = GivenInputs::default();
    let plan = prepare(&parsed, &given, &world, &mut files, &mut diags).unwrap();
    let rows = [
        (
            "the KDL parse (the kdl crate alone)",
            repeat(40, || text.parse::<kdl::KdlDocument>().unwrap()).0,
        ),
        (
            "manifest: that, and decoding",
            repeat(40, || {
                let (mut files, mut diags) = (Files::default(), Diagnostics::default());
                manifest::open(&world, Some(path), &mut files, &mut diags)
            })
            .0,
        ),
        (
            "plan, with the chains of reasons",
            repeat(40, || {
                let mut diags = Diagnostics::default();
                prepare(&parsed, &given, &world, &mut files.clone(), &mut diags)
            })
            .0,
        ),
        (
            "all rules",
            repeat(40, || check(&plan, &files, &[], &Options::default())).0,
        ),
    ];
    println!("  the 1,000 lines in the process, best of 40");
    for (name, time) in rows {
        println!("    {name:<40} {:>7.2} ms", ms(time));
    }
}

/// Facts of every type, tiers, layers with sources, conditions, templates and budgets.
pub(crate) fn thousand_lines() -> String {
    let mut out =
        String::from("promptc 1\nname large\njoin \"\\n\\n\"\nroot workspace default=\".\"\n");
    for i in 0..120 {
        let _ = match i % 4 {
            0 => writeln!(
                out,
                "fact f{i} string default=x changes=session   // number {i}"
            ),
            1 => writeln!(
                out,
                "fact f{i} bool default=#true changes=session   // number {i}"
            ),
            2 => writeln!(out, "fact f{i} list changes=deploy {{ default a b }}"),
            _ => writeln!(
                out,
                "fact f{i} int default=3 changes=session   // number {i}"
            ),
        };
    }
    let mut layer = 0;
    for tier in 0..8 {
        let _ = writeln!(out, "tier t{tier} changes=session {{");
        for _ in 0..21 {
            let (text, flag) = (layer * 4 % 120, (layer * 4 + 1) % 120);
            let _ = writeln!(out, "    layer l{layer} when=\"f{flag}\" {{");
            let _ = writeln!(
                out,
                "        file \"notes/{layer}.md\" label=\"notes {layer}\""
            );
            let _ = writeln!(
                out,
                "        template \"## Notes {layer}\\n{{{{ content }}}} {{{{ f{text} }}}}\""
            );
            let _ = writeln!(out, "        budget 4000 tail=0.2\n    }}");
            layer += 1;
        }
        out.push_str("}\n");
    }
    out
}
