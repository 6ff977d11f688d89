"""A JSON parser of a page, and the same in json.jl."""

import math

from timed import timed


class Parser:
    def __init__(self, text):
        self.text = text
        self.at = 0

    def skip_space(self):
        while self.at < len(self.text) and self.text[self.at] in " \n\r\t":
            self.at += 1

    def value(self):
        self.skip_space()
        c = self.text[self.at]
        if c == "{":
            return self.object()
        if c == "[":
            return self.array()
        if c == '"':
            return self.string()
        if c == "t":
            self.at += 4
            return True
        if c == "f":
            self.at += 5
            return False
        if c == "n":
            self.at += 4
            return None
        return self.number()

    def object(self):
        out = {}
        self.at += 1
        self.skip_space()
        while self.text[self.at] != "}":
            self.skip_space()
            key = self.string()
            self.skip_space()
            self.at += 1
            out[key] = self.value()
            self.skip_space()
            if self.text[self.at] == ",":
                self.at += 1
        self.at += 1
        return out

    def array(self):
        out = []
        self.at += 1
        self.skip_space()
        while self.text[self.at] != "]":
            out.append(self.value())
            self.skip_space()
            if self.text[self.at] == ",":
                self.at += 1
        self.at += 1
        return out

    def string(self):
        start = self.at + 1
        at = start
        while self.text[at] != '"':
            at += 1
        self.at = at + 1
        return self.text[start:at]

    def number(self):
        start = self.at
        is_float = False
        while self.at < len(self.text):
            c = self.text[self.at]
            if c in ".e":
                is_float = True
            elif not ("0" <= c <= "9" or c == "-"):
                break
            self.at += 1
        word = self.text[start : self.at]
        return float(word) if is_float else int(word)


def total(x):
    if x is None:
        return 0
    if isinstance(x, (bool, int, float)):
        return x
    if isinstance(x, str):
        return len(x)
    return sum(map(total, x.values() if isinstance(x, dict) else x))


def parsed(n, path):
    with open(path) as file:
        value = Parser(file.read()).value()
    return f"{len(value)} {sum(math.floor(total(x)) for x in value)}"


timed(parsed)
