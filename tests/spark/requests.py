"""Bodies cut by conversation, imported and compared in `rdd.pipe`, and in one process: the same log lines and comparisons."""

import json
import os
import random
import shlex
import subprocess
import sys
import tempfile

import pyspark

from conversations import cut

CONVERSATIONS = 120
PARTITIONS = [1, 3, 8, 200]
NUMBERS = {"number", "parent", "request", "a", "b"}


def conversation(number):
    """The bodies of one conversation, with their times: some change a line, a tool or the history, some wait too long."""
    draw = random.Random(number)
    chat = number % 3 == 0
    clock, messages, out = draw.randrange(3600), [], []
    tools = [{"name": f"tool{i}", "description": f"Tool {i}."} for i in range(draw.randrange(4))]
    day = "Monday"
    for turn in range(draw.randrange(2, 9)):
        messages.append({"role": "user", "content": f"Question {turn} of {number}, ä \u2028"})
        change = draw.randrange(6)
        if change == 0:
            day = draw.choice(["Tuesday", "Friday"])
        elif change == 1 and tools:
            tools = tools[:-1]
        elif change == 2 and len(messages) > 3:
            messages = messages[2:]
        clock += draw.choice([20, 90, 4000])
        system = f"You are Harbor.\nAnswer in a sentence.\nIt is {day}."
        body = {"model": "gpt-5.4" if chat else "claude-opus-5-5", "max_tokens": 99}
        if chat:
            body["tools"] = [{"type": "function", "function": tool} for tool in tools]
            body["messages"] = [{"role": "system", "content": system}] + messages
        else:
            body.update(cache_control={"type": "ephemeral"}, tools=tools, system=system, messages=list(messages))
        answer = {"id": f"answer-{number}-{turn}", "usage": {"input_tokens": 9, "output_tokens": 5}}
        line = {
            "time": 1_795_000_000 + clock,
            "conversation": f"talk-{number}",
            "id": f"request-{number}-{turn}",
            "url": "/v1/chat/completions" if chat else "/v1/messages",
            "request": body,
            "response": answer,
        }
        out.append((clock, json.dumps(line, ensure_ascii=turn % 2 == 0)))
        messages.append({"role": "assistant", "content": f"Answer {turn}."})
    return out


def by_conversation(lines):
    """Lines of a log, or comparisons, by their conversation: without the numbers, which count in one log, and places in a file."""
    out = {}
    for line in lines:
        kept = {key: value for key, value in line.items() if key not in NUMBERS and key != "origin"}
        if "conversation" in kept:
            out.setdefault(kept["conversation"], []).append(kept)
    return out


def same(result, expected, what):
    assert sorted(result) == sorted(expected), (what, len(result), len(expected))
    for name in expected:
        assert result[name] == expected[name], (what, name, result[name], expected[name])


def main(program):
    drawn = [pair for number in range(CONVERSATIONS) for pair in conversation(number)]
    lines = [line for _, line in sorted(drawn, key=lambda pair: pair[0])]
    with tempfile.TemporaryDirectory() as folder:
        # The same key for all, so that names of conversations get the same hashes.
        key = os.path.join(folder, "capture.key")
        with open(key, "w", encoding="ascii") as file:
            file.write("5a" * 32)
        take = [program, "capture", "import", "-q", "-", "--hash-key", key]
        compare = [program, "diff", "-q", "-", "--format", "json"]

        log = subprocess.run(
            take, input="".join(f"{line}\n" for line in lines).encode(), capture_output=True, check=True
        ).stdout
        one = subprocess.run(compare, input=log, capture_output=True, check=True).stdout
        logged = by_conversation(map(json.loads, log.decode().split("\n")[:-1]))
        compared = by_conversation(json.loads(one)["comparisons"])
        states = [each["state"] for all in compared.values() for each in all]
        assert len(compared) == CONVERSATIONS and len(states) == len(lines), (len(compared), len(states))
        assert len(set(states)) > 3, set(states)

        context = pyspark.SparkContext("local[2]", "promptc requests")
        context.setLogLevel("ERROR")
        for partitions in PARTITIONS:
            logs = cut(context, lines, partitions).pipe(shlex.join(take)).cache()
            parts = logs.glom().collect()
            same(by_conversation(json.loads(line) for part in parts for line in part), logged, "log")
            answers = logs.pipe(shlex.join(compare)).glom().collect()
            answers = [json.loads("\n".join(part)) for part in answers if part]
            result = by_conversation(each for part in answers for each in part["comparisons"])
            same(result, compared, "diff")
            print(
                f"{partitions:>3} partitions, {len(answers)} with requests: {len(lines)} requests of"
                f" {CONVERSATIONS} conversations, the same as one process"
            )
        context.stop()


if __name__ == "__main__":
    main(sys.argv[1])
