//! Templates and expressions that would never end, or fill the memory: each is refused at its place.

use crate::run::{PROGRAM, Place, Ran, run};
use std::fmt::Write as _;
use std::process::Command;

const HEAD: &str = "promptc 1\nroot workspace default=\"ws\"\n";

/// The program with at most `mebibytes` of addresses and two minutes of a processor.
fn confined(place: &Place, args: &[&str], mebibytes: u64) -> Ran {
    let script = format!("ulimit -v {}; ulimit -t 120; exec \"$@\"", mebibytes * 1024);
    let mut command = Command::new("sh");
    command.args(["-c", &script, "sh", PROGRAM]).args(args);
    command.current_dir(place.path()).env_clear();
    command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    run(command, b"")
}

/// Builds templates, each of which is refused at its place.
fn each_is_refused(templates: &[&str]) {
    for template in templates {
        let place = Place::new();
        place.file(
            "promptc.kdl",
            format!("{HEAD}tier t {{ layer l {{ template file=\"t.j2\" }} }}\n"),
        );
        place.file("t.j2", template);
        let ran = confined(&place, &["build"], 2000).exits(2);
        assert!(
            ran.stderr.contains("error[template-limit]") && ran.stderr.contains("t.j2:1:"),
            "{template}: {}",
            ran.stderr
        );
    }
}

/// A loop over `body`, with `ns.x` that begins as `first`, and what comes after.
fn looped(first: &str, body: &str, after: &str) -> String {
    format!(
        "{{% set ns = namespace(x={first}) %}}{{% for i in range(50000) %}}{body}{{% endfor %}}{after}"
    )
}

fn each_loop_is_refused(loops: &[(&str, &str)]) {
    let templates: Vec<String> = loops
        .iter()
        .map(|(first, body)| looped(first, body, ""))
        .collect();
    let templates: Vec<&str> = templates.iter().map(String::as_str).collect();
    each_is_refused(&templates);
}

#[test]
fn text_does_not_double_without_end() {
    each_loop_is_refused(&[
        ("'ab'", "{% set ns.x = ns.x ~ ns.x %}"),
        ("'ab'", "{% set ns.x = ns.x + ns.x %}"),
        ("'ab'", "{% set ns.x = ns.x * 2 %}"),
        (
            "'ab'",
            "{% set x %}{{ ns.x }}{{ ns.x }}{% endset %}{% set ns.x = x %}",
        ),
        ("'ab'", "{% set ns.x = [ns.x, ns.x] | join %}"),
        ("'ab'", "{% set ns.x = ns.x | replace('a', ns.x) %}"),
        ("'ab'", "{% set ns.x = ns.x[:] ~ ns.x %}"),
        ("['ab']", "{% set ns.x = [ns.x ~ ns.x] %}"),
    ]);
    each_is_refused(&[
        "{% macro f(x) %}{{ x }}{{ x }}{% endmacro %}{% set ns = namespace(x='ab') %}{% for i in range(99) %}{% set ns.x = f(ns.x) %}{% endfor %}",
        "{% macro f() %}{{ caller() }}{{ caller() }}{% endmacro %}{% set ns = namespace(x='ab') %}{% for i in range(99) %}{% set x %}{% call f() %}{{ ns.x }}{% endcall %}{% endset %}{% set ns.x = x %}{% endfor %}",
    ]);
}

#[test]
fn text_of_a_template_is_not_captured_without_end() {
    let raw = "x".repeat(1 << 19);
    each_is_refused(&[&format!(
        "{{% set x %}}{{% for i in range(100000) %}}{raw}{{% endfor %}}{{% endset %}}"
    )]);
}

#[test]
fn lists_and_maps_do_not_double_without_end() {
    each_loop_is_refused(&[
        ("1", "{% set ns.x = [ns.x, ns.x] %}"),
        ("1", "{% set ns.x = (ns.x, ns.x) %}"),
        ("1", "{% set ns.x = ns.x, ns.x %}"),
        ("1", "{% set ns.x = {'a': ns.x, 'b': ns.x} %}"),
        ("1", "{% set ns.x = dict(a=ns.x, b=ns.x) %}"),
        ("[1]", "{% set ns.x = ns.x + ns.x %}{% set y = [ns.x] %}"),
        ("[1]", "{% set ns.x = (ns.x | chain(ns.x)) %}"),
        ("[1]", "{% set ns.x = [ns.x] * 2 %}"),
        ("[1]", "{% set ns.x = ns.x * 2 %}"),
        ("[1]", "{% set ns.x = ns.x | zip(ns.x) | list %}"),
        ("[[1]]", "{% set ns.x = [ns.x | sum(start=[]), ns.x] %}"),
    ]);
}

/// The engine adds lists by views of both, and copies them all once the views are thirty-two deep.
#[test]
fn sums_of_lists_do_not_double_without_end() {
    each_loop_is_refused(&[
        ("[1]", "{% set ns.x = ns.x + ns.x %}"),
        ("[1]", "{% set ns.x = (ns.x + ns.x)[0:] + ns.x %}"),
        ("[1]", "{% set ns.x = ns.x + (ns.x if i else []) %}"),
        ("[1]", "{% set ns.x = none | default(ns.x + ns.x, true) %}"),
        ("(1,)", "{% set ns.x = ns.x + ns.x %}"),
        ("'a' | list", "{% set ns.x = [] + ns.x + ns.x + [i] %}"),
        ("[1]", "{% set y = ns.x + ns.x %}{% set ns.x = y %}"),
        (
            "[1]",
            "{% with y = ns.x + ns.x %}{% set ns.x = y + y %}{% endwith %}",
        ),
        ("[[1] * 1000]", "{% set ns.x = ns.x + ns.x %}"),
    ]);
    let steps = "{% set a = a + a %}".repeat(60);
    let terms = vec!["a"; 400].join(" + ");
    let pairs = (0..30).fold("a".to_owned(), |sum, _| format!("({sum}) + a"));
    each_is_refused(&[
        &format!("{{% set a = [1] %}}{steps}"),
        &format!("{{% set a = range(100000) | list %}}{{% set b = {terms} %}}"),
        &format!("{{% set a = [1] * 900000 %}}{{% if {terms} %}}{{% endif %}}"),
        &format!("{{% set a = [1] * 900000 %}}{{% for b in {pairs} %}}{{% break %}}{{% endfor %}}"),
        "{% macro f(a) %}{{ f(a + a + a + a) }}{% endmacro %}{{ f([1] * 1000) }}",
        "{% for a in [[1]] recursive %}{{ loop([a + a + a + a]) }}{% endfor %}",
        "{% macro f() %}{{ caller([1] * 900000 + [1] * 900000) }}{% endmacro %}{% call(a) f() %}{{ a | length }}{% endcall %}",
    ]);
}

/// To append is no doubling: what could be written before can be written.
#[test]
fn lists_grow_by_one_at_a_time() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        format!("{HEAD}tier t {{ layer l {{ template file=\"t.j2\" }} }}\n"),
    );
    let body = "{% if i < 20000 %}{% set ns.x = ns.x + [[i, 'a']] %}{% endif %}";
    place.file("t.j2", looped("[]", body, "{{ ns.x | length }}"));
    let ran = confined(&place, &["build"], 2000).exits(0);
    assert_eq!(ran.stdout(), "20000");
}

/// The engine writes a list as a text where one is expected, and counts its bytes then.
#[test]
fn lists_are_not_written_without_end() {
    const LISTS: &str = "{% set a = [range(1000) | list] * 900 %}{% set ns = namespace(x=a) %}{% for i in range(10) %}{% set ns.x = ns.x + ns.x %}{% endfor %}";
    let templates: Vec<String> = [
        "{% set b = ns.x ~ '' %}",
        "{% set b = 'a' ~ ns.x ~ 'b' %}",
        "{% set b = 'a' ~ (ns.x + a) %}",
        "{% set b = (a * 100000) ~ 'a' %}",
        "{% set b = ns.x[1:] ~ 'a' %}",
        "{% set b = (ns.x | default(1)) ~ 'a' %}",
        "{% set b = 'a' ~ (ns.x if a else a) %}",
        "{% set b = a * 500 ~ 'a' %}",
        "{% set b = 'a' | replace(ns.x, 'b') %}",
        "{% set b = 'a' | replace('a', ns.x) %}",
        "{% set b = 'a' | trim(ns.x) %}",
    ]
    .iter()
    .map(|walk| format!("{LISTS}{walk}"))
    .collect();
    let templates: Vec<&str> = templates.iter().map(String::as_str).collect();
    each_is_refused(&templates);
}

/// A text of many characters is a list of as many values.
#[test]
fn characters_are_not_listed_without_end() {
    let templates: Vec<String> = ["split('')", "groupby('a')", "list", "batch(2)", "sort"]
        .iter()
        .map(|filter| format!("{{% set a = 'x' * 90000000 %}}{{{{ a | {filter} | length }}}}"))
        .collect();
    let templates: Vec<&str> = templates.iter().map(String::as_str).collect();
    each_is_refused(&templates);
}

/// The checks have names, to which no program gives a value.
#[test]
fn no_program_takes_the_name_of_a_check() {
    for name in ["__summed", "__joined"] {
        for template in [
            format!("{{% set {name} = 1 %}}"),
            format!("{{% macro f({name}) %}}{{% endmacro %}}"),
            format!("{{% for {name} in [1] %}}{{% endfor %}}"),
            format!("{{{{ {name} }}}}"),
        ] {
            let place = Place::new();
            place.file(
                "promptc.kdl",
                format!("{HEAD}tier t {{ layer l {{ template file=\"t.j2\" }} }}\n"),
            );
            place.file("t.j2", &template);
            let ran = confined(&place, &["build"], 2000).exits(2);
            ran.says("error[template-syntax]");
        }
    }
    let place = Place::new();
    let names = "fact __summed string default=a\nfact __joined string default=b\n";
    let layer = "tier t { layer l { template \"{{ ('a' ~ x) + x }}\" } }\n";
    place.file(
        "promptc.kdl",
        format!("promptc 1\nfact x string default=c\n{names}{layer}"),
    );
    assert_eq!(confined(&place, &["build"], 2000).exits(0).stdout(), "acc");
}

#[test]
fn lists_and_maps_do_not_nest_without_end() {
    each_loop_is_refused(&[
        ("1", "{% set ns.x = [ns.x] %}"),
        ("1", "{% set ns.x = (ns.x,) %}"),
        ("1", "{% set ns.x = {'a': ns.x} %}"),
        ("1", "{% set ns.x = dict(a=ns.x) %}"),
        ("[1]", "{% set ns.x = ns.x | batch(1) %}"),
        ("[1]", "{% set ns.x = ns.x | slice(1) | list %}"),
        ("[1]", "{% set ns.x = ns.x | zip | list %}"),
        ("1", "{% set ns.x = {'a': ns.x} | items | list %}"),
        ("1", "{% set ns.x = namespace(x=ns.x) %}"),
        ("1", "{% set new = namespace(x=1) %}{% set ns.x = new %}"),
        ("1", "{% set ns.x = ns %}"),
        ("1", "{% set ns.x = [ns] %}"),
        ("1", "{% set ns.x = loop %}"),
    ]);
}

/// The block form of `set` gives what its filters give.
#[test]
fn no_filter_of_a_block_puts_a_namespace_into_itself() {
    each_loop_is_refused(&[("1", "{% set ns.x | default(ns, true) %}{% endset %}")]);
    each_loop_is_refused(&[("1", "{% set ns.x | trim | d(ns, true) -%} {% endset %}")]);
    each_loop_is_refused(&[("1", "{% set ns.x | default(loop, true) %}{% endset %}")]);
}

/// Views of views are lists again as soon as they are kept, so they neither nest nor end.
#[test]
fn views_of_lists_do_not_nest() {
    for body in [
        "{% set ns.x = ns.x[0:] %}",
        "{% set ns.x = ns.x * 1 %}",
        "{% set ns.x = (ns.x + [])[0:] %}",
        "{% set ns.x = [ns.x[0][0:]] %}",
        "{% set ns.x = ns.x | reverse %}",
        "{% set ns.x = ns.x | chain([]) %}",
        "{% set ns.x = ns.x[0:] | chain([]) | list %}",
        "{% set ns.x = (ns.x if i else ns.x)[0:] %}",
        "{% set x = ns.x[0:] %}{% set ns.x = x %}",
        "{% with x = ns.x[0:] %}{% set ns.x = x %}{% endwith %}",
    ] {
        let place = Place::new();
        place.file(
            "promptc.kdl",
            format!("{HEAD}tier t {{ layer l {{ template file=\"t.j2\" }} }}\n"),
        );
        place.file("t.j2", looped("[[1]]", body, "{{ ns.x | json }}"));
        let ran = confined(&place, &["build"], 2000).exits(0);
        assert_eq!(ran.stdout(), "[[1]]", "{body}");
    }
}

/// Two lists of four hundred lists of a thousand are compared once and again.
#[test]
fn walked_values_are_charged() {
    const LISTS: &str = "{% set a = [(range(1000) | list)] * 400 %}{% set b = [(range(1000) | list)] * 400 %}{% for i in range(100000) %}";
    let walks = [
        "{% if a == b %}{% endif %}",
        "{% if a != b %}{% endif %}",
        "{% if a < b %}{% endif %}",
        "{% if 1 and (a) >= (b) %}{% endif %}",
        "{% if a == b == a %}{% endif %}",
        "{% if b[0] in a[1:] and b in [a] %}{% endif %}",
        "{% if b not in (a, a) %}{% endif %}",
        "{% if a is eq(b) %}{% endif %}",
        "{% if a is in([b]) %}{% endif %}",
        "{{ [a, b] | unique | length }}",
        "{{ [a, b] | sort | length }}",
        "{{ [a, b] | max | length }}",
        "{{ [a] | select('eq', b) | length }}",
        "{% if ({1: 2})[a] is defined %}{% endif %}",
        "{% if loop.changed(b if i is odd else a) %}{% endif %}",
        "{{ (a ~ b) | length }}",
        "{{ a | json | length }}",
        "{{ a | string | length }}",
        "{{ a | map('length') | list | length }}",
        "{{ a | list | length }}",
        "{{ a | batch(2) | length }}",
        "{{ a | last | length }}{{ a[399] | length }}",
        "{{ 1 if a is containing_any(b) else 2 }}",
    ];
    let templates: Vec<String> = walks
        .iter()
        .map(|walk| format!("{LISTS}{walk}{{% endfor %}}"))
        .collect();
    let templates: Vec<&str> = templates.iter().map(String::as_str).collect();
    each_is_refused(&templates);
}

#[test]
fn long_texts_that_are_compared_are_paid_for() {
    let templates: Vec<String> = [
        "{% if a == b %}{% endif %}",
        "{% if a is eq(b) %}{% endif %}",
        "{% if 'y' in a %}{% endif %}",
        "{% if a in [b] %}{% endif %}",
        "{% if a is lower %}{% endif %}",
        "{% if a is startingwith(b) %}{% endif %}",
        "{{ ({b: 2})[a] }}",
        "{{ a | length }}{{ a | upper | length }}",
        "{{ a[-1] }}",
        "{{ (a ~ '')[8000000] }}",
        "{{ a[-5:-3] }}",
        "{{ a | trim(b) }}",
    ]
    .iter()
    .map(|walk| {
        format!(
            "{{% set a = 'x' * 9000000 %}}{{% set b = 'x' * 9000000 %}}{{% for i in range(100000) %}}{walk}{{% endfor %}}"
        )
    })
    .collect();
    let templates: Vec<&str> = templates.iter().map(String::as_str).collect();
    each_is_refused(&templates);
}

#[test]
fn lets_of_pairs_end() {
    for pair in [
        "[{0}, {0}]",
        "{{'a': {0}, 'b': {0}}}",
        "dict(a={0}, b={0})",
        "({0}, {0})",
    ] {
        let mut manifest = format!("{HEAD}let l0 \"1\"\n");
        for n in 1..60 {
            let pair = pair.replace("{{", "{").replace("}}", "}");
            let pair = pair.replace("{0}", &format!("l{}", n - 1));
            writeln!(manifest, "let l{n} \"{pair}\"").unwrap();
        }
        manifest += "tier t { layer l when=\"l59 == l58\" { text \"x\" } }\n";
        let place = Place::new();
        place.file("promptc.kdl", manifest);
        let ran = confined(&place, &["build"], 2000).exits(2);
        assert!(
            ran.stderr.contains("error[template-limit]") && ran.stderr.contains("promptc.kdl:"),
            "{pair}: {}",
            ran.stderr
        );
        confined(&place, &["check"], 2000).exits(0);
    }
}

/// Each layer lists all names that its let reads, and a build lists them once.
#[test]
fn a_chain_of_lets_is_listed_once() {
    let mut lets = String::from("fact f string default=x\nlet l0 \"f\"\n");
    let mut layers = String::new();
    for i in 1..5500 {
        let before = i - 1;
        writeln!(lets, "let l{i} \"l{before}\"").unwrap();
        writeln!(layers, "layer a{i} when=\"l{i}\" {{ text x }}").unwrap();
    }
    let place = Place::new();
    place.file(
        "promptc.kdl",
        format!("{HEAD}{lets}tier t {{\n{layers}}}\n"),
    );
    confined(&place, &["build"], 1000).exits(0);
}

/// Each would take gigabytes or minutes if all ways of a value were kept, or all names were copied for each branch.
#[test]
fn ways_and_branches_are_bounded() {
    let many = |step: fn(usize) -> String| (0..4000).map(step).collect::<String>();
    let steps = many(|_| "{% set y = y | upper %}{{ y }}".to_owned());
    let ways = many(|i| {
        format!("{{% set y = (y ~ x) | upper %}}{{% if y == 'k{i}' %}}{{{{ y }}}}{{% endif %}}")
    });
    let names = many(|i| format!("{{% set a{i} = x %}}"));
    let branches = many(|i| format!("{{% if x %}}{{% set a{i} = x ~ a{i} %}}{{% endif %}}"));
    let list = vec!["x"; 1000].join(",") + "]" + &"|list".repeat(60);
    let lists = (0..100).map(|i| format!("{{% set b{i} = [{list} %}}"));
    for template in [steps, ways, names + &branches, lists.collect()] {
        let place = Place::new();
        place.file(
            "promptc.kdl",
            "promptc 1\nfact x string default=\"a\"\ntier t { layer l { template file=\"t.j2\" } }\n",
        );
        place.file("t.j2", format!("{{% set y = x %}}{template}"));
        confined(&place, &["check"], 500).exits(0);
    }
}

#[test]
fn steps_through_lets_are_bounded() {
    let mut manifest = String::from("promptc 1\nfact x string default=\"a\"\nlet v0 x\n");
    for i in 1..4000 {
        writeln!(manifest, "let v{i} \"v{} | upper\"", i - 1).unwrap();
    }
    manifest += "tier t { layer l { template \"{{ v3999 }}\" } }\n";
    let place = Place::new();
    place.file("promptc.kdl", manifest);
    confined(&place, &["check"], 500).exits(0);
}
