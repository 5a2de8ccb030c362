//! What stands in front of a page and how its parts are laid out: the verdict, the prompt by tokens, scenarios.

use crate::report::html::{Token, is_linked, said, tokens};
use crate::report::page::{page, page_of_requests, stands_alone};
use crate::run::Place;
use serde_json::Value;

const TABLE: &str = "providers 1 currency=USD as-of=\"2026-03-01\"\n\
    provider \"acme\" match=breakpoint lookback-blocks=20 tokenizer=o200k {\n\
    order \"tools\" \"system\" \"messages\"\n    marker \"cache_control\"\n    source \"this case\" as-of=\"2026-03-01\"\n}\n\
    model \"acme-1\" provider=\"acme\" {\n    price input=10 read=0.1\n    prefix min=50 breakpoints=4\n\
    ttl \"5m\" write=1.25\n    source \"this case\" as-of=\"2026-03-02\"\n}\n";

/// A prompt of 100 tokens that last and 21 that may be others at every call.
fn calm_and_lively() -> Place {
    let place = Place::new();
    let words = |word: &str, n| vec![word; n].join(" ");
    let (rules, note) = (words("go", 100), words("so", 20));
    place.file(
        "promptc.kdl",
        format!(
            "promptc 1\njoin \"\\n\\n\"\nfact now string default=\"{note}\" changes=turn\n\
             tier calm {{ layer rules {{ text \"{rules}\" }} }}\n\
             tier live changes=turn {{ layer note {{ template \"{{{{ now }}}}\" }} }}\n"
        ),
    );
    place.file("table.kdl", TABLE);
    place
}

#[test]
fn the_verdict_says_what_share_is_reusable_and_invents_no_price() {
    let place = calm_and_lively();
    let bare = page(&place, &[]);
    stands_alone(&bare);
    let text = said(&bare);
    for told in [
        "reusable from the cache82.6 %",
        "~100 of ~121 tokens are before the first text that may change at every call",
        "costnot known",
        "--model NAME",
    ] {
        assert!(text.contains(told), "{told} in {text}");
    }
    assert!(!text.contains('$'), "no price without a model");
    let (verdict, prefix) = (bare.find("class=\"verdict\""), bare.find("id=\"prefix\""));
    assert!(verdict.is_some() && verdict < prefix, "it comes first");
}

#[test]
fn the_verdict_with_a_model_has_the_price_of_calls_and_its_source() {
    // A call that finds 100 of 121 tokens in the cache: 100 x 0.1 + 21 = 31 x $10 for a million, $0.00031.
    let place = calm_and_lively();
    let model = ["--providers", "table.kdl", "--model", "acme-1"];
    let text = said(&page(&place, &model));
    for told in [
        "82.6 %100 of 121 tokens at the next call, by the rule of acme",
        "per 1,000 calls$0.31$1.21 without a cache",
        "acme-1, prices of 2026-03-02",
        "Prices of acme-1 are from this case, read on 2026-03-02.",
        "Breakpoints of acme-1, by number",
    ] {
        assert!(text.contains(told), "{told} in {text}");
    }
    let mut daily = model.to_vec();
    daily.extend(["--requests-per-day", "2000"]);
    let text = said(&page(&place, &daily));
    assert!(
        text.contains("a day$0.62at 2,000 calls a day; $2.42 without a cache"),
        "{text}"
    );
}

#[test]
fn the_verdict_has_the_first_fix_with_its_edit() {
    let place = Place::new();
    let phone = "555-0142";
    place.file(
        "promptc.kdl",
        "promptc 1\nfact today date default=\"2026-03-30\" changes=day\n\
             fact phone string env=PHONE optional=#true changes=deploy private=#true\n\
             tier daily changes=day {\n    layer today { template \"Today is {{ today }}.\" }\n}\n\
             tier base changes=deploy {\n    layer base { text \"You are Atlas.\" }\n    \
             layer call when=\"phone is defined\" { text \"Call.\" }\n}\n",
    );
    let given = format!("phone={phone}");
    let page = page(&place, &["--set", &given]);
    stands_alone(&page);
    let text = said(&page);
    assert!(text.contains("Fix first"));
    assert!(
        text.contains("promptc check --fix -m promptc.kdl"),
        "{text}"
    );
    let (_, first) = page.split_once("class=\"first\"").unwrap();
    let (first, _) = first.split_once("</section>").unwrap();
    assert!(
        first.contains("<del>- ") && first.contains("<ins>+ "),
        "{first}"
    );
    assert!(
        !page.contains(phone),
        "what is private is covered in the edit, too"
    );
}

#[test]
fn a_log_without_a_usage_has_no_price_and_names_the_first_break() {
    use super::waterfall::{log, request};
    let exchange = |minute: usize, system: &str| {
        serde_json::json!({
            "time": format!("2026-11-21T10:{minute:02}:00Z"), "conversation": "chat-7",
            "url": "https://api.anthropic.com/v1/messages", "request": request(system, &[], &["Hi."]),
        })
    };
    let place = log(&[exchange(0, "It is 10:00."), exchange(1, "It is 10:01.")]);
    let text = said(&page_of_requests(&place, &["requests.jsonl"]));
    for told in [
        "the log has no usage",
        "costnot known",
        "promptc capture diff requests.jsonl#1 requests.jsonl#2",
        "system-changed",
    ] {
        assert!(text.contains(told), "{told} in {text}");
    }
}

/// The parts of a page by tokens: level, x and width in percent, name.
fn cells(page: &str) -> Vec<(usize, f64, f64)> {
    let mut out = Vec::new();
    for token in tokens(page) {
        let Token::Tag(tag) = token else { continue };
        let is_cell = tag.name == "svg" && tag.get("y").is_some();
        if is_cell {
            let percent = |name| {
                tag.get(name)
                    .unwrap()
                    .trim_end_matches('%')
                    .parse::<f64>()
                    .unwrap()
            };
            let level = tag.get("y").unwrap().parse::<usize>().unwrap() / 28;
            out.push((level, percent("x"), percent("width")));
        }
    }
    out
}

#[test]
fn a_prompt_by_tokens_is_as_wide_as_its_parts_together() {
    let place = Place::new();
    let section = |name: &str| {
        format!(
            "## {name}\n\n{}\n\n",
            "Say what is known of the harbour. ".repeat(9)
        )
    };
    place.file(
        "AGENTS.md",
        ["Berths", "Tides", "Pilots"].map(section).concat(),
    );
    place.file("USER.md", "The harbour master reads this.\n".repeat(9));
    place.file(
        "promptc.kdl",
        "promptc 1\nroot workspace default=\".\"\ntier stable {\n    layer identity { text \"You are the harbour.\" }\n    \
         layer rules { all { file \"AGENTS.md\"; file \"USER.md\" } }\n}\ntier turn changes=turn deliver=user { layer ask { text \"Now.\" } }\n",
    );
    let page = page(&place, &[]);
    stands_alone(&page);
    let cells = cells(&page);
    // Parts of one level do not overlap, and each is inside one of the level above.
    for (level, x, width) in cells.iter().filter(|(level, ..)| *level > 0) {
        let holds = |(l, from, wide): &&(usize, f64, f64)| {
            l + 1 == *level && *from <= x + 0.001 && from + wide >= x + width - 0.001
        };
        assert!(cells.iter().any(|cell| holds(&cell)), "{level} {x} {width}");
    }
    for level in 0..3 {
        let sum: f64 = cells
            .iter()
            .filter(|(l, ..)| *l == level)
            .map(|(.., width)| width)
            .sum();
        assert!((sum - 100.0).abs() < 0.01, "level {level} is {sum}");
    }
    let text = said(&page);
    for told in ["Berths", "Tides", "Pilots", "stable › rules › AGENTS.md"] {
        assert!(text.contains(told), "{told}");
    }
    // The figures of the table are those of the artifact.
    let built = ["build", "--format", "json", "--tokenizer", "o200k"];
    let built: Value = serde_json::from_slice(&place.run(&built).exits(0).stdout).unwrap();
    let channels = built["channels"].as_array().unwrap();
    let whole: u64 = channels
        .iter()
        .map(|channel| channel["tokens"].as_u64().unwrap())
        .sum();
    assert!(
        text.contains(&format!("{whole} tokens by tier"))
            || page.contains(&format!("{whole} tokens by tier"))
    );
    for layer in channels
        .iter()
        .flat_map(|channel| channel["layers"].as_array().unwrap())
    {
        let tokens = layer["tokens"].as_u64().unwrap();
        let width = tokens as f64 / whole as f64 * 100.0;
        let is_it =
            |(level, _, wide): &(usize, f64, f64)| *level == 2 && (wide - width).abs() < 0.001;
        assert!(cells.iter().any(is_it), "{layer}");
    }
}

#[test]
fn a_page_has_every_scenario_by_default() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\nfact who string default=nobody\ntier stable { layer hello { template \"Hello {{ who }}.\" } }\n\
         scenario one { set who Ann }\nscenario two { set who Bob }\n",
    );
    let all = page(&place, &[]);
    stands_alone(&all);
    let text = said(&all);
    assert!(
        text.contains("Hello ")
            && text.contains("Ann")
            && text.contains("Bob")
            && !text.contains("nobody")
    );
    is_linked(&all);
    let one = page(&place, &["--scenario", "two"]);
    assert!(!said(&one).contains("Ann") && !one.contains("class=\"scenes\""));
    let given = page(&place, &["--set", "who=Eve"]);
    assert!(said(&given).contains("Eve") && !said(&given).contains("Ann"));
}

#[test]
fn what_several_scenarios_say_is_said_once() {
    let place = Place::new();
    place.file("a.md", "Ask the harbour master before you move a ship.");
    place.file(
        "promptc.kdl",
        "promptc 1\nroot workspace default=\".\"\nfact who string default=nobody\nfact unused string optional=#true\n\
         tier stable {\n    layer rules { file \"a.md\" { budget 20 marker=\"~\" } }\n    layer hello { template \"Hello {{ who }}.\" }\n    \
         layer more when=\"who == 'Bob'\" { file \"a.md\" { budget 30 marker=\"~\" } }\n}\n\
         scenario one { set who Ann }\nscenario two { set who Bob }\nscenario three { set who Bob }\n",
    );
    let ran = place.run(&["report", "-o", "all.html"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let all = place.read("all.html");
    stands_alone(&all);
    is_linked(&all);
    let text = said(&all);
    for (of, scenarios) in [
        ("of 46 chars left out (budget 20)", "all 3 scenarios"),
        ("of 46 chars left out (budget 30)", "scenarios two, three"),
        ("warning unused-fact", "all 3 scenarios"),
    ] {
        assert_eq!(text.matches(of).count(), 1, "{of} in {text}");
        let after = text.split(of).nth(1).unwrap();
        assert!(after.contains(scenarios), "{of}: {scenarios}");
    }
    // What to fix first is the same in all: it stands in the verdicts, and not in a column.
    assert!(!text.contains("scenarioreusable from the cachefix first"));
    // Nor does the terminal repeat them.
    assert_eq!(
        ran.stderr.matches("(budget 20)").count(),
        1,
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("(budget 30) (scenarios two, three)"),
        "{}",
        ran.stderr
    );
    let one = page(&place, &["--scenario", "two"]);
    assert!(!said(&one).contains("scenarios two"));
}

/// A pair of two builds, between which a file changed.
fn pair(place: &Place, file: &str, old: &str, new: &str) -> String {
    place.file(file, old);
    place
        .run(&["build", "--format", "json", "-o", "old.json"])
        .exits(0);
    place.file(file, new);
    let page = page(place, &["old.json"]);
    stands_alone(&page);
    page
}

/// The lines of the edits of a page, each edit with its file.
fn edits(page: &str) -> Vec<String> {
    let edits = page.split("class=\"diff edit\"").skip(1);
    let edits = edits.map(|edit| edit.split_once('>').unwrap().1);
    let lines = |edit: &str| {
        let edit = edit
            .split("<p class=")
            .next()
            .unwrap()
            .split("</section>")
            .next()
            .unwrap();
        let edit = edit
            .replace("</div>", "\n")
            .replace("</del>", "\n")
            .replace("</ins>", "\n");
        format!("{}\n", said(&format!("{edit}<p>")).trim_end())
    };
    edits.map(lines).collect()
}

#[test]
fn the_advice_about_a_pair_is_an_edit_of_the_manifest() {
    let place = Place::new();
    let rules = "Be kind and brief.\n".repeat(40);
    place.file("rules.md", &rules);
    place.file("help.md", rules.replace("kind", "calm"));
    let roots = "promptc 1\nroot workspace default=\".\"\n";
    // Into the tier of the other, as lines with the comment above them.
    place.file(
        "promptc.kdl",
        format!(
            "{roots}tier stable changes=session {{\n    // They grow.\n    layer notes {{ file \"notes.md\" }}\n    \
             // The rules.\n    layer rules {{ file \"rules.md\" }}\n}}\n\
             tier base changes=session {{\n    layer help {{ file \"help.md\" }}\n}}\n"
        ),
    );
    let moved = pair(&place, "notes.md", "One.", "Two, and more.");
    assert!(said(&moved).contains("Move layer notes after help."));
    assert_eq!(
        edits(&moved),
        [
            "--- a/promptc.kdl\n+++ b/promptc.kdl\n@@ -2,6 +2,4 @@\n root workspace default=\".\"\n tier stable changes=session {\n\
          -    // They grow.\n-    layer notes { file \"notes.md\" }\n     // The rules.\n     layer rules { file \"rules.md\" }\n\
          @@ -9,3 +7,5 @@\n tier base changes=session {\n     layer help { file \"help.md\" }\n+    // They grow.\n+    \
          layer notes { file \"notes.md\" }\n }\n",
        ]
    );
    // Into a tier of its own, since the other promises more; a datetime as a date.
    place.file(
        "promptc.kdl",
        format!(
            "{roots}fact now datetime changes=turn\ntier first {{\n    layer head {{ template \"It is {{{{ now }}}}.\" }}\n    \
             layer rules {{ file \"rules.md\" }}\n}}\ntier base changes=session {{\n    layer help {{ file \"help.md\" }}\n}}\n"
        ),
    );
    place
        .run(&[
            "build",
            "--set",
            "now=2026-03-01T08:00:00Z",
            "--format",
            "json",
            "-o",
            "old.json",
        ])
        .exits(0);
    let page = page(&place, &["old.json", "--set", "now=2026-03-01T09:00:00Z"]);
    let edits = edits(&page);
    assert!(
        edits[0].contains("+tier head changes=turn {\n+    layer head {"),
        "{edits:?}"
    );
}

#[test]
fn an_advice_without_an_edit_stays_advice() {
    // The tiers in a budget may be cut otherwise in another order.
    let place = Place::new();
    place.file("rules.md", "Be kind and brief.\n".repeat(40));
    place.file(
        "promptc.kdl",
        "promptc 1\nroot workspace default=\".\"\nbudget 9000\ntier stable {\n    layer notes { file \"notes.md\" }\n    \
         layer rules { file \"rules.md\" }\n}\n",
    );
    let page = pair(&place, "notes.md", "One.", "Two, and more.");
    assert!(said(&page).contains("Move layer notes after rules."));
    assert!(edits(&page).is_empty());
}

#[test]
fn nothing_of_scenarios_is_markup() {
    let place = Place::new();
    let evil =
        "\"</script><script>alert(1)</script><img src=x onerror=\\\"alert(2)\\\">--><!--</style>\"";
    place.file(
        "promptc.kdl",
        format!(
            "promptc 1\nname \"<b>&amp;\"\nfact who string default=nobody\ntier stable {{ layer hello {{ template \"{{{{ who }}}}\" }} }}\n\
             scenario one {{ set who {evil} }}\nscenario two {{ set who Bob }}\n"
        ),
    );
    stands_alone(&page(&place, &[]));
}

#[test]
fn both_texts_of_a_pair_stand_side_by_side() {
    let place = Place::new();
    let manifest = |text: &str| format!("promptc 1\ntier t {{ layer l {{ text \"{text}\" }} }}\n");
    place.file("promptc.kdl", manifest("one\\ntwo\\nthree"));
    place
        .run(&["build", "--format", "json", "-o", "old.json"])
        .exits(0);
    place.file("promptc.kdl", manifest("one\\nTWO\\nand more\\nthree"));
    let page = page(&place, &["old.json"]);
    stands_alone(&page);
    assert!(page.contains("class=\"diff two\""));
    let rows = "<div><del>- <u>two</u></del><ins>+ <u>TWO</u></ins></div>";
    assert!(
        page.contains(rows) || page.contains("<div><del>- two</del><ins>+ TWO</ins></div>"),
        "{page}"
    );
    assert!(
        page.contains("<div></div><ins>+ "),
        "a line that has none beside it"
    );
}
