"""Whole prompts: each case is planted, built twice by the package, and recorded with every fact that its text needs."""

import hashlib
import os
import random
import shutil
import sys
from types import SimpleNamespace

import model_tools
from hermes_cli import config as hermes_config

from . import scenarios
from .inputs import plant
from .package import (
    CONST, HOST, FixedDatetime, capture, coding_context, hermes_constants, hermes_time, listing, memory_tool, platform,
    prompt_builder, reset_caches, reset_environment, set_probe, set_wsl, skill_utils, system_prompt, write, write_json,
)

TIERS = ("stable", "context", "volatile")
SUMMARY = ("case", "theme", "sha256", "chars", "bytes", "warm_differs", "hash_order", "platform", "model", "posture")


def make(out, seed, cases, themes):
    made = []
    for index in range(cases):
        spec = scenarios.random_spec(random.Random(f"{seed}/spec/{index}"))
        spec.update(themes and scenarios.scenario(index) or {})
        facts = run_case(out, index, spec, seed)
        made.append({key: facts[key] for key in SUMMARY})
    reset_environment()
    return made


def run_case(out, index, spec, seed):
    root = f"{out}/case-{index:03d}"
    os.makedirs(root)
    home, cwd = plant(root, spec, random.Random(f"{seed}/{index}"))
    facts = record(root, dict(spec, case=index, seed=seed), home, cwd)
    os.chdir(out)
    for folder in ("home", "project", "ext"):
        shutil.rmtree(f"{root}/{folder}", ignore_errors=True)
    plant(root, spec, random.Random(f"{seed}/{index}"))
    return facts


def record(root, spec, home, cwd):
    """Builds the prompt of the files that stand below `root`, and writes what went in and what came out beside them."""
    arrange(spec, home, cwd)
    before = set(listing(root + "/home"))
    agent, config = make_agent(spec)
    full, seen = capture(lambda: system_prompt.build_system_prompt(agent, spec["system_message"]))
    reset_caches()
    # The second build finds the package's snapshot of the skills on disk.
    parts = system_prompt.build_system_prompt_parts(make_agent(spec)[0], spec["system_message"])
    warm = "\n\n".join(parts[tier] for tier in TIERS if parts[tier])
    reset_caches()
    tiers = ["\n\n".join(p.strip() for p in seen[tier + "_parts"] if p and p.strip()) for tier in TIERS]
    assert "\n\n".join(text for text in tiers if text) == full
    leftovers = sorted(set(listing(root + "/home")) - before)
    facts = dict(spec, case_root=root, hermes_home=home, cwd=cwd, run_leftovers=leftovers, warm_differs=warm != full,
                 sha256=hashlib.sha256(full.encode()).hexdigest(), chars=len(full), bytes=len(full.encode()),
                 **runtime_facts(spec, agent, config, seen))
    write(root + "/expected.txt", full)
    if warm != full:
        write(root + "/expected.warm.txt", warm)
    write_json(root + "/layers.json", name_layers(seen, agent))
    write_json(root + "/facts.json", facts)
    return facts


def arrange(spec, home, cwd):
    """The process as the gateway of this case would have it."""
    reset_environment()
    os.environ["HERMES_HOME"] = home
    os.environ.update(spec["env"])
    if spec["timezone_env"]:
        os.environ["HERMES_TIMEZONE"] = spec["timezone_env"]
    os.chdir(cwd)
    if spec["terminal_cwd"]:
        os.environ["TERMINAL_CWD"] = cwd
    FixedDatetime.instant = FixedDatetime.__base__.fromisoformat(spec["clock"])
    HOST.release, HOST.backend, HOST.nous = spec["host_release"], spec["backend_probe"], spec["nous_features"]
    set_wsl(spec["wsl"])
    set_probe(spec["env_probe_line"])
    skill_utils._ENV_DETECT_CACHE.clear()
    skill_utils._ENV_DETECT_CACHE.update(spec["env_detect"])
    reset_caches()


def make_agent(spec):
    """What agent_init puts on the agent, from the real merged configuration; and that configuration."""
    config = hermes_config.load_config()
    agent_config = config.get("agent") if isinstance(config.get("agent"), dict) else {}
    memory = config.get("memory", {})
    hints = config.get("platform_hints", {})
    agent = SimpleNamespace(
        load_soul_identity=spec["load_soul_identity"], skip_context_files=spec["skip_context_files"],
        valid_tool_names=set(spec["tools"]), model=spec["model"], provider=spec["provider"], platform=spec["platform"],
        pass_session_id=spec["pass_session_id"], session_id=spec["session_id"],
        context_compressor=SimpleNamespace(context_length=spec["context_length"]),
        _tool_use_enforcement=agent_config.get("tool_use_enforcement", "auto"),
        _task_completion_guidance=bool(agent_config.get("task_completion_guidance", True)),
        _parallel_tool_call_guidance=bool(agent_config.get("parallel_tool_call_guidance", True)),
        _environment_probe=bool(agent_config.get("environment_probe", True)),
        _platform_hint_overrides=hints if isinstance(hints, dict) else {},
        _kanban_worker_guidance=prompt_builder.KANBAN_GUIDANCE if "kanban_show" in spec["tools"] else "",
        _memory_store=None, _memory_enabled=memory.get("memory_enabled", False),
        _user_profile_enabled=memory.get("user_profile_enabled", False), _memory_manager=None, status=[])
    agent._emit_status = agent.status.append
    if agent._memory_enabled or agent._user_profile_enabled:
        agent._memory_store = memory_tool.MemoryStore(
            memory_char_limit=memory.get("memory_char_limit", 2200), user_char_limit=memory.get("user_char_limit", 1375))
        try:
            agent._memory_store.load_from_disk()
        except Exception:  # as agent_init does: the store stays, and both of its blocks are empty
            pass
    if spec["memory_provider_block"] is not None:
        agent._memory_manager = SimpleNamespace(build_system_prompt=lambda: spec["memory_provider_block"])
    return agent, config


def runtime_facts(spec, agent, config, seen):
    mode = coding_context.resolve_runtime_mode(
        platform=spec["platform"], cwd=system_prompt.resolve_context_cwd(), model=spec["model"])
    store = agent._memory_store
    toolsets = {name for name in map(model_tools.get_toolset_for_tool, spec["tools"]) if name}
    session_platform = prompt_builder._current_session_platform_hint() or None
    return dict(
        user_home=os.environ["HOME"], tools=sorted(spec["tools"]), toolsets=sorted(toolsets),
        host_system=platform.system(), python_platform=sys.platform,
        clock_local_date=hermes_time.now().strftime("%Y-%m-%d"),
        context_file_max_chars_resolved=prompt_builder._get_context_file_max_chars(spec["context_length"]),
        memory_limits=[store.memory_char_limit, store.user_char_limit] if store else None,
        memory_enabled=agent._memory_enabled, user_profile_enabled=agent._user_profile_enabled,
        tool_use_enforcement=agent._tool_use_enforcement, task_completion_guidance=agent._task_completion_guidance,
        parallel_tool_call_guidance=agent._parallel_tool_call_guidance, environment_probe=agent._environment_probe,
        environment_hint_config=str((config.get("agent") or {}).get("environment_hint", "") or ""),
        posture=mode.kind, posture_mode=mode.config_mode,
        disabled_skills=sorted(skill_utils.get_disabled_skill_names(session_platform)),
        compact_categories=sorted(mode.compact_skill_categories()),
        external_skill_dirs=[str(folder) for folder in skill_utils.get_external_skills_dirs()],
        active_profile=seen.get("active_profile"), soul_loaded=seen["_soul_loaded"], statuses=agent.status,
        hash_order=spec["soul"] == "invis2" or "invis2" in spec["docs"].values())


def name_layers(seen, agent):
    """The raw parts of the three tiers; their names are found by comparing with the assembler's own variables."""
    layers = []
    for tier in TIERS:
        parts = seen[tier + "_parts"]
        for index, text in enumerate(parts):
            name = {"stable": stable_name, "context": context_name, "volatile": volatile_name}[tier]
            layers.append({"tier": tier, "name": name(seen, agent, text, index, len(parts)), "raw": text})
    return layers


def stable_name(seen, agent, text, index, count):
    if index == 0:
        return "identity"
    constants = {value: name for name, value in CONST.items()}
    if text in constants:
        return constants[text]
    if seen.get("tool_guidance") and text == " ".join(seen["tool_guidance"]):
        return "tool_guidance"
    variables = {"nous_subscription_prompt": "nous_subscription", "skills_prompt": "skills_index",
                 "_env_hints": "environment_hints", "_probe_line": "env_probe", "_effective_hint": "platform_hint"}
    for variable, name in variables.items():
        if text == seen.get(variable):
            return name
    if text.startswith(coding_context.CODING_AGENT_GUIDANCE):
        return "coding_brief"
    if index >= count - 2 and str(hermes_constants.get_hermes_home()) in text and "active_profile" in seen:
        return "profile_hint"
    if agent.provider == "alibaba" and agent.model in text:
        return "alibaba_identity"
    return "profile_hint" if index == count - 1 else "coding_workspace_or_instructions"


def context_name(seen, agent, text, index, count):
    return "context_files" if text == seen.get("context_files_prompt") else "system_message"


def volatile_name(seen, agent, text, index, count):
    variables = {"mem_block": "memory", "user_block": "user", "_ext_mem_block": "memory_provider"}
    return next((name for variable, name in variables.items() if text == seen.get(variable)), "timestamp")
