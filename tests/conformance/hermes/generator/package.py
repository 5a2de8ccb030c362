"""The installed package, with what is not reproducible replaced; and small helpers for files.

Importing this module imports the package: the environment must be the one that __main__ makes.
"""

import datetime
import json
import logging
import os
import platform
import sys
from types import SimpleNamespace

logging.disable(logging.CRITICAL)

import run_agent  # noqa: E402,F401  the assembler looks its helpers up here
import hermes_constants  # noqa: E402
import hermes_time  # noqa: E402
from agent import coding_context, prompt_builder, skill_utils, system_prompt  # noqa: E402
from hermes_cli import nous_subscription  # noqa: E402
from tools import env_probe, memory_tool, tool_backend_helpers  # noqa: E402

SCRATCH = os.environ["_GENERATOR_SCRATCH"]
BASE_ENV = dict(os.environ)


class FixedDatetime(datetime.datetime):
    instant = datetime.datetime(2026, 5, 29, 14, 25, 31, tzinfo=datetime.timezone.utc)

    @classmethod
    def now(cls, tz=None):
        return cls.instant.astimezone(tz) if tz else cls.instant.replace(tzinfo=None)


class NousFeatures:
    def __init__(self, spec):
        self.nous_auth_present = spec["nous_auth_present"]
        self._features = [SimpleNamespace(**feature) for feature in spec["features"]]

    def items(self):
        return self._features


# What the replaced functions answer; a case sets it.
HOST = SimpleNamespace(release="6.1.0-golden", backend=None, nous=None)

hermes_time.datetime = FixedDatetime
memory_tool.time = SimpleNamespace(time=lambda: 1767225600.0)
platform.release = lambda: HOST.release
prompt_builder._probe_remote_backend = lambda env_type: HOST.backend
tool_backend_helpers.managed_nous_tools_enabled = lambda **kw: HOST.nous is not None
nous_subscription.get_nous_subscription_features = lambda *a, **kw: NousFeatures(HOST.nous)


def set_probe(line):
    env_probe._reset_cache_for_tests()
    env_probe._CACHED_LINE = line
    env_probe._PROBE_DONE.set()


def set_wsl(value):
    hermes_constants._wsl_detected = value


def reset_caches():
    prompt_builder.clear_skills_system_prompt_cache()
    skill_utils._external_dirs_cache_clear()
    hermes_time.reset_cache()
    prompt_builder._BACKEND_PROBE_CACHE.clear()
    prompt_builder.drain_truncation_warnings()


def reset_environment():
    os.environ.clear()
    os.environ.update(BASE_ENV)


CONST = {
    name: value
    for module in (prompt_builder, coding_context, system_prompt)
    for name, value in vars(module).items()
    if isinstance(value, str) and name.lstrip("_").isupper() and not name.startswith("__")
}

_ASSEMBLER = system_prompt.build_system_prompt_parts.__code__


def capture(build):
    """What `build` answers, and the assembler's own variables when it returned: its parts are not re-derived."""
    seen = {}

    def profile(frame, event, arg):
        if event == "return" and frame.f_code is _ASSEMBLER:
            seen.clear()
            seen.update(frame.f_locals)

    sys.setprofile(profile)
    try:
        answer = build()
    finally:
        sys.setprofile(None)
    return answer, seen


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode("utf-8"))


def write_json(path, value, sort_keys=True):
    write(path, json.dumps(value, ensure_ascii=False, indent=1, sort_keys=sort_keys) + "\n")


def listing(root):
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name != ".git")
        found += [os.path.relpath(os.path.join(folder, name), root) for name in sorted(files)]
    return sorted(found)
