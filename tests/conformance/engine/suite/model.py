"""A model of random weights with a vocabulary of its own: what is reused depends on the tokens only, not on the weights."""

import collections
import hashlib
import os
import re

import gguf
import numpy

MERGES = 1500
WIDTH, HEADS, LAYERS, CONTEXT = 64, 2, 1, 32768
# How the tokenizer `gpt-2` cuts a text before it merges, as far as ASCII goes; what is learnt need not be exact.
PIECES = re.compile(r"'(?:[sdmt]|ll|ve|re)| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+")


def make(folder, text):
    """The path of the model whose vocabulary is learnt from `text`; made once."""
    with open(__file__, "rb") as file:
        key = hashlib.sha256(file.read() + text.encode()).hexdigest()[:16]
    path = f"{folder}/model-{key}.gguf"
    if not os.path.exists(path):
        write(path + ".part", learn(text))
        os.replace(path + ".part", path)
    return path


def byte_letters():
    """The letter that stands for each byte in vocabularies of this kind: itself if it can be printed, else one from 256 on."""
    printed = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printed]
    return {byte: chr(byte) for byte in printed} | {byte: chr(256 + at) for at, byte in enumerate(others)}


def learn(text):
    """The most frequent pairs, merged one after the other."""
    letters = byte_letters()
    counts = collections.Counter(PIECES.findall(text))
    words = {tuple(letters[byte] for byte in word.encode()): count for word, count in counts.items()}
    merges = []
    while len(merges) < MERGES:
        pairs = collections.Counter()
        for word, count in words.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += count
        if not pairs:
            break
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(best)
        words = {merged(word, best): count for word, count in words.items()}
    return merges


def merged(word, pair):
    out, at = [], 0
    while at < len(word):
        both = word[at:at + 2] == pair
        out.append("".join(pair) if both else word[at])
        at += 2 if both else 1
    return tuple(out)


def write(path, merges):
    letters = byte_letters()
    tokens = list(dict.fromkeys([letters[byte] for byte in range(256)] + ["".join(pair) for pair in merges]))
    kinds = [gguf.TokenType.NORMAL] * len(tokens) + [gguf.TokenType.CONTROL]
    tokens.append("<|end|>")
    out = gguf.GGUFWriter(path, "llama")
    out.add_context_length(CONTEXT)
    out.add_embedding_length(WIDTH)
    out.add_block_count(LAYERS)
    out.add_feed_forward_length(WIDTH)
    out.add_head_count(HEADS)
    out.add_head_count_kv(HEADS)
    out.add_rope_dimension_count(WIDTH // HEADS)
    out.add_layer_norm_rms_eps(1e-5)
    out.add_file_type(gguf.LlamaFileType.ALL_F32)
    out.add_tokenizer_model("gpt2")
    out.add_tokenizer_pre("gpt-2")
    out.add_token_list(tokens)
    out.add_token_types(kinds)
    out.add_token_merges([" ".join(pair) for pair in merges])
    out.add_vocab_size(len(tokens))
    out.add_bos_token_id(len(tokens) - 1)
    out.add_eos_token_id(len(tokens) - 1)
    # No token in front of the text: two texts without a common beginning then share nothing.
    out.add_add_bos_token(False)
    weights(out, len(tokens))
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()


def weights(out, vocabulary):
    random = numpy.random.default_rng(0)

    def tensor(name, *shape):
        out.add_tensor(name, (random.standard_normal(shape) * 0.05).astype(numpy.float32))

    tensor("token_embd.weight", vocabulary, WIDTH)
    tensor("output.weight", vocabulary, WIDTH)
    for norm in ("output_norm", *(f"blk.{layer}.{norm}" for layer in range(LAYERS) for norm in ("attn_norm", "ffn_norm"))):
        out.add_tensor(norm + ".weight", numpy.ones(WIDTH, numpy.float32))
    for layer in range(LAYERS):
        for part in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"):
            tensor(f"blk.{layer}.{part}.weight", WIDTH, WIDTH)
