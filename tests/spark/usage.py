"""Bodies cut by conversation, billed in `rdd.pipe` and in one process: the reports of all parts, added, are that of one process."""

import json
import os
import random
import shlex
import subprocess
import sys
import tempfile

import pyspark

from conversations import cut

CONVERSATIONS = 1_000
PARTITIONS = [1, 7, 64]
KEYS = ["day,model,cause", "conversation,segment"]


def conversation(number):
    """The bodies of one conversation with what was billed: no two conversations begin alike, so that none reads what another wrote."""
    draw = random.Random(number)
    model, url = draw.choice(
        [
            ("claude-opus-5-5", "https://api.anthropic.com/v1/messages"),
            ("claude-haiku-4-5", "https://api.anthropic.com/v1/messages"),
            ("deepseek-v4-pro", "https://api.deepseek.com/chat/completions"),
        ]
    )
    chat = "deepseek" in url
    clock, messages, out, kept = draw.randrange(200_000), [], [], 0
    rule = "Answer in one sentence. "
    for turn in range(draw.randrange(2, 9)):
        messages.append({"role": "user", "content": f"Question {turn} of {number}."})
        if draw.randrange(5) == 0:
            rule = f"Answer in {turn + 2} sentences. "
            kept = 0
        gap = draw.choice([20, 90, 400, 4_000])
        clock += gap
        system = f"You are Harbor {number}.\n## Rules\n{rule * 40}\n## Ports\nThere are {number} ports."
        body = {"model": model, "max_tokens": 99}
        total = 5_000 + 137 * turn + number % 11
        read = min(kept, total) if gap < 300 or chat else 0
        if chat:
            body["messages"] = [{"role": "system", "content": system}] + messages
            used = {"prompt_tokens": total, "prompt_cache_hit_tokens": read, "completion_tokens": 7}
            answer = {"id": f"answer-{number}-{turn}", "usage": used}
        else:
            body.update(cache_control={"type": "ephemeral"}, system=system, messages=list(messages))
            used = {
                "input_tokens": 3,
                "cache_creation_input_tokens": total - read,
                "cache_creation": {"ephemeral_5m_input_tokens": total - read},
                "cache_read_input_tokens": read,
                "output_tokens": 7,
            }
            answer = {"id": f"answer-{number}-{turn}", "type": "message", "role": "assistant", "content": [], "usage": used}
        line = {
            "time": 1_795_000_000 + clock,
            "conversation": f"talk-{number}",
            "id": f"request-{number}-{turn}",
            "url": url,
            "request": body,
            "response": answer,
        }
        out.append((clock, json.dumps(line)))
        messages.append({"role": "assistant", "content": f"Answer {turn}."})
        kept = total
    return out


def main(program):
    drawn = [pair for number in range(CONVERSATIONS) for pair in conversation(number)]
    lines = [line for _, line in sorted(drawn, key=lambda pair: pair[0])]
    with tempfile.TemporaryDirectory() as folder:
        key = os.path.join(folder, "capture.key")
        with open(key, "w", encoding="ascii") as file:
            file.write("5a" * 32)
        take = [program, "capture", "import", "-q", "-", "--hash-key", key]
        log = subprocess.run(
            take, input="".join(f"{line}\n" for line in lines).encode(), capture_output=True, check=True
        ).stdout
        context = pyspark.SparkContext("local[2]", "promptc usage")
        context.setLogLevel("ERROR")
        for keys in KEYS:
            bill = [program, "usage", "-q", "-", "--by", keys, "--format", "json"]
            one = subprocess.run(bill, input=log, capture_output=True, check=True).stdout
            expected = json.loads(one)
            assert expected["requests"] == len(lines), expected["requests"]
            causes = {row.get("cause") for row in expected["rows"]}
            assert keys != KEYS[0] or {"changed", "expired", "cold", "new", "reused"} <= causes, causes
            for partitions in PARTITIONS:
                piped = cut(context, lines, partitions).pipe(shlex.join(take)).pipe(shlex.join(bill))
                reports = piped.glom().collect()
                paths = []
                for at, part in enumerate(part for part in reports if part):
                    paths.append(os.path.join(folder, f"{at}.json"))
                    with open(paths[-1], "w", encoding="utf-8") as file:
                        file.write("\n".join(part))
                added = subprocess.run(
                    [program, "usage", "-q", "--format", "json", "--add", *paths], capture_output=True, check=True
                ).stdout
                assert added == one, (keys, partitions)
                print(
                    f"{partitions:>3} partitions, {len(paths)} reports by {keys}: {len(lines)} requests of"
                    f" {CONVERSATIONS} conversations, the same bytes as one process"
                )
        context.stop()


if __name__ == "__main__":
    main(sys.argv[1])
