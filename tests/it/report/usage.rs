//! A page of usage: what `usage` says, down to requests; every amount once; nothing that is markup, and no more than fits.

use crate::report::html::{Token, said, tokens};
use crate::report::page::{HOSTILE, page_of_requests as page, refused, stands_alone};
use crate::report::waterfall::{self, log};
use crate::run::{Place, run};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;

/// A request with its answer and what was billed: tokens read, written for five minutes, and of the answer.
fn exchange(time: &str, conversation: &str, request: &Value, billed: [u64; 3]) -> Value {
    let [read, written, output] = billed;
    json!({
        "time": format!("2026-11-{time}:00Z"), "conversation": conversation,
        "url": "https://api.anthropic.com/v1/messages", "request": request,
        "response": {
            "type": "message", "role": "assistant", "content": [{"type": "text", "text": "Berth 4."}],
            "usage": {
                "input_tokens": 0, "cache_read_input_tokens": read, "output_tokens": output,
                "cache_creation_input_tokens": written, "cache_creation": {"ephemeral_5m_input_tokens": written},
            },
        },
    })
}

fn request(system: &str, messages: &[&str]) -> Value {
    waterfall::request(system, &[], messages)
}

/// Two days: a system prompt that changes, a conversation that waited too long, and one of its own.
fn story() -> Place {
    let (hi, more) = (&["Hi."][..], &["Hi.", "Berth 4.", "And for 20?"][..]);
    let system = |minute: &str| format!("# Rules\nBe brief.\n# Clock\nIt is 10:{minute}.");
    log(&[
        exchange(
            "21T10:00",
            "chat-7",
            &request(&system("00"), hi),
            [0, 9_000, 6],
        ),
        exchange(
            "21T10:02",
            "chat-7",
            &request(&system("02"), more),
            [0, 9_030, 4],
        ),
        exchange("21T10:03", "chat-8", &request("Title.", hi), [0, 5_000, 9]),
        exchange(
            "22T10:03",
            "chat-8",
            &request("Title.", more),
            [0, 5_100, 9],
        ),
    ])
}

/// The input of the script of a page.
fn data(page: &str) -> Value {
    let start = "<script type=\"application/json\" id=\"data\">";
    let (_, rest) = page.split_once(start).expect("data");
    serde_json::from_str(rest.split_once("</script>").unwrap().0).expect("JSON")
}

/// Of each cause what the rows of a page bill and what of it was avoidable, in 10^-9 dollars.
fn sums(data: &Value) -> BTreeMap<String, (i64, i64)> {
    let mut out: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    let talks = data["conversations"].as_array().unwrap();
    for row in talks
        .iter()
        .flat_map(|talk| talk["rows"].as_array().unwrap())
    {
        for part in row["p"].as_array().unwrap() {
            let cause = &data["causes"][part[0].as_u64().unwrap() as usize];
            let sum = out
                .entry(cause["name"].as_str().unwrap().to_owned())
                .or_default();
            sum.0 += part[2].as_i64().unwrap();
            if cause["avoidable"] == true {
                sum.1 += part[3].as_i64().unwrap();
            }
        }
    }
    out
}

fn nano(amount: &Value) -> i64 {
    let dollars: f64 = amount.as_str().unwrap().parse().unwrap();
    (dollars * 1e9).round() as i64
}

#[test]
fn a_page_of_usage_agrees_with_usage() {
    let place = story();
    let page = page(&place, &["--bill", "requests.jsonl"]);
    stands_alone(&page);
    let text = said(&page);
    for told in [
        "4 requests from 2026-11-21 to 2026-11-22: $0.14, of which $0.0",
        "Dollars a day, by cause",
        "2026-11-21changed $0.0",
        "keep tools, settings and system prompt as they are",
        "expired the cache had them, but its time to live was over",
        "c-819a119d6dcd2",
    ] {
        assert!(text.contains(told), "{told} in {text}");
    }
    let told = [
        "usage",
        "requests.jsonl",
        "--by",
        "cause",
        "--format",
        "json",
    ];
    let told: Value = serde_json::from_slice(&place.run(&told).exits(0).stdout).unwrap();
    let rows = told["rows"].as_array().unwrap();
    let wanted: BTreeMap<String, (i64, i64)> = rows
        .iter()
        .map(|row| {
            let sum = (nano(&row["billed"]), nano(&row["avoidable"]));
            (row["cause"].as_str().unwrap().to_owned(), sum)
        })
        .collect();
    assert_eq!(sums(&data(&page)), wanted);
    // Every link leads to a place of the page.
    for token in tokens(&page) {
        let Token::Tag(tag) = token else { continue };
        if let Some(id) = tag.get("href").and_then(|href| href.strip_prefix('#')) {
            assert!(page.contains(&format!(" id=\"{id}\"")), "{tag:?}");
        }
    }
}

#[test]
fn a_break_has_both_texts_the_cost_and_the_source() {
    let place = story();
    place.file("work/AGENTS.md", "# Clock\nIt is 10:02.\n");
    let page = page(&place, &["--bill", "requests.jsonl", "--files", "work"]);
    let data = data(&page);
    let rows = &data["conversations"][0]["rows"];
    let row = &rows[1];
    assert_eq!(
        (&row["n"], &row["a"], &row["g"]),
        (&json!(2), &json!(1), &json!(120))
    );
    assert_eq!(
        data["segments"][row["s"].as_u64().unwrap() as usize],
        "system: # Clock"
    );
    let one = &data["breaks"][row["b"].as_u64().unwrap() as usize];
    assert_eq!(one["from"], "bodies.jsonl:2");
    let cause = &one["causes"][0];
    assert_eq!(
        cause["told"],
        "system-changed system/0, line 4, under `# Clock`"
    );
    assert_eq!(cause["file"], "AGENTS.md:2");
    let line = |at: usize| cause["lines"][at].clone();
    assert_eq!([line(0), line(1)], ["- It is 10:00.", "+ It is 10:02."]);
    assert_eq!(
        cause["texts"][1]["text"],
        "# Rules\nBe brief.\n# Clock\nIt is 10:02."
    );
    assert_eq!(cause["texts"][1]["line"], 3);
}

#[test]
fn the_same_input_is_the_same_page() {
    let place = story();
    for input in ["requests.jsonl", "bodies.jsonl"] {
        let args = ["--bill", input];
        assert_eq!(page(&place, &args), page(&place, &args), "{input}");
    }
    // A log can be named as the operand, too.
    let operand = page(&place, &["requests.jsonl", "--bill"]);
    assert_eq!(operand, page(&place, &["--bill", "requests.jsonl"]));
}

#[test]
fn options_choose_and_price_requests() {
    let place = story();
    let last = page(
        &place,
        &["--bill", "requests.jsonl", "--since", "2026-11-22"],
    );
    assert!(said(&last).contains("1 request on 2026-11-22"));
    // It is compared with the request before it, which is left out.
    assert!(sums(&data(&last)).contains_key("expired"));
    let ago = ["--since", "1d", "--now", "2026-11-22T12:00:00Z"];
    let ago = page(&place, &[&["--bill", "requests.jsonl"], &ago[..]].concat());
    assert_eq!(ago, last);
    let other = page(
        &place,
        &["--bill", "requests.jsonl", "--model", "claude-haiku-4-5"],
    );
    assert_ne!(
        sums(&data(&other))["cold"],
        sums(&data(&last)).get("cold").copied().unwrap_or_default()
    );
    place.file("t.kdl", "providers 1\n");
    place
        .run(&[
            "capture",
            "report",
            "--bill",
            "requests.jsonl",
            "--providers",
            "t.kdl",
            "-o",
            "-",
        ])
        .exits(2);
    let named = page(&place, &["--bill", "bodies.jsonl", "--as", "bodies"]);
    assert!(said(&named).contains("4 requests"));
}

#[test]
fn without_a_path_it_covers_the_agents_on_this_machine() {
    let place = story();
    let bodies = place.read("bodies.jsonl");
    for (file, code) in [
        ("here.txt", 2),
        ("claude/projects/a/bodies.jsonl", 0),
        ("codex/sessions/bodies.jsonl", 0),
        ("codex/archived_sessions/bodies.jsonl", 0),
    ] {
        place.file(file, &bodies);
        let mut command = place.command(&["capture", "report", "--bill", "-o", "-"]);
        command.env("CLAUDE_CONFIG_DIR", place.path().join("claude"));
        command.env("CODEX_HOME", place.path().join("codex"));
        let ran = run(command, b"").exits(code);
        match code {
            0 => {
                let text = said(ran.stdout());
                assert!(
                    text.contains("Usage of the agents on this machine"),
                    "{text}"
                );
                assert!(text.contains("4 requests from 2026-11-21"), "{text}");
            }
            _ => refused(&ran, "operand-not-found"),
        }
        fs::remove_file(place.path().join(file)).unwrap();
    }
}

#[test]
fn an_input_without_usage_is_refused() {
    let place = story();
    for args in [
        &["--bill", "requests.jsonl", "--conversation", "c-0"][..],
        &["--bill", "requests.jsonl", "--session", "chat-7"],
        &["--bill", "requests.jsonl", "--artifact", "x.json"],
        &["--bill", "requests.jsonl", "--recorded"],
        &["--bill", "requests.jsonl", "--as", "none"],
        &["--bill", "requests.jsonl", "--since", "yesterday"],
        &["requests.jsonl", "--as", "bodies"],
        &["requests.jsonl", "--since", "7d"],
        &["--files", "."],
    ] {
        let args = [&["capture", "report"], args].concat();
        refused(&place.run(&args), "usage");
    }
    let model = [
        "capture",
        "report",
        "--bill",
        "requests.jsonl",
        "--model",
        "nobody-5",
    ];
    refused(&place.run(&model), "unknown-model");
    let own = [
        "capture",
        "report",
        "--bill",
        "requests.jsonl",
        "-o",
        "requests.jsonl",
    ];
    refused(&place.run(&own), "output-is-input");
    let recording = [
        "capture",
        "report",
        "--bill",
        "bodies.jsonl",
        "-o",
        "bodies.jsonl",
    ];
    refused(&place.run(&recording), "output-is-input");
    assert!(!place.path().join("report.html").exists());
}

#[cfg(unix)]
#[test]
fn a_page_of_usage_can_be_read_by_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = story();
    place
        .run(&["capture", "report", "--bill", "bodies.jsonl"])
        .exits(0);
    let kept = std::fs::metadata(place.path().join("report.html")).unwrap();
    assert_eq!(kept.permissions().mode() & 0o777, 0o600);
}

#[test]
fn nothing_of_usage_is_markup() {
    let other = HOSTILE.replace("script", "SCRIPT");
    let mut second = request(&other, &[&other, "x", "y"]);
    second["model"] = json!(other);
    second["tools"] = json!([{"name": other, "input_schema": {}}]);
    second["metadata"] = json!({ HOSTILE: other });
    let place = log(&[
        exchange(
            "21T10:00",
            "chat-7",
            &request(HOSTILE, &[HOSTILE]),
            [0, 9_000, 6],
        ),
        exchange("21T10:02", "chat-7", &second, [0, 9_000, 6]),
        exchange(
            "21T10:03",
            "chat-7",
            &request(
                "##[group]\n::stop::\u{202e}\u{0}</script>\u{2028}",
                &[HOSTILE],
            ),
            [0, 9_000, 6],
        ),
    ]);
    // A log may contain text that an import never writes.
    let text = place.read("requests.jsonl");
    let inside = serde_json::to_string(HOSTILE).unwrap();
    let text = text.replace("c-819a119d6dcd", inside.trim_matches('"'));
    let text = text.replace("\"file\":\"bodies.jsonl\"", &format!("\"file\":{inside}"));
    let name = "a<img src=x onerror=alert(3)>.jsonl";
    place.file(name, text);
    let page = page(&place, &["--bill", name]);
    stands_alone(&page);
    let start = page.find("id=\"data\">").unwrap() + 10;
    let json = &page[start..start + page[start..].find("</script>").unwrap()];
    for sign in ["<", ">", "&", "\u{2028}", "\u{202e}", "##[", "\n"] {
        assert!(!json.contains(sign), "{sign:?}");
    }
    let texts = data(&page)["breaks"].to_string();
    assert!(
        texts.contains("U+202E") && texts.contains("U+2028"),
        "{texts}"
    );
}

/// Each request changes the system prompt, which is long.
#[test]
fn a_page_of_many_breaks_is_small_and_counts_the_rest() {
    let filler =
        "This line is the same in all of them, </b> or \u{200b} so it is said.\n".repeat(60);
    let all: Vec<Value> = (0..500)
        .map(|n| {
            let system = format!("It is {n}.\n{filler}");
            let time = format!("21T{:02}:{:02}", n / 60 + 8, n % 60);
            exchange(
                &time,
                &format!("chat-{}", n % 4),
                &request(&system, &["Hi."]),
                [0, 4_000, 9],
            )
        })
        .collect();
    let place = log(&all);
    let page = page(&place, &["--bill", "requests.jsonl"]);
    stands_alone(&page);
    assert!(page.len() < 2_000_000, "{}", page.len());
    let data = data(&page);
    let breaks = data["breaks"].as_array().unwrap().len() as u64;
    assert!(breaks > 50, "{breaks}");
    // The first request of a conversation breaks what it shares with another one.
    assert_eq!(breaks + data["without"].as_u64().unwrap(), 499);
    assert_eq!(data["left"], 0);
}

#[test]
fn the_requests_that_cost_least_are_left_out_of_many() {
    let all: Vec<Value> = (0..5_200)
        .map(|n| {
            let time = format!("{:02}T{:02}:{:02}", 2 + n % 20, n / 60 % 24, n % 60);
            let request = request("Harbor.", &["Hi."]);
            exchange(
                &time,
                &format!("chat-{}", n % 100),
                &request,
                [0, 1_000 + n % 100, 9],
            )
        })
        .collect();
    let page = page(&log(&all), &["--bill", "requests.jsonl"]);
    assert!(page.len() < 2_000_000, "{}", page.len());
    let data = data(&page);
    let talks = data["conversations"].as_array().unwrap();
    let shown: usize = talks
        .iter()
        .map(|talk| talk["rows"].as_array().unwrap().len())
        .sum();
    assert_eq!((shown, &data["left"]), (5_000, &json!(200)));
    assert!(said(&page).contains("5,200 requests"));
}

#[test]
fn many_days_are_weeks_and_more_are_months() {
    let of_days = |days: i64, step: i64| {
        let first: jiff::civil::Date = "2024-01-01".parse().unwrap();
        let all: Vec<Value> = (0..days)
            .map(|n| {
                let day = first.checked_add(jiff::Span::new().days(n * step)).unwrap();
                let mut one = exchange(
                    "21T10:00",
                    "chat-7",
                    &request("Harbor.", &["Hi."]),
                    [0, 900, 9],
                );
                one["time"] = json!(format!("{day}T10:00:00Z"));
                one
            })
            .collect();
        said(&page(&log(&all), &["--bill", "requests.jsonl"]))
    };
    assert!(of_days(62, 1).contains("Dollars a day"));
    let weeks = of_days(63, 1);
    assert!(weeks.contains("Dollars a week") && weeks.contains("week of 2024-01-01"));
    let months = of_days(100, 7);
    assert!(months.contains("Dollars a month") && months.contains("2025-11"));
}

/// A log and a recording from a pipe, which can be read once, give what their files give. Both are read more than once: for the
/// requests, the bill, and the simulation of what would save.
#[cfg(unix)]
#[test]
fn inputs_that_can_be_read_once_give_what_their_files_give() {
    let place = story();
    let piped = |line: &str| {
        let mut command = std::process::Command::new("bash");
        command.args(["-c", line, crate::run::PROGRAM]);
        command.current_dir(place.path()).env_clear();
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        let ran = run(command, b"").exits(0);
        assert_eq!(ran.stderr, "", "{line}");
        ran.stdout().to_owned()
    };
    // A request has the name of its file.
    let named = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.contains("\"request\": "));
        lines.map(str::to_owned).collect()
    };
    for file in ["requests.jsonl", "bodies.jsonl"] {
        let usage = ["usage", file, "--format", "json"];
        let whole = place.run(&usage).exits(0);
        whole.shows("\"to-message\"");
        for input in [
            &format!("<(cat {file})"),
            &format!("- < {file}"),
            &format!("- < <(cat {file})"),
            &format!("/dev/stdin < <(cat {file})"),
        ] {
            let line = format!("\"$0\" usage --format json {input}");
            assert_eq!(named(&piped(&line)), named(whole.stdout()), "{line}");
            let line = format!("\"$0\" capture report --bill {input} -o -");
            assert!(piped(&line).contains("4 requests"), "{line}");
        }
    }
    let log = place
        .run(&["capture", "report", "requests.jsonl", "-o", "-"])
        .exits(0);
    let page = piped("cat requests.jsonl | \"$0\" capture report - -o -");
    let log = log.stdout().replace("requests.jsonl", "-");
    assert_eq!(page.lines().count(), log.lines().count());
    assert!(said(&page).contains("avoidable"), "{}", said(&page));
    // Two pipes at once. A file that is named twice would count once.
    place.file("other.jsonl", place.read("requests.jsonl"));
    let both = piped("\"$0\" usage --format json <(cat requests.jsonl) <(cat requests.jsonl)");
    let files = ["usage", "--format", "json", "requests.jsonl", "other.jsonl"];
    assert_eq!(named(&both), named(place.run(&files).exits(0).stdout()));
}

/// What the program opens of a file, with how many bytes it reads each time; none where nothing traces it.
#[cfg(target_os = "linux")]
fn reads(place: &Place, args: &[&str], file: &str) -> Option<Vec<usize>> {
    let trace = place.path().join("trace");
    let mut command = std::process::Command::new("strace");
    let calls = ["-f", "-qq", "-e", "trace=openat,read,close", "-o"];
    command
        .args(calls)
        .arg(&trace)
        .arg(crate::run::PROGRAM)
        .args(args);
    command
        .current_dir(place.path())
        .stdout(std::process::Stdio::null());
    command
        .status()
        .ok()
        .filter(std::process::ExitStatus::success)?;
    let (mut out, mut open) = (Vec::new(), None);
    for line in place.read("trace").lines() {
        let result = line.rsplit_once(" = ").map_or("", |(_, result)| result);
        if line.contains("openat(") {
            open = line
                .contains(&format!("\"{file}\""))
                .then(|| result.to_owned());
            out.extend(open.is_some().then_some(0));
        } else if let Some(number) = &open
            && line.contains(&format!("read({number}, "))
        {
            *out.last_mut()? += result.parse().unwrap_or(0);
        }
    }
    Some(out)
}

#[cfg(target_os = "linux")]
#[test]
fn the_content_of_an_input_is_read_once() {
    let place = story();
    for (file, args) in [
        ("requests.jsonl", ["usage", "requests.jsonl"]),
        ("bodies.jsonl", ["usage", "bodies.jsonl"]),
    ] {
        let Some(reads) = reads(&place, &args, file) else {
            return println!("skipped: strace is not there, or may not look here");
        };
        let size = place.read(file).len();
        let whole = reads.iter().filter(|read| **read >= size).count();
        // Some bytes of its beginning show what it is.
        let others = reads.iter().filter(|read| **read < size);
        assert_eq!(whole, 1, "{file} of {size} bytes: {reads:?}");
        assert!(others.clone().all(|read| *read < 100), "{file}: {reads:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_with_nothing_that_is_billed_is_an_error_with_a_reason() {
    let place = story();
    for line in [
        "\"$0\" usage <(echo x)",
        "\"$0\" usage - < /dev/null",
        "echo '{\"kind\":\"log\",' | \"$0\" capture report - -o x.html",
        "head -c 900 requests.jsonl | tail -c 600 | \"$0\" capture report --bill - -o x.html",
    ] {
        let mut command = std::process::Command::new("bash");
        command.args(["-c", line, crate::run::PROGRAM]);
        command.current_dir(place.path());
        run(command, b"").exits(2).says("error[");
        assert!(!place.path().join("x.html").exists());
    }
}
