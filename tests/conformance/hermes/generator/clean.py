"""The environment that the package is imported in: known, whatever the caller's is."""

import os

FOREIGN = ("HERMES", "TERMINAL", "GIT_", "OPENAI", "ANTHROPIC", "NOUS")


def environment(out):
    """For work below the folder `out`. The hash seed is fixed, since the package iterates sets of strings."""
    scratch = os.path.join(out, ".scratch")
    os.makedirs(scratch + "/import-home", exist_ok=True)
    env = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    env.update(
        _GENERATOR_SCRATCH=scratch, HERMES_HOME=scratch + "/import-home", HOME="/home/golden", TZ="UTC", LC_ALL="C.UTF-8",
        PYTHONHASHSEED=os.environ.get("GOLDEN_HASHSEED", "0"), PYTHONDONTWRITEBYTECODE="1", PYTHONUTF8="1",
        GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1", GIT_CEILING_DIRECTORIES=out,
        PYTHONPATH=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return env
