"""Coefficients of tanh and erf in double and single precision.

Run: python3 tests/golden/generate_activation_polynomials.py   (mpmath; seconds; prints)

Interpolation at Chebyshev points in 40 digits, the coefficients then rounded. Each line ends
with the error of the rounded polynomial, relative to the function that it serves.
"""

import struct

import mpmath as mp

mp.mp.dps = 40


def single(x):
    return struct.unpack("f", struct.pack("f", float(x)))[0]


def interpolate(f, low, high, degree, rounding):
    size = degree + 1
    angles = [(2 * k + 1) * mp.pi / (2 * size) for k in range(size)]
    nodes = [(low + high) / 2 + (high - low) / 2 * mp.cos(angle) for angle in angles]
    matrix = mp.matrix(size, size)
    for i, x in enumerate(nodes):
        for j in range(size):
            matrix[i, j] = x**j
    return [rounding(c) for c in mp.lu_solve(matrix, mp.matrix([f(x) for x in nodes]))]


def value(coefficients, x):
    return mp.polyval([mp.mpf(c) for c in coefficients[::-1]], x)


def report(name, coefficients, error, low, high, digits):
    points = [low + (high - low) * mp.mpf(k) / 2000 for k in range(1, 2001)]
    worst = max(abs(error(x)) for x in points)
    print(f"{name}: 2^{float(mp.log(worst, 2)):.1f}")
    print("   ", ", ".join(mp.nstr(mp.mpf(c), digits) for c in coefficients))


def main():
    zero, one, tiny = mp.mpf(0), mp.mpf(1), mp.mpf("1e-20")
    erf_of_square = lambda w: mp.erf(mp.sqrt(w)) / mp.sqrt(w)
    for name, degree, rounding, digits in [("double", 12, float, 17), ("single", 6, single, 9)]:
        c = interpolate(erf_of_square, tiny, one, degree, rounding)
        error = lambda x: x * value(c, x * x) / mp.erf(x) - 1
        report(f"{name}, erf(x)/x in x^2, |x| < 1", c, error, zero, one, digits)

    back = lambda v: 3 * (1 + v) / (1 - v)
    scaled = lambda v: mp.exp(back(v) ** 2) * mp.erfc(back(v))
    c = interpolate(scaled, mp.mpf(-1) / 2, one / 3, 14, float)
    error = lambda x: (1 - mp.exp(-x * x) * value(c, (x - 3) / (x + 3))) / mp.erf(x) - 1
    report("double, erfc(x) exp(x^2) in (x-3)/(x+3), 1 < x < 6", c, error, one, 6 * one, 17)

    c = interpolate(lambda x: -mp.log(mp.erfc(x)), one, 4 * one, 7, single)
    error = lambda x: (1 - mp.exp(-value(c, x))) / mp.erf(x) - 1
    report("single, -ln(erfc(x)) in x, 1 < x < 4", c, error, one, 4 * one, 9)

    edge = mp.mpf(5) / 8
    tail = lambda w: (mp.tanh(mp.sqrt(w)) / mp.sqrt(w) - 1) / w
    for name, degree, rounding, digits in [("double", 11, float, 17), ("single", 4, single, 9)]:
        c = interpolate(tail, tiny, edge**2, degree, rounding)
        error = lambda x: x * (1 + x * x * value(c, x * x)) / mp.tanh(x) - 1
        title = f"{name}, (tanh(x)/x - 1)/x^2 in x^2, |x| < 5/8"
        report(title, c, error, zero, edge, digits)


if __name__ == "__main__":
    main()
