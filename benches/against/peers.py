"""What others use for the same numbers; one method a call, run by run.py.

Usage: python3 peers.py METHOD CASE.json     (CASE: written by run.py; prints one JSON object)

A method gets the population and the points and returns the density at them; everything that a
user pays for again with every population counts as time, imports and compilation do not.
"""

import json
import sys
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")


class Refused(Exception):
    """The method does not apply to this case."""


def companion_density(v, c):
    return v.imag / (np.pi * c)


def numpy_fixed_point(t, h, c, x):
    """Damped iteration of v = 1/(-z + c sum h t/(1 + t v)) just above the axis, all points at once."""
    eta, damping, tolerance, limit = 1e-6, 0.5, 1e-10, 20_000
    out = np.empty(len(x))
    chunk = max(1, 2_000_000 // len(t))
    for start in range(0, len(x), chunk):
        part = x[start : start + chunk]
        z = part * (1 + 1j * eta)
        v = -1 / z
        for _ in range(limit):
            new = 1 / (-z + c * ((h * t) / (1 + np.outer(v, t))).sum(axis=1))
            step = np.abs(new - v).max() / np.abs(v).max()
            v = damping * new + (1 - damping) * v
            if step < tolerance:
                break
        out[start : start + chunk] = companion_density(v, c)
    return out


def numpy_roots(t, h, c, x):
    """All roots of the polynomial in u at every point; the one in the upper half plane."""
    keep = t > 0
    t, h = t[keep], h[keep]
    if len(t) > 100:
        raise Refused("100 atoms already leave no right digit")
    poles = np.poly(t)
    numerator = sum(w * s * np.poly(np.delete(t, j)) for j, (s, w) in enumerate(zip(t, h)))
    base = np.append(np.polyadd(poles, c * numerator), 0.0)
    out = np.empty(len(x))
    for i, value in enumerate(x):
        roots = np.roots(np.polysub(base, value * poles))
        u = roots[np.argmax(roots.imag)]
        out[i] = u.imag / (np.pi * c * abs(u) ** 2)
    return out


def scipy_root(t, h, c, x):
    """MINPACK's hybrid method at every point, from its neighbour, else down from a safe height."""
    from scipy.optimize import root

    def solve(z, v):
        def gap(p):
            w = p[0] + 1j * p[1]
            f = w * (-z + c * np.sum(h * t / (1 + t * w))) - 1
            return [f.real, f.imag]

        found = root(gap, [v.real, v.imag], tol=1e-14)
        w = complex(*found.x)
        return w if np.hypot(*found.fun) < 1e-9 and w.imag > 0 else None

    out = np.empty(len(x))
    v = None
    for i, value in enumerate(x):
        v = solve(value, v) if v is not None else None
        if v is None:
            v = -1 / (value * (1 + 10j))
            for height in 10.0 ** np.arange(1, -13, -0.5):
                v = solve(value * (1 + 1j * height), v) or v
            v = solve(value, v) or v
        out[i] = companion_density(v, c)
    return out


def numba_u_plane(t, h, c, x):
    """A compiled prototype in the plane of u = -1/v: support, table of a monotone parametrisation,
    Newton from it. The same mathematics as ours, without double-double, proof or special cases."""
    import numba_u_plane as compiled

    keep = t > 0
    return compiled.density(t[keep], c * h[keep], c, x)


def freealg(t, h, c, x, eta=1e-3):
    """DeformedMarchenkoPastur.density at its default height above the axis."""
    from freealg.distributions import DeformedMarchenkoPastur

    return DeformedMarchenkoPastur(t, h, c).density(x, eta=eta)


def freealg_low(t, h, c, x):
    """The same at a height of 1e-9."""
    return freealg(t, h, c, x, 1e-9)


def rmtool(t, h, c, x):
    """The polynomial method: symbolic free product with a Wishart matrix, roots at every point."""
    from rmtool import AtimesWish, Lmz2pdf, atomLmz

    if len(t) > 33:
        raise Refused("33 atoms already time out")
    law = AtimesWish(atomLmz(t.tolist(), h.tolist()), c)
    return Lmz2pdf(law, x).best_density()


def scikit_rmt(t, h, c, x):
    """MarchenkoPasturDistribution.pdf."""
    from skrmt.ensemble.spectral_law import MarchenkoPasturDistribution

    if len(t) > 1:
        raise Refused("one population eigenvalue only")
    return MarchenkoPasturDistribution(ratio=c, sigma=np.sqrt(t[0])).pdf(x)


def simulation(t, h, c, x):
    """Eigenvalues of one sample covariance with about 1,000 rows or columns, in a histogram."""
    p = int(1000 * max(1, min(c, 10)))
    n = max(1, round(p / c))
    rng = np.random.default_rng(1)
    levels = np.searchsorted(np.cumsum(h), (np.arange(p) + 0.5) / p * (1 - 1e-12))
    tau = t[np.minimum(levels, len(t) - 1)]
    data = rng.standard_normal((n, p)) * np.sqrt(tau)
    gram = data.T @ data / n if p <= n else data @ data.T / n
    eigenvalues = np.linalg.eigvalsh(gram)
    eigenvalues = eigenvalues[eigenvalues > 1e-12 * eigenvalues[-1]]
    counts, bins = np.histogram(eigenvalues, bins=60)
    at = np.clip(np.searchsorted(bins, x, side="right") - 1, 0, 59)
    inside = (x >= bins[0]) & (x <= bins[-1])
    return np.where(inside, counts[at] / (p * np.diff(bins)[at]), 0.0)


def ridge_risk(lam, n, noise, kappa):
    q = lam / (lam + kappa[:, None])
    df2 = (q**2).sum(axis=1)
    bias = (kappa[:, None] ** 2 * lam / (lam + kappa[:, None]) ** 2).mean(axis=1)
    return (bias + noise * df2 / n) / (1 - df2 / n)


def ridge_numpy_fixed_point(lam, n, noise, rhos):
    """kappa = rho + kappa df1(kappa)/n, iterated for all penalties at once."""
    kappa = rhos + lam.mean()
    for _ in range(100_000):
        new = rhos + kappa * (lam / (lam + kappa[:, None])).sum(axis=1) / n
        done = np.abs(new - kappa).max() < 1e-14 * kappa.max()
        kappa = new
        if done:
            break
    return ridge_risk(lam, n, noise, kappa)


def ridge_scipy_brentq(lam, n, noise, rhos):
    """A bracketing root finder in ln kappa for every penalty."""
    from scipy.optimize import brentq

    def kappa(rho):
        gap = lambda y: n - np.sum(lam / (lam + np.exp(y))) - n * rho * np.exp(-y)
        return np.exp(brentq(gap, np.log(rho), np.log(rho + lam.sum()), xtol=1e-15, rtol=1e-14))

    return ridge_risk(lam, n, noise, np.array([kappa(r) for r in rhos]))


def ridge_numba_newton(lam, n, noise, rhos):
    """Compiled: safeguarded Newton in ln kappa, then the sums of the risk."""
    import numba_u_plane as compiled

    return compiled.ridge(lam, n, noise, rhos)


def main():
    method, path = sys.argv[1:]
    with open(path) as file:
        case = json.load(file)
    call = globals()[method]
    if "ridges" in case:
        numbers = np.array(case["eigenvalues"], float), case["samples"], case["noise"]
        points = np.array(case["ridges"], float)
        run = lambda: call(*numbers, points)
    else:
        t, h = np.array(case["atoms"], float), np.array(case["weights"], float)
        points = np.array(case["x"], float)
        run = lambda: call(t, h / h.sum(), case["ratio"], points)
    try:
        if "numba" in method:
            run()
        times, values = [], None
        while len(times) < case["repeats"] and (not times or sum(times) < case["seconds"]):
            start = time.perf_counter()
            values = run()
            times.append(time.perf_counter() - start)
    except Refused as reason:
        print(json.dumps({"refused": str(reason)}))
        return
    checks = [float(values[i]) for i in case["indices"]]
    checks = [v if np.isfinite(v) else None for v in checks]
    print(json.dumps({"times": times, "values": checks}))


if __name__ == "__main__":
    main()
