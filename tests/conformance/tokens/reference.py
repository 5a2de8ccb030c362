"""What Python's tiktoken says of the texts of corpus.py: as one JSON object a line for `judge.rs`, or as the sample that
is committed. Usage: reference.py NAME [COUNT] | reference.py sample"""

import json
import sys
import unicodedata

import corpus
import regex
import tiktoken

NAMES = ["o200k", "cl100k"]
ENCODINGS = {name: tiktoken.get_encoding(f"{name}_base") for name in NAMES}
LENGTHS = {
    name: [len(encoding.decode_single_token_bytes(rank)) for rank in range(len(encoding._mergeable_ranks))]
    for name, encoding in ENCODINGS.items()
}


EXPRESSIONS = {name: regex.compile(encoding._pat_str) for name, encoding in ENCODINGS.items()}


def tokens(name, text):
    ids, ends, at = ENCODINGS[name].encode_ordinary(text), [], 0
    for rank in ids:
        at += LENGTHS[name][rank]
        ends.append(at)
    return {"ids": ids, "ends": ends, "pieces": pieces(name, text)}


def pieces(name, text):
    """Where the expression's matches end, by the module regex: tiktoken does not tell, and tokens do not show it all.

    None where the module, whose Unicode is newer, might know a character as something else, and for long texts."""
    if len(text) > 5_000 or any(unicodedata.category(c) == "Cn" for c in text):
        return None
    ends, at = [], 0
    for piece in EXPRESSIONS[name].findall(text):
        at += len(piece.encode())
        ends.append(at)
    return ends


def answers(texts):
    for text in texts:
        if isinstance(text, tuple):
            text = text[0] * text[1]
        yield {"text": text} | {name: tokens(name, text) for name in NAMES}


def sample():
    """Counts for some hundred short texts and for long runs; the ends of the tokens where they are few."""
    whole = list(corpus.ordinary(20_000))
    few = whole[:80] + [text for text in whole[80::41] if len(text) <= 600]
    # Shorter runs than the comparison has: the ordinary tests are not optimised.
    runs = [(text, min(times, 5_000)) for text, times in corpus.long_runs()]
    for text, times in [(text, 1) for text in few] + runs:
        line = {"text": text, "times": times}
        for name in NAMES:
            said = tokens(name, text * times)
            line[name] = {"count": len(said["ids"])}
            if len(said["ids"]) <= 40:
                line[name] |= {"ends": said["ends"], "pieces": said["pieces"]}
        yield line


if __name__ == "__main__":
    name, *numbers = sys.argv[1:]
    lines = sample() if name == "sample" else answers(getattr(corpus, name)(*map(int, numbers)))
    sys.stdout.writelines(json.dumps(line) + "\n" for line in lines)
