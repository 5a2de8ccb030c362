"""Reads public logs with promptc, and compares with other counts: PROMPTC PLACE [SOURCE …].

Nothing is shared with promptc: calls and tokens are counted here from the files, by the rules of docs/capture.md and docs/usage.md, and where
a project says what its files have, that is compared too.
"""

import collections
import gzip
import json
import pathlib
import re
import subprocess
import sys
import zlib

import yaml
from fetch import fetch

BUCKETS = ["fresh", "read", "write_5m", "write_1h", "write_other", "output"]
# What there may be instead of a bill, or in part: a request that failed, no usage, one that contradicts itself, one of an answer that broke off.
BILLS = ["failed", "without_usage", "refused", "partial"]
FAILED = []


def main():
    program, place, *names = sys.argv[1:]
    place = pathlib.Path(place)
    sources = json.loads((pathlib.Path(__file__).parent / "sources.json").read_text())
    unknown = set(names) - {source["name"] for source in sources}
    if unknown:
        sys.exit(f"there is no source {' '.join(unknown)}")
    absent = 0
    for source in sources:
        if names and source["name"] not in names:
            continue
        folder = fetch(source, place)
        if folder is None:
            absent += 1
            continue
        reader = Reader(program, source["name"], folder)
        if not reader.files:
            reader.differs(source["name"], "no files")
        globals()[source["read"]](reader)
        reader.say()
    print(f"{absent} sources were not reached" if absent else "all sources were reached")
    for line in FAILED:
        print(f"DIFFERS: {line}")
    sys.exit(1 if FAILED else 0)


class Count(collections.Counter):
    """Calls by what is known of their bill, and tokens by bucket."""

    def text(self):
        return f"{self['calls']} calls, " + ", ".join(f"{self[b]} {b}" for b in BILLS) + ", tokens " + " ".join(f"{self[b]}" for b in BUCKETS)

    def add(self, usage, is_partial=False):
        """Counts a call with its usage: buckets, or why there are none."""
        self["calls"] += 1
        if isinstance(usage, str):
            self[usage] += 1
        else:
            self["partial"] += is_partial or "output" not in usage
            self.update(usage)


class Reader:
    def __init__(self, program, name, folder):
        self.program, self.name, self.folder = program, name, folder
        self.files = sorted(path for path in (folder / "all").rglob("*") if path.is_file())
        self.read, self.total = 0, Count()

    def run(self, *args):
        ran = subprocess.run([self.program, *args], capture_output=True, text=True)
        if ran.returncode not in (0, 2) or "panicked" in ran.stderr:
            self.differs(args[-1], f"exit code {ran.returncode}: {ran.stderr[-400:]}")
        return ran

    def differs(self, what, how):
        FAILED.append(f"{self.name} {pathlib.Path(what).name}: {how}")

    def imported(self, path):
        """What `capture import` makes of a path, call by call, and what it says."""
        log = self.folder / "log.jsonl"
        log.unlink(missing_ok=True)
        ran = self.run("capture", "import", str(path), "-o", str(log))
        lines = [json.loads(line) for line in log.read_text().splitlines()] if ran.returncode == 0 else []
        answers = {line["request"]: line for line in lines if line["kind"] == "response"}
        calls = [(line, answers.get(line["number"])) for line in lines if line["kind"] == "request"]
        return calls, ran.stderr

    def counted(self, path):
        """What `usage` says of a path."""
        ran = self.run("usage", str(path), "--format", "json", "--by", "day")
        count = Count()
        if ran.returncode == 0:
            said = json.loads(ran.stdout)
            count.update(said["total"]["buckets"])
            count.update({bill: said[bill] for bill in BILLS})
            # Those without a bill are not among the requests.
            count["calls"] = said["requests"] + sum(said[bill] for bill in BILLS[:3])
        return count

    def equal(self, path, expected):
        """Holds what promptc says of a path against an own count."""
        calls, said = self.imported(path)
        if len(calls) != expected["calls"]:
            self.differs(path, f"{len(calls)} calls imported, {expected['calls']} counted; {' '.join(said.split())[:300]}")
        found = self.counted(path)
        if any(found[key] != expected[key] for key in ["calls", *BILLS, *BUCKETS]):
            self.differs(path, f"promptc {found.text()}; counted {expected.text()}")
        self.total.update(expected)
        return calls

    def say(self):
        print(f"{self.name}: {len(self.files)} files, {self.total.text()}")


def objects(path):
    """The lines of a file that are objects of JSON."""
    for line in path.read_text(errors="replace").splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value


def number(value, *path):
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, int) else 0


# Agents' own files.


def transcripts(reader):
    """Sessions of Claude Code and Codex, a file at a time, and all files of Claude Code in one go."""
    together, seen = Count(), set()
    claude = [path for path in reader.files if any("sessionId" in line for line in objects(path))]
    for path in reader.files:
        if path in claude:
            calls = claude_code(path)
            count = Count()
            for ids, bill in calls.items():
                count.add(*bill)
                if ids not in seen:
                    together.add(*bill)
                    seen.add(ids)
        else:
            count = codex(path)
        reader.equal(path, count)
    if len(claude) > 1 and len(claude) == len(reader.files):
        kept = Count(reader.total)
        reader.equal(reader.folder / "all", together)
        reader.total = kept if together == kept else together


def claude_code(path):
    """Usage, and whether the answer broke off, by the ids of answer and request: the usage of the last line, `stop_reason` of any."""
    lines = [line["message"] | {"request": line.get("requestId")} for line in objects(path) if line.get("type") == "assistant"]
    calls = {}
    for message in lines:
        if message.get("model") == "<synthetic>" or not message.get("id"):
            continue
        key = (message["id"], message["request"])
        usage, ended = calls.get(key, (None, False))
        calls[key] = (message.get("usage") or usage, ended or bool(message.get("stop_reason")))
    return {key: (anthropic(usage), not ended) if usage else ("without_usage", False) for key, (usage, ended) in calls.items()}


def codex(path):
    """A call is a `token_count` whose totals are new, behind an item."""
    count, totals, items = Count(), None, 0
    for line in objects(path):
        payload = line.get("payload")
        payload = payload if isinstance(payload, dict) else {}
        items += line.get("type") == "response_item" and payload.get("type") != "ghost_snapshot"
        info = payload.get("info") if payload.get("type") == "token_count" else None
        if not info or info.get("total_token_usage") == totals:
            continue
        totals = info["total_token_usage"]
        if items:
            usage = info.get("last_token_usage")
            count.add(inclusive(usage, "input_tokens", number(usage, "cached_input_tokens"), number(usage, "cache_write_input_tokens"), "output_tokens"))
    return count


def localpush(reader):
    """Rollouts of Codex with the totals that the project expects, by session and of a day."""
    expected = {path.name: json.loads(path.read_text()) for path in reader.files if path.suffix == ".json"}
    reader.files = [path for path in reader.files if path.suffix == ".jsonl"]
    sessions = {session["id"]: session["tokens"] for session in expected["codex-sessions.json"]["sessions"]}
    for path in reader.files:
        reader.equal(path, codex(path))
        told = sessions[path.stem[-36:]]
        found = reader.counted(path)
        theirs = [told["input"] - told["cache_read"], told["cache_read"], told["output"]]
        if [found[key] for key in ["fresh", "read", "output"]] != theirs:
            reader.differs(path, f"promptc {found.text()}; the project says {theirs}")
    ran = reader.run("usage", str(reader.folder / "all"), "--format", "json", "--by", "day")
    days = {row["day"]: row["buckets"] for row in json.loads(ran.stdout)["rows"]}
    (metric,) = expected["codex-stats.json"]["metrics"]
    day, tags = days[metric["period_from"][:10]], metric["tags"]
    if [day["fresh"] + day["read"], day["read"], day["output"]] != [tags["input"], tags["cached_input"], tags["output"]]:
        reader.differs("codex-stats.json", f"promptc {day}; the project says {tags}")


# Recorders.


def claude_tap(reader):
    for path in reader.files:
        count = Count()
        for line in objects(path):
            for body in [line["request"].get("body")]:
                api = api_of("https://host" + line["request"]["path"])
                if api and isinstance(body, dict):
                    count.add(*bill_of(api, line["response"].get("status"), json.dumps(line["response"].get("body"))))
        reader.equal(path, count)


def archives(reader):
    """Archives of browsers and proxies without calls of a model: each entry is skipped, and nothing is found."""
    entries = 0
    for path in reader.files:
        calls, said = reader.imported(path)
        try:
            count = len(json.loads(path.read_text("utf-8-sig"))["log"]["entries"])
        except (ValueError, KeyError):
            count = 1
        passed = sum(int(n.replace(",", "")) for n in re.findall(r"([\d,]+) skipped", said))
        if calls or passed != count:
            reader.differs(path, f"{len(calls)} calls, {passed} skipped of {count}; {' '.join(said.split())[:300]}")
        entries += count
    print(f"{reader.name}: {entries} entries, none of a model")


# A URL without a path.
HIDDEN = "https://api.anthropic.com"


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """Reads values of any type as plain ones."""


def plain(loader, _, node):
    if isinstance(node, yaml.ScalarNode):
        return loader.construct_scalar(node)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_mapping(node, deep=True)


Loader.add_multi_constructor("!", plain)
Loader.add_multi_constructor("tag:yaml.org,2002:python/", plain)


def cassettes(reader):
    """Recordings of tests, turned to bodies: one file for each API, since each has its own usage."""
    groups = collections.defaultdict(list)
    for path in reader.files:
        for url, headers, body, status, answer in interactions(path):
            if body is not None:
                # Where the recorder blanked it, the body says its API.
                url = url if "//" in url else HIDDEN
                entry = {"url": url, "status": status, "headers": headers, "conversation": str(path), "request": body, "response": answer}
                groups[api_of(url) if is_of(url, body) else "none"].append(entry)
    folder = reader.folder / "bodies"
    folder.mkdir(exist_ok=True)
    for api, entries in sorted(groups.items()):
        path = folder / f"{api}.jsonl"
        path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
        count = Count()
        for entry in single(api, entries) if api != "none" else []:
            count.add(*bill_of(api, entry["status"], entry["response"]))
        before = len(FAILED)
        calls = reader.equal(path, count)
        print(f"  {api}: {len(entries)} entries, {count.text()}")
        if len(FAILED) > before:
            explain(api, entries, calls)


# What of a body makes a request another one: its prompt, and the settings of docs/capture.md.
CONTENT = {
    "anthropic-messages": ["model", "tools", "system", "messages", "speed", "tool_choice", "thinking", "output_config"],
    "openai-chat": ["model", "tools", "messages", "parallel_tool_calls", "response_format", "reasoning_effort", "verbosity", "prompt_cache_key", "service_tier"],
    "openai-responses": ["model", "tools", "instructions", "input", "previous_response_id", "parallel_tool_calls", "text", "reasoning", "prompt_cache_key", "service_tier"],
    "gemini": ["tools", "systemInstruction", "contents"],
    "bedrock-converse": ["toolConfig", "system", "messages", "additionalModelRequestFields"],
}


def single(api, entries):
    """Each request once: two are one if answer id and request are equal, unless that answer id is one of another request too."""
    contents = collections.defaultdict(set)
    named = []
    for entry in entries:
        body = entry["request"]
        content = json.dumps([re.split(r"[?:]", entry["url"])[1], [body.get(key) for key in CONTENT[api]]], sort_keys=True)
        named.append((answer_id(entry["response"]), entry))
        contents[named[-1][0]].add(content)
    seen = set()
    for id_, entry in named:
        if id_ is None or id_ not in seen or len(contents[id_]) > 1:
            yield entry
        seen.add(id_)


def explain(api, entries, calls):
    """Tells where a count differs, for who looks for the cause."""
    by_line = {request["origin"]["line"]: answer for request, answer in calls}
    shown = 0
    for i, entry in enumerate(entries):
        mine = bill_of(api, entry["status"], entry["response"])[0] if api != "none" else "no call"
        answer = by_line.get(i + 1, "absent")
        theirs = answer if isinstance(answer, str) else (answer or {}).get("usage")
        if (theirs == "absent") != (mine == "no call") or (mine in BILLS[:2]) != (not theirs):
            print(f"    {entry['conversation'][-90:]} line {i + 1} {entry['url'][-60:]}: counted {mine}, imported {theirs}")
            shown += 1
            if shown == 12:
                return


def interactions(path):
    text = gzip.open(path, "rt").read() if path.suffix == ".gz" else path.read_text()
    try:
        all_ = yaml.load(text, Loader)
    except yaml.YAMLError:
        return
    if not isinstance(all_, dict):
        return
    pairs = all_.get("interactions") or [{"request": r, "response": a} for r, a in zip(all_.get("requests", []), all_.get("responses", []))]
    for pair in pairs:
        request, response = pair.get("request"), pair.get("response")
        if not request or not response or request.get("method") != "POST":
            continue
        status = response.get("status", response.get("status_code"))
        status = status.get("code") if isinstance(status, dict) else status
        yield request["uri"], {}, sent(request), status, answered(response)


def sent(request):
    if "parsed_body" in request:
        return request["parsed_body"] if isinstance(request["parsed_body"], dict) else None
    body = request.get("body")
    if isinstance(body, bytes):
        body = body.decode(errors="replace")
    try:
        value = json.loads(body) if isinstance(body, str) else body
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def answered(response):
    if "parsed_body" in response:
        body = response["parsed_body"]
        return body if isinstance(body, str) else json.dumps(body)
    body = response.get("body")
    body = body.get("string", body.get("base64_string")) if isinstance(body, dict) else body
    if isinstance(body, str):
        try:
            body = body.encode("latin-1") if "\x1f\x8b" in body[:3] else body
        except UnicodeEncodeError:
            pass
    if isinstance(body, bytes):
        for undo in (lambda b: gzip.decompress(b) if b[:2] == b"\x1f\x8b" else b, lambda b: zlib.decompress(b) if b[:1] == b"\x78" else b):
            try:
                body = undo(body)
            except (OSError, zlib.error):
                pass
        body = body.decode(errors="replace")
    return body


# What a body of an API says.


# Paths by which Bedrock and Vertex call the models of all vendors.
OF_ALL = ("/invoke", "/invoke-with-response-stream", ":rawPredict", ":streamRawPredict")


def api_of(url):
    if url == HIDDEN:
        return "anthropic-messages"
    path = re.split(r"[?#]", url)[0]
    for ends, api in [
        (("/v1/messages", *OF_ALL), "anthropic-messages"),
        (("/chat/completions",), "openai-chat"),
        (("/responses",), "openai-responses"),
        ((":generateContent", ":streamGenerateContent"), "gemini"),
        (("/converse", "/converse-stream"), "bedrock-converse"),
    ]:
        if path.endswith(ends):
            return api
    return None


def is_of(url, body):
    """Whether a body is of the API of its URL."""
    return api_of(url) is not None and (not url.endswith(OF_ALL) or "anthropic_version" in body)


def bodies_of(answer):
    """The body of an answer, or the events of a stream."""
    try:
        value = json.loads(answer)
        return value if isinstance(value, list) else [value]
    except ValueError:
        pass
    events = []
    for line in answer.splitlines():
        if line.startswith("data:"):
            try:
                events.append(json.loads(line[5:]))
            except ValueError:
                pass
    return events


def answer_id(answer):
    """The first id that an answer says."""
    for event in bodies_of(answer or ""):
        for at in (event, event.get("message"), event.get("response")) if isinstance(event, dict) else ():
            id_ = (at.get("id") or at.get("responseId")) if isinstance(at, dict) else None
            if id_:
                return id_
    return None


# What only the end of an answer says.
ENDS = {"anthropic-messages": "message_stop", "openai-chat": "[DONE]", "openai-responses": "response.completed", "gemini": "finishReason"}


def bill_of(api, status, answer):
    """Buckets of an answer, or why it has none; and whether it broke off."""
    events = bodies_of(answer or "")
    usage = usage_of(api, events)
    says_error = any(isinstance(event, dict) and (event.get("error") or event.get("type") == "response.failed") for event in events)
    if usage == "without_usage" and (says_error or (status or 0) >= 400):
        return "failed", False
    is_stream = api in ENDS and "\ndata:" in f"\n{answer}"
    return usage, is_stream and ENDS[api] not in answer


def usage_of(api, events):
    """Buckets of an answer, or why it has none."""
    usage = {}
    for event in events:
        if not isinstance(event, dict):
            continue
        for at in (event, event.get("message"), event.get("response")):
            if isinstance(at, dict):
                for key in ("usage", "usageMetadata"):
                    more = at.get(key) or {}
                    usage = {**usage, **{k: v for k, v in more.items() if v is not None}} if api == "anthropic-messages" else more or usage
    if not usage:
        return "without_usage"
    return {
        "anthropic-messages": anthropic,
        "openai-chat": lambda u: inclusive(
            u,
            "prompt_tokens",
            number(u, "prompt_tokens_details", "cached_tokens") or number(u, "prompt_cache_hit_tokens") or number(u, "num_cached_tokens"),
            number(u, "prompt_tokens_details", "cache_write_tokens"),
            "completion_tokens",
        ),
        "openai-responses": lambda u: inclusive(
            u, "input_tokens", number(u, "input_tokens_details", "cached_tokens"), number(u, "input_tokens_details", "cache_write_tokens"), "output_tokens"
        ),
        "gemini": gemini,
        "bedrock-converse": bedrock,
    }[api](usage)


def told(usage, output):
    """The output, if a usage says one: one that is missing is no zero."""
    return {"output": usage[output]} if isinstance(usage.get(output), int) else {}


def anthropic(usage):
    if not isinstance(usage.get("input_tokens"), int):
        return "refused"
    parts = usage.get("cache_creation")
    written = {"write_5m": number(parts, "ephemeral_5m_input_tokens"), "write_1h": number(parts, "ephemeral_1h_input_tokens")}
    if not isinstance(parts, dict):
        written = {"write_other": number(usage, "cache_creation_input_tokens")}
    apart = [each for each in usage.get("iterations") or [] if each.get("type") in ("compaction", "advisor_message")]
    count = Count(fresh=usage["input_tokens"], read=number(usage, "cache_read_input_tokens"), **told(usage, "output_tokens"), **written)
    for each in apart:
        count.update(anthropic(each))
    return count


def inclusive(usage, total, read, written, output):
    if not usage:
        return "without_usage"
    if not isinstance(usage.get(total), int) or usage[total] < read + written:
        return "refused"
    return Count(fresh=usage[total] - read - written, read=read, write_other=written, **told(usage, output))


def gemini(usage):
    if not isinstance(usage.get("promptTokenCount"), int):
        return "refused"
    read = number(usage, "cachedContentTokenCount")
    fresh = usage["promptTokenCount"] + number(usage, "toolUsePromptTokenCount") - read
    return Count(fresh=fresh, read=read, output=number(usage, "candidatesTokenCount") + number(usage, "thoughtsTokenCount")) if fresh >= 0 else "refused"


def bedrock(usage):
    read = number(usage, "cacheReadInputTokens")
    by_ttl = Count()
    for each in usage.get("cacheDetails") or []:
        by_ttl[{"5m": "write_5m", "1h": "write_1h"}.get(each.get("ttl"), "write_other")] += each["inputTokens"]
    written = by_ttl or Count(write_other=number(usage, "cacheWriteInputTokens"))
    if not isinstance(usage.get("inputTokens"), int):
        return "refused"
    cached, moved = read + sum(written.values()), number(usage, "inputTokens") + number(usage, "outputTokens")
    if cached and usage.get("totalTokens") not in (moved, moved + cached):
        return "refused"
    return Count(fresh=usage["inputTokens"], read=read, **told(usage, "outputTokens"), **written)


if __name__ == "__main__":
    main()
