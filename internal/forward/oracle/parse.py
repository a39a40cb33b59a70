"""Reads lines of the table, also those whose outputs are still to be computed."""

import json
import re

import numpy as np

import line

HEAD = re.compile(r"^(?:([\w.]+):)?(\w+)(?:@(\d+))?\(")
TENSOR = re.compile(r"(\w+)\[([\d,]*)\](=?)")
WORDS = re.compile(r"^(exact|shape|constants|static|~[\d.e-]+)$")
UNKNOWN = "?"  # an output that is to be computed


class Case:
    """One line."""

    def __init__(self, text):
        self.text = text
        head = HEAD.match(text)
        if not head:
            raise ValueError(f"{text!r} is no case")
        self.domain, self.op = head[1] or "", head[2]
        self.version = int(head[3]) if head[3] else None
        self.rest = text[head.end():]
        self.inputs = self.values()
        self.attrs, self.words, self.outputs = {}, [], None
        while self.skip(" "):
            if self.skip("-> "):
                self.rest += ")"
                self.outputs = self.values()
                break
            self.word()
        if self.rest:
            raise ValueError(f"{self.rest!r} follows the case in {text!r}")

    def skip(self, s):
        if self.rest.startswith(s):
            self.rest = self.rest[len(s):]
            return True
        return False

    def until(self, chars):
        n = next((i for i, c in enumerate(self.rest) if c in chars), len(self.rest))
        s, self.rest = self.rest[:n], self.rest[n:]
        return s

    def values(self):
        out = []
        while not self.skip(")"):
            if out and not self.skip(", "):
                raise ValueError(f"{self.rest!r}: want a comma and a space")
            out.append(self.value())
        return out

    def value(self):
        if self.skip("_"):
            return None
        if self.skip(UNKNOWN):
            return UNKNOWN
        if self.skip("seq:"):
            name = self.until("(")
            self.skip("(")
            return Sequence(name, self.values())
        if self.skip("optional("):
            return line.Optional(*self.values())
        if self.skip("map("):
            keys, values = self.values()
            return dict(zip(keys.tolist(), values.tolist()))
        return self.tensor()

    def tensor(self):
        m = TENSOR.match(self.rest)
        self.rest = self.rest[m.end():]
        shape = [int(n) for n in m[2].split(",") if n]
        count = int(np.prod(shape))
        texts = self.list(", )]", ", ") if m[3] else []
        texts += texts[-1:] * (count - len(texts))
        if len(texts) != count:
            raise ValueError(f"{m[0]} has {len(texts)} elements: {self.text}")
        return array(m[1], texts).reshape(shape)

    def list(self, ends, end):
        out = [self.element(ends)]
        while not self.rest.startswith(end) and self.skip(","):
            out.append(self.element(ends))
        return out

    def element(self, ends):
        if not self.rest.startswith('"'):
            return self.until("," + ends)
        s, n = json.JSONDecoder().raw_decode(self.rest)
        self.rest = self.rest[n:]
        return s

    def word(self):
        name = self.until("= ")
        if not self.skip("="):
            if not WORDS.match(name):
                raise ValueError(f"{name!r} is no word of a case")
            self.words.append(name)
        elif TENSOR.match(self.rest):
            self.attrs[name] = self.tensor()
        elif self.skip("["):
            quoted = self.rest.startswith('"')
            self.attrs[name] = [s if quoted else number(s) for s in ([] if self.rest[0] == "]" else self.list("] ", "]"))]
            self.skip("]")
        else:
            quoted = self.rest.startswith('"')
            s = self.element(" ")
            self.attrs[name] = s if quoted else number(s)


class Sequence(list):
    """A sequence of values of an element type."""

    def __init__(self, name, items):
        super().__init__(items)
        self.name = name


def number(s):
    """An attribute's number."""
    return int(s) if re.fullmatch(r"-?\d+", s) else float(s)


def array(name, texts):
    """The texts of elements as a vector."""
    dtype = line.DTYPES[name]
    if name == "string":
        return np.array(texts, object)
    if name.startswith(line.BY_BITS):
        return np.array([int(t, 16) for t in texts], np.uint8).view(dtype)
    if name.startswith("complex"):
        return np.array([complex(t.replace("inf", "inf").replace("i", "j") if "inf" not in t else t[:-1] + "j") for t in texts], dtype)
    if name == "bool":
        return np.array([t == "1" for t in texts], bool)
    if name.startswith(("int", "uint")):
        return np.array([int(t) for t in texts], np.uint64 if name == "uint64" else np.int64).astype(dtype)
    return np.array([float(t) for t in texts], np.float64).astype(dtype)
