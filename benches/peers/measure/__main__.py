"""Measures all and writes the samples as JSON; `run` calls it: python3 -m measure --scratch DIR --out FILE --promptc FILE --warm FILE"""

import argparse
import json
import os
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, HERE)

from . import growth, hermes, machine, process, task  # noqa: E402

PARTS = ["task", "hermes", "growth"]


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--scratch", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--promptc", required=True, help="the release binary")
    parser.add_argument("--warm", required=True, help="the release build of the example `warm-call`")
    parser.add_argument("--rounds", type=int, default=15, help="of each whole process")
    parser.add_argument("--calm", type=int, default=180, help="how many seconds to wait at most for a machine that does nothing else")
    parser.add_argument("--only", choices=PARTS, help="one part; the file has no other then")
    parser.add_argument("--command", default="benches/peers/run")
    args = parser.parse_args()
    for name in ("scratch", "out", "promptc", "warm"):
        setattr(args, name, os.path.abspath(getattr(args, name)))
    return args


def environment(scratch):
    """The environment of the processes: nothing of the caller's that could change them."""
    home = scratch + "/home"
    os.makedirs(home, exist_ok=True)
    return {"PATH": os.environ["PATH"], "HOME": home, "LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONWARNINGS": "ignore"}


def main():
    hermes.environment.right_python()
    args = arguments()
    args.node = process.program("node")
    env, load = environment(args.scratch), machine.calm(args.calm)
    parts = {
        "task": lambda: task.run(HERE, args.scratch, args, env, args.rounds),
        "hermes": lambda: hermes.run(args, args.rounds),
        "growth": lambda: growth.run(HERE, args.scratch, args, env, args.rounds),
    }
    results = {}
    for name in PARTS:
        if args.only in (None, name):
            print(f"measuring: {name}", file=sys.stderr)
            results[name] = parts[name]()
    results["about"] = {
        "date": machine.now(),
        "command": args.command,
        "rounds": args.rounds,
        "load": {"before": load, "after": machine.load()},
        "machine": machine.machine(),
        "versions": machine.versions(HERE, task.PEERS, args.promptc, args.node, hermes.SUITE + "/requirements.txt"),
    }
    with open(args.out, "w", encoding="utf-8") as file:
        file.write(text(results) + "\n")


def text(value, indent=""):
    """JSON with a line for each key, and lists of numbers on one."""
    if isinstance(value, dict) and value:
        inner = indent + "  "
        members = (f"{inner}{json.dumps(key, ensure_ascii=False)}: {text(value[key], inner)}" for key in sorted(value))
        return "{\n" + ",\n".join(members) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(member, dict) for member in value):
        inner = indent + "  "
        return "[\n" + ",\n".join(inner + text(member, inner) for member in value) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False)


main()
