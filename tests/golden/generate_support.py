"""Reference supports of the general Marchenko-Pastur law, for tests/suite/support.rs.

Run:  python3 tests/golden/generate_support.py > tests/golden/support.json
Needs mpmath; deterministic; about a minute.

Nothing here uses the algorithm of the crate. The support is found in 150 digits by
bisection: phi' is increasing between two poles, its root
is bisected, and phi = 1 is bisected and polished by the secant method on both sides of it.
For up to six atoms the number of edges is checked against the real roots of the polynomial
prod (u - t_j)^2 (1 - phi(u)), found all at once by Durand-Kerner (mpmath.polyroots): a
completeness check that knows nothing of intervals or convexity. The square-root coefficient is
taken from the density itself: f(x) = Im u/(pi c |u|^2) at Im u = 1e-25 and 2e-25 times the distance to the next pole, with
Richardson extrapolation. Weights are h/sum(h) exactly, after the division by the rounded sum
that the constructor of a spectrum makes. Inputs are doubles, printed as strings; every reference
is printed with 40 digits and as the nearest double plus the double nearest to the remainder.
"""

import json
import random

import mpmath as mp

mp.mp.dps = 150


def split(x):
    hi = float(x)
    return {"digits": mp.nstr(x, 40), "hi": repr(hi), "lo": repr(float(x - mp.mpf(hi)))}


class Law:
    def __init__(self, atoms, weights, ratio):
        total = 0.0
        for h in weights:
            total += h
        # as the crate: a sum that is one up to its own rounding leaves the weights as given
        if abs(total - 1) <= len(weights) * 2.0**-52:
            total = 1.0
        self.given = [h / total for h in weights]
        exact = sum(mp.mpf(h) for h in self.given)
        pairs = sorted((mp.mpf(t), mp.mpf(h) / exact) for t, h in zip(atoms, self.given))
        self.c = mp.mpf(ratio)
        self.zero = sum((h for t, h in pairs if t == 0), mp.mpf(0))
        self.t = [t for t, h in pairs if t > 0]
        self.h = [h for t, h in pairs if t > 0]

    def phi(self, u):
        return self.c * mp.fsum(h * (t / (u - t)) ** 2 for t, h in zip(self.t, self.h))

    def phi1(self, u):
        return -2 * self.c * mp.fsum(h * t * t / (u - t) ** 3 for t, h in zip(self.t, self.h))

    def x(self, u):
        return u * (1 + self.c * mp.fsum(h * t / (u - t) for t, h in zip(self.t, self.h)))

    def root(self, f, lo, hi):
        """Bisection from a sign change f(lo) < 0 < f(hi), then secant steps."""
        for _ in range(150):
            m = (lo + hi) / 2
            if f(m) < 0:
                lo = m
            else:
                hi = m
        a, b = lo, hi
        fa, fb = f(a), f(b)
        for _ in range(12):
            if fb == fa or abs(b - a) <= abs(b) * mp.mpf(10) ** (6 - mp.mp.dps):
                break
            a, b, fa = b, b - fb * (b - a) / (fb - fa), fb
            fb = f(b)
        assert b == 0 or abs(fb) < mp.mpf(10) ** -80, (a, b, fb)
        return b

    def criticals(self, keep=None):
        """All critical points; those of the intervals not in `keep` replaced by pairs of None,
        where a value of phi < 1 between the poles proves that there are two."""
        t, above = self.t, lambda u: self.phi(u) - 1
        tiny = mp.mpf(10) ** (-mp.mp.dps // 2)
        far = t[-1] * (2 + 2 * mp.sqrt(self.c))
        kappa = 1 - self.c * sum(self.h)
        near = lambda j: tiny * t[j] * mp.sqrt(self.c * self.h[j])
        out = []
        if abs(kappa) < mp.mpf(10) ** (-100):
            out.append(mp.mpf(0))
        elif kappa > 0:
            out.append(self.root(above, mp.mpf(0), t[0] - near(0)))
        else:
            out.append(self.root(above, -far, mp.mpf(0)))
        for j in range(len(t) - 1):
            lo, hi = t[j] + near(j), t[j + 1] - near(j + 1)
            if keep is not None and j not in keep and j + 1 not in keep:
                u, c = float((lo + hi) / 2), float(self.c)
                rough = sum(float(h) * (float(a) / (u - float(a))) ** 2 for a, h in zip(t, self.h))
                assert c * rough < 0.99
                out += [None, None]
                continue
            m = self.root(self.phi1, lo, hi)
            if self.phi(m) < 1:
                out.append(self.root(lambda u: -above(u), lo, m))
                out.append(self.root(above, m, hi))
        out.append(self.root(lambda u: -above(u), t[-1] + near(-1), far))
        return out

    def coefficient(self, s):
        """The limit of f(x)/sqrt|x-e|, or of f(x) sqrt(x) at 0, from x(u) = x."""
        values = []
        nearest = min(abs(s - t) for t in self.t)
        for k in (1, 2):
            w, d = nearest * mp.mpf(10) ** (-25) * k, mp.mpf(0)
            # u = s + d + i w with Im x(u) = 0, by Newton's method in d
            for _ in range(8):
                u = mp.mpc(s + d, w)
                d -= mp.im(self.x(u)) / mp.im(1 - self.phi(u))
            u = mp.mpc(s + d, w)
            x, density = mp.re(self.x(u)), w / (mp.pi * self.c * abs(u) ** 2)
            root = mp.sqrt(abs(x - self.x(s)))
            values.append(density * root if s == 0 else density / root)
        return (4 * values[0] - values[1]) / 3

    def polynomial_count(self):
        """Number of real critical points, with multiplicity."""
        n = len(self.t)
        with mp.workdps(200):
            square = lambda t: [mp.mpf(1), -2 * t, t * t]

            def product(ps):
                out = [mp.mpf(1)]
                for p in ps:
                    new = [mp.mpf(0)] * (len(out) + len(p) - 1)
                    for i, a in enumerate(out):
                        for j, b in enumerate(p):
                            new[i + j] += a * b
                    out = new
                return out

            poly = product([square(t) for t in self.t])
            for j in range(n):
                part = product([square(t) for i, t in enumerate(self.t) if i != j])
                for i, a in enumerate(part):
                    poly[i + 2] -= self.c * self.h[j] * self.t[j] ** 2 * a
            roots = mp.polyroots(poly, maxsteps=2000, extraprec=2000)
            scale = max(abs(r) for r in roots)
            return sum(1 for r in roots if abs(mp.im(r)) < scale * mp.mpf(10) ** (-60))


def case(name, atoms, weights, ratio, keep=None):
    law = Law(atoms, weights, ratio)
    s = law.criticals(keep)
    if len(law.t) <= 6 and name != "extremes":
        count = law.polynomial_count()
        assert count == len(s), (name, count, len(s))
    components, start = [], 0
    excess = law.c * sum(law.h) > 1
    edge = lambda u: {
        "position": split(law.x(u)),
        "coefficient": split(law.coefficient(u)),
    }
    pairs = list(zip(s[::2], s[1::2]))
    index = list(range(len(pairs))) if keep is None else keep
    for k, (lower, upper) in enumerate(pairs):
        stop = k + 1 if keep is not None else sum(1 for t in law.t if t < upper)
        mass = sum(law.h[start:stop])
        if start == 0 and excess:
            mass -= 1 - 1 / law.c - law.zero
        if k in index:
            ends = {"lower": edge(lower), "upper": edge(upper)}
            components.append({"atoms": [start, stop], "mass": split(mass), **ends})
        start = stop
    atom = max(law.zero, 1 - 1 / law.c)
    components = {"count": len(pairs), "index": index, "kept": components}
    return {
        "name": name,
        "ratio": repr(ratio),
        "atoms": [repr(t) for t in atoms],
        "weights": [repr(h) for h in weights],
        "components": components,
        "atom_at_zero": split(atom),
    }


def touching(ratio, gap, first=1.0, weight=0.5):
    """The second atom for which the gap between two is about `gap` wide, to a double."""

    def width(t):
        law = Law([first, float(t)], [weight, 1 - weight], ratio)
        law.t[1] = t
        s = law.criticals()
        return law.x(s[2]) - law.x(s[1]) if len(s) == 4 else mp.mpf(-1)

    lo, hi = mp.mpf(first), mp.mpf(100)
    for _ in range(80):
        m = (lo + hi) / 2
        if width(m) < gap:
            lo = m
        else:
            hi = m
    return float(hi)


def main():
    out = []
    add = lambda *a, **k: out.append(case(*a, **k))
    half = [0.5, 0.5]
    add("one atom", [1.0], [1.0], 0.5)
    add("two atoms", [1.0, 10.0], half, 0.3)
    add("gap of 5e-8", [1.0, 3.176540655470742], half, 0.3)
    for gap in ("1e-10", "1e-12", "1e-14", "1e-20"):
        t = touching(0.3, mp.mpf(gap))
        add("gap near " + gap, [1.0, t], half, 0.3)
    add("atom at 0", [0.0, 1.0, 5.0], [0.4, 0.3, 0.3], 0.5)
    add("c = 1", [1.0, 3.0], half, 1.0)
    add("c = 1 with an atom at 0", [0.0, 1.0, 30.0], [0.25, 0.25, 0.5], 1.0)
    add("hard edge with an atom at 0", [0.0, 1.0, 30.0], [0.5, 0.25, 0.25], 2.0)
    add("nearly hard", [1.0, 3.0], half, 1 - 2.0**-53)
    add("nearly hard, above", [1.0, 3.0], half, 1 + 2.0**-52)
    add("c = 100", [1.0, 3.0, 7.0], [1 / 3, 1 / 3, 1 / 3], 100.0)
    add("c = 100 with an atom at 0", [0.0, 1.0, 900.0], [0.5, 0.4, 0.1], 100.0)
    add("c = 1e10", [1.0, 2.0], half, 1e10)
    add("c = 1e-10", [1.0, 2.0, 4.0], [0.25, 0.5, 0.25], 1e-10)
    add("neighbouring doubles", [1.0, 1.0 + 2.0**-52, 2.0], [0.25, 0.25, 0.5], 0.1)
    add("neighbouring doubles, c = 1e-10", [1.0, 1.0 + 2.0**-52], half, 1e-10)
    add("spike", [1.0, 2.5], [1 - 1e-9, 1e-9], 0.5)
    add("spike below threshold", [1.0, 1.6], [1 - 1e-9, 1e-9], 0.5)
    add("light spike", [1.0, 3.0], [1.0, 1e-40], 0.5)
    add("extremes", [1e-60, 1.0, 1e60], [0.25, 0.25, 0.5], 0.5)
    smooth = [0.1 * 100.0 ** (k / 99) for k in range(100)]
    add("geometric, 2 decades", smooth, [0.01] * 100, 0.5)
    decades = [10.0 ** (k / 2 - 8) for k in range(33)]
    add("geometric, 16 decades", decades, [1 / 33] * 33, 0.5)
    add("geometric, 16 decades, c = 1e-2", decades, [1 / 33] * 33, 0.01)
    even = [1 + k / 64 for k in range(1000)]
    add("1000 components", even, [1e-3] * 1000, 1e-5, keep=[0, 1, 500, 999])
    rng = random.Random(6)
    for k in range(12):
        n = rng.randint(2, 6)
        atoms = sorted(rng.uniform(0.1, 1) * 10 ** rng.uniform(-1, 2) for _ in range(n))
        weights = [rng.random() + 0.01 for _ in range(n)]
        total = sum(weights)
        ratio = 10 ** rng.uniform(-3, 1)
        add("random %d" % k, atoms, [h / total for h in weights], ratio)
    print(json.dumps({"provenance": "generate_support.py: mpmath, 150 digits", "cases": out}, indent=0))


main()
