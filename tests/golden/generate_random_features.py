"""Golden values of ridge regression on random features.

Run: python3 tests/golden/generate_random_features.py   (mpmath; a minute; writes
random_features.json next to it)

The pair (nu1, nu2) is found by bisection in ln(nu2) of the first equation of (F1) after the
second has given nu1, with enough digits that nothing needs rearranging; bias and variance are
written with Upsilon and chi as Defilippis, Loureiro & Misiakiewicz do, (F2) of the theory page,
not in the reduced form (F5) that the crate evaluates.
"""

import json
import pathlib

import mpmath as mp


def df(lam, nu, power):
    return mp.fsum((l / (l + nu)) ** power for l in lam)


def solve(lam, n, p, penalty):
    """nu2 with n - penalty/nu1 = df1, nu1 = nu2 (1 - df1/p), on df1 < min(n, p)."""
    low, high = mp.mpf(-900), mp.mpf(900)
    steps = int(mp.mp.prec) + 20
    for _ in range(steps):
        mid = (low + high) / 2
        nu2 = mp.exp(mid)
        d1 = df(lam, nu2, 1)
        nu1 = nu2 * (1 - d1 / p)
        if d1 >= min(n, p) or n - penalty / nu1 < d1:
            low = mid
        else:
            high = mid
    nu2 = mp.exp((low + high) / 2)
    return nu2 * (1 - df(lam, nu2, 1) / p), nu2


def signal(size, exponent, power):
    raw = [mp.mpf(k) ** -mp.mpf(exponent) for k in range(1, size + 1)]
    total = mp.fsum(raw)
    return [power * r / total for r in raw]


def text(x):
    return mp.nstr(x, 30, min_fixed=0, max_fixed=0)


def point(name, lam, n, p, penalty, noise, exponent, power, dps=60):
    with mp.workdps(dps):
        exact = [mp.mpf(l) for l in lam]
        w2 = signal(len(lam), exponent, mp.mpf(power))
        n_, p_, penalty_, noise_ = (mp.mpf(x) for x in (n, p, penalty, noise))
        nu1, nu2 = solve(exact, n_, p_, penalty_)
        d2 = df(exact, nu2, 2)
        ratio = nu1 / nu2
        upsilon = p_ / n_ * ((1 - ratio) ** 2 + ratio**2 * d2 / (p_ - d2))
        chi = mp.fsum(l / (l + nu2) ** 2 for l in exact) / (p_ - d2)
        # beta_k^2 = w_k^2 lambda_k: coefficients of the target in an orthonormal basis
        bias = nu2**2 / (1 - upsilon) * mp.fsum(
            w * l / (l + nu2) ** 2 * (1 + chi * l) for w, l in zip(w2, exact)
        )
        variance = noise_ * upsilon / (1 - upsilon)
        return {
            "name": name, "eigenvalues": lam, "samples": n, "features": p, "penalty": penalty,
            "noise": noise, "exponent": exponent, "power": power,
            # without a penalty nu1 = 0 for p < n, and bisection leaves its last digit
            "nu1": text(nu1 if penalty or n < p else mp.mpf(0)), "nu2": text(nu2), "df1": text(df(exact, nu2, 1)), "df2": text(d2),
            "bias": text(bias), "variance": text(variance), "risk": text(bias + variance),
        }


def power_law(size, exponent):
    return [float(k) ** -exponent for k in range(1, size + 1)]


def main():
    p60 = power_law(60, 1.0)
    wide = [10.0 ** (-16 * k / 39) for k in range(40)]
    points = [
        point("n < p < d", p60, 20, 40, 0.5, 0.3, 0.5, 1.0),
        point("p < n < d", p60, 40, 20, 0.5, 0.3, 0.5, 1.0),
        point("n < d < p", p60, 30, 500, 0.01, 0.3, 0.5, 1.0),
        point("p < d < n", p60, 500, 30, 0.01, 0.3, 0.5, 1.0),
        point("d < n < p", p60, 100, 200, 1.0, 0.3, -0.5, 1.0),
        point("d < p = n", p60, 100, 100, 1e-8, 0.3, 0.5, 1.0),
        point("n = p < d", p60, 30, 30, 1e-4, 0.3, 0.5, 1.0),
        point("n = p < d, tiny penalty", p60, 30, 30, 1e-30, 0.3, 0.5, 1.0, dps=120),
        point("n = p = d, tiny penalty", p60, 60, 60, 1e-30, 0.3, 0.5, 1.0, dps=120),
        point("ridgeless, n < p", p60, 20, 40, 0.0, 0.3, 0.5, 1.0, dps=80),
        point("ridgeless, p < n", p60, 40, 20, 0.0, 0.3, 0.5, 1.0, dps=80),
        point("huge penalty", p60, 20, 40, 1e140, 0.3, 0.5, 1.0, dps=350),
        point("many features", p60, 20, 1e12, 0.5, 0.3, 0.5, 1.0),
        point("condition 1e16, n < p", wide, 17, 23, 1e-12, 0.1, 1.5, 2.0, dps=100),
        point("condition 1e16, p < n", wide, 1000, 11, 1e-3, 0.1, 1.5, 2.0, dps=100),
        point("not whole", p60, 20.5, 1.25, 0.5, 0.3, 0.5, 1.0),
        point("one of each", p60, 1, 1, 0.5, 0.3, 0.5, 1.0),
    ]
    golden = {
        "provenance": "generate_random_features.py: mpmath bisection with 60-350 digits of the "
        "two equations as published",
        "points": points,
    }
    target = pathlib.Path(__file__).with_name("random_features.json")
    target.write_text(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__":
    main()
