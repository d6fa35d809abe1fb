"""Reference roots u(z) of the companion equation x(u) = z, for tests/suite/silverstein_solver.rs.

Run: python3 generate_silverstein_solver.py > silverstein_solver.json     (needs mpmath >= 1.3)

Independent of the crate: all k+1 roots of the polynomial (x(u) - z) prod(u - tau_j) in 50 digits
(Durand-Kerner), improved in 250, and of these the one with Im u > 0, or the
real one with x'(u) > 0. Ratios, atoms, weights and z are doubles, taken exactly; the weights
mean h_j / sum(h).
"""

import json
import math
import sys

from mpmath import mp, mpf, mpc, polyroots

LAWS = [
    ("two atoms", 0.3, [1.0, 10.0], [0.5, 0.5]),
    ("one atom, hard edge", 1.0, [1.0], [1.0]),
    ("touching", 0.3, [1.0, 3.176540655470742], [0.5, 0.5]),
    ("16 decades", 0.5, [1e-8, 1e-6, 1e-4, 1e-2, 1.0, 1e2, 1e4, 1e6, 1e8], [1 / 9] * 9),
    ("c = 100", 100.0, [1.0, 2.0, 5.0], [0.25, 0.5, 0.25]),
    ("c = 1e-3", 1e-3, [1.0, 2.0, 5.0], [0.25, 0.5, 0.25]),
    ("c = 1e3", 1e3, [0.5, 3.0], [0.25, 0.75]),
    ("atom at 0", 2.0, [0.0, 1.0, 4.0], [0.3, 0.35, 0.35]),
    ("atom at 0, hard edge", 2.0, [0.0, 1.0, 4.0], [0.5, 0.25, 0.25]),
    ("spike 1e-3", 0.5, [1.0, 5.0], [0.999, 0.001]),
    ("spike 1e-9", 0.5, [1.0, 5.0], [0.999999999, 1e-9]),
    ("nearly equal", 0.7, [1.0, 1.000000001, 1.000000002, 2.0], [0.25] * 4),
]


def times(p, q):
    """The product of two polynomials."""
    out = [mpf(0)] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            out[i + j] += a * b
    return out


class Law:
    def __init__(self, c, atoms, weights):
        self.c = mpf(c)
        total = mp.fsum(map(mpf, weights))
        self.pairs = [(mpf(t), self.c * mpf(h) / total) for t, h in zip(atoms, weights) if t > 0]

    def x(self, u):
        return u * (1 + mp.fsum(a * t / (u - t) for t, a in self.pairs))

    def slope(self, u):
        return 1 - mp.fsum(a * t * t / (u - t) ** 2 for t, a in self.pairs)

    def polynomial(self, z):
        """Coefficients, highest first, of (u - z) P + u sum a t P/(u - t)."""
        full = [mpf(1)]
        for t, _ in self.pairs:
            full = times(full, [mpf(1), -t])
        total = times(full, [mpf(1), -z])
        for k, (t, a) in enumerate(self.pairs):
            part = [a * t, mpf(0)]
            for j, (s, _) in enumerate(self.pairs):
                if j != k:
                    part = times(part, [mpf(1), -s])
            offset = len(total) - len(part)
            for i, q in enumerate(part):
                total[offset + i] += q
        return total

    def root(self, z):
        mp.dps = 50
        roots = polyroots(self.polynomial(z), maxsteps=500, extraprec=300)
        mp.dps = 250
        best = []
        for u in roots:
            u = mpc(u)
            if mp.im(z) == 0 and abs(mp.im(u)) < mpf(10) ** -60 * abs(u):
                u = mp.re(u)
            if any(u == t for t, _ in self.pairs):
                continue
            for _ in range(12):
                slope = self.slope(u)
                if slope == 0:
                    break
                step = (self.x(u) - z) / slope
                u -= step
                if abs(step) < mpf(10) ** -230 * abs(u):
                    break
            if mp.im(u) > mpf(10) ** -200 * abs(u):
                best.append(u)
            elif mp.im(z) == 0 and abs(mp.im(u)) <= mpf(10) ** -200 * abs(u):
                if mp.re(self.slope(u)) > 0:
                    best.append(mpc(mp.re(u), 0))
        if len(best) != 1:
            raise ValueError(f"{len(best)} roots for {z}")
        return best[0]

    def edges(self):
        """x at the real critical points, from the polynomial of x'(u)."""
        mp.dps = 120
        total = [mpf(1)]
        for t, _ in self.pairs:
            total = times(total, [mpf(1), -2 * t, t * t])
        for k, (t, a) in enumerate(self.pairs):
            part = [a * t * t]
            for j, (s, _) in enumerate(self.pairs):
                if j != k:
                    part = times(part, [mpf(1), -2 * s, s * s])
            offset = len(total) - len(part)
            for i, q in enumerate(part):
                total[offset + i] -= q
        while total and abs(total[-1]) < mpf(10) ** -100:
            total.pop()
        roots = polyroots(total, maxsteps=500, extraprec=600)
        real = sorted(mp.re(u) for u in roots if abs(mp.im(u)) < mpf(10) ** -40 * abs(u))
        hard = 1 - mp.fsum(a for _, a in self.pairs) == 0
        return ([mpf(0)] if hard else []) + [self.x(s) for s in real]


def points(edges):
    real, out = [], []
    for a, b in zip(edges[::2], edges[1::2]):
        for k in range(1, 6):
            t = math.cos(math.pi * k / 6)
            real.append(float((a + b) / 2 + (b - a) / 2 * mpf(t)))
        for e, sign in ((a, 1), (b, -1)):
            for d in (1e-2, 1e-6, 1e-10, 1e-13):
                real.append(float(e + sign * mpf(d) * (b - a)))
                real.append(float(e - sign * mpf(d) * (b - a)))
            nearest = float(e)
            real += [math.nextafter(nearest, 1e300), math.nextafter(nearest, -1e300), nearest]
    for b, a in zip(edges[1::2], edges[2::2]):
        real.append(float((a + b) / 2))
    top = float(edges[-1])
    real += [-1e-100 * top, -1e-12 * top, -0.3 * top, -1e6 * top, 1.5 * top, 1e6 * top, 1e100]
    real += [1e-30, float(edges[0]) * 0.3]
    out = [(x, 0.0) for x in sorted(set(real)) if x != 0.0]
    for e in (-0.7 * top, 0.0, float(edges[0]), float((edges[0] + edges[1]) / 2), 0.6 * top, 2 * top):
        for im in (1e-100, 1e-14 * top, 1e-8 * top, 1e-3 * top, 0.4 * top, 30 * top, 1e90):
            out.append((e, im))
    return out


def main():
    laws = []
    for name, c, atoms, weights in LAWS:
        law = Law(c, atoms, weights)
        edges = law.edges()
        entries = []
        for re, im in points(edges):
            mp.dps = 250
            try:
                u = law.root(mpc(mpf(re), mpf(im)))
            except (ValueError, mp.NoConvergence) as error:
                print(name, re, im, error, file=sys.stderr)
                continue
            distance = min(abs(mpf(re) + mpc(0, im) - e) / max(abs(e), mpf(10) ** -300) for e in edges)
            entries.append({
                "z": [repr(re), repr(im)],
                "u": [mp.nstr(mp.re(u), 30), mp.nstr(mp.im(u), 30)],
                "edge_distance": float(distance),
            })
        laws.append((name, repr(c), [repr(t) for t in atoms], [repr(h) for h in weights], entries))
    # doubles as strings: JSON readers may round them differently
    provenance = "generate_silverstein_solver.py: polynomial roots in 50 digits, Newton in 250"
    print('{"provenance":' + json.dumps(provenance) + ',"laws":[')
    blocks = []
    for law in laws:
        head = dict(zip(("name", "ratio", "atoms", "weights"), law))
        rows = ",\n".join(json.dumps(entry) for entry in law[4])
        blocks.append(json.dumps(head)[:-1] + ',"roots":[\n' + rows + "]}")
    print(",\n".join(blocks) + "]}")


if __name__ == "__main__":
    main()
