"""`python -m suite.conversations PROMPTC JUDGE FOLDER CONVERSATIONS SEED right|broken`.

Whole conversations: tools, a system prompt and messages that grow, and now and then something of them that changes."""

import json
import random
import subprocess
import sys
import tempfile

from . import model
from .__main__ import learnt_from, predictions
from .engine import Engine

WORDS = "berth tide harbor pilot crane buoy ledger signal anchor cargo lantern rope current mast depth channel".split()
# Where a request changed inside of what was billed at once, promptc has only a share in bytes. It may be off by a tenth, or so few tokens;
# of such requests so many by more.
NEAR, FEW, MOST = 0.1, 40, 0.1


class Talk:
    def __init__(self, number, source):
        self.source, self.number, self.count = source, number, 0
        self.tools = [self.tool(f"tool_{at}") for at in range(source.randrange(1, 6))]
        self.rules = [self.words(30) for _ in range(source.randrange(4, 20))]
        self.messages = [{"role": "user", "content": self.words(20)}]

    def words(self, most):
        """Words that no other text has."""
        self.count += 1
        words = [self.source.choice(WORDS) for _ in range(self.source.randrange(2, most))]
        return f"{self.number}.{self.count} " + " ".join(words)

    def tool(self, name):
        parameters = {"type": "object", "properties": {"place": {"type": "string", "description": self.words(12)}}}
        return {"type": "function", "function": {"name": name, "description": self.words(40), "parameters": parameters}}

    def system(self):
        return "\n".join(["You are Harbor.", "# Rules", *self.rules])

    def body(self):
        messages = [{"role": "system", "content": self.system()}, *self.messages]
        return {"model": "random", "tools": self.tools, "messages": messages, "max_tokens": 1, "temperature": 0}

    def turn(self):
        """The next request: mostly a turn more, with a call of a tool or without; what changed in front of it."""
        name = self.source.choice(self.tools)["function"]["name"]
        if self.source.random() < 0.4:
            call = {"id": f"call_{self.count}", "type": "function"}
            call["function"] = {"name": name, "arguments": json.dumps({"place": self.words(4)})}
            self.messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
            self.messages.append({"role": "tool", "tool_call_id": call["id"], "content": self.words(60)})
        else:
            self.messages.append({"role": "assistant", "content": self.words(40)})
            self.messages.append({"role": "user", "content": self.words(20)})
        what = self.source.choices(["nothing", "tool", "rule", "message", "dropped"], [12, 1, 3, 2, 1])[0]
        if what == "tool":
            at = self.source.randrange(len(self.tools))
            self.tools[at] = self.tool(self.tools[at]["function"]["name"])
        elif what == "rule":
            self.rules[self.source.randrange(len(self.rules))] = self.words(30)
        elif what == "message":
            said = [message for message in self.messages if message["role"] == "user"]
            self.source.choice(said)["content"] = self.words(20)
        elif what == "dropped":
            first = next((at for at, m in enumerate(self.messages) if at > 1 and m["role"] == "user"), None)
            self.messages = self.messages[first:]
        return what


def main():
    promptc, judge, folder, count, seed, how = sys.argv[1:]
    source = random.Random(int(seed))
    rows, lines = [], []
    with Engine(model.make(folder, learnt_from()), folder + "/engine.log") as engine:
        for number in range(int(count)):
            talk, before, what = Talk(number, source), None, "first"
            for _ in range(source.randrange(5, 21)):
                body = talk.body()
                now = [token for token, _ in engine.tokens(engine.text(body))]
                usage = engine.chat(body)
                rows.append({"what": what, "before": before or [], "now": now, "usage": usage})
                lines.append(json.dumps({
                    "time": 1_795_000_000 + len(lines) * 5,
                    "conversation": f"talk-{number}",
                    "url": "/v1/chat/completions",
                    "request": body,
                    "response": {"id": f"answer-{len(lines)}", "usage": usage},
                }))
                before, what = now, talk.turn()
    said = predictions(judge, rows)
    if how == "broken":
        said = [number + 1 for number in said]
    wrong = 0
    for at, (row, number) in enumerate(zip(rows, said)):
        usage = row["usage"]
        of, reused = usage["prompt_tokens"], usage["prompt_tokens_details"]["cached_tokens"]
        is_first = row["what"] == "first"
        if of != len(row["now"]) or (reused != number and not is_first):
            print(f"{at:>4} {row['what']:<8} {reused} of {of} tokens, predicted {number} of {len(row['now'])}")
            wrong += 1
    used = [row["usage"]["prompt_tokens_details"]["cached_tokens"] for row in rows]
    print(f"{len(rows)} requests of {count} conversations, {sum(used)} tokens reused: {wrong} not as the rule says")
    wrong += told(promptc, lines, rows)
    return 1 if wrong else 0


def told(promptc, lines, rows):
    """What promptc says of the same requests, which has no tokens of their parts: how many of its predictions are off."""
    with tempfile.TemporaryDirectory(prefix="engine-") as scratch:
        bodies, log = scratch + "/bodies.jsonl", scratch + "/requests.jsonl"
        with open(bodies, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        subprocess.run([promptc, "capture", "import", "-q", bodies, "-o", log], check=True)
        model = ["--model", "llama.cpp/random", "--format", "json"]
        run = subprocess.run([promptc, "diff", "-q", log, *model], stdout=subprocess.PIPE, check=True)
        compared = json.loads(run.stdout)["comparisons"]
        run = subprocess.run([promptc, "usage", "-q", log, *model], stdout=subprocess.PIPE, check=True)
        report = json.loads(run.stdout)
    if len(compared) != len(rows) or report["prediction"]["predicted"] != len(rows):
        print(f"{len(compared)} requests of {len(rows)}, predicted {report['prediction']}")
        return 1
    exact = near = off = 0
    for at, (row, one) in enumerate(zip(rows, compared)):
        read, said = row["usage"]["prompt_tokens_details"]["cached_tokens"], one["bill"]["predicted"]
        if read == said:
            exact += 1
        elif abs(read - said) <= max(read * NEAR, FEW):
            near += 1
        else:
            off += 1
            print(f"{at:>4} {row['what']:<8} {read} tokens, promptc says {said}")
    changed = sum(row["what"] not in ("first", "nothing") for row in rows)
    print(f"promptc: {exact} to the token, {near} within a tenth or {FEW} tokens, {off} off; {changed} requests changed in front; {report['prediction']}")
    return int(off > changed * MOST)


if __name__ == "__main__":
    sys.exit(main())
