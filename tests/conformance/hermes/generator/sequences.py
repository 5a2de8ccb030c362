"""Sequences of calls: the memory tool, cache markers on messages, hints of subdirectories."""

import json
import os

from agent import prompt_caching, subdirectory_hints

from .inputs import memory_text
from .package import SCRATCH, memory_tool, reset_environment, write, write_json
from .scenarios import MEMORY_KINDS
from .texts import ATTACKS, document, sentence


def memory(out, r, count=60):
    """Calls of the memory tool; after each: its JSON text, the text of both files, the names in the folder."""
    for index in range(count):
        home = f"{SCRATCH}/mem-{index}"
        os.makedirs(home + "/memories")
        os.environ["HERMES_HOME"] = home
        limits = r.choice([(2200, 1375)] * 6 + [(400, 300), (120, 90), (40, 40)])
        files = {name: memory_text(r, r.choice(MEMORY_KINDS)) for name in ("MEMORY.md", "USER.md")}
        for name, text in files.items():
            if text is not None:
                write(f"{home}/memories/{name}", text)
        store = memory_tool.MemoryStore(memory_char_limit=limits[0], user_char_limit=limits[1])
        store.load_from_disk()
        record = {"limits": limits, "init": files, "snapshot_at_load": snapshot(store), "steps": []}
        texts = [sentence(r, 4) for _ in range(4)] + ["x" * 30, "dup entry"]
        for _ in range(r.randint(4, 12)):
            call = memory_call(r, store, texts)
            answer = memory_step(call, store, home)
            record["steps"].append({
                "op": call, "returned": answer.replace(home, "@HOME@") if answer else None,
                **{name: read(f"{home}/memories/{name}") for name in files},
                "files": sorted(os.listdir(home + "/memories")), "snapshot": snapshot(store)})
        write_json(f"{out}/memory/{index:03d}.json", record)
    reset_environment()


def snapshot(store):
    return {target: store.format_for_system_prompt(target) for target in ("memory", "user")}


def read(path):
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def memory_call(r, store, texts):
    """The arguments of a call, or what happens between calls: TURN resets the failures, RELOAD is a new session."""
    target = r.choice(["agent", "memory", "memory", "user", None, "bogus"] if r.random() < 0.1 else ["agent", "memory", "user"])
    entries = store._entries_for(target if target in ("memory", "user") else "memory")
    known = entries and r.random() < 0.8
    some = r.choice(entries)[:r.randint(1, 9)] if known else r.choice(["e", "nothing-like-this", " "])
    new = r.choice(texts + [r.choice(ATTACKS)[1], "  padded \n", "", "with\n§\ndelimiter", "a\u200db"])
    kind = r.random()
    if kind < 0.3:
        return dict(action="add", target=target, content=new)
    if kind < 0.5:
        return dict(action="replace", target=target, old_text=some, content=new)
    if kind < 0.65:
        return dict(action="remove", target=target, old_text=some)
    if kind < 0.8:
        def operation():
            return r.choice([
                dict(action="add", content=r.choice(texts)), dict(action="remove", old_text=some),
                dict(action="replace", old_text=some, content=new), dict(action="zap"), {},
                dict(action="add", content=new)])
        return dict(target=target, operations=[operation() for _ in range(r.randint(1, 3))])
    if kind < 0.86:
        return dict(action=r.choice(["replace", "remove", "add", "list"]), target=target)
    if kind < 0.91:
        return "TURN"
    if kind < 0.95:
        return "RELOAD"
    file = r.choice(["MEMORY.md", "USER.md"])
    text = r.choice([memory_text(r, "over"), memory_text(r, "padded"), "free text " * 300])
    return {"EXTERNAL": file, "text": text}


def memory_step(call, store, home):
    if call == "TURN":
        store.reset_consolidation_failures()
    elif call == "RELOAD":
        store.load_from_disk()
    elif "EXTERNAL" in call:
        write(f"{home}/memories/{call['EXTERNAL']}", call["text"])
    else:
        try:
            return memory_tool.memory_tool(store=store, **call)
        except Exception as error:
            return f"RAISES {type(error).__name__}: {error}"
    return None


def cache_control(out, r, count=60):
    """Lists of messages with the package's cache markers, for its times to live and both layouts; keys in its own order."""
    for index in range(count):
        messages = random_messages(r)
        write_json(f"{out}/cache_control/{index:03d}.json", {"messages": messages, "out": {
            f"{ttl}/{'native' if native else 'envelope'}": prompt_caching.apply_anthropic_cache_control(
                messages, cache_ttl=ttl, native_anthropic=native)
            for ttl in ("5m", "1h", "2h") for native in (False, True)}}, sort_keys=False)


def random_messages(r):
    messages = []
    if r.random() < 0.85:
        messages.append({"role": "system", "content": random_content(r) if r.random() < 0.3 else sentence(r)})
    for call in range(r.randint(0, 9)):
        roles = ["user", "assistant", "tool"]
        role = r.choice(["user", "assistant", "tool", "assistant", "user", "system"] if r.random() < 0.3 else roles)
        message = {"role": role, "content": random_content(r)}
        if role == "tool":
            message["tool_call_id"] = f"c{call}"
        if role == "assistant" and r.random() < 0.4:
            function = {"name": "f", "arguments": "{}"}
            message["tool_calls"] = [{"id": f"c{call}", "type": "function", "function": function}]
        if r.random() < 0.04:
            message.pop("content")
        if r.random() < 0.03:
            message.pop("role")
        messages.append(message)
    return messages


def random_content(r):
    kind = r.random()
    if kind < 0.45:
        return sentence(r)
    for share, content in ((0.55, ""), (0.65, None), (0.70, []), (0.75, ["bare string part"]),
                           (0.80, [{"type": "text", "text": "a"}, "tail string"]), (0.85, " padded \n")):
        if kind < share:
            return content
    texts = [{"type": "text", "text": sentence(r)} for _ in range(r.randint(1, 3))]
    return texts + ([{"type": "image_url", "image_url": {"url": "data:,x"}}] if r.random() < 0.4 else [])


HINT_FOLDERS = ["", "a", "a/b", "a/b/c", "a/b/c/d", "a/b/c/d/e", "a/b/c/d/e/f", "a/b/c/d/e/f/g", "x.y", "z"]
HINT_FILES = [("AGENTS.md", 0.35), ("agents.md", 0.1), ("CLAUDE.md", 0.2), ("claude.md", 0.1), (".cursorrules", 0.15),
              (".hermes.md", 0.1), ("main.py", 0.5)]
HINT_KINDS = ["normal", "normal", "len:7999", "len:8000", "len:8001", "len:12345", "inject", "blank", "bom", "crlf",
              "badutf8"]


def subdir(out, r, count=25):
    """Tool calls that reach into folders, and the context files that the package then hints at."""
    for index in range(count):
        root = f"{out}/subdir/{index:03d}"
        project = root + "/project"
        for folder in HINT_FOLDERS:
            os.makedirs(f"{project}/{folder}" if folder else project, exist_ok=True)
        write(root + "/outside/AGENTS.md", "outside\n")
        for folder in HINT_FOLDERS:
            for name, share in HINT_FILES:
                if r.random() < share:
                    write(f"{project}/{folder}/{name}", document(r, r.choice(HINT_KINDS)))
        tracker = subdirectory_hints.SubdirectoryHintTracker(project)
        steps = [hint_step(r, tracker, root) for _ in range(r.randint(3, 9))]
        write_json(root + "/steps.json", steps)


def hint_step(r, tracker, root):
    folder = r.choice(HINT_FOLDERS)
    path = r.choice([f"{folder}/main.py", folder, f"{folder}/nofile", f"{root}/project/{folder}/main.py",
                     "../outside/AGENTS.md", f"{folder}/../z/main.py", " ", "~/x.md", f"{folder}/new.txt"])
    command = f"cd {folder or '.'} && cat ./{path} --flag=a/b https://a.b/c 'q r/s' | grep x.y"
    tool, args = r.choice([
        ("read_file", {"path": path}), ("x", {"file_path": path}),
        ("terminal", {"command": command, "workdir": r.choice(["", folder])}),
        ("terminal", {"command": "unbalanced ' quote a/b/main.py"}), ("terminal", {"command": "plain words only"}),
        ("read_file", {"path": 5}), ("web_search", {"query": path})])
    text = tracker.check_tool_call(tool, args)
    chunks = sorted(chunk for chunk in (text or "").split("\n\n[Subdirectory context") if chunk)
    return {"tool": tool, "args": json.loads(json.dumps(args).replace(root, "@CASE@")),
            "out": text.replace(root, "@CASE@") if text else None,
            "chunks_sorted": [chunk.replace(root, "@CASE@") for chunk in chunks],
            "hash_order": len(chunks) > 1}  # of several folders in one call the package's order is that of a set
