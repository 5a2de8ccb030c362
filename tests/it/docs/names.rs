//! Packages have the names of `packaging/names.json` everywhere, and no page tells a reader to install another owner's
//! package.

use super::markdown::top;
use regex::Regex;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn read(path: &str) -> String {
    fs::read_to_string(top().join(path)).unwrap()
}

fn names() -> impl Fn(&str) -> String {
    let names: Value = serde_json::from_str(&read("packaging/names.json")).unwrap();
    move |key| names[key].as_str().unwrap().to_owned()
}

#[test]
fn packages_are_called_as_the_file_says() {
    let name = names();
    let line = |path: &str, line: &str| {
        assert!(
            read(path).lines().any(|l| l == line),
            "{path} has no line {line}"
        );
    };
    line("Cargo.toml", &format!("name = \"{}\"", name("crates.io")));
    line("Cargo.toml", &format!("name = \"{}\"", name("command")));
    let module = name("python-import");
    for (folder, imported) in [
        ("packaging/python", module.clone()),
        ("bindings/python", format!("{module}._native")),
    ] {
        let python = format!("{folder}/pyproject.toml");
        line(&python, &format!("name = \"{}\"", name("pypi")));
        line(&python, &format!("module-name = \"{imported}\""));
    }
    for folder in ["packaging/python", "bindings/python/python"] {
        let module = format!("{folder}/{module}/__init__.py");
        assert!(top().join(&module).is_file(), "{module}");
    }
    let node: Value = serde_json::from_str(&read("bindings/node/package.json")).unwrap();
    assert_eq!(node["name"], name("npm"));
    let start = name("npm-platform").replace("PLATFORM-ARCH", "");
    for platform in node["optionalDependencies"].as_object().unwrap().keys() {
        assert!(platform.starts_with(&start), "{platform}");
    }
    let own = format!("{start}${{platform}}");
    assert!(read("bindings/node/program.ts").contains(&own), "{own}");
    let own = format!("\"name\": \"{start}$platform-$arch\"");
    assert!(read("packaging/npm/pack").contains(&own), "{own}");
}

/// Words before the name of a package that is to be installed or run from a registry.
const FETCH: [&str; 14] = [
    "pip install",
    "pip3 install",
    "pipx install",
    "pipx run",
    "uv add",
    "uv pip install",
    "uv tool install",
    "uvx",
    "cargo install",
    "cargo add",
    "npm install",
    "npm i",
    "npx",
    "pnpm add",
];

/// Whether a line fetches the package `promptc`.
fn fetches(line: &str) -> bool {
    FETCH.iter().any(|fetch| {
        line.match_indices(fetch).any(|(at, _)| {
            let rest = line[at + fetch.len()..].split_whitespace();
            let mut words = rest.take_while(|word| !matches!(*word, "&&" | "|" | ";"));
            let bare = |word: &str| word.trim_matches(['`', '"', '\'', '.', ',']) == "promptc";
            // From a path it is ours: `cargo install --path .`.
            words.any(bare) && !line.contains("--path") && !line.contains("--no-install")
        })
    })
}

fn texts(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match path.is_dir() {
            true if matches!(&*name, "target" | ".git" | "node_modules") => {}
            true => texts(&path, out),
            false => out.push(path),
        }
    }
}

#[test]
fn no_page_installs_another_owners_package() {
    for wrong in [
        "pip install promptc",
        "Run `npx promptc build`.",
        "cargo install promptc --locked",
    ] {
        assert!(fetches(wrong), "{wrong}");
    }
    for right in [
        "pip install promptc-cli",
        "npx --no-install promptc",
        "cargo install --path . --locked",
    ] {
        assert!(!fetches(right), "{right}");
    }
    let mut all = Vec::new();
    texts(top(), &mut all);
    for path in all
        .iter()
        .filter(|p| !p.ends_with("tests/it/docs/names.rs"))
    {
        let Ok(text) = fs::read_to_string(path) else {
            continue;
        };
        let wrong = text.lines().find(|line| fetches(line));
        assert_eq!(wrong, None, "{}", path.display());
    }
    assert!(read("docs/install.md").contains("do not install them"));
}

/// How the repository is named, which has no place of its own yet: each match of the pattern must be the text.
const REPOSITORY: [(&str, &str); 6] = [
    (r"OWNER/\w+", "OWNER/promptc"),
    (r"[^\s`]*/promptc@[^\s`]*", "OWNER/promptc@COMMIT"),
    (r"\brev: *\S+", "rev: COMMIT"),
    (
        r"https?://\S+?/promptc\b",
        "https://github.com/OWNER/promptc",
    ),
    (
        r"\bgit clone [^\s`]+",
        "git clone https://github.com/OWNER/promptc",
    ),
    (
        r"(?i)<(owner|user|org|commit|sha|tag)>|your-?(org|name)",
        "",
    ),
];

/// A match that is not as it must be.
fn odd(text: &str) -> Option<&str> {
    REPOSITORY.iter().find_map(|(pattern, right)| {
        let pattern = Regex::new(pattern).unwrap();
        let mut found = pattern.find_iter(text).map(|found| found.as_str());
        found.find(|found| found != right)
    })
}

#[test]
fn placeholders_have_one_form() {
    for wrong in [
        "uses: someone/promptc@v1",
        "OWNER/REPOSITORY",
        "rev: v0.1.0",
        "https://example.org/promptc",
        "git clone … && cd promptc",
        "<owner>/promptc",
    ] {
        assert!(odd(wrong).is_some(), "{wrong}");
    }
    let mut all = [
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "Containerfile",
        "action.yml",
        ".pre-commit-hooks.yaml",
    ]
    .map(|name| top().join(name))
    .to_vec();
    for folder in ["docs", "packaging", "examples", "templates", ".github"] {
        texts(&top().join(folder), &mut all);
    }
    for path in all {
        if let Ok(text) = fs::read_to_string(&path) {
            assert_eq!(odd(&text), None, "{}", path.display());
        }
    }
}
