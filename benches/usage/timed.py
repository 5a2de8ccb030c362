"""Runs the program and the script in turn, and prints medians: seconds, seconds of the CPU, and peak memory. Their sums must be equal."""

import json
import os
import statistics
import subprocess
import sys
import time

ROUNDS = 3


def run(command):
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    out = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    wall = time.monotonic() - start
    if status:
        sys.exit(f"{command}: {status}")
    # Linux counts the peak in KiB.
    return out, (wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def main():
    promptc, log, transcripts = sys.argv[1:]
    here = os.path.dirname(__file__)
    usage = [promptc, "usage", "--format", "json"]
    rows = {
        "`promptc usage`, the log": [*usage, log],
        "polars, the sums of its tokens": [sys.executable, "-B", os.path.join(here, "sums.py"), log],
        "`promptc usage`, the transcripts": [*usage, transcripts],
    }
    times, said = {name: [] for name in rows}, {}
    for _ in range(ROUNDS):
        for name, command in rows.items():
            said[name], used = run(command)
            times[name].append(used)
    ours, sums = list(said.values())[:2]
    if json.loads(ours)["total"]["buckets"] != json.loads(sums):
        sys.exit(f"the sums differ: {sums}")
    size = os.path.getsize(log) + sum(os.path.getsize(os.path.join(f, n)) for f, _, ns in os.walk(transcripts) for n in ns)
    print(f"{json.loads(ours)['requests']:,} requests; {size / 1e6:,.0f} MB in all; {os.cpu_count()} cores; medians of {ROUNDS}, in turn\n")
    print("| | Time | of the CPU | Peak |\n|---|---|---|---|")
    for name, all_times in times.items():
        wall, cpu, peak = (statistics.median(column) for column in zip(*all_times))
        print(f"| {name} | {wall:.1f} s | {cpu:.1f} s | {peak:,.0f} MiB |")


main()
