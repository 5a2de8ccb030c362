"""Cache markers: lists of messages that `promptc emit chat` marks as the package does, for both layouts.

The prompt is empty, so the history's own system message is the first one. Of the package's times to live 5m is the one that
it does not write, and so does promptc without `--ttl`; 2h, which it takes for 5m, is none that a model of Anthropic keeps.
"""

import json
import os

from .overlay import write_file
from .report import Result

EMPTY = """promptc 1
name empty
tier none { layer nothing { text "" } }
"""
LAYOUTS = ("envelope", "native")
TIMES = {"5m": [], "1h": ["--ttl", "1h"]}


def run(program, manifest, goldens, scratch, exceptions, result=None, every=1):
    write_file(scratch + "/empty.kdl", EMPTY)
    artifact = scratch + "/empty.json"
    printed, error = program.build(scratch + "/empty.kdl", "--format", "json")
    if error:
        raise SystemExit(error)
    with open(artifact, "wb") as file:
        file.write(printed)
    result = result or Result("cache")
    folder = goldens + "/cache_control"
    for name in sorted(os.listdir(folder))[::every]:
        with open(f"{folder}/{name}", encoding="utf-8") as file:
            golden = json.load(file)
        history = f"{scratch}/{name}"
        write_file(history, json.dumps(golden["messages"]))
        for time, asked in TIMES.items():
            for layout in LAYOUTS:
                got, error = program.emit("chat", "--model", "anthropic/any", "--artifact", artifact, "--messages", history,
                                          "--breakpoints", layout, *asked)
                where = f"{name} {time}/{layout}"
                result.add(where, error or difference(got["messages"], golden["out"][f"{time}/{layout}"]))
    return result


def difference(got, wanted):
    """None, or the first message that differs, key by key in order."""
    mine, theirs = ([json.dumps(message, ensure_ascii=False) for message in side] for side in (got, wanted))
    if mine == theirs:
        return None
    if len(mine) != len(theirs):
        return f"{len(mine)} messages, not {len(theirs)}"
    at = next(at for at, pair in enumerate(zip(mine, theirs)) if pair[0] != pair[1])
    return f"message {at}\n    promptc {mine[at]}\n    Hermes  {theirs[at]}"
