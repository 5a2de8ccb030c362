"""What Python's tiktoken says, as JSON lines. `reference.py NAME [COUNT]`: NAME is a function of corpus.py."""

import json
import sys

import corpus
import tiktoken

VOCABULARIES = {name: tiktoken.get_encoding(f"{name}_base") for name in ["o200k", "cl100k"]}
LENGTHS = {name: [len(encoding.decode_single_token_bytes(rank)) for rank in range(len(encoding._mergeable_ranks))] for name, encoding in VOCABULARIES.items()}


def answer(text):
    line = {"text": text}
    for name, encoding in VOCABULARIES.items():
        ids, ends, at = encoding.encode_ordinary(text), [], 0
        for rank in ids:
            at += LENGTHS[name][rank]
            ends.append(at)
        line[name] = {"ids": ids, "ends": ends}
    return json.dumps(line)


if __name__ == "__main__":
    texts = getattr(corpus, sys.argv[1])(*map(int, sys.argv[2:]))
    sys.stdout.writelines(answer(text) + "\n" for text in texts)
