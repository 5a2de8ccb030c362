"""promptc from Python, with the map read: `peer.py N` prints milliseconds of the first call, the median of N with nothing changed, and
the median of N with one fact changed."""

import statistics
import sys
import time

import promptc_cli as promptc


def call(project, turn):
    start = time.perf_counter()
    prompt = project.build({"turn": turn})
    assert prompt.text and prompt.layers
    return (time.perf_counter() - start) * 1e3


def main(count):
    start = time.perf_counter()
    project = promptc.Project("turn.kdl", roots={"workspace": "."})
    first = (time.perf_counter() - start) * 1e3 + call(project, 0)
    same = [call(project, 0) for _ in range(count)]
    changed = [call(project, turn) for turn in range(1, count + 1)]
    print(first, statistics.median(same), statistics.median(changed))


main(int(sys.argv[1]))
