//! The apps of `docs/sessions.md`, run as they are shown, with the manifest that is shown above them.
//!
//! With `PROMPTC_TSC` that program checks the one in TypeScript and makes it JavaScript; without it the types are taken out
//! here.

use crate::docs::markdown::{Fence, Page, top};
use crate::run::{PROGRAM, Place, Ran, run};
use serde_json::{Value as Json, json};
use std::path::Path;
use std::process::Command;

/// The type annotations of the app in TypeScript. None of these words is used otherwise in it, and a type has no
/// effect, so the rest runs like the output of the compiler.
const TYPES: [&str; 5] = [
    ": Record<string, string>",
    ": string[]",
    ": string",
    ": object",
    ": any",
];

fn page() -> Page {
    Page::read("docs/sessions.md")
}

fn snippet<'a>(page: &'a Page, language: &str) -> &'a str {
    let is_it = |f: &&Fence| f.language() == language && f.orders() == ["app"];
    let fence = page.fences.iter().find(is_it);
    let text = &fence.expect("the page shows one").text;
    let lines = text.lines().filter(|line| *line != "}");
    assert_eq!(lines.count(), 5, "so many are promised");
    text
}

/// The agent of the page.
fn lay_out(page: &Page) -> Place {
    let place = Place::new();
    let manifest = page.fences.iter().find(|f| f.language() == "kdl").unwrap();
    place.file("promptc.kdl", &manifest.text);
    let memory = page
        .fences
        .iter()
        .find(|f| f.order("file").is_some())
        .unwrap();
    place.file(memory.order("file").unwrap(), &memory.text);
    place
}

fn exists(program: &str) -> bool {
    let there = Command::new(program)
        .arg("--version")
        .output()
        .is_ok_and(|o| o.status.success());
    if !there {
        println!("skipped: there is no {program}");
    }
    there
}

/// Calls `prompt(…)` of an app with these arguments, by a program that prints what it gives.
fn call(place: &Place, driver: &[&str], arguments: &Json) -> Ran {
    let own = Path::new(PROGRAM).parent().unwrap().to_owned();
    let others = std::env::var_os("PATH").unwrap();
    let path = std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&others)));
    let mut command = Command::new(driver[0]);
    command.args(&driver[1..]).arg(arguments.to_string());
    command.current_dir(place.path()).env("PATH", path.unwrap());
    run(command, b"")
}

/// A conversation: the first turn, one with an edited memory, one after a compaction, and a mistake.
fn converse(place: &Place, driver: &[&str]) {
    let ask = |arguments: Json| -> Json {
        serde_json::from_slice(&call(place, driver, &arguments).exits(0).stdout).unwrap()
    };
    let first = ask(json!(["chat-7", {"user": "Zoë", "account": "a-1", "unread": 2}]));
    let system = first["system"].as_str().unwrap();
    let begin = "You are the assistant of Zoë, on small.\n\nDeploys are on Tuesdays.\n\nToday is ";
    assert!(system.starts_with(begin), "{system}");
    assert_eq!(
        first["user"],
        "2 unread messages.\n\nThe user is signed in."
    );
    // More than what a pipe or a small buffer holds.
    let memory = "No deploys in March.\n".repeat(100_000);
    place.file("home/MEMORY.md", &memory);
    let second = ask(json!(["chat-7", {"unread": 0}]));
    assert_eq!(second["system"], first["system"]);
    assert_eq!(second["user"], "0 unread messages.");
    let third = ask(json!(["chat-7", {}, "--event", "compaction"]));
    let text = third["system"].as_str().unwrap();
    assert!(text.contains(memory.trim_end()) && text.starts_with("You are the assistant of Zoë"));
    let wrong = call(place, driver, &json!(["chat-8", {"usr": "Ann"}]));
    assert_ne!(wrong.code, 0);
    wrong.says("unknown-fact");
    assert_eq!(wrong.stdout(), "");
}

#[test]
fn the_gateway_in_python_works() {
    if !exists("python3") {
        return;
    }
    let page = page();
    let place = lay_out(&page);
    place.file("app.py", snippet(&page, "python"));
    let driver = "import json, sys\nfrom app import prompt\nprint(json.dumps(prompt(*json.loads(sys.argv[1]))))\n";
    place.file("driver.py", driver);
    converse(&place, &["python3", "driver.py"]);
}

#[test]
fn the_gateway_in_typescript_works() {
    if !exists("node") {
        return;
    }
    let page = page();
    let place = lay_out(&page);
    let typed = snippet(&page, "ts");
    let mut script = typed.to_owned();
    for kind in TYPES {
        assert!(script.contains(kind), "no {kind}");
        script = script.replace(kind, "");
    }
    if let Ok(compiler) = std::env::var("PROMPTC_TSC") {
        let compiled = compile(&place, &compiler, typed);
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(
            bare(&compiled),
            bare(&script),
            "what is taken out here are the types"
        );
        script = compiled;
    }
    place.file("app.mjs", script);
    let driver = "import { prompt } from \"./app.mjs\";\nconsole.log(JSON.stringify(prompt(...JSON.parse(process.argv[2]))));\n";
    place.file("driver.mjs", driver);
    converse(&place, &["node", "driver.mjs"]);
}

/// The output of the compiler, if it finds no errors.
fn compile(place: &Place, compiler: &str, typed: &str) -> String {
    place.file("app.mts", typed);
    let types = Path::new(compiler)
        .ancestors()
        .nth(2)
        .unwrap()
        .join("@types");
    let mut tsc = Command::new(compiler);
    tsc.args([
        "--strict", "--module", "nodenext", "--target", "es2022", "--types", "node",
    ]);
    tsc.arg("--typeRoots")
        .arg(types)
        .args(["--outDir", "out", "app.mts"]);
    tsc.current_dir(place.path());
    let ran = run(tsc, b"");
    assert_eq!(ran.code, 0, "{}{}", ran.stdout(), ran.stderr);
    place.read("out/app.mjs")
}

#[test]
fn the_page_is_at_the_expected_path() {
    assert!(top().join("docs/sessions.md").exists());
    assert!(snippet(&page(), "python").contains("def prompt("));
    assert!(snippet(&page(), "ts").contains("function prompt("));
}
