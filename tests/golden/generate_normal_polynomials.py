"""The minimax coefficients of src/montecarlo/normal.rs, by Remez exchange in 60 digits.

Run:  python3 tests/golden/generate_normal_polynomials.py
Needs: mpmath.  Prints each polynomial with its largest weighted error as a power of two; the
source holds the coefficients rounded to double or single precision.
"""
import mpmath as mp

mp.mp.dps = 60


def remez(target, a, b, degree, weight):
    """Coefficients and largest error of the P that minimises max |(target - P) weight| on [a, b]."""
    count = degree + 2
    chebyshev = lambda m: [(a + b) / 2 - (b - a) / 2 * mp.cos(mp.pi * mp.mpf(i) / m) for i in range(m + 1)]
    nodes = chebyshev(count - 1)
    for _ in range(30):
        system, right = mp.matrix(count, count), mp.matrix(count, 1)
        for i, x in enumerate(nodes):
            for j in range(degree + 1):
                system[i, j] = x**j
            system[i, degree + 1] = (-1) ** i / weight(x)
            right[i] = target(x)
        solution = mp.lu_solve(system, right)
        coefficients, level = [solution[j] for j in range(degree + 1)], abs(solution[degree + 1])
        grid = chebyshev(40 * count)
        error = [(target(x) - mp.polyval(coefficients[::-1], x)) * weight(x) for x in grid]
        extrema = []
        for i, e in enumerate(error):
            if extrema and mp.sign(e) == mp.sign(error[extrema[-1]]):
                if abs(e) > abs(error[extrema[-1]]):
                    extrema[-1] = i
            else:
                extrema.append(i)
        while len(extrema) > count:
            extrema.pop(0 if abs(error[extrema[0]]) < abs(error[extrema[-1]]) else -1)
        largest = max(map(abs, error))
        if len(extrema) < count or largest - level < largest / 1000:
            break
        nodes = [grid[i] for i in extrema]
    return coefficients, largest


def show(name, fit):
    coefficients, error = fit
    print(f"{name}: 2^{float(mp.log(error, 2)):.1f}")
    for c in coefficients:
        print("   ", repr(float(c)))


half_pi, tiny = mp.pi / 2, mp.mpf("1e-40")
s_max = (mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)


def artanh_tail(w):  # (2 artanh(s)/s - 2)/w at w = s²
    return mp.mpf(2) / 3 if w < tiny else (2 * mp.atanh(mp.sqrt(w)) / mp.sqrt(w) - 2) / w


def sine_tail(w):  # (sin(πy/2)/y - π/2)/w at w = y²
    return -(half_pi**3) / 6 if w < tiny else (mp.sin(half_pi * mp.sqrt(w)) / mp.sqrt(w) - half_pi) / w


def cosine_tail(w):  # (cos(πy/2) - 1)/w at w = y²
    return -(half_pi**2) / 2 if w < tiny else (mp.cos(half_pi * mp.sqrt(w)) - 1) / w


def log_tail(f):  # (ln(1 + f) - f + f²/2)/f³
    return mp.mpf(1) / 3 - f / 4 if abs(f) < mp.mpf("1e-15") else (mp.log(1 + f) - f + f * f / 2) / f**3


floor = mp.mpf("1e-4")  # keeps the weights positive at 0
show("Q of ln, double", remez(artanh_tail, mp.mpf(0), s_max**2 * mp.mpf("1.0001"), 6, lambda w: (w + floor) / 2))
quarter = mp.mpf(1) / 4
show("S, double", remez(sine_tail, mp.mpf(0), quarter, 5, lambda w: (w + floor) / half_pi))
show("C, double", remez(cosine_tail, mp.mpf(0), quarter, 6, lambda w: w + floor))
show("S, single", remez(sine_tail, mp.mpf(0), quarter, 2, lambda w: (w + floor) / half_pi))
show("C, single", remez(cosine_tail, mp.mpf(0), quarter, 3, lambda w: w + floor))
weight = lambda f: f * f / (mp.log(1 + f) / f if abs(f) > mp.mpf("1e-12") else 1) + mp.mpf("1e-5")
show("P of ln, single", remez(log_tail, mp.sqrt(mp.mpf(1) / 2) - 1, mp.sqrt(2) - 1, 8, weight))
