"""Hermes' own builder compared with `builtin:hermes@1`, on the same home: see tests/conformance/hermes/timing, whose parts are used."""

import json
import os
import subprocess
import sys
import tempfile

from . import process

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
SUITE = ROOT + "/tests/conformance/hermes"
sys.path.insert(0, SUITE)

from suite import environment  # noqa: E402
from suite.home import Home  # noqa: E402

SKILLS = [100, 2_000]
BASE = "builtin:hermes@1"


def warm(home, program):
    """Milliseconds of a call in one process, by row."""
    said = subprocess.run([program, home.manifest, "30", *home.roots], input=home.facts, check=True, capture_output=True).stdout.split()
    rows = dict(zip(["promptc, plan kept", "promptc, manifest parsed", "promptc, engine"], map(float, said)))
    rows.update({f"hermes-agent, {name}": value * 1e3 for name, value in json.loads(home.hermes("warm")).items()})
    return rows


def measured(home, tools, rounds):
    printed = subprocess.run(home.promptc(home.manifest), env=home.env, check=True, capture_output=True).stdout
    if printed != home.case.expected:
        raise SystemExit("the prompts differ: run tests/conformance/hermes/run first")
    rows = {name: (command, home.root, before) for name, (command, before) in home.processes().items()}
    fresh = process.in_turn(rows, rounds, home.env)
    calls = {}
    for _ in range(3):
        for name, value in warm(home, tools.warm).items():
            calls.setdefault(name, []).append(round(value, 3))
    return {"bytes": len(printed), "equal": printed == home.case.expected, "fresh": fresh, "warm_ms": calls}


def run(tools, rounds):
    python = environment.python()
    out = {}
    with tempfile.TemporaryDirectory(prefix="hermes-") as scratch:
        scratch = os.path.realpath(scratch)
        environment.generate(python, scratch + "/goldens", ["--kinds", "constants"])
        for skills in SKILLS:
            home = Home(python, scratch, str(skills), BASE, tools.promptc)
            out[str(skills)] = measured(home, tools, rounds)
        os.chdir("/")
    return out
