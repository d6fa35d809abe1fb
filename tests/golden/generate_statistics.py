"""Golden values of Student tails and quantiles, and of a weighted least-squares fit.

Run:  python3 tests/golden/generate_statistics.py > tests/golden/statistics.json
Needs: mpmath.

Tails integrate the density in 40 digits; quantiles are roots of the tail; the fit solves the
normal equations of y = a + b/n in 40 digits, and its chi-squared tail is the incomplete gamma
function's.
"""
import json

import mpmath as mp

mp.mp.dps = 40


def tail(freedom, z):
    """P(|T| > z), by the regularised incomplete beta function."""
    nu = mp.mpf(freedom)
    return mp.betainc(nu / 2, mp.mpf(1) / 2, 0, nu / (nu + mp.mpf(z) ** 2), regularized=True)


def quantile(freedom, level):
    start = mp.sqrt(2) * mp.erfinv(level)
    return mp.findroot(lambda z: tail(freedom, z) - (1 - mp.mpf(level)), start * (1 + mp.mpf(1) / freedom))


tails = [
    {"freedom": f, "z": z, "p": mp.nstr(tail(f, z), 20)}
    for f in (1, 4, 29, 999, 10**6)
    for z in (0.5, 1.96, 3.0, 6.0)
]
quantiles = [
    {"freedom": f, "level": l, "quantile": mp.nstr(quantile(f, l), 20)}
    for f in (4, 29, 999, 10**6)
    for l in (0.5, 0.95, 0.999)
]

sizes = [25, 50, 100, 400]
means = ["1.31", "1.17", "1.052", "1.0107"]
errors = ["0.02", "0.011", "0.004", "0.003"]
theory = ["1.01", "1.02", "0.99", "1.0"]
x = [1 / mp.mpf(n) for n in sizes]
y = [mp.mpf(m) - mp.mpf(t) for m, t in zip(means, theory)]
w = [1 / mp.mpf(e) ** 2 for e in errors]
S = lambda f: mp.fsum(wk * f(k) for k, wk in enumerate(w))
normal = mp.matrix([[S(lambda k: 1), S(lambda k: x[k])], [S(lambda k: x[k]), S(lambda k: x[k] ** 2)]])
right = mp.matrix([S(lambda k: y[k]), S(lambda k: x[k] * y[k])])
covariance = normal**-1
a, b = covariance * right
chi2 = S(lambda k: (y[k] - a - b * x[k]) ** 2)
fit = {
    "sizes": sizes, "means": means, "errors": errors, "theory": theory,
    "limit": mp.nstr(a, 20), "limit_error": mp.nstr(mp.sqrt(covariance[0, 0]), 20),
    "slope": mp.nstr(b, 20), "slope_error": mp.nstr(mp.sqrt(covariance[1, 1]), 20),
    "limit_p_value": mp.nstr(mp.erfc(abs(a) / mp.sqrt(2 * covariance[0, 0])), 20),
    "decay_p_value": mp.nstr(mp.gammainc(mp.mpf(len(x) - 2) / 2, chi2 / 2, regularized=True), 20),
}
print(json.dumps({
    "provenance": "tests/golden/generate_statistics.py, mpmath in 40 digits",
    "tails": tails, "quantiles": quantiles, "fit": fit,
}, indent=0))
