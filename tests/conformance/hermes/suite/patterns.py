"""Python's regular expressions in the syntax of Rust's `regex`, with the same matches.

The two engines disagree on what is a word character, white space and the same letter in another case. So each item that
matches one character is written out as the characters that Python's own engine accepts, among all code points; nothing
of `\\w`, `\\s`, `\\b` or `(?i)` is left to the other engine. It has no look-around, so `\\b` is translated at the ends of a
pattern only: there the character on its other side may be taken into the match, since it only matters whether one is.
"""

import functools
import re
from re import _compiler, _constants as c, _parser

EVERY = "".join(map(chr, range(0xD800))) + "".join(map(chr, range(0xE000, 0x110000)))
FLAGS = re.IGNORECASE | re.UNICODE
WORDS = re.compile(r"\w+")
ONE = (c.LITERAL, c.NOT_LITERAL, c.IN, c.ANY)


class Untranslatable(Exception):
    pass


def translate(pattern):
    """A pattern that finds something in a text if and only if `re.search(pattern, text, re.IGNORECASE)` does."""
    items = parse(pattern)
    front = items[:1] == [(c.AT, c.AT_BOUNDARY)]
    back = items[-1:] == [(c.AT, c.AT_BOUNDARY)]
    items = items[front:len(items) - back]
    if front and not touches_word(items) or back and not touches_word(items, last=True):
        raise Untranslatable(f"a boundary beside what may be no word: {pattern}")
    other = character_class(*parse(r"\W")[0])
    return (rf"(?:\A|{other})" if front else "") + sequence(items) + (rf"(?:{other}|\z)" if back else "")


def parse(pattern):
    return list(_parser.parse(pattern, FLAGS))


def touches_word(items, last=False):
    """Whether every match of `items` begins (or ends) with a word character."""
    for op, argument in reversed(items) if last else items:
        if op in ONE:
            return all(map(WORDS.fullmatch, runs(op, tuple(argument) if isinstance(argument, list) else argument)))
        if op is c.SUBPATTERN:
            return touches_word(list(argument[3]), last)
        if op is c.BRANCH:
            return all(touches_word(list(branch), last) for branch in argument[1])
        if op in (c.MAX_REPEAT, c.MIN_REPEAT):
            if not touches_word(list(argument[2]), last):
                return False
            if argument[0] > 0:
                return True
            continue  # it may be absent, then the next item counts
        return False
    return False


def sequence(items):
    return "".join(item(op, argument) for op, argument in items)


def item(op, argument):
    if op in ONE:
        return character_class(op, argument)
    if op is c.SUBPATTERN:
        return f"(?:{sequence(argument[3])})"
    if op is c.BRANCH:
        return "(?:" + "|".join(sequence(branch) for branch in argument[1]) + ")"
    if op in (c.MAX_REPEAT, c.MIN_REPEAT):
        low, high, body = argument
        times = {(0, c.MAXREPEAT): "*", (1, c.MAXREPEAT): "+", (0, 1): "?"}.get((low, high))
        high = "" if high is c.MAXREPEAT else high
        once = sequence(body) if len(body) == 1 and body[0][0] in ONE else f"(?:{sequence(body)})"
        return once + (times or f"{{{low},{high}}}")
    raise Untranslatable(f"{op} {argument}")


def character_class(op, argument):
    """The characters that an item accepts, in Python's own view, as a class of Rust's."""
    found = runs(op, tuple(argument) if isinstance(argument, list) else argument)
    if len(found) == 1 and len(found[0]) == 1:
        return literal(found[0])
    return min(listed(found), "[^" + listed(gaps(found))[1:], key=len)


@functools.lru_cache(maxsize=None)
def runs(op, argument):
    """The accepted characters in the order of their numbers, as texts of neighbours."""
    state = _parser.State()
    state.flags = FLAGS
    one = _parser.SubPattern(state, [(op, list(argument) if isinstance(argument, tuple) else argument)])
    many = _parser.SubPattern(state, [(c.MAX_REPEAT, (1, c.MAXREPEAT, one))])
    return tuple(_compiler.compile(many, FLAGS).findall(EVERY))


def gaps(found):
    start, between = 0, []
    for run in found:
        at = ord(run[0]) if run[0] < "\ud800" else ord(run[0]) - 0x800
        between.append(EVERY[start:at])
        start = at + len(run)
    return [run for run in between + [EVERY[start:]] if run]


def listed(found):
    return "[" + "".join(
        literal(run) if len(run) == 1 else f"{literal(run[0])}-{literal(run[-1])}" for run in found) + "]"


def literal(character):
    """A letter or digit as itself, anything else by its number: no character has a meaning in the pattern."""
    return character if character.isalnum() else f"\\x{{{ord(character):X}}}"
