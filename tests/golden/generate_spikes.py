"""Golden values of outliers, thresholds and two-point equivalents of the general law.

Run: python3 tests/golden/generate_spikes.py   (mpmath; a minute; writes spikes.json next to it)

Outliers: u(z) is the root in the upper half plane of the polynomial of x(u) = z. The outlier of
a spike t is the pole of e'(S-z)^{-1}e = (u/z)/(t-u), found by the secant method, and the overlap
minus its residue, by the trapezoidal rule on a circle (geometric convergence). Nothing of x'(t)
is used.
Thresholds: real roots of the polynomial of phi(s) = 1.
Two-point: the upper right block of the resolvent of the 2p x 2p matrix
[[S - z, -B], [0, S - z']] is (S-z)^{-1} B (S-z')^{-1}; its equivalent is the matrix-valued law
T_j = (t_j (1 + D)^{-1} - [[z, b_j], [0, z']])^{-1}, D = c sum_j h_j t_j T_j, iterated as 2 x 2
matrices to a fixed point. Nothing of chi or u is used.
Atoms, weights and arguments are exact in binary.
"""

import json
import pathlib

import mpmath as mp

mp.mp.dps = 50

LAWS = {
    "identity": (0.25, [1.0], [1.0]),
    "two bulks": (0.25, [1.0, 100.0], [0.5, 0.5]),
    "zeros": (0.5, [0.0, 1.0, 3.0], [0.25, 0.5, 0.25]),
    "singular": (3.0, [1.0, 2.0], [0.5, 0.5]),
    "hard edge": (1.0, [0.5, 2.0], [0.75, 0.25]),
}


def product(factors):
    poly = [mp.mpf(1)]
    for t in factors:
        poly = [a - t * b for a, b in zip(poly + [mp.mpf(0)], [mp.mpf(0)] + poly)]
    return poly


def added(a, b):
    size = max(len(a), len(b))
    pad = lambda p: [mp.mpf(0)] * (size - len(p)) + p
    return [x + y for x, y in zip(pad(a), pad(b))]


def positive(law):
    c, atoms, weights = law
    return mp.mpf(c), [(mp.mpf(t), mp.mpf(h)) for t, h in zip(atoms, weights) if t > 0]


def roots(law, z):
    """All roots u of x(u) = z."""
    c, pairs = positive(law)
    taus = [t for t, _ in pairs]
    poly = [a * 1 for a in product(taus)] + [mp.mpf(0)]
    for j, (t, h) in enumerate(pairs):
        rest = product(taus[:j] + taus[j + 1:])
        poly = added(poly, [c * h * t * a for a in rest] + [mp.mpf(0)])
    poly = added(poly, [-z * a for a in product(taus)])
    return mp.polyroots(poly, maxsteps=500, extraprec=400)


def root(law, z):
    if mp.im(z) < 0:
        return mp.conj(root(law, mp.conj(z)))
    return max(roots(law, z), key=lambda u: mp.im(u))


def outlier(name, spike):
    law = LAWS[name]
    c, pairs = positive(law)
    t = mp.mpf(spike)
    start = t * (1 + c * mp.fsum(h * s / (t - s) for s, h in pairs))
    # off the support the root is the real one that is nearest to the spike
    near = lambda z: min(roots(law, z), key=lambda u: abs(u - t))
    x = mp.findroot(lambda z: mp.re(near(z)) - t, (start * (1 - mp.mpf(10)**-6), start), tol=1e-60)
    radius = x * mp.mpf("1e-3")
    nodes = 48
    total = mp.mpc(0)
    for k in range(nodes):
        turn = mp.expjpi(mp.mpf(2 * k + 1) / nodes)
        z = x + radius * turn
        u = root(law, z)
        total += (u / z) / (t - u) * radius * turn
    return {"law": name, "spike": spike, "sample": text(x), "overlap": text(-mp.re(total) / nodes)}


def thresholds(name):
    c, pairs = positive(LAWS[name])
    taus = [t for t, _ in pairs]
    squares = lambda ts: product([t for t in ts for _ in (0, 1)])
    poly = squares(taus)
    for j, (t, h) in enumerate(pairs):
        poly = added(poly, [-c * h * t**2 * a for a in squares(taus[:j] + taus[j + 1:])])
    found = mp.polyroots(poly, maxsteps=500, extraprec=400)
    real = sorted(mp.re(s) for s in found if abs(mp.im(s)) < mp.mpf(10)**-30)
    return {"law": name, "critical": [text(s) for s in real if s > mp.mpf(10)**-30]}


def two_point(name, z, w, a, b):
    c, atoms, weights = LAWS[name]
    z, w = mp.mpc(*z), mp.mpc(*w)
    c, triples = mp.mpf(c), [(mp.mpf(t), mp.mpf(h), mp.mpf(y)) for t, h, y in zip(atoms, weights, b)]
    eye = mp.eye(2)

    def inverses(d):
        middle = mp.inverse(eye + d)
        return [mp.inverse(t * middle - mp.matrix([[z, y], [0, w]])) for t, _, y in triples]

    d = mp.matrix(2, 2)
    for _ in range(20000):
        new = mp.matrix(2, 2)
        for (t, h, _), inverse in zip(triples, inverses(d)):
            new += c * h * t * inverse
        change = mp.mnorm(new - d, 1)
        d = (d + new) / 2
        if change < mp.mpf(10)**-40:
            break
    else:
        raise RuntimeError(f"{name} {z} {w}: no convergence")
    total = mp.fsum(h * y * inverse[0, 1] for (_, h, _), y, inverse in zip(triples, a, inverses(d)))
    one = mp.fsum(h * y * inverse[0, 0] for (_, h, _), y, inverse in zip(triples, a, inverses(d)))
    pair = lambda x: [text(mp.re(x)), text(mp.im(x))]
    return {"law": name, "z": [float(z.real), float(z.imag)], "w": [float(w.real), float(w.imag)],
            "a": a, "b": b, "one": pair(one), "two": pair(total)}


def text(x):
    return mp.nstr(x, 30, min_fixed=0, max_fixed=0)


def main():
    outliers = [
        outlier("identity", 3.0), outlier("identity", 1.75), outlier("identity", 0.25),
        outlier("two bulks", 12.0), outlier("two bulks", 1000.0), outlier("two bulks", 0.125),
        outlier("zeros", 0.0625), outlier("zeros", 9.0), outlier("singular", 40.0),
        outlier("hard edge", 16.0),
    ]
    ones2, ones3 = [1.0, 1.0], [1.0, 1.0, 1.0]
    pairs = [
        two_point("identity", (-1, 0), (-0.25, 0), [1.0], [1.0]),
        two_point("two bulks", (-1, 0), (-1, 0), [0.5, 3.0], [2.0, -0.75]),
        two_point("two bulks", (2, 1), (90, -8), [0.5, 3.0], [2.0, -0.75]),
        two_point("two bulks", (400, 0), (1.5, 0.5), [1.0, 0.0], [0.25, 1.0]),
        two_point("zeros", (-0.5, 0), (1, 0.5), [1.0, 2.0, -1.0], [0.5, 4.0, 3.0]),
        two_point("zeros", (1, 0.25), (1, -0.25), ones3, ones3),
        two_point("singular", (-0.125, 0), (-2, 0), [1.0, -2.0], [0.5, 3.0]),
        two_point("singular", (4, 1), (0.5, 2), ones2, [0.5, 3.0]),
        two_point("hard edge", (-0.0625, 0), (0.5, 0.5), [3.0, 1.0], [1.0, 2.0]),
    ]
    golden = {
        "provenance": "generate_spikes.py: mpmath with 50 digits; poles and residues (outliers), "
        "polynomial roots (thresholds), iterated matrix-valued law (two-point)",
        "laws": {k: {"ratio": c, "atoms": t, "weights": h} for k, (c, t, h) in LAWS.items()},
        "outliers": outliers,
        "thresholds": [thresholds(name) for name in LAWS],
        "two_point": pairs,
    }
    target = pathlib.Path(__file__).with_name("spikes.json")
    target.write_text(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__":
    main()
