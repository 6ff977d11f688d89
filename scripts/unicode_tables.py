#!/usr/bin/env python3
"""Writes base/core/unicode_tables.jl: general categories, simple case mappings, widths and grapheme breaks as text.

Usage: scripts/unicode_tables.py DIR > base/core/unicode_tables.jl
DIR is `src/unicode_tables` of the crate `regex-syntax` (generated from the Unicode character database).
"""
import re, sys, unicodedata

CODES = "Cn Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co".split()
NAMES = dict(Lu="UPPERCASE_LETTER", Ll="LOWERCASE_LETTER", Lt="TITLECASE_LETTER", Lm="MODIFIER_LETTER", Lo="OTHER_LETTER",
    Mn="NONSPACING_MARK", Mc="SPACING_MARK", Me="ENCLOSING_MARK", Nd="DECIMAL_NUMBER", Nl="LETTER_NUMBER", No="OTHER_NUMBER",
    Pc="CONNECTOR_PUNCTUATION", Pd="DASH_PUNCTUATION", Ps="OPEN_PUNCTUATION", Pe="CLOSE_PUNCTUATION", Pi="INITIAL_PUNCTUATION",
    Pf="FINAL_PUNCTUATION", Po="OTHER_PUNCTUATION", Sm="MATH_SYMBOL", Sc="CURRENCY_SYMBOL", Sk="MODIFIER_SYMBOL", So="OTHER_SYMBOL",
    Zs="SPACE_SEPARATOR", Zl="LINE_SEPARATOR", Zp="PARAGRAPH_SEPARATOR", Cc="CONTROL", Cf="FORMAT", Co="PRIVATE_USE")
BREAKS = dict(CR="CR", LF="LF", Control="CONTROL", Extend="EXTEND", L="L", LV="LV", LVT="LVT", Prepend="PREPEND",
    Regional_Indicator="REGIONAL_INDICATOR", SpacingMark="SPACINGMARK", T="T", V="V", ZWJ="ZWJ")
LAST = 0x110000

def char(text):
    found = re.fullmatch(r"\\u\{([0-9a-f]+)\}", text)
    return int(found[1], 16) if found else ord({"\\n": "\n", "\\r": "\r", "\\t": "\t", "\\'": "'", "\\\\": "\\", "\\0": "\0"}.get(text, text))

def ranges(source, name):
    body = re.search(r"pub const %s:[^=]*=\s*&\[(.*?)\];" % name, source, re.S)[1]
    return [(char(a), char(b)) for a, b in re.findall(r"\('((?:\\u\{[0-9a-f]+\}|\\.|[^\\]))', '((?:\\u\{[0-9a-f]+\}|\\.|[^\\]))'\)", body)]

def runs(values):
    """Hexadecimal lengths of the runs of equal values, each followed by the letter of its value."""
    out, start = [], 0
    for i in range(1, LAST + 1):
        if i == LAST or values[i] != values[start]:
            out.append("%x%s" % (i - start, chr(ord("A") + values[start] if values[start] < 26 else ord("g") + values[start] - 26)))
            start = i
    return "".join(out)

def wrapped(name, text):
    pieces = [text[i:i + 150] for i in range(0, len(text), 150)]
    print("const %s = string(" % name)
    print(",\n".join('    "%s"' % p for p in pieces) + ")")

def case_runs(table):
    """`start:count:stride:delta;` for the characters that a mapping changes by the same amount."""
    keys, out, i = sorted(table), [], 0
    while i < len(keys):
        delta = table[keys[i]] - keys[i]
        best = (1, 1)
        for stride in (1, 2):
            n = 1
            while table.get(keys[i] + n * stride, None) == keys[i] + n * stride + delta and \
                    (stride == 1 or keys[i] + n * stride - 1 not in table):
                n += 1
            if n > best[0]:
                best = (n, stride)
        out.append("%x:%x:%x:%s%x" % (keys[i], best[0], best[1], "-" if delta < 0 else "", abs(delta)))
        i += best[0]
    return ";".join(out)

def main(folder):
    read = lambda name: open("%s/%s.rs" % (folder, name), encoding="utf-8").read()
    source = read("general_category")
    category = [0] * LAST
    for code, name in NAMES.items():
        for a, b in ranges(source, name):
            for u in range(a, b + 1):
                category[u] = CODES.index(code)
    for u in range(0xd800, 0xe000):
        category[u] = CODES.index("Cs")
    source = read("grapheme_cluster_break")
    breaks = [0] * LAST
    for k, name in enumerate(BREAKS.values()):
        for a, b in ranges(source, name):
            for u in range(a, b + 1):
                breaks[u] = k + 1
    for a, b in ranges(read("property_bool"), "EXTENDED_PICTOGRAPHIC"):
        for u in range(a, b + 1):
            if breaks[u] == 0:
                breaks[u] = len(BREAKS) + 1
    folds = {}
    chars = r"'((?:\\u\{[0-9a-f]+\}|\\.|[^\\]))'"
    for line in re.findall(r"\(%s, &\[(.*?)\]\)" % chars, read("case_folding_simple"), re.S):
        folds[char(line[0])] = [char(c) for c in re.findall(chars, line[1])]
    upper, lower, title = {}, {}, {}
    for u in range(LAST):
        if 0xd800 <= u < 0xe000 or category[u] == 0:
            continue
        c = chr(u)
        if unicodedata.category(c) == "Cn":
            for v in folds.get(u, ()):
                if CODES[category[u]] == "Ll" and CODES[category[v]] == "Lu":
                    upper[u] = title[u] = v
                elif CODES[category[u]] == "Lu" and CODES[category[v]] == "Ll":
                    lower[u] = v
            continue
        one = lambda text, other: ord(text) if len(text) == 1 else ord(other) if len(other) == 1 else u
        up, down, tall = one(c.upper(), c.title()), one(c.lower(), c), one(c.title(), c)
        for v in folds.get(u, ()):
            # Capitals that a later version of Unicode gave to older letters.
            if up == u and CODES[category[u]] == "Ll" and unicodedata.category(chr(v)) == "Cn":
                up = tall = v
        if up != u: upper[u] = up
        if down != u: lower[u] = down
        if tall != u: title[u] = tall
    upper[0xdf] = title[0xdf] = 0x1e9e
    lower[0x130] = 0x69
    wide = [1] * LAST
    for u in range(LAST):
        code = CODES[category[u]]
        if code in ("Mn", "Me", "Cc", "Cf", "Cs", "Cn", "Zl", "Zp") or 0x1160 <= u <= 0x11ff or 0xd7b0 <= u <= 0xd7ff:
            wide[u] = 0
        elif unicodedata.east_asian_width(chr(u)) in "WF" or (breaks[u] == len(BREAKS) + 1 and unicodedata.category(chr(u)) == "Cn"):
            wide[u] = 2
    wide[0xad] = 1
    print("# Tables of the Unicode character database 16.0, written by scripts/unicode_tables.py. Do not edit.\n")
    wrapped("CATEGORY_RUNS", runs(category))
    wrapped("BREAK_RUNS", runs(breaks))
    wrapped("WIDTH_RUNS", runs(wide))
    for name, table in (("UPPER_RUNS", upper), ("LOWER_RUNS", lower),
                        ("TITLE_RUNS", {u: title.get(u, u) for u in set(title) | set(upper) if title.get(u, u) != upper.get(u, u)})):
        wrapped(name, case_runs(table))

main(sys.argv[1])
