"""Coefficients of tanh and erf in single precision.

Run: python3 tests/golden/generate_activation_polynomials.py   (mpmath; seconds; prints)

Interpolation at Chebyshev points, in 40 digits, of

    tanh:  (tanh(x)/x - 1)/x^2    as a polynomial in x^2 for |x| <= 5/8,
    erf:   (erf(x)/x)             as a polynomial in x^2 for |x| <= 1,
    erfc:  -ln(erfc(x))           as a polynomial in x   for 1 <= x <= 4,

rounded to single precision; the error printed is that of the rounded polynomial, relative to
tanh, erf and erf.
"""

import struct

import mpmath as mp

mp.mp.dps = 40


def single(x):
    return struct.unpack("f", struct.pack("f", float(x)))[0]


def interpolate(f, low, high, degree):
    nodes = [
        (low + high) / 2 + (high - low) / 2 * mp.cos((2 * k + 1) * mp.pi / (2 * degree + 2))
        for k in range(degree + 1)
    ]
    matrix = mp.matrix(degree + 1, degree + 1)
    for i, x in enumerate(nodes):
        for j in range(degree + 1):
            matrix[i, j] = x**j
    return [single(c) for c in mp.lu_solve(matrix, mp.matrix([f(x) for x in nodes]))]


def value(coefficients, x):
    return sum(mp.mpf(c) * x**k for k, c in enumerate(coefficients))


def report(name, coefficients, error, low, high):
    worst = max(abs(error(low + (high - low) * k / mp.mpf(2000))) for k in range(1, 2001))
    print(name, [float(mp.nstr(c, 9)) for c in coefficients], "2^%.1f" % mp.log(worst, 2))


def main():
    one = mp.mpf(1)
    small = lambda w: (mp.tanh(mp.sqrt(w)) / mp.sqrt(w) - 1) / w
    edge = mp.mpf(5) / 8
    t = interpolate(small, mp.mpf("1e-12"), edge**2, 4)
    report("tanh", t, lambda x: x * (1 + x * x * value(t, x * x)) / mp.tanh(x) - 1, 0 * one, edge)
    e = interpolate(lambda w: mp.erf(mp.sqrt(w)) / mp.sqrt(w), mp.mpf("1e-12"), one, 6)
    report("erf", e, lambda x: x * value(e, x * x) / mp.erf(x) - 1, 0 * one, one)
    c = interpolate(lambda x: -mp.log(mp.erfc(x)), one, 4 * one, 7)
    report("erfc", c, lambda x: (1 - mp.exp(-value(c, x))) / mp.erf(x) - 1, one, 4 * one)


if __name__ == "__main__":
    main()
