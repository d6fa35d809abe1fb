"""Reference densities for the comparison with other software.

Run: python3 benches/against/generate_golden.py   (mpmath, numpy; minutes; writes golden.json)

x(u) = u(1 + c sum_j h_j t_j/(u - t_j)) has exactly one root u(x) in the open upper half plane
for a real x inside the support, and none otherwise; the density is Im u/(pi c |u|^2). A root that
Newton's method finds in 50 digits, with Im u > 0 and a residual of 1e-45, is therefore the right
one, however it was found: the starting points come from a continuation in double precision.
Numbers are strings, because not every JSON reader returns the nearest double. Edges are the values of x at the real solutions of c sum h t^2/(s - t)^2 = 1.
"""

import json
import pathlib
import re

import mpmath as mp
import numpy as np

mp.mp.dps = 50
POINTS = 1000
CASES = [
    ("one eigenvalue", 0.3, [1.0], [1.0], 40),
    ("two bulks", 0.3, [1.0, 10.0], [0.5, 0.5], 40),
    ("geometric 100", 0.5, 100, None, 40),
    ("geometric 1000", 0.5, 1000, None, 40),
    ("geometric 100000", 0.5, 100_000, None, 20),
    ("hard edge", 1.0, [1.0, 3.0], [0.5, 0.5], 40),
    ("hundred features a sample", 100.0, [1.0, 3.0, 7.0], [1 / 3, 1 / 3, 1 / 3], 40),
    ("atom at zero", 0.5, [0.0, 1.0, 5.0], [0.4, 0.3, 0.3], 40),
    ("touching bulks", 0.3, [1.0, 3.176540655470742], [0.5, 0.5], 40),
    ("condition 1e16", 0.5, [10.0 ** (k / 2) for k in range(-16, 17)], [1 / 33] * 33, 40),
]


def population(atoms, weights):
    """Atoms and weights; a count stands for that many from 0.1 to 10 in geometric progression."""
    if weights is None:
        k = np.arange(atoms)
        return 0.1 * 100.0 ** (k / (atoms - 1)), np.full(atoms, 1 / atoms)
    return np.array(atoms), np.array(weights)


class Law:
    def __init__(self, atoms, weights, ratio):
        keep = atoms > 0
        self.t, self.a = atoms[keep], ratio * weights[keep] / weights.sum()
        self.ratio = ratio
        total = mp.fsum(weights)
        self.pairs = [
            (mp.mpf(t), mp.mpf(ratio) * mp.mpf(h) / total)
            for t, h in zip(self.t.tolist(), weights[keep].tolist())
        ]

    def phi(self, s):
        return float(np.sum(self.a * (self.t / (s - self.t)) ** 2))

    def edges(self):
        """Pairs of edges, in mp."""
        t, a, n = self.t, self.a, len(self.t)
        criticals = []
        mass = mp.fsum(a for _, a in self.pairs)
        if mass == 1:
            criticals.append(mp.mpf(0))
        else:
            low = -2 * t[-1] * (1 + np.sqrt(self.ratio)) if mass > 1 else 0.0
            high = 0.0 if mass > 1 else t[0]
            criticals.append(self.critical(low, high))
        for j in range(n - 1):
            gap = t[j + 1] - t[j]
            # both neighbours alone, at the point where their sum is least
            p, q = (a[j] * t[j] ** 2) ** (1 / 3), (a[j + 1] * t[j + 1] ** 2) ** (1 / 3)
            if (p + q) ** 3 / gap**2 >= 1:
                continue
            lo, hi = t[j], t[j + 1]
            for _ in range(200):
                m1, m2 = lo + (hi - lo) / 3, hi - (hi - lo) / 3
                lo, hi = (lo, m2) if self.phi(m1) < self.phi(m2) else (m1, hi)
            least = (lo + hi) / 2
            if self.phi(least) < 1:
                criticals += [self.critical(least, t[j]), self.critical(least, t[j + 1])]
        criticals.append(self.critical(t[-1] * (2 + 2 * np.sqrt(self.ratio)), t[-1]))
        x = [self.x(s)[0] for s in criticals]
        return list(zip(x[::2], x[1::2]))

    def critical(self, below, above):
        """The s between with phi = 1: bisection in doubles, then Newton in mp."""
        for _ in range(200):
            middle = (below + above) / 2
            below, above = (middle, above) if self.phi(middle) < 1 else (below, middle)
        s = mp.mpf(below)
        for _ in range(8):
            f = mp.fsum(a * (t / (s - t)) ** 2 for t, a in self.pairs) - 1
            s += f / mp.fsum(2 * a * t**2 / (s - t) ** 3 for t, a in self.pairs)
        return s

    def x(self, u):
        """x(u) and its slope, in mp."""
        first = second = mp.mpc(0)
        for t, a in self.pairs:
            q = t / (u - t)
            first += a * q
            second += a * q * q
        x = u * (1 + first)
        return (x.real if mp.im(u) == 0 else x), 1 - second

    def density(self, x):
        """To about 40 digits."""
        t, a = self.t, self.a
        lift = 4 * (1 + self.ratio) * t[-1] + 2 * x
        u = complex(x, lift)
        while True:
            for _ in range(60):
                q = t / (u - t)
                step = (u * (1 + np.sum(a * q)) - complex(x, lift)) / (1 - np.sum(a * q * q))
                while lift > 0 and (u - step).imag <= 0:
                    step /= 2
                u -= step
                if abs(step) <= 1e-13 * abs(u):
                    break
            if lift == 0:
                break
            lift = lift / 2 if lift > 1e-11 * x else 0.0
        u, x = mp.mpc(u), mp.mpf(x)
        for _ in range(12):
            value, slope = self.x(u)
            step = (value - x) / slope
            u -= step
            if abs(step) < mp.mpf(10) ** -30 * abs(u):
                break
        residual = abs(self.x(u)[0] - x)
        assert mp.im(u) > 0 and residual < mp.mpf(10) ** -42 * (x + abs(u)), (x, u, residual)
        return u.imag / (mp.pi * self.ratio * abs(u) ** 2)


def grid(edges):
    """POINTS points, an even share a component, dense at its edges."""
    k = len(edges)
    out = []
    for i, (a, b) in enumerate(edges):
        n = POINTS * (i + 1) // k - POINTS * i // k
        angle = np.pi * (np.arange(n) + 0.5) / n
        out.append(a + (b - a) * np.sin(angle / 2) ** 2)
    return np.concatenate(out)


def ridge(p):
    """Risk of ridge regression: eigenvalues k^-0.8, n = p/2, flat signal of power 1, noise 0.3."""
    lam = [float(k) ** -0.8 for k in range(1, p + 1)]
    n, noise = p / 2, mp.mpf(0.3)
    exact = [mp.mpf(l) for l in lam]
    rhos = [10.0 ** (-6 + 9 * i / 999) for i in range(1000)]
    checks = []
    for index in range(50, 1000, 100):
        rho = mp.mpf(rhos[index])
        gap = lambda y: mp.e**y - rho - mp.e**y * mp.fsum(l / (l + mp.e**y) for l in exact) / n
        low, high = mp.mpf(-50), mp.mpf(50)
        for _ in range(120):
            middle = (low + high) / 2
            low, high = (low, middle) if gap(middle) > 0 else (middle, high)
        k = mp.e**low
        df2 = mp.fsum((l / (l + k)) ** 2 for l in exact)
        bias = k**2 * mp.fsum(l / (l + k) ** 2 for l in exact) / p
        checks.append([index, mp.nstr((bias + noise * df2 / n) / (1 - df2 / n), 25)])
    return {"eigenvalues": lam, "samples": n, "noise": 0.3, "ridges": rhos, "checks": checks}


def one_line_a_check(text):
    return re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda m: "[" + " ".join(m[1].split()) + "]", text)


def main():
    cases = []
    for name, ratio, atoms, weights, count in CASES:
        t, h = population(atoms, weights)
        law = Law(t, h, ratio)
        edges = [[float(a), float(b)] for a, b in law.edges()]
        x = grid(edges)
        checks = []
        for i in range(count):
            index = int((i + 0.5) * POINTS / count)
            # the point as it is stored, so that every method gets the same double
            checks.append([index, repr(float(x[index])), mp.nstr(law.density(float(x[index])), 25)])
        spec = {"geometric": atoms}
        if weights is not None:
            spec = {"atoms": list(map(repr, atoms)), "weights": list(map(repr, weights))}
        ends = [[repr(a), repr(b)] for a, b in edges]
        cases.append({"name": name, "ratio": ratio, **spec, "edges": ends, "checks": checks})
        print(name, len(edges), checks[0], flush=True)
    ridges = [{"name": f"ridge curve {p}", "p": p, "checks": ridge(p)["checks"]} for p in (100, 1000)]
    provenance = "generate_golden.py: Newton in 50 digits, accepted in the upper half plane"
    golden = {"provenance": provenance, "points": POINTS, "density": cases, "ridge": ridges}
    path = pathlib.Path(__file__).with_name("golden.json")
    path.write_text(one_line_a_check(json.dumps(golden, indent=1)) + "\n")


if __name__ == "__main__":
    main()
