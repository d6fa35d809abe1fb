"""Reference values of the general law for continuous populations, for tests/suite/continuous.rs.

Run:  python3 tests/golden/generate_continuous.py > tests/golden/continuous.json
Needs mpmath; deterministic; about ten minutes (the hypergeometric function).

No quadrature rule of the crate enters: the transform of each population is a closed form
(logarithms, square roots, a hypergeometric function), checked here against mpmath's quadrature;
the root of x(u) = z is followed from large Im z down to z and polished by Newton's iteration in
50 digits; edges are zeros of the numerical derivative of x(u). For the Marchenko-Pastur population the
roots are moreover compared with those of the cubic equation in u.
"""

import json
import sys

import mpmath as mp

mp.mp.dps = 50

LAWS = [
    ("uniform", [1.0, 3.0]),
    ("uniform", [0.0, 2.0]),
    ("semicircle", [0.5, 4.0]),
    ("semicircle", [0.0, 2.0]),
    ("marchenko-pastur", [0.3, 1.0]),
    ("marchenko-pastur", [1.0, 1.0]),
    ("marchenko-pastur", [2.5, 0.8]),
    ("power", [1.0, 0.01, 1.0]),
    ("power", [2.5, 0.1, 10.0]),
    ("power", [-1.0, 1.0, 2.0]),
    ("power", [0.5, 0.001, 1.0]),
]
RATIOS = [0.1, 0.5, 1.0, 2.0]


class Law:
    def __init__(self, kind, parameters):
        self.kind = kind
        self.p = [mp.mpf(x) for x in parameters]
        self.zero = mp.mpf(0)
        if kind == "marchenko-pastur":
            c, s = self.p
            self.a, self.b = s * (1 - mp.sqrt(c)) ** 2, s * (1 + mp.sqrt(c)) ** 2
            self.zero = max(mp.mpf(0), 1 - 1 / c)
        else:
            self.a, self.b = self.p[-2:]
        if kind == "power":
            e = self.p[0]
            self.norm = mp.log(self.b / self.a) if e == 1 else (self.b ** (1 - e) - self.a ** (1 - e)) / (1 - e)

    def density(self, t):
        if self.kind == "uniform":
            return 1 / (self.b - self.a)
        if self.kind == "power":
            return t ** -self.p[0] / self.norm
        root = mp.sqrt((t - self.a) * (self.b - t))
        if self.kind == "semicircle":
            return 8 * root / (mp.pi * (self.b - self.a) ** 2)
        return root / (2 * mp.pi * self.p[0] * self.p[1] * t)

    def m(self, u):
        """The Stieltjes transform of the population, with its atom at 0."""
        a, b = self.a, self.b
        if self.kind == "uniform":
            return (mp.log(b - u) - mp.log(a - u)) / (b - a)
        if self.kind == "semicircle":
            radius, w = (b - a) / 2, (2 * u - a - b) / (b - a)
            return -2 * (w - mp.sqrt(w - 1) * mp.sqrt(w + 1)) / radius
        if self.kind == "marchenko-pastur":
            c, s = self.p
            return (-(u + c * s - s) + mp.sqrt(u - a) * mp.sqrt(u - b)) / (2 * c * s * u)
        e = self.p[0]
        if e == -1:
            # density 2t/(b^2-a^2)
            return (b - a + u * (mp.log(b - u) - mp.log(a - u))) / self.norm
        part = lambda t: -(t ** -e) / e * mp.hyp2f1(1, e, e + 1, u / t)
        value = (part(b) - part(a)) / self.norm
        return value if mp.im(u) != 0 else mp.re(value)

    def quadrature(self, f):
        """Integral of f over H by tanh-sinh quadrature, atom included."""
        if self.kind == "power":
            g = lambda y: mp.e**y * self.density(mp.e**y) * f(mp.e**y)
            return mp.quad(g, mp.linspace(mp.log(self.a), mp.log(self.b), 6))
        half = (self.b - self.a) / 2
        t = lambda q: self.a + half * (1 - mp.cos(q))
        g = lambda q: half * mp.sin(q) * self.density(t(q)) * f(t(q)) if t(q) > 0 else mp.mpf(0)
        rest = self.zero * f(mp.mpf(0)) if self.zero else 0
        return mp.quad(g, mp.linspace(0, mp.pi, 6)) + rest


def x_of(law, c, u):
    return u * (1 - c * (1 + u * law.m(u)))


def newton(law, c, u, z, steps):
    h = mp.mpf(10) ** (-mp.mp.dps // 3)
    for _ in range(steps):
        slope = (x_of(law, c, u * (1 + h)) - x_of(law, c, u * (1 - h))) / (2 * h * u)
        step = (x_of(law, c, u) - z) / slope
        while mp.im(z) > 0 and mp.im(u - step) <= 0:
            step /= 2
        u -= step
        if abs(step) < abs(u) * mp.mpf(10) ** (5 - mp.mp.dps):
            break
    return u


def solve(law, c, z):
    z = mp.mpc(z)
    with mp.workdps(20):
        lift = 8 * (1 + c) * law.b + 4 * abs(z)
        u = z + 1j * lift
        while lift > mp.mpf(10) ** -9 * law.b:
            u = newton(law, c, u, z + 1j * lift, 30)
            lift /= 2
    u = newton(law, c, u, z, 30)
    assert abs(x_of(law, c, u) - z) < mp.mpf(10) ** -38 * abs(z), (law.kind, c, z)
    return u


def edges(law, c):
    slope = lambda s: mp.re(mp.diff(lambda t: mp.re(x_of(law, c, t)), s, h=mp.mpf(10) ** -12))

    def bisect(lo, hi):
        f = slope(hi) > 0
        for _ in range(60):
            mid = (lo + hi) / 2
            if (slope(mid) > 0) == f:
                hi = mid
            else:
                lo = mid
        return mp.re(x_of(law, c, (lo + hi) / 2))

    share = c * (1 - law.zero)
    b = law.b
    reach = b * (1 + mp.sqrt(share))
    upper = bisect(b + (reach - b) * mp.mpf(10) ** -8, reach * (1 + mp.mpf(10) ** -3))
    if share == 1 or (law.a == 0 and share < 1):
        lower = mp.mpf(0)
    elif share < 1:
        lower = bisect(law.a * mp.mpf("1e-9"), law.a * (1 - mp.mpf(10) ** -9))
    else:
        lower = bisect(b * (1 - mp.sqrt(share)) * mp.mpf("1.001"), -b * mp.mpf(10) ** -9)
    return lower, upper


def cubic(law, c, x):
    """The root in the upper half plane of the cubic in u of a Marchenko-Pastur population."""
    c0, s = law.p
    # c0 s ((1-c)u - x)^2 + (u + (c0-1)s) c u ((1-c)u - x) + c^2 u^3 = 0
    roots = mp.polyroots(
        [
            c * (1 - c) + c**2,
            c0 * s * (1 - c) ** 2 - c * x + (c0 - 1) * s * c * (1 - c),
            -2 * c0 * s * (1 - c) * x - (c0 - 1) * s * c * x,
            c0 * s * x**2,
        ],
        maxsteps=500,
        extraprec=200,
    )
    return max(roots, key=mp.im)


def text(x):
    return mp.nstr(x, 30)


def pair(z):
    return [text(mp.re(z)), text(mp.im(z))]


def main():
    cases = []
    for kind, parameters in LAWS:
        law = Law(kind, parameters)
        for u in (mp.mpc(0.7, 0.9) * law.b, mp.mpc(-law.b / 3)):
            exact, numeric = law.m(u), law.quadrature(lambda t: 1 / (t - u))
            assert abs(exact - numeric) < mp.mpf(10) ** -25 * abs(exact), (kind, u, exact, numeric)
        moments = [text(law.quadrature(lambda t: t**k)) for k in (1, 2, 3, 7)]
        samples = []
        for ratio in RATIOS:
            c = mp.mpf(ratio)
            lower, upper = edges(law, c)
            densities = []
            for share in (0.02, 0.3, 0.7, 0.98):
                x = float(lower + (upper - lower) * mp.mpf(share))
                u = solve(law, c, x)
                if kind == "marchenko-pastur":
                    other = cubic(law, c, mp.mpf(x))
                    assert abs(u - other) < mp.mpf(10) ** -30 * abs(u), (kind, ratio, x)
                assert mp.im(u) > 0
                densities.append([x, text(mp.im(u) / (mp.pi * c * abs(u) ** 2))])
            transforms = []
            for z in (-0.25, -10.0, complex(1.5, 0.125), complex(-0.5, 0.001)):
                u = solve(law, c, z)
                v = -1 / u
                m = u * law.m(u) / mp.mpc(z)
                assert abs(m - (v + (1 - c) / mp.mpc(z)) / c) < mp.mpf(10) ** -30
                transforms.append({"z": [z.real, z.imag], "v": pair(v), "m": pair(m)})
            samples.append({"ratio": ratio, "edges": [text(lower), text(upper)], "densities": densities, "transforms": transforms})
        cases.append({"kind": kind, "parameters": parameters, "moments": moments, "samples": samples})
        print(kind, parameters, file=sys.stderr)
    print(json.dumps({"provenance": "tests/golden/generate_continuous.py, mpmath " + mp.__version__, "cases": cases}, indent=1))


main()
