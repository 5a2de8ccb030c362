"""Compares a log that promptc imported with what the provider got and answered: PROMPTC RECORD LOG FORMAT HAS [LOST …].

Both are read here from their own lines; nothing is shared with promptc. HAS says how much of a request the recording holds:
`all` of it, `no-tools`, or only `talk`: what was said, without system prompt, tools, the model that was asked for and what is attached. Of
the calls LOST, by their numbers among those with a whole answer, it holds no whole request, and the log has to say so.

What is held against each other, call by call: which calls there are, their order in a chain, chains and conversations, model, names of
tools, system prompts, blocks of messages, state, model, blocks and usage of the answer; what `promptc capture diff LOG` says of each pair; and
what `promptc usage LOG` counts.
"""

import collections
import json
import subprocess
import sys

FAILED = []

# What a format holds of calls that failed or whose stream ended early: the request, or nothing, or that the request `failed` in some way. Others
# hold the answer too, as far as it came.
HOLDS = {
    "claude-code-bodies": {"aborted": "request", "broken": "request", "error": "request"},
    "claude-code": {"aborted": "failed", "broken": "failed", "error": "failed"},
    "claude-trace": {"broken": "request"},
    "codex": {"aborted": "nothing", "broken": "nothing", "error": "nothing"},
    "har": {"broken": "request"},
}


def main():
    program, record, log, format_, has, *lost = sys.argv[1:]
    calls = [call for call in read(record) if call["api"] != "other"]
    calls = {n + 1: Call(call, holds(format_, has, call)) for n, call in enumerate(calls)}
    answered = [n for n, call in calls.items() if call.state == "whole"]
    lost = {answered[int(nth) - 1] for nth in lost}
    calls = {n: call for n, call in calls.items() if call.held != "nothing"}
    for call in calls.values():
        call.model = call.ran if has == "talk" else call.model
    logged = imported(log, calls)
    same("which calls there are", sorted(calls), sorted(logged))
    if FAILED:
        return finish(has, calls)
    for n, call in calls.items():
        compare(f"call {n}", call, logged[n], "lost" if n in lost else has)
    # One of which nothing tells whose it was, and one to which no other is compared, may be in a chain of its own.
    placed = {n: call for n, call in calls.items() if call.held == "all" and call.state != "error"}
    of_log = {n: (one["conversation"], one["chain"]) for n, one in logged.items()}
    same("chains", groups({n: call.whose for n, call in placed.items()}), groups({n: of_log[n] for n in logged if n in placed}))
    # Which chain of a conversation comes first is up to the recording.
    of_log = {n: of_log[n][:1] for n in sorted(logged)}
    same("conversations", groups({n: call.whose[:1] for n, call in calls.items()}), groups(of_log))
    if has == "all":
        states(program, log, calls, list(logged), lost)
    counted(program, log, [(call, logged[n]) for n, call in calls.items()])
    finish(has, calls)


def holds(format_, has, call):
    held = HOLDS.get(format_, {}).get(call["state"], "all")
    # Claude Code 2.1.88 writes no line of an attempt that is tried again, and a later one none in the files of its agents.
    is_untold = held == "failed" and (has == "talk" or "x-claude-code-agent-id" in call["headers"])
    return "nothing" if is_untold else held


def finish(has, calls):
    if FAILED:
        sys.exit("\n".join(FAILED))
    chains = len({call.whose for call in calls.values()})
    states = collections.Counter(call.state for call in calls.values() if call.state != "whole")
    told = "".join(f", {n} {state}" for state, n in sorted(states.items()))
    print(f"{len(calls)} calls{told}, {chains} chains; {has}: as the provider got them")


def same(what, expected, found):
    if expected != found:
        FAILED.append(f"{what}:\n    the provider: {brief(expected)}\n    the log:      {brief(found)}")


def brief(value):
    text = json.dumps(value)
    return text if len(text) < 1500 else text[:1500] + "…"


def read(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def number(usage):
    """Which call it was: the provider reads one token more for each."""
    read = usage["input_tokens"]
    return read - 5000 if read > 5000 else read - 100


def groups(whose):
    """The calls of each, in order."""
    found = {}
    for n, key in whose.items():
        found.setdefault(key, []).append(n)
    return sorted(found.values())


class Call:
    """What the provider got and answered."""

    def __init__(self, call, held):
        body, headers = json.loads(call["body"]), call["headers"]
        self.model, self.usage, self.answer = body["model"], call["usage"], call["blocks"]
        self.state, self.ran, self.request, self.held = call["state"], call["model"], call["request"], held
        self.api = call["api"]
        if call["api"] == "messages":
            self.tools = names(body.get("tools", []))
            system = [block["text"] for block in blocks(body.get("system", []))]
            self.system = [text for text in system if not text.startswith("x-anthropic-billing-header:")]
            self.messages = merged((m["role"], list(map(plain, blocks(m["content"])))) for m in body["messages"])
            agent = headers.get("x-claude-code-agent-id") or " ".join(self.tools)
            self.whose = (headers["x-claude-code-session-id"], agent)
        else:
            tools = [tool for item in body["input"] for tool in item.get("tools", [])]
            self.tools = names(body.get("tools", []) + tools)
            messages = items(item for item in body["input"] if item["type"] != "additional_tools")
            first = next((n for n, (role, _) in enumerate(messages) if role not in ("developer", "system")), len(messages))
            leading = [text for _, said in messages[:first] for text in said]
            self.system = ([body["instructions"]] if body.get("instructions") else []) + leading
            self.messages = messages[first:]
            self.whose = (body["prompt_cache_key"], "")


    def says(self, one):
        """Whether its messages are those of a request in a log."""
        return self.messages == merged((role, list(map(plain, parts))) for role, parts in one["messages"])


def names(tools):
    return [tool.get("name") or tool["type"] for tool in tools]


def blocks(content):
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def merged(messages):
    """Messages in a row of one role are one."""
    all = []
    for role, parts in messages:
        if all and all[-1][0] == role:
            all[-1][1].extend(parts)
        else:
            all.append([role, list(parts)])
    return all


def plain(block):
    """A block of Anthropic without what is no prompt. Of a thought its signature is compared."""
    if block.get("signature"):
        return block["signature"]
    content = block.get("content")
    inner = {"content": [plain(part) for part in blocks(content)]} if content is not None else {}
    return {key: value for key, value in {**block, **inner}.items() if key != "cache_control"}


def items(all):
    """Items of the Responses API as messages: role or none, and what is said, called or put out."""
    found = []
    for item in all:
        said = [part["text"] for part in item.get("content") or []]
        other = [item[key] for key in ("encrypted_content", "name", "arguments", "input", "call_id", "output") if key in item]
        found.append([item.get("role"), said + other])
    return found


def imported(path, calls):
    """The requests of a log by the numbers of their calls, each with all its messages."""
    parts, by_number, answered = {}, {}, {}
    for line in read(path):
        kind = line["kind"]
        if kind == "part":
            [parts[line["conversation"], line["hash"]]] = blocks([line["json"]] if not isinstance(line["json"], str) else line["json"])
        elif kind == "request":
            texts = lambda hashes: [parts[line["conversation"], hash] for hash in hashes]
            add = [[message["role"], texts(message["parts"])] for message in line["messages"]["add"]]
            before = by_number[line["parent"]]["messages"] if line.get("parent") else []
            messages = before[: line["messages"]["keep"]] + add
            tools, system = texts(line["tools"]), texts(line["system"])
            by_number[line["number"]] = {**line, "messages": messages, "tools": tools, "system": system}
        elif kind == "response":
            texts = lambda hashes: [parts[line["conversation"], hash] for hash in hashes]
            output = [[message["role"], texts(message["parts"])] for message in line.get("output", [])]
            answer = {"output": output, "usage": line.get("usage"), "state": line["state"], "ran": line.get("model")}
            answered[line["request"]] = answer
    found, of_request = {}, {call.request: n for n, call in calls.items()}
    for n, one in by_number.items():
        one |= answered.get(n, {"usage": None, "state": None})
        # A program may end before it has written its last answer: then the provider's id of the request says which it was.
        call = number(one["usage"]) if one["usage"] else of_request.get(one["id"])
        if call is None:
            # Else what it says: the first that has no usage in the recording.
            is_it = lambda n: n not in found and (calls[n].held in ("request", "failed") or calls[n].state == "error") and calls[n].says(one)
            call = next(filter(is_it, calls), f"{one['id']} of none")
        found[call] = one if call not in found else FAILED.append(f"call {call} is twice in the log")
    return found


def compare(what, call, one, has):
    same(f"{what}, model", call.model, one["model"])
    if one["state"] or call.held == "request":
        states = {"all": call.state.replace("broken", "aborted"), "failed": "error"}
        state = states.get(call.held)
        same(f"{what}, state", state, one["state"])
    if one["usage"]:
        usage(what, call.usage, one["usage"])
        # Codex does not write down which model ran.
        same(f"{what}, model that ran", call.ran, one["ran"] or call.ran)
    same(f"{what}, whether it can be compared", has == "all", "incomplete" not in one)
    if has == "lost":
        return
    if call.api == "responses":
        found = items(part if part.get("type") in CALLS else {"role": role, "content": [part]} for role, parts in one["messages"] for part in parts)
        expected = [[role, [text]] if role else [role, said] for role, said in call.messages for text in (said if role else [None])]
        same(f"{what}, messages", expected, found)
    else:
        found = merged((role, list(map(plain, parts))) for role, parts in one["messages"])
        answer = [plain(part) for _, parts in one.get("output", []) for part in parts]
        if call.state == "whole" and one["usage"]:
            same(f"{what}, answer", list(map(plain, unsigned(call.answer, answer))), answer)
        if has == "talk":
            expected = [[role, part] for role, parts in call.messages for part in parts]
            spoken = [[role, part] for role, parts in found for part in parts]
            # What is attached may be in a result, too.
            for _, part in expected + spoken:
                if isinstance(part, dict) and part["type"] == "tool_result":
                    del part["content"]
            left = iter(expected)
            lost = [part for part in spoken if part not in left]
            same(f"{what}, what was said and not sent", [], lost)
            of = lambda all: [part for role, part in all if role == "assistant"]
            same(f"{what}, what the model said", of(expected), of(spoken))
        else:
            same(f"{what}, messages", call.messages, found)
    system = [block["text"] for block in one["system"]]
    system = [text for text in system if not text.startswith("x-anthropic-billing-header:")]
    expected = [] if has == "talk" else call.system
    if has == "no-tools":
        # The first message was made of the instructions, which the file has in another version.
        expected, system = expected[1:], system[1:]
    same(f"{what}, system prompt", expected, system)
    same(f"{what}, tools", call.tools if has == "all" else [], names(one["tools"]))


def unsigned(expected, found):
    """The blocks of an answer, without the signatures that claude-tap does not write."""
    has_none = any(isinstance(part, dict) and part.get("signature") == "" for part in found)
    return [{**part, "signature": ""} if has_none and "signature" in part else part for part in expected]


CALLS = ("reasoning", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output")


def usage(what, expected, found):
    cached = expected.get("input_tokens_details", {}).get("cached_tokens")
    flat = {key: value for key, value in expected.items() if isinstance(value, int) and key in found}
    same(f"{what}, usage", flat, {key: found[key] for key in flat})
    same(f"{what}, usage that was told", True, {"input_tokens", "output_tokens"} <= set(flat))
    if cached is not None:
        told = found.get("cached_input_tokens", found.get("input_tokens_details", {}).get("cached_tokens"))
        same(f"{what}, cached", cached, told)


def states(program, log, calls, order, lost):
    """What `diff` says: the one before in the chain, and whether it goes on."""
    run = subprocess.run([program, "capture", "diff", log, "--format", "json"], capture_output=True, text=True, check=True)
    before, is_sure = {}, all(call.held in ("all", "failed") for call in calls.values())
    for comparison in json.loads(run.stdout)["comparisons"]:
        n = order[comparison["b"] - 1]
        call, last, a = calls[n], before.get(calls[n].whose), comparison.get("a")
        if call.held == "failed" or (call.state == "error" and call.held == "all"):
            same(f"call {n}, state", "failed", comparison["state"])
            continue
        if is_sure:
            same(f"call {n}, the one before", last, a and order[a - 1])
        last = a and order[a - 1]
        before[call.whose] = n
        if {n, last} & lost:
            same(f"call {n}, state", "incomplete", comparison["state"])
            continue
        if last is None:
            same(f"call {n}, state", "first", comparison["state"])
            continue
        goes_on = goes_on_from(calls[last], call)
        same(f"call {n}, whether it goes on from {last}", goes_on, comparison["state"] in ("extended", "same"))


def counted(program, log, calls):
    """What `usage` counts: tokens of the model that ran, and calls of which something is missing."""
    run = subprocess.run([program, "usage", log, "--by", "model", "--format", "json"], capture_output=True, text=True, check=True)
    said, count, rows, others = json.loads(run.stdout), collections.Counter(), {}, collections.Counter()
    for call, one in calls:
        kind = "requests" if one["usage"] else "failed" if one["state"] == "error" else "without_usage"
        count[kind] += 1
        count["partial"] += one["state"] == "aborted"
        if one["usage"]:
            ran = one["ran"] or call.model
            rows.setdefault(ran, collections.Counter()).update(buckets(call.usage))
            others[call.model, ran] += ran != call.model
    same("usage, calls", {kind: count[kind] for kind in KINDS}, {kind: said[kind] for kind in KINDS})
    same("usage, tokens", rows, {row["model"]: collections.Counter(row["buckets"]) for row in said["rows"]})
    of_others = {(other["model"], other["ran"]): other["requests"] for other in said["other_models"]}
    same("usage, models that were not asked for", sorted((+others).items()), sorted(of_others.items()))


KINDS = ["requests", "failed", "without_usage", "refused", "partial"]


def buckets(usage):
    read = usage.get("input_tokens_details", {}).get("cached_tokens")
    if read is not None:
        return {"fresh": usage["input_tokens"] - read, "read": read, "output": usage["output_tokens"]}
    names = {"fresh": "input_tokens", "read": "cache_read_input_tokens", "write_5m": "cache_creation_input_tokens", "output": "output_tokens"}
    return {bucket: usage[name] for bucket, name in names.items()}


def goes_on_from(a, b):
    start = b.messages[: len(a.messages)]
    # The last message may go on in itself.
    start = start[:-1] + [[role, parts[: len(a.messages[-1][1])]] for role, parts in start[-1:]]
    return (a.model, a.tools, a.system) == (b.model, b.tools, b.system) and start == a.messages


main()
