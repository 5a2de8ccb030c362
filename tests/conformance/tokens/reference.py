"""What Python's tiktoken says of the texts of corpus.py: as one JSON object a line for `judge.rs`, or as the sample that
is committed. Usage: reference.py NAME [COUNT] | reference.py sample"""

import json
import sys

import corpus
import tiktoken

NAMES = ["o200k", "cl100k"]
ENCODINGS = {name: tiktoken.get_encoding(f"{name}_base") for name in NAMES}
LENGTHS = {
    name: [len(encoding.decode_single_token_bytes(rank)) for rank in range(len(encoding._mergeable_ranks))]
    for name, encoding in ENCODINGS.items()
}


def tokens(name, text):
    ids, ends, at = ENCODINGS[name].encode_ordinary(text), [], 0
    for rank in ids:
        at += LENGTHS[name][rank]
        ends.append(at)
    return {"ids": ids, "ends": ends}


def answers(texts):
    for text in texts:
        if isinstance(text, tuple):
            text = text[0] * text[1]
        yield {"text": text} | {name: tokens(name, text) for name in NAMES}


def sample():
    """Counts for some hundred short texts and for long runs; the ends of the tokens where they are few."""
    whole = list(corpus.ordinary(20_000))
    few = whole[:70] + [text for text in whole[70::31] if len(text) <= 600]
    # Shorter runs than the comparison has: the ordinary tests are not optimised.
    runs = [(text, min(times, 5_000)) for text, times in corpus.long_runs()]
    for text, times in [(text, 1) for text in few] + runs:
        line = {"text": text, "times": times}
        for name in NAMES:
            said = tokens(name, text * times)
            line[name] = {"count": len(said["ids"])}
            if len(said["ids"]) <= 40:
                line[name]["ends"] = said["ends"]
        yield line


if __name__ == "__main__":
    name, *numbers = sys.argv[1:]
    lines = sample() if name == "sample" else answers(getattr(corpus, name)(*map(int, numbers)))
    sys.stdout.writelines(json.dumps(line) + "\n" for line in lines)
