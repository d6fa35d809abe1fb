"""Golden values for laws over noise levels, by mpmath in 40 digits.

Run: python3 tests/golden/generate_schedule.py > tests/golden/schedule.json
Needs mpmath. Deterministic, about half a minute.

Every value comes from numerical quadrature of the defining density (mpmath's tanh-sinh or
Gauss-Legendre rules) or from mpmath's special functions, never from the closed forms that the
crate uses. The mmse of the pair of Diracs +-1 is
    mmse = exp(-g/2) E sech(sqrt(g) Y), Y ~ N(0, 1), g = 1/sigma^2,
the expectation by the trapezoid rule with a step h in
x = sqrt(g) Y of at most 1/10 (error exp(-pi^2/h)) and sqrt(g)/4 (error exp(-2 pi^2 16)).
"""
import json
from mpmath import mp, mpf, quad, log, exp, sqrt, pi, linspace, betainc, beta, atan, sech

mp.dps = 40


def pair_mmse(sigma):
    g = 1 / sigma**2
    h = min(mpf(1) / 10, sqrt(g) / 4)
    total, k = mpf(1) / 2, 1
    while True:
        x = h * k
        term = exp(-x * x / (2 * g)) * sech(x)
        if term < mpf(10) ** -32:
            return exp(-g / 2) * 2 * total * h / sqrt(2 * pi * g)
        total += term
        k += 1


def inverse_speed(clock, sigma):
    """|du/dl|"""
    return {
        "log-sigma": mpf(1),
        "log-snr": mpf(2),
        "sigma": sigma,
        "flow": sigma / (1 + sigma) ** 2,
        "ou": sigma**2 / (1 + sigma**2),
    }[clock]


def panels(a, b, width):
    n = max(1, int((b - a) / width) + 1)
    return linspace(a, b, n + 1)


def integrate(f, a, b, width=mpf(1)):
    return quad(f, panels(a, b, width), method="gauss-legendre", maxdegree=6)


def moments(density, low, high, width=mpf(1)):
    """normaliser, mean, sd of l = ln sigma for a density in l"""
    a, b = log(low), log(high)
    z = integrate(density, a, b, width)
    m = integrate(lambda l: l * density(l), a, b, width) / z
    v = integrate(lambda l: (l - m) ** 2 * density(l), a, b, width) / z
    return z, m, sqrt(v)


def s(x):
    return mp.nstr(x, 25)


def law(density, low, high, at, width=mpf(1)):
    z, m, sd = moments(density, low, high, width)
    a = log(low)
    rows = []
    for sigma in at:
        l = log(sigma)
        rows.append([float(sigma), s(density(l) / z), s(integrate(density, a, l, width) / z)])
    return {"normaliser": s(z), "mean": s(m), "sd": s(sd), "points": rows}


F = lambda x: mpf(float(x))  # the double that the test will use
out = {"provenance": "tests/golden/generate_schedule.py, mpmath, 40 digits"}

# the pair of Diracs +-1 on [0.002, 80]: below 0.03 its rate is under 1e-237
mp.dps = 30
low, high, cut = F("0.002"), F("80"), F("0.03")
cache = {}


def pair_rate(l):
    if l not in cache:
        cache[l] = pair_mmse(exp(l)) / exp(2 * l)
    return cache[l]


mp.dps = 25
out["pair"] = {}
for name, f in [
    ("entropy", pair_rate),
    ("log-sigma", lambda l: sqrt(pair_rate(l))),
    ("sigma", lambda l: sqrt(pair_rate(l) * exp(l))),
    ("flow", lambda l: sqrt(pair_rate(l) * inverse_speed("flow", exp(l)))),
    ("ou", lambda l: sqrt(pair_rate(l) * inverse_speed("ou", exp(l)))),
]:
    z, m, sd = moments(f, cut, high, mpf(1) / 2)
    out["pair"][name] = {"normaliser": s(z), "mean": s(m), "sd": s(sd)}
mp.dps = 40

# Gaussian data, s = 1/2, every clock
out["gaussian"] = {}
for clock in ["log-sigma", "log-snr", "sigma", "flow", "ou"]:
    f = lambda l: sqrt(inverse_speed(clock, exp(l)) / (1 + 4 * exp(2 * l)))
    out["gaussian"][clock] = law(f, F("0.05"), F("80"), [F(x) for x in ("0.06", "0.3", "1", "7.5", "79")])

# the asinh law at extreme scales: density 1/sqrt(1+(sigma/s)^2)
out["asinh"] = []
for scale, low, high, at in [
    (1.0, 1e-300, 1e300, [1e-200, 1e-3, 1.0, 5.0, 1e100]),
    (1e-9, 1e-3, 1e3, [2e-3, 1.0, 500.0]),
    (1e9, 1e-3, 1e3, [2e-3, 1.0, 500.0]),
    (0.7, 0.5, 0.5000000005, [0.5000000001, 0.5000000004]),
]:
    S, A, B = F(scale), F(low), F(high)
    big = lambda x: mp.asinh(S / x)
    rows = []
    for x in at:
        X_ = F(x)
        rows.append([x, s((big(A) - big(X_)) / (big(A) - big(B)))])
    out["asinh"].append({"scale": scale, "low": low, "high": high, "points": rows})

# clock sigma on (0, inf): incomplete beta
out["beta"] = []
q = mpf(1) / 4
for r in [1e-30, 1e-6, 0.01, 0.3, 0.999, 1.0, 1.5, 40.0, 1e8]:
    R = F(r)
    x = R**2 / (1 + R**2)
    out["beta"].append([r, s(betainc(q, q, 0, x, regularized=True)), s(1 - betainc(q, q, 0, x, regularized=True))])
out["beta_normaliser"] = s(beta(q, q) / 2)
out["beta_variance"] = s((pi**2 + 8 * mp.catalan) / 2)

# Wishart covariance: the rate as the integral of s/(s+sigma^2) over the Marchenko-Pastur law
# with n x p data, c = p/n, in the angle s = 1 + c - 2 sqrt(c) cos(theta); an atom at 0 for
# c > 1 adds nothing
out["wishart"] = []
for c in [0.3, 1.0, 2.5]:
    C = F(c)

    def rate(l):
        v = exp(2 * l)
        f = lambda t: (
            2 * mp.sin(t) ** 2 / pi
            / ((1 + C - 2 * sqrt(C) * mp.cos(t)) + v)
        )
        # ds = 2 sqrt(c) sin t dt; density sqrt(..)/(2 pi c s) = 2 sqrt(c) sin t/(2 pi c s)
        n = 400
        h = pi / n
        return h * sum(f(h * k) for k in range(1, n))

    def f_root(l):
        # -sigma^2 m(-sigma^2) by the quadratic, for the integrals over l
        v = exp(2 * l)
        b = 1 + C + v
        return sqrt(2 / (b + sqrt(b * b - 4 * C)))

    low, high = F("0.01"), F("80")
    check = [F("0.2"), F("1"), F("7")]
    for x in check:
        d = abs(sqrt(rate(log(x))) / f_root(log(x)) - 1)
        assert d < mpf(10) ** -30, (c, x, d)
    entry = law(f_root, low, high, [F(x) for x in ("0.011", "0.2", "1", "7", "75")], mpf(1) / 4)
    entry["c"] = c
    entry["rate"] = [[float(x), s(rate(log(x)))] for x in check]
    out["wishart"].append(entry)

# efficiencies 1/int(pi^2/mu)
def normal(l):
    return exp(-(((l + F(1.2)) / F(1.2)) ** 2) / 2) / (F(1.2) * sqrt(2 * pi))


a, b = log(F("0.002")), log(F("80"))
best = lambda l: 1 / sqrt(1 + 4 * exp(2 * l))
z = integrate(best, a, b, mpf(1) / 2)
out["efficiency"] = {
    "gaussian_edm": s(z**2 / integrate(lambda l: best(l) ** 2 / normal(l), a, b, mpf(1) / 4)),
    "gaussian_cosine": s(
        z**2 / integrate(lambda l: best(l) ** 2 * (pi * mp.cosh(l)), a, b, mpf(1) / 4)
    ),
}
mp.dps = 25
zp = mpf(out["pair"]["log-sigma"]["normaliser"])
out["efficiency"]["pair_edm"] = s(
    zp**2 / integrate(lambda l: pair_rate(l) / normal(l), log(cut), log(high), mpf(1) / 2)
)
print(json.dumps(out, indent=1))
