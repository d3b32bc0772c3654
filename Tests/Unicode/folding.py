#!/usr/bin/env python3
"""Writes what the folding of search texts is made from, out of python's own Unicode data.

    Tests/Unicode/folding.py table  > Sources/Projections/Search/FoldingTable.swift
    Tests/Unicode/folding.py golden > Tests/ProjectionsTests/Golden/folding.txt

`fold` below is the definition: it works on whole texts. The table has what becomes of each scalar
that is not ASCII and not a Hangul syllable, which is computed; the golden file has whole texts.
"""

import random
import sys
import unicodedata

# Letters that Unicode does not decompose and that people type plainly; folded, so lower case only.
LETTERS = {
    "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "ŋ": "n", "ı": "i", "ĸ": "k",
    "þ": "th", "æ": "ae", "œ": "oe", "’": "'", "ʼ": "'",
}


def is_mark(c):
    """What is left out. Marks that are not of category Mn but have a combining class are left out
    too: normal forms reorder them."""
    return unicodedata.category(c) == "Mn" or unicodedata.combining(c) != 0


def fold(text):
    while True:
        bare = "".join(c for c in unicodedata.normalize("NFD", text) if not is_mark(c))
        new = "".join(LETTERS.get(c, c) for c in bare.casefold())
        if new == text:
            return new
        text = new


def runs():
    """The table as runs `start*count/step+rise>target`: each of `count` scalars from `start` on,
    `step` apart, becomes the target, which rises by `rise` each time."""
    table = {}
    for number in range(0x80, 0x110000):
        if not (0xD800 <= number < 0xE000 or 0xAC00 <= number <= 0xD7A3):
            folded = fold(chr(number))
            if folded != chr(number):
                table[number] = folded
    for start in sorted(table):
        if start not in table:
            continue
        target = table[start]
        best = (1, 1, 0)
        for step in (1, 2):
            for rise in (0, 1, 2) if len(target) == 1 else (0,):
                count = 1
                while table.get(start + count * step) == (
                    chr(ord(target) + count * rise) if rise else target
                ):
                    count += 1
                best = max(best, (count, step, rise), key=lambda run: run[0])
        count, step, rise = best
        for i in range(count):
            del table[start + i * step]
        yield (
            f"{start:x}"
            + (f"*{count}" if count > 1 else "")
            + (f"/{step}" if step > 1 else "")
            + (f"+{rise}" if rise else "")
            + ">"
            + ".".join(f"{ord(c):x}" for c in target)
        )


def print_table():
    print(f"// Written by Tests/Unicode/folding.py from Unicode {unicodedata.unidata_version}.")
    print("// Not edited by hand.")
    print()
    print("/// What becomes of scalars that are not ASCII, as runs `start*count/step+rise>target`.")
    print('let foldingRuns = """')
    line = " "
    for run in runs():
        if len(line) + 1 + len(run) > 97:
            print(line + " \\")
            line = " "
        line += " " + run
    print(line)
    print('  """')


def samples():
    """Texts of every kind of letter: each scalar of the table once, then random mixtures."""
    yield from ["", "Åse Bjørnstad", "A\u030ase Bjørnstad", "ŁÓDŹ", "Straße", "STRASSE", "İzmir"]
    yield from ["ılgaz", "Þór", "Ærø", "Œuvre", "Σίσυφος", "ΣΊΣΥΦΟΣ", "Ёлка", "각", "\u1100\u1161"]
    yield from ["\u1100\u1161\u11a8", "\u212b", "ﬁnal ﬃ", "O’Brien", "Đặng Thị", "が", "か\u3099"]
    random.seed(20_260_101)
    numbers = [
        n for n in range(0x80, 0x110000)
        if not 0xD800 <= n < 0xE000 and unicodedata.category(chr(n)) not in ("Cn", "Co", "Cc")
    ]
    changed = [n for n in numbers if fold(chr(n)) != chr(n)]
    marks = [n for n in numbers if is_mark(chr(n))]
    plain = [n for n in changed if not 0xAC00 <= n <= 0xD7A3]
    for i in range(0, len(plain), 8):
        yield " ".join(chr(n) for n in plain[i : i + 8])
    pools = [range(0x20, 0x7F), range(0xC0, 0x250), range(0x370, 0x530), changed, marks, numbers]
    for _ in range(1_000):
        text = "".join(chr(random.choice(random.choice(pools))) for _ in range(10))
        form = random.choice([None, "NFC", "NFD"])
        yield unicodedata.normalize(form, text) if form else text


def print_golden():
    """A text and its folded form a line, as hexadecimal scalars: `41.30a>61`."""
    for text in samples():
        print(">".join(".".join(f"{ord(c):x}" for c in t) for t in (text, fold(text))))


if __name__ == "__main__":
    {"table": print_table, "golden": print_golden}[sys.argv[1]]()
