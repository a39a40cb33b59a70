"""Casts from each element type to each other."""

import numpy as np

import line
import run

WHOLE = [0, 1, -1, 2, 3, -3, 6, 100, -100, 127, -128, 128, 255, 256, -129, 32767, -32768, 40000, 65535, 70000, 2**31 - 1, -2**31, 2**32 - 1, 2**53 + 1, 2**63 - 1, -2**63, 2**64 - 1]
REALS = [0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.75, 0.1, 5.96e-8, 1e-10, 6.5, 17, 18, 19, 248, 464, 1000, -1000, 65519, 65520, 1e30, np.inf, -np.inf, np.nan]
NAMES = [n for n in line.DTYPES if not n.startswith("complex") and n != "string"]


def lines():
    """A line for each pair."""
    return [f"Cast({line.value(values(a, b))}) to={run.ELEMS[b]} exact" for a in NAMES for b in NAMES if not known_to_fail(a, b)] + \
           [f"Cast({line.value(values(a, b))}) saturate=0 to={run.ELEMS[b]} exact" for a in ("float32", "float16") for b in NAMES if b.startswith("float8")]


def values(a, b):
    """What is cast from one type to another: what the specification says something about."""
    if a == "bool":
        return np.array([False, True])
    if a.startswith(("int", "uint")):
        low, high = bounds(a)
        return np.array([n for n in WHOLE if low <= n <= high][:14], object).astype(np.uint64 if a == "uint64" else np.int64).astype(line.DTYPES[a])
    if a == "float8e8m0":
        return np.array([0x7F, 0x80, 0x81] + ([0x7E, 0xFE, 0xFF] if real(b) else []), np.uint8).view(line.DTYPES[a])
    with np.errstate(all="ignore"):
        v = np.array(REALS, np.float64).astype(np.float32).astype(line.DTYPES[a])
    if real(b) and b != "float8e8m0":
        v = v if b != "float4e2m1" else v[~np.isnan(v.astype(np.float32))]
    else:  # beyond the range the result is undefined
        low, high = bounds(b) if b not in ("bool", "float8e8m0") else (-1e9, 1e9)
        f = v.astype(np.float64)
        f[~np.isfinite(f)] = 1e99
        v = v[(np.trunc(f) >= low) & (np.trunc(f) <= high)]
        if b == "float8e8m0":
            v = v[v.astype(np.float32) > 0.4]
    if a == b:  # which is no cast: infinities stay
        v = v[np.isfinite(v.astype(np.float32))]
    bits = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}[v.dtype.itemsize * 8]
    seen = dict.fromkeys(v.view(bits).tolist())
    return np.array(list(seen), bits).view(v.dtype)


def known_to_fail(a, b):
    """Whether nothing computes a cast: between two types below a byte that are not floats."""
    below = ("int4", "uint4", "int2", "uint2")
    return b in below and (a in below and a != b or a == "float8e8m0") or (a, b) == ("float8e8m0", "float4e2m1")


def real(name):
    return name.startswith(("float", "bfloat"))


def bounds(name):
    bits = int(name.lstrip("uint"))
    return (0, 2**bits - 1) if name[0] == "u" else (-(2**(bits - 1)), 2**(bits - 1) - 1)
