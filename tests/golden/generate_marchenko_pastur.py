"""Reference values of the Marchenko-Pastur law, for tests/suite/marchenko_pastur.rs.

Run:  python3 tests/golden/generate_marchenko_pastur.py > tests/golden/marchenko_pastur.json
Needs mpmath; deterministic; about a minute.

Nothing here uses the formulas of the crate: the transforms are roots of the quadratic
fixed-point equations, chosen by their sign; the log-determinant is an integral of the density
by tanh-sinh quadrature; the distribution function is the textbook antiderivative with 500
digits (its cancellations do not matter there), checked against quadrature of the density at
every point of the tables (not of the random samples); quantiles are roots of it.
All inputs are doubles, taken exactly and printed as strings (a JSON parser may miss the nearest
double by a unit in the last place); values are printed with 25 digits.
"""

import json
import math
import random
import sys

import mpmath as mp

mp.mp.dps = 60
RATIOS = [1e-9, 1e-3, 0.0624, 0.1, 0.3, 0.5, 1 - 1e-9, 1.0, 1 + 1e-9, 2.0, 10.0, 16.1, 1e3, 1e9]
SCALES = [1.0, 1.7]


def text(x):
    return mp.nstr(x, 25)


def edges(c, s):
    r = mp.sqrt(c)
    return s * (1 - r) ** 2, s * (1 + r) ** 2


def density(c, s, x):
    a, b = edges(c, s)
    if not a < x < b:
        return mp.mpf(0)
    return mp.sqrt((x - a) * (b - x)) / (2 * mp.pi * c * s * x)


def angle_integral(c, s, lo, hi, weight=lambda x: 1):
    """Integral of the density over x = mid - half cos t, t from lo to hi (a smooth integrand)."""
    a, b = edges(c, s)
    half = (b - a) / 2

    def f(t):
        # x = a + (b-a) sin^2(t/2)
        x = a + 2 * half * mp.sin(t / 2) ** 2
        if x == 0:
            return 2 * half * weight(x) / (2 * mp.pi * c * s)
        return half**2 * mp.sin(t) ** 2 * weight(x) / (2 * mp.pi * c * s * x)

    # the integrand varies on the scale sqrt(a/half) near t = 0
    knee = mp.sqrt(2 * a / half)
    points = [lo] + sorted(k * knee for k in (10**j for j in range(12)) if lo < k * knee < hi) + [hi]
    # mpmath's tolerance is absolute: integrate pieces of order one
    total = mp.mpf(0)
    for start, end in zip(points, points[1:]):
        size = f((start + end) / 2)
        with mp.workdps(30):
            piece = mp.quad(lambda y: f(start + (end - start) * y) / size, [0, 1])
        total += size * (end - start) * piece
    return total


def angle(c, s, x):
    a, b = edges(c, s)
    return 2 * mp.asin(mp.sqrt((x - a) / (b - a)))


def survival_at_angle(c, t):
    """Mass above x = s(1 + c + 2 sqrt(c) cos t), t in (0, pi)."""
    r = mp.sqrt(c)
    last = 2 * abs(1 - c) * mp.atan(abs(1 - r) / (1 + r) * mp.tan(t / 2))
    return ((1 + c) * t - 2 * r * mp.sin(t) - last) / (2 * mp.pi * c)


def cdf_and_survival(c, s, x, check=True):
    a, b = edges(c, s)
    atom = max(mp.mpf(0), 1 - 1 / c)
    if x <= a:
        return (atom if x >= 0 else mp.mpf(0)), (1 - atom if x >= 0 else mp.mpf(1))
    if x >= b:
        return mp.mpf(1), mp.mpf(0)
    with mp.workdps(500):
        survival = survival_at_angle(c, mp.pi - angle(c, s, x))
        cdf = 1 - survival
    if check:
        t = angle(c, s, x)
        below, above = angle_integral(c, s, mp.mpf(0), t), angle_integral(c, s, t, mp.pi)
        assert abs(below / (cdf - atom) - 1) < mp.mpf(10) ** -20, (c, s, x)
        assert abs(above / survival - 1) < mp.mpf(10) ** -20, (c, s, x)
    return cdf, survival


def transform(c, s, z, companion):
    """The root of the quadratic with Im > 0 (upper half plane), or the real one with m' > 0."""
    z = mp.mpc(z)
    # v: z s v^2 + (z + s - c s) v + 1 = 0;  m: c s z m^2 + (z + c s - s) m + 1 = 0
    qa = z * s if companion else c * s * z
    qb = z + s - c * s if companion else z + c * s - s
    root = mp.sqrt(qb * qb - 4 * qa)
    candidates = [(-qb + root) / (2 * qa), (-qb - root) / (2 * qa)]
    a, b = edges(c, s)
    if z.imag == 0 and not a < z.real < b:
        # outside the support both roots are real; |v| s w < 1 picks the transform: it is the
        # continuation of -1/z, whose derivative dz/dv is positive
        def speed(f):
            return 1 / f**2 - c * s**2 / (1 + s * f) ** 2 if companion else 1 / f**2 - c * s**2 / (1 + c * s * f) ** 2

        # at a simple pole of the wrong root (z = 0 is excluded) one candidate has speed < 0
        good = [f for f in candidates if speed(f).real > 0]
        assert len(good) == 1
        return good[0]
    # the fixed-point equation has one root in the open upper half plane with Im z v > 0 as well
    good = [f for f in candidates if f.imag > 0]
    if len(good) == 2:
        # both in the upper half plane cannot be transforms of measures on [0, inf)
        good = [f for f in good if (z * f).imag >= 0]
    assert len(good) == 1, (c, s, z, candidates)
    return good[0]


def derivative(c, s, z, f, companion):
    """Implicit differentiation of the quadratic."""
    z = mp.mpc(z)
    qa = z * s if companion else c * s * z
    qb = z + s - c * s if companion else z + c * s - s
    da = s if companion else c * s
    return -(da * f * f + f) / (2 * qa * f + qb)


def neighbours(x, steps):
    out = []
    for k in steps:
        y = float(x)
        for _ in range(abs(k)):
            y = math.nextafter(y, math.inf if k > 0 else -math.inf)
        out.append(y)
    return out


laws = []
for c0 in RATIOS:
    for s0 in SCALES if c0 in (0.3, 1.0, 10.0) else [SCALES[0]]:
        c, s = mp.mpf(c0), mp.mpf(s0)
        a, b = edges(c, s)
        af, bf, width = float(a), float(b), float(b - a)
        law = {"ratio": repr(c0), "scale": repr(s0), "support": [text(a), text(b)]}
        xs = [float(a + (b - a) * mp.mpf(q)) for q in (1e-14, 1e-9, 1e-4, 0.02, 0.2, 0.49, 0.51, 0.8, 0.97, 1 - 1e-6, 1 - 1e-12)]
        xs += neighbours(bf, (-5, -1, 0, 1))
        xs += neighbours(af, (-1, 0, 1, 5)) if af > 0 else [0.0, 1e-300, 1e-18]
        points = []
        for x in sorted(set(xs)):
            if c0 == 1.0 and x == 0.0:
                continue
            f, g = cdf_and_survival(c, s, mp.mpf(x))
            points.append([repr(x), text(density(c, s, mp.mpf(x))), text(f), text(g)])
        law["points"] = points
        res = [-1e-12, -1e-3, -0.3, -1.0, -17.0, -1e3, -1e12, 1e150, -1e150]
        res += [bf + 1e-9 * width, bf + width] + ([af - 1e-9 * width] if af > 1e-6 * width else [])
        zs = [(x * s0, 0.0) for x in res]
        for x in (-1.0, 0.0, af, bf, bf * 1.5, float((a + b) / 2), float(s * abs(1 - c))):
            zs += [(x, y * s0) for y in (1e-20, 1e-8, 1e-2, 1.0, 50.0)]
        zs += [(float((a + b) / 2), 0.0), (1e-30, 1e-30), (-1e-6, 1e-9), (-1e150, 1e150), (2.5, 1e150)]
        rows = []
        for re, im in zs:
            mp.mp.dps = 700
            z = mp.mpc(re, im)
            c, s = mp.mpf(c0), mp.mpf(s0)
            m, v = transform(c, s, z, False), transform(c, s, z, True)
            assert abs(v - (c * m - (1 - c) / z)) < mp.mpf(10) ** -25 * (abs(v) + abs(c * m)), (c0, re, im)
            dm, dv = derivative(c, s, z, m, False), derivative(c, s, z, v, True)
            rows.append([repr(re), repr(im)] + [text(q) for f in (m, v, dm, dv) for q in (f.real, f.imag)])
        law["transforms"] = rows
        mp.mp.dps = 60
        law["log_determinants"] = []
        for g0 in (1e-30, 1e-9, 1e-3, 0.3, 1.0, 20.0, 1e5, 1e14):
            g = mp.mpf(g0)
            value = angle_integral(c, s, mp.mpf(0), mp.pi, lambda x: mp.log1p(g * x))
            law["log_determinants"].append([repr(g0), text(value)])
        atom = max(mp.mpf(0), 1 - 1 / c)
        law["quantiles"] = []
        for q in (1e-12, 1e-3, 0.2, 0.5, 0.9, 1 - 1e-4, 1 - 2.0**-40):
            u = float(atom + (1 - atom) * mp.mpf(q))
            with mp.workdps(500):
                lo, hi = mp.mpf(0), mp.pi
                for _ in range(400):
                    t = (lo + hi) / 2
                    if survival_at_angle(c, t) < 1 - mp.mpf(u):
                        lo = t
                    else:
                        hi = t
                aa, bb = edges(c, s)
                x = (aa + bb) / 2 + (bb - aa) / 2 * mp.cos(lo)
            law["quantiles"].append([repr(u), text(x)])
        laws.append(law)
        print(c0, s0, file=sys.stderr, flush=True)

# random laws, and points at every distance from the edges down to a unit in the last place
samples = []
generator = random.Random(20)
while len(samples) < 800:
    c0 = 10 ** generator.uniform(-9, 9)
    if generator.random() < 0.4:
        c0 = 1 + generator.choice((-1, 1)) * 10 ** generator.uniform(-14, -1)
    s0 = 10 ** generator.uniform(-3, 3)
    c, s = mp.mpf(c0), mp.mpf(s0)
    a, b = edges(c, s)
    kind = generator.randrange(3)
    if kind == 0:
        x = neighbours(float(generator.choice((a, b))), (generator.randint(-4, 4),))[0]
    elif kind == 1:
        step = (b - a) * mp.mpf(10) ** generator.uniform(-16, -0.4)
        x = float(generator.choice((a + step, b - step)))
    else:
        x = float(a + (b - a) * mp.mpf(generator.random()))
    x = mp.mpf(x)
    f, g = cdf_and_survival(c, s, x, check=False)
    samples.append([repr(c0), repr(s0), repr(float(x)), text(density(c, s, x)), text(f), text(g)])

print(
    json.dumps(
        {
            "provenance": "mpmath with 30 to 700 digits, tests/golden/generate_marchenko_pastur.py; density, integrals of it, roots of the quadratic fixed-point equation",
            "columns": {
                "points": ["x", "density", "cdf", "survival"],
                "transforms": ["re z", "im z", "m", "", "v", "", "m'", "", "v'", ""],
                "log_determinants": ["gamma", "value"],
                "quantiles": ["u", "x"],
                "samples": ["ratio", "scale", "x", "density", "cdf", "survival"],
            },
            "laws": laws,
            "samples": samples,
        },
        indent=None,
        separators=(",", ":"),
    ).replace('{"ratio"', '\n{"ratio"').replace('"samples":[[', '\n"samples":[[')
)
