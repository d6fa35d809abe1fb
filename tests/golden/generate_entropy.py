#!/usr/bin/env python3
"""Golden values for the closed-form and the Dirac data models (tests/golden/entropy.json).

Needs Python 3 with mpmath.  Run from the repository root, about two minutes:

    python3 tests/golden/generate_entropy.py

Everything is computed in 40 digits and stored as decimal strings of 25.  The methods differ
from the crate's on purpose:

* Dirac mixtures: composite Gauss-Legendre panels; the mmse by its pairwise form
  sum_{j<k} |a_j-a_k|^2 int w_j w_k phi_j phi_k / p, cross-checked where nothing cancels with
  E|x0|^2 - E|m(x)|^2; the conditional entropy cross-checked with H(w) - h(x_sigma) + h(noise).
* Wishart: the integrals over the Marchenko-Pastur density, tanh-sinh rule.
* Gaussian and random-energy models: the formulas in 40 digits.
"""

import json
from itertools import combinations
from pathlib import Path

from mpmath import cos, exp, expm1, log, log1p, mp, mpf, pi, quad, sin, sqrt

mp.dps = 40


def gauss_legendre(n):
    nodes = []
    for k in range(n):
        x = cos(pi * (k + mpf(3) / 4) / (n + mpf(1) / 2))
        for _ in range(8):
            p0, p1 = mpf(1), x
            for j in range(2, n + 1):
                p0, p1 = p1, ((2 * j - 1) * x * p1 - (j - 1) * p0) / j
            d = n * (x * p1 - p0) / (x * x - 1)
            x -= p1 / d
        nodes.append((x, 2 / ((1 - x * x) * d * d)))
    return nodes


GL = gauss_legendre(24)


def double(s):
    """The double nearest to the text, exactly: the crate sees nothing else."""
    return mpf(float(s))


def text(x):
    return mp.nstr(x, 25)


def windows(centres, reach):
    """Intervals in which at least two centres are within reach."""
    events = sorted([(a - reach, 1) for a in centres] + [(a + reach, -1) for a in centres])
    out, level, start = [], 0, None
    for x, step in events:
        level += step
        if level == 2 and step == 1:
            start = x
        if level == 1 and step == -1:
            out.append((start, x))
    return [(l, r) for l, r in out if r > l]


def panels(l, r, centres, reach):
    near = [a for a in centres if l - reach <= a <= r + reach]
    width = min(mpf("0.5"), mpf("1.5") / max(max(near) - min(near), mpf("1e-9")))
    n = int(mp.ceil((r - l) / width))
    h = (r - l) / n
    for i in range(n):
        yield l + i * h, h


def line(centres, weights, sigma):
    """(mmse, H(x0|x_sigma)) of a mixture on the line, in units of the centres."""
    a = [double(c) / sigma for c in centres]
    w = [double(x) for x in weights]
    gap = min(abs(x - y) for x, y in combinations(a, 2))
    reach = sqrt(gap**2 / 4 + 2 * 95 + 2 * abs(log(min(gap, mpf(1)))) * 2)
    variance = entropy = second = output = mpf(0)
    for l, r in windows(a, reach):
        for x0, h in panels(l, r, a, reach):
            for t, weight in GL:
                x = x0 + h * (1 + t) / 2
                seen = [(wk * exp(-((x - ak) ** 2) / 2), ak) for wk, ak in zip(w, a) if abs(x - ak) < 2 * reach]
                p = sum(e for e, _ in seen)
                v = sum(e * f * (y - z) ** 2 for (e, y), (f, z) in combinations(seen, 2)) / p
                # -sum q ln q with ln(p/e) = log1p(rest/e)
                g = sum(e * log1p((p - e) / e) for e, _ in seen)
                variance += weight * h / 2 * v
                entropy += weight * h / 2 * g
                mean = sum(e * y for e, y in seen) / p
                second += weight * h / 2 * p * mean**2
                output -= weight * h / 2 * p * log(p / sqrt(2 * pi))
    root = sqrt(2 * pi)
    variance, entropy, second, output = variance / root, entropy / root, second / root, output / root
    if max(a) - min(a) <= 2 and gap > mpf("0.05"):
        # The window then covers all but 1e-27 of the law.
        direct = sum(wk * ak**2 for wk, ak in zip(w, a)) - second
        assert abs(direct - variance) < mpf("1e-24") * (1 + second), (direct, variance)
        information = output - log(2 * pi * mp.e) / 2
        direct = -sum(x * log(x) for x in w) - information
        assert abs(direct - entropy) < mpf("1e-24"), (direct, entropy)
    return variance * sigma**2, entropy


def plane(centres, weights, sigma):
    mp.dps = 22
    a = [(double(x) / sigma, double(y) / sigma) for x, y in centres]
    w = [double(x) for x in weights]
    reach = mpf(10)
    axes = []
    for axis in range(2):
        c = [p[axis] for p in a]
        axes.append([
            (x0 + h * (1 + t) / 2, weight * h / 2)
            for x0, h in panels(min(c) - reach, max(c) + reach, c, mpf(100))
            for t, weight in GL12
        ])
    # The Gaussian factorises: one exponential a centre and coordinate.
    ex = [[exp(-((x - c[0]) ** 2) / 2) for c in a] for x, _ in axes[0]]
    ey = [[exp(-((y - c[1]) ** 2) / 2) * wk for c, wk in zip(a, w)] for y, _ in axes[1]]
    pairs = [(i, j, (a[i][0] - a[j][0]) ** 2 + (a[i][1] - a[j][1]) ** 2) for i, j in combinations(range(len(a)), 2)]
    variance = entropy = mpf(0)
    for (x, wx), fx in zip(axes[0], ex):
        for (y, wy), fy in zip(axes[1], ey):
            e = [u * v for u, v in zip(fx, fy)]
            p = sum(e)
            weight = wx * wy
            variance += weight * sum(e[i] * e[j] * d for i, j, d in pairs) / p
            entropy += weight * sum(q * log(p / q) for q in e)
    mp.dps = 40
    return variance * sigma**2 / (2 * pi), entropy / (2 * pi)


GL12 = gauss_legendre(12)

MIXTURES = [
    ("pair", [-1, 1], ["0.5", "0.5"], ["0.03", "0.05", "0.1", "0.2", "0.3", "0.5", "0.7", "1", "2", "5", "20", "100"]),
    ("three", ["-1", "0.25", "2"], ["0.25", "0.5", "0.25"], ["0.03125", "0.125", "0.3", "1", "3", "30"]),
    ("clustered", ["0", "0.0009765625", "1", "1.001953125", "5"], ["0.125", "0.125", "0.25", "0.25", "0.25"], ["0.000244140625", "0.001", "0.01", "0.1", "1", "10"]),
    ("far", ["-1000000", "0", "1", "1000000"], ["0.25", "0.25", "0.25", "0.25"], ["0.125", "1", "100", "100000"]),
    ("close", ["0", str(2.0**-27)], ["0.25", "0.75"], ["1e-9", "1e-8", "1", "100"]),
    ("rare", ["0", "1"], [str(mpf(2) ** -40), str(1 - mpf(2) ** -40)], ["0.125", "0.3", "1", "10"]),
    ("grid", [str(k) for k in range(7)], ["0.125"] * 5 + ["0.25", "0.125"], ["0.125", "0.25", "0.5", "2"]),
]


def mixtures():
    out = []
    for name, centres, weights, levels in MIXTURES:
        points = []
        for s in levels:
            mmse, entropy = line(centres, weights, double(s))
            points.append({"sigma": float(s), "mmse": text(mmse), "conditional_entropy": text(entropy)})
        print(name)
        out.append({"name": name, "centres": [[float(c)] for c in centres], "weights": [float(w) for w in weights], "points": points})
    centres, weights = [(0, 0), (1, 0), ("0.25", "0.75")], ["0.5", "0.25", "0.25"]
    points = []
    for s in ["0.3", "1"]:
        mmse, entropy = plane(centres, weights, double(s))
        points.append({"sigma": float(s), "mmse": mp.nstr(mmse, 18), "conditional_entropy": mp.nstr(entropy, 18)})
    out.append({"name": "triangle", "centres": [[float(x), float(y)] for x, y in centres], "weights": [float(w) for w in weights], "points": points})
    return out


def wishart():
    out = []
    for c in [0.01, 0.3, 0.99, 1.0, 1.5, 40.0]:
        cc = mpf(c)
        r = sqrt(cc)
        lower, upper = (1 - r) ** 2, (1 + r) ** 2
        # x = mid - half cos t, density sqrt((x-l)(u-x))/(2 pi c x)
        mid, half = (lower + upper) / 2, (upper - lower) / 2

        def integral(f):
            def g(t):
                x = mid - half * cos(t)
                # near t = 0 and c = 1 the ratio half^2 sin^2/x stays finite
                return f(x) * half**2 * sin(t) ** 2 / (2 * pi * cc * x) if x > 0 else mpf(0)
            return quad(g, [0, pi / 16, pi / 4, pi / 2, pi])

        for s in [0.001, 0.1, 1.0, 7.0**0.5, 30.0, 1e4]:
            s2 = mpf(s) ** 2
            mmse = integral(lambda x: x * s2 / (x + s2))
            information = integral(lambda x: log1p(x / s2)) / 2
            out.append({"ratio": c, "sigma": s, "mmse": mp.nstr(mmse, 20), "information": mp.nstr(information, 20)})
    return out


def gaussian():
    variances = [(2.5, 3), (1e-9, 2), (1e12, 1), (0.0, 4)]
    out = []
    for s in [1e-100, 1e-8, 0.5, 1.0, 1e3, 1e100]:
        s2 = mpf(s) ** 2
        mmse = sum(m * mpf(v) * s2 / (mpf(v) + s2) for v, m in variances)
        information = sum(m * log1p(mpf(v) / s2) for v, m in variances) / 2
        out.append({"sigma": s, "mmse": text(mmse), "information": text(information)})
    return {"variances": [[v, m] for v, m in variances], "points": out}


def random_energy():
    out = []
    for a in [1e-300, 1e-10, 0.25, 1.0, 30.0, 700.0]:
        mp.dps = 700
        critical = 1 / sqrt(expm1(2 * mpf(a)))
        mp.dps = 40
        out.append({"alpha": a, "critical_sigma": text(critical)})
    return out


def main():
    golden = {
        "provenance": "tests/golden/generate_entropy.py, mpmath " + __import__("mpmath").__version__ + ", 40 digits",
        "mixtures": mixtures(),
        "wishart": wishart(),
        "gaussian": gaussian(),
        "random_energy": random_energy(),
    }
    path = Path(__file__).with_name("entropy.json")
    path.write_text(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__":
    main()
