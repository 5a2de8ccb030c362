//! The directory rules of a folder equal a layer of the same words in a root at that folder; each folder once.

use super::choices::Choices;
use super::{build, config, memory};
use promptc::agent::directory_rules;
use promptc::compile::{DirectoryRulesReader, GivenInputs, prepare};
use promptc::diagnostic::Diagnostics;
use promptc::diagnostic::span::Files;
use promptc::manifest;
use promptc::prompt::{Deliver, Prompt};
use promptc::session::store::{SessionId, Store, sqlite};
use promptc::world::World;
use proptest::collection::vec;
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const FOLDERS: [&str; 6] = ["a", "a/b", "a/b/c", "a/b/c/d", "v1.2", "z"];
const NAMES: [&str; 4] = ["AGENTS.md", "CLAUDE.md", "rules/1.md", "rules/2.md"];
const TEXTS: [&str; 7] = [
    "short\n",
    " \n",
    "\u{feff}marked\r\nlines\r\n",
    "an attack on it",
    "---\nkey: value\n---\nbody",
    "long enough to be cut somewhere in the middle of it",
    "ünïcödé\n",
];

/// The nodes that are allowed in directory rules' braces as in a layer's.
fn body(c: &Choices) -> String {
    let sources = [
        "file \"AGENTS.md\" \"CLAUDE.md\"",
        "file \"CLAUDE.md\" { frontmatter strip }",
        "glob \"rules/*.md\" { wrap \"<{{ name }}>{{ text }}\" }",
        "text \"always\"",
        "file \"SHARED.md\" root=shared",
        "file \"AGENTS.md\" { scan words on-hit=replace { placeholder \"[{{ name }}]\" } }",
        "file \"AGENTS.md\" when=\"loud\"",
        "file \"AGENTS.md\" invalid=missing missing=skip { trim #false; newlines #false }",
    ];
    let members = c.several(1, 3, |_| c.of(&sources)).join("\n");
    let group = c.of(&["first", "all", "all join=\"|\""]);
    let budget = match c.below(4) {
        0 => "budget 12 marker=\"~\"",
        1 => "budget each=9 total=20",
        _ => "",
    };
    let rest = c.of(&[
        "",
        "template \"[{{ content }}]\"",
        "part p { file \"SHARED.md\" root=shared }; template \"{{ p }}: {{ content }}{{ documents | length }}\"",
        "template \"{{ 'yes' if loud else 'no' }} {{ content }}\"; budget 18",
    ]);
    format!("{group} {{\n{members}\n{budget}\n}}\n{rest}\n")
}

/// A manifest whose directory rules and whose layer have the same content.
fn manifest_of(body: &str, line: &str) -> String {
    format!(
        "promptc 1\nroot workspace default=\"w\"\nroot shared default=\"shared\"\nfact loud bool\nfact other string\n\
         scan words {{ scopes all; rule bad \"attack\" scope=all }}\n\
         tier t join=\"+\" {{ layer l {{\n{body}}} }}\ndirectory-rules join=\"+\" {line} {{\n{body}}}\n"
    )
}

fn files_of(c: &Choices, body: &str, line: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::from([
        (
            "promptc.kdl".to_owned(),
            manifest_of(body, line).into_bytes(),
        ),
        ("shared/SHARED.md".to_owned(), b"shared".to_vec()),
        ("w/AGENTS.md".to_owned(), b"of the root".to_vec()),
    ]);
    for folder in FOLDERS {
        for name in NAMES {
            if c.odds(8) {
                let path = format!("w/{folder}/{name}");
                files.insert(path, c.of(&TEXTS).as_bytes().to_vec());
            }
        }
    }
    files
}

fn directory_rules(world: &dyn World, given: &GivenInputs) -> DirectoryRulesReader {
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let manifest = manifest::open(world, Some("/base/promptc.kdl"), &mut files, &mut diags);
    let plan = prepare(&manifest.unwrap(), given, world, &mut files, &mut diags).unwrap();
    let directory_rules = DirectoryRulesReader::bind(plan, given, world, &mut diags);
    directory_rules.unwrap().unwrap()
}

fn loud(loud: bool) -> GivenInputs {
    GivenInputs {
        sets: vec![("loud".to_owned(), loud.to_string())],
        ..GivenInputs::default()
    }
}

/// A prompt without what names the file, the paths and the layer that it was made for.
fn text(prompt: &Prompt) -> &str {
    prompt.text(Deliver::System)
}

proptest! {
    #![proptest_config(config(96))]

    #[test]
    fn a_hint_equals_a_layer_in_that_folder(picks in vec(any::<u16>(), 20..80), is_loud in any::<bool>()) {
        let c = Choices::new(&picks);
        let body = body(&c);
        let files = files_of(&c, &body, "");
        let world = memory(&files);
        let given = loud(is_loud);
        // The fact that only the rest of a prompt would need has no value.
        let directory_rules = directory_rules(&world, &given);
        for folder in FOLDERS {
            let mut here = given.clone();
            here.sets.push(("other".to_owned(), "x".to_owned()));
            here.roots.push(("workspace".to_owned(), PathBuf::from(format!("/base/w/{folder}"))));
            let there = build(&world, Path::new("/base/promptc.kdl"), &here);
            let mut diags = Diagnostics::default();
            let told = directory_rules.folder_rules(&world, folder, &mut diags);
            match (there, told) {
                (Ok(there), Ok(told)) => {
                    prop_assert_eq!(text(&there), text(&told), "in {}:\n{}", folder, body);
                    prop_assert_eq!(told.fault(), None);
                }
                (there, told) => prop_assert!(there.is_err() && told.is_err(), "in {}:\n{}", folder, body),
            }
        }
    }
}

proptest! {
    #![proptest_config(config(48))]

    /// Whatever the queries, their order and their number: each folder of a path that has directory rules gives it once.
    #[test]
    fn each_folder_gives_its_hint_once(picks in vec(any::<u16>(), 20..120), levels in 1_usize..5) {
        let c = Choices::new(&picks);
        let body = "all { file \"AGENTS.md\"; glob \"rules/*.md\" }\n";
        let files = files_of(&c, body, &format!("levels={levels}"));
        let world = memory(&files);
        let directory_rules = directory_rules(&world, &GivenInputs::default());
        let folder = tempfile::tempdir().unwrap();
        let mut store = sqlite::open(&folder.path().join("store.db"), 10).unwrap();
        let session = SessionId::parse("s").unwrap();
        let mut seen: BTreeSet<String> = BTreeSet::new();
        for _ in 0..8 {
            let paths = c.several(1, 3, |_| {
                PathBuf::from(format!("{}{}", c.of(&FOLDERS), c.of(&["", "/x.rs", "/new", "/../z"])))
            });
            let mut diags = Diagnostics::default();
            let told = directory_rules::folder_rules(&directory_rules, &mut store, &session, &paths, 0, &world, &mut diags).unwrap();
            for folder in &told.folders {
                if !folder.text().is_empty() {
                    prop_assert!(seen.insert(folder.path.clone()), "{} twice", folder.path);
                }
            }
            for path in &paths {
                check_own(path, &files, &seen)?;
            }
        }
        let noted = store.directory_rules(&session).unwrap();
        prop_assert!(noted.len() >= seen.len());
    }
}

/// The directory rules about the folder of a path itself was given by now, if it has text of its own.
fn check_own(
    path: &Path,
    files: &BTreeMap<String, Vec<u8>>,
    seen: &BTreeSet<String>,
) -> Result<(), proptest::test_runner::TestCaseError> {
    let path = path.to_str().unwrap();
    let own = match path.strip_suffix("/../z") {
        Some(folder) => folder
            .rsplit_once('/')
            .map_or("z".to_owned(), |(up, _)| format!("{up}/z")),
        None => path.trim_end_matches("/x.rs").to_owned(),
    };
    let text = |name: &str| files.get(&format!("w/{own}/{name}"));
    let says =
        |name: &&str| text(name).is_some_and(|t| !String::from_utf8_lossy(t).trim().is_empty());
    let has_text = ["AGENTS.md", "rules/1.md", "rules/2.md"].iter().any(says);
    prop_assert_eq!(
        has_text,
        has_text && seen.contains(&own),
        "{} of {}",
        own,
        path
    );
    Ok(())
}
