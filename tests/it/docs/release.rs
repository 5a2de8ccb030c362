//! The files that `.github/workflows/release.yml` releases are those that `packaging/fetch` takes, for the action and
//! the hooks; its steps run as they are written, and so do those of `action.yml`. The container file copies the
//! released files.

use super::ci::{Running, action, hooks, must, sh, yaml};
use crate::docs::markdown::{self, top};
use crate::run::{PROGRAM, Place, run};
use regex::Regex;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

#[derive(Debug, Deserialize)]
struct Workflow {
    jobs: BTreeMap<String, Job>,
}

#[derive(Debug, Deserialize)]
struct Job {
    strategy: Option<Strategy>,
    steps: Vec<Step>,
}

#[derive(Debug, Deserialize)]
struct Strategy {
    matrix: Matrix,
}

#[derive(Debug, Deserialize)]
struct Matrix {
    include: Vec<Runner>,
}

#[derive(Debug, Deserialize)]
struct Runner {
    target: String,
}

#[derive(Debug, Deserialize)]
struct Step {
    #[serde(default)]
    name: String,
    #[serde(default)]
    run: String,
}

fn read(path: &str) -> String {
    fs::read_to_string(top().join(path)).unwrap()
}

fn workflow() -> Workflow {
    yaml(&read(".github/workflows/release.yml"))
}

/// The script of a job's step whose name begins so.
fn script(job: &str, name: &str) -> String {
    let mut steps = workflow().jobs.remove(job).unwrap().steps.into_iter();
    let step = steps.find(|step| step.name.starts_with(name));
    step.unwrap_or_else(|| panic!("{job}: {name}")).run
}

/// The rows of `packaging/targets`: target, system, machine.
fn targets() -> Vec<[String; 3]> {
    let text = read("packaging/targets");
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    let words = rows.map(|row| {
        row.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    });
    words.map(|words| words.try_into().unwrap()).collect()
}

/// The target of the archive for this machine.
fn own() -> String {
    let machine = must(top(), "echo $(uname -s) $(uname -m)");
    let row = targets()
        .into_iter()
        .find(|[_, system, of]| format!("{system} {of}\n") == machine);
    row.unwrap_or_else(|| panic!("no archive for {machine}"))[0].clone()
}

/// A repository that has had a release, as the workflow makes it, of a program that calls the one under test. `HEAD` is the commit of
/// its tag, and the archives are below `files`.
pub(super) fn repository() -> Place {
    let place = Place::new();
    let path = place.path().display();
    let (top, target) = (top().display(), own());
    must(
        place.path(),
        &format!(
            "git init --quiet --bare remote
            git init --quiet
            git remote add origin '{path}/remote'
            mkdir packaging
            cp {top}/packaging/{{fetch,hook,targets}} packaging/
            cp {top}/{{Cargo.toml,README.md,CHANGELOG.md,LICENSE-MIT,LICENSE-APACHE}} .
            printf '%s\n' /remote /target /dist /files /promptc-v* > .gitignore
            git add .
            git commit --quiet --message sources
            mkdir -p target/{target}/dist
            printf '#!/bin/sh\nexec {PROGRAM} \"$@\"\n' > target/{target}/dist/promptc
            chmod +x target/{target}/dist/promptc"
        ),
    );
    let tag = concat!("v", env!("CARGO_PKG_VERSION"));
    let env = format!(
        "export TAG={tag} TARGET={target} PROGRAM=target/{target}/dist/promptc
        export GITHUB_SERVER_URL='file://{path}/files' GITHUB_REPOSITORY=OWNER/promptc\n"
    );
    for step in [
        script("build", "An archive"),
        script("release", "Checksums"),
        script("release", "The tag"),
    ] {
        must(place.path(), &(env.clone() + &step));
    }
    must(
        place.path(),
        &format!(
            "folder=files/OWNER/promptc/releases/download/{tag}
            mkdir -p $folder && mv dist/* $folder/
            test \"$(git -C remote rev-parse {tag})\" = \"$(git rev-parse HEAD)\"
            test \"$(git diff --name-only HEAD~ HEAD)\" = packaging/released
            rm -r target promptc-{tag}-{target}"
        ),
    );
    place
}

/// A `cargo` that prints its arguments, and the settings that could decide how it compiles.
const CARGO: &str = r#"#!/bin/sh
[ "$*" != --version ] || exit "${NO_RUST:-0}"
echo "cargo $* in $PWD: ${RUSTUP_TOOLCHAIN-} ${RUSTFLAGS-} ${CARGO_BUILD_TARGET-} ${CARGO_TARGET_DIR-}"
mkdir bin && cp source/program bin/promptc
"#;

/// Runs the action's first step for an action that was put into `at`, in a checkout whose files would have another
/// Rust. Returns its exit code, its output, and the path that it found.
fn install(at: &Path, checkout: &Place, env: &[(&str, &str)]) -> (i32, String, Option<String>) {
    checkout.file("bin/cargo", CARGO);
    checkout.file("bin/rustup", "#!/bin/sh\necho rustup $*\n");
    must(checkout.path(), "chmod +x bin/*");
    let mut job = Running::new("", at);
    job.inputs.insert("promptc".to_owned(), String::new());
    let path = format!(
        "{}:{}",
        checkout.path().join("bin").display(),
        std::env::var("PATH").unwrap()
    );
    job.env.insert("PATH".to_owned(), path);
    let env = env
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    job.env.extend(env);
    let (code, told) = job.run(&action().runs.steps[0], checkout.path());
    let temp = job.room.path().display().to_string();
    let path = job.outputs["promptc"].get("path").cloned();
    if let Some(path) = &path {
        assert!(
            path.starts_with(&temp) && Path::new(path).exists(),
            "{path}"
        );
    }
    (code, told.replace(&temp, "ROOM"), path)
}

#[test]
fn the_action_takes_the_release_of_its_commit() {
    let (repository, checkout) = (repository(), Place::new());
    let (code, told, _) = install(repository.path(), &checkout, &[]);
    assert_eq!(code, 0, "{told}");
    assert!(
        told.contains("promptc: downloaded and verified promptc-v"),
        "{told}"
    );
    assert!(
        !told.contains("cargo")
            && told.ends_with(concat!("promptc ", env!("CARGO_PKG_VERSION"), "\n")),
        "{told}"
    );

    // Other bytes end the job: nothing is compiled, since a maintainer should look.
    must(
        repository.path(),
        "for file in $(find files -name '*.gz'); do echo >> $file; done",
    );
    let (code, told, path) = install(repository.path(), &checkout, &[]);
    assert_eq!((code, path), (1, None), "{told}");
    assert!(
        told.contains("is not what was released") && !told.contains("cargo"),
        "{told}"
    );
}

#[test]
fn without_a_release_it_is_compiled_and_no_file_or_variable_of_the_job_decides_how() {
    let (repository, checkout) = (repository(), Place::new());
    let program = format!("#!/bin/sh\nexec {PROGRAM} \"$@\"\n");
    repository.file("program", program);
    must(repository.path(), "chmod +x program");
    let env = [
        ("RUSTUP_TOOLCHAIN", "nightly"),
        ("RUSTFLAGS", "--nonsense"),
        ("CARGO_BUILD_TARGET", "nonsense"),
        ("CARGO_TARGET_DIR", "nonsense"),
        ("NO_RUST", "1"),
    ];
    let why = |change: &str| {
        must(repository.path(), change);
        let (code, told, path) = install(repository.path(), &checkout, &env);
        assert_eq!(code, 0, "{told}");
        assert!(path.unwrap().ends_with("/promptc/bin/promptc"));
        let rust = env!("CARGO_PKG_RUST_VERSION");
        for line in [
            format!("promptc: compiles with Rust {rust} now, which takes minutes\n"),
            format!("rustup toolchain install {rust} --profile minimal --no-self-update\n"),
            format!(
                "cargo install --quiet --locked --path source --root . in ROOM/temp/promptc: {rust}   ROOM/temp/promptc/target\n"
            ),
            "promptc: compiled in ".to_owned(),
        ] {
            assert!(told.contains(&line), "{line}\n{told}");
        }
        told
    };
    assert!(why("rm -r files").contains("cannot be downloaded\n"));
    let told = why("sed -i '/tar.gz/d' packaging/released");
    assert!(told.contains("the release has no archive for "), "{told}");
    let told = why("git checkout --quiet --force HEAD~");
    assert!(told.contains("this commit was not released\n"), "{told}");
}

/// By the real Cargo, for an action that is part of the checkout.
#[test]
fn settings_in_the_checkout_do_not_affect_the_compilation() {
    let place = Place::new();
    let cargo = std::env::var("CARGO").unwrap();
    let lock = "version = 4\n[[package]]\nname = \"tiny\"\nversion = \"0.1.0\"\n";
    let manifest = "[package]\nname = \"tiny\"\nversion = \"0.1.0\"\nedition = \"2024\"\nrust-version = \"1.95\"\n[[bin]]\nname = \"promptc\"\npath = \"main.rs\"\n";
    for (name, text) in [
        ("action/Cargo.toml", manifest),
        ("action/Cargo.lock", lock),
        ("action/main.rs", "fn main() { println!(\"compiled\"); }"),
        ("action/packaging/fetch", &read("packaging/fetch")),
        (
            ".cargo/config.toml",
            "[build]\nrustflags = [\"--nonsense\"]\n",
        ),
    ] {
        place.file(name, text);
    }
    let bin = Path::new(&cargo).parent().unwrap().display();
    let compile = |folder: &str| {
        format!(
            "export PATH={bin}:$PATH CARGO_HOME=$PWD/home RUSTFLAGS=--nonsense RUSTC_WRAPPER=nonsense
            $(bash action/packaging/fetch {folder})"
        )
    };
    let out = Place::new();
    let ran = sh(place.path(), &compile(&out.path().display().to_string()));
    assert!(
        ran.code == 0 && ran.stdout().ends_with("\ncompiled\n"),
        "{}",
        ran.stdout()
    );
    // The settings would have been heeded.
    assert_ne!(sh(place.path(), &compile("inside")).code, 0);
}

#[test]
fn a_hook_caches_its_download_and_compiles_nothing() {
    let (repository, elsewhere) = (repository(), Place::new());
    let (_, line) = hooks("test", repository.path()).remove(1);
    let line = line.replace("hook test", "hook --version");
    let first = must(elsewhere.path(), &line);
    assert!(first.contains("downloaded and verified"), "{first}");
    must(repository.path(), "rm -r files");
    assert_eq!(
        must(elsewhere.path(), &line),
        concat!("promptc ", env!("CARGO_PKG_VERSION"), "\n")
    );
    must(
        repository.path(),
        "rm -r target && git checkout --quiet HEAD~",
    );
    let ran = sh(elsewhere.path(), &line);
    assert_eq!(ran.code, 1);
    ran.shows("this commit was not released\npromptc: name the commit of a release, or ");
    assert_eq!(must(repository.path(), "ls -A target"), "");
}

/// As in a small container: the tools that docs/ci.md names, a shell's own, and nothing else.
#[test]
fn a_release_needs_few_tools() {
    let repository = repository();
    repository.file("tools/wget", "#!/bin/bash\ncp \"${4#file://}\" \"$3\"\n");
    let fetch = "chmod +x tools/wget
        for tool in bash tar gzip sha256sum cat cp cut dirname grep mkdir uname; do ln -s $(command -v $tool) tools/; done
        PATH=$PWD/tools bash packaging/fetch --released out";
    let said = must(repository.path(), fetch);
    assert!(
        said.starts_with("promptc: downloaded and verified "),
        "{said}"
    );
}

#[test]
fn each_machine_takes_the_archive_that_a_job_builds_for_it() {
    let build = workflow().jobs.remove("build").unwrap();
    let built = build.strategy.unwrap().matrix.include;
    let built: BTreeSet<String> = built.into_iter().map(|runner| runner.target).collect();
    let listed = targets().into_iter().map(|[target, ..]| target);
    assert_eq!(built, listed.collect());

    let place = Place::new();
    let released: String = targets()
        .iter()
        .map(|[target, ..]| format!("SUM  promptc-v1.2.3-{target}.tar.gz\n"))
        .collect();
    place.file("packaging/released", format!("file:///nowhere\n{released}"));
    place.file("packaging/targets", read("packaging/targets"));
    place.file("packaging/fetch", read("packaging/fetch"));
    place.file(
        "bin/uname",
        "#!/bin/sh\n[ $1 = -s ] && echo $SYSTEM || echo $MACHINE\n",
    );
    must(place.path(), "chmod +x bin/uname");
    let asked = |system: &str, machine: &str| {
        let line = format!(
            "PATH=$PWD/bin:$PATH SYSTEM={system} MACHINE={machine} bash packaging/fetch --released out"
        );
        let ran = sh(place.path(), &line);
        assert_eq!(ran.code, 1);
        let said = ran
            .stdout()
            .lines()
            .find(|line| line.starts_with("promptc: "));
        said.unwrap().to_owned()
    };
    for (system, machine, target) in [
        ("Linux", "x86_64", "x86_64-unknown-linux-musl"),
        ("Linux", "aarch64", "aarch64-unknown-linux-musl"),
        ("Darwin", "x86_64", "x86_64-apple-darwin"),
        ("Darwin", "arm64", "aarch64-apple-darwin"),
        ("MINGW64_NT-10.0-20348", "x86_64", "x86_64-pc-windows-msvc"),
    ] {
        let said =
            format!("promptc: file:///nowhere/promptc-v1.2.3-{target}.tar.gz cannot be downloaded");
        assert_eq!(asked(system, machine), said);
    }
    for (system, machine) in [("Linux", "riscv64"), ("FreeBSD", "x86_64")] {
        let said = format!("promptc: the release has no archive for {system} on {machine}");
        assert_eq!(asked(system, machine), said);
    }
}

#[test]
fn the_container_is_built_as_releases_are_and_for_no_root() {
    let text = read("Containerfile");
    let words: Vec<Vec<&str>> = text.lines().map(|line| line.split(' ').collect()).collect();
    let of = |instruction: &'static str| words.iter().filter(move |words| words[0] == instruction);
    for copied in of("COPY").filter(|words| !words[1].starts_with("--from=")) {
        let [sources @ .., _] = &copied[1..] else {
            panic!("{copied:?}");
        };
        let missing = sources.iter().find(|path| !top().join(path).exists());
        assert_eq!(missing, None);
    }
    let rust = format!(
        "docker.io/library/rust:{}-alpine",
        env!("CARGO_PKG_RUST_VERSION")
    );
    let bases: Vec<&str> = of("FROM").map(|words| words[1]).collect();
    assert_eq!(bases, [rust.as_str(), "scratch"]);
    let build = of("RUN").next_back().unwrap()[1..].join(" ");
    let steps = workflow().jobs.remove("build").unwrap().steps;
    assert!(steps.iter().any(|step| step.run == build), "{build}");
    let user = of("USER").next_back().unwrap()[1];
    assert!(user.split(':').all(|id| id.parse::<u32>().unwrap() > 0));
}

#[test]
fn the_version_is_that_of_cargo_toml_everywhere() {
    let version = env!("CARGO_PKG_VERSION");
    for path in ["bindings/node/Cargo.toml", "bindings/python/Cargo.toml"] {
        assert!(
            read(path).contains("\nversion.workspace = true\n"),
            "{path}"
        );
    }
    // Maturin takes it from these.
    for path in [
        "packaging/python/pyproject.toml",
        "bindings/python/pyproject.toml",
    ] {
        assert!(read(path).contains("\ndynamic = [\"version\"]\n"), "{path}");
    }
    // `packaging/npm/pack` puts it where this stands.
    let stands_for = "0.0.0";
    let node: Value = serde_json::from_str(&read("bindings/node/package.json")).unwrap();
    let platforms = node["optionalDependencies"].as_object().unwrap().values();
    let mut versions = platforms.chain([&node["version"]]);
    assert!(versions.all(|v| v == stands_for));
    assert!(read("packaging/npm/pack").contains(&stands_for.replace('.', r"\.")));

    let changes = read("CHANGELOG.md");
    let newest = changes
        .lines()
        .find(|line| line.starts_with("## "))
        .unwrap();
    assert!(newest.contains(version), "{newest}");
    let named = Regex::new(r"(?:promptc[- ]v?|rev: v|promptc@v?)(\d+\.\d+\.\d+)\b").unwrap();
    let pages = markdown::pages();
    let pages = pages.iter().map(|page| (&*page.path, &*page.text));
    let action = read("action.yml");
    for (path, text) in pages.chain([("action.yml", &*action)]) {
        for found in named.captures_iter(text) {
            assert_eq!(&found[1], version, "{path}: {}", &found[0]);
        }
    }
}

#[test]
fn the_crate_has_what_is_compiled_and_little_else() {
    // With the environment of whoever runs the tests: Cargo looks into its home.
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap());
    cargo.args(["package", "--list", "--locked", "--allow-dirty"]);
    cargo.current_dir(top());
    let ran = run(cargo, b"").exits(0);
    let list = ran.stdout();
    let packed: BTreeSet<&str> = list.lines().collect();
    for folder in ["src", "layers", "templates", "examples/recipes"] {
        let files = must(top(), &format!("git ls-files {folder}"));
        let missing = files.lines().find(|file| !packed.contains(file));
        assert_eq!(missing, None);
    }
    let folders = packed.iter().filter_map(|file| file.split_once('/'));
    let folders: BTreeSet<&str> = folders.map(|(folder, _)| folder).collect();
    assert_eq!(folders, ["examples", "layers", "src", "templates"].into());
}

#[test]
fn the_library_is_compared_with_the_last_release_once_there_is_one() {
    let script = script("checks", "The library breaks no caller");
    let before = Place::new();
    must(
        before.path(),
        "git init --quiet --bare remote && git init --quiet && git remote add origin \"$PWD/remote\"",
    );
    assert_eq!(
        must(before.path(), &script),
        "the first release: there is none to compare with\n"
    );
    let after = repository();
    after.file("bin/cargo", "#!/bin/sh\necho cargo \"$@\"\n");
    let bare = format!(
        "chmod +x bin/cargo; export PATH=$PWD/bin:$PATH; git tag --delete v{} > /dev/null\n",
        env!("CARGO_PKG_VERSION")
    );
    let told = must(after.path(), &(bare + &script));
    let compared = concat!(
        "\ncargo semver-checks --package promptc-cli --baseline-rev v",
        env!("CARGO_PKG_VERSION"),
        "\n"
    );
    assert!(told.ends_with(compared), "{told}");
}
