"""Reference values for Gaussian mixtures and small data sets: writes mixture.json next to itself.

Run:  python3 tests/golden/generate_mixture.py     (needs mpmath and numpy; two CPU minutes)

Not the formulas of the crate: here everything follows from the density p of x_σ alone,

    mmse = d σ² − σ⁴ E|∇ ln p|²   (Tweedie/Fisher),     I = −E ln p − (d/2) ln(2πe σ²),

which cancels badly and is therefore done in 50 digits on the line (Gauss–Legendre on pieces),
and only at moderate σ in the plane (trapezoidal rule in double precision with long double sums,
two steps compared; values agree to 1e-11 or the script stops).
"""

import json
import os

import numpy as np
from mpmath import e as E1
from mpmath import exp, log, mp, mpf, nstr, pi, quad, sqrt

mp.dps = 50

LINES = {
    # weights, means, variances
    "three": ([".2", ".5", ".3"], ["-1", ".5", "3"], [".01", "1", "0"]),
    "needle": ([".5", ".5"], ["0", "0"], ["1e-8", "1"]),
    "far": ([".3", ".7"], ["1000", "1001"], ["0", "0"]),
}
LEVELS = {
    "three": [".01", ".1", ".5", "1", "3", "100", "10000"],
    "needle": ["1e-5", "1e-3", ".1", "1", "10"],
    "far": [".05", ".1", ".3", "1", "30"],
}


def line(weights, means, variances, sigma):
    w = [mpf(x) for x in weights]
    m = [mpf(x) for x in means]
    s2 = [mpf(x) + sigma**2 for x in variances]
    centre = sum(a * b for a, b in zip(w, m))
    m = [x - centre for x in m]

    def p(x):
        terms = [wk / sqrt(2 * pi * sk) * exp(-((x - mk) ** 2) / (2 * sk)) for wk, mk, sk in zip(w, m, s2)]
        slope = sum(-(x - mk) / sk * t for mk, sk, t in zip(m, s2, terms))
        return sum(terms), slope

    # pieces: multiples of every width around every mean, and between neighbours the crossing
    marks = set()
    for mk, sk in zip(m, s2):
        for z in (0, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 14, 18):
            marks |= {mk + z * sqrt(sk), mk - z * sqrt(sk)}
    for a, b in zip(m, m[1:]):
        if a != b:
            width = sigma**2 / abs(b - a)
            for z in range(-24, 25, 2):
                if abs(z * width) < abs(b - a) / 2:
                    marks.add((a + b) / 2 + z * width)
    marks = sorted(marks)
    f = lambda x: (lambda q: q[1] ** 2 / q[0])(p(x))
    h = lambda x: (lambda q: -q[0] * log(q[0]))(p(x))
    fisher, entropy, mass = (quad(g, marks, maxdegree=8) for g in (f, h, lambda x: p(x)[0]))
    assert abs(mass - 1) < mpf(10) ** -35, mass
    return sigma**2 - sigma**4 * fisher, entropy - log(2 * pi * E1 * sigma**2) / 2


def plane(weights, means, variances, sigma):
    """(mmse, information) for means and variances of shape (K, 2)."""
    w, m, s2 = np.array(weights), np.array(means), np.array(variances) + sigma**2

    def at(steps):
        axes = []
        for j in range(2):
            s = np.sqrt(s2[:, j])
            axes.append(np.linspace((m[:, j] - 10 * s).min(), (m[:, j] + 10 * s).max(), steps))
        x, y = axes
        cell = (x[1] - x[0]) * (y[1] - y[0])
        p = gx = gy = 0.0
        for wk, (mx, my), (sx, sy) in zip(w, m, s2):
            q = wk / (2 * np.pi * np.sqrt(sx * sy)) * np.outer(
                np.exp(-((x - mx) ** 2) / (2 * sx)), np.exp(-((y - my) ** 2) / (2 * sy))
            )
            p, gx, gy = p + q, gx - (x - mx)[:, None] / sx * q, gy - (y - my)[None] / sy * q
        good = p > 1e-290
        total = lambda a: float(np.sum(a[good].astype(np.longdouble)) * cell)
        with np.errstate(all="ignore"):
            fisher, entropy = total((gx**2 + gy**2) / p), total(-p * np.log(p))
        assert abs(total(p) - 1) < 1e-12
        return 2 * sigma**2 - sigma**4 * fisher, entropy - np.log(2 * np.pi * np.e * sigma**2)

    coarse, fine = at(1200), at(1801)
    assert all(abs(a - b) < 1e-11 for a, b in zip(coarse, fine)), (coarse, fine)
    return fine


PLANES = {
    "diagonal": (
        [0.2, 0.3, 0.5],
        [[0.0, 1.0], [2.0, -1.0], [-1.0, -1.0]],
        [[0.25, 0.04], [0.0, 0.5], [0.3, 0.3]],
    ),
    "five-points": (
        [0.2] * 5,
        [[0.0, 0.0], [1.0, 0.25], [-0.5, 1.5], [2.0, -1.0], [2.25, -1.25]],
        [[0.0, 0.0]] * 5,
    ),
    # the first point of the set above twice, the fifth not at all
    "repeated-point": (
        [0.4, 0.2, 0.2, 0.2],
        [[0.0, 0.0], [1.0, 0.25], [-0.5, 1.5], [2.0, -1.0]],
        [[0.0, 0.0]] * 4,
    ),
}


def main():
    out = {
        "provenance": "generate_mixture.py: mmse = d s^2 - s^4 E|grad ln p|^2 and "
        "I = h(x_s) - d/2 ln(2 pi e s^2); lines in 50 digits (Gauss-Legendre), planes in double "
        "precision (trapezoidal rule, 1e-11 absolute)",
        "lines": [],
        "planes": [],
    }
    for name, law in LINES.items():
        points = []
        for s in LEVELS[name]:
            mmse, info = line(*law, mpf(s))
            points.append({"sigma": float(s), "mmse": nstr(mmse, 20), "information": nstr(info, 20)})
        as_float = lambda xs: [float(x) for x in xs]
        w, m, v = map(as_float, law)
        out["lines"].append({"name": name, "weights": w, "means": m, "variances": v, "points": points})
    for name, (w, m, v) in PLANES.items():
        points = []
        for s in (0.2, 0.5, 1.0, 3.0):
            mmse, info = plane(w, m, v, s)
            points.append({"sigma": s, "mmse": round(mmse, 12), "information": round(info, 12)})
        out["planes"].append({"name": name, "weights": w, "means": m, "variances": v, "points": points})
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mixture.json")
    with open(path, "w") as f:
        json.dump(out, f, indent=1)
        f.write("\n")


main()
