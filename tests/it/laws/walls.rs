//! Law 9: roots are walls.
#![cfg(unix)]

use super::build;
use super::config;
use super::model::quoted;
use crate::run::Place;
use promptc::compile::GivenInputs;
use promptc::prompt::{Ingredient, Prompt};
use promptc::world::DiskWorld;
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use proptest::sample::select;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

/// The text of files that no source may reach by a name.
const SECRET: &str = "S3CRET";
/// The text of files that only links lead to.
const LINKED: &str = "L1NKED";

/// The entry at a name inside the root.
#[derive(Debug, Clone, Copy)]
enum Thing {
    File,
    LinkTo(&'static str),
    Fifo,
    Folder,
}

const PLACES: &[&str] = &[
    "a.md",
    "b.md",
    "sub",
    "sub/c.md",
    "d.md",
    "deep/x/y.md",
    "l",
];

/// Targets of links, from the folder of the link or absolute (`@` is the folder above the root).
const TARGETS: &[&str] = &[
    "@/linked/l.md",
    "@/linked",
    "../linked/l.md",
    "a.md",
    "b.md",
    "l",
    ".",
    "..",
    "sub",
    "nowhere",
    "@/root/a.md",
    "@",
    "/dev/zero",
    "/proc/self/environ",
    "../../linked",
];

/// Names that a source may try.
const NAMES: &[&str] = &[
    "a.md",
    "b.md",
    "sub/c.md",
    "d.md",
    "l/l.md",
    "l",
    "sub",
    "l/linked/l.md",
    "sub/../../secret/s.md",
    "../secret/s.md",
    "@/secret/s.md",
    "./../secret/s.md",
    "..",
    "/",
    "",
    ".",
    "a.md/../../secret/s.md",
    "..\\secret\\s.md",
    "C:\\s.md",
    "//secret/s.md",
    "sub//c.md",
    "\u{0}",
    "deep/x/y.md",
    "l/../secret/s.md",
    "%2e%2e/secret/s.md",
    "~/s.md",
];

const PATTERNS: &[&str] = &[
    "*.md",
    "**",
    "**/*.md",
    "l/*",
    "sub/**",
    "../**",
    "../secret/*",
    "@/secret/*",
    "l/**/l.md",
    "{..,l}/secret/*",
    "*/../*",
    "[.][.]/*",
    "?./secret/*",
];

fn thing() -> impl Strategy<Value = Thing> {
    prop_oneof![
        3 => Just(Thing::File),
        5 => select(TARGETS).prop_map(Thing::LinkTo),
        1 => Just(Thing::Fifo),
        2 => Just(Thing::Folder),
    ]
}

proptest! {
    #![proptest_config(config(96))]

    #[test]
    fn roots_are_walls(
        things in vec((select(PLACES), thing()), 0..7),
        name in select(NAMES),
        given_name in select(NAMES),
        pattern in select(PATTERNS),
        given_pattern in select(PATTERNS),
        follow in any::<bool>(),
        climb in any::<bool>(),
    ) {
        let place = Place::new();
        lay_out(&place, &things);
        let absolute = |text: &str| text.replace('@', place.path().to_str().unwrap());
        let mut source = String::new();
        // Each alone, so that one error does not keep the others from being tried.
        let climbs = if climb { " search=up from=start" } else { "" };
        let imports = format!("@{}\n@sub/{0}\nx @{}", absolute(name), absolute(given_name));
        place.file("root/imports.md", imports);
        for line in [
            format!("file {}{climbs}", quoted(&absolute(name))),
            format!("glob {}{climbs}", quoted(&absolute(pattern))),
            format!("file (fact)name{climbs}"),
            format!("glob (fact)pattern{climbs} {{ exclude \"skipped\" }}"),
            format!("json {}", quoted(&absolute(name))),
            "file \"{name}\" \"sub/{name}.md\"".to_owned(),
            format!("file {} search=every-level from=start", quoted(&absolute(name))),
            "file \"imports.md\" { imports at depth=3 missing=drop }".to_owned(),
            format!("template \"{{{{ exists({}) }}}}x\"", jinja(&absolute(name))),
            format!("template file={} root=plain", quoted(&absolute(name))),
            format!("template \"{{% include {} %}}\"", jinja(&absolute(name))),
        ] {
            source.clear();
            let links = if follow { " links=follow" } else { "" };
            _ = write!(
                source,
                "promptc 1\nroot workspace default=\"../root\"{links}\nroot plain default=\"../root\"{links}\n\
                 root start default=\"../root/deep\"\nfact name string\nfact pattern string\n\
                 tier t {{\nlayer a {{\nall {{\n{line}\ntext \"end\"\n}}\n}}\n}}\n"
            );
            place.file("agent/promptc.kdl", &source);
            let given = GivenInputs {
                sets: vec![("name".into(), absolute(given_name)), ("pattern".into(), absolute(given_pattern))],
                ..GivenInputs::default()
            };
            check(build(&DiskWorld, &place.path().join("agent/promptc.kdl"), &given), follow, &line);
        }
    }
}

fn jinja(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\u{0}', ""))
}

fn lay_out(place: &Place, things: &[(&str, Thing)]) {
    place.file("secret/s.md", SECRET);
    place.file("linked/l.md", LINKED);
    place.file("root/deep/.keep", "");
    place.file("root/inside.md", "inside");
    for (name, thing) in things {
        let path = place.path().join("root").join(name);
        // A choice that an earlier one made impossible is left out.
        if fs::create_dir_all(path.parent().unwrap()).is_err()
            || fs::symlink_metadata(&path).is_ok()
        {
            continue;
        }
        // A link above may have led out; nothing may be written there.
        if !fs::canonicalize(path.parent().unwrap())
            .unwrap()
            .starts_with(fs::canonicalize(place.path().join("root")).unwrap())
        {
            continue;
        }
        match thing {
            Thing::File => fs::write(&path, format!("inside {name}")).unwrap(),
            Thing::LinkTo(target) => {
                symlink(target.replace('@', place.path().to_str().unwrap()), &path).unwrap()
            }
            Thing::Fifo => assert!(
                Command::new("mkfifo")
                    .arg(&path)
                    .status()
                    .unwrap()
                    .success()
            ),
            Thing::Folder => fs::create_dir(&path).unwrap(),
        }
    }
}

/// Nothing from outside: not by a name whatever is declared, and not by a link unless links are followed.
fn check(built: Result<Prompt, Vec<&'static str>>, follow: bool, line: &str) {
    let Ok(prompt) = built else { return };
    for (_, ingredient) in super::oracle::ingredients(&prompt) {
        if let Ingredient::Document { path, .. } = ingredient {
            let plain = path.split('/').all(|name| !["", ".", ".."].contains(&name))
                && !path.contains('\\');
            assert!(plain, "{line}: {path}");
        }
    }
    let artifact = serde_json::to_string(&prompt).unwrap();
    assert!(
        follow || !artifact.contains(SECRET) && !artifact.contains(LINKED),
        "{line}: {artifact}"
    );
}

/// Builds one line in the root workspace, which holds `things`.
fn tried(
    line: &str,
    links: &str,
    things: &[(&'static str, Thing)],
) -> Result<String, Vec<&'static str>> {
    let place = Place::new();
    lay_out(&place, things);
    let manifest = format!(
        "promptc 1\nroot workspace default=\"../root\"{links}\ntier t {{\nlayer a {{\nall {{\n{line}\ntext \"end\"\n}}\n}}\n}}\n"
    );
    let manifest = place.file("agent/promptc.kdl", manifest);
    build(&DiskWorld, &manifest, &GivenInputs::default())
        .map(|prompt| prompt.channels[0].text.clone())
}

#[test]
fn links_out_are_errors_and_followed_on_request() {
    let to_file = [("a.md", Thing::LinkTo("../linked/l.md"))];
    let to_folder = [("l", Thing::LinkTo("@/linked"))];
    for (line, things) in [
        ("file \"a.md\"", &to_file),
        ("glob \"*.md\"", &to_file),
        ("template file=\"a.md\" root=workspace", &to_file),
        ("template \"{{ 'x' if exists('a.md') }}\"", &to_file),
        ("file \"l/l.md\"", &to_folder),
        ("glob \"l/*.md\"", &to_folder),
        ("template file=\"l/l.md\" root=workspace", &to_folder),
    ] {
        assert_eq!(
            tried(line, "", things),
            Err(vec!["link-leaves-root"]),
            "{line}"
        );
        let followed = tried(line, " links=follow", things).unwrap();
        assert!(
            followed.starts_with(if line.contains("exists") { "x" } else { LINKED }),
            "{line}: {followed}"
        );
    }
}

#[test]
fn only_files_are_read() {
    let things = [
        ("a.md", Thing::Fifo),
        ("b.md", Thing::Folder),
        ("d.md", Thing::LinkTo("nowhere")),
    ];
    for line in ["file \"a.md\" \"b.md\" \"d.md\"", "glob \"[a-d].md\""] {
        for links in ["", " links=follow"] {
            assert_eq!(tried(line, links, &things).unwrap(), "end", "{line}");
        }
    }
    let circle = [
        ("a.md", Thing::LinkTo("b.md")),
        ("b.md", Thing::LinkTo("a.md")),
    ];
    assert_eq!(tried("file \"a.md\"", "", &circle), Err(vec!["link-loop"]));
    let inside = [
        ("a.md", Thing::LinkTo("inside.md")),
        ("l", Thing::LinkTo(".")),
    ];
    assert_eq!(
        tried("file \"a.md\"", "", &inside).unwrap(),
        "inside\n\nend"
    );
    assert_eq!(
        tried("file \"l/l/inside.md\"", "", &inside).unwrap(),
        "inside\n\nend"
    );
}
