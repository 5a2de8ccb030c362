"""The tables of the page."""

import statistics

# The peers that keep the budget of 30,000 characters in the task.
CUT_BY = {
    "promptc": "promptc: it shrinks a layer to its minimum, then drops it",
    "jinja2": "the script",
    "prompt-tsx": "prompt-tsx, line by line",
    "priomptipy": "priomptipy, line by line",
    "dotprompt": "the script",
    "prompt-poet": "prompt-poet, line by line from the top",
    "promptl": "the script",
    "poml": "poml: it drops all files of one priority at once",
}


def number(value):
    """Three significant digits, or all before the point."""
    return f"{value:,.0f}" if value >= 99.95 else f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"


def median(samples):
    return statistics.median(samples)


def spread(samples):
    return f"{number(median(samples))} ({number(min(samples))} to {number(max(samples))})"


def mib(samples):
    return number(median(samples) / 1024) if samples else "not measured"


def times(samples, of):
    """The median of the ratios, pair by pair: what slows a round slows both."""
    return number(statistics.median(a / b for a, b in zip(samples, of)))


def table(heads, rows):
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join("| " + " | ".join(line) + " |\n" if line[0] != "---" else "|" + "|".join(line) + "|\n" for line in lines)


def about(results):
    about, machine = results["about"], results["about"]["machine"]
    kind = "virtual machine" if machine["virtual"] else "machine"
    names = sorted(name for name in about["versions"])
    rows = [
        ["Date", about["date"]],
        ["Machine", f"{kind}, {machine['cores']} cores, {machine['processor']}, {machine['memory_gib']} GiB"],
        ["System", f"{machine['system']}, Linux {machine['kernel']}"],
        ["Load in the minute before, and after", f"{about['load']['before']}, {about['load']['after']}"],
        ["Versions", ", ".join(f"{name} {about['versions'][name]}" for name in names)],
        ["Runs of each process", str(about["rounds"])],
    ]
    return table(["", ""], rows) + busy(about)


# Above these other work was done; the run itself is a load of a little more than 1.
BUSY = {"before": 1.0, "after": 2.5}


def busy(about):
    """A warning, where the machine did other work: what is measured then says little."""
    if all(about["load"][when] < load for when, load in BUSY.items()):
        return ""
    return "\n**The machine was busy with other work in this run: times are too long, and ranges wide.** CPU times suffer least.\n"


def fresh(results):
    found = results["task"]["fresh"]
    own = found["promptc"]["wall_ms"]
    order = sorted(found, key=lambda name: (name.startswith("`"), median(found[name]["wall_ms"])))
    rows = [[name, spread(found[name]["wall_ms"]), number(median(found[name]["cpu_ms"])), mib(found[name]["peak_kib"]),
             times(found[name]["wall_ms"], own)] for name in order]
    return table(["Process", "Time, ms: median (range)", "CPU, ms", "Peak, MiB", "Times promptc"], rows)


def warm(results):
    found = results["task"]["warm_ms"]
    own = found["promptc, plan kept"]
    order = sorted(found, key=lambda name: median(found[name]))
    rows = [[name, spread(found[name]), times(found[name], own)] for name in order]
    return table(["Call", "Time, ms: median (range)", "Times promptc"], rows)


def output(results):
    rows = []
    for name, by in CUT_BY.items():
        found = results["task"]["outputs"][name]
        lost = [f"`{file}` {kept} of {count}" for file, (kept, count) in sorted(found["lines_kept"].items()) if kept < count]
        rows.append([name, f"{found['chars']:,}", "yes" if found["must_stay_whole"] else "no", ", ".join(lost), by])
    return table(["", "Characters", "Four files whole", "Lines left in files that were cut", "Cut by"], rows)


def hermes_fresh(results):
    return hermes(results, lambda home: {
        name: f"{spread(row['wall_ms'])}; {mib(row['peak_kib'])} MiB" for name, row in home["fresh"].items()
    }, "Whole process, ms: median (range); peak")


def hermes_warm(results):
    return hermes(results, lambda home: {name: spread(row) for name, row in home["warm_ms"].items()},
                  "Warm call, ms: median (range)")


def hermes(results, cells, title):
    homes = results["hermes"]
    columns = {skills: cells(home) for skills, home in homes.items()}
    order = sorted(columns, key=int)
    names = sorted(columns[order[0]], key=lambda name: (not name.startswith("promptc"), name))
    heads = [title, *(f"{int(skills):,} skills, {homes[skills]['bytes']:,} bytes" for skills in order)]
    return table(heads, [[name, *(columns[skills][name] for skills in order)] for name in names])


def growth(results, curve, title):
    rows = []
    for point in results["growth"][curve]:
        found = point["rows"]
        cells = [number(median(found[name]["wall_ms"])) for name in ("promptc", "jinja2", "cat")]
        peaks = [mib(found[name]["peak_kib"]) for name in ("promptc", "jinja2")]
        rows.append([*([f"{point['at']:,}"] if title else []), f"{point['bytes']:,}", *cells, *peaks])
    return table([*([title] if title else []), "Bytes read", "promptc, ms", "jinja2, ms", "`cat`, ms", "promptc, MiB", "jinja2, MiB"], rows)


def blocks(results):
    """Each table by the name of its place in the page."""
    return {
        "about": about(results),
        "fresh": fresh(results),
        "warm": warm(results),
        "output": output(results),
        "hermes-fresh": hermes_fresh(results),
        "hermes-warm": hermes_warm(results),
        "growth-size": growth(results, "size", None),
        "growth-layers": growth(results, "layers", "Layers"),
        "growth-skills": growth(results, "skills", "Skills"),
    }
