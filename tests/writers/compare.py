"""Compares a log that promptc imported with what the provider got and answered: PROMPTC RECORD LOG HAS [LOST …].

Both are read here from their own lines; nothing is shared with promptc. HAS says how much of a request the recording holds:
`all` of it, `no-tools`, or only `talk`: what was said, without system prompt, tools and what is attached. Of the calls LOST, by their
numbers, it holds no whole request, and the log has to say so.

What is held against each other, call by call: which calls there are, their order in a chain, chains and conversations, model, names of
tools, system prompts, blocks of messages, blocks and usage of the answer; and what `promptc capture diff LOG` says of each pair.
"""

import json
import subprocess
import sys

FAILED = []


def main():
    program, record, log, has, *lost = sys.argv[1:]
    calls = [call for call in read(record) if call["api"] != "other"]
    calls = {number(call["usage"]): Call(call) for call in calls}
    logged = imported(log)
    same("which calls there are", sorted(calls), sorted(logged))
    if FAILED:
        return finish(has, calls)
    for n, call in calls.items():
        compare(f"call {n}", call, logged[n], "lost" if str(n) in lost else has)
    of_log = {n: (one["conversation"], one["chain"]) for n, one in logged.items()}
    same("chains", groups({n: call.whose for n, call in calls.items()}), groups({n: of_log[n] for n in logged}))
    # Which chain of a conversation comes first is up to the recording.
    of_log = {n: of_log[n][:1] for n in sorted(logged)}
    same("conversations", groups({n: call.whose[:1] for n, call in calls.items()}), groups(of_log))
    if has == "all":
        states(program, log, calls, list(logged), {int(n) for n in lost})
    finish(has, calls)


def finish(has, calls):
    if FAILED:
        sys.exit("\n".join(FAILED))
    print(f"{len(calls)} calls, {len(groups({n: call.whose for n, call in calls.items()}))} chains; {has}: as the provider got them")


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
    """Which call it was: the provider puts out one token more for each."""
    return usage["output_tokens"] - 10


def groups(whose):
    """The calls of each, in order."""
    found = {}
    for n, key in whose.items():
        found.setdefault(key, []).append(n)
    return sorted(found.values())


class Call:
    """What the provider got and answered."""

    def __init__(self, call):
        body, headers = json.loads(call["body"]), call["headers"]
        self.model, self.usage, self.answer = body["model"], call["usage"], call["blocks"]
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


def imported(path):
    """The requests of a log by their numbers, each with all its messages."""
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
            output = [[message["role"], texts(message["parts"])] for message in line["output"]]
            answered[line["request"]] = {"output": output, "usage": line["usage"]}
    found = {}
    for n, one in by_number.items():
        answer = answered.get(n, {"usage": None})
        # A program may end before it has written its last answer: then the provider's id of the request says which it was.
        call = number(answer["usage"]) if answer["usage"] else int(one["id"].removeprefix("req_"))
        found[call] = {**one, **answer}
    return found


def compare(what, call, one, has):
    same(f"{what}, model", call.model, one["model"])
    if one["usage"]:
        usage(what, call.usage, one["usage"])
    same(f"{what}, whether it can be compared", has == "all", "incomplete" not in one)
    if has == "lost":
        return
    is_openai = "input_tokens_details" in call.usage
    if is_openai:
        found = items(part if part.get("type") in CALLS else {"role": role, "content": [part]} for role, parts in one["messages"] for part in parts)
        expected = [[role, [text]] if role else [role, said] for role, said in call.messages for text in (said if role else [None])]
        same(f"{what}, messages", expected, found)
    else:
        found = merged((role, list(map(plain, parts))) for role, parts in one["messages"])
        answer = [plain(part) for _, parts in one.get("output", []) for part in parts]
        if one["usage"]:
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
    before = {}
    for comparison in json.loads(run.stdout)["comparisons"]:
        n = order[comparison["b"] - 1]
        call, last = calls[n], before.get(calls[n].whose)
        a = comparison.get("a")
        same(f"call {n}, the one before", last, a and order[a - 1])
        before[call.whose] = n
        if {n, last} & lost:
            same(f"call {n}, state", "incomplete", comparison["state"])
            continue
        if last is None:
            same(f"call {n}, state", "first", comparison["state"])
            continue
        goes_on = goes_on_from(calls[last], call)
        same(f"call {n}, whether it goes on from {last}", goes_on, comparison["state"] in ("extended", "same"))


def goes_on_from(a, b):
    start = b.messages[: len(a.messages)]
    # The last message may go on in itself.
    start = start[:-1] + [[role, parts[: len(a.messages[-1][1])]] for role, parts in start[-1:]]
    return (a.model, a.tools, a.system) == (b.model, b.tools, b.system) and start == a.messages


main()
