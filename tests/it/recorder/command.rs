//! A command that is recorded: what it gets, how it ends, and what goes wrong.

use super::provider::Provider;
use super::{Client, Recorder, body, lines, recorder, recording};
use crate::run::{Place, Ran, run};
use std::net::TcpListener;
use std::process::Command;

/// Records a line of a shell, with a provider.
fn shell(place: &Place, provider: &Provider, line: &str) -> Ran {
    place.file("authority.pem", &provider.authority);
    let upstream = format!("anthropic={}", provider.url());
    let args = [
        "capture",
        "run",
        "-o",
        "log.jsonl",
        "--upstream",
        &upstream,
        "--",
        "sh",
        "-c",
        line,
    ];
    let mut command = place.command(&args);
    command.env("SSL_CERT_FILE", place.path().join("authority.pem"));
    run(command, b"in")
}

#[test]
fn the_code_is_that_of_the_command() {
    let place = Place::new();
    let provider = Provider::new();
    for (line, code) in [
        ("exit 0", 0),
        ("exit 7", 7),
        ("kill -9 $$", 137),
        ("kill -15 $$", 143),
    ] {
        shell(&place, &provider, line)
            .exits(code)
            .says("warning[nothing-recorded]");
        assert_eq!(lines(&place, "log.jsonl").len(), 1);
    }
}

#[test]
fn a_command_has_its_streams_and_the_variables_for_itself_alone() {
    let place = Place::new();
    let provider = Provider::new();
    let ran = shell(&place, &provider, "cat; echo; env; echo to-stderr >&2").exits(0);
    ran.says("to-stderr\n");
    let stdout = ran.stdout();
    assert!(stdout.starts_with("in\n"), "{stdout}");
    for name in [
        "ANTHROPIC_BASE_URL",
        "OPENAI_BASE_URL",
        "GOOGLE_GEMINI_BASE_URL",
        "DEEPSEEK_API_BASE",
    ] {
        assert!(
            stdout.contains(&format!("\n{name}=http://127.0.0.1:")),
            "{stdout}"
        );
    }
    assert!(
        stdout.contains("\nNO_PROXY=127.0.0.1,localhost\n"),
        "{stdout}"
    );
    assert!(!stdout.contains("ENABLE_TOOL_SEARCH"), "{stdout}");
}

#[test]
fn an_agent_is_reported_with_its_differences() {
    let place = Place::new();
    let agent = place.file("claude", "#!/bin/sh\necho \"search $ENABLE_TOOL_SEARCH\"\n");
    Command::new("chmod")
        .arg("+x")
        .arg(&agent)
        .status()
        .unwrap();
    let ran = place
        .run(&["capture", "run", "-o", "log.jsonl", "--", "./claude"])
        .exits(0);
    ran.shows("search true");
    ran.says("OTEL_LOG_RAW_API_BODIES");
    ran.says("ENABLE_TOOL_SEARCH=true restores that, and is set");
    let mut command = place.command(&["capture", "run", "-o", "log.jsonl", "--", "./claude"]);
    command.env("ENABLE_TOOL_SEARCH", "auto");
    run(command, b"").exits(0).shows("search auto");
}

#[test]
fn a_signal_is_forwarded_to_the_command() {
    let place = Place::new();
    let line = "trap 'echo got it; exit 5' TERM; kill -TERM $PPID; while :; do sleep 0.05; done";
    let ran = place
        .run(&["capture", "run", "-o", "log.jsonl", "--", "sh", "-c", line])
        .exits(5);
    ran.shows("got it");
}

#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    let place = Place::new();
    // As `nohup` does, and a shell for what it runs in the background.
    let line = format!(
        "trap '' HUP INT QUIT; exec '{}' capture run -o log.jsonl -- \
            sh -c 'for one in HUP INT QUIT; do kill -$one $PPID $$; done; sleep 0.2; echo still here'",
        env!("CARGO_BIN_EXE_promptc")
    );
    let mut command = Command::new("sh");
    command.args(["-c", &line]).current_dir(place.path());
    run(command, b"").exits(0).shows("still here");
}

#[test]
fn the_variables_are_listed_without_a_command() {
    let place = Place::new();
    let ran = place
        .run(&["capture", "run", "--print-env", "--port", "8081"])
        .exits(0);
    ran.shows("OPENAI_BASE_URL=http://127.0.0.1:8081/openai/v1  # the OpenAI SDKs");
    let mut command = place.command(&["capture", "run", "--print-env"]);
    command.env("OPENAI_BASE_URL", "https://gateway.example/v1");
    run(command, b"")
        .exits(0)
        .shows("OPENAI_BASE_URL=http://127.0.0.1:PORT/openai_base_url");
}

#[test]
fn a_port_that_is_taken_is_an_error() {
    let place = Place::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let ran = place
        .run(&[
            "capture",
            "run",
            "-o",
            "log.jsonl",
            "--port",
            &port,
            "--",
            "true",
        ])
        .exits(3);
    ran.says("error[port-taken]");
}

#[test]
fn an_old_log_stays_until_the_first_request() {
    let place = Place::new();
    place.file("log.jsonl", "before\n");
    let ran = place.run(&["capture", "run", "-o", "log.jsonl", "--", "no-such-program"]);
    ran.exits(2).says("error[command-not-started]");
    assert_eq!(place.read("log.jsonl"), "before\n");
}

#[test]
fn a_log_that_a_recorder_adds_to_is_not_replaced() {
    let (place, _provider, recorder) = recording();
    let ran = place.run(&["capture", "run", "-o", "log.jsonl", "--", "true"]);
    ran.exits(3).says("another recorder adds to it");
    let answer = recorder.send("/anthropic/v1/messages", "", &body("s", "m"));
    assert_eq!(answer.status(), 200);
    assert!(recorder.end().contains("1 request recorded"));
}

#[test]
fn a_recorder_as_its_own_upstream_is_an_error() {
    let place = Place::new();
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port().to_string();
    drop(free);
    let upstream = format!("anthropic=http://127.0.0.1:{port}/anthropic");
    let args = [
        "capture",
        "serve",
        "-o",
        "log.jsonl",
        "--port",
        &port,
        "--upstream",
        &upstream,
    ];
    let recorder = Recorder::start(place.command(&args));
    let answer = recorder.send("/anthropic/v1/messages", "", &body("s", "m"));
    assert_eq!(answer.status(), 508);
    let said = recorder.end();
    assert!(
        said.contains("the upstream is this recorder itself"),
        "{said}"
    );
}

#[test]
fn an_unreachable_provider_is_reported_to_both_sides() {
    let place = Place::new();
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://127.0.0.1:{}", free.local_addr().unwrap().port());
    drop(free);
    let upstream = format!("anthropic={url}");
    let recorder = Recorder::start(place.command(&[
        "capture",
        "serve",
        "-o",
        "log.jsonl",
        "--upstream",
        &upstream,
    ]));
    let answer = recorder.send("/anthropic/v1/messages", "", &body("s", "m"));
    assert_eq!(answer.status(), 502);
    assert!(
        answer.text().contains("did not answer") && answer.text().contains("refused"),
        "{answer:?}"
    );
    let said = recorder.end();
    assert!(
        said.contains("warning[upstream-failed]: 1 request not taken by http://127.0.0.1:"),
        "{said}"
    );
    assert!(said.contains("0 requests recorded"), "{said}");
}

#[test]
fn a_provider_that_no_authority_knows_is_not_trusted() {
    let place = Place::new();
    let (provider, other) = (Provider::new(), Provider::new());
    place.file("other.pem", &other.authority);
    let upstream = format!("anthropic={}", provider.url());
    let mut command = place.command(&[
        "capture",
        "serve",
        "-o",
        "log.jsonl",
        "--upstream",
        &upstream,
    ]);
    command.env("SSL_CERT_FILE", place.path().join("other.pem"));
    let recorder = Recorder::start(command);
    let answer = recorder.send("/anthropic/v1/messages", "", &body("s", "m"));
    assert_eq!(answer.status(), 502);
    assert!(answer.text().contains("certificate"), "{answer:?}");
    assert!(provider.calls().is_empty());
    recorder.end();
}

#[test]
fn requests_go_through_where_no_log_can_be_written() {
    let place = Place::new();
    let provider = Provider::new();
    let recorder = recorder(&place, &provider, &["-o", "/dev/full"]);
    for _ in 0..3 {
        assert_eq!(
            recorder
                .send("/anthropic/v1/messages", "", &body("s", "m"))
                .status(),
            200
        );
    }
    let said = recorder.end();
    assert!(
        said.contains("3 requests went through and not into the log"),
        "{said}"
    );
    assert!(said.contains("no space is left"), "{said}");
}

#[test]
fn a_log_above_the_limit_for_files_keeps_whole_lines() {
    let place = Place::new();
    let provider = Provider::new();
    place.file("authority.pem", &provider.authority);
    let upstream = format!("anthropic={}", provider.url());
    let mut command = Command::new("sh");
    let line = format!(
        "ulimit -f 64; exec '{}' capture serve -o log.jsonl --upstream {upstream}",
        env!("CARGO_BIN_EXE_promptc")
    );
    command.args(["-c", &line]).current_dir(place.path());
    command.env("SSL_CERT_FILE", place.path().join("authority.pem"));
    let recorder = Recorder::start(command);
    for i in 0..6 {
        let message = format!("{i} ").repeat(4_000);
        assert_eq!(
            recorder
                .send("/anthropic/v1/messages", "", &body(&message, &message))
                .status(),
            200
        );
    }
    let said = recorder.end();
    assert!(said.contains("went through and not into the log"), "{said}");
    let lines = lines(&place, "log.jsonl");
    assert!(lines.len() > 3, "{lines:?}");
    place.run(&["capture", "diff", "log.jsonl"]).exits(0);
}

#[test]
fn a_provider_that_never_ends_does_not_keep_the_recorder() {
    let (place, _provider, recorder) = recording();
    let mut client = Client::to(recorder.port);
    client.ask(
        recorder.port,
        "/anthropic/v1/messages?do=endless",
        "",
        &body("s", "m"),
    );
    super::http::head(&mut client.0).unwrap().unwrap();
    let said = recorder.end();
    assert!(said.contains("1 request recorded"), "{said}");
    let lines = lines(&place, "log.jsonl");
    assert_eq!(super::of_kind(&lines, "response")[0]["state"], "aborted");
}
