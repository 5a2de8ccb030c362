//! Input that means harm: it is refused or harmless, soon and in bounded memory. `docs/threat-model.md` names these tests.

use crate::run::{Place, Ran, run};
use promptc::compile::{GivenInputs, compile};
use promptc::diagnostic::Diagnostics;
use promptc::diagnostic::span::Files;
use promptc::manifest;
use promptc::world::MapWorld;
use std::fs;
use std::process::Command;

const HEAD: &str = "promptc 1\nroot workspace default=\"ws\"\n";

/// How many levels of anything are too many.
const DEEP: usize = 50_000;

fn place(content: &str, files: &[(&str, &str)]) -> Place {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        format!("{HEAD}tier t {{ layer l {{ {content} }} }}\n"),
    );
    for (path, text) in files {
        place.file(path, text);
    }
    place
}

/// A build that is refused with this code, and ends by itself: a signal would be no exit code.
fn refused(place: &Place, code: &str) {
    let ran = place.run(&["build"]).exits(2);
    ran.says(&format!("error[{code}]"));
    assert!(ran.stdout.is_empty());
}

#[test]
fn nesting_of_any_kind_does_not_crash() {
    let pairs = |open: &str, close: &str| {
        // A program has at most 1 MiB.
        let levels = DEEP.min(1_000_000 / (open.len() + close.len()));
        open.repeat(levels) + "1" + &close.repeat(levels)
    };
    for template in [
        format!("{{{{ {} }}}}", pairs("(", ")")),
        format!("{{{{ {} }}}}", pairs("[", "]")),
        format!("{{{{ {}1 }}}}", "-".repeat(DEEP)),
        format!("{{{{ 1 if {}1 }}}}", "not ".repeat(DEEP)),
        format!("{{{{ 'a'{} }}}}", "|upper".repeat(DEEP)),
        format!("{{{{ 1{} }}}}", "~1".repeat(DEEP)),
        format!("{{% if 1 %}}{}", pairs("{% if 1 %}", "{% endif %}")),
    ] {
        refused(
            &place("template file=\"t.j2\"", &[("t.j2", &template)]),
            "template-syntax",
        );
    }
    let brackets = pairs("[", "]");
    let json = place("json \"a.json\"", &[("ws/a.json", &brackets)]);
    refused(&json, "json-syntax");
    for yaml11 in ["", " yaml=\"1.1\""] {
        for yaml in [format!("a: {brackets}"), "- ".repeat(DEEP) + "x"] {
            let front = format!("---\n{yaml}\n---\nx");
            let source = format!("file \"a.md\" {{ frontmatter parse{yaml11} }}");
            refused(
                &place(&source, &[("ws/a.md", &front)]),
                "frontmatter-syntax",
            );
        }
    }
    let pattern = pairs("(", ")");
    let scan = Place::new();
    let manifest = format!(
        "{HEAD}scan s {{ rule r \"{pattern}\" }}\ntier t {{ layer l {{ file \"a.md\" {{ scan s }} }} }}\n"
    );
    scan.file("promptc.kdl", manifest);
    refused(&scan, "pattern-syntax");
    // Markdown has no end of nesting that is an error.
    for text in ["> ".repeat(DEEP), "* ".repeat(DEEP), "[".repeat(DEEP)] {
        let text = text + "<!-- x -->";
        let place = place("file \"a.md\" { comments strip }", &[("ws/a.md", &text)]);
        place.run(&["build"]).exits(0);
    }
}

#[test]
fn facts_that_nest_deeply_are_refused() {
    let brackets = "[".repeat(DEEP) + &"]".repeat(DEEP);
    let place = Place::new();
    let manifest = "promptc 1\nfact l list\ntier t { layer a { text x } }\n";
    place.file("promptc.kdl", manifest);
    place.file("f.json", format!("{{\"l\":{brackets}}}"));
    let ran = place.run(&["build", "--facts", "f.json"]).exits(2);
    ran.says("facts-not-json");
    let ran = place
        .run(&["build", "--set", &format!("l={brackets}")])
        .exits(2);
    ran.says("wrong-fact-type");
}

#[test]
fn aliases_do_not_multiply() {
    let mut yaml = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned();
    for n in 1..10 {
        let nine = vec![format!("*a{}", n - 1); 9].join(",");
        yaml += &format!("a{n}: &a{n} [{nine}]\n");
    }
    for yaml11 in ["", " yaml=\"1.1\""] {
        let source = format!("file \"a.md\" {{ frontmatter parse{yaml11} }}");
        let front = format!("---\n{yaml}---\nx");
        refused(
            &place(&source, &[("ws/a.md", &front)]),
            "frontmatter-syntax",
        );
    }
}

/// One step of a filter makes a text of any length, and steps are what the engine counts.
#[test]
fn no_filter_makes_more_than_may_be_printed() {
    for template in [
        "{% set x = 'a' * 1000 %}{{ x | replace('a', x) | replace('a', x) | replace('a', x) }}",
        "{% set x = 'a' * 1000000 %}{{ range(20000) | join(x) }}",
        "{{ (['a' * 1000000] * 100000) | join }}",
        "{{ (['a' * 1000000] * 100000) | json }}",
        "{{ (['a' * 1000000] * 100000) | bullet }}",
        "{{ (['a' * 1000000] * 100000) | sum(start='') }}",
        "{{ ('\n' * 1000000) | indent(10000) }}",
        "{{ ('\n' * 1000000) | indent(width=10000, blank=true) }}",
    ] {
        let place = place("template file=\"t.j2\"", &[("t.j2", template)]);
        let ran = place.run(&["build"]).exits(2);
        assert!(
            ran.stderr.contains("error[template-limit]"),
            "{template}: {}",
            ran.stderr
        );
    }
}

#[test]
fn lets_do_not_double_without_end() {
    let mut manifest = "promptc 1\nlet l0 \"'ab'\"\n".to_owned();
    for n in 1..60 {
        let before = n - 1;
        manifest += &format!("let l{n} \"l{before} ~ l{before}\"\n");
    }
    let place = Place::new();
    place.file(
        "promptc.kdl",
        manifest + "tier t { layer l { template \"{{ l59 }}\" } }\n",
    );
    refused(&place, "template-limit");
}

#[test]
fn patterns_take_linear_time() {
    let rules = "rule a \"(a+)+$\"; rule b \"(a|aa)*b\"; rule c \"(.*)*x\"; rule d \"(x+x+)+y\"";
    let manifest = format!(
        "{HEAD}scan s {{ {rules} }}\ntier t {{ layer l {{ file \"a.md\" {{ scan s on-hit=warn }} }} }}\n"
    );
    let place = Place::new();
    place.file("promptc.kdl", manifest);
    place.file("ws/a.md", "a".repeat(500_000) + "!");
    place.run(&["build"]).exits(0);
    // And one that is too large when it is written out is refused before it is made.
    let big = format!("{HEAD}scan s {{ rule r \"(((a{{100}}){{100}}){{100}}){{100}}\" }}\n");
    place.file("promptc.kdl", big);
    refused(&place, "pattern-syntax");
}

#[test]
fn manifests_that_lead_to_each_other_end() {
    let place = Place::new();
    for (one, other, code) in [
        ("extends \"promptc.kdl\"", "", "manifest-cycle"),
        ("include \"promptc.kdl\"", "", "manifest-cycle"),
        (
            "extends \"b.kdl\"",
            "extends \"promptc.kdl\"",
            "manifest-cycle",
        ),
        (
            "include \"b.kdl\"",
            "include \"promptc.kdl\"",
            "manifest-cycle",
        ),
    ] {
        place.file("promptc.kdl", format!("promptc 1\n{one}\n"));
        place.file("b.kdl", format!("promptc 1\n{other}\n"));
        refused(&place, code);
    }
    place.file("promptc.kdl", "promptc 1\nextends \"c0.kdl\"\n");
    for n in 0..40 {
        let next = n + 1;
        place.file(
            &format!("c{n}.kdl"),
            format!("promptc 1\nextends \"c{next}.kdl\"\n"),
        );
    }
    refused(&place, "too-many-bases");
}

/// A sequence that would set the title, colour the text and clear the screen, in both ways to begin one.
const ESCAPES: &str = "\u{1b}]0;title\u{7}\u{1b}[31m\u{9b}2J";

/// A character that changes the direction of the text after it.
const TURN: char = '\u{202e}';

/// Neither stream of a run holds a character that controls a terminal.
fn is_calm(what: &str, ran: &Ran) {
    for text in [ran.stdout(), &ran.stderr] {
        let bad = text
            .chars()
            .find(|c| c.is_control() && !matches!(c, '\n' | '\t'));
        assert!(bad.is_none(), "{what}: {bad:?} in {text}");
    }
}

#[test]
fn nothing_from_outside_controls_the_terminal() {
    let manifest = format!("{HEAD}tier t {{ layer \"l{ESCAPES}\" {{ text \"{ESCAPES}\" }} }}\n");
    let raw = Place::new();
    raw.file("promptc.kdl", manifest);
    let template = format!("{{{{ nope \"{ESCAPES}\" }}}}");
    let template = place("template file=\"t.j2\"", &[("t.j2", &template)]);
    for place in [raw, template] {
        for command in ["build", "check", "explain", "fmt"] {
            let ran = run(
                place.command(&[command, if command == "fmt" { "--check" } else { "-q" }]),
                b"",
            );
            is_calm(command, &ran);
        }
    }
    let lock = place(
        "text x",
        &[(
            "promptc.lock",
            "{\"promptc-lock\":1,\"manifest\":\"\\u001b[31m\\u009b2J.kdl\"}\n",
        )],
    );
    is_calm("lock", &lock.run(&["test"]).exits(2));
    let text = place("text x", &[]);
    for args in [
        vec!["build", "-m", ESCAPES],
        vec!["build", "--set", ESCAPES],
        vec!["explain", ESCAPES],
        vec!["session", "show", ESCAPES],
        vec![ESCAPES],
    ] {
        is_calm(args[0], &text.run(&args));
    }
}

#[test]
fn a_document_does_not_control_the_terminal_of_its_reader() {
    let old = format!("one{ESCAPES}\ntwo\n");
    let place = place("file \"a.md\"", &[("ws/a.md", &old)]);
    place
        .run(&["build", "--format", "json", "-o", "a.json"])
        .exits(0);
    place.run(&["test", "--accept"]).exits(0);
    place.file("ws/a.md", format!("one{ESCAPES}\nthree{ESCAPES}\n"));
    for args in [
        vec!["diff", "a.json"],
        vec!["diff", "a.json", "--format", "markdown"],
        vec!["diff", "a.json", "--format", "github"],
        vec!["diff"],
        vec!["test"],
        vec!["explain", "-v"],
        vec!["blame", "1:1"],
        vec!["scan", "ws/a.md"],
    ] {
        is_calm(&args.join(" "), &place.run(&args));
    }
}

#[cfg(unix)]
#[test]
fn a_name_with_controls_is_an_error_and_shown_escaped() {
    let place = place("glob \"*.md\"", &[]);
    place.file(&format!("ws/a\n{ESCAPES}.md"), "x");
    let ran = place.run(&["build"]).exits(2);
    ran.says("error[bad-file-name]");
    is_calm("build", &ran);
}

#[cfg(unix)]
#[test]
fn the_name_of_a_file_controls_no_terminal() {
    let name = format!("{ESCAPES}{TURN}\nX.kdl");
    let place = place("text x", &[]);
    place.file(&name, "promptc 1\ntier t { layer l { txt \"x\" } }\n");
    place.file("e\u{1b}[31m.md", "a\u{200b}b\n");
    for args in [
        vec!["build", "-m", &name],
        vec!["check", "-m", &name],
        vec!["explain", "-m", &name],
        vec!["scan", &name, "e\u{1b}[31m.md"],
    ] {
        let ran = place.run(&args);
        is_calm(args[0], &ran);
        assert!(!format!("{}{}", ran.stdout(), ran.stderr).contains(TURN));
    }
}

#[cfg(unix)]
#[test]
fn explanations_do_not_change_the_direction_of_a_line() {
    let texts = r#"first { file "a\u{202e}.md"; file "b\u{202e}.md" }"#;
    let explained = place(texts, &[("ws/a\u{202e}.md", "x"), ("ws/b\u{202e}.md", "y")]);
    let ran = explained.run(&["explain", "-v"]).exits(0);
    assert!(!ran.stdout().contains(TURN), "{}", ran.stdout());
    ran.shows("a\\u{202e}.md");
    let skill = "---\nname: fix\ndescription: \"a\\u202e\\e[31m\"\n---\nbody\n";
    let shown = place("skills \"s\"", &[("ws/s/fix/SKILL.md", skill)]);
    let ran = shown.run(&["agent", "skills", "show", "fix"]).exits(0);
    is_calm("agent skills show", &ran);
    assert!(!ran.stdout().contains(TURN), "{}", ran.stdout());
}

#[cfg(target_os = "linux")]
#[test]
fn devices_without_end_are_not_read_to_their_end() {
    let place = place("text x", &[]);
    for args in [
        vec!["build", "--facts", "/dev/zero"],
        vec!["build", "--batch", "/dev/zero", "-o", "out.jsonl"],
        vec!["build", "-m", "/dev/zero"],
        vec!["diff", "/dev/zero"],
        vec!["session", "import", "/dev/zero"],
        vec!["init", "new", "--from", "/dev/zero"],
        vec!["scan", "/dev/zero"],
        vec!["providers", "import", "/dev/zero"],
        vec!["emit", "chat", "--model", "m", "--messages", "/dev/zero"],
    ] {
        let ran = place.run(&args);
        assert!(matches!(ran.code, 2 | 3), "{args:?}: {}", ran.stderr);
    }
}

/// The memory of a process with many builds: `PROMPTC_BUILDS` sets how many, 10,000 in `.ci/full`.
#[cfg(target_os = "linux")]
#[test]
fn many_builds_in_one_process_do_not_grow() {
    if std::env::var_os(CHILD).is_some() {
        return;
    }
    let module = module_path!().split_once("::").unwrap().1;
    let child = format!("{module}::builds_and_measures");
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", &child, "--nocapture"])
        .env(CHILD, "1");
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{told}");
    let size = |name: &str| -> u64 {
        let at = told
            .find(name)
            .unwrap_or_else(|| panic!("no {name} in {told}"));
        let number = told[at + name.len()..].split_whitespace().next().unwrap();
        number.parse().unwrap()
    };
    let (early, late) = (size("early="), size("late="));
    println!("{early} KiB after a tenth of the builds, {late} KiB at the end");
    assert!(
        late < early + 2_048,
        "{early} KiB, and {late} KiB after ten times as many builds"
    );
}

/// Says to a test process that it is the one that builds.
#[cfg(target_os = "linux")]
const CHILD: &str = "PROMPTC_BUILDS_CHILD";

/// The builds of the test above, which starts this in a process of its own; otherwise nothing.
#[cfg(target_os = "linux")]
#[test]
fn builds_and_measures() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let asked = std::env::var("PROMPTC_BUILDS")
        .ok()
        .and_then(|n| n.parse().ok());
    let builds: usize = asked.unwrap_or(1_000);
    for n in 1..=builds {
        build_once(n);
        if n == builds / 10 {
            println!("early={} ", resident());
        }
    }
    println!("late={} ", resident());
}

/// A build without a cache, of a manifest with all features, whose documents differ from build to build.
#[cfg(target_os = "linux")]
fn build_once(n: usize) {
    let manifest = "promptc 1\nroot workspace default=\".\"\nfact n int\n\
        scan s { invisible-unicode; rule r \"(?i)evil\" }\n\
        tier t { layer a { file \"a.md\" { frontmatter parse; scan s; budget 200 head=0.7 tail=0.2 } }\n\
        layer b { glob \"*.md\"; template \"{% for d in documents %}{{ d.name }}: {{ d.chars }} {% endfor %}{{ n }}\" } }\n";
    let text = format!(
        "---\nk: {n}\n---\n{}",
        "A line of text.\n".repeat(n % 40 + 1)
    );
    let world = MapWorld::new()
        .file("/base/promptc.kdl", manifest)
        .file("/base/a.md", text);
    let given = GivenInputs {
        sets: vec![("n".to_owned(), n.to_string())],
        ..GivenInputs::default()
    };
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let manifest =
        manifest::open(&world, Some("/base/promptc.kdl"), &mut files, &mut diags).unwrap();
    let prompt = compile(&manifest, &given, &world, &mut files, &mut diags).unwrap();
    assert_eq!(prompt.channels[0].layers.len(), 2);
}

/// The memory that this process has in use, in KiB.
#[cfg(target_os = "linux")]
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"));
    line.unwrap()
        .split_whitespace()
        .next()
        .unwrap()
        .parse()
        .unwrap()
}
