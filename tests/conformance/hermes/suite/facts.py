"""What the gateway knows: the facts and roots of a recorded case, as a program around Hermes would hand them to promptc.

What is a lookup in the configuration, in the environment or on the host happens here, as it happens in Hermes outside of
its assembler; what decides about text is the manifest's. Texts that the runtime makes are taken as they are: the git
workspace block and the Nous block from the recorded layers, the other ones from the recorded facts.
"""

import json
import os

TRUTHY = ("1", "true", "yes", "on")
ON, OFF = ("true", "always", "yes", "on"), ("false", "never", "no", "off")


class Case:
    """A recorded case: its folder, what was recorded, and what the manifest is given."""

    def __init__(self, folder):
        self.folder = folder
        self.name = os.path.basename(folder)
        self.recorded = load(folder + "/facts.json")
        self.layers = load(folder + "/layers.json")
        with open(folder + "/expected.txt", "rb") as file:
            self.expected = file.read()
        self.theme = self.recorded["theme"]

    def facts(self, tables):
        given = {**switches(self.recorded), **enforcement(self.recorded), **host(self.recorded, tables)}
        given.update(conversation(self.recorded))
        given.update(platform_hints(self.recorded))
        given.update(self.runtime_texts())
        return given

    def roots(self):
        home, cwd = self.recorded["hermes_home"], os.path.realpath(self.recorded["cwd"])
        skills = [f"skills={folder}" for folder in [home + "/skills", *self.recorded["external_skill_dirs"]]]
        return [f"home={home}", f"workspace={cwd}", *skills]

    def runtime_texts(self):
        def recorded_layer(name, start=""):
            return next((part["raw"] for part in self.layers
                         if part["name"] == name and part["raw"].startswith(start)), None)

        return {
            "nous_block": recorded_layer("nous_subscription") if self.recorded["nous_features"] else None,
            "coding_workspace": recorded_layer("coding_workspace_or_instructions", "Workspace ("),
            "env_probe_line": self.recorded["env_probe_line"],
            "probe": self.recorded["backend_probe"],
            "memory_provider_block": self.recorded["memory_provider_block"],
        }


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def switches(recorded):
    memory_limit, user_limit = recorded["memory_limits"] or (2200, 1375)
    telegram = ((recorded["config"].get("platforms") or {}).get("telegram") or {}).get("extra") or {}
    names = ("load_soul_identity", "skip_context_files", "pass_session_id", "task_completion_guidance",
             "parallel_tool_call_guidance", "environment_probe", "memory_enabled", "user_profile_enabled")
    return {
        **{name: bool(recorded[name]) for name in names},
        "context_file_max_chars": recorded["context_file_max_chars_resolved"],
        "memory_char_limit": memory_limit,
        "user_char_limit": user_limit,
        "disabled_skills": recorded["disabled_skills"],
        "compact_categories": recorded["compact_categories"],
        "rich_messages": bool(telegram.get("rich_messages")),
        "desktop_pane": recorded["env"].get("HERMES_DESKTOP_TERMINAL", "").lower() in TRUTHY,
    }


def enforcement(recorded):
    """True, false, words for them, a list of needles, or anything else, which is automatic."""
    value = recorded["tool_use_enforcement"]
    if isinstance(value, list):
        needles = [needle.lower() for needle in value if isinstance(needle, str)]
        return {"enforcement": "auto", "enforcement_needles": needles}
    word = value.lower() if isinstance(value, str) else value
    if word is True or word in ON:
        return {"enforcement": "on"}
    if word is False or word in OFF:
        return {"enforcement": "off"}
    return {"enforcement": "auto"}


def host(recorded, tables):
    cwd = os.path.realpath(recorded["cwd"])
    backend = recorded["env"].get("TERMINAL_ENV", "local").strip().lower()
    hint = recorded["env"].get("HERMES_ENVIRONMENT_HINT", "").strip() or recorded["environment_hint_config"].strip()
    return {
        "hermes_home": recorded["hermes_home"],
        "user_home": recorded["user_home"],
        "workspace_path": cwd,
        "working_directory": recorded["cwd"],
        "project_path": git_root(cwd) or cwd,
        "host_system": recorded["host_system"],
        "host_release": recorded["host_release"],
        "sys_platform": recorded["python_platform"],
        "wsl": recorded["wsl"],
        "skill_envs": recorded["env_detect"],
        "backend": backend if backend in tables["REMOTE_TERMINAL_BACKENDS"] else "local",
        "profile": recorded["active_profile"],
        "posture": recorded["posture"],
        "environment_hint": hint or None,
    }


def git_root(folder):
    while not os.path.exists(folder + "/.git"):
        if folder == "/":
            return None
        folder = os.path.dirname(folder)
    return folder


def conversation(recorded):
    instructions = (recorded["config"].get("agent") or {}).get("coding_instructions") or ""
    if isinstance(instructions, list):
        instructions = "\n".join(str(line).strip() for line in instructions if str(line).strip())
    return {
        "platform": recorded["platform"] or "",
        "model": recorded["model"],
        "provider": recorded["provider"] or "",
        "tools": recorded["tools"],
        "toolsets": recorded["toolsets"],
        "session_id": recorded["session_id"],
        "system_message": recorded["system_message"],
        "today": recorded["clock_local_date"],
        "coding_instructions": instructions.strip() or None,
    }


def platform_hints(recorded):
    """What the configuration says of this platform's hint: a bare text is added, blank ones say nothing."""
    key = (recorded["platform"] or "").strip().lower()
    own = (recorded["config"].get("platform_hints") or {}).get(key) if key else None
    given = {"append": own} if isinstance(own, str) else own if isinstance(own, dict) else {}
    return {f"platform_hint_{what}": given[what] for what in ("replace", "append")
            if isinstance(given.get(what), str) and given[what].strip()}
