"""The texts that are compared: the same in every run. `ordinary` is the sample of languages, code and noise; the others
leave nothing out in a small space: every code point, and every short string over one character of each kind."""

import itertools
import random

SEED = 20261122

# A few words in each script, so that words, spaces, marks and digits of the script meet.
WORDS = {
    "english": "the prompt starts with rules and a name she'll don't they've I'm we're it's he'd cannot Readme TODO JSON iPhone McDonald",
    "german": "Straße Überprüfung größer Donaudampfschifffahrtsgesellschaft ÄÖÜ weiß",
    "french": "l'été n'est aujourd'hui où cœur garçon À ÉTÉ naïve",
    "spanish": "¿Qué mañana? ¡Sí! año español corazón",
    "portuguese": "não ação coração você São Paulo",
    "polish": "źdźbło żółć Łódź się człowiek",
    "czech": "příliš žluťoučký kůň úpěl ďábelské ódy",
    "turkish": "İstanbul ığdır şöyle güneş ÇAĞRI",
    "vietnamese": "Tiếng Việt không được người nước Đà Nẵng",
    "finnish": "hääyöaie järjestelmällistyttämättömyydellänsäkään",
    "hungarian": "árvíztűrő tükörfúrógép",
    "icelandic": "þjóðvegur ætíð Ísland",
    "welsh": "Llanfairpwllgwyngyll ŵyr",
    "latin": "ꟊ ǅ ǈ ǋ ǲ ᾈ ŉ ﬁ ﬂ ﬃ ª º ʰ ˈ ſ ẞ",
    "greek": "Ελληνικά γλώσσα ΆΈΉ τής ὕδωρ ᾳ ᾼ",
    "russian": "Быстрая коричневая лиса ПРЫГАЕТ ёлка",
    "ukrainian": "їжак ґанок Київ п'ять",
    "bulgarian": "здравейте България ъгъл",
    "serbian": "љубав њушка џеп Ђорђе",
    "kazakh": "қазақ тілі әңгіме ұлы",
    "armenian": "Հայերեն լեզու և",
    "georgian": "ქართული ენა ᲥᲐᲠᲗᲣᲚᲘ",
    "hebrew": "עברית שָׁלוֹם דַּף״ל",
    "arabic": "العربية مُحَمَّد ١٢٣٤ ﷽ لا",
    "persian": "فارسی می‌خواهم ۱۲۳۴ گفت‌وگو",
    "urdu": "اردو ہے کیا",
    "hindi": "हिन्दी में लिखा क्षत्रिय १२३४",
    "bengali": "বাংলা ভাষা ১২৩৪ ক্ষ",
    "tamil": "தமிழ் மொழி ௧௨௩",
    "telugu": "తెలుగు భాష",
    "kannada": "ಕನ್ನಡ ಭಾಷೆ",
    "malayalam": "മലയാളം ഭാഷ",
    "gujarati": "ગુજરાતી ભાષા",
    "punjabi": "ਪੰਜਾਬੀ ਭਾਸ਼ਾ",
    "sinhala": "සිංහල භාෂාව",
    "thai": "ภาษาไทยไม่มีช่องว่าง ๑๒๓",
    "lao": "ພາສາລາວ",
    "khmer": "ភាសាខ្មែរ",
    "burmese": "မြန်မာဘာသာ",
    "tibetan": "བོད་སྐད་ ༡༢༣",
    "mongolian": "ᠮᠣᠩᠭᠣᠯ монгол",
    "amharic": "አማርኛ ቋንቋ ፩፪፫",
    "cherokee": "ᏣᎳᎩ ꭰꭱꭲ",
    "chinese": "你好世界 快速的棕色狐狸跳过懒狗 《红楼梦》 一二三 汉字測試",
    "japanese": "こんにちは カタカナ 日本語のテキスト ー々 ｶﾅ ㍿",
    "korean": "안녕하세요 한국어 문장 ㄱㄴㄷ 각",
    "emoji": "😀 👩‍🚀 👨‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 👍🏽 ❤️ 1️⃣ ☺ ⌚ 🫠",
    "symbols": "→ ≤ ∑ ∞ © ™ € £ ¥ № … — – • ■ □ ┌─┐ ░▒▓ ℃ Ω",
    "numbers": "0 12 123 1234 12345 3.14 1,000,000 ½ ² Ⅷ ① 0xFF 1e-9 ٣ ৪ 〇 𝟘𝟙 ௰",
    "rare": "𐌰𐌱 𝒜𝓑 𝕏 𐐀𐐨 𞤀𞤢 𐎀 𠀀𠜎 𒀀 𓀀 ꙮ ⴰⵣⵓⵍ ߒߞߏ ᥀ \U0001e900",
}

CODE = [
    "fn main() {\n    println!(\"{}\", x.iter().map(|y| y + 1).sum::<u32>());\n}\n",
    "def f(a, *, b=None):\n\tif b is not None and a['key'] != \"it's\":\n\t\treturn {**a, 'b': b}\n",
    "#include <stdio.h>\r\nint main(void) { return printf(\"%d\\n\", 0x1F << 3) ? 0 : -1; }\r\n",
    "SELECT u.id, COUNT(*) FROM users AS u WHERE u.name LIKE '%o''brien%' GROUP BY 1;\n",
    "<div class=\"a b\" onclick='go(\"/x\")'>&nbsp;<!-- note --></div>\n",
    "const g = async ({a, b = 2}) => `${a}/${b}`?.trim() ?? null; // done\n",
    "{\"a\": [1, 2.5e10, null, true], \"b\": {\"c\": \"\\u00e9\"}}\n",
    "| a | b |\n|---|:-:|\n| `x` | **y** |\n\n- [ ] todo\n- [x] done\n\n```sh\n$ ls -la ~/*.txt\n```\n",
    "layer rules {\n    file \"AGENTS.md\"\n    budget 20000 tokenizer=o200k\n}\n",
    "Object.keys(myVeryLongVariableName).forEach(HTTPServerError2XX);\n",
    "https://example.org/a/b?c=d&e=%20f#g//\n/usr/local/bin///\n",
    "\\begin{equation} \\frac{\\partial f}{\\partial x} = e^{-x^2} \\end{equation}\n",
    "++++++[>++++++++<-]>.+++.-----.\n====\n////\n",
]

EDGES = [
    "it'ſ x'ſred 'ſo X'Sand don'T'S'll'Re",
    "x\nabc\r\ndef\rGhi\n\n\nJkl",
    "x\n  ",
    "x \n\n  \t",
    "x \n\n  \ty  z",
    "\u0301ABC \u0301\u0301Abc a\u0301b中BC中bcªD",
    "!?\n/\r\n//x/ / !\n\n",
    "1234567½²Ⅷ 1a2b",
]

SPACES = [" ", "  ", "   ", "\t", "\n", "\n\n", "\r\n", "\r", " \n", "\n ", "\t\t", "\u00a0", "\u3000", "\u2028", "\u200b", "\x0b", "\x0c", "\x85", " \n\n  \n", ""]
APOSTROPHES = ["'s", "'S", "'t", "'T", "'re", "'RE", "'Re", "'ve", "'m", "'ll", "'LL", "'lL", "'d", "'ſ", "'x", "''s", "’s", "'", "'r", "'l", "'s's"]
LONG = [1, 2, 3, 7, 8, 9, 31, 64, 127, 128, 129, 130, 200, 257, 1000, 4097]


def any_char(rng):
    kind = rng.random()
    if kind < 0.25:
        return chr(rng.randrange(0x80))
    if kind < 0.6:
        return chr(rng.randrange(0x80, 0x3000))
    if kind < 0.8:
        return chr(rng.choice([rng.randrange(0x3000, 0xD800), rng.randrange(0xE000, 0x10000)]))
    return chr(rng.randrange(0x10000, 0x110000))


def mixed(rng, words):
    parts = []
    for _ in range(rng.randrange(1, 25)):
        kind = rng.random()
        if kind < 0.55:
            parts.append(rng.choice(words))
        elif kind < 0.7:
            parts.append(rng.choice(words) + rng.choice(APOSTROPHES))
        elif kind < 0.8:
            parts.append(str(rng.randrange(10 ** rng.randrange(1, 12))))
        elif kind < 0.9:
            parts.append("".join(rng.choice(".,;:!?()[]{}<>/\\|-_=+*&^%$#@~`\"'") for _ in range(rng.randrange(1, 6))))
        else:
            parts.append(any_char(rng))
        parts.append(rng.choice(SPACES) if rng.random() < 0.3 else " ")
    return "".join(parts)


def code(rng):
    text = "".join(rng.choice(CODE) for _ in range(rng.randrange(1, 4)))
    at = rng.randrange(len(text))
    return text[at:] + text[: rng.randrange(len(text))]


def noise(rng):
    return "".join(any_char(rng) for _ in range(rng.randrange(1, 60)))


def marked(rng):
    base = rng.choice("aAeEnoǅ中אक1'! \n")
    marks = "".join(chr(rng.choice([0x300, 0x301, 0x308, 0x323, 0x20E3, 0xFE0F, 0x93C, 0x5B8])) for _ in range(rng.randrange(1, 5)))
    return "".join(rng.choice([base, marks, " ", "x", "X", "é", "'s", "/", "\n"]) for _ in range(rng.randrange(2, 20)))


def run_of(rng, words):
    unit = rng.choice(["a", "A", "ab", " ", "\n", "\t", "\r\n", "=", "-", "/", "0", "é", "中", "中国", "ア", "😀", "👩‍🚀", "\u0301", "ي", " a", "\n\n ", "x1", "Aa", "'s", "🏳️‍🌈", rng.choice(words)])
    before, after = rng.choice(["", "x", " ", "\n", "!"]), rng.choice(["", "y", " ", "\n", "!", " z"])
    return before + unit * rng.choice(LONG) + after


def letters(rng):
    """One long word without a space."""
    script = rng.choice([(0x61, 0x7B), (0x41, 0x5B), (0x4E00, 0x9FA5), (0x430, 0x450), (0xAC00, 0xD7A4), (0x3041, 0x3097), (0x905, 0x93A), (0xE01, 0xE2F)])
    return "".join(chr(rng.randrange(*script)) for _ in range(rng.randrange(1, 300)))


def ordinary(count):
    rng = random.Random(SEED)
    scripts = {name: words.split() for name, words in WORDS.items()}
    every = [word for words in scripts.values() for word in words]
    yield ""
    for words in WORDS.values():
        yield words
    yield from CODE
    yield from EDGES
    for at in range(count - 1 - len(WORDS) - len(CODE) - len(EDGES)):
        kind = at % 10
        if kind < 4:
            yield mixed(rng, rng.choice(list(scripts.values())))
        elif kind == 4:
            yield mixed(rng, every)
        elif kind == 5:
            yield code(rng)
        elif kind == 6:
            yield noise(rng)
        elif kind == 7:
            yield marked(rng)
        elif kind == 8:
            yield run_of(rng, every)
        else:
            yield letters(rng)


def long_runs():
    """As (text, times): longer ones of white space end tiktoken with a stack overflow."""
    for unit in ["a", "A", "ab", " ", "\n", " \n", "=", "0", "中", "語文", "😀", "\u0301", "xyZ", "the", "x  ", "'s"]:
        yield unit, 20_000
    for unit in ["a", "Ab", "中", "="]:
        yield unit, 200_000


def code_points():
    """Every code point, where its kind decides the cut."""
    for c in map(chr, itertools.chain(range(0xD800), range(0xE000, 0x110000))):
        yield f"a{c}b {c}A1{c}2345{c}'red{c}{c}!{c}/  {c}\n{c}"


def short_strings():
    """All strings of up to five characters, one of each kind that the expressions tell apart."""
    kinds = "Aaª\u03011 \t\n!/'sſ"
    for length in range(1, 6):
        for string in itertools.product(kinds, repeat=length):
            yield "".join(string)
