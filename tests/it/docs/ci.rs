//! The scripts for CI, run as they are written: the steps of `action.yml`, the hooks, and the recipes of `docs/ci.md`, in real
//! repositories and in clones as CI makes them.

use super::release::repository;
use crate::docs::markdown::{Page, pages, span, top};
use crate::run::{PROGRAM, Place, Ran, run};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(super) type Words = BTreeMap<String, String>;

#[derive(Debug, Deserialize)]
pub(super) struct Action {
    inputs: BTreeMap<String, Input>,
    outputs: BTreeMap<String, Output>,
    pub(super) runs: Runs,
}

#[derive(Debug, Deserialize)]
struct Input {
    description: String,
    default: String,
}

#[derive(Debug, Deserialize)]
struct Output {
    value: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Runs {
    using: String,
    pub(super) steps: Vec<Step>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Step {
    name: String,
    id: Option<String>,
    r#if: Option<String>,
    shell: String,
    working_directory: Option<String>,
    #[serde(default)]
    env: Words,
    run: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Hook {
    pub(super) id: String,
    pub(super) entry: String,
    pub(super) language: String,
    #[serde(default)]
    always_run: bool,
    #[serde(default = "yes")]
    pass_filenames: bool,
    #[serde(default)]
    files: String,
}

/// The default of pre-commit for hooks that do not say whether they take file names.
fn yes() -> bool {
    true
}

#[derive(Debug, Deserialize)]
struct Workflow {
    jobs: BTreeMap<String, Job>,
}

#[derive(Debug, Deserialize)]
struct Job {
    steps: Vec<Use>,
}

#[derive(Debug, Deserialize)]
struct Use {
    uses: String,
    #[serde(default)]
    with: Words,
}

#[derive(Debug, Deserialize)]
struct Script {
    script: Vec<String>,
}

pub(super) fn yaml<T: DeserializeOwned>(text: &str) -> T {
    serde_saphyr::from_str(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

pub(super) fn action() -> Action {
    yaml(&fs::read_to_string(top().join("action.yml")).unwrap())
}

/// The environment of a job when a step starts.
pub(super) struct Running<'a> {
    pub(super) inputs: Words,
    base_ref: &'a str,
    /// Where the runner put the action.
    action: &'a Path,
    /// Variables of the job.
    pub(super) env: Words,
    pub(super) outputs: BTreeMap<String, Words>,
    failed: bool,
    pub(super) room: Place,
}

/// The result of the action.
struct Done {
    /// Name, exit code and output of each step that ran.
    steps: Vec<(String, i32, String)>,
    summary: String,
    /// The outputs of the action.
    job: Words,
    _room: Place,
}

impl Done {
    fn step(&self, name: &str) -> Option<(i32, &str)> {
        let step = self.steps.iter().find(|(n, ..)| n == name);
        step.map(|(_, code, output)| (*code, output.as_str()))
    }

    fn codes(&self) -> Vec<i32> {
        self.steps.iter().map(|(_, code, _)| *code).collect()
    }

    fn told(&self) -> String {
        let steps = self.steps.iter();
        let told = steps.map(|(name, code, output)| format!("== {name}: {code}\n{output}"));
        told.collect::<String>() + &self.summary
    }
}

impl<'a> Running<'a> {
    pub(super) fn new(base_ref: &'a str, action: &'a Path) -> Self {
        Self {
            inputs: Words::new(),
            base_ref,
            action,
            env: Words::new(),
            outputs: BTreeMap::new(),
            failed: false,
            room: Place::new(),
        }
    }

    /// A value of the action's expressions.
    fn value(&self, expression: &str) -> String {
        let path: Vec<&str> = expression.trim().split('.').collect();
        match path[..] {
            ["inputs", name] => self.inputs[name].clone(),
            ["github", "base_ref"] => self.base_ref.to_owned(),
            ["steps", id, "outputs", name] => {
                let output = self.outputs.get(id).and_then(|o| o.get(name));
                output.cloned().unwrap_or_default()
            }
            _ => panic!("the tests do not know `{expression}`"),
        }
    }

    fn filled(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once("${{") {
            let (expression, behind) = behind.split_once("}}").unwrap();
            out += before;
            out += &self.value(expression);
            rest = behind;
        }
        out + rest
    }

    fn holds(&self, condition: Option<&str>) -> bool {
        let Some(condition) = condition else {
            return !self.failed;
        };
        let inner = condition.trim_start_matches("${{").trim_end_matches("}}");
        inner.split("&&").map(str::trim).all(|part| {
            let same = |(value, literal): (&str, &str)| {
                self.value(value) == literal.trim_matches([' ', '\''])
            };
            match (part.split_once("=="), part.split_once("!=")) {
                (Some(sides), _) => same(sides),
                (_, Some(sides)) => !same(sides),
                _ => part == "!cancelled()",
            }
        })
    }

    /// Runs a step as GitHub does.
    pub(super) fn run(&mut self, step: &Step, clone: &Path) -> (i32, String) {
        assert_eq!(step.shell, "bash");
        let script = self
            .room
            .file("script.sh", format!("exec 2>&1\n{}", step.run));
        let files = ["output", "summary"].map(|name| self.room.path().join(name));
        let folder = step.working_directory.as_deref().unwrap_or(".");
        let mut command = bash(&clone.join(self.filled(folder)));
        command
            .args(["--noprofile", "--norc", "-eo", "pipefail"])
            .arg(script)
            .env("GITHUB_OUTPUT", &files[0])
            .env("GITHUB_STEP_SUMMARY", &files[1])
            .env("GITHUB_ACTION_PATH", self.action)
            .env("RUNNER_TEMP", self.room.path().join("temp"))
            .envs(&self.env)
            .envs(
                step.env
                    .iter()
                    .map(|(name, text)| (name, self.filled(text))),
            );
        fs::create_dir_all(self.room.path().join("temp")).unwrap();
        let ran = run(command, b"");
        self.failed |= ran.code != 0;
        let output = fs::read_to_string(&files[0]).unwrap_or_default();
        let _ = fs::remove_file(&files[0]);
        if let Some(id) = &step.id {
            let lines = output.lines().map(|l| l.split_once('=').unwrap());
            let known = self.outputs.entry(id.clone()).or_default();
            known.extend(lines.map(|(name, value)| (name.to_owned(), value.to_owned())));
        }
        (ran.code, ran.stdout().to_owned())
    }
}

/// Runs the whole action in a clone.
fn act(clone: &Path, base_ref: &str, with: &[(&str, &str)]) -> Done {
    let action = action();
    let mut job = Running::new(base_ref, top());
    for (name, input) in &action.inputs {
        let given = with.iter().find(|(n, _)| n == name);
        let value = given.map_or_else(|| job.filled(&input.default), |(_, v)| (*v).to_owned());
        job.inputs.insert(name.clone(), value);
    }
    let mut steps = Vec::new();
    for step in &action.runs.steps {
        if job.holds(step.r#if.as_deref()) {
            let (code, output) = job.run(step, clone);
            steps.push((step.name.clone(), code, output));
        }
    }
    let outputs = action.outputs.iter();
    let summary = fs::read_to_string(job.room.path().join("summary"));
    Done {
        steps,
        summary: summary.unwrap_or_default(),
        job: outputs
            .map(|(n, o)| (n.clone(), job.filled(&o.value)))
            .collect(),
        _room: job.room,
    }
}

/// A shell in `folder`, where `promptc` is the program and git asks for nothing.
pub(super) fn bash(folder: &Path) -> Command {
    let mut command = Command::new("bash");
    let path = std::env::var("PATH").unwrap();
    let program = Path::new(PROGRAM).parent().unwrap().display();
    command
        .current_dir(folder)
        .env_clear()
        .env("PATH", format!("{program}:{path}"))
        .env("HOME", "/nowhere")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_TERMINAL_PROMPT", "0");
    for who in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{who}_NAME"), "Test")
            .env(format!("GIT_{who}_EMAIL"), "test@example.org");
    }
    command
}

pub(super) fn sh(folder: &Path, script: &str) -> Ran {
    let mut command = bash(folder);
    command.args(["-euc", &format!("exec 2>&1\n{script}")]);
    run(command, b"")
}

pub(super) fn must(folder: &Path, script: &str) -> String {
    let ran = sh(folder, script);
    assert_eq!(ran.code, 0, "{script}\n{}", ran.stdout());
    ran.stdout().to_owned()
}

pub(super) const MANIFEST: &str = r##"promptc 1
root workspace default="."
fact who string default=you
tier stable changes=session {
    layer rules { file "AGENTS.md" }
    layer notes { file "NOTES.md" }
}
tier live changes=day { layer user { template "I help {{ who }}." } }
scenario guest { }
scenario member { set who Ann }
"##;

/// A repository with several commits. `main` has gone on since `change` left it; `merged` is what would come of both.
pub(super) fn origin() -> Place {
    let place = Place::new();
    place.file("origin/promptc.kdl", MANIFEST);
    place.file("origin/AGENTS.md", "Run the linter.\n");
    place.file("origin/NOTES.md", "Nothing yet.\n");
    must(
        &place.path().join("origin"),
        "git init --quiet --initial-branch=main
        git commit --quiet --allow-empty --message first
        git branch before
        promptc test --accept --quiet
        git add .; git commit --quiet --message prompts
        echo '# about' > README.md; git add .; git commit --quiet --message about
        git checkout --quiet -b change
        echo 'Run both linters.' > AGENTS.md; git commit --quiet --all --message edit
        promptc test --accept --quiet; git commit --quiet --all --message record
        git checkout --quiet main
        echo 'Call the owner first.' > NOTES.md; promptc test --accept --quiet
        git commit --quiet --all --message notes
        git checkout --quiet -b merged
        git merge --quiet --no-commit change > /dev/null || true
        promptc test --accept --quiet; git add .; git commit --quiet --message merge
        git checkout --quiet main",
    );
    place
}

/// A clone as CI makes it.
pub(super) fn clone(place: &Place, branch: &str, how: &str) -> PathBuf {
    let url = format!("file://{}", place.path().join("origin").display());
    must(
        place.path(),
        &format!("git clone --quiet {how} --branch {branch} {url} clone"),
    );
    place.path().join("clone")
}

const USE: (&str, &str) = ("promptc", "promptc");

#[test]
fn the_action_checks_a_pull_request_in_a_shallow_clone_of_its_merge() {
    let place = origin();
    let clone = clone(&place, "merged", "--depth 1");
    let done = act(&clone, "main", &[USE, ("scenarios", "guest\nmember")]);
    assert_eq!(done.codes(), [0, 0, 0, 0, 0], "{}", done.told());
    let (_, told) = done.step("promptc diff").unwrap();
    assert_eq!(told.matches("::warning").count(), 2, "{told}");
    assert!(
        told.contains("AGENTS.md") && told.contains("`rules`"),
        "{told}"
    );
    // Later changes of main are on both sides.
    assert!(
        !told.contains("NOTES.md") && !done.summary.contains("NOTES.md"),
        "{}",
        done.told()
    );
    for scenario in ["guest", "member"] {
        let heading = format!("## Prompt of the scenario `{scenario}`\n");
        assert!(done.summary.contains(&heading), "{}", done.summary);
    }
    assert!(done.summary.contains("broke"), "{}", done.summary);
    let junit = fs::read_to_string(&done.job["junit"]).unwrap();
    assert!(
        junit.contains("guest") && junit.contains("member"),
        "{junit}"
    );
    assert_eq!(must(&clone, "git status --porcelain"), "");
}

#[test]
fn a_break_in_a_guarded_tier_fails_the_job_and_is_still_reported() {
    let place = origin();
    let clone = clone(&place, "merged", "--depth 1");
    let done = act(&clone, "main", &[USE, ("fail-on", "break=stable")]);
    assert_eq!(done.codes(), [0, 0, 0, 0, 1], "{}", done.told());
    assert!(done.summary.contains("broke"), "{}", done.summary);
    let unknown = act(&clone, "main", &[USE, ("fail-on", "break=stabel")]);
    assert_eq!(unknown.codes(), [0, 0, 0, 0, 2], "{}", unknown.told());
}

#[test]
fn a_break_that_was_accepted_passes_and_its_reason_is_in_the_summary() {
    let place = origin();
    let clone = clone(&place, "merged", "--depth 1");
    must(&clone, "git fetch --quiet --depth=1 origin main");
    let accept = "test --accept --because 'Fewer words.' --against FETCH_HEAD";
    must(&clone, &format!("{PROGRAM} {accept}"));
    must(&clone, "git add . && git commit --quiet --message accepted");
    let inputs = [
        USE,
        ("fail-on", "break=stable"),
        ("scenarios", "guest\nmember"),
    ];
    let done = act(&clone, "main", &inputs);
    assert_eq!(done.codes(), [0, 0, 0, 0, 0], "{}", done.told());
    assert!(done.summary.contains("Fewer words."), "{}", done.summary);
}

#[test]
fn a_prompt_without_its_record_fails_the_test_and_the_difference_is_shown_too() {
    let place = origin();
    let clone = clone(&place, "main", "--depth 1");
    fs::write(clone.join("AGENTS.md"), "Run no linter.\n").unwrap();
    let done = act(&clone, "main", &[USE]);
    assert_eq!(done.codes(), [0, 0, 0, 1, 0], "{}", done.told());
    assert!(done.summary.contains("AGENTS.md"), "{}", done.summary);
    let without = act(&clone, "main", &[USE, ("test", "false")]);
    assert_eq!(without.codes(), [0, 0, 0, 0], "{}", without.told());
}

#[test]
fn findings_are_annotations_and_fail_the_job_on_request() {
    let place = origin();
    let clone = clone(&place, "main", "--depth 1");
    let lively = MANIFEST.replace("tier live changes=day", "tier live changes=turn");
    fs::write(clone.join("promptc.kdl"), &lively).unwrap();
    let with = [USE, ("test", "false")];
    let told = act(&clone, "", &with);
    assert_eq!(told.codes(), [0, 0, 0], "{}", told.told());
    let (_, annotations) = told.step("promptc check").unwrap();
    let line = "::warning file=promptc.kdl,line=8,title=promptc turn-tier-in-system::";
    assert!(annotations.contains(line), "{annotations}");
    let log = fs::read_to_string(&told.job["sarif"]).unwrap();
    assert!(log.contains("\"turn-tier-in-system\""));

    let denied = act(
        &clone,
        "",
        &[&with[..], &[("fail-on", "warnings")]].concat(),
    );
    assert_eq!(denied.codes(), [0, 0, 1], "{}", denied.told());
    let other = act(
        &clone,
        "",
        &[&with[..], &[("fail-on", "unused-waiver")]].concat(),
    );
    assert_eq!(other.codes(), [0, 0, 0], "{}", other.told());
    let left_out = act(&clone, "", &[&with[..], &[("check", "false")]].concat());
    assert_eq!(left_out.codes(), [0, 0], "{}", left_out.told());

    let broken = lively.replace("tier live changes=turn", "tier live changes=never");
    fs::write(clone.join("promptc.kdl"), broken).unwrap();
    let failed = act(&clone, "", &with);
    assert_eq!(failed.codes(), [0, 0, 1], "{}", failed.told());
}

#[test]
fn without_a_base_or_without_a_manifest_there_nothing_is_compared() {
    let place = origin();
    let clone = clone(&place, "main", "--depth 1");
    let push = act(&clone, "", &[USE]);
    assert_eq!(push.codes(), [0, 0, 0, 0], "{}", push.told());
    let first = act(&clone, "before", &[USE]);
    assert_eq!(first.codes(), [0, 0, 0, 0, 0], "{}", first.told());
    let (_, told) = first.step("promptc diff").unwrap();
    assert!(
        told.contains("::notice") && told.contains("nothing is compared"),
        "{told}"
    );
    let same = act(&clone, "main", &[USE]);
    assert_eq!(same.codes(), [0, 0, 0, 0, 0], "{}", same.told());
    let unknown = act(&clone, "nowhere", &[USE]);
    assert_ne!(unknown.step("promptc diff").unwrap().0, 0);
}

#[test]
fn a_whole_clone_keeps_its_history() {
    let place = origin();
    let clone = clone(&place, "change", "");
    let before = must(&clone, "git rev-list --count HEAD");
    let base = must(&clone, "git merge-base origin/main HEAD");
    let done = act(&clone, "main", &[USE, ("base", base.trim())]);
    assert_eq!(done.codes(), [0, 0, 0, 0, 0], "{}", done.told());
    // From where the branch left, it shows the branch alone.
    assert!(!done.told().contains("NOTES.md"), "{}", done.told());
    assert_eq!(must(&clone, "git rev-list --count HEAD"), before);
    assert_eq!(
        must(&clone, "git rev-parse --is-shallow-repository"),
        "false\n"
    );
}

#[test]
fn inputs_are_never_run() {
    let place = origin();
    let clone = clone(&place, "main", "--depth 1");
    let evil = "$(touch pwned) `touch pwned`; touch pwned # ' \" \\ * ${{ x }}";
    let fact = format!("--set\nwho={evil}\n");
    let done = act(&clone, "main", &[USE, ("arguments", &fact)]);
    assert_eq!(done.codes(), [0, 0, 0, 0, 0], "{}", done.told());
    for (name, code) in [
        ("base", 128),
        ("fail-on", 2),
        ("scenarios", 2),
        ("manifest", 2),
        ("promptc", 2),
    ] {
        let done = act(
            &clone,
            "main",
            &[USE, (name, evil)][usize::from(name == "promptc")..],
        );
        let worst = done.codes().into_iter().max().unwrap();
        assert_eq!(worst, code, "{name}: {}", done.told());
    }
    let option = act(
        &clone,
        "main",
        &[USE, ("base", "--upload-pack=touch pwned")],
    );
    assert_eq!(option.step("promptc diff").unwrap().0, 2);
    assert_eq!(must(&clone, "git status --porcelain --ignored"), "");
}

/// The steps that need no base and no record: they hold in every build.
#[test]
fn the_action_builds() {
    let place = Place::new();
    place.file("agent files/promptc.kdl", MANIFEST);
    place.file("agent files/AGENTS.md", "Run the linter.\n");
    let here = [
        ("working-directory", "agent files"),
        ("test", "false"),
        ("scenarios", "guest\n\nmember\n"),
    ];
    let given = act(place.path(), "", &[&here[..], &[USE]].concat());
    assert_eq!(given.codes(), [0, 0, 0], "{}", given.told());
    assert_eq!(given.job["promptc"], PROGRAM);
    let (_, told) = given.step("promptc build").unwrap();
    assert_eq!(told.matches("rules").count(), 2, "{told}");

    let wrong = act(place.path(), "main", &[("promptc", "./nothing")]);
    assert_eq!(wrong.codes(), [2], "{}", wrong.told());
}

#[test]
fn no_input_is_put_into_a_script_and_nothing_is_used_that_could_change() {
    let action = action();
    assert_eq!(action.runs.using, "composite");
    for step in &action.runs.steps {
        assert!(!step.run.contains("${{"), "{}", step.name);
        assert!(step.run.starts_with("set -euo pipefail\n"), "{}", step.name);
    }
    // Every step is a script (the reader takes no other field), so there is nothing to pin but the action itself.
    let page = Page::read("docs/ci.md");
    let rows = page
        .rows
        .iter()
        .filter(|(section, _)| page.heading(*section) == "GitHub");
    let shown: Vec<String> = rows.filter_map(|(_, row)| span(&row[0])).collect();
    let mut inputs: Vec<&String> = action.inputs.keys().collect();
    inputs.sort_by_key(|name| shown.iter().position(|s| s == *name));
    assert_eq!(shown.iter().collect::<Vec<_>>(), inputs);
    assert!(action.inputs.values().all(|i| i.description.ends_with('.')));
}

/// The fences of docs/ci.md under a heading.
fn fences(heading: &str, language: &str) -> Vec<(String, i32)> {
    let page = Page::read("docs/ci.md");
    let fences = page.fences.iter();
    let fences = fences.filter(|f| page.heading(f.section) == heading && f.language() == language);
    let exit = |code: Option<&str>| code.map_or(0, |c| c.parse().unwrap());
    let found: Vec<_> = fences
        .map(|f| (f.text.clone(), exit(f.order("exit"))))
        .collect();
    assert!(!found.is_empty(), "{heading}: no {language}");
    found
}

#[test]
fn the_documented_workflow_sets_only_inputs_of_the_action() {
    let action = action();
    let [(text, _)] = &fences("GitHub", "yaml")[..] else {
        panic!("one workflow");
    };
    let workflow: Workflow = yaml(text);
    let uses: Vec<&Use> = workflow.jobs.values().flat_map(|job| &job.steps).collect();
    let ours = uses.iter().find(|u| u.uses.contains("/promptc@")).unwrap();
    assert!(
        ours.with
            .keys()
            .all(|name| action.inputs.contains_key(name))
    );
    let place = origin();
    let clone = clone(&place, "merged", "--depth 1");
    let mut with: Vec<(&str, &str)> = ours
        .with
        .iter()
        .map(|(n, v)| (n.as_str(), v.as_str()))
        .collect();
    with.push(USE);
    // It guards the tier that the change breaks.
    assert_eq!(act(&clone, "main", &with).codes(), [0, 0, 0, 0, 1]);
}

#[test]
fn every_workflow_of_a_page_sets_only_inputs_of_the_action() {
    let action = action();
    let mut seen = 0;
    for page in pages() {
        for fence in page.fences.iter().filter(|f| f.text.contains("/promptc@")) {
            let workflow: Workflow = yaml(&fence.text);
            let steps = workflow.jobs.values().flat_map(|job| &job.steps);
            for step in steps.filter(|s| s.uses.contains("/promptc@")) {
                let unknown = step.with.keys().find(|k| !action.inputs.contains_key(*k));
                assert_eq!(unknown, None, "{}", page.place(fence));
                seen += 1;
            }
        }
    }
    assert!(
        seen >= 2,
        "the pages about CI and the tutorial use the action"
    );
}

#[test]
fn the_recipes_run_in_clones() {
    let place = origin();
    let shallow = clone(&place, "merged", "--depth 1");
    for (script, code) in fences("The base of a comparison", "bash") {
        let ran = sh(&shallow, &script);
        assert_eq!(ran.code, code, "{script}\n{}", ran.stdout());
        ran.shows("AGENTS.md");
    }
    let [(text, _)] = &fences("GitLab", "yaml")[..] else {
        panic!("one job");
    };
    let jobs: BTreeMap<String, Script> = yaml(text);
    let script = jobs["prompt"].script.join("\n");
    let ran = sh(
        &shallow,
        &format!(
            "CI_MERGE_REQUEST_DIFF_BASE_SHA=$(git ls-remote origin main | cut -f 1)\n{script}"
        ),
    );
    assert_eq!(ran.code, 1, "{script}\n{}", ran.stdout());
    let written = fs::read_to_string(shallow.join("prompt.md")).unwrap();
    assert!(written.contains("AGENTS.md") && shallow.join("promptc-junit.xml").exists());

    let other = origin();
    let whole = clone(&other, "merged", "");
    for (script, code) in fences("Any other CI, or a shell", "bash") {
        let ran = sh(&whole, &script);
        assert_eq!(ran.code, code, "{script}\n{}", ran.stdout());
    }
}

/// The hooks for a command, each with the command line that pre-commit makes of it.
pub(super) fn hooks(command: &str, repository: &Path) -> Vec<(Hook, String)> {
    let hooks: Vec<Hook> = yaml(&fs::read_to_string(top().join(".pre-commit-hooks.yaml")).unwrap());
    let start = format!("promptc-{command}");
    let of = hooks.into_iter().filter(|hook| hook.id.starts_with(&start));
    let line = |hook: Hook| {
        let line = match &*hook.language {
            "script" => repository.join(&hook.entry).display().to_string(),
            _ => hook.entry.clone(),
        };
        (hook, line)
    };
    let hooks: Vec<_> = of.map(line).collect();
    let kinds = hooks
        .iter()
        .map(|(hook, _)| (&hook.id[start.len()..], &*hook.language));
    let kinds: Vec<_> = kinds.collect();
    assert_eq!(
        kinds,
        [("", "rust"), ("-release", "script"), ("-system", "system")]
    );
    hooks
}

#[test]
fn the_hooks_run_with_a_promptc_of_each_origin() {
    let place = origin();
    let clone = clone(&place, "main", "--depth 1");
    let repository = repository();
    let code = |line: &str| sh(&clone, line).code;
    for (hook, line) in hooks("test", repository.path()) {
        assert!(hook.always_run && !hook.pass_filenames);
        assert_eq!(code(&line), 0, "{line}");
        must(&clone, "echo 'Run no linter.' > AGENTS.md");
        assert_eq!(code(&line), 1, "{line}");
        must(&clone, "git checkout --quiet .");
    }
    let lively = MANIFEST.replace("tier live changes=day", "tier live changes=turn");
    for (hook, line) in hooks("check", repository.path()) {
        assert!(hook.always_run && !hook.pass_filenames);
        assert_eq!(code(&line), 0, "{line}");
        // It fails for warnings too.
        fs::write(clone.join("promptc.kdl"), &lively).unwrap();
        assert_eq!(code(&line), 1, "{line}");
        must(&clone, "git checkout --quiet .");
    }
    for (hook, line) in hooks("fmt", repository.path()) {
        assert!(hook.pass_filenames && !hook.always_run);
        let files = must(&clone, &format!("git ls-files | grep -E '{}'", hook.files));
        assert_eq!(files, "promptc.kdl\n");
        let line = format!("{line} promptc.kdl");
        // pre-commit fails a commit whose files a hook changed; formatted files stay unchanged.
        must(&clone, &format!("{line} && cp promptc.kdl once && {line}"));
        must(&clone, "cmp promptc.kdl once");
        fs::write(clone.join("promptc.kdl"), "tier {\n").unwrap();
        assert_eq!(code(&line), 2, "{line}");
        must(&clone, "git checkout --quiet .");
    }
    let [(text, _)] = &fences("pre-commit", "yaml")[..] else {
        panic!("one configuration");
    };
    for command in ["test", "check", "fmt"] {
        assert!(
            text.contains(&format!("- id: promptc-{command}\n")),
            "{command}"
        );
    }
}
