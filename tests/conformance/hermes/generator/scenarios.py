"""What a case is about: hand-made scenarios, so that every feature is present whatever the seed, and random ones."""

import copy
import datetime
import json

from .package import prompt_builder
from .texts import WORDS, sentence

MEMORY_KINDS = [
    "absent", "empty", "blank", "plain", "plain", "dup", "multi", "inline", "crlf", "padded", "poison", "blocked", "zwj",
    "over", "cjk",
]
SOUL_KINDS = [
    "normal", "normal", "empty", "blank", "crlf", "bom", "odd", "zwj", "inject", "inject2", "strictonly", "badutf8",
    "len:19999", "len:20000", "len:20001", "len:33333", "len:1",
]
DOCUMENT_KINDS = [
    "normal", "normal", "crlf", "bom", "odd", "inject", "fm", "len:19980", "len:19990", "len:21000", "strictonly",
]
MODELS = [
    "claude-opus-4.8", "anthropic/claude-sonnet-4.5", "gpt-5.1", "openai/gpt-5-codex", "google/gemini-3-pro",
    "gemma-3-27b", "x-ai/grok-4", "zai/glm-4.7", "qwen/qwen3-coder", "deepseek-v4-pro", "moonshotai/kimi-k2.6",
    "Hermes-4-405B", "unknown-model-7b", "", "GPT-OSS-120B", "gemini-codex-mix",
]
PROVIDERS = ["anthropic", "openrouter", "openai", "nous", "alibaba", "deepseek", "", None, "custom"]
TOOLS = [
    "agent", "memory", "session_search", "skill_manage", "skills_list", "skill_view", "terminal", "process", "read_file",
    "write_file", "patch", "search_files", "web_search", "web_extract", "todo", "execute_code", "delegate_task",
    "computer_use", "kanban_show", "browser_navigate", "image_generate", "not_a_real_tool",
]


def pick_tools(r):
    kind = r.random()
    if kind < 0.08:
        return []
    if kind < 0.35:
        return [tool for tool in TOOLS if tool not in ("computer_use", "kanban_show", "not_a_real_tool")]
    return r.sample(TOOLS, r.randint(1, len(TOOLS)))


def random_documents(r):
    docs = {}
    for name, share in ((".hermes.md", 0.12), ("HERMES.md", 0.08), ("AGENTS.md", 0.45), ("agents.md", 0.1),
                        ("CLAUDE.md", 0.35), ("claude.md", 0.05), (".cursorrules", 0.3)):
        if r.random() < share:
            docs[name] = r.choice(DOCUMENT_KINDS)
    if r.random() < 0.3:
        for i in range(r.randint(1, 4)):
            # The kind is drawn before the name, as an assignment evaluates its right side first.
            kind = r.choice(["normal", "fm", "inject", "blank"])
            docs[f".cursor/rules/{r.choice(WORDS)}{i}.mdc"] = kind
        docs[".cursor/rules/ignored.md"] = "normal"
    return docs


def random_extra(r):
    extra = {}
    if r.random() < 0.3:
        extra["Makefile"] = "test:\n\ttrue\nlint :\n\ttrue\nbuild:\n"
    if r.random() < 0.3:
        extra["package.json"] = json.dumps({"scripts": {"test": "x", "lint": "y", "zzz": "q"}})
    if r.random() < 0.2:
        extra["pyproject.toml"] = "[tool.pytest.ini_options]\n"
        extra["uv.lock"] = ""
    if r.random() < 0.2:
        extra["Cargo.toml"] = "[package]\n"
        extra["src/main.rs"] = "fn main() {}\n"
    if r.random() < 0.2:
        extra["loose.py"] = "print(1)\n"
    return extra


def random_environment(r):
    env = {}
    if r.random() < 0.12:
        env["TERMINAL_ENV"] = r.choice(["docker", "ssh", "modal", " Docker ", "weird"])
    if r.random() < 0.1:
        env["HERMES_ENVIRONMENT_HINT"] = "  Sandbox: " + sentence(r) + " \n"
    if r.random() < 0.1:
        env["HERMES_DESKTOP_TERMINAL"] = r.choice(["1", "true", "0"])
    if r.random() < 0.2:
        env["HERMES_PLATFORM"] = "telegram"
    return env


def random_nous(r):
    if r.random() >= 0.12:
        return None
    return {"nous_auth_present": r.random() < 0.7, "features": [
        {"key": key, "label": key.title(), "managed_by_nous": r.random() < 0.3, "active": r.random() < 0.4,
         "current_provider": r.choice(["", "acme"]), "included_by_default": r.random() < 0.6}
        for key in ("web", "tts", "modal")]}


def random_config(r, platform, ext_skills):
    config, agent = {}, {}
    if r.random() < 0.3:
        agent["tool_use_enforcement"] = r.choice(
            [True, False, "always", "Never", "auto", ["claude", "KIMI"], "junk", 1])
    for switch in ("task_completion_guidance", "parallel_tool_call_guidance", "environment_probe"):
        if r.random() < 0.15:
            agent[switch] = False
    if r.random() < 0.1:
        agent["environment_hint"] = "Config hint " + sentence(r)
    if r.random() < 0.35:
        agent["coding_context"] = r.choice(["auto", "focus", "on", "off", True, False, "Lean"])
    if r.random() < 0.15:
        agent["coding_instructions"] = r.choice(["Clean the diff first.", ["one", " ", "two "]])
    if agent:
        config["agent"] = agent
    if r.random() < 0.2:
        config["context_file_max_chars"] = r.choice([100, 1000, 4, 1, 90, 25000, 20.9, -5, "300"])
    if r.random() < 0.3:
        config["memory"] = r.choice([
            {"memory_enabled": False}, {"user_profile_enabled": False}, {"memory_char_limit": 333, "user_char_limit": 77},
            {"memory_char_limit": 0}, {"memory_enabled": False, "user_profile_enabled": False}])
    if r.random() < 0.3:
        hint = r.choice(["  extra text ", "", {"append": " more "}, {"replace": "Replaced hint"},
                         {"replace": "R", "append": "A"}, {"replace": "  "}, 5, None])
        config["platform_hints"] = {(platform or "cli").lower().strip() or "cli": hint}
    skills = {}
    if r.random() < 0.3:
        skills["disabled"] = r.choice([["alpha-0", "build-1"], "cargo-2", ["rootskill", 1.0]])
    if r.random() < 0.2:
        skills["platform_disabled"] = {"telegram": ["delta-0", "parser-1", "nested-0"]}
    if ext_skills:
        skills["external_dirs"] = r.choice([["../ext", "../ext", "/nonexistent"], "../ext"])
    if skills:
        config["skills"] = skills
    if r.random() < 0.3:
        config["platforms"] = {"telegram": {"extra": {"rich_messages": r.choice([True, False])}}}
    if r.random() < 0.2:
        config["timezone"] = r.choice(["Europe/Berlin", "Pacific/Kiritimati", ""])
    return config


def random_spec(r):
    spec = {"theme": "random", "soul": r.choice(SOUL_KINDS + ["absent"]), "docs": random_documents(r), "parent_docs": {}}
    if r.random() < 0.3:
        kind = r.choice(["fm", "fmonly", "fmcrlf", "normal", "len:20100"])
        spec["parent_docs"][r.choice([".hermes.md", "HERMES.md"])] = kind
    spec["sub"] = r.choice(["", "", "pkg", "pkg/inner"])
    spec["git"] = r.choice(["none", "none", "dir", "dir", "file", "real"])
    spec["extra"] = random_extra(r)
    spec["memory"], spec["user"] = r.choice(MEMORY_KINDS), r.choice(MEMORY_KINDS)
    spec["skills"] = r.choice([0, 1, 3, 8, 20, 40])
    spec["divergent_skills"] = r.random() < 0.1
    spec["ext_skills"] = r.choice([0, 0, 0, 4])
    spec["tools"] = pick_tools(r)
    spec["platform"] = r.choice(
        list(prompt_builder.PLATFORM_HINTS) + ["cli"] * 6 + ["tui"] * 3
        + ["desktop", "acp", "", None, "irc", "teams", "nosuchplatform", " CLI ", "Telegram"])
    spec["model"], spec["provider"] = r.choice(MODELS), r.choice(PROVIDERS)
    if spec["provider"] == "alibaba" and not spec["model"]:
        spec["model"] = "qwen/qwen3-coder"
    spec["system_message"] = r.choice(
        [None, None, None, "", "  \n", "Be brief.", "  padded\n\n多行\n " + sentence(r) + "  \n"])
    spec["session_id"] = r.choice([None, "sess-" + str(r.randint(1, 9999))])
    spec["pass_session_id"] = r.random() < 0.5
    spec["skip_context_files"] = r.random() < 0.12
    spec["load_soul_identity"] = r.random() < 0.3
    spec["context_length"] = r.choice([None, None, 8192, 32000, 84000, 128000, 131072, 200000, 1000000, 5000000])
    spec["clock"] = datetime.datetime(
        r.choice([2024, 2025, 2026, 2027]), r.randint(1, 12), r.randint(1, 28), r.randint(0, 23), r.randint(0, 59), 31,
        tzinfo=datetime.timezone.utc).isoformat()
    spec["timezone_env"] = r.choice(["", "", "Asia/Tokyo", "America/Los_Angeles", "Not/AZone"])
    spec["wsl"] = r.random() < 0.08
    spec["host_release"] = f"6.{r.randint(1, 12)}.0-golden"
    spec["env"] = random_environment(r)
    spec["backend_probe"] = r.choice([None, "  OS: Linux 6.6\n  User: root\n  Home: /root"])
    spec["env_probe_line"] = r.choice(["", "", "Toolchain probe stub line."])
    spec["env_detect"] = {"kanban": False, "docker": r.random() < 0.5, "s6": r.random() < 0.3}
    spec["nous_features"] = random_nous(r)
    spec["memory_provider_block"] = r.choice([None, None, None, None, "", "  External block\nline 2 \n"])
    spec["terminal_cwd"] = r.random() < 0.7  # else the process stands in the project, as a local CLI does
    spec["profile"] = r.choice([None, None, None, "work"])
    spec["config"] = random_config(r, spec["platform"], spec["ext_skills"])
    return spec


CORE = [
    "agent", "memory", "session_search", "skill_manage", "skill_view", "skills_list", "terminal", "read_file", "patch",
    "write_file", "search_files", "web_search", "todo",
]
BASE = dict(
    soul="normal", docs={"AGENTS.md": "normal"}, parent_docs={}, sub="", git="dir", extra={}, memory="plain", user="plain",
    skills=12, divergent_skills=False, ext_skills=0, tools=CORE, platform="cli", model="claude-opus-4.8",
    provider="anthropic", system_message=None, session_id="s-1", pass_session_id=False, skip_context_files=False,
    load_soul_identity=False, context_length=None, env={}, config={}, wsl=False, profile=None, nous_features=None,
    memory_provider_block=None, env_probe_line="", terminal_cwd=True, timezone_env="")
THEMES = {
    "baseline": {},
    "soul-absent": dict(soul="absent"),
    "soul-legacy-template": dict(soul="LEGACY"),
    "soul-injection": dict(soul="inject"),
    "soul-20001": dict(soul="len:20001"),
    "soul-exact-20000": dict(soul="len:20000"),
    "soul-zwj-emoji-blocked": dict(soul="zwj"),
    "soul-bad-utf8": dict(soul="badutf8"),
    "hermes-md-parent-frontmatter": dict(parent_docs={".hermes.md": "fm"}, sub="pkg/inner"),
    "hermes-md-parent-no-git": dict(parent_docs={".hermes.md": "fm"}, sub="pkg", git="none"),
    "hermes-md-fm-only": dict(docs={".hermes.md": "fmonly", "AGENTS.md": "normal"}),
    "hermes-md-blank-falls-through": dict(docs={".hermes.md": "blank", "AGENTS.md": "normal"}),
    "hermes-md-badutf8-falls-through": dict(docs={".hermes.md": "badutf8", "CLAUDE.md": "normal"}),
    "hermes-md-long": dict(docs={"HERMES.md": "len:20400"}),
    "cursor-rules": dict(docs={
        ".cursorrules": "normal", ".cursor/rules/b.mdc": "fm", ".cursor/rules/a.mdc": "inject",
        ".cursor/rules/Z.mdc": "crlf", ".cursor/rules/blank.mdc": "blank"}),
    "cursor-rules-only-mdc-long": dict(docs={".cursor/rules/a.mdc": "len:15000", ".cursor/rules/b.mdc": "len:9000"}),
    "agents-empty-then-lowercase": dict(docs={"AGENTS.md": "empty", "agents.md": "crlf"}),
    "skip-context": dict(skip_context_files=True),
    "skip-context-but-soul": dict(skip_context_files=True, load_soul_identity=True, platform="cron"),
    "dynamic-cap-1M": dict(docs={"AGENTS.md": "len:120000"}, context_length=1_000_000),
    "explicit-cap": dict(
        docs={"AGENTS.md": "len:5000"}, config={"context_file_max_chars": 1000}, context_length=1_000_000),
    "cap-4-tail-zero": dict(docs={"AGENTS.md": "len:50"}, config={"context_file_max_chars": 4}),
    "skills-divergent": dict(divergent_skills=True),
    "skills-60-external-disabled": dict(
        skills=60, ext_skills=6, config={"skills": {"external_dirs": ["../ext"], "disabled": ["alpha-0", "nested-1"]}}),
    "coding-focus-git-real": dict(
        git="real", model="openai/gpt-5-codex", provider="openrouter", skills=25,
        config={"agent": {"coding_context": "focus", "coding_instructions": ["one", "two"]}},
        extra={"Cargo.toml": "[package]\n", "Makefile": "test:\n\ttrue\ncheck:\n", "src/main.rs": "fn main(){}\n"}),
    "telegram-rich-override": dict(platform="telegram", config={
        "platforms": {"telegram": {"extra": {"rich_messages": True}}},
        "platform_hints": {"telegram": {"append": "Use short lines."}}}),
    "google-model": dict(model="google/gemini-3-pro", provider="openrouter"),
    "alibaba-model": dict(model="qwen/qwen3-coder", provider="alibaba"),
    "no-tools": dict(tools=[]),
    "profile-kanban-computer": dict(profile="work", tools=CORE + ["kanban_show", "computer_use"], model="x-ai/grok-4"),
    "remote-backend": dict(env={"TERMINAL_ENV": "docker"}, backend_probe=None, platform="slack"),
    "wsl-tui-pane": dict(wsl=True, platform="tui", env={"HERMES_DESKTOP_TERMINAL": "1"}),
    "date-rollover": dict(clock="2026-05-31T22:30:00+00:00", timezone_env="Asia/Tokyo", pass_session_id=True),
    "two-invisibles-hash-order": dict(soul="invis2"),
    "memory-bad-utf8-loses-both": dict(memory="badutf8"),
    "memory-bom-blocks-first-entry": dict(memory="bom", user="dup"),
    "memory-poison-user-over": dict(memory="poison", user="over"),
    "memory-off-user-only": dict(config={"memory": {"memory_enabled": False}}),
}


def scenario(index):
    """The hand-made scenario of that number, or None; it is laid over a random one."""
    if index >= len(THEMES):
        return None
    theme = list(THEMES)[index]
    return copy.deepcopy({**BASE, **THEMES[theme], "theme": theme})
