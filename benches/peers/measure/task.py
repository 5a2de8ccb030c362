"""The task of `../task.py`: what each peer makes of it, as fresh processes and as calls in one process."""

import json
import os
import shutil
import subprocess

import task as files_of_task
from . import process

# The folder of each peer, and its package.
PEERS = {
    "jinja2": "jinja2", "prompt-tsx": "@vscode/prompt-tsx", "priomptipy": "priomptipy", "dotprompt": "dotprompt",
    "prompt-poet": "prompt-poet", "promptl": "promptl-ai", "poml": "poml",
}
RENDERS = {"poml": 2}


def lay_out(here, scratch):
    """The task's folder, with the manifest of promptc and the document of poml, which are next to the files that they name."""
    folder = scratch + "/task"
    shutil.rmtree(folder, ignore_errors=True)
    files_of_task.write(folder)
    for path in ("promptc/promptc.kdl", "promptc/turn.kdl", "poml/task.poml"):
        shutil.copy(f"{here}/{path}", folder)
    return folder


def peer(scratch, name, node):
    """The command of a peer's script."""
    folder = f"{scratch}/{name}"
    if os.path.exists(folder + "/venv"):
        return [folder + "/venv/bin/python", folder + "/peer.py"]
    return [node, folder + "/peer.cjs"]


def commands(scratch, tools):
    out = {"promptc": [tools.promptc, "build", "--quiet"]}
    out.update((name, peer(scratch, name, tools.node)) for name in PEERS)
    return out


def floors(scratch, tools):
    return {
        "`true`": [process.program("true")],
        "`python -c pass`": [scratch + "/jinja2/venv/bin/python", "-c", "pass"],
        "`node -e 0`": [tools.node, "-e", "0"],
    }


def output(folder, command, env):
    """The part of the task that one output keeps: its length, the files that must stay, and the lines of the others."""
    text = subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True).stdout.decode()
    with open(folder + "/task.json", encoding="utf-8") as file:
        asked = json.load(file)
    kept, whole = {}, True
    for entry in asked["files"]:
        with open(f"{folder}/{entry['file']}", encoding="utf-8") as file:
            content = file.read()
        lines = content.splitlines()
        if entry["priority"] is None:
            whole &= content.strip() in text
        else:
            kept[entry["name"]] = [sum(line in text for line in lines), len(lines)]
    return {"chars": len(text), "budget": asked["budget"], "must_stay_whole": whole, "lines_kept": kept}


# What the scripts of the bindings print.
BINDINGS = ["the first call", "nothing changed", "one fact changed"]
# What `warm-call` prints.
WARM = ["promptc, plan kept", "promptc, manifest parsed", "promptc, engine", "promptc, engine, one fact changed"]


def warm_once(name, command, folder, env, tools):
    """Milliseconds of a render in one process: the median of many."""
    if name == "promptc":
        arguments = [tools.warm, "turn.kdl", "200", f"workspace={folder}"]
        said = subprocess.run(arguments, cwd=folder, env=env, input=b'{"turn": 0}', check=True, capture_output=True).stdout.split()
        return dict(zip(WARM, map(float, said)))
    count = str(RENDERS.get(name, 50))
    said = subprocess.run([*command, "warm", count], cwd=folder, env=env, check=True, capture_output=True).stdout
    return {name: float(said)}


def bindings_once(scratch, folder, env, tools):
    """Milliseconds of a call from Python and from Node, the reading of the map included."""
    rows = {}
    for language, command in (
        ("Python", [scratch + "/promptc/venv/bin/python", scratch + "/promptc/peer.py"]),
        ("Node", [tools.node, scratch + "/promptc/peer.cjs"]),
    ):
        said = subprocess.run([*command, "400"], cwd=folder, env=env, check=True, capture_output=True).stdout.split()
        rows.update((f"promptc, {language}, {name}", float(value)) for name, value in zip(BINDINGS, said))
    return rows


def run(here, scratch, tools, env, rounds):
    folder = lay_out(here, scratch)
    tested = commands(scratch, tools)
    outputs = {name: output(folder, command, env) for name, command in tested.items()}
    for name, found in outputs.items():
        if found["chars"] > found["budget"] or not found["must_stay_whole"]:
            raise SystemExit(f"{name} does not do the task: {found}")
    rows = {name: (command, folder, process.nothing) for name, command in {**tested, **floors(scratch, tools)}.items()}
    fresh = process.in_turn(rows, rounds, env)
    warm = {}
    for _ in range(max(3, rounds // 3)):
        for name, command in tested.items():
            for row, value in warm_once(name, command, folder, env, tools).items():
                warm.setdefault(row, []).append(round(value, 4))
        for row, value in bindings_once(scratch, folder, env, tools).items():
            warm.setdefault(row, []).append(round(value, 4))
    return {"source_chars": sum(os.path.getsize(f"{folder}/{name}") for name in os.listdir(folder) if name.endswith(".md")),
            "outputs": outputs, "fresh": fresh, "warm_ms": warm}
