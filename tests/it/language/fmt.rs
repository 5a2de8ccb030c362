//! `promptc fmt`: what it does with files, and what holds for every layout. Its cases are in `tests/fmt`.

use crate::case::{Case, as_nobody, is_root};
use crate::docs::markdown::{pages, top};
use crate::harness::files_below;
use crate::language::kdl::{Piece, comments, pieces};
use crate::run::{Place, Ran, run};
use promptc::diagnostic::Diagnostics;
use promptc::diagnostic::span::Files;
use promptc::manifest;
use std::fs;
use std::path::{Path, PathBuf};

/// The text as the library lays it out; the codes of the errors if it cannot.
pub(crate) fn formatted(text: &str) -> Result<String, Vec<&'static str>> {
    let (mut files, mut diags) = (Files::default(), Diagnostics::default());
    let file = files.add("promptc.kdl", text);
    let done = manifest::formatted(file, &files, &mut diags);
    done.map_err(|_| diags.iter().map(|d| d.code.name).collect())
}

fn kdl_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = files_below(folder);
    files.retain(|path| path.extension().is_some_and(|e| e == "kdl"));
    files
}

/// The manifests that people copy are laid out as they would be.
#[test]
fn shipped_manifests_are_formatted() {
    let mut shipped = kdl_below(&top().join("layers"));
    shipped.extend(kdl_below(&top().join("examples")));
    assert!(shipped.len() >= 10, "{shipped:?}");
    for path in shipped {
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(formatted(&text), Ok(text), "{}", path.display());
    }
}

/// All manifests of the cases and of the documentation, as far as they are KDL.
#[test]
fn every_manifest_keeps_its_comments_and_is_stable() {
    let mut texts = Vec::new();
    for folder in ["language", "diff", "diagnostics"] {
        for path in files_below(&top().join("tests").join(folder)) {
            let (case, place) = (
                Case::parse(&fs::read_to_string(path).unwrap()),
                Place::new(),
            );
            case.lay_out(&place);
            let found = kdl_below(place.path());
            let short = |text: &String| text.len() < 20_000;
            texts.extend(
                found
                    .iter()
                    .filter_map(|f| fs::read_to_string(f).ok())
                    .filter(short),
            );
        }
    }
    for page in pages() {
        let fences = page.fences.iter().filter(|f| f.language() == "kdl");
        texts.extend(fences.map(|f| f.text.clone()));
    }
    let mut good = 0;
    for text in &texts {
        let Ok(once) = formatted(text) else { continue };
        good += 1;
        assert_eq!(comments(&once), comments(text), "{text}");
        assert_eq!(words(&once), words(text), "{text}");
        assert_eq!(formatted(&once).as_ref(), Ok(&once), "{text}");
        assert!(
            !once.contains('\r') && !once.starts_with('\u{feff}'),
            "{text}"
        );
        assert!(once.is_empty() || once.ends_with('\n') && !once.ends_with("\n\n"));
    }
    assert!(
        good > 300 && good < texts.len(),
        "{good} of {}",
        texts.len()
    );
}

/// The text besides layout and comments, without strings of several lines.
fn words(text: &str) -> String {
    let piece = |piece: &Piece<'_>| match *piece {
        Piece::Text(text) if !text.contains(['\n', '\r']) => text.to_owned(),
        Piece::Other(c) => c.to_string(),
        _ => String::new(),
    };
    let words: String = pieces(text).iter().map(piece).collect();
    words.replace([';', '\\'], "")
}

const MESSY: &str = "promptc 1\r\nname   x ;\r\n";
const NEAT: &str = "promptc 1\nname x\n";

#[test]
fn the_nearest_manifest_is_formatted() {
    let place = Place::new();
    place.file("promptc.kdl", MESSY);
    fs::create_dir_all(place.path().join("a/b")).unwrap();
    let mut command = place.command(&["fmt"]);
    command.current_dir(place.path().join("a/b"));
    let ran = run(command, b"").exits(0);
    assert!(ran.stdout.is_empty());
    assert_eq!(ran.stderr, "formatted ../../promptc.kdl\n");
    assert_eq!(place.read("promptc.kdl"), NEAT);
    let ran = place.run(&["fmt"]).exits(0);
    assert_eq!((ran.stdout(), &*ran.stderr), ("", ""));
    place.file("other.kdl", MESSY);
    place.run(&["fmt", "-m", "other.kdl", "--quiet"]).exits(0);
    assert_eq!(place.read("other.kdl"), NEAT);
    let ran = Place::new().run(&["fmt"]).exits(2);
    ran.says("[manifest-not-found]");
    let ran = Place::new()
        .run(&["fmt", "-m", "builtin:minimal@1"])
        .exits(2);
    ran.says("[manifest-not-found]");
}

#[test]
fn a_bad_file_keeps_its_bytes_and_no_other_from_its_turn() {
    let place = Place::new();
    let bad = "promptc   1\ntier t {\n";
    place.file("a.kdl", bad);
    place.file("b.kdl", MESSY);
    place.file("c.kdl", b"promptc 1 \xff\n");
    place.file("d.kdl", MESSY);
    let args = ["a.kdl", "b.kdl", "c.kdl", "missing.kdl", "d.kdl"];
    let ran = place.run(&[&["fmt"][..], &args].concat()).exits(2);
    assert_eq!(place.read("a.kdl"), bad);
    assert_eq!(
        fs::read(place.path().join("c.kdl")).unwrap(),
        b"promptc 1 \xff\n"
    );
    assert_eq!([place.read("b.kdl"), place.read("d.kdl")], [NEAT, NEAT]);
    for said in [
        "formatted b.kdl",
        "formatted d.kdl",
        "[kdl-syntax]",
        "[program-not-utf8]",
        "3 errors\n",
    ] {
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
    assert!(
        !ran.stderr.contains("nothing was written"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_check_writes_nothing_and_shows_what_would_change() {
    let place = Place::new();
    place.file(
        "a.kdl",
        "promptc 1\nname   x\nlet a \"1\"\n\n\nlet b \"2\"\n",
    );
    place.file("b.kdl", NEAT);
    let ran = place.run(&["fmt", "--check", "a.kdl", "b.kdl"]).exits(1);
    assert_eq!(
        ran.stdout(),
        "a.kdl\n  promptc 1\n- name   x\n+ name x\n  let a \"1\"\n- \n  \n  let b \"2\"\n"
    );
    assert!(place.read("a.kdl").contains("name   x"));
    place.run(&["fmt", "--check", "b.kdl"]).exits(0);
    place.file("bad.kdl", "a {\n");
    let ran = place.run(&["fmt", "--check", "a.kdl", "bad.kdl"]).exits(2);
    assert!(ran.stdout().contains("+ name x"));
}

/// What a manifest writes is no secret, so the lines are shown as they are.
#[test]
fn a_check_shows_the_default_of_a_private_fact() {
    let place = Place::new();
    let fact = "fact phone   string private=#true default=\"written-value\"\n";
    place.file("a.kdl", fact);
    let ran = place.run(&["fmt", "--check", "a.kdl"]).exits(1);
    assert_eq!(
        ran.stdout(),
        "a.kdl\n- fact phone   string private=#true default=\"written-value\"\n\
         + fact phone string private=#true default=\"written-value\"\n"
    );
    place.file("a.kdl", format!("{fact}tier {{\n"));
    let ran = place.run(&["fmt", "a.kdl"]).exits(2);
    assert!(ran.stderr.contains("`{` is not closed"), "{}", ran.stderr);
}

#[test]
fn standard_input_goes_to_standard_output() {
    let place = Place::new();
    let piped = |args: &[&str], text: &str| run(place.command(args), text.as_bytes());
    let ran = piped(&["fmt", "-"], MESSY).exits(0);
    assert_eq!((ran.stdout(), &*ran.stderr), (NEAT, ""));
    assert_eq!(piped(&["fmt", "-"], NEAT).exits(0).stdout(), NEAT);
    assert_eq!(piped(&["fmt", "-"], "").exits(0).stdout(), "");
    let ran = piped(&["fmt", "-", "--check"], MESSY).exits(1);
    assert!(
        ran.stdout().starts_with("<stdin>\n- promptc 1\\r\n"),
        "{}",
        ran.stdout()
    );
    let ran = piped(&["fmt", "-"], "a {").exits(2);
    assert!(
        ran.stdout.is_empty() && ran.stderr.contains("<stdin>:1:3"),
        "{}",
        ran.stderr
    );
    let ran = piped(&["fmt", "-"], &"a \n".repeat(400_000)).exits(2);
    ran.says("[program-too-large]");
}

#[cfg(unix)]
#[test]
fn permissions_stay_and_links_are_not_followed() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let place = Place::new();
    let file = place.file("real/a.kdl", MESSY);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let link = place.path().join("link.kdl");
    symlink("real/a.kdl", &link).unwrap();
    let ran = place.run(&["fmt", "link.kdl"]).exits(2);
    ran.says("linked-file");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(place.read("real/a.kdl"), MESSY);
    place.run(&["fmt", "real/a.kdl"]).exits(0);
    assert_eq!(place.read("real/a.kdl"), NEAT);
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o640
    );
    assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_written_stays() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    let file = place.file("a.kdl", MESSY);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    let ran: Option<Ran> = if is_root() {
        as_nobody(&["fmt", "a.kdl"], &place).map(|command| run(command, b""))
    } else {
        Some(place.run(&["fmt", "a.kdl"]))
    };
    if let Some(ran) = ran {
        let ran = ran.exits(3);
        ran.says("[output-not-written]");
        assert_eq!(fs::read_to_string(&file).unwrap(), MESSY);
    }
}

#[test]
fn hostile_manifests_end_soon() {
    let deep = |n: usize| format!("{}{}", "a {".repeat(n), "}".repeat(n));
    assert!(formatted(&deep(200)).is_ok());
    assert_eq!(formatted(&deep(100_000)), Err(vec!["nesting-too-deep"]));
    // Each level would be indented further than the one around it.
    let wide = format!(
        "{}{}{}",
        "a {\n".repeat(199),
        "b\n".repeat(5_000),
        "}\n".repeat(199)
    );
    assert_eq!(formatted(&wide), Err(vec!["program-too-large"]));
    let long = format!("a {}\n", "x   y ".repeat(10_000));
    assert!(formatted(&long).is_ok());
}
