//! Repositories that name programs. Whatever a clone or an archive holds, `git:REV` and `--against` start none of them: each
//! program that is named here leaves a marker.
#![cfg(unix)]

use crate::compare::git::{commit, git, repository};
use crate::run::{Place, Ran, run};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

const MANIFEST: &str =
    "promptc 1\nroot workspace default=\".\"\ntier t { layer a { file \"a.md\" } }\n";

/// The files of an untrusted folder, next to the program that must not run.
struct Trap {
    /// The repository.
    place: Place,
    /// Holds the program, and its mark if it was run.
    aside: Place,
}

impl Trap {
    /// A repository of two commits with snapshots.
    fn new() -> Self {
        let (place, aside) = (repository(), Place::new());
        place.file("promptc.kdl", MANIFEST);
        for text in ["one\n", "two\n"] {
            place.file("a.md", text);
            place.run(&["test", "--accept"]).exits(0);
            commit(&place);
        }
        let trap = Self { place, aside };
        trap.executable("run");
        trap
    }

    /// A program of that name that leaves the mark.
    fn executable(&self, name: &str) -> PathBuf {
        let script = format!("#!/bin/sh\ntouch '{}'\nexit 1\n", self.mark().display());
        let path = self.aside.file(name, script);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn program(&self) -> String {
        self.aside.path().join("run").display().to_string()
    }

    fn mark(&self) -> PathBuf {
        self.aside.path().join("mark")
    }

    fn set(&self, settings: &[(&str, &str)]) {
        for (name, value) in settings {
            let value = value.replace("RUN", &self.program());
            git(&self.place, &["config", "--add", name, &value]);
        }
    }

    /// Every command that reads a revision, in a folder of the repository, with variables and without a mark afterwards.
    fn all(&self, folder: &str, revision: &str, variables: &[(&str, &str)]) -> Vec<Ran> {
        let operand = format!("git:{revision}");
        let against = format!("--against={revision}");
        let commands: [&[&str]; 4] = [
            &["diff", &operand],
            &["diff", &operand, "--recorded"],
            &["report", &operand],
            &["test", &against],
        ];
        let ran = commands.map(|args| {
            let mut command = self.place.command(args);
            command.current_dir(self.place.path().join(folder));
            command.env("GIT_CONFIG_GLOBAL", "/dev/null");
            command.envs(variables.iter().copied());
            let ran = run(command, b"");
            let ended = (0..=3).contains(&ran.code);
            assert!(ended, "{args:?}: {}", ran.stderr);
            let found = fs::metadata(self.mark()).is_ok();
            assert!(!found, "{args:?} ran a program: {}", ran.stderr);
            ran
        });
        ran.into()
    }

    /// The same, with everything refused.
    fn refused(&self, folder: &str, revision: &str, variables: &[(&str, &str)]) {
        for ran in self.all(folder, revision, variables) {
            assert!(matches!(ran.code, 2 | 3), "{}: {}", ran.code, ran.stderr);
            assert!(ran.stdout.is_empty(), "{}", ran.stdout());
        }
    }

    /// The same, without obstacles.
    fn answered(&self, folder: &str, revision: &str, variables: &[(&str, &str)]) {
        for ran in self.all(folder, revision, variables) {
            assert!(ran.code < 2, "{revision}: {}", ran.stderr);
        }
    }

    /// Takes objects of the newest commit away, as a partial clone does.
    fn thin(&self, objects: &[&str]) {
        for name in objects {
            let id = git(&self.place, &["rev-parse", name]);
            let path = format!(".git/objects/{}/{}", &id[..2], &id[2..]);
            fs::remove_file(self.place.path().join(path)).unwrap();
        }
    }
}

/// Everything that says where missing objects come from, and by which program.
const PROMISORS: [&[(&str, &str)]; 5] = [
    &[
        ("remote.o.url", "ext::RUN"),
        ("protocol.ext.allow", "always"),
    ],
    &[("remote.o.url", "."), ("remote.o.uploadpack", "RUN")],
    &[("remote.o.url", "ssh://h/p"), ("core.sshCommand", "RUN")],
    &[("remote.o.url", "git://h/p"), ("core.gitProxy", "RUN")],
    &[
        ("remote.o.url", "http://127.0.0.1:9/p"),
        ("credential.helper", "!RUN"),
        ("core.askPass", "RUN"),
        ("remote.o.vcs", "trap"),
    ],
];

const PARTIAL: [(&str, &str); 4] = [
    ("core.repositoryFormatVersion", "1"),
    ("extensions.partialClone", "o"),
    ("remote.o.promisor", "true"),
    ("protocol.allow", "always"),
];

/// A repository inside of a repository, without a `.git`: a commit can hold all of it.
fn embed(trap: &Trap, worktree: &str) {
    let place = &trap.place;
    fs::create_dir(place.path().join("evil")).unwrap();
    for (from, to) in [("promptc.kdl", "evil/promptc.kdl"), ("a.md", "evil/a.md")] {
        fs::copy(place.path().join(from), place.path().join(to)).unwrap();
    }
    place.file("evil/HEAD", git(place, &["rev-parse", "HEAD~1"]) + "\n");
    place.file("evil/objects/kept", "");
    place.file("evil/refs/kept", "");
    let config = format!(
        "[core]\nrepositoryformatversion = 1\nbare = false\nworktree = {worktree}\nfsmonitor = {run}\n\
         [extensions]\npartialClone = o\n[remote \"o\"]\npromisor = true\nurl = ext::{run}\n\
         [protocol \"ext\"]\nallow = always\n",
        run = trap.program()
    );
    place.file("evil/config", config);
    let mut accept = place.command(&["test", "--accept"]);
    accept.current_dir(place.path().join("evil"));
    run(accept, b"").exits(0);
    commit(place);
}

#[test]
fn a_folder_that_looks_like_a_repository_is_none() {
    for worktree in [".", ".."] {
        let trap = Trap::new();
        embed(&trap, worktree);
        // It is the repository around it that is read.
        trap.answered("evil", "HEAD", &[]);
        // Nor in a repository without an owner.
        fs::remove_dir_all(trap.place.path().join(".git")).unwrap();
        trap.refused("evil", "HEAD", &[]);
    }
}

#[test]
fn missing_objects_of_a_partial_clone_are_not_fetched() {
    for promisor in PROMISORS {
        let trap = Trap::new();
        trap.set(&PARTIAL);
        trap.set(promisor);
        trap.executable("bin/git-remote-trap");
        let path = format!(
            "{}:{}",
            trap.aside.path().join("bin").display(),
            std::env::var("PATH").unwrap()
        );
        // A caller who allows more does not allow it to promptc.
        let more = [
            ("PATH", &*path),
            ("GIT_NO_LAZY_FETCH", "0"),
            ("GIT_ALLOW_PROTOCOL", "ext:file:ssh:git:http:trap"),
            ("GIT_TERMINAL_PROMPT", "1"),
        ];
        let files = &["HEAD:promptc.lock", "HEAD:promptc.kdl"][..];
        for (missing, variables) in [
            (files, &more[..1]),
            (&["HEAD^{tree}"], &more[..]),
            (&["HEAD"], &more[..]),
        ] {
            trap.thin(missing);
            for ran in trap.all("", "HEAD", variables) {
                assert!(matches!(ran.code, 2 | 3), "{missing:?}: {}", ran.stderr);
            }
        }
    }
}

#[test]
fn the_default_branch_is_looked_up_without_a_program() {
    for promisor in PROMISORS {
        let trap = Trap::new();
        trap.set(&PARTIAL);
        trap.set(promisor);
        trap.set(&[("init.defaultBranch", "--exec=RUN")]);
        git(&trap.place, &["branch", "-q", "-f", "base", "HEAD~1"]);
        git(
            &trap.place,
            &["update-ref", "refs/remotes/origin/main", "base"],
        );
        trap.thin(&["base:promptc.lock"]);
        trap.place.file("a.md", "three\n");
        let ran = trap.place.run(&["test", "--accept", "--because", "x"]);
        ran.exits(0)
            .says("compared with the snapshots as they were (of origin/main at ");
        assert!(fs::metadata(trap.mark()).is_err());
    }
}

#[test]
fn a_missing_object_of_a_partial_clone_is_reported_with_a_fix() {
    let trap = Trap::new();
    trap.set(&PARTIAL);
    trap.set(PROMISORS[0]);
    trap.thin(&["HEAD~1:a.md"]);
    let ran = trap.place.run(&["diff", "git:HEAD~1"]).exits(3);
    for words in ["`a.md`", "does not have the object", "--refetch"] {
        ran.says(words);
    }
}

/// A later read has its own reason, or none.
#[test]
fn an_object_that_is_missing_hides_no_other() {
    let trap = Trap::new();
    let layers = "layer a { file \"a.md\" }; layer b { file \"b.md\" }; layer c { file \"c.md\" }";
    let manifest = MANIFEST.replace("layer a { file \"a.md\" }", layers);
    trap.place.file("promptc.kdl", manifest);
    trap.place.file("b.md", "b");
    trap.place.file("c.md", "c");
    commit(&trap.place);
    trap.set(&PARTIAL);
    trap.set(PROMISORS[0]);
    trap.thin(&["HEAD:a.md", "HEAD:c.md"]);
    let args = ["diff", "git:HEAD"];
    let ran = trap.place.run(&args).exits(3);
    let lacks = ran.stderr.matches("does not have the object").count();
    assert!(
        lacks == 2 && !ran.stderr.contains("`b.md`"),
        "{}",
        ran.stderr
    );
}

/// Gits before 2.38 and 2.44 know nothing of what keeps the newer ones from it.
#[test]
fn an_old_git_runs_nothing_either() {
    let trap = Trap::new();
    let real = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|folder| folder.join("git"))
        .find(|file| fs::metadata(file).is_ok());
    let script = format!(
        "#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nfor a; do\nshift\ncase $a in\nsafe.bareRepository=*) a=x.y=z ;;\nesac\n\
         set -- \"$@\" \"$a\"\ndone\nexec {} \"$@\"\n",
        real.unwrap().display()
    );
    let old = trap.aside.file("old/git", "");
    fs::set_permissions(&old, fs::Permissions::from_mode(0o755)).unwrap();
    // Written by another process: what one of ours has open for writing cannot be run.
    let mut write = std::process::Command::new("sh");
    write.args(["-c", "printf %s \"$1\" > \"$2\"", "sh", &script]);
    assert!(write.arg(&old).status().unwrap().success());
    // The program of the only protocol that is left, in the repository.
    let remote = trap.place.file("bin/git-remote-none", "");
    fs::copy(trap.program(), remote).unwrap();
    let path = format!(
        "bin:{}:{}",
        old.parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    let path = [("PATH", &*path)];
    embed(&trap, "..");
    trap.answered("evil", "HEAD", &path);
    trap.set(&PARTIAL);
    trap.set(PROMISORS[0]);
    trap.thin(&["HEAD:a.md", "HEAD:promptc.lock"]);
    trap.refused("", "HEAD", &path);
    git(&trap.place, &["config", "remote.o.url", "none::x"]);
    trap.refused("", "HEAD", &path);
}

/// All settings that name a program, in a repository that lies elsewhere than its folder says.
fn armed() -> Trap {
    let trap = Trap::new();
    let place = &trap.place;
    place.file(".gitattributes", "* filter=f diff=d merge=m text\n");
    place.file(
        ".gitmodules",
        "[submodule \"s\"]\npath = s\nurl = ext::run\nupdate = !run\n",
    );
    commit(place);
    trap.set(&[
        ("core.pager", "RUN"),
        ("core.editor", "RUN"),
        ("core.sshCommand", "RUN"),
        ("core.gitProxy", "RUN"),
        ("core.askPass", "RUN"),
        ("core.alternateRefsCommand", "RUN"),
        ("core.attributesFile", "/dev/zero"),
        ("credential.helper", "!RUN"),
        ("diff.external", "RUN"),
        ("diff.d.command", "RUN"),
        ("diff.d.textconv", "RUN"),
        ("filter.f.smudge", "RUN"),
        ("filter.f.clean", "RUN"),
        ("filter.f.process", "RUN"),
        ("merge.m.driver", "RUN"),
        ("gpg.program", "RUN"),
        ("log.showSignature", "true"),
        ("pager.rev-parse", "RUN"),
        ("pager.ls-tree", "RUN"),
        ("pager.cat-file", "RUN"),
        ("alias.rev-parse", "!RUN"),
        ("alias.ls-tree", "!RUN"),
        ("alias.cat-file", "!RUN"),
        ("submodule.s.url", "ext::RUN"),
        ("submodule.s.active", "true"),
        ("protocol.ext.allow", "always"),
    ]);
    let hooks = trap.aside.path().join("hooks");
    for hook in [
        "fsmonitor-watchman",
        "reference-transaction",
        "post-index-change",
    ] {
        trap.executable(&format!("hooks/{hook}"));
    }
    let traced = trap.mark().display().to_string();
    let more = trap.aside.file(
        "more",
        format!(
            "[core]\nfsmonitor = {}\nhooksPath = {}\n",
            trap.program(),
            hooks.display()
        ),
    );
    trap.set(&[
        ("include.path", more.to_str().unwrap()),
        ("trace2.eventTarget", &traced),
        ("trace2.normalTarget", &traced),
        ("trace2.perfTarget", &traced),
    ]);
    // The folder itself only says where it is, and its objects are those of another.
    let inside = trap.aside.path().join("inside");
    fs::rename(place.path().join(".git"), &inside).unwrap();
    place.file(".git", format!("gitdir: {}\n", inside.display()));
    let objects = trap.aside.path().join("objects");
    fs::rename(inside.join("objects"), &objects).unwrap();
    let alternates = format!("{}\n/dev/zero\n/nowhere\n", objects.display());
    trap.aside
        .file("inside/objects/info/alternates", alternates);
    trap
}

#[test]
fn no_setting_of_a_repository_names_a_program_that_is_run() {
    let trap = armed();
    for revision in ["HEAD", "main~1"] {
        trap.answered("", revision, &[]);
    }
    // The index is what `core.fsmonitor` is asked about.
    trap.refused("", ":0:a.md", &[]);
    trap.refused("", "HEAD:a.md", &[]);
    // Nor do the caller's variables name one that this is for.
    let program = trap.program();
    let variables = [
        "GIT_PAGER",
        "PAGER",
        "GIT_EXTERNAL_DIFF",
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_PROXY_COMMAND",
        "GIT_ASKPASS",
        "SSH_ASKPASS",
        "GIT_EDITOR",
    ];
    let variables: Vec<_> = variables.map(|name| (name, &*program)).into();
    trap.answered("", "HEAD", &variables);
    // A work tree that lies elsewhere is the caller's or the owner's word, and runs nothing.
    trap.set(&[("core.worktree", "/")]);
    trap.all("", "HEAD", &[]);
}

#[test]
fn replaced_and_grafted_commits_run_nothing() {
    let trap = Trap::new();
    let head = git(&trap.place, &["rev-parse", "HEAD"]);
    let first = git(&trap.place, &["rev-parse", "HEAD~1"]);
    let grafts = format!("{head} {first} {first}\n");
    trap.place.file(".git/info/grafts", grafts);
    trap.answered("", "HEAD^2", &[]);
    git(&trap.place, &["replace", "HEAD", "HEAD~1"]);
    trap.answered("", "HEAD", &[]);
}

/// Relative folders in PATH belong to the repository.
#[test]
fn a_git_in_the_repository_is_not_run() {
    let trap = Trap::new();
    let place = &trap.place;
    for at in ["git", "bin/git"] {
        fs::create_dir_all(place.path().join(at).parent().unwrap()).unwrap();
        fs::copy(trap.program(), place.path().join(at)).unwrap();
    }
    let rest = std::env::var("PATH").unwrap();
    for relative in ["", ".", "bin", "./bin", "bin/../bin"] {
        let path = format!("{relative}:{rest}");
        trap.answered("", "HEAD", &[("PATH", &path)]);
        for ran in trap.all("", "HEAD", &[("PATH", relative)]) {
            assert_eq!(ran.code, 3, "{}", ran.stderr);
            ran.says("[no-git]");
        }
    }
}

#[test]
fn only_the_name_of_a_commit_is_a_revision() {
    let trap = armed();
    let (long, steps) = ("a".repeat(60_000), "~1".repeat(3_000));
    let plain = "-x --output=x --all --help :a.md :0:a.md :/one :/!-one HEAD: HEAD:a.md HEAD^{/one} HEAD^{tree} \
                 HEAD^{blob} HEAD^{object} HEAD^{ HEAD..main HEAD...main .. ^HEAD HEAD^@ HEAD^! HEAD^-1 HEAD@{ \
                 HEAD@{} HEAD@ ma* ma?n [m]ain main\\ ~ ^ @{ @{}";
    let spaced = ["a b", "main\n", "\u{1b}[2J", "main\u{7f}", &long, &steps];
    for odd in plain.split_whitespace().chain(spaced) {
        let ran = trap.place.run(&["diff", &format!("git:{odd}")]).exits(2);
        assert!(
            ran.stderr.contains("[unknown-revision]"),
            "{odd:.60}: {}",
            ran.stderr
        );
        let control = |c: char| c.is_control() && c != '\n';
        assert!(!ran.stderr.contains(control), "{odd:?}: {}", ran.stderr);
    }
    for odd in ["", "--all", "-x", "HEAD:a.md", ":0:a.md"] {
        let ran = trap
            .place
            .run(&["test", &format!("--against={odd}")])
            .exits(2);
        assert!(
            ran.stderr.contains("[unknown-revision]"),
            "{odd}: {}",
            ran.stderr
        );
    }
    assert!(fs::metadata(trap.mark()).is_err());
    let ran = trap.place.run(&["diff", "git:HEAD:a.md"]);
    for words in ["`HEAD:a.md` is not the name of a commit", "`HEAD~2`"] {
        ran.says(words);
    }
}

#[test]
fn every_name_of_a_commit_is_a_revision() {
    let trap = Trap::new();
    let place = &trap.place;
    git(place, &["tag", "v1.0"]);
    git(place, &["tag", "-a", "-m", "x", "v2.0"]);
    git(place, &["checkout", "-q", "-b", "feature/ü+{x}"]);
    git(place, &["branch", "-q", "--set-upstream-to=main"]);
    git(
        place,
        &["branch", "-q", "--set-upstream-to=feature/ü+{x}", "main"],
    );
    git(place, &["update-ref", "refs/remotes/origin/main", "HEAD"]);
    let head = git(place, &["rev-parse", "HEAD"]);
    let described = format!("v2.0-0-g{}", &head[..9]);
    let plain = "HEAD @ main heads/main refs/heads/main origin/main v1.0 v2.0 v2.0^{} v2.0^{commit} HEAD~ HEAD~1 \
                 HEAD^ HEAD^1 HEAD^^0 main@{upstream}~0 @{u} @{-1} main@{0} main@{1} main@{now}~1^0 \
                 feature/ü+{x} feature/ü+{x}~1";
    let others = ["HEAD@{2030-01-01 10:00:00}", &head, &head[..7], &described];
    for name in plain.split_whitespace().chain(others) {
        let ran = place.run(&["diff", &format!("git:{name}")]);
        assert!(ran.code < 2, "{name}: {}", ran.stderr);
    }
}

/// Trees that hold each other have more paths than there is memory.
#[test]
fn a_tree_of_trees_ends() {
    let trap = Trap::new();
    let mut object = git(&trap.place, &["rev-parse", "HEAD^{tree}"]);
    for _ in 0..9 {
        let lines = (0..20).map(|n| format!("040000 tree {object}\t{}{n:02}\n", "x".repeat(198)));
        let lines: String = lines.collect();
        let input = trap.aside.file("tree", lines);
        let mut mktree = std::process::Command::new("git");
        mktree.arg("mktree").current_dir(trap.place.path());
        mktree.stdin(fs::File::open(input).unwrap());
        let out = mktree.output().unwrap();
        object = String::from_utf8(out.stdout).unwrap().trim().to_owned();
    }
    let bomb = git(&trap.place, &["commit-tree", "-m", "bomb", &object]);
    let ran = trap.place.run(&["diff", &format!("git:{bomb}")]).exits(3);
    ran.says("256 MiB");
}
