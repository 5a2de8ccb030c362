//! `builtin:mushroom@1` against a renderer of its own: the decisions that were taken where MushroomAgent's description is
//! silent, written down once more as plain string building. Nothing of promptc is used to know what is right; only the
//! fixed sentences are read from the built-in's files.

use crate::run::{Place, run};
use promptc::compile::{FactsFile, GivenInputs, compile};
use promptc::diagnostic::Diagnostics;
use promptc::diagnostic::span::Files;
use promptc::manifest;
use promptc::prompt::{Changes, Deliver, Prompt};
use promptc::world::{MapWorld, World};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_segmentation::UnicodeSegmentation as _;

const MANIFEST: &str = include_str!("../../../layers/mushroom@1.kdl");
const BASE: &str = include_str!("../../../layers/text/mushroom/base.md");
const RESPONSE_FORMAT: &str = include_str!("../../../layers/text/mushroom/response-format.md");
const HEARTBEAT: &str = include_str!("../../../templates/mushroom/heartbeat.md.j2");
const SKILLS: &str = include_str!("../../../templates/mushroom/skills.md.j2");
const WORKSPACE: &str = include_str!("../../../templates/mushroom/workspace.md.j2");

/// The inputs of one turn of the agent.
#[derive(Debug, Clone, Default)]
struct Turn {
    facts: Map<String, Value>,
    files: BTreeMap<&'static str, Vec<u8>>,
    /// Its skills: maps of `name`, `description` and `folder`.
    skills: Vec<Value>,
}

impl Turn {
    fn new(facts: Value) -> Self {
        let mut facts = facts.as_object().unwrap().clone();
        let skills = facts.remove("skills");
        let skills = skills.and_then(|s| s.as_array().cloned());
        Self {
            facts,
            files: BTreeMap::new(),
            skills: skills.unwrap_or_default(),
        }
    }

    /// The documents of its skills, each with its place.
    fn skill_files(&self) -> impl Iterator<Item = (String, String)> {
        self.skills.iter().map(|skill| {
            let line = |key: &str| match skill[key].as_str() {
                Some(text) => format!("{key}: {}\n", quoted(text)),
                None => String::new(),
            };
            let front = line("name") + &line("description");
            (place(skill), format!("---\n{front}---\nOpen the folder.\n"))
        })
    }

    fn file(mut self, name: &'static str, content: impl Into<Vec<u8>>) -> Self {
        self.files.insert(name, content.into());
        self
    }

    /// A text fact; null is none.
    fn text(&self, name: &str) -> Option<&str> {
        self.facts.get(name)?.as_str()
    }

    fn flag(&self, name: &str, default: bool) -> bool {
        self.facts
            .get(name)
            .and_then(Value::as_bool)
            .unwrap_or(default)
    }

    /// One line: no control or format characters, no outer white space, not empty.
    fn line(&self, name: &str) -> Option<String> {
        self.text(name).map(one_line).filter(|t| !t.is_empty())
    }

    /// A text as a section shows it; blank is none.
    fn body(&self, name: &str) -> Option<String> {
        self.text(name)
            .map(|t| tidy(t.as_bytes()))
            .filter(|t| !t.is_empty())
    }

    fn document(&self, name: &str) -> Option<String> {
        self.files
            .get(name)
            .map(|b| tidy(b))
            .filter(|t| !t.is_empty())
    }
}

/// The location of a skill's document in the workspace.
fn place(skill: &Value) -> String {
    format!("skills/{}/SKILL.md", skill["folder"].as_str().unwrap())
}

/// A text in the double quotes of YAML, whatever is in it.
fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|c| {
        if c.is_ascii_alphanumeric() {
            c.to_string()
        } else {
            format!("\\U{:08X}", u32::from(c))
        }
    });
    format!("\"{}\"", escaped.collect::<String>())
}

// The renderer.

/// The whole prompt: sections that have text, a blank line between, no final newline.
fn expected(turn: &Turn) -> String {
    let sections = [
        Some(tidy(BASE.as_bytes())),
        turn.line("user_name")
            .map(|n| format!("## User\nYou are speaking with {n}.")),
        turn.body("persona").map(|t| format!("## Persona\n{t}")),
        skills(turn),
        turn.body("knowledge")
            .map(|t| format!("## Knowledge Context\n{t}")),
        turn.body("summary")
            .map(|t| format!("## Conversation Summary\n{t}")),
        (turn.text("response_format") == Some("json_object"))
            .then(|| format!("## Response Format\n{}", tidy(RESPONSE_FORMAT.as_bytes()))),
        runtime_facts(turn),
        workspace(turn),
        heartbeat(turn),
        turn.body("ephemeral_system_prompt"),
    ];
    sections
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("\n\n")
}

fn one_line(text: &str) -> String {
    let shown = |c: &char| {
        use GeneralCategory::{Control, Format, LineSeparator, ParagraphSeparator};
        !matches!(
            get_general_category(*c),
            Control | Format | LineSeparator | ParagraphSeparator
        )
    };
    text.chars()
        .filter(shown)
        .collect::<String>()
        .trim()
        .to_owned()
}

/// A document: CRLF and CR are LF, one byte order mark goes, and what Python's `strip` takes.
fn tidy(bytes: &[u8]) -> String {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    text.trim_matches(space).to_owned()
}

fn space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1C}'..='\u{1F}')
}

fn skills(turn: &Turn) -> Option<String> {
    let names = |fact: &str| -> Option<Vec<String>> {
        let list = turn.facts.get(fact)?.as_array()?;
        Some(
            list.iter()
                .map(|n| n.as_str().unwrap().to_owned())
                .collect(),
        )
    };
    let (allow, block) = (
        names("skills_allow"),
        names("skills_block").unwrap_or_default(),
    );
    let text = |skill: &Value, key: &str| skill[key].as_str().unwrap_or_default().to_owned();
    // A skill without a name is called as its folder is.
    let name = |skill: &Value| match text(skill, "name") {
        name if name.trim_matches(space).is_empty() => {
            let folder = text(skill, "folder");
            folder.rsplit('/').next().unwrap().to_owned()
        }
        name => name,
    };
    let mut listed: Vec<_> = turn
        .skills
        .iter()
        .map(|s| (name(s), place(s), text(s, "description")))
        .filter(|s| allow.as_ref().is_none_or(|a| a.contains(&s.0)) && !block.contains(&s.0))
        .collect();
    // By name, then place.
    listed.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    if listed.is_empty() || !turn.flag("skills_enabled", true) {
        return None;
    }
    let (rules, _) = SKILLS.split_once("<available_skills>\n{%").unwrap();
    let folder = turn
        .line("workspace_path")
        .map_or(String::new(), |path| path + "/");
    let mut out = format!("{rules}<available_skills>\n");
    for (name, path, description) in listed {
        out += "<skill>\n";
        out += &format!("<name>{}</name>\n", escaped(&name));
        out += &format!("<description>{}</description>\n", escaped(&description));
        out += &format!(
            "<location>{}{}</location>\n",
            escaped(&folder),
            escaped(&path)
        );
        out += "</skill>\n";
    }
    Some(out + "</available_skills>")
}

fn escaped(text: &str) -> String {
    let one = |c: char| match c {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        '\'' => "&#x27;".to_owned(),
        c => c.to_string(),
    };
    text.chars().map(one).collect()
}

fn runtime_facts(turn: &Turn) -> Option<String> {
    let mut lines: Vec<(String, String)> = Vec::new();
    let mut add =
        |label: &str, value: Option<String>| lines.extend(value.map(|v| (label.to_owned(), v)));
    add("Agent ID", turn.line("agent_id"));
    add("Agent name", turn.line("agent_name"));
    add("Remote user ID", turn.line("user_id"));
    add("Remote user name", turn.line("user_name"));
    add("Channel", turn.line("channel"));
    add("Channel user ID", turn.line("channel_user_id"));
    add("Chat type", turn.line("chat_type"));
    add("Group ID", turn.line("group_id"));
    // To the minute, in the zone in which it was given.
    add(
        "Current time",
        turn.text("now")
            .map(|t| format!("{} {}", &t[..10], &t[11..16])),
    );
    add("Timezone", turn.line("timezone"));
    add("Workspace", turn.line("workspace_path"));
    add(
        "Heartbeat run",
        turn.flag("heartbeat", false).then(|| "true".to_owned()),
    );
    // serde_json's maps are sorted by key.
    for (name, value) in turn
        .facts
        .get("turn_vars")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let value = match value {
            Value::Null => None,
            Value::String(text) => Some(one_line(text)).filter(|t| !t.is_empty()),
            other => Some(one_line(&other.to_string())),
        };
        add(&one_line(name), value);
    }
    let lines: Vec<String> = lines
        .iter()
        .map(|(label, value)| format!("- {label}: {value}"))
        .collect();
    (!lines.is_empty()).then(|| format!("## Runtime Facts\n{}", lines.join("\n")))
}

fn workspace(turn: &Turn) -> Option<String> {
    let mut left = 12_000;
    let mut files = String::new();
    for name in ["AGENTS.md", "SOUL.md", "IDENTITY.md"] {
        let Some(text) = turn
            .document(name)
            .and_then(|t| shortened(&t, 4000.min(left), left))
        else {
            continue;
        };
        left -= text.chars().count();
        files += &format!("\n\n## {name}\n- Purpose: {}\n\n{text}", purpose(name));
    }
    if files.is_empty() || turn.flag("skip_context_files", false) {
        return None;
    }
    let root = turn
        .line("workspace_path")
        .map_or(String::new(), |p| format!("- Workspace root: {p}\n"));
    let sentence = WORKSPACE
        .lines()
        .find(|l| l.starts_with("- What follows"))
        .unwrap();
    Some(format!("# Workspace Context\n{root}{sentence}{files}"))
}

/// The manifest's description of a file.
fn purpose(name: &str) -> &str {
    let (_, rest) = MANIFEST.split_once(&format!("file \"{name}\"")).unwrap();
    rest.split('"').nth(1).unwrap()
}

/// At most `max` characters, the marker among them, cut between grapheme clusters.
fn shortened(text: &str, max: usize, left: usize) -> Option<String> {
    let total = text.chars().count();
    if total <= max {
        return Some(text.to_owned());
    }
    if left < 64 {
        return None;
    }
    let (_, marker) = MANIFEST.split_once("marker=\"\\n").unwrap();
    let (marker, _) = marker.split_once('"').unwrap();
    let mut kept = (0, 0);
    let mut best = None;
    let mut ends = vec![(0, 0)];
    for cluster in text.graphemes(true) {
        kept = (kept.0 + cluster.len(), kept.1 + cluster.chars().count());
        ends.push(kept);
    }
    for (bytes, chars) in ends {
        let marker = marker
            .replace("{{ kept_head }}", &chars.to_string())
            .replace("{{ total }}", &total.to_string());
        if chars + 1 + marker.chars().count() <= max {
            best = Some(format!("{}\n{marker}", &text[..bytes]));
        }
    }
    best
}

fn heartbeat(turn: &Turn) -> Option<String> {
    let (sentences, _) = HEARTBEAT.split_once("\n{% if notes %}").unwrap();
    let sentences = sentences.replace(
        "{{ heartbeat_token }}",
        turn.text("heartbeat_token").unwrap_or("HEARTBEAT_OK"),
    );
    let notes = turn
        .document("HEARTBEAT.md")
        .map_or(String::new(), |n| format!("\n\n{n}"));
    turn.flag("heartbeat", false).then(|| sentences + &notes)
}

// The program.

fn compiled(turn: &Turn, reference: &str, world: MapWorld) -> Prompt {
    let world = turn
        .files
        .iter()
        .fold(world.folder("/ws"), |world, (name, bytes)| {
            world.file(format!("/ws/{name}"), bytes.as_slice())
        });
    let world = turn.skill_files().fold(world, |world, (path, text)| {
        world.file(format!("/ws/{path}"), text)
    });
    let mut files = Files::default();
    let mut diags = Diagnostics::default();
    let given = GivenInputs {
        facts: vec![FactsFile::new(
            "facts.json",
            &serde_json::to_vec(&turn.facts).unwrap(),
        )],
        roots: vec![("workspace".to_owned(), "/ws".into())],
        ..GivenInputs::default()
    };
    let opened = manifest::open(
        &world as &dyn World,
        Some(reference),
        &mut files,
        &mut diags,
    );
    let built = opened.and_then(|m| compile(&m, &given, &world, &mut files, &mut diags));
    built.unwrap_or_else(|_| {
        panic!(
            "{:?}\n{turn:?}",
            diags.iter().map(|d| &d.message).collect::<Vec<_>>()
        )
    })
}

/// The prompt, which must be the renderer's.
fn prompt(turn: &Turn) -> Prompt {
    let prompt = compiled(turn, "builtin:mushroom@1", MapWorld::new());
    assert_eq!(prompt.text(Deliver::System), expected(turn), "{turn:?}");
    prompt
}

fn built(turn: &Turn) -> String {
    prompt(turn).text(Deliver::System).to_owned()
}

fn of(facts: Value) -> String {
    built(&Turn::new(facts))
}

/// The text of a layer without the join before it; none if it is absent.
fn layer(turn: &Turn, name: &str) -> Option<String> {
    let prompt = prompt(turn);
    let (channel, layer) = prompt.layer(name)?;
    Some(
        channel.text[layer.start..layer.end]
            .trim_start_matches('\n')
            .to_owned(),
    )
}

fn names(prompt: &Prompt) -> Vec<&str> {
    prompt.channels[0]
        .layers
        .iter()
        .map(|l| l.name.as_str())
        .collect()
}

/// A turn in which everything is there.
fn full() -> Turn {
    Turn::new(json!({
        "user_name": "Ann", "persona": "Dry.", "skills": [{"name": "a", "description": "d", "folder": "a"}],
        "knowledge": "K.", "summary": "S.", "response_format": "json_object",
        "agent_id": "m1", "agent_name": "Mush", "user_id": "u1", "channel": "telegram", "channel_user_id": "t1",
        "chat_type": "group", "group_id": "g1", "now": "2026-11-21T10:07:59+01:00", "timezone": "Europe/Zurich",
        "workspace_path": "/srv/agent", "heartbeat": true, "turn_vars": {"mood": "good", "retries": 2},
        "ephemeral_system_prompt": "Only this."
    }))
    .file("AGENTS.md", "A")
    .file("SOUL.md", "S")
    .file("IDENTITY.md", "I")
    .file("HEARTBEAT.md", "H")
}

// One case for each decision.

#[test]
fn d01_each_section_is_a_segment_of_one_system_text() {
    let prompt = prompt(&full());
    assert_eq!(prompt.channels.len(), 1);
    let tiers: Vec<_> = prompt.channels[0]
        .tiers
        .iter()
        .map(|t| t.name.as_str())
        .collect();
    assert_eq!(
        tiers,
        ["skeleton", "runtime", "workspace", "heartbeat", "ephemeral"]
    );
    let tiled: String = prompt.channels[0]
        .layers
        .iter()
        .map(|l| &prompt.channels[0].text[l.start..l.end])
        .collect();
    assert_eq!(tiled, prompt.channels[0].text);
}

#[test]
fn d02_a_blank_line_between_and_no_final_newline() {
    let base = BASE.trim();
    assert_eq!(of(json!({})), base);
    assert_eq!(
        of(json!({"ephemeral_system_prompt": "E\n"})),
        format!("{base}\n\nE")
    );
    assert_eq!(
        of(json!({"persona": "P", "knowledge": " ", "ephemeral_system_prompt": "E"})),
        format!("{base}\n\n## Persona\nP\n\nE")
    );
}

#[test]
fn d03_sections_are_in_the_order_of_the_table() {
    let order = [
        "base",
        "user",
        "persona",
        "skills",
        "knowledge",
        "summary",
        "response-format",
        "runtime-facts",
        "workspace",
        "heartbeat",
        "ephemeral",
    ];
    assert_eq!(names(&prompt(&full())), order);
}

#[test]
fn d04_every_section_has_a_heading_of_its_name() {
    let text = built(&full());
    for name in [
        "User",
        "Persona",
        "Skills",
        "Knowledge Context",
        "Conversation Summary",
        "Response Format",
    ] {
        assert!(text.contains(&format!("\n\n## {name}\n")), "{name}");
        assert!(!text.contains(&format!("\n\n## {name}\n\n")), "{name}");
    }
}

#[test]
fn d05_a_user_name_is_known_if_something_of_it_is_visible() {
    let user = |name: &str| layer(&Turn::new(json!({"user_name": name})), "user");
    assert_eq!(
        user("Ann"),
        Some("## User\nYou are speaking with Ann.".to_owned())
    );
    assert_eq!(
        user(" \u{200b}A\nn\u{7}n\u{202e} "),
        Some("## User\nYou are speaking with Ann.".to_owned())
    );
    assert_eq!(
        user("{{ x }}"),
        Some("## User\nYou are speaking with {{ x }}.".to_owned())
    );
    for blank in ["", "  ", "\u{200b}", "\n\u{feff}\u{a0}", "\u{2028}"] {
        assert_eq!(user(blank), None, "{blank:?}");
        assert_eq!(of(json!({"user_name": blank})), BASE.trim());
    }
    assert_eq!(of(json!({"user_name": null})), BASE.trim());
}

#[test]
fn d06_the_name_is_in_both_layers() {
    let text = of(json!({"user_name": "Ann"}));
    assert!(
        text.contains("speaking with Ann.")
            && text.ends_with("## Runtime Facts\n- Remote user name: Ann")
    );
}

#[test]
fn d07_persona_and_soul_both_render() {
    let text = built(&Turn::new(json!({"persona": "Dry."})).file("SOUL.md", "Warm."));
    assert!(text.contains("## Persona\nDry.") && text.contains("## SOUL.md\n"));
}

#[test]
fn d08_no_skills_left_no_section() {
    let one = json!([{"name": "a", "folder": "a"}]);
    let has = |facts: Value| layer(&Turn::new(facts), "skills").is_some();
    assert!(has(json!({"skills": one})));
    assert!(!has(json!({"skills": []})) && !has(json!({})));
    assert!(!has(json!({"skills": one, "skills_enabled": false})));
    assert!(!has(json!({"skills": one, "skills_block": ["a"]})));
}

/// The names in the list of skills, as printed.
fn listed(facts: Value) -> Vec<String> {
    let text = layer(&Turn::new(facts), "skills").unwrap_or_default();
    let names = text
        .lines()
        .filter_map(|l| l.strip_prefix("<name>")?.strip_suffix("</name>"));
    names.map(str::to_owned).collect()
}

#[test]
fn d09_unset_allows_all_empty_none_and_a_block_wins() {
    let skills = json!([{"name": "a", "folder": "1"}, {"name": "ab", "folder": "2"}, {"name": "B", "folder": "3"}]);
    assert_eq!(listed(json!({"skills": skills})), ["B", "a", "ab"]);
    assert_eq!(
        listed(json!({"skills": skills, "skills_allow": null})),
        ["B", "a", "ab"]
    );
    assert!(listed(json!({"skills": skills, "skills_allow": []})).is_empty());
    assert_eq!(
        listed(json!({"skills": skills, "skills_allow": ["a", "b", "zz"]})),
        ["a"]
    );
    assert_eq!(
        listed(json!({"skills": skills, "skills_allow": ["a", "ab"], "skills_block": ["a", "A"]})),
        ["ab"]
    );
}

#[test]
fn d10_skills_are_sorted_by_name_then_place_in_code_point_order() {
    let skill = |name: &str, path: &str| json!({"name": name, "folder": path, "description": path});
    let skills = json!([
        skill("é", "1"),
        skill("b", "z"),
        skill("\u{1F600}", "2"),
        skill("b", "Z"),
        skill("B", "9"),
        skill("\u{FFFD}", "3"),
        skill("a-b", "4"),
        skill("a", "5")
    ]);
    let turn = Turn::new(json!({ "skills": skills }));
    let text = layer(&turn, "skills").unwrap();
    let places: Vec<_> = text
        .lines()
        .filter_map(|l| {
            let place = l.strip_prefix("<location>skills/")?;
            place.strip_suffix("/SKILL.md</location>")
        })
        .collect();
    assert_eq!(places, ["9", "5", "4", "Z", "z", "1", "3", "2"]);
}

#[test]
fn d11_five_characters_are_escaped() {
    let turn = Turn::new(json!({
        "skills": [{"name": "<a> & 'b'", "description": "\"x\" {{ y }}", "folder": "a&b"}], "workspace_path": "/<w>"
    }));
    let text = layer(&turn, "skills").unwrap();
    let skill = "<skill>\n<name>&lt;a&gt; &amp; &#x27;b&#x27;</name>\n<description>&quot;x&quot; {{ y }}</description>\n\
        <location>/&lt;w&gt;/skills/a&amp;b/SKILL.md</location>\n</skill>\n</available_skills>";
    assert!(text.ends_with(skill), "{text}");
}

#[test]
fn d12_there_is_no_limit_on_skills() {
    let skills: Vec<_> = (0..500)
        .map(|i| json!({"name": format!("s{i:03}"), "folder": format!("p{i}")}))
        .collect();
    let prompt = prompt(&Turn::new(json!({ "skills": skills })));
    assert_eq!(prompt.text(Deliver::System).matches("<skill>").count(), 500);
    assert!(prompt.notices.is_empty());
}

#[test]
fn d13_the_rules_are_text_of_the_built_in() {
    let text = layer(&full(), "skills").unwrap();
    let rules = text
        .split_once("### Selection Rules\n")
        .unwrap()
        .1
        .split_once("\n\n")
        .unwrap()
        .0;
    assert!(rules.lines().count() >= 4 && rules.lines().all(|l| l.starts_with("- ")));
    assert!(SKILLS.contains(rules));
}

#[test]
fn d14_knowledge_keeps_its_place_and_is_of_the_turn() {
    let prompt = prompt(&full());
    let (_, knowledge) = prompt.layer("knowledge").unwrap();
    assert_eq!(
        (knowledge.tier.as_str(), knowledge.changes),
        ("skeleton", Changes::Turn)
    );
}

#[test]
fn d15_the_summary_is_given_and_of_the_day() {
    let prompt = prompt(&full());
    assert_eq!(prompt.layer("summary").unwrap().1.changes, Changes::Day);
    assert_eq!(
        layer(&full(), "summary").unwrap(),
        "## Conversation Summary\nS."
    );
}

#[test]
fn d16_the_response_format_is_matched_exactly() {
    let has = |format: &str| {
        layer(
            &Turn::new(json!({"response_format": format})),
            "response-format",
        )
        .is_some()
    };
    assert!(has("json_object"));
    for other in [
        "text",
        "",
        "JSON_OBJECT",
        "json_object ",
        "json_schema",
        "json",
    ] {
        assert!(!has(other), "{other:?}");
    }
    assert!(layer(&Turn::default(), "response-format").is_none());
}

#[test]
fn d17_one_line_a_fact_in_the_listed_order() {
    let lines = "## Runtime Facts\n- Agent ID: m1\n- Agent name: Mush\n- Remote user ID: u1\n- Remote user name: Ann\n\
        - Channel: telegram\n- Channel user ID: t1\n- Chat type: group\n- Group ID: g1\n- Current time: 2026-11-21 10:07\n\
        - Timezone: Europe/Zurich\n- Workspace: /srv/agent\n- Heartbeat run: true\n- mood: good\n- retries: 2";
    assert_eq!(layer(&full(), "runtime-facts").unwrap(), lines);
    let some = Turn::new(
        json!({"agent_id": " ", "agent_name": "M\nx", "channel": "", "group_id": "\u{200b}", "user_id": null}),
    );
    assert_eq!(
        layer(&some, "runtime-facts").unwrap(),
        "## Runtime Facts\n- Agent name: Mx"
    );
}

#[test]
fn d18_without_a_fact_there_is_no_heading() {
    assert_eq!(of(json!({})), BASE.trim());
    let blank = json!({"agent_id": " ", "channel": "", "timezone": "\u{feff}", "heartbeat": false, "turn_vars": {}});
    assert_eq!(of(blank), BASE.trim());
    assert_eq!(of(json!({"turn_vars": {"a": "", "b": null}})), BASE.trim());
}

#[test]
fn d19_the_clock_is_given_never_read_and_shown_to_the_minute() {
    let time = |now: &str| layer(&Turn::new(json!({ "now": now })), "runtime-facts").unwrap();
    assert_eq!(
        time("2026-11-21T10:07:59+01:00"),
        "## Runtime Facts\n- Current time: 2026-11-21 10:07"
    );
    assert_eq!(
        time("2026-11-21T10:07:00.999Z"),
        "## Runtime Facts\n- Current time: 2026-11-21 10:07"
    );
    let turn = Turn::default();
    let later = MapWorld::new()
        .clock(1_800_000_000)
        .variable("SOURCE_DATE_EPOCH", "1");
    assert_eq!(
        compiled(&turn, "builtin:mushroom@1", later),
        compiled(&turn, "builtin:mushroom@1", MapWorld::new())
    );
}

#[test]
fn d21_the_heartbeat_line_is_present_only_if_true() {
    let line = |on: bool| {
        of(json!({"agent_id": "m", "heartbeat": on})).contains("- Heartbeat run: true\n")
    };
    assert!(line(true) && !line(false));
    assert!(!of(json!({"agent_id": "m"})).contains("Heartbeat"));
}

#[test]
fn d22_turn_variables_are_sorted_after_scalars() {
    let vars = json!({
        "z": 1, "a": "x\ny", "B": true, "f": 0.5, "n": null, "list": [1, {"b": "ü", "a": "<\u{200b}>"}], "map": {}, "é": "e"
    });
    let turn = Turn::new(json!({"turn_vars": vars, "timezone": "UTC"}));
    let lines = "## Runtime Facts\n- Timezone: UTC\n- B: true\n- a: xy\n- f: 0.5\n\
        - list: [1,{\"a\":\"<>\",\"b\":\"ü\"}]\n- map: {}\n- z: 1\n- é: e";
    assert_eq!(layer(&turn, "runtime-facts").unwrap(), lines);
}

#[test]
fn d23_exactly_three_files_are_read() {
    let turn = Turn::default()
        .file("AGENTS.md", "A")
        .file("CLAUDE.md", "no")
        .file("agents.md", "no")
        .file("HEARTBEAT.md", "no");
    let text = layer(&turn, "workspace").unwrap();
    assert!(text.contains("## AGENTS.md") && !text.contains("no\n") && !text.ends_with("no"));
    assert_eq!(text.matches("## ").count(), 1);
}

#[test]
fn d24_a_missing_file_leaves_no_trace_and_none_no_layer() {
    assert_eq!(
        layer(
            &Turn::default().file("AGENTS.md", " \n").file("SOUL.md", ""),
            "workspace"
        ),
        None
    );
    let text = layer(&Turn::default().file("SOUL.md", "S"), "workspace").unwrap();
    assert!(
        !text.contains("AGENTS.md") && !text.contains("IDENTITY.md"),
        "{text}"
    );
}

#[test]
fn d25_skipping_context_files_drops_that_layer_only() {
    let mut turn = full();
    turn.facts
        .insert("skip_context_files".to_owned(), true.into());
    let skipped = prompt(&turn);
    let with = prompt(&full());
    let without: Vec<_> = names(&with)
        .into_iter()
        .filter(|n| *n != "workspace")
        .collect();
    assert_eq!(names(&skipped), without);
    assert!(layer(&turn, "heartbeat").unwrap().ends_with("\n\nH"));
}

#[test]
fn d26_a_blank_line_follows_the_purpose_and_the_content_is_unchanged() {
    let turn = Turn::new(json!({"workspace_path": "/w"}))
        .file("AGENTS.md", "\\{x} {{ y }} {% if %}\n\n  <b> & \u{200b}\n");
    let text = layer(&turn, "workspace").unwrap();
    let (head, tail) = text.split_once("\n\n").unwrap();
    assert!(
        head.starts_with("# Workspace Context\n- Workspace root: /w\n- What follows "),
        "{head}"
    );
    let purpose = purpose("AGENTS.md");
    assert_eq!(
        tail,
        format!(
            "## AGENTS.md\n- Purpose: {purpose}\n\n\\{{x}} {{{{ y }}}} {{% if %}}\n\n  <b> & \u{200b}"
        )
    );
}

#[test]
fn d27_characters_are_unicode_scalar_values() {
    for (text, cut) in [
        ("é".repeat(4000), false),
        ("🚀".repeat(4000), false),
        ("é".repeat(4001), true),
    ] {
        let turn = Turn::default().file("SOUL.md", text.clone());
        let layer = layer(&turn, "workspace").unwrap();
        assert_eq!(layer.ends_with(&text), !cut);
        assert_eq!(layer.contains("[shortened"), cut);
    }
}

#[test]
fn d28_the_marker_counts_comes_last_and_is_correct() {
    let turn = Turn::default().file("AGENTS.md", format!("\n{}end\n", "x".repeat(5000)));
    let text = layer(&turn, "workspace").unwrap();
    // 4000 characters: 49 of the marker with its newline, 3951 of the file.
    let (_, content) = text.split_once(".\n\nx").unwrap();
    let content = format!("x{content}");
    assert_eq!(content.chars().count(), 4000);
    assert_eq!(
        content,
        format!(
            "{}\n[shortened to the first 3951 of 5003 characters]",
            "x".repeat(3951)
        )
    );
}

/// The preset as a project of its own, with a fourth file.
fn with_tools() -> String {
    let line = "            file \"IDENTITY.md\"";
    MANIFEST.replace(
        line,
        &format!("            file \"TOOLS.md\" about=\"tools.\"\n{line}"),
    )
}

fn four(sizes: [usize; 4]) -> Vec<(String, usize)> {
    let mut turn = Turn::default();
    for (name, size) in ["AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md"]
        .into_iter()
        .zip(sizes)
    {
        turn = turn.file(name, "x".repeat(size));
    }
    let world = MapWorld::new().file("/m/promptc.kdl", with_tools());
    let prompt = compiled(&turn, "/m/promptc.kdl", world);
    let text = prompt.text(Deliver::System);
    let (_, files) = text.split_once("\n\n## ").unwrap();
    let file = |section: &str| {
        let (head, content) = section.split_once("\n\n").unwrap();
        (
            head.lines().next().unwrap().to_owned(),
            content.chars().count(),
        )
    };
    files.split("\n\n## ").map(file).collect()
}

#[test]
fn d29_the_total_counts_content_in_order() {
    let size = |n: &str, s: usize| (n.to_owned(), s);
    let (a, s, t, i) = ("AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md");
    assert_eq!(
        four([4000, 4000, 4000, 1]),
        [size(a, 4000), size(s, 4000), size(t, 4000)]
    );
    // Room for 1000: the marker for a head of 1000 takes 49, and the one for the head of 951 that is left is shorter by one.
    assert_eq!(
        four([9000, 9000, 3000, 2000]),
        [size(a, 4000), size(s, 4000), size(t, 3000), size(i, 999)]
    );
    assert_eq!(
        four([4000, 4000, 3000, 1000]),
        [size(a, 4000), size(s, 4000), size(t, 3000), size(i, 1000)]
    );
}

#[test]
fn d30_with_less_than_64_left_a_file_is_dropped_with_its_heading() {
    let size = |n: &str, s: usize| (n.to_owned(), s);
    let (a, s, t, i) = ("AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md");
    assert_eq!(
        four([4000, 4000, 3936, 100]),
        [size(a, 4000), size(s, 4000), size(t, 3936), size(i, 64)]
    );
    assert_eq!(
        four([4000, 4000, 3937, 100]),
        [size(a, 4000), size(s, 4000), size(t, 3937)]
    );
    // One that fits whole stays, and a file after a dropped one still gets its turn.
    assert_eq!(
        four([4000, 4000, 3937, 63]),
        [size(a, 4000), size(s, 4000), size(t, 3937), size(i, 63)]
    );
    assert_eq!(
        four([3999, 4000, 3980, 21]),
        [size(a, 3999), size(s, 4000), size(t, 3980), size(i, 21)]
    );
}

#[test]
fn d31_the_heartbeat_text_its_token_and_the_optional_file() {
    let plain = layer(&Turn::new(json!({"heartbeat": true})), "heartbeat").unwrap();
    assert!(
        plain.ends_with("reply with exactly HEARTBEAT_OK."),
        "{plain}"
    );
    let turn = Turn::new(json!({"heartbeat": true, "heartbeat_token": "NOTHING"}))
        .file("HEARTBEAT.md", "\r\nMail first.\r\n");
    let text = layer(&turn, "heartbeat").unwrap();
    assert!(
        text.ends_with("reply with exactly NOTHING.\n\nMail first."),
        "{text}"
    );
    assert_eq!(
        layer(&Turn::default().file("HEARTBEAT.md", "x"), "heartbeat"),
        None
    );
}

#[test]
fn d32_the_ephemeral_prompt_is_raw_and_last() {
    let text = built(&full());
    assert!(text.ends_with("\n\nOnly this."));
    let mut turn = full();
    turn.facts.remove("ephemeral_system_prompt");
    assert_eq!(format!("{}\n\nOnly this.", built(&turn)), text);
}

#[test]
fn files_are_read_as_text_inside_the_workspace() {
    let turn = Turn::default().file("AGENTS.md", "\u{feff}a\r\nb\rc\r\n");
    assert!(built(&turn).ends_with("\n\na\nb\nc"));

    let place = Place::new();
    place.file("ws/SOUL.md", b"ok\xff");
    let args = [
        "build",
        "-m",
        "builtin:mushroom@1",
        "--root",
        "workspace=ws",
    ];
    let ran = place.run(&args).exits(2);
    ran.says("error[invalid-utf8]");
    #[cfg(unix)]
    {
        std::fs::remove_file(place.path().join("ws/SOUL.md")).unwrap();
        place.file("secret.md", "s");
        std::os::unix::fs::symlink("../secret.md", place.path().join("ws/SOUL.md")).unwrap();
        let ran = place.run(&args).exits(2);
        ran.says("error[link-leaves-root]");
    }
}

// Random turns.

/// Text that tries to be more than text.
fn nasty(max: usize) -> BoxedStrategy<String> {
    let piece = prop::sample::select(vec![
        "a",
        "B",
        "z9",
        " ",
        "  ",
        "\n",
        "\r\n",
        "\r",
        "\t",
        "\u{200b}",
        "\u{feff}",
        "\u{1c}",
        "\u{7f}",
        "\u{85}",
        "\u{a0}",
        "\u{2028}",
        "\u{2029}",
        "\u{202e}",
        "&",
        "<",
        ">",
        "\"",
        "'",
        "{{ x }}",
        "{% if %}",
        "{# c #}",
        "é",
        "e\u{301}",
        "👩\u{200d}🚀",
        "\\{",
        "## H",
        "```",
        "---\n",
        "- ",
        "\u{0}",
        "\u{ad}",
        "\u{1F1E8}\u{1F1ED}",
    ]);
    prop::collection::vec(piece, 0..max)
        .prop_map(|p| p.concat())
        .boxed()
}

fn text_fact() -> BoxedStrategy<Option<Value>> {
    prop_oneof![
        3 => Just(None),
        1 => Just(Some(Value::Null)),
        1 => Just(Some(json!("Ann"))),
        4 => nasty(6).prop_map(|t| Some(Value::String(t))),
    ]
    .boxed()
}

fn name() -> BoxedStrategy<String> {
    prop_oneof![
        prop::sample::select(vec!["a", "b", "B", "ab", "é", "<x>"]).prop_map(str::to_owned),
        nasty(3)
    ]
    .boxed()
}

fn skill() -> BoxedStrategy<Value> {
    let description = prop_oneof![Just(Value::Null), nasty(5).prop_map(Value::String)];
    (name(), description, any::<bool>(), any::<bool>())
        .prop_map(|(name, description, named, described)| {
            let mut skill = json!({});
            if named {
                skill["name"] = name.into();
            }
            if described {
                skill["description"] = description;
            }
            skill
        })
        .boxed()
}

fn names_fact() -> BoxedStrategy<Option<Value>> {
    prop_oneof![
        Just(None),
        Just(Some(Value::Null)),
        prop::collection::vec(name(), 0..4).prop_map(|n| Some(json!(n)))
    ]
    .boxed()
}

fn any_json() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::from),
        (-4000_i32..4000).prop_map(|n| json!(f64::from(n) / 8.0)),
        nasty(5).prop_map(Value::String),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
            prop::collection::btree_map(nasty(3), inner, 0..3)
                .prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    })
    .boxed()
}

fn file() -> BoxedStrategy<Option<Vec<u8>>> {
    prop_oneof![
        2 => Just(None),
        3 => nasty(12).prop_map(|t| Some(t.into_bytes())),
        2 => (nasty(8), 1_usize..900).prop_map(|(t, n)| Some(t.repeat(n).into_bytes())),
        1 => (3990_usize..4010).prop_map(|n| Some("é".repeat(n).into_bytes())),
        1 => (10_usize..5000, nasty(4)).prop_map(|(n, t)| Some(format!("x{}{t}{}", "\u{301}".repeat(n), "y".repeat(4000)).into_bytes())),
    ]
    .boxed()
}

const TEXTS: [&str; 13] = [
    "user_name",
    "persona",
    "knowledge",
    "summary",
    "agent_id",
    "agent_name",
    "user_id",
    "channel",
    "channel_user_id",
    "chat_type",
    "group_id",
    "timezone",
    "ephemeral_system_prompt",
];

fn turns() -> impl Strategy<Value = Turn> {
    let texts = prop::collection::vec(text_fact(), TEXTS.len());
    let path = prop_oneof![Just(None), Just(Some(json!("/srv/agent"))), text_fact()];
    let format = prop::sample::select(vec![
        None,
        Some("json_object"),
        Some("text"),
        Some("JSON_OBJECT"),
        Some(""),
    ]);
    let now = prop::sample::select(vec![
        None,
        Some("2026-11-21T10:00:00Z"),
        Some("1999-12-31T23:59:59.5-05:30"),
    ]);
    let flags = prop::collection::vec(prop::sample::select(vec![None, Some(true), Some(false)]), 3);
    let vars = prop::option::of(prop::collection::btree_map(nasty(3), any_json(), 0..4));
    let skills = (
        prop::option::of(prop::collection::vec(skill(), 0..6)),
        names_fact(),
        names_fact(),
    );
    let token = prop::option::of(nasty(4));
    let files = prop::collection::vec(file(), 4);
    (texts, path, format, now, flags, vars, skills, token, files).prop_map(
        |(texts, path, format, now, flags, vars, (skills, allow, block), token, files)| {
            let mut turn = Turn::default();
            let mut set = |name: &str, value: Option<Value>| {
                turn.facts.extend(value.map(|v| (name.to_owned(), v)));
            };
            TEXTS
                .iter()
                .zip(texts)
                .for_each(|(name, value)| set(name, value));
            set("workspace_path", path);
            set("response_format", format.map(Value::from));
            set("now", now.map(Value::from));
            let names = ["skills_enabled", "heartbeat", "skip_context_files"];
            names
                .iter()
                .zip(flags)
                .for_each(|(name, flag)| set(name, flag.map(Value::from)));
            set("turn_vars", vars.map(|v| json!(v)));
            set("skills_allow", allow);
            set("skills_block", block);
            set("heartbeat_token", token.map(Value::from));
            let folders = ["b", "a/deep", "é", "a-b", "Z", ".hidden"];
            turn.skills = skills.unwrap_or_default();
            for (skill, folder) in turn.skills.iter_mut().zip(folders) {
                skill["folder"] = folder.into();
            }
            let names = ["AGENTS.md", "SOUL.md", "IDENTITY.md", "HEARTBEAT.md"];
            for (name, content) in names.into_iter().zip(files) {
                turn.files.extend(content.map(|c| (name, c)));
            }
            turn
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_turns_are_rendered_as_decided(turn in turns()) {
        let prompt = compiled(&turn, "builtin:mushroom@1", MapWorld::new());
        prop_assert_eq!(prompt.text(Deliver::System), expected(&turn));
    }
}

/// The texts of all layers by name, each without the join before it.
fn layers(prompt: &Prompt) -> BTreeMap<String, String> {
    let channels = prompt.channels.iter();
    let all = channels.flat_map(|c| c.layers.iter().map(move |l| (c, l)));
    all.map(|(channel, layer)| {
        let text = &channel.text[layer.start..layer.end];
        let text = text.strip_prefix("\n\n").unwrap_or(text);
        (layer.name.clone(), text.to_owned())
    })
    .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    /// The overlay changes the order and the channel of layers, and no text; what a turn brings is not in the system prompt.
    #[test]
    fn the_stable_order_has_the_same_layers(turn in turns()) {
        let documented = compiled(&turn, "builtin:mushroom@1", MapWorld::new());
        let stable = compiled(&turn, "builtin:mushroom-stable@1", MapWorld::new());
        prop_assert_eq!(layers(&stable), layers(&documented));
        let of_turn = ["knowledge", "runtime-facts", "heartbeat", "ephemeral"];
        for channel in &stable.channels {
            let user = channel.deliver == Deliver::User;
            for layer in &channel.layers {
                prop_assert_eq!(of_turn.contains(&layer.name.as_str()), user, "{}", layer.name);
            }
        }
    }
}

/// Lays a turn out on disk and builds it with the program.
fn on_disk(turn: &Turn, place: &Place, manifest: &str) -> Vec<u8> {
    for (name, content) in &turn.files {
        place.file(&format!("ws/{name}"), content);
    }
    for (path, content) in turn.skill_files() {
        place.file(&format!("ws/{path}"), content);
    }
    place.file("facts.json", serde_json::to_vec(&turn.facts).unwrap());
    let args = [
        "build",
        "-q",
        "-m",
        manifest,
        "--facts",
        "facts.json",
        "--root",
        "workspace=ws",
    ];
    run(place.command(&args), b"").exits(0).stdout
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_program_prints_the_same_text(turn in turns()) {
        let place = Place::new();
        prop_assert_eq!(String::from_utf8(on_disk(&turn, &place, "builtin:mushroom@1")).unwrap(), expected(&turn));
    }
}

#[test]
fn the_preset_builds_the_same_as_the_built_in() {
    let place = Place::new();
    place.run(&["init", "--preset", "mushroom"]).exits(0);
    let built_in = on_disk(&full(), &place, "builtin:mushroom@1");
    assert_eq!(built_in, expected(&full()).into_bytes());
    assert_eq!(on_disk(&full(), &place, "promptc.kdl"), built_in);
    // It reads its own output: a change of a sentence shows.
    place.file("text/mushroom/base.md", "Changed.\n");
    assert!(on_disk(&full(), &place, "promptc.kdl").starts_with(b"Changed.\n\n"));

    // The manifest, and the text that is another one now.
    let again = place.run(&["init", "--preset", "mushroom"]).exits(2);
    assert_eq!(
        again.stderr.matches("error[would-overwrite]").count(),
        2,
        "{}",
        again.stderr
    );
    assert_eq!(place.read("text/mushroom/base.md"), "Changed.\n");
}

#[test]
fn the_manifest_describes_each_part() {
    let lines: Vec<&str> = MANIFEST.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        if line.starts_with("tier ") {
            assert!(lines[at - 1].starts_with("// "), "no comment above: {line}");
        }
    }
    assert!(MANIFEST.starts_with("// MushroomAgent"));
}
