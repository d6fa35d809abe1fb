"""Golden values of the ridge learning curve and of the decoupling defect.

Run: python3 tests/golden/generate_ridge.py   (mpmath and numpy; minutes; writes ridge.json next to it)

Points: plain bisection in ln(kappa) of kappa - rho - kappa df1/n with hundreds of digits, so
that no rearrangement against cancellation is needed; sums written as in (R2)-(R4).
Optima: root of the numerical derivative of the risk in ln(kappa).
Decoupling: Monte Carlo with given scales; the variance is conditioned on the features, so
only they are random. Fixed seed.
"""

import json
import pathlib

import mpmath as mp
import numpy as np

mp.mp.dps = 40


def df(lam, kappa, power):
    return mp.fsum((l / (l + kappa)) ** power for l in lam)


def kappa_of(lam, n, rho):
    """Bisection for rho > 0 or n < p."""
    low, high = mp.mpf(-800), mp.mpf(800)
    for _ in range(150):
        mid = (low + high) / 2
        kappa = mp.exp(mid)
        if kappa - rho - kappa * df(lam, kappa, 1) / n > 0:
            high = mid
        else:
            low = mid
    return mp.exp((low + high) / 2)


def risk_parts(lam, w2, n, noise, kappa):
    df2 = df(lam, kappa, 2)
    slack = 1 - df2 / n
    bias = kappa**2 * mp.fsum(w * l / (l + kappa) ** 2 for w, l in zip(w2, lam)) / slack
    return bias, noise * df2 / n / slack


def signal(p, exponent, power):
    raw = [mp.mpf(k) ** -mp.mpf(exponent) for k in range(1, p + 1)]
    total = mp.fsum(raw)
    return [power * r / total for r in raw]


def text(x):
    return mp.nstr(x, 30, min_fixed=0, max_fixed=0)


def point(name, lam, n, rho, noise, exponent, power, dps=60):
    """lam descending floats; everything is computed from the exact values of the floats."""
    with mp.workdps(dps):
        exact = [mp.mpf(l) for l in lam]
        w2 = signal(len(lam), exponent, mp.mpf(power))
        kappa = kappa_of(exact, mp.mpf(n), mp.mpf(rho))
        bias, variance = risk_parts(exact, w2, mp.mpf(n), mp.mpf(noise), kappa)
        return {
            "name": name, "eigenvalues": lam, "samples": n, "ridge": rho, "noise": noise,
            "exponent": exponent, "power": power, "kappa": text(kappa),
            "df1": text(df(exact, kappa, 1)), "df2": text(df(exact, kappa, 2)),
            "bias": text(bias), "variance": text(variance), "risk": text(bias + variance),
        }


def power_law(p, exponent):
    return [float(k) ** -exponent for k in range(1, p + 1)]


def optimum(name, lam, n, noise, exponent, power, start):
    exact = [mp.mpf(l) for l in lam]
    w2 = signal(len(lam), exponent, mp.mpf(power))
    risk = lambda x: sum(risk_parts(exact, w2, mp.mpf(n), mp.mpf(noise), mp.exp(x)))
    x = mp.findroot(lambda x: mp.diff(risk, x), mp.log(start), tol=1e-22)
    kappa = mp.exp(x)
    return {
        "name": name, "eigenvalues": lam, "samples": n, "noise": noise, "exponent": exponent,
        "power": power, "ridge": mp.nstr(kappa * (1 - df(exact, kappa, 1) / n), 18),
        "risk": mp.nstr(risk(x), 18),
    }


def elliptical(classes, p, n, replicates, rng):
    """Mean and standard error of E a^2 tr[M^-1 (sum s a^2 z z') M^-1], M = sum a^2 z z'."""
    weight, scale, noise = (np.array([c[i] for c in classes]) for i in range(3))
    values = []
    for _ in range(replicates):
        kind = rng.choice(len(classes), size=n, p=weight)
        phi = scale[kind, None] * rng.standard_normal((n, p))
        inverse = np.linalg.inv(phi.T @ phi)
        half = (phi * np.sqrt(noise[kind])[:, None]) @ inverse
        values.append((weight * scale**2).sum() * (half**2).sum())
    values = np.array(values)
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(replicates))


def main():
    rng = np.random.default_rng(20240607)
    wide = [10.0 ** (-16 * k / 39) for k in range(40)]
    gap = [2.0] * 5 + [1e-9] * 5
    p200 = power_law(200, 0.8)
    points = [
        point("p200, n<p", p200, 100, 1e-3, 0.3, 0.5, 1.0),
        point("p200, n>p", p200, 400, 0.1, 0.3, 0.5, 1.0),
        point("p200, ridgeless", p200, 50, 0.0, 0.3, 0.5, 1.0),
        point("condition 1e16, n<p", wide, 17, 1e-12, 0.1, 1.5, 2.0, dps=80),
        point("condition 1e16, n=p", wide, 40, 1e-30, 0.1, 1.5, 2.0, dps=200),
        point("condition 1e16, ridgeless", wide, 39, 0.0, 0.1, -0.5, 2.0, dps=80),
        point("n=p, tiny ridge", power_law(7, 1.0), 7, 1e-300, 0.25, 0.0, 1.0, dps=800),
        point("huge ridge", power_law(7, 1.0), 3, 1e300, 0.25, 2.0, 1.0, dps=800),
        point("many samples", power_law(7, 1.0), 1e12, 1e-5, 0.25, 1.0, 1.0),
        point("one sample", power_law(7, 1.0), 1, 0.02, 0.25, 1.0, 1.0),
        point("gap exactly at n, ridgeless", gap, 5, 0.0, 1.0, 0.5, 1.0),
        point("gap exactly at n", gap, 5, 1e-14, 1.0, 0.5, 1.0, dps=80),
        point("just below threshold", power_law(7, 1.0), 7 - 2**-40, 0.0, 1.0, 1.0, 1.0, dps=80),
    ]
    optima = [
        optimum("aligned, n<p", power_law(60, 1.0), 30, 0.3, 1.5, 1.0, 0.2),
        optimum("misaligned, n>p", power_law(60, 1.0), 100, 0.3, -1.0, 1.0, 0.02),
        optimum("weak noise, n<p", power_law(60, 1.5), 40, 0.01, 0.5, 1.0, 0.01),
    ]
    decoupling = []
    for classes, ratio in [
        ([(0.5, 0.5, 0.25), (0.5, 1.5, 2.25)], 1.5),
        ([(0.8, 1.0, 1.0), (0.2, 3.0, 4.0)], 2.0),
        ([(0.5, 0.5, 0.25), (0.5, 1.5, 2.25)], 8.0),
    ]:
        sizes = []
        for p in (80, 160, 320):
            n = int(round(ratio * p))
            mean, error = elliptical(classes, p, n, 64000 // p, rng)
            sizes.append({"dimension": p, "samples": n, "mean": mean, "standard_error": error})
        decoupling.append({"classes": classes, "sizes": sizes})
    golden = {
        "provenance": "generate_ridge.py: mpmath bisection with 60-800 digits (points), root of the "
        "numerical derivative (optima), numpy Monte Carlo with seed 20240607 (decoupling)",
        "points": points, "optima": optima, "decoupling": decoupling,
    }
    target = pathlib.Path(__file__).with_name("ridge.json")
    target.write_text(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__":
    main()
