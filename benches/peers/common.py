"""The common code of the peers' Python scripts: reading the task, cutting where the peer does not, and printing or timing."""

import json
import statistics
import sys
import time


def task():
    with open("task.json", encoding="utf-8") as file:
        return json.load(file)


def read(files):
    """The files, read again, each with its text."""
    out = []
    for entry in files:
        with open(entry["file"], encoding="utf-8") as file:
            out.append({**entry, "text": file.read()})
    return out


def fit(files, budget, frame):
    """Takes lines from the ends of the files of the lowest priority until all fit; `frame` is the length of what a file gets around it.

    This is the script's work, not the peer's: it is for those that have no budget.
    """
    over = sum(len(entry["text"]) + frame(entry) for entry in files) - budget
    for entry in sorted((entry for entry in files if entry["priority"] is not None), key=lambda entry: entry["priority"]):
        lines = entry["text"].splitlines(keepends=True)
        while over > 0 and lines:
            over -= len(lines.pop())
        if not lines:
            over -= frame(entry)
        entry["text"] = "".join(lines)
    return [entry for entry in files if entry["text"]]


def main(render):
    """`peer.py` prints one render; `peer.py warm N` prints the median of N renders in this process, in milliseconds."""
    if sys.argv[1:2] != ["warm"]:
        sys.stdout.write(render())
        return
    render()
    times = []
    for _ in range(int(sys.argv[2])):
        start = time.perf_counter()
        render()
        times.append((time.perf_counter() - start) * 1e3)
    print(statistics.median(times))
