"""What ccusage and `promptc usage` say of transcripts whose tokens and dollars are known: see README.md."""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
import time
from fractions import Fraction

import transcripts
from transcripts import BUCKETS

MILLION = 1_000_000
SHOWN = ["fresh", "read", "written", "output"]
LINES = "one line per block counted several times"
EVENTS = "re-emitted events"
CACHED = "cached tokens inside or outside of the input"
DRIFT = "price drift"
FORKS = "replayed forks"
CLASSES = {
    LINES: "a call without `requestId` has the tokens of each of its lines",
    EVENTS: "the first of several states of a usage counts, and that of a call that never ended",
    CACHED: "tokens written for an hour have the price of those written for five minutes",
    DRIFT: "another price than that of the table of promptc",
    FORKS: "lines without `requestId` count again in a file that copies them",
}


class Table:
    """Prices by promptc's table, in dollars for a million tokens of each bucket."""

    def __init__(self, program):
        self.program, self.rows = program, {}

    def row(self, model, day):
        if (model, day) not in self.rows:
            command = [self.program, "providers", "show", model, "--now", day, "--format", "json"]
            ran = subprocess.run(command, check=True, capture_output=True)
            self.rows[model, day] = json.loads(ran.stdout, parse_float=lambda text: Fraction(text))["row"]
        return self.rows[model, day]

    def cost(self, call, tokens):
        """What the tokens of a call cost."""
        row = self.row(call.model, call.day)
        size = sum(tokens[bucket] for bucket in BUCKETS if bucket != "output")
        reached = [above for above in row["above"] if size > above["tokens"]]
        prices = max(reached, key=lambda above: above["tokens"])["price"] if reached else row["price"]
        write = {ttl["ttl"]: ttl["write"] for ttl in row["ttls"]}
        times = {"fresh": 1, "read": prices["read"], "write_5m": write["5m"], "write_1h": write["1h"]}
        times["write_other"] = row["ttls"][0]["write"]
        dollars = sum(tokens[bucket] * times[bucket] for bucket in times) * Fraction(prices["input"])
        return (dollars + tokens["output"] * Fraction(prices["output"])) / MILLION


def shown(tokens):
    """The buckets that ccusage tells apart."""
    written = sum(tokens[bucket] for bucket in BUCKETS if bucket.startswith("write_"))
    return {"fresh": tokens["fresh"], "read": tokens["read"], "written": written, "output": tokens["output"]}


def minus(some, others):
    return {key: some[key] - others[key] for key in some}


class Ccusage:
    """The program, asked without a network."""

    def __init__(self, script):
        self.script = script
        self.prices = {}

    def daily(self, home):
        """What it says of each day and model, and how long it took."""
        command = ["node", self.script, "daily", "--json", "--offline", "--breakdown", "--timezone", "UTC", "--mode", "calculate"]
        env = {"PATH": os.environ["PATH"], "HOME": home, "CLAUDE_CONFIG_DIR": home + "/.claude", "TZ": "UTC", "LOG_LEVEL": "0"}
        started = time.monotonic()
        ran = subprocess.run(command, check=True, capture_output=True, env=env, cwd=home)
        seconds = time.monotonic() - started
        cells = {}
        for day in json.loads(ran.stdout)["daily"]:
            for model in day["modelBreakdowns"]:
                fields = ["inputTokens", "cacheReadTokens", "cacheCreationTokens", "outputTokens"]
                tokens = {key: model[field] for key, field in zip(SHOWN, fields)}
                cells[day["date"], model["modelName"]] = (tokens, model["cost"])
        return cells, seconds

    def ask_prices(self, models):
        """Its prices of a token, by what it takes for 100,000 of each kind."""
        fields = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"]
        with tempfile.TemporaryDirectory() as home:
            folder = home + "/.claude/projects/prices"
            os.makedirs(folder)
            with open(folder + "/a.jsonl", "w", encoding="utf-8") as file:
                for model in models:
                    for at, field in enumerate(fields):
                        usage = {**dict.fromkeys(fields, 0), field: 100_000}
                        message = {"id": f"{model}-{at}", "model": model, "usage": usage, "content": []}
                        line = {"type": "assistant", "timestamp": f"2026-01-0{at + 1}T12:00:00.000Z", "message": message}
                        file.write(json.dumps(line) + "\n")
            cells, _ = self.daily(home)
        for model in models:
            days = [cells[f"2026-01-0{at + 1}", model][1] for at in range(len(fields))]
            # In dollars for a million, which have at most nine digits behind the point.
            self.prices[model] = {key: Fraction(f"{cost * 10:.9f}") for key, cost in zip(SHOWN, days)}

    def cost(self, model, tokens):
        return sum(tokens[key] * self.prices[model][key] for key in SHOWN) / MILLION


def differences(call, table, ccusage):
    """What ccusage counts of a call that was not billed, or not at that price: (class, tokens, dollars).

    It drops a line if one with the same `message.id` and `requestId` came before, and keeps all lines without `requestId`.
    """
    nothing = dict.fromkeys(SHOWN, 0)
    billed = call.billed()
    lines = [shown(tokens) for tokens in call.lines]
    out = []

    def add(name, tokens):
        out.append((name, tokens, ccusage.cost(call.model, tokens)))

    counted = lines if call.request is None else lines[:1]
    if billed is None:
        add(EVENTS, counted[0])
        others = counted[1:]
    elif call.request is None:
        others = counted[:-1]
    else:
        add(EVENTS, minus(counted[0], shown(billed)))
        others = []
    for tokens in others:
        add(LINES, tokens)
    for tokens in call.copies if call.request is None else []:
        add(FORKS, shown(tokens))
    if billed is not None:
        short = {**billed, "write_5m": billed["write_5m"] + billed["write_1h"], "write_1h": 0}
        out.append((CACHED, nothing, table.cost(call, short) - table.cost(call, billed)))
        out.append((DRIFT, nothing, ccusage.cost(call.model, shown(billed)) - table.cost(call, short)))
    return [(name, tokens, dollars) for name, tokens, dollars in out if any(tokens.values()) or dollars]


def money(dollars):
    return f"{'-' if dollars < 0 else '+'}${abs(float(dollars)):.6f}"


def row(name, tokens, dollars):
    return f"{name:58}" + "".join(f"{tokens[key]:>+14,}" for key in SHOWN) + f"{money(dollars):>17}"


def compare_ccusage(calls, table, ccusage, home):
    """Prints every difference by its class; returns how many cells have one that no class explains."""
    ccusage.ask_prices(sorted({call.model for call in calls}))
    said, seconds = ccusage.daily(home)
    cells = collections.defaultdict(lambda: [dict.fromkeys(SHOWN, 0), Fraction(0), {}])
    total = {}
    for call in calls:
        cell = cells[call.day, call.model]
        if call.billed() is not None:
            tokens = shown(call.billed())
            cell[0] = {key: cell[0][key] + tokens[key] for key in SHOWN}
            cell[1] += table.cost(call, call.billed())
        for name, tokens, dollars in differences(call, table, ccusage):
            for place in (cell[2], total):
                old = place.get(name, (dict.fromkeys(SHOWN, 0), Fraction(0)))
                place[name] = ({key: old[0][key] + tokens[key] for key in SHOWN}, old[1] + dollars)
    print(f"{'ccusage, less what is true':58}" + "".join(f"{key:>14}" for key in SHOWN) + f"{'dollars':>17}")
    equal = unexplained = 0
    for place in sorted(set(cells) | set(said)):
        tokens, dollars, classes = cells[place]
        its_tokens, its_dollars = said.get(place, (dict.fromkeys(SHOWN, 0), 0))
        equal += not classes
        for name in (name for name in CLASSES if name in classes):
            print(row(f"{place[0]} {place[1]}", *classes[name]), name, sep="  ")
        rest = minus(its_tokens, tokens)
        for more, _ in classes.values():
            rest = minus(rest, more)
        left = Fraction(its_dollars) - dollars - sum(dollars for _, dollars in classes.values())
        # Its sums are floating point.
        if any(rest.values()) or abs(left) > Fraction(1, 10**9):
            unexplained += 1
            print(row(f"{place[0]} {place[1]}", rest, left), "NO CLASS EXPLAINS IT", sep="  ")
    print()
    for name, about in CLASSES.items():
        tokens, dollars = total.get(name, (dict.fromkeys(SHOWN, 0), Fraction(0)))
        print(row(name, tokens, dollars), about, sep="  ")
    its = sum(cost for _, cost in said.values())
    true = sum(dollars for _, dollars, _ in cells.values())
    print(f"\nccusage: {len(cells)} days and models, {equal} equal, {unexplained} unexplained; ${its:.6f} for ${float(true):.6f}; {seconds:.2f} s")
    return unexplained


def compare_promptc(calls, table, program, home):
    """Prints where `promptc usage` differs from what is true; returns in how many days and models."""
    command = [program, "usage", home + "/.claude/projects", "--by", "day,model", "--format", "json"]
    started = time.monotonic()
    ran = subprocess.run(command, capture_output=True, text=True, cwd=home, env={"PATH": os.environ["PATH"], "HOME": home})
    seconds = time.monotonic() - started
    if ran.returncode:
        print(f"promptc usage: exit code {ran.returncode}\n{ran.stderr}")
        return 1
    true = collections.defaultdict(lambda: [dict.fromkeys(BUCKETS, 0), Fraction(0), 0])
    for call in calls:
        billed = call.billed()
        if billed is not None:
            cell = true[call.day, call.model]
            cell[0] = {key: cell[0][key] + billed[key] for key in BUCKETS}
            cell[1] += table.cost(call, billed)
            cell[2] += 1
    report = json.loads(ran.stdout)
    said = {}
    for line in report["rows"]:
        tokens = {key: line["buckets"][key] for key in BUCKETS}
        said[line["day"], line["model"]] = [tokens, Fraction(line["billed"]), line["requests"]]
    different = [place for place in sorted(set(true) | set(said)) if true.get(place) != said.get(place)]
    for place in different:
        print(f"promptc usage: {' '.join(place)}: {said.get(place)}, and it is {true.get(place)}")
    unended = sum(call.billed() is None for call in calls)
    print(f"promptc usage: {len(true)} days and models, {len(different)} different; {report['without_usage']} calls without usage of {unended}; {seconds:.2f} s")
    return len(different) + (report["without_usage"] != unended)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="promptc")
    parser.add_argument("script", help="ccusage's dist/index.js")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", type=int, default=800, help="how many there are at least")
    parser.add_argument("--only", choices=["ccusage", "promptc"], help="only this program")
    parser.add_argument("--keep", metavar="FOLDER", help="write the transcripts to this folder, and leave them there")
    args = parser.parse_args()
    made = transcripts.made(args.seed, args.calls)
    table = Table(args.program)
    with tempfile.TemporaryDirectory() as temporary:
        home = os.path.abspath(args.keep or temporary)
        size = made.write(home + "/.claude/projects")
        lines = sum(map(len, made.files.values()))
        print(f"seed {args.seed}: {len(made.calls):,} calls in {len(made.files)} files, {lines:,} lines, {size / 1e6:.1f} MB\n")
        failed = 0
        if args.only != "promptc":
            failed += compare_ccusage(made.calls, table, Ccusage(args.script), home)
        if args.only != "ccusage":
            failed += compare_promptc(made.calls, table, args.program, home)
    sys.exit(failed > 0)


main()
