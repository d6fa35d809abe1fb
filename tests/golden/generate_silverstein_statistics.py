"""Reference values of statistics of the general law, for tests/suite/silverstein_statistics.rs.

Run:  python3 tests/golden/generate_silverstein_statistics.py > tests/golden/silverstein_statistics.json
Needs mpmath and numpy; deterministic; a few minutes.

Nothing here uses the closed forms of the crate. u(z) is followed from far above the real axis
in double precision and polished by Newton's method in 45 digits. Distribution function:
F(x) = 1/2 - (1/pi) int_0^inf Re m(x+it) dt, a line integral across the plane (no edge, no
component and no constant enters). Tails: quadrature of the density from the edge, itself a
root in 45 digits. Quantiles: x - (F(x) - q)/f(x) for q the double next to F(x), exact to
(F - q)^2. Log-determinant: int_{1/gamma}^inf (1 - r m(-r))/r dr. Moments: the fixed-point
equation iterated as a power series in exact rationals.
Inputs are doubles, printed so that they are read back exactly; values have 25 digits.
"""

import json
import sys
from fractions import Fraction

import mpmath as mp
import numpy as np

mp.mp.dps = 45
TEXT = 25


def text(x):
    return mp.nstr(x, TEXT)


class Law:
    def __init__(self, atoms, weights, ratio):
        total = sum(map(Fraction, weights))
        self.c = mp.mpf(ratio)
        self.ratio = Fraction(ratio)
        self.exact = [(Fraction(t), Fraction(w) / total) for t, w in zip(atoms, weights)]
        self.pairs = [(mp.mpf(t), mp.mpf(w.numerator) / w.denominator) for t, w in self.exact]
        self.positive = [(t, h) for t, h in self.pairs if t > 0]
        self.t = np.array([float(t) for t, _ in self.positive])
        self.a = np.array([float(self.c * h) for _, h in self.positive])

    def x(self, u):
        return u * (1 + self.c * mp.fsum(h * t / (u - t) for t, h in self.positive))

    def slope(self, u):
        return 1 - self.c * mp.fsum(h * (t / (u - t)) ** 2 for t, h in self.positive)

    def polish(self, u, z):
        for _ in range(60):
            step = (self.x(u) - z) / self.slope(u)
            u -= step
            if abs(step) < mp.mpf(10) ** -38 * abs(u):
                return u
        raise ValueError(("no convergence", z))

    def u(self, z):
        """Root in the upper half plane."""
        zd = complex(z)
        lift = 4 * (1 + float(self.c)) * self.t[-1] + 2 * abs(zd)
        u = zd + 1j * lift
        floor = 1e-9 * abs(zd)
        while True:
            target = zd + 1j * lift
            for _ in range(50):
                d = u - self.t
                value = u * (1 + np.sum(self.a * self.t / d)) - target
                step = value / (1 - np.sum(self.a * (self.t / d) ** 2))
                while (u - step).imag <= 0 and abs(step) > 1e-300:
                    step /= 2
                u -= step
                if abs(step) <= 1e-13 * abs(u):
                    break
            if lift == 0:
                break
            lift = lift / 2 if lift > floor else 0
        out = self.polish(mp.mpc(u), mp.mpmathify(z))
        assert out.imag > 0, z
        return out

    def m(self, z, u=None):
        u = self.u(z) if u is None else u
        return u / z * mp.fsum(h / (t - u) for t, h in self.pairs)

    def density(self, x):
        u = self.u(mp.mpc(x))
        return u.imag / (mp.pi * self.c * abs(u) ** 2)

    def cdf(self, x, scale):
        """scale: distance of x to the nearest edge, roughly."""
        f = lambda t: mp.re(self.m(mp.mpc(x, t)))
        cuts = [mp.mpf(0)]
        while scale < 30 * float(self.t[-1]) * (1 + float(self.c)):
            cuts.append(mp.mpf(scale))
            scale *= 8
        total = mp.mpf(0)
        for a, b in zip(cuts, cuts[1:]):
            total += mp.quad(f, [a, b], method="gauss-legendre")
        total += mp.quad(lambda s: f(1 / s) / s**2, [0, 1 / cuts[-1]], method="gauss-legendre")
        return mp.mpf(1) / 2 - total / mp.pi

    def mu(self, r):
        low, high = -150.0, 150.0
        for _ in range(80):
            mid = (low + high) / 2
            mu = np.exp(mid)
            if mu * (1 - np.sum(self.a * (self.t / (self.t + mu)))) < float(r):
                low = mid
            else:
                high = mid
        return -self.polish(-mp.mpf(np.exp(mid)), -r)

    def log_determinant(self, gamma):
        rho = 1 / mp.mpf(gamma)

        def f(t):
            r = rho * mp.exp(t)
            return 1 - r * self.m(-r, -self.mu(r))

        # beyond the end the integrand is its leading term mean/r to all digits
        mean = mp.fsum(h * t for t, h in self.pairs)
        end = mp.log(mp.mpf(10) ** 32 * (1 + self.c) * self.t[-1] / rho)
        cuts = [end * k / 40 for k in range(41)]
        return mp.quad(f, cuts, method="gauss-legendre") + mean / (rho * mp.exp(end))

    def edge(self, upper):
        phi = lambda s: self.c * mp.fsum(h * (t / (s - t)) ** 2 for t, h in self.positive)
        if upper:
            near, far = self.positive[-1][0], self.positive[-1][0] * (2 + 2 * mp.sqrt(self.c))
        else:
            near = self.positive[0][0]
            far = mp.mpf(0) if phi(mp.mpf(0)) < 1 else -4 * (1 + self.c) * self.positive[-1][0]
        for _ in range(170):
            mid = (near + far) / 2
            if phi(mid) < 1:
                far = mid
            else:
                near = mid
        return self.x(far)

    def tail(self, upper, share):
        """(x, mass beyond) for x near an extreme edge."""
        e = self.edge(upper)
        x = mp.mpf(float(e * (1 - share) if upper else e * (1 + share)))
        side = -1 if upper else 1
        g = lambda t: 2 * t * self.density(e + side * t * t)
        return x, mp.quad(g, [0, mp.sqrt(abs(x - e))], method="gauss-legendre")

    def moments(self, order):
        """M = 1 + sum h t q/(1 - t q), q = z(1 - c + cM), as power series in z: the equation of
        the companion transform v = -q at 1/z."""
        population = [sum(h * t**k for t, h in self.exact) for k in range(order + 1)]

        def product(a, b):
            return [sum(a[i] * b[j - i] for i in range(j + 1)) for j in range(order + 1)]

        m = [Fraction(1)] + [Fraction(0)] * order
        for _ in range(order):
            q = [Fraction(0), Fraction(1)] + [self.ratio * x for x in m[1:order]]
            power, m = [Fraction(1)] + [Fraction(0)] * order, [Fraction(1)] + [Fraction(0)] * order
            for k in range(1, order + 1):
                power = product(power, q)
                m = [x + population[k] * y for x, y in zip(m, power)]
        return [mp.mpf(x.numerator) / x.denominator for x in m[1:]]


def geometric(low, high, n):
    return [float(low * (high / low) ** (k / (n - 1))) for k in range(n)]


HALF, THIRD = [0.5] * 2, [1 / 3] * 3
TAILS = [1e-2, 1e-4, 1e-6, 1e-9]
# name, atoms, weights, ratio, (x, rough distance to the nearest edge), share at tails
CASES = [
    ("two", [1.0, 10.0], HALF, 0.3, [(0.3, 0.05), (1.0, 0.3), (1.9, 0.1), (8.0, 1.0), (17.0, 0.5)], TAILS),
    ("zero", [0.0, 1.0, 5.0], [0.4, 0.3, 0.3], 0.5, [(0.4, 0.1), (1.2, 0.1), (5.0, 0.5), (9.0, 0.5)], TAILS),
    ("hard", [1.0, 3.0], HALF, 1.0, [(1e-12, 1e-12), (1e-3, 1e-3), (1.0, 0.5), (6.0, 0.5)], []),
    ("many", [1.0, 3.0, 7.0], THIRD, 100.0, [(2e2, 10.0), (370.0, 10.0), (500.0, 10.0)], TAILS[:2]),
    ("geometric", geometric(0.1, 10.0, 100), [0.01] * 100, 0.5, [(0.1, 0.03), (1.0, 0.5)], []),
    ("touching", [1.0, 3.176540655470742], HALF, 0.3, [(0.5, 0.1), (1.5, 0.1), (4.0, 0.5)], [1e-4]),
    ("wide", geometric(1e-15, 10.0, 17), [1 / 17] * 17, 0.5, [(1e-13, 1e-14), (3e-8, 1e-9), (2.0, 0.5)], []),
]

cases = []
for name, atoms, weights, ratio, points, tails in CASES:
    law = Law(atoms, weights, ratio)
    cdf, quantiles = [], []
    for x, scale in points:
        x = mp.mpf(x)
        value = law.cdf(x, scale)
        cdf.append([repr(float(x)), text(value)])
        u = law.polish(mp.mpc(law.u(mp.mpc(x, mp.mpf(10) ** -12 * x))), x)
        if u.imag > 1e-6 * abs(u):
            q = float(value)
            f = u.imag / (mp.pi * law.c * abs(u) ** 2)
            quantiles.append([repr(q), text(x - (value - mp.mpf(q)) / f)])
        print(name, float(x), text(value), file=sys.stderr)
    rows = []
    for upper in (False, True):
        for share in tails:
            x, mass = law.tail(upper, mp.mpf(share))
            rows.append([upper, repr(float(x)), text(mass)])
    gammas = [1e-6, 0.7, 1e5]
    cases.append(
        {
            "name": name,
            "atoms": [repr(t) for t in atoms],
            "weights": [repr(w) for w in weights],
            "ratio": repr(ratio),
            "cdf": cdf,
            "quantiles": quantiles,
            "tails": rows,
            "log_determinant": [[repr(g), text(law.log_determinant(g))] for g in gammas],
            "moments": [text(x) for x in law.moments(12)],
        }
    )
json.dump(
    {
        "provenance": "tests/golden/generate_silverstein_statistics.py, mpmath %s, 45 digits" % mp.__version__,
        "cases": cases,
    },
    sys.stdout,
    indent=1,
)
print()
