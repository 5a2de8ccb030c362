//! Reports: one page that holds every byte of the prompt with its source, reaches for nothing, and lets nothing in.

use crate::docs::markdown::top;
use crate::report::html::{Token, said, tokens};
use crate::run::{Place, Ran, run};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

/// A piece of the text: its layer, `data-p`, its text.
struct Piece {
    layer: String,
    channel: String,
    place: String,
    text: String,
}

/// The texts of all layers, piece by piece, and the end of the prefix: after so many pieces.
fn pieces(page: &str) -> (Vec<Piece>, Option<usize>) {
    let (mut out, mut cut) = (Vec::<Piece>::new(), None);
    let (mut layer, mut channel, mut inside) = (String::new(), String::new(), false);
    let mut naming = false;
    for token in tokens(page) {
        match token {
            Token::Tag(tag) if tag.name == "article" => {
                channel = tag.get("data-channel").unwrap_or_default().to_owned();
                layer.clear();
            }
            Token::Tag(tag) if tag.name == "button" => naming = tag.get("class") == Some("name"),
            Token::Tag(tag) if tag.name == "/button" => naming = false,
            Token::Tag(tag) if tag.get("data-p").is_some() => {
                inside = true;
                out.push(Piece {
                    layer: layer.clone(),
                    channel: channel.clone(),
                    place: tag.get("data-p").unwrap().to_owned(),
                    text: String::new(),
                });
            }
            Token::Tag(tag) if tag.get("data-u").is_some() => {
                let number = tag.get("data-u").unwrap().trim_start_matches("U+");
                let c = char::from_u32(u32::from_str_radix(number, 16).unwrap()).unwrap();
                out.last_mut().unwrap().text.push(c);
            }
            Token::Tag(tag) if tag.get("class") == Some("cut") => cut = Some(out.len()),
            Token::Tag(tag) if tag.name == "/span" => inside = false,
            Token::Text(text) if inside => out.last_mut().unwrap().text.push_str(&text),
            Token::Text(text) if naming => layer.push_str(&text),
            _ => {}
        }
    }
    (out, cut)
}

/// Everything that a page may consist of.
const TAGS: &[&str] = &[
    "!doctype", "a", "article", "aside", "b", "body", "br", "button", "code", "dd", "defs", "del",
    "details", "div", "dl", "dt", "form", "h1", "h2", "h3", "h4", "head", "header", "html", "i",
    "input", "ins", "label", "li", "main", "meta", "nav", "ol", "option", "output", "p", "path",
    "pattern", "rect", "script", "section", "select", "small", "span", "style", "summary", "svg",
    "table", "tbody", "td", "text", "th", "thead", "title", "tr", "u", "ul",
];

/// Fails unless the page can reach nothing and holds nothing but what a report is made of.
pub(super) fn stands_alone(page: &str) {
    let mut scripts = 0;
    for token in tokens(page) {
        let Token::Tag(tag) = token else { continue };
        let name = tag.name.trim_start_matches('/');
        assert!(TAGS.contains(&name), "{tag:?}");
        // A part with a type is data.
        scripts += usize::from(tag.name == "script" && tag.get("type").is_none());
        for (attr, value) in &tag.attrs {
            let reaches = [
                "src",
                "srcset",
                "action",
                "style",
                "ping",
                "background",
                "data",
                "poster",
            ];
            assert!(
                !reaches.contains(attr) && !attr.starts_with("on"),
                "{tag:?}"
            );
            assert!(*attr != "href" || value.starts_with('#'), "{tag:?}");
            assert!(
                *attr != "http-equiv" || value == "Content-Security-Policy",
                "{tag:?}"
            );
        }
    }
    assert_eq!(scripts, 1);
    let (style, rest) = page
        .split_once("<style>")
        .unwrap()
        .1
        .split_once("</style>")
        .unwrap();
    let script = rest.rsplit_once("<script>").unwrap().1;
    for word in [
        "http:", "https:", "//fonts", "url(", "@import", "fetch(", "XMLHttp", "import(",
    ] {
        assert!(!style.contains(word) && !script.contains(word), "{word}");
    }
    assert!(
        page.contains("content=\"default-src 'none'; script-src 'sha256-"),
        "the policy"
    );
}

/// A copy of the example.
fn example() -> Place {
    fn copy(place: &Place, folder: &std::path::Path) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                copy(place, &path)
            } else {
                let inside = path.strip_prefix(top().join("examples")).unwrap();
                place.file(inside.to_str().unwrap(), fs::read(&path).unwrap());
            }
        }
    }
    let place = Place::new();
    copy(&place, &top().join("examples/atlas"));
    place
}

const ATLAS: [&str; 4] = ["-m", "atlas/promptc.kdl", "--scenario", "incident"];

fn with<'a>(front: &[&'a str], behind: &[&'a str]) -> Vec<&'a str> {
    front.iter().chain(behind).copied().collect()
}

/// The page of the requests of a log.
pub(super) fn page_of_requests(place: &Place, args: &[&str]) -> String {
    let ran = place
        .run(&with(&["capture", "report", "-o", "-"], args))
        .exits(0);
    String::from_utf8(ran.stdout).unwrap()
}

pub(super) fn page(place: &Place, args: &[&str]) -> String {
    let ran = place.run(&with(&["report", "-o", "-"], args)).exits(0);
    String::from_utf8(ran.stdout).unwrap()
}

/// Keeps the artifact of the example.
fn keep(place: &Place, file: &str) {
    let build = ["build", "--format", "json", "-o", file];
    place.run(&with(&build, &ATLAS)).exits(0);
}

fn artifact(place: &Place, args: &[&str]) -> Value {
    let ran = place
        .run(&with(&["build", "--format", "json"], args))
        .exits(0);
    serde_json::from_slice(&ran.stdout).unwrap()
}

/// The page has every byte of every channel, and each place says what the artifact says.
fn holds(page: &str, artifact: &Value) {
    stands_alone(page);
    let (pieces, _) = pieces(page);
    for channel in artifact["channels"].as_array().unwrap() {
        let name = channel["channel"].as_str().unwrap();
        let own = || pieces.iter().filter(|p| p.channel == name);
        let text: String = own().map(|p| p.text.as_str()).collect();
        assert_eq!(text, channel["text"].as_str().unwrap());
        let mut at = 0;
        for piece in own() {
            let layers = channel["layers"].as_array().unwrap();
            let layer = layers.iter().find(|l| l["layer"] == *piece.layer).unwrap();
            let spans = layer["spans"].as_array().unwrap();
            let starts =
                |s: &&Value| s["start"].as_u64() <= Some(at) && Some(at) < s["end"].as_u64();
            let span = spans.iter().find(starts).unwrap();
            let number = |v: &Value| v.as_u64().map_or(String::new(), |n| n.to_string());
            let parts: Vec<&str> = piece.place.split(':').collect();
            assert_eq!(parts[0], number(&span["ingredient"]));
            let begins = number(&span["start"]) == parts[2];
            assert!(
                !begins || parts[1] == number(&span["line"]),
                "{}",
                piece.place
            );
            at += piece.text.len() as u64;
        }
    }
}

#[test]
fn a_page_has_every_byte_with_its_source() {
    let place = example();
    let page = page(&place, &ATLAS);
    holds(&page, &artifact(&place, &ATLAS));
    let text = said(&page);
    for told in [
        "workspace:runbooks/disk-full.md",
        "1,692 of 3,770 chars left out (budget 2,600)",
        "its condition is false: not loaded('runbooks')",
        "short-prefix",
    ] {
        assert!(text.contains(told), "{told}");
    }
    // For an artifact the same is known, except the manifest that rules check.
    keep(&place, "built.json");
    let later = self::page(&place, &["--artifact", "built.json"]);
    holds(&later, &artifact(&place, &ATLAS));
    assert!(!said(&later).contains("short-prefix"));
}

#[test]
fn the_same_input_is_the_same_page() {
    let place = example();
    let first = page(&place, &ATLAS);
    let mut other = place.command(&[
        "report",
        "-m",
        "promptc.kdl",
        "--scenario",
        "incident",
        "-o",
        "../out.html",
    ]);
    other.current_dir(place.path().join("atlas"));
    other
        .env("TZ", "Asia/Tokyo")
        .env("LANG", "tr_TR.UTF-8")
        .env("HOME", place.path());
    run(other, b"").exits(0);
    // The location of a manifest is printed as the call names it.
    assert_eq!(
        place.read("out.html"),
        first.replace("atlas/promptc.kdl", "promptc.kdl")
    );
    assert!(
        !first.contains(env!("CARGO_PKG_VERSION")),
        "a release is no input"
    );
}

pub(super) const HOSTILE: &str = "</script><script>alert(1)</script><img src=x onerror=\"alert(2)\">--><!--</style>&lt;\u{202e}\u{200b}\r\u{1}é👩‍💻]]>";

#[test]
fn nothing_of_a_prompt_is_markup() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\nname \"<b>&amp;\"\nroot workspace default=\".\"\nfact evil string\n\
         let worse \"evil ~ '<i>'\"\n\
         tier stable {\n    layer one { glob \"*.md\"; template \"<u>{{ content }}{{ evil }}{{ worse | upper }}\" }\n    \
         layer two when=\"evil == '<script>'\" { text \"never\" }\n    layer three { file \"gone<img>.md\" \"none&.md\" }\n}\n",
    );
    place.file("a<img src=x onerror=alert(3)>.md", HOSTILE);
    let facts = serde_json::json!({ "evil": HOSTILE }).to_string();
    place.file("facts.json", facts);
    let args = ["--facts", "facts.json"];
    let single = page(&place, &args);
    holds(&single, &artifact(&place, &args));
    place
        .run(&[
            "build",
            "--facts",
            "facts.json",
            "--format",
            "json",
            "-o",
            "old.json",
        ])
        .exits(0);
    place.file(
        "a<img src=x onerror=alert(3)>.md",
        HOSTILE.replace("script", "SCRIPT"),
    );
    stands_alone(&page(&place, &with(&["old.json"], &args)));
    place.file("x.txt", HOSTILE);
    place.file("y.txt", format!("{HOSTILE}!"));
    stands_alone(&page(&place, &with(&["x.txt", "y.txt"], &args)));
}

#[test]
fn a_private_value_is_not_shown() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\nfact key string private=#true\ntier t { layer l when=\"key != ''\" { text \"Hello.\" } }\n",
    );
    let page = page(&place, &["--set", "key=tell-nobody"]);
    assert!(!page.contains("tell-nobody"));
    assert!(said(&page).contains("key (private)"));
}

#[test]
fn a_page_of_a_prompt_of_30_kb_is_small() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\nroot workspace default=\".\"\ntier t {\n    layer skills { skills \"skills\"; \
         template \"{% for e in entries %}- {{ e.name }}: {{ e.description }} ({{ e.path }})\\n{% endfor %}\" }\n    \
         layer rules { file \"AGENTS.md\" }\n}\n",
    );
    for n in 0..100 {
        let text =
            format!("---\ndescription: Does the thing number {n} for those who ask.\n---\nx\n");
        place.file(&format!("skills/skill-{n}/SKILL.md"), text);
    }
    place.file(
        "AGENTS.md",
        "Run the linter before you commit, and read what it says.\n".repeat(360),
    );
    let built = place.run(&["build"]).exits(0).stdout.len();
    assert!((28_000..32_000).contains(&built), "{built}");
    let page = page(&place, &[]);
    assert!(page.len() < 500_000, "{}", page.len());
    holds(&page, &artifact(&place, &[]));
}

/// The lines of a diff for people, by their word, from its Markdown.
fn lines(markdown: &str) -> Vec<(String, String)> {
    let line = |line: &str| {
        let (word, text) = line.strip_prefix("- **")?.split_once("** ")?;
        Some((word.to_owned(), text.replace(['`', '\\'], "")))
    };
    markdown.lines().filter_map(line).collect()
}

#[test]
fn a_page_of_a_pair_agrees_with_diff() {
    let place = example();
    keep(&place, "old.json");
    place.file(
        "atlas/workspace/skills/audit/SKILL.md",
        "---\ndescription: Reads the audit log of a host.\n---\nStart with the last hour.\n",
    );
    let args = with(&["old.json"], &ATLAS);
    let page = page(&place, &args);
    holds(&page, &artifact(&place, &ATLAS));
    let text = said(&page);
    let markdown = place
        .run(&with(&["diff", "--format", "markdown"], &args))
        .exits(0);
    let told = lines(markdown.stdout());
    assert!(told.len() > 4, "{told:?}");
    for (word, line) in told {
        assert!(text.contains(&format!("{word}{line}")), "{word}: {line}");
    }
    // The mark is at the byte at which the prefix ends.
    let json = place
        .run(&with(&["diff", "--format", "json"], &args))
        .exits(0);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    let (pieces, cut) = pieces(&page);
    let front = pieces[..cut.expect("a mark")]
        .iter()
        .filter(|p| p.channel == "system");
    let bytes: usize = front.map(|p| p.text.len()).sum();
    assert_eq!(json["comparisons"][0]["break"]["offset"], bytes);
    assert!(text.contains("broke the prefix") && text.contains("rewritten, same text"));
    assert!(page.contains("<ins>"), "the text that was added");
}

#[test]
fn a_pair_of_texts_or_a_record_without_text_is_a_page_too() {
    let place = Place::new();
    place.file("a.txt", "one\ntwo\n");
    place.file("b.txt", "one\nthree\n");
    let texts = page(&place, &["a.txt", "b.txt"]);
    stands_alone(&texts);
    assert!(said(&texts).contains("there is no manifest that explains the texts"));
    place.file(
        "promptc.kdl",
        "promptc 1\nroot workspace default=\".\"\ntier t { layer l { file \"a.txt\" } }\n\
         scenario one snapshot=#false { }\nscenario two snapshot=#false { }\n",
    );
    place.run(&["test", "--accept"]).exits(0);
    place.file("a.txt", "one\nfour\n");
    let page = page(&place, &["snapshot:one"]);
    stands_alone(&page);
    assert!(said(&page).contains("the layer is known, but not the byte"));
    assert!(said(&page).contains("four"));
    // The other way round B has no text to show.
    let back = self::page(&place, &[".", "snapshot:one"]);
    stands_alone(&back);
    assert!(pieces(&back).0.is_empty());
}

#[test]
fn one_page_shows_one_pair() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\ntier t { layer l { text \"x\" } }\nscenario one { }\nscenario two { }\n",
    );
    place.run(&["test", "--accept"]).exits(0);
    for args in [
        &["init", "-q"][..],
        &["add", "."],
        &[
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@t",
            "commit",
            "-qm",
            "one",
        ],
    ] {
        let mut git = std::process::Command::new("git");
        git.args(args).current_dir(place.path());
        run(git, b"").exits(0);
    }
    let several = place.run(&["report", "git:HEAD"]);
    refused(&several, "nothing-selected");
    several.says("`one` and `two`");
    let page = page(&place, &["git:HEAD", "--scenario", "two"]);
    stands_alone(&page);
    assert!(said(&page).contains("git:HEAD two"));
}

/// A session with two rebuilds.
fn session() -> Place {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\nname helper\nroot workspace default=\".\"\n\
         tier stable { layer rules { file \"AGENTS.md\" } }\nsession { refresh event=compaction }\n",
    );
    for (day, text) in [(1, "Be kind."), (2, "Be brief."), (3, "Be <b>bold</b>.")] {
        place.file("AGENTS.md", text);
        let now = format!("2026-03-0{day}T08:00:00Z");
        let args = [
            "build",
            "--session",
            "chat-7",
            "--now",
            &now,
            "--event",
            "compaction",
        ];
        place
            .run(if day == 1 { &args[..5] } else { &args })
            .exits(0);
    }
    place
}

#[test]
fn a_page_of_a_history_agrees_with_session_history() {
    let place = session();
    let page = page(&place, &["--session", "chat-7"]);
    stands_alone(&page);
    let text = said(&page);
    for told in [
        "broke2 of 2 rebuilds of 1 session; worst layer rules (tier stable)",
        "AGENTS.md changed, 2 times",
        "document-changed",
        "event:compaction",
        "2026-03-03T08:00:00",
        "promptc diff session:chat-7@2 session:chat-7@3",
    ] {
        assert!(text.contains(told), "{told} in {text}");
    }
    let before = self::page(&place, &["--session", "chat-7", "--until", "2026-03-03"]);
    assert!(said(&before).contains("broke1 of 1 rebuild of 1 session"));
    // A session is an operand like any other.
    stands_alone(&self::page(
        &place,
        &["session:chat-7@1", "session:chat-7@3"],
    ));
}

pub(super) fn refused(ran: &Ran, code: &str) {
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    ran.says(&format!("[{code}]"));
}

#[test]
fn no_input_is_replaced() {
    let place = example();
    keep(&place, "old.json");
    let kept = |path: &str, args: &[&str]| {
        let before = fs::read(place.path().join(path)).unwrap();
        refused(
            &place.run(&with(&["report", "-o", path], args)),
            "output-is-input",
        );
        assert_eq!(fs::read(place.path().join(path)).unwrap(), before, "{path}");
    };
    let facts = ["-m", "atlas/promptc.kdl", "--facts", "atlas/facts.json"];
    kept("atlas/promptc.kdl", &ATLAS);
    kept("atlas/workspace/AGENTS.md", &ATLAS);
    kept("atlas/facts.json", &facts);
    kept("old.json", &["--artifact", "old.json"]);
    for path in ["old.json", "atlas/workspace/AGENTS.md", "atlas/promptc.kdl"] {
        kept(path, &with(&["old.json"], &ATLAS));
    }
    kept("old.json", &["old.json", "old.json"]);
    let place = session();
    let store = fs::read(place.path().join(".promptc/store.db")).unwrap();
    let manifest = ["report", "-o", "promptc.kdl", "--session", "chat-7"];
    refused(&place.run(&manifest), "output-is-input");
    for args in [&["--session", "chat-7"][..], &["session:chat-7@1"]] {
        let ran = place.run(&with(&["report", "-o", ".promptc/store.db"], args));
        refused(&ran, "output-is-input");
        assert_eq!(
            fs::read(place.path().join(".promptc/store.db")).unwrap(),
            store
        );
    }
}

#[test]
fn a_failed_report_writes_nothing() {
    let place = example();
    place.file("out.html", "as before");
    for (args, code) in [
        (&["--artifact", "gone.json"][..], "operand-not-found"),
        (&["gone.json", "atlas/facts.json"], "operand-not-found"),
        (
            &["--session", "nobody", "-m", "atlas/promptc.kdl"],
            "unknown-session",
        ),
        (
            &["-m", "atlas/promptc.kdl", "--scenario", "nobody"],
            "unknown-scenario",
        ),
        (&["-m", "atlas/promptc.kdl", "--recorded"], "usage"),
        (&["-m", "atlas/promptc.kdl", "--store", "x.db"], "usage"),
        (&["a.json", "--artifact", "b.json"], "usage"),
        (&["a.json", "--session", "b"], "usage"),
        (&["--since", "7d"], "usage"),
    ] {
        refused(&place.run(&with(&["report", "-o", "out.html"], args)), code);
        assert_eq!(place.read("out.html"), "as before");
    }
    let ran = place.run(&with(&["report", "-o", "nowhere/out.html"], &ATLAS));
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(!place.path().join("nowhere").exists());
    // A page is written whole: the file equals the output on stdout, and nothing is left next to it.
    place
        .run(&with(&["report", "-o", "out.html"], &ATLAS))
        .exits(0);
    assert_eq!(place.read("out.html"), page(&place, &ATLAS));
    let names = fs::read_dir(place.path()).unwrap();
    let names: BTreeSet<_> = names.map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
}
