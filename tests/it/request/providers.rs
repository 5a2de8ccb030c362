//! `promptc providers` through the binary: which row counts for a name on a day, the built-in table's data about
//! itself, and the import of litellm's prices.

use crate::run::{Place, Ran};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

const DAY: &str = "2026-11-22T00:00:00Z";

fn show(name: &str, now: &str) -> Value {
    shown(&Place::new(), name, &["--now", now])
}

fn shown(place: &Place, name: &str, more: &[&str]) -> Value {
    let mut args = vec!["providers", "show", name, "--format", "json"];
    args.extend(more);
    let ran = place.run(&args).exits(0);
    valid(ran.stdout())
}

fn list(place: &Place, more: &[&str]) -> Value {
    let mut args = vec!["providers", "list", "--format", "json"];
    args.extend(more);
    valid(place.run(&args).exits(0).stdout())
}

/// A report, which the schema allows.
fn valid(report: &str) -> Value {
    let schema = Place::new().run(&["schema", "providers"]).exits(0);
    let schema = serde_json::from_str(schema.stdout()).unwrap();
    let report = serde_json::from_str(report).unwrap();
    jsonschema::validate(&schema, &report).unwrap_or_else(|e| panic!("{e} in {report}"));
    report
}

#[test]
fn a_row_counts_on_its_days() {
    for (now, price, other, from) in [
        ("2026-11-30T23:59:59Z", 2.0, 4.0, "2026-12-01"),
        ("2026-12-01T00:00:00Z", 4.0, 2.0, ""),
        // A day is one of UTC.
        ("2026-12-01T08:59:59+09:00", 2.0, 4.0, "2026-12-01"),
    ] {
        let report = show("gemini-4-argon", now);
        assert_eq!(report["row"]["price"]["input"], price, "{now}");
        assert_eq!(report["other_days"][0]["price"]["input"], other);
        assert_eq!(report["other_days"][0]["from"].as_str().unwrap_or(""), from);
    }
}

#[test]
fn a_model_is_found_by_its_names() {
    for (name, row, provider, via) in [
        ("deepseek-flash", "deepseek-flash", "deepseek", None),
        ("deepseek-v4-flash-exp", "deepseek-flash", "deepseek", None),
        ("claude-opus-5-5", "claude-opus-5-5", "anthropic", None),
        (
            "claude-opus-5-5-20261007",
            "claude-opus-5-5",
            "anthropic",
            None,
        ),
        (
            "claude-sonnet-5@20260401",
            "claude-sonnet-5",
            "anthropic",
            None,
        ),
        (
            "claude-fable-5-2-latest",
            "claude-fable-5-2",
            "anthropic",
            None,
        ),
        ("gpt-4o-2024-08-06", "gpt-4o", "openai<5.6", None),
        (
            "openrouter/anthropic/claude-opus-5-5",
            "claude-opus-5-5",
            "anthropic",
            Some("openrouter"),
        ),
        (
            "openrouter/openai/gpt-6.1-sol",
            "gpt-6.1-sol",
            "openai>=5.6",
            Some("openrouter"),
        ),
        (
            "bedrock/us.anthropic.claude-opus-5-5-v1:0",
            "*.anthropic.claude-opus-5-5*",
            "bedrock",
            None,
        ),
        (
            "us-gov.anthropic.claude-opus-5-5-v1:0",
            "us-gov.anthropic.claude-opus-5-5*",
            "bedrock",
            None,
        ),
        (
            "global.anthropic.claude-opus-5-5-v1:0",
            "global.anthropic.claude-opus-5-5*",
            "bedrock",
            None,
        ),
        (
            "anthropic.claude-opus-5-5-v1:0",
            "global.anthropic.claude-opus-5-5*",
            "bedrock",
            None,
        ),
        (
            "bedrock/anthropic.claude-opus-5-5",
            "global.anthropic.claude-opus-5-5*",
            "bedrock",
            None,
        ),
        ("vertex/claude-opus-5-5", "claude-*", "vertex", None),
        ("vllm/anything", "*", "vllm", None),
        ("llama.cpp/a-model", "*", "llama.cpp", None),
    ] {
        let report = show(name, DAY);
        assert_eq!(report["row"]["models"][0], row, "{name}");
        assert_eq!(report["served_by"]["provider"], provider, "{name}");
        assert_eq!(report["via"].as_str(), via, "{name}");
    }
    assert!(show("vllm/anything", DAY)["row"]["price"].is_null());
}

#[test]
fn models_of_one_family_can_differ_in_their_multiples() {
    for (name, row, read) in [
        ("MiniMax-M2.5", "MiniMax-M2*", 0.1),
        ("MiniMax-M2.5-highspeed", "MiniMax-M2*-highspeed", 0.05),
        ("MiniMax-M2.1-lightning", "MiniMax-M2*-lightning", 0.1),
        ("MiniMax-M2.7", "MiniMax-M2.7*", 0.2),
        (
            "minimax-explicit/MiniMax-M2.7-highspeed",
            "MiniMax-M2.7-highspeed",
            0.1,
        ),
    ] {
        let report = show(name, DAY);
        assert_eq!(report["row"]["models"][0], row, "{name}");
        assert_eq!(report["row"]["price"]["read"], read, "{name}");
    }
}

#[test]
fn gateways_of_gateways_are_not_followed() {
    let name = format!("{}m", "openrouter/".repeat(5_000));
    let report = show(&name, DAY);
    assert_eq!(report["served_by"]["provider"], "openrouter");
    assert!(report["row"].is_null());
}

#[test]
fn an_unknown_model_has_no_price() {
    for name in [
        "claude-opus-5-6",
        "gpt-4o-nano",
        "claude-opus-5-5-5",
        "gpt-6.2",
        "",
    ] {
        let ran = Place::new().run(&["providers", "show", name, "--now", DAY]);
        let ran = ran.exits(2);
        assert!(
            ran.stderr.starts_with("error[unknown-model]"),
            "{}",
            ran.stderr
        );
        assert!(ran.stdout.is_empty());
    }
    for (name, provider) in [
        ("anthropic/claude-opus-5-6", "anthropic"),
        ("openrouter/anthropic/claude-opus-5-6", "anthropic"),
        ("openrouter/somebody/something", "openrouter"),
        ("gemini-explicit/gemini-9", "gemini-explicit"),
    ] {
        let report = show(name, DAY);
        assert_eq!(report["served_by"]["provider"], provider);
        assert!(report["row"].is_null(), "{name}");
        let ran = Place::new().run(&["providers", "show", name, "--now", DAY]);
        let ran = ran.exits(0);
        ran.shows("price         unknown");
        assert!(!ran.stdout().contains('$'), "{}", ran.stdout());
    }
}

/// A table with one row for `model`.
fn table(model: &str, price: f64) -> String {
    format!(
        "providers 1 currency=USD as-of=\"2026-11-22\"\nmodel \"{model}\" provider=\"anthropic\" {{\n    price input={price} read=0.1\n    source \"made for this test\" as-of=\"2026-11-22\"\n}}\n"
    )
}

#[test]
fn an_own_table_counts_first_and_a_later_one_before_it() {
    let place = Place::new();
    place.file("one.kdl", table("claude-opus-5-5", 7.0));
    place.file("two.kdl", table("claude-opus-5-5", 9.0));
    place.file("stars.kdl", table("claude-opus-*", 3.0));
    let price = |files: &[&str], name: &str| {
        let mut more = vec!["--now", DAY];
        more.extend(files.iter().flat_map(|file| ["--providers", file]));
        shown(&place, name, &more)["row"]["price"]["input"].clone()
    };
    assert_eq!(price(&[], "claude-opus-5-5"), 4.0);
    assert_eq!(price(&["one.kdl"], "claude-opus-5-5"), 7.0);
    assert_eq!(price(&["one.kdl", "two.kdl"], "claude-opus-5-5"), 9.0);
    assert_eq!(
        price(&["two.kdl", "one.kdl"], "claude-opus-5-5-20261007"),
        7.0
    );
    assert_eq!(price(&["one.kdl"], "claude-opus-5"), 5.0);
    // Whatever it says counts, also of models that the program knows better.
    assert_eq!(price(&["stars.kdl"], "claude-opus-5-6"), 3.0);
    assert_eq!(price(&["stars.kdl"], "claude-opus-5-5"), 3.0);

    let rows = list(&place, &["--providers", "one.kdl", "--now", DAY]);
    let rows = rows["models"].as_array().unwrap();
    let same = rows
        .iter()
        .filter(|row| row["models"][0] == "claude-opus-5-5" && row["provider"] == "anthropic");
    let prices: Vec<&Value> = same.map(|row| &row["price"]["input"]).collect();
    assert_eq!(prices, [&json!(7.0)]);
}

#[test]
fn a_list_has_one_provider_on_request() {
    let place = Place::new();
    let report = list(&place, &["--provider", "openai>=5.6", "--now", DAY]);
    let rows = report["models"].as_array().unwrap();
    assert!(rows.len() > 5 && rows.iter().all(|row| row["provider"] == "openai>=5.6"));
    assert_eq!(report["providers"].as_array().unwrap().len(), 1);
    let ran = place.run(&["providers", "list", "--provider", "openrouter"]);
    assert!(ran.exits(0).stdout().starts_with("provider  "));
}

#[test]
fn the_built_in_table_follows_its_own_rules() {
    let place = Place::new();
    let source = |row: &Value| {
        assert!(
            row["source"]["text"].as_str().is_some_and(|t| t.len() > 5),
            "{row}"
        );
        assert!(
            row["source"]["as_of"].as_str() >= Some("2026-11-01"),
            "{row}"
        );
    };
    // All rows count on one of these days.
    for now in ["2026-11-22T00:00:00Z", "2027-01-02T00:00:00Z"] {
        let report = list(&place, &["--now", now]);
        report["providers"]
            .as_array()
            .unwrap()
            .iter()
            .for_each(source);
        for row in report["models"].as_array().unwrap() {
            source(row);
            let read = &row["price"]["read"];
            assert!(read.is_null() || read.as_f64() < Some(1.0), "{row}");
            for tier in row["above"].as_array().unwrap() {
                let (long, short) = (&tier["price"], &row["price"]);
                assert!(long["input"].as_f64() > short["input"].as_f64(), "{row}");
                // A row with a price of output has it for long requests too.
                let is_known = short["output"].is_number();
                assert_eq!(long["output"].is_number(), is_known, "{row}");
                assert!(
                    !is_known || long["output"].as_f64() > short["output"].as_f64(),
                    "{row}"
                );
            }
            let ttls = row["ttls"].as_array().unwrap();
            for pair in ttls.windows(2) {
                assert!(
                    pair[0]["seconds"].as_u64() < pair[1]["seconds"].as_u64(),
                    "{row}"
                );
                assert!(
                    pair[0]["write"].as_f64() <= pair[1]["write"].as_f64(),
                    "{row}"
                );
            }
        }
    }
    let text = include_str!("../../../layers/providers.kdl");
    place.file("providers.kdl", text);
    place.run(&["fmt", "--check", "providers.kdl"]).exits(0);
}

fn warns(ran: &Ran) -> bool {
    ran.stderr.contains("warning[stale-prices]")
}

#[test]
fn a_used_price_is_at_most_60_days_old() {
    let place = Place::new();
    place.file(
        "promptc.kdl",
        "promptc 1\ntier t { layer a { text \"abc\" } }\n",
    );
    place.file("a.txt", "one");
    place.file("b.txt", "two");
    for (now, old) in [
        ("2027-01-27T23:59:59Z", false),
        ("2027-01-28T00:00:00Z", true),
    ] {
        for args in [
            &["providers", "show", "claude-opus-5-5"][..],
            &["providers", "list", "--provider", "mistral"],
            &["diff", "a.txt", "b.txt", "--model", "claude-opus-5-5"],
        ] {
            let ran = place.run(&[args, &["--now", now]].concat()).exits(0);
            assert_eq!(warns(&ran), old, "{args:?} at {now}: {}", ran.stderr);
            assert!(!old || ran.stderr.contains("--providers"), "{}", ran.stderr);
        }
        for args in [
            &["providers", "show", "vllm/qwen3"][..],
            &["providers", "show", "anthropic/claude-opus-5-6"],
            &["diff", "a.txt", "b.txt"],
            &["build"],
            &["explain", "--model", "claude-opus-5-5"],
            &["emit", "anthropic", "--model", "claude-opus-5-5"],
        ] {
            let ran = place.run(&[args, &["--now", now]].concat()).exits(0);
            assert!(!warns(&ran), "{args:?} at {now}: {}", ran.stderr);
        }
    }
}

/// An entry of litellm's file.
fn entry(provider: &str, figures: Value) -> Value {
    let mut entry = json!({"litellm_provider": provider, "mode": "chat", "max_tokens": 1000.0});
    let figures = figures.as_object().unwrap().clone();
    entry.as_object_mut().unwrap().extend(figures);
    entry
}

fn figures(input: f64, read: f64) -> Value {
    json!({"input_cost_per_token": input, "cache_read_input_token_cost": read})
}

/// The imported rows of a file, read back.
fn imported(file: &[(&str, Value)], more: &[&str]) -> (Place, Vec<Value>) {
    let place = Place::new();
    let object: Map<String, Value> = file
        .iter()
        .map(|(k, v)| ((*k).to_owned(), v.clone()))
        .collect();
    place.file("prices.json", Value::Object(object).to_string());
    let args = [
        "providers",
        "import",
        "prices.json",
        "--as-of",
        "2026-11-22",
        "-o",
        "t.kdl",
    ];
    place.run(&[&args, more].concat()).exits(0);
    place.run(&["fmt", "--check", "t.kdl"]).exits(0);
    let report = list(&place, &["--providers", "t.kdl", "--now", DAY]);
    let rows = report["models"].as_array().unwrap().iter();
    let rows = rows.filter(|row| {
        row["source"]["text"]
            .as_str()
            .unwrap()
            .starts_with("litellm, ")
    });
    let rows = rows.cloned().collect();
    (place, rows)
}

fn names(rows: &[Value]) -> Vec<String> {
    let name = |row: &Value| {
        let (provider, name) = (row["provider"].as_str(), row["models"][0].as_str());
        format!("{}/{}", provider.unwrap(), name.unwrap())
    };
    rows.iter().map(name).collect()
}

#[test]
fn prices_are_litellms_and_rules_stay() {
    let full = json!({
        "input_cost_per_token": 8e-6,
        "cache_read_input_token_cost": 2e-6,
        "output_cost_per_token": 4e-5,
        "output_cost_per_token_above_200k_tokens": 6e-5,
        "output_cost_per_token_above_200k_tokens_flex": 1e-9,
        "output_cost_per_reasoning_token": 9e-1,
        "cache_creation_input_token_cost": 1.2e-5,
        "cache_creation_input_token_cost_above_1hr": 2e-5,
        "cache_creation_input_token_cost_above_1hr_batches": 9e-1,
        "input_cost_per_token_batches": 4e-6,
        "prompt_cache_min_tokens": 4096.0,
        "input_cost_per_token_above_200k_tokens": 1.6e-5,
        "cache_read_input_token_cost_above_200k_tokens": 8e-6,
        "input_cost_per_token_above_200k_tokens_flex": 1e-9,
    });
    let (_, rows) = imported(&[("claude-opus-5-5", entry("anthropic", full))], &[]);
    let [row] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!(
        row["price"],
        json!({"input": 8.0, "read": 0.25, "output": 40.0})
    );
    assert_eq!(
        (&row["min"], &row["breakpoints"]),
        (&json!(4096), &json!(4))
    );
    assert_eq!(row["ttls"][0]["write"], 1.5);
    assert_eq!(
        (&row["ttls"][1]["ttl"], &row["ttls"][1]["write"]),
        (&json!("1h"), &json!(2.5))
    );
    let above = json!([{"tokens": 200_000, "price": {"input": 16.0, "read": 0.5, "output": 60.0}}]);
    assert_eq!(row["above"], above);
    assert_eq!(row["source"]["as_of"], "2026-11-22");
    assert_eq!(row["source"]["confidence"], "medium");
}

#[test]
fn multipliers_and_retirements_are_taken_over() {
    let full = json!({
        "input_cost_per_token": 4e-6, "output_cost_per_token": 2e-5, "cache_read_input_token_cost": 2e-7,
        // As the row of the provider says: it is not repeated.
        "input_cost_per_token_batches": 2e-6, "output_cost_per_token_batches": 1e-5,
        // No one multiple.
        "input_cost_per_token_flex": 1e-6, "output_cost_per_token_flex": 1e-5,
        "input_cost_per_token_priority": 8e-6, "cache_read_input_token_cost_priority": 3e-7,
        "provider_specific_entry": {"fast": 3, "us": 1.2, "other": "x"},
        "deprecation_date": "2027-03-01",
    });
    let odd = json!({
        "input_cost_per_token": 2e-6, "cache_read_input_token_cost": 1e-7,
        "input_cost_per_token_flex": 0.0, "input_cost_per_token_priority": 1.0,
        "provider_specific_entry": {"fast": -1, "us": "1.1"}, "deprecation_date": "soon",
    });
    let over = json!({
        "input_cost_per_token": 5e-6, "cache_read_input_token_cost": 5e-7,
        "provider_specific_entry": null, "deprecation_date": "2026-11-22",
    });
    let file = [
        ("claude-opus-5-5", entry("anthropic", full)),
        ("claude-sonnet-5", entry("anthropic", odd)),
        ("claude-opus-4-6", entry("anthropic", over)),
    ];
    let (_, rows) = imported(&file, &[]);
    let row = |name: &str| rows.iter().find(|row| row["models"][0] == name).unwrap();
    let multiplier = |term: &str, values: &[&str], factor: f64, read: Option<f64>| json!({"term": term, "values": values, "factor": factor, "read": read, "write_as_read": false});
    let all = [
        multiplier("speed", &["fast"], 3.0, None),
        multiplier("inference_geo", &["us"], 1.2, None),
        multiplier(
            "service_tier",
            &["priority", "fast", "on_demand_priority"],
            2.0,
            Some(1.5),
        ),
    ];
    assert_eq!(row("claude-opus-5-5")["multipliers"], json!(all));
    assert_eq!(row("claude-opus-5-5")["until"], "2027-03-01");
    assert_eq!(row("claude-sonnet-5")["multipliers"], json!([]));
    assert!(row("claude-sonnet-5")["until"].is_null());
    // What the program knows stays.
    let known = [multiplier("speed", &["fast"], 6.0, None)];
    assert_eq!(row("claude-opus-4-6")["multipliers"], json!(known));
    assert!(row("claude-opus-4-6")["until"].is_null());
}

#[test]
fn data_that_litellm_lacks_stays() {
    let long = json!({
        "input_cost_per_token": 1e-6,
        "cache_creation_input_token_cost": 2e-6,
        "cache_creation_input_token_cost_above_12hr": 4e-6,
    });
    let explicit = json!({
        "input_cost_per_token": 2e-6,
        "cache_read_input_token_cost": 4e-7,
        "explicit_cache_read_input_token_cost": 1e-7,
    });
    let free = json!({
        "input_cost_per_token": 2e-6,
        "output_cost_per_token": 0.0,
        "cache_creation_input_token_cost": 0.0,
    });
    // For a model whose row here does not have it.
    let output = json!({"input_cost_per_token": 2e-6, "output_cost_per_token": 9e-6});
    let file = [
        ("gpt-6.1-sol", entry("openai", long)),
        (
            "gemini/gemini-4-argon",
            entry("gemini", figures(3e-6, 3e-7)),
        ),
        (
            "dashscope/qwen3.7-max",
            entry("dashscope", explicit.clone()),
        ),
        ("dashscope/qwen3.8-max", entry("dashscope", explicit)),
        ("moonshot/kimi-k3", entry("moonshot", free)),
        ("gpt-6.2-sol", entry("openai", output)),
    ];
    let (place, rows) = imported(&file, &[]);
    let row = |name: &str| {
        let found = rows.iter().find(|row| row["models"][0] == name);
        found.unwrap_or_else(|| panic!("no {name} in {rows:?}"))
    };
    let sol = row("gpt-6.1-sol");
    let price = json!({"input": 1.0, "read": 0.05, "output": 10.0});
    assert_eq!(sol["price"], price);
    assert_eq!(row("kimi-k3")["price"]["output"], 15.0);
    let newer = row("gpt-6.2-sol");
    assert_eq!(newer["price"]["output"], 9.0);
    assert_eq!(newer["above"][0]["price"]["output"], 9.0);
    assert_eq!(
        (&sol["ttls"][0]["write"], &sol["ttls"][1]["write"]),
        (&json!(2.0), &json!(4.0))
    );
    assert_eq!(sol["ttls"][1]["only"], "responses");
    assert_eq!(sol["above"][0]["price"]["input"], 4.0);
    assert_eq!(row("qwen3.7-max")["price"]["read"], 0.05);
    assert_eq!(row("qwen3.8-max")["price"]["read"], 0.2);
    assert_eq!(row("kimi-k3")["ttls"][1]["write"], 2.0);
    let argon = row("gemini-4-argon");
    assert_eq!(
        (&argon["price"]["input"], &argon["until"]),
        (&json!(3.0), &json!("2026-11-30"))
    );
    let now = "2026-12-01T00:00:00Z";
    let later = shown(
        &place,
        "gemini-4-argon",
        &["--providers", "t.kdl", "--now", now],
    );
    assert_eq!(later["row"]["price"]["input"], 4.0);
}

#[test]
fn only_models_whose_rule_is_sure_are_imported() {
    let written = json!({
        "input_cost_per_token": 1e-6,
        "cache_read_input_token_cost": 1e-7,
        "cache_creation_input_token_cost": 1.25e-6,
    });
    let claude = |provider| entry(provider, written.clone());
    let file = [
        ("claude-opus-5-6", claude("anthropic")),
        ("claude-unwritten", entry("anthropic", figures(1e-6, 1e-7))),
        ("azure/claude-opus-5-5", claude("azure_ai")),
        ("eu.anthropic.claude-opus-9", claude("bedrock_converse")),
        ("eu.openai.gpt-6-sol", claude("bedrock_converse")),
        (
            "bedrock/us-east-1/anthropic.claude-opus-5-5",
            claude("bedrock"),
        ),
        (
            "vertex_ai/claude-opus-5-5@20261007",
            claude("vertex_ai-anthropic_models"),
        ),
        ("gpt-7", entry("openai", figures(1e-6, 1e-7))),
        ("gpt-4o", entry("openai", figures(2e-6, 1e-6))),
        // The same as the model without the date; an older version has its own price.
        ("gpt-4o-2024-08-06", entry("openai", figures(2e-6, 1e-6))),
        ("gpt-4o-2024-05-13", entry("openai", figures(5e-6, 5e-6))),
        ("xai/grok-9", entry("xai", figures(1e-6, 1e-7))),
        (
            "xai/grok-unread",
            entry("xai", json!({"input_cost_per_token": 1e-6})),
        ),
        (
            "deepseek/deepseek-v4-pro",
            entry("deepseek", figures(1.32e-6, 4.4e-8)),
        ),
        (
            "deepseek/deepseek-v5",
            entry("deepseek", figures(1e-6, 1e-7)),
        ),
        ("minimax/MiniMax-M9", entry("minimax", figures(1e-6, 1e-7))),
        (
            "gemini/embed",
            json!({"litellm_provider": "gemini", "mode": "embedding", "input_cost_per_token": 1e-6}),
        ),
        ("odd \" name", claude("anthropic")),
    ];
    let (place, rows) = imported(&file, &[]);
    let wanted = [
        "anthropic/claude-opus-5-6",
        "bedrock/eu.anthropic.claude-opus-9",
        "openai<5.6/gpt-4o",
        "openai<5.6/gpt-4o-2024-05-13",
        "vertex/claude-opus-5-5@20261007",
        "xai/grok-9",
    ];
    assert_eq!(names(&rows), wanted);
    assert_eq!(rows[0]["ttls"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&rows[0]["breakpoints"], &rows[0]["min"]),
        (&json!(4), &Value::Null)
    );
    // A successor of what was imported has no price either.
    let args = [
        "providers",
        "show",
        "claude-opus-5-7",
        "--providers",
        "t.kdl",
    ];
    place.run(&args).exits(2);
}

#[test]
fn the_order_of_a_file_does_not_change_its_import() {
    let rows = [
        ("claude-opus-5", entry("anthropic", figures(6e-6, 6e-7))),
        ("xai/grok-4.7", entry("xai", figures(3e-6, 6e-7))),
        (
            "gemini/gemini-3.8-flash",
            entry("gemini", figures(1e-6, 1e-7)),
        ),
    ];
    let place = Place::new();
    let mut seen = Vec::new();
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
        let members = order.map(|at| format!("{:?}: {}", rows[at].0, rows[at].1));
        place.file("prices.json", format!("{{{}}}", members.join(",\n")));
        let args = [
            "providers",
            "import",
            "prices.json",
            "--as-of",
            "2026-11-22",
        ];
        seen.push(place.run(&args).exits(0).stdout().to_owned());
    }
    assert!(seen[0].contains("claude-opus-5") && seen[0].contains("grok-4.7"));
    assert!(seen.iter().all(|text| *text == seen[0]));
}

#[test]
fn some_models_are_imported_if_they_are_named() {
    let file = [
        ("claude-opus-5", entry("anthropic", figures(6e-6, 6e-7))),
        ("xai/grok-4.7", entry("xai", figures(3e-6, 6e-7))),
        ("gpt-7", entry("openai", figures(3e-6, 6e-7))),
    ];
    let (_, rows) = imported(&file, &["--only", "grok-4.7"]);
    assert_eq!(names(&rows), ["xai/grok-4.7"]);
    let (_, rows) = imported(
        &file,
        &["--only", "xai/grok-4.7", "--only", "claude-opus-5"],
    );
    assert_eq!(names(&rows), ["anthropic/claude-opus-5", "xai/grok-4.7"]);
    // A query for the model explains why it is missing.
    let (place, _) = imported(&file, &["--only", "gpt-7", "--only", "claude-opus-5"]);
    let args = ["providers", "import", "prices.json", "--only", "gpt-7"];
    let ran = place.run(&args).exits(2);
    assert!(
        ran.stderr
            .contains("`gpt-7` is left out: it has no row here"),
        "{}",
        ran.stderr
    );
    let args = ["providers", "import", "prices.json", "-o", "prices.json"];
    let ran = place.run(&args).exits(2);
    assert!(
        ran.stderr.starts_with("error[output-is-input]"),
        "{}",
        ran.stderr
    );
}

#[test]
fn every_tier_has_its_breakpoint_where_there_are_enough() {
    let place = Place::new();
    let mut manifest = "promptc 1\n".to_owned();
    for at in 0..150 {
        let _ = writeln!(
            manifest,
            "tier t{at} changes=deploy {{ layer l{at} {{ text \"one two three\" }} }}"
        );
    }
    place.file("promptc.kdl", manifest);
    place.file(
        "t.kdl",
        "providers 1 currency=USD as-of=\"2026-03-01\"\n\
         provider \"acme\" match=breakpoint {\nmarker \"cache_control\"\nsource \"s\" as-of=\"2026-03-01\"\n}\n\
         model \"acme-1\" provider=\"acme\" {\n\
         prefix min=1 breakpoints=150\nsource \"s\" as-of=\"2026-03-01\"\n}\n",
    );
    let args = [
        "explain",
        "--model",
        "acme-1",
        "--providers",
        "t.kdl",
        "--no-messages",
    ];
    let ran = place.run(&[&args[..], &["--format", "json"]].concat());
    let report: Value = serde_json::from_str(ran.exits(0).stdout()).unwrap();
    let numbers = report["ends"].as_array().unwrap().iter();
    let numbers: Vec<_> = numbers.map(|end| end["breakpoint"].as_u64()).collect();
    assert_eq!(numbers, (1..=150).map(Some).collect::<Vec<_>>());
}

#[test]
fn facts_with_a_future_day_are_reported() {
    let place = Place::new();
    let args = [
        "providers",
        "list",
        "--providers",
        "t.kdl",
        "--now",
        "2026-11-22",
    ];
    for (as_of, told) in [("2026-11-23", false), ("2099-01-01", true)] {
        place.file(
            "t.kdl",
            format!("providers 1 currency=USD as-of=\"{as_of}\"\n"),
        );
        let ran = place.run(&args).exits(0);
        let warned = ran.stderr.starts_with("warning[out-of-range]");
        assert_eq!(warned, told, "{as_of}: {}", ran.stderr);
    }
}

#[test]
fn an_unknown_price_suggests_a_similar_name() {
    let place = Place::new();
    place.file("a.txt", "one");
    place.file("b.txt", "two");
    for (model, near) in [
        (
            "anthropic/claude-opus-55",
            Some("anthropic/claude-opus-5-5"),
        ),
        ("anthropic/something-else", None),
    ] {
        let args = ["diff", "a.txt", "b.txt", "--model", model, "--now", DAY];
        let ran = place.run(&args).exits(0);
        ran.shows("no price of");
        let warned = ran.stderr.starts_with("warning[unknown-model]");
        assert_eq!(warned, near.is_some(), "{}", ran.stderr);
        let help = near.map(|near| format!("did you mean `{near}`?"));
        assert!(
            help.is_none_or(|help| ran.stderr.contains(&help)),
            "{}",
            ran.stderr
        );
    }
}
