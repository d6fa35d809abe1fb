"""Golden values of the Box-Muller variates, in 30 digits, from the random words up.

Run:  python3 tests/golden/generate_normal.py > tests/golden/normal.json
Needs: mpmath, numpy.

The words come from a Philox4x32-10 written here in Python integers, independent of the crate's.
NumPy searches 2^23 blocks for those with the smallest and largest radius uniforms, so that the
tails and the neighbourhood of 0 are covered; the first blocks of three streams are ordinary.
"""
import json

import mpmath as mp
import numpy as np

mp.mp.dps = 50
MASK = 0xFFFFFFFF


def philox(counter, key):
    c, k = list(counter), list(key)
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k[0], p1 & MASK, (p0 >> 32) ^ c[3] ^ k[1], p0 & MASK]
        k = [(k[0] + 0x9E3779B9) & MASK, (k[1] + 0xBB67AE85) & MASK]
    return c


def philox_numpy(blocks, replicate, experiment, seed):
    u = np.uint64
    c = [blocks & u(MASK), blocks >> u(32), np.full_like(blocks, replicate), np.full_like(blocks, experiment)]
    k = [seed & MASK, seed >> 32]
    for _ in range(10):
        p0, p1 = c[0] * u(0xD2511F53), c[2] * u(0xCD9E8D57)
        c = [(p1 >> u(32)) ^ c[1] ^ u(k[0]), p1 & u(MASK), (p0 >> u(32)) ^ c[3] ^ u(k[1]), p0 & u(MASK)]
        k = [(k[0] + 0x9E3779B9) & MASK, (k[1] + 0xBB67AE85) & MASK]
    return c


def pair(u, y, sign, exchange):
    r = mp.sqrt(-2 * mp.log(u)) * (-1 if sign else 1)
    c, s = mp.cos(mp.pi * y / 2), mp.sin(mp.pi * y / 2)
    return (r * s, r * c) if exchange else (r * c, r * s)


def double(words):
    radius, angle = words[0] | words[1] << 32, words[2] | words[3] << 32
    u = (mp.mpf(radius >> 12) + 0.5) / mp.mpf(2) ** 52
    k = (angle >> 10) & (2**52 - 1)
    y = (mp.mpf(k) + 0.5) / mp.mpf(2) ** 52 - 0.5
    return pair(u, y, angle >> 63, angle >> 62 & 1)


def single(radius, angle):
    u = mp.mpf(float(np.float32(np.float32(radius) + np.float32(0.5)))) / mp.mpf(2) ** 32
    k = (angle >> 6) & (2**24 - 1)
    k = k - 2**24 if k >= 2**23 else k  # two's complement of 24 bits
    y = (mp.mpf(k) + 0.5) / mp.mpf(2) ** 24
    return pair(u, y, angle >> 31, angle >> 30 & 1)


def case(seed, experiment, replicate, block):
    counter = [block & MASK, block >> 32, replicate, experiment]
    words = philox(counter, [seed & MASK, seed >> 32])
    show = lambda zs: [mp.nstr(z, 30) for z in zs]
    return {
        "seed": seed, "experiment": experiment, "replicate": replicate, "block": block,
        "words": words,
        "double": show(double(words)),
        "single": show(single(words[0], words[1]) + single(words[2], words[3])),
    }


cases = [case(s, e, r, b) for s, e, r in [(0, 0, 0), (2**63 + 5, 7, 2**32 - 1), (12345, 2**32 - 1, 1)] for b in range(40)]
cases += [case(99, 1, 2, b) for b in (2**32 - 1, 2**32, 2**40 + 3, 2**62 - 1)]  # carries
blocks = np.arange(2**23, dtype=np.uint64)
w = philox_numpy(blocks, 0, 3, 1)
order = np.argsort(w[1] << np.uint64(32) | w[0], kind="stable")
cases += [case(1, 3, 0, int(b)) for b in list(order[:20]) + list(order[-20:])]
order = np.argsort(w[0], kind="stable")
cases += [case(1, 3, 0, int(b)) for b in list(order[:20]) + list(order[-20:])]
print(json.dumps({
    "provenance": "tests/golden/generate_normal.py, mpmath in 50 digits from Philox4x32-10 words",
    "cases": cases,
}, indent=0))
