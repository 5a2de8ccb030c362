"""The prices of each row, as promptc, litellm and genai-prices say them."""

import datetime
import fnmatch
import json
import os
import re
import subprocess
import sys
from fractions import Fraction

from genai_prices import Usage, calc_price

MILLION = 1_000_000
TIER = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")
# Rows of other days than today's count on the second one. No hour of either is a dear one.
DAYS = [datetime.date(2026, 11, 22), datetime.date(2027, 1, 3)]
# By the part of a provider's name in front of `<`, `>` and `-`: litellm's providers, and that of genai-prices.
HOSTS = {
    "anthropic": (["anthropic"], "anthropic"),
    "bedrock": (["bedrock_converse"], "aws"),
    "openai": (["openai"], "openai"),
    "gemini": (["gemini"], "google"),
    "deepseek": (["deepseek"], "deepseek"),
    "xai": (["xai"], "x-ai"),
    "mistral": (["mistral"], "mistral"),
    "qwen": (["dashscope"], None),
    "moonshot": (["moonshot"], "moonshotai"),
    "zai": (["zai"], "zai"),
    "minimax": (["minimax"], "minimax"),
}
# For genai-prices, which has no patterns: a name of each.
NAMES = {
    "amazon.nova-2-lite*": ["global.amazon.nova-2-lite-v1:0"],
    "gemini-3.1-pro*": ["gemini-3.1-pro-preview"],
    "deepseek-v4-flash*": ["deepseek-v4-flash"],
    "MiniMax-M2*": ["MiniMax-M2", "MiniMax-M2.1", "MiniMax-M2.5"],
    "MiniMax-M2*-highspeed": ["MiniMax-M2.1-highspeed", "MiniMax-M2.5-highspeed"],
    "MiniMax-M2*-lightning": [],
    "MiniMax-M2.7*": ["MiniMax-M2.7"],
}
# Why a price differs, by "SOURCE NAME: input|read|output|longest"; the last is the input of the longest requests.
KNOWN = json.load(open(os.path.join(os.path.dirname(__file__), "known.json"), encoding="utf-8"))


def names(pattern):
    """The names of a pattern for genai-prices. Its prices of Bedrock are those of a region where a name has none."""
    if ".anthropic." in pattern or pattern.startswith("anthropic."):
        region = pattern.split("anthropic.")[0]
        plain = pattern.replace("*.", "us.").rstrip("*")
        return [] if region in ("", "us-gov.") else [plain]
    return NAMES.get(pattern, [pattern])


def rows(program, day):
    command = [program, "providers", "list", "--now", str(day), "--format", "json"]
    ran = subprocess.run(command, check=True, capture_output=True)
    return json.loads(ran.stdout, parse_float=Fraction)["models"]


def prices(row):
    """The prices of a row by what they are of, in dollars for a million tokens."""
    out = {}
    tiers = [("", row["price"])] + [(f" above {above['tokens']}", above["price"]) for above in row["above"]]
    for length, price in tiers:
        out["input" + length] = Fraction(price["input"])
        out["read" + length] = Fraction(price["input"]) * Fraction(price["read"])
        if price["output"] is not None:
            out["output" + length] = Fraction(price["output"])
    out["longest"] = Fraction(tiers[-1][1]["input"])
    return out


def of_litellm(entry, lengths, marked):
    """The same of an entry of litellm's file."""
    read = "cache_read_input_token_cost"
    if marked and "explicit_" + read in entry:
        read = "explicit_" + read
    fields = {"input": "input_cost_per_token", "read": read, "output": "output_cost_per_token"}
    out = {}
    for what, field in fields.items():
        for length in ["", *lengths]:
            suffix = f"_above_{length.split()[-1][:-3]}k_tokens" if length else ""
            dollars = entry.get(field + suffix)
            if dollars is not None:
                out[what + length] = Fraction(repr(dollars)) * MILLION
    tiers = [(int(found[1]), entry[field]) for field in entry if (found := TIER.fullmatch(field))]
    out["longest"] = Fraction(repr(max(tiers)[1])) * MILLION if tiers else out["input"]
    return out


def of_genai(name, provider, day, lengths):
    """The same of genai-prices, by what requests cost."""
    when = datetime.datetime(day.year, day.month, day.day, 12, tzinfo=datetime.timezone.utc)

    def cost(**tokens):
        asked = calc_price(Usage(**tokens), name, provider_id=provider, genai_request_timestamp=when)
        return Fraction(asked.total_price)

    out = {}
    try:
        for length in ["", *lengths]:
            size = int(length.split()[-1]) + 1_000 if length else 1_000
            whole = cost(input_tokens=size)
            out["input" + length] = whole / size * MILLION
            out["read" + length] = cost(input_tokens=size, cache_read_tokens=size) / size * MILLION
            out["output" + length] = (cost(input_tokens=size, output_tokens=1_000) - whole) * 1_000
        out["longest"] = cost(input_tokens=MILLION)
    except LookupError:
        return None
    return out


def near(one, other):
    """Multiples have six digits, and a table of multiples rounds."""
    return abs(one - other) <= max(one, other) / 500


def main():
    program, path, *each = sys.argv[1:]
    litellm = json.load(open(path, encoding="utf-8"))
    counts = {"litellm": [0, 0], "genai-prices": [0, 0]}
    nobody, without, bad, used, seen = set(), set(), 0, set(), set()
    for day in DAYS:
        listed = rows(program, day)
        patterns = [pattern for row in listed for pattern in row["models"]]
        for row in listed:
            if row["price"] is None or (key := json.dumps([row["models"], row["from"]])) in seen:
                continue
            seen.add(key)
            ours = prices(row)
            if row["price"]["output"] is None:
                without.add(row["models"][0])
            lengths = [f" above {above['tokens']}" for above in row["above"]]
            hosts, provider = HOSTS[row["provider"].split(">")[0].split("<")[0].split("-")[0]]
            judged = []
            for pattern in row["models"]:
                longer = [other for other in patterns if len(other) > len(pattern)]
                for name, entry in litellm.items():
                    plain = name.split("/")[-1]
                    if entry.get("litellm_provider") in hosts and fnmatch.fnmatchcase(plain, pattern):
                        if not any(fnmatch.fnmatchcase(plain, other) for other in longer) and day == DAYS[0]:
                            judged.append(("litellm", name, of_litellm(entry, lengths, row["breakpoints"] > 0)))
                for name in names(pattern) if provider else []:
                    theirs = of_genai(name, provider, day, lengths)
                    if theirs is not None:
                        judged.append(("genai-prices", name, theirs))
            if not judged:
                nobody.add(row["models"][0])
            for source, name, theirs in judged:
                for what in ours.keys() & theirs.keys():
                    counts[source][0] += 1
                    reason = f"{source} {name}: {what.split()[0]}"
                    # litellm has the prices of the dear hours.
                    dear = Fraction(row["peak"]["factor"]) if row["peak"] and source == "litellm" else 1
                    if near(ours[what] * dear, theirs[what]):
                        if each:
                            print(f"{reason} {float(ours[what])}")
                        continue
                    counts[source][1] += 1
                    used.add(reason)
                    if reason not in KNOWN or each:
                        said = f"{what} is {float(theirs[what])}, and here {float(ours[what])}"
                        print(f"{source} {name}: {said}; {KNOWN.get(reason, 'NOBODY SAYS WHY')}")
                    bad += reason not in KNOWN
    for reason in sorted(KNOWN.keys() - used):
        bad += 1
        print(f"known.json: {reason} does not differ")
    for source, (compared, different) in counts.items():
        print(f"{source}: {compared} prices compared, {different} different")
    print(f"in neither: {', '.join(sorted(nobody)) or 'none'}; without a price of output: {', '.join(sorted(without)) or 'none'}")
    print(f"{bad} without a reason" if bad else "ok")
    sys.exit(bad > 0)


main()
