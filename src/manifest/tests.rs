use super::*;
use crate::diagnostic::span::{FileId, Files};
use crate::diagnostic::{Diagnostics, ErrorReported};
use crate::manifest::{
    Boundary, FactType, Invalid, Limit, Lit, NodeKind, Source, TemplateRef, Unit,
};
use crate::prompt::{Changes, Deliver};
use crate::text::normalise::Marks;
use crate::world::MapWorld;
use std::sync::Arc;

/// Everything that the language has, at least once.
const WHOLE: &str = r###"// A manifest.
promptc 1
name atlas
join "\n\n"
root workspace default="."
root home env=HERMES_HOME default="~/.hermes" links=follow as="~/.hermes" changes=deploy missing=skip
root project above=workspace holding=".git"
root shared above=workspace { holding ".git" ".hg" }
root skills many=#true { default "a" "b" }
root notes default="notes" in=home as=(fact)shown
root text missing=error
fact platform string default=cli changes=deploy { one-of cli telegram }
fact tools list { default }
fact needles list { default gpt "codex" 3 }
fact vars map optional=#true private=#true { default { mood good; deep { x 1 }; none } }
fact today date clock="Europe/Zurich" changes=day
fact debug bool env-set=DEBUG
fact shown string env=SHOWN default="~"
fact size int default=400
let lower "platform | lower"
/- let off "1" { a }
tier stable changes=session join="\n" {
    trim #false; newlines #false; bom #false
    layer identity when="not debug" required=#true {
        first root=home invalid=missing {
            file "SOUL.md" (fact)platform "B.md" root=home label=(fact)shown about="x" missing=error {
                budget (fact)size head=0.7 tail=0.2 at=char marker-outside=#true { marker file="cut.j2" root=text }
                budget 200 lines marker="\n…" at=line
                frontmatter parse lenient yaml="1.1"
                wrap "## {{ name }}\n\n{{ text }}"
            }
            text """
                One
                  Two \
                  more
                """
            all join="" search=up from=workspace { fact platform; json "tools.json" where="x" }
            template file="t.j2" root=text when=debug
            glob "**/*.md" (fact)platform { exclude ".git" "node_modules"; hide "{{ 1 }}" }
            trim #false
        }
        part header { text #"a "b" \n"# { trim #true } }
        template "{{ header }}{{ content }}"
        budget each=4000 total=12000 floor=64 bytes at=paragraph
        frontmatter strip
        waive unreachable-budget because="so it is"
    }
}
tier turn changes=turn deliver=user { layer recall { fact shown } }
waive turn-tier because="why not"
scenario cli {
    set tools memory skill_view
    set vars { mood good; retries 2 }
    set needles
    set debug #true
    root skills "a" "b"
    env HOME "/h"
}
"###;

fn run(src: &str) -> (Result<Arc<Manifest>, ErrorReported>, Diagnostics, FileId) {
    let mut files = Files::default();
    let mut diags = Diagnostics::default();
    let world = MapWorld::new().file("/promptc.kdl", src);
    let manifest = open(&world, Some("/promptc.kdl"), &mut files, &mut diags);
    // The manifest is the first file that is read.
    let file = Files::default().add("promptc.kdl", src);
    (manifest, diags, file)
}

fn good(src: &str) -> Arc<Manifest> {
    let (manifest, diags, _) = run(src);
    assert!(diags.is_empty(), "{diags:#?}");
    manifest.expect("a manifest")
}

/// Code and underlined text of each diagnostic.
fn bad(src: &str) -> Vec<(&'static str, &str)> {
    let (_, diags, _) = run(src);
    diags
        .iter()
        .map(|d| (d.code.name, &src[d.span.expect("a place").range()]))
        .collect()
}

#[test]
fn the_whole_language() {
    let m = good(WHOLE);
    assert_eq!(m.name.as_ref().map(|n| n.value.as_str()), Some("atlas"));
    assert_eq!(m.join.as_ref().map(|j| &*j.text), Some("\n\n"));
    assert_eq!(m.roots.len(), 7);
    assert!(m.roots[1].follows_links() && m.roots[4].is_many());
    assert_eq!(m.roots[3].holding.len(), 2);
    assert!(matches!(&m.roots[5].shown, Some(Lit::Fact(f)) if f.value == "shown"));
    assert_eq!(m.facts.len(), 8);
    assert_eq!(m.facts[0].one_of.len(), 2);
    assert_eq!(m.facts[3].kind.value, FactType::Map);
    let default = |i: usize| m.facts[i].default.clone().expect("a default");
    assert!(default(1).args.is_empty() && default(1).entries.is_none());
    assert_eq!(default(2).args.len(), 3);
    assert_eq!(default(3).entries.expect("a map").len(), 3);
    assert_eq!(m.lets.len(), 1);
    assert_eq!(m.waivers.len(), 1);
    assert_eq!(
        m.tiers[1].deliver.as_ref().map(|d| d.value),
        Some(Deliver::User)
    );
    assert_eq!(
        m.tiers[0].changes.as_ref().map(|c| c.value),
        Some(Changes::Session)
    );
    assert_eq!(m.tiers[0].transforms.bom, Some(Marks::None));
    let scenario = &m.scenarios[0];
    assert_eq!(
        (
            scenario.sets.len(),
            scenario.roots[0].1.len(),
            scenario.env.len()
        ),
        (4, 2, 1)
    );
    assert_eq!(scenario.sets[1].1.entries.as_ref().map(Vec::len), Some(2));
}

#[test]
fn a_layer_of_everything() {
    let m = good(WHOLE);
    let layer = &m.tiers[0].layers[0];
    assert!(layer.required == Some(true) && layer.when.is_some() && layer.waivers.len() == 1);
    assert_eq!(layer.parts.len(), 1);
    assert!(
        matches!(&layer.template, Some(TemplateRef::Inline(l)) if &*l.text == "{{ header }}{{ content }}")
    );
    assert!(matches!(
        layer.budgets[0].limit,
        Limit::Documents {
            each: Some(_),
            total: Some(_),
            floor: Some(_),
            whole: false
        }
    ));
    assert_eq!(layer.budgets[0].unit, Unit::Bytes);
    let content = layer.content.as_ref().expect("content");
    assert_eq!(
        content.settings.invalid.as_ref().map(|i| i.value),
        Some(Invalid::Missing)
    );
    assert_eq!(content.transforms.trim, Some(false));
    let NodeKind::First(members) = &content.kind else {
        panic!("{content:?}")
    };
    assert_eq!(members.len(), 5);
    assert!(
        members[0]
            .kind
            .reading()
            .is_some_and(|r| r.kind.word == "file" && r.names.len() == 3)
    );
    let budget = &members[0].budgets[0];
    assert!(budget.marker_outside && budget.at == Boundary::Char);
    assert!(matches!(
        &budget.marker,
        Some(TemplateRef::File { root: Some(_), .. })
    ));
    assert!(
        matches!(&members[1].kind, NodeKind::Source(Source::Text(t)) if &*t.text == "One\n  Two more")
    );
    assert!(members[2].settings.search.is_some());
    assert!(matches!(
        &members[3].kind,
        NodeKind::Source(Source::Template(TemplateRef::File { .. }))
    ));
    assert!(
        members[4]
            .kind
            .reading()
            .is_some_and(|r| r.choice.hide.is_some() && r.choice.exclude[0].names.len() == 2)
    );
}

#[test]
fn every_mistake_is_reported() {
    let src = "promptc 1\nnmae x\nroot r defualt=\".\"\nfact f strng\ntier t chnages=day {\n layer l { txt \"a\" }\n layer l { text 4; text \"b\" }\n}\n";
    assert_eq!(
        bad(src),
        [
            ("unknown-node", "nmae"),
            ("unknown-property", "defualt"),
            ("unknown-value", "strng"),
            ("unknown-node", "txt"),
            ("wrong-type", "4"),
            ("several-contents", "text"),
            ("unknown-property", "chnages"),
            ("duplicate-name", "l"),
        ]
    );
}

#[test]
fn spans_are_those_of_the_value() {
    let src = "promptc 1\ntier t changes=  \"dya\" { layer a required = (x)#true { text \"x\" { budget 4 head=2 at=chr } } }\n";
    assert_eq!(
        bad(src),
        [
            ("unknown-value", "\"dya\""),
            ("unexpected-annotation", "x"),
            ("out-of-range", "2"),
            ("unknown-value", "chr"),
        ]
    );
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_fine() {
    good(&format!("\u{feff}{}", WHOLE.replace('\n', "\r\n")));
}

#[test]
fn no_prefix_panics() {
    for end in (0..WHOLE.len()).filter(|i| WHOLE.is_char_boundary(*i)) {
        let (_, diags, _) = run(&WHOLE[..end]);
        for d in diags.iter() {
            let place = d.span.expect("a place").range();
            assert!(WHOLE[..end].get(place).is_some(), "{end}: {d:?}");
        }
    }
}

#[test]
fn no_mutation_panics() {
    let mut seed = 3u64;
    let mut random = |n: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).expect("31 bits") % n
    };
    let words: Vec<&str> = WHOLE
        .split_inclusive([' ', '\n', '"', '=', '{', '}', ';'])
        .collect();
    let extra = [
        "{", "}", "\"", "#", "=", "/-", "/*", "*/", "(fact)", "(", "\\", "\u{0}", "é", "-1", "1.5",
        "#true", "\"\"\"\n",
    ];
    for _ in 0..2000 {
        let mut mutated = words.clone();
        for _ in 0..=random(3) {
            let at = random(mutated.len());
            match random(4) {
                0 => drop(mutated.remove(at)),
                1 => mutated.insert(at, extra[random(extra.len())]),
                2 => mutated.insert(at, words[random(words.len())]),
                _ => mutated[at] = words[random(words.len())],
            }
        }
        let src = mutated.concat();
        for d in run(&src).1.iter() {
            assert!(
                src.get(d.span.expect("a place").range()).is_some(),
                "{d:?}\n{src}"
            );
        }
    }
}

#[test]
fn deep_and_long_manifests_end() {
    let deep = format!(
        "promptc 1\ntier t {{ layer l {{ {} text \"x\" {} }} }}\n",
        "all {".repeat(198),
        "}".repeat(198)
    );
    good(&deep);
    for junk in [
        "}",
        "a{}",
        "= ",
        "a /-{ ",
        "/- a { b; ",
        "/*",
        "\"\"\"\n",
        "[",
        "( ",
        "a 1x;",
        "#\"",
        "* /",
        "/-",
    ] {
        let (result, _, _) = run(&format!("promptc 1\n{}", junk.repeat(100_000)));
        assert!(result.is_err(), "{junk}");
    }
    let banner = format!("promptc 1\n/{}/\n", "*".repeat(1_000_000));
    good(&banner);
}

#[test]
fn a_manifest_is_known_by_its_first_node() {
    for yes in [
        "promptc 1",
        "\u{FEFF}// a comment\n\n/* one /* in */ another */ promptc 1\n",
        "/- kdl-version 2\n\"promptc\" 1\ntier {{{",
        "promptc",
        "/- a {\n promptcx\n}\npromptc 1 \"open",
    ] {
        assert!(super::is_manifest(yes), "{yes}");
    }
    for no in [
        "",
        "promptcx 1",
        "// promptc 1",
        "node\npromptc 1",
        "/* promptc 1",
    ] {
        assert!(!super::is_manifest(no), "{no}");
    }
}
