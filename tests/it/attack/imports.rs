//! Exports that someone else sends: what is in them is restored, and nothing of it runs.

use crate::run::{Place, Ran, run};
use serde_json::{Value as Json, json};
use sha2::Digest as _;
use std::fs;

/// The agent of the attacked user.
pub(super) const OWN: &str = r#"promptc 1
name helper
root workspace default="."
fact user string default=nobody
fact hot string default="" changes=turn
tier stable { layer rules { file "AGENTS.md" } ; layer who { template "You talk to {{ user }}." } }
tier turn changes=turn { layer hot { template "Now {{ hot }}." } }
session { refresh event=compaction; refresh idle="1h" }
"#;

/// One of the same name, whose live tier reads files that no call named.
fn hostile(secret: &Place) -> String {
    format!(
        r#"promptc 1
name helper
root workspace default="."
root all default="{}"
fact home string env=PROMPTC_ATTACK optional=#true changes=turn
fact user string default=nobody
tier stable {{ layer rules {{ text "Be brief." }} }}
tier turn changes=turn {{
    layer stolen {{ file "secret.txt" root=all }}
    layer environment when="home is defined" {{ fact home }}
}}
session {{ refresh event=compaction; refresh fact=user }}
"#,
        secret.path().display()
    )
}

const SECRET: &str = "a text of no root that the user named";

/// The user's folder, the attacker's, and one that no call named.
struct Scene {
    own: Place,
    secret: Place,
}

fn scene() -> Scene {
    let (own, attacker, secret) = (Place::new(), Place::new(), Place::new());
    secret.file("secret.txt", SECRET);
    own.file("promptc.kdl", OWN);
    own.file("AGENTS.md", "Be brief.\n");
    attacker.file("promptc.kdl", hostile(&secret));
    let at = "2026-11-21T10:00:00Z";
    attacker
        .run(&["build", "-q", "--session", "gift", "--now", at])
        .exits(0);
    let export = attacker.run(&["session", "export", "gift"]).exits(0);
    own.file("gift.json", &export.stdout);
    Scene { own, secret }
}

/// A call in the user's folder, with something in its environment that is none of the sender's business.
fn call(place: &Place, args: &[&str]) -> Ran {
    let mut command = place.command(args);
    command.env("PROMPTC_ATTACK", SECRET);
    run(command, b"")
}

pub(super) fn refused(ran: &Ran, code: &str) {
    assert_eq!((ran.code, ran.stdout()), (2, ""), "{}", ran.stderr);
    ran.says(&format!("error[{code}]"));
    assert!(!ran.stderr.contains(SECRET), "{}", ran.stderr);
}

#[test]
fn the_plan_of_an_import_reads_nothing_whatever_the_call() {
    let Scene { own, secret } = scene();
    own.run(&["session", "import", "gift.json"]).exits(0);
    let at = "2026-11-21T10:10:00Z";
    let build = ["build", "--session", "gift", "--now", at];
    let calls: [&[&str]; 8] = [
        &[],
        &["--format", "json"],
        &["--set", "user=Ann"],
        &["--refresh"],
        &["--event", "compaction"],
        // The user's own manifest is another one, so no live tier of it fits.
        &["-m", "promptc.kdl"],
        &["-m", "promptc.kdl", "--format", "json"],
        &["-m", "promptc.kdl", "--set", "hot=x"],
    ];
    for more in calls {
        refused(&call(&own, &[&build, more].concat()), "imported-plan");
    }
    let others: [&[&str]; 5] = [
        &["session", "drift", "gift", "--now", at],
        &["session", "drift", "gift", "--reminder", "--now", at],
        &["diff", "session:gift", "."],
        &["session", "drift", "gift", "--set", "user=Ann"],
        &["session", "drift", "gift", "--root", "workspace=."],
    ];
    for args in others {
        refused(&call(&own, args), "imported-plan");
    }
    // Without any manifest here, only the export would name one.
    let store = own.path().join(".promptc/store.db");
    let away = Place::new();
    for args in [
        &["build", "--session", "gift", "--refresh"][..],
        &["build", "--session", "gift"],
        &["session", "drift", "gift"],
        &["agent", "rules", ".", "--session", "gift"],
    ] {
        let args = [args, &["--store", store.to_str().unwrap()]].concat();
        refused(&call(&away, &args), "imported-plan");
    }
    // Queries about it read the text and no file.
    fs::write(secret.path().join("secret.txt"), [0xff]).unwrap();
    for args in [
        &["session", "show", "gift"][..],
        &["session", "show", "gift", "--format", "text"],
        &["session", "show", "gift", "--format", "artifact"],
        &["session", "show", "gift", "--format", "json"],
        &["session", "list", "--format", "json"],
        &["session", "history"],
        &["session", "verify"],
    ] {
        let ran = call(&own, args).exits(0);
        assert!(!ran.stdout().contains(SECRET), "{}", ran.stdout());
    }
}

#[test]
fn an_import_is_built_again_by_the_manifest_that_the_call_names_and_is_ones_own_then() {
    let Scene { own, secret } = scene();
    own.run(&["session", "import", "gift.json"]).exits(0);
    // A root that the export remembers is none of this call.
    let args = [
        "build",
        "--session",
        "gift",
        "--refresh",
        "-m",
        "promptc.kdl",
    ];
    let ran = call(&own, &args).exits(0);
    assert_eq!(ran.stdout(), "Be brief.\n\nYou talk to nobody.\n\nNow .");
    let ran = call(&own, &["build", "--session", "gift", "--set", "hot=x"]).exits(0);
    assert_eq!(ran.stdout(), "Be brief.\n\nYou talk to nobody.\n\nNow x.");
    drop(secret);
}

#[test]
fn live_tiers_of_an_import_are_made_by_the_manifest_that_it_was_built_from() {
    let (there, here) = (Place::new(), Place::new());
    for place in [&there, &here] {
        place.file("agent/promptc.kdl", OWN);
        place.file("agent/AGENTS.md", "Be brief.\n");
    }
    let now = ["--now", "2026-11-21T10:00:00Z"];
    let root = there.path().join("agent");
    let root = format!("workspace={}", root.display());
    let made = ["build", "-q", "--session", "s", "-m", "agent/promptc.kdl"];
    let more = ["--set", "user=Ann", "--root", &root];
    there.run(&[&made[..], &now, &more].concat()).exits(0);
    let export = there
        .run(&["session", "export", "s", "-m", "agent/promptc.kdl"])
        .exits(0);
    here.file("s.json", &export.stdout);
    here.run(&["session", "import", "s.json", "--store", "s.db"])
        .exits(0);
    let build = [
        "build",
        "--session",
        "s",
        "--store",
        "s.db",
        "--set",
        "hot=x",
    ];
    let named = [&build[..], &now, &["-m", "agent/promptc.kdl"]].concat();
    let ran = call(&here, &named).exits(0);
    assert_eq!(ran.stdout(), "Be brief.\n\nYou talk to Ann.\n\nNow x.");
    // That one is near is not enough, nor that it looks alike.
    refused(&call(&here, &[&build[..], &now].concat()), "imported-plan");
    here.file("agent/promptc.kdl", OWN.replace("Now {{", "And now {{"));
    refused(&call(&here, &named), "imported-plan");
    // Moved on to another store it still is someone else's.
    here.file("agent/promptc.kdl", OWN);
    here.run(&["session", "move", "s", "--store", "s.db", "--to", "t.db"])
        .exits(0);
    let build = [
        "build",
        "--session",
        "s",
        "--store",
        "t.db",
        "--set",
        "hot=x",
    ];
    refused(&call(&here, &[&build[..], &now].concat()), "imported-plan");
    let again = [&build[..], &now, &["-m", "agent/promptc.kdl"]].concat();
    assert_eq!(call(&here, &again).exits(0).stdout, ran.stdout);
}

fn key(text: &str) -> String {
    let hash = sha2::Sha256::digest(text.as_bytes());
    let hex = hash.iter().map(|byte| format!("{byte:02x}"));
    format!("sha256:{}", hex.collect::<String>())
}

/// The document with one part of its build replaced, and all hashes right again.
fn forged(export: &str, part: &str, text: &str) -> String {
    let mut value: Json = serde_json::from_str(export).unwrap();
    let old = value["builds"][0][part].as_str().unwrap().to_owned();
    value["builds"][0][part] = json!(key(text));
    let contents = value["contents"].as_object_mut().unwrap();
    contents.remove(&old);
    contents.insert(key(text), json!(text));
    sealed(&value)
}

/// The document with its checksum: over its parts in the order of the schema.
fn sealed(value: &Json) -> String {
    let field = |key: &str| format!("{}:{}", json!(key), value[key]);
    let build = |build: &Json| {
        let keys = [
            "build", "built", "reason", "terms", "texts", "map", "plan", "files", "inputs",
            "record",
        ];
        let fields = keys.iter().filter(|key| !build[key].is_null());
        let fields = fields.map(|key| format!("{}:{}", json!(key), build[key]));
        format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
    };
    let builds = value["builds"].as_array().unwrap().iter().map(build);
    let builds = builds.collect::<Vec<_>>().join(",");
    let text = |checksum: &str| {
        let head = ["schema", "promptc", "session", "used"]
            .map(field)
            .join(",");
        let contents = field("contents");
        format!("{{{head},\"builds\":[{builds}],{contents},\"checksum\":\"{checksum}\"}}")
    };
    text(&key(&text("")))
}

#[test]
fn forged_parts_of_an_export_name_nothing_on_this_machine() {
    let Scene { own, secret } = scene();
    let export = own.read("gift.json");
    let value: Json = serde_json::from_str(&export).unwrap();
    let part = |part: &str| -> Json {
        let key = value["builds"][0][part].as_str().unwrap();
        serde_json::from_str(value["contents"][key].as_str().unwrap()).unwrap()
    };
    // It gives the user's own root another folder, and says that it was built from the user's own manifest.
    let mut inputs = part("inputs");
    inputs["roots"] = json!([["workspace", secret.path()]]);
    inputs["folder"] = json!(secret.path());
    inputs["read"] = json!([own.path().join("out.txt")]);
    secret.file("AGENTS.md", SECRET);
    own.file(
        "forged.json",
        forged(&export, "inputs", &inputs.to_string()),
    );
    let ran = own
        .run(&["session", "import", "forged.json", "--id", "roots"])
        .exits(0);
    assert_eq!(ran.stderr, "");
    let args = [
        "build",
        "--session",
        "roots",
        "--refresh",
        "-m",
        "promptc.kdl",
        "-o",
        "out.txt",
    ];
    call(&own, &args).exits(0);
    assert_eq!(
        own.read("out.txt"),
        "Be brief.\n\nYou talk to nobody.\n\nNow ."
    );
    let mut terms = part("terms");
    terms["manifest"] = json!(own.path().join("promptc.kdl"));
    terms["imported"] = json!(false);
    own.file("forged.json", forged(&export, "terms", &terms.to_string()));
    own.run(&["session", "import", "forged.json", "--id", "terms"])
        .exits(0);
    refused(
        &call(&own, &["build", "--session", "terms"]),
        "imported-plan",
    );
    // The document itself cannot say that it is the user's own.
    let mut own_build = value.clone();
    own_build["builds"][0]["imported"] = json!(false);
    own.file("forged.json", own_build.to_string());
    let ran = own.run(&["session", "import", "forged.json", "--id", "own"]);
    refused(&ran, "export-syntax");
    // A plan that is not the text's, or none at all, never gets further than the file.
    for plan in [
        "{}",
        r#"{"paths":{"promptc.kdl":{"content":"sha256:d952fe2e06792cdc179a720d2c74315949f40a8a8ad737c49a63b69249cd4e60"}},
            "contents":{"sha256:d952fe2e06792cdc179a720d2c74315949f40a8a8ad737c49a63b69249cd4e60":"promptc 1\ntier t { layer l { text \"x\" } }"}}"#,
    ] {
        own.file("forged.json", forged(&export, "plan", plan));
        own.run(&["session", "import", "forged.json", "--id", "plan"])
            .exits(0);
        refused(
            &call(&own, &["build", "--session", "plan", "--format", "json"]),
            "imported-plan",
        );
        own.run(&["session", "show", "plan"]).exits(0);
        own.run(&["session", "rm", "plan"]).exits(0);
    }
}

#[test]
fn damaged_huge_and_deep_exports_add_nothing() {
    let Scene { own, .. } = scene();
    let export = own.read("gift.json");
    let compact = sealed(&serde_json::from_str(&export).unwrap());
    let mut value: Json = serde_json::from_str(&export).unwrap();
    let mut texts: Vec<(String, &str)> = vec![
        (String::new(), "export-syntax"),
        ("[".repeat(200_000), "export-syntax"),
        (
            format!("{{\"schema\":1,\"promptc\":{}", "[".repeat(200_000)),
            "export-syntax",
        ),
        (compact[..compact.len() / 2].to_owned(), "export-syntax"),
        (compact.replace("Be brief.", "Be crude."), "export-changed"),
    ];
    for name in ["", " ", "a\u{1b}[2J", "a\nb", "\u{202e}x", &"x".repeat(257)] {
        value["session"] = json!(name);
        texts.push((sealed(&value), "export-changed"));
    }
    let plans = [
        format!("{{\"files\":{}", "[".repeat(100_000)),
        "3".to_owned(),
    ];
    texts.extend(plans.map(|plan| (forged(&export, "plan", &plan), "export-changed")));
    // A byte here and there.
    for at in (0..compact.len()).step_by(compact.len() / 40) {
        let mut bytes = compact.clone().into_bytes();
        bytes[at] ^= 1;
        texts.push((String::from_utf8_lossy(&bytes).into_owned(), "export-"));
    }
    for (text, code) in texts {
        own.file("bad.json", &text);
        let ran = call(&own, &["session", "import", "bad.json"]);
        assert_eq!((ran.code, ran.stdout()), (2, ""), "{}", ran.stderr);
        ran.says(&format!("error[{code}"));
        assert!(
            !ran.stderr.contains(['\u{1b}', '\u{202e}']),
            "{}",
            ran.stderr
        );
    }
    let ran = own.run(&["session", "list"]).exits(0);
    assert_eq!(ran.stdout(), "");
}

#[test]
fn an_import_replaces_no_session() {
    let Scene { own, .. } = scene();
    let made = call(&own, &["build", "--session", "gift"]).exits(0);
    refused(
        &call(&own, &["session", "import", "gift.json"]),
        "session-exists",
    );
    let again = call(&own, &["build", "--session", "gift"]).exits(0);
    assert_eq!(again.stdout, made.stdout);
}
