"""Recomputes tests/golden/silverstein.json, in place.

Run: python3 generate_silverstein.py   (needs python-flint; deterministic; a minute or two)

The oracle solves the companion equation z = -1/v + c sum h t/(1+t v) for v (the crate works with
u = -1/v about base points): damped Newton in 100 digits at z + i L, L falling from far above
the spectrum to 0, in C+ all the way; on the real axis the limit is a complex root or else the
real root with dz/dv > 0. Asserted: last relative step below 1e-80, relative residual below 1e-70.
Densities on the real axis ("axis"): the abscissae stay those of the file (grids over the
support, and geometric grids towards edges); values are compared with those already there (1e-11:
weights that sum to 1 - 1e-16 count) and written anew. Transforms ("points"): built here, from fixed seeds.
Atoms, weights, ratio, x and z are the exact binary64 numbers, weights mean h/sum(h). Doubles are
written as the shortest strings that read back to the same double, results with 25 digits.
"""

import json
import os
import random

from flint import acb, arb, ctx

ctx.dps = 100
HERE = os.path.dirname(os.path.abspath(__file__))
ONE = acb(1)


def middle(v):
    """The midpoint: Newton's method corrects itself, and the result is checked at the end."""
    return acb(v.real.mid(), v.imag.mid())


def size(v):
    return float(abs(v).mid())


class Law:
    def __init__(self, name, ratio, atoms, weights):
        self.name, self.ratio, self.atoms, self.weights = name, ratio, atoms, weights
        self.c = arb(ratio)
        total = sum(arb(h) for h in weights)
        self.pairs = [(acb(t), acb(self.c * arb(h) / total)) for t, h in zip(atoms, weights) if t > 0]
        self.top = float(max(atoms))

    def x(self, v):
        """z(v) and dz/dv."""
        first, second = acb(0), acb(0)
        for t, share in self.pairs:
            q = t / (ONE + t * v)
            p = share * q
            first += p
            second += p * q
        inverse = ONE / v
        return first - inverse, inverse * inverse - second

    def newton(self, v, z, inside=True, steps=80):
        """Newton's method, in C+ all the way if asked; None without convergence."""
        for _ in range(steps):
            value, slope = self.x(v)
            step = middle((value - z) / slope)
            while inside and not (v - step).imag > 0:
                step *= 0.5
            v = middle(v - step)
            if abs(step) <= abs(v) * arb("1e-80"):
                return v
        return None

    def root(self, z):
        """v(z) for Im z >= 0: by continuation down the imaginary direction, then at z itself."""
        z = acb(z)
        lift = 4 * (1 + float(self.c)) * self.top + 2 * size(z)
        low = float(z.imag) * 1e-3 if z.imag > 0 else 1e-7 * min(size(z), self.top)
        v = -ONE / (z + acb(0, lift))
        while lift >= low:
            v = self.newton(v, z + acb(0, lift))
            assert v is not None, (self.name, z, lift)
            lift /= 4
        if z.imag > 0:
            v = self.newton(v, z)
            assert v is not None, (self.name, z)
            return v
        return self.real_axis(v, z, lift)

    def real_axis(self, v, z, lift):
        """From v at a small lift to the limit on the real axis: complex or real."""
        for _ in range(20):
            w = self.newton(v, z, inside=False)
            if w is not None:
                if w.imag > abs(w) * arb("1e-60"):
                    return w
                w = acb(w.real, 0)
                value, slope = self.x(w)
                if abs(value - z) < abs(z) * arb("1e-70") and slope.real > 0:
                    return w
            # the starting point was not near enough
            for _ in range(6):
                lift /= 4
                v = self.newton(v, z + acb(0, lift))
        raise AssertionError((self.name, z))

    def transforms(self, z):
        lower = z.imag < 0
        z = z.conjugate() if lower else z
        v = self.root(z)
        value, slope = self.x(v)
        assert abs(value - z) <= abs(z) * arb("1e-70"), (self.name, z)
        dv = ONE / slope
        m = (v + (1 - self.c) / z) / self.c
        dm = (dv - (1 - self.c) / (z * z)) / self.c
        out = [v, dv, m, dm]
        return [y.conjugate() for y in out] if lower else out


def number(x, scale):
    """25 digits; the proved error is below 1e-26 of the scale."""
    assert x.rad() <= abs(scale) * arb("1e-26"), x
    return x.mid().str(25, radius=False)


def exact(x):
    return repr(float(x))


def describe(law, **more):
    return {
        "name": law.name,
        "ratio": exact(law.ratio),
        "atoms": [exact(t) for t in law.atoms],
        "weights": [exact(h) for h in law.weights],
        **more,
    }


def axis(old):
    """The density at the abscissae of the file."""
    law = Law(old["name"], *(float(old["ratio"]), list(map(float, old["atoms"])),
                             list(map(float, old["weights"]))))
    density = [law.root(acb(float(x))).imag / (arb.pi() * law.c) for x in old["x"]]
    for new, before in zip(density, old["density"]):
        assert abs(new - arb(before)) <= new * arb("1e-11"), (law.name, new, before)
    return describe(law, edges=old["edges"], x=old["x"], density=[number(f, f) for f in density])


def points(law, z):
    """v, v', m, m' at every z = (re, im)."""
    rows = []
    for re, im in z:
        values = law.transforms(acb(float(re), float(im)))
        rows.append([exact(re), exact(im)] + [number(p, y) for y in values for p in (y.real, y.imag)])
    return describe(law, rows=rows)


def plane(scale):
    """Both half planes, near and far, near the axis, near 0, the negative axis."""
    z = [(1, 1), (1, -1), (2, 0.25), (-1, 1e-3), (-1, 0), (-1e-3, 0), (-50, 0), (3, 1e-6),
         (0.7, 1e-12), (4, -1e-9), (0, 1), (0, 1e-3), (1e-8, 1e-9), (1e-30, 1e-30), (-1e-30, 0),
         (1e30, 1e29), (-1e30, 0), (1e30, 0), (0.1, 1e-300), (100, 1e-30)]
    return [(scale * re, scale * im) for re, im in z]


def fixed():
    yield Law("two", 0.3, [1, 10], [0.5, 0.5]), plane(1) + [(2.5, 0), (3.9, 0), (1.7, 0), (0.2, 0), (25, 0)]
    yield Law("identity", 0.25, [1], [1]), plane(1) + [(1, 0), (0.2, 0), (2.3, 0)]
    yield Law("hard edge", 1, [1, 4], [0.5, 0.5]), plane(1) + [(1e-20, 0), (1, 0), (5, 0)]
    yield Law("atom at zero", 0.5, [0, 1, 5], [0.4, 0.3, 0.3]), plane(1) + [(1, 0), (1.8, 0)]
    yield Law("atom at zero, hard edge", 2, [0, 1, 3], [0.5, 0.25, 0.25]), plane(1) + [(1, 0)]
    yield Law("few samples", 2, [1], [1]), plane(1) + [(0.1, 0), (3, 0)]
    yield Law("very few samples", 1000, [1, 2], [0.5, 0.5]), plane(1000) + [(1500, 0)]
    yield Law("many samples", 1e-3, [1, 2], [0.5, 0.5]), plane(1) + [(1.05, 0), (1.5, 0), (2, 0)]
    yield Law("geometric", 0.5, [10.0**-k for k in range(17)], [1 / 17] * 17), plane(1e-8) + [
        (10.0**-k, 0) for k in range(0, 17, 2)]
    yield Law("nearly equal", 0.1, [1, 1 + 2.0**-40, 2], [0.3, 0.3, 0.4]), plane(1) + [(1, 0), (1.4, 0)]
    yield Law("spike 1e-3", 0.5, [1, 4], [0.999, 0.001]), plane(1) + [(4.66, 0), (4.5, 0), (3.5, 0), (4.7, 0)]
    yield Law("spike 1e-9", 0.5, [1, 4], [1 - 1e-9, 1e-9]), plane(1) + [
        (4.6666666, 0), (4.6666, 0), (4.66670, 0), (3, 0)]


def spectra():
    """Random spectra: condition to 1e16, c from 1e-3 to 1e3, atoms at 0, near pairs, small weights."""
    rng = random.Random(6)
    for index in range(40):
        k = rng.choice([1, 2, 3, 5, 8, 12])
        span = rng.choice([0.5, 2, 5, 16])
        atoms = [10 ** rng.uniform(-span, 0) for _ in range(k)]
        if index % 3 == 0:
            atoms.append(atoms[0] * (1 + 2.0 ** -rng.randint(10, 40)))
        weights = [rng.uniform(0.1, 1) for _ in atoms]
        if index % 4 == 0:
            atoms.append(10 ** rng.uniform(-1, 1))
            weights.append(10 ** rng.uniform(-12, -3))
        if index % 5 == 0:
            atoms.append(0.0)
            weights.append(0.5)
        total = sum(weights)
        weights = [h / total for h in weights]
        ratio = 1.0 if index % 7 == 0 else 10 ** rng.uniform(-3, 3)
        top = max(atoms)
        z = []
        for _ in range(6):
            size = 10 ** rng.uniform(-span, 1) * top * (1 + ratio)
            height = size * 10 ** rng.uniform(-12, 1)
            z.append((size * rng.uniform(-1, 1), height if rng.random() < 0.8 else -height))
        for _ in range(4):
            z.append((10 ** rng.uniform(-span, 0.5) * top * (1 + ratio), 0))
        z.append((-(10 ** rng.uniform(-span, 1)) * top, 0))
        yield Law(f"random {index}", ratio, atoms, weights), z


def main():
    path = os.path.join(HERE, "silverstein.json")
    with open(path) as file:
        old = json.load(file)
    out = {
        "provenance": "generate_silverstein.py: Arb through python-flint, 100 digits, damped Newton on the companion "
        "equation, continued down from Im z large; columns of rows: Re z, Im z, Re v, Im v, "
        "Re v', Im v', Re m, Im m, Re m', Im m'; on the real axis limits from above",
        "axis": [axis(entry) for entry in old["axis"]],
        "points": [points(law, z) for law, z in fixed()],
        "random": [points(law, z) for law, z in spectra()],
    }
    with open(path, "w") as file:
        json.dump(out, file, indent=0)
        file.write("\n")


if __name__ == "__main__":
    main()
