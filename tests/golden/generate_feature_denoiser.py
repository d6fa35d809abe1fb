"""Golden values of the random-feature denoiser: limits of test loss, training loss and optimum.

Run: python3 tests/golden/generate_feature_denoiser.py   (mpmath; seconds; writes
feature_denoiser.json next to it)

The fixed point (M16d) is solved by Newton's method in 60 digits, followed from a huge penalty,
where q = r = h = 1/penalty, down to the one wanted; (M16e) is evaluated with the derivatives
of T1 by central differences with a step of 1e-16, whose error is of the order 1e-32. The
Gaussian moments of erf and ReLU are closed forms, those of tanh the trapezoidal rule, which
converges geometrically.
"""

import json
import pathlib

import mpmath as mp

mp.mp.dps = 60


def moments_of_tanh(correlation):
    """E z phi, E phi^2 and E phi phi' at the correlation."""
    step = mp.mpf(1) / 14
    nodes = [(k * step, step * mp.npdf(k * step)) for k in range(-160, 161)]
    value = [mp.tanh(z) for z, _ in nodes]
    first = mp.fsum(w * z * v for (z, w), v in zip(nodes, value))
    second = mp.fsum(w * v * v for (_, w), v in zip(nodes, value))
    # E phi phi' = E_z (E_w phi(sqrt(correlation) z + sqrt(1 - correlation) w))^2, even in z
    a, b = mp.sqrt(correlation), mp.sqrt(1 - correlation)
    joint = mp.mpf(0)
    for z, weight in nodes:
        if z > 0:
            inner = mp.fsum(w * mp.tanh(a * z + b * y) for y, w in nodes)
            joint += 2 * weight * inner**2
    return first, second, joint


def moments_of_erf(correlation):
    return (
        2 / mp.sqrt(3 * mp.pi),
        2 / mp.pi * mp.asin(mp.mpf(2) / 3),
        2 / mp.pi * mp.asin(2 * correlation / 3),
    )


def moments_of_relu(correlation):
    """Of the centred max(z, 0) - 1/sqrt(2 pi); Cho & Saul's arc-cosine kernel."""
    kernel = mp.sqrt(1 - correlation**2) + correlation * (mp.pi - mp.acos(correlation))
    return mp.mpf(1) / 2, mp.mpf(1) / 2 - 1 / (2 * mp.pi), (kernel - 1) / (2 * mp.pi)


MOMENTS = {"tanh": moments_of_tanh, "erf": moments_of_erf, "relu": moments_of_relu}


class Limit:
    def __init__(self, variances, time, psi_n, psi_p, noises, activation):
        with mp.workdps(45):
            self.c = mp.exp(-2 * mp.mpf(time))
            self.variances = [mp.mpf(v) for v in variances]
            self.psi_n, self.psi_p, self.m = mp.mpf(psi_n), mp.mpf(psi_p), mp.mpf(noises)
            first, second, joint = MOMENTS[activation](self.c)
        self.delta = 1 - self.c
        self.mu = first
        self.star = second - first**2
        self.kappa = (joint - first**2 * self.c) / self.star

    def loads(self, q, r, h):
        """L1 and L2."""
        ratio = self.psi_p / self.psi_n
        common = self.mu**2 * self.delta * r
        one = 1 + ratio * self.mu**2 * self.c * h
        one += ratio / self.m * (common + self.star * q * (1 + (self.m - 1) * self.kappa))
        two = 1 + ratio / self.m * (common + self.star * q * (1 - self.kappa))
        return one, two

    def residual(self, z, zeta, q, r, h):
        m, star, kappa, psi_p, mu = self.m, self.star, self.kappa, self.psi_p, self.mu
        one, two = self.loads(q, r, h)
        balance = (1 - psi_p) / q - r / q**2 - z * psi_p
        balance += psi_p * star * (1 + (m - 1) * kappa) / m / one
        balance += (m - 1) * psi_p * star * (1 - kappa) / m / two
        r_hat = 1 / q - psi_p * zeta * self.delta
        r_hat += psi_p * mu**2 * self.delta / m * (1 / one + (m - 1) / two)
        h_hat = psi_p * mu**2 * self.c / one - psi_p * zeta * self.c
        share = mp.mpf(1) / len(self.variances)
        bulk = [share / (r_hat + v * h_hat) for v in self.variances]
        weighted = mp.fsum(v * b for v, b in zip(self.variances, bulk))
        return [q * balance, mp.fsum(bulk) / r - 1, weighted / h - 1]

    def solve(self, z, zeta, start):
        equations = lambda q, r, h: self.residual(z, zeta, q, r, h)
        return tuple(mp.findroot(equations, start, tol=mp.mpf(10) ** -100))

    def losses(self, penalty):
        penalty = mp.mpf(penalty)
        current = mp.mpf(1e6)
        point = (1 / current,) * 3
        while True:
            point = self.solve(-current, mp.mpf(0), point)
            if current == penalty:
                break
            current = max(penalty, current / 2)
        q, r, h = point
        assert q > 0 and r > 0 and h > 0

        def parts(dz, dzeta):
            q, r, h = self.solve(-penalty + dz, dzeta, point)
            one, two = self.loads(q, r, h)
            total = (1 / one + (self.m - 1) / two) / self.m
            t1 = 1 - total + self.mu**2 * self.psi_p * self.delta * r * total**2
            return t1, self.mu * mp.sqrt(self.delta) * self.psi_p * r * total

        step = mp.mpf(10) ** -16
        difference = lambda a, b: (parts(*a)[0] - parts(*b)[0]) / (2 * step)
        by_z = difference((step, 0), (-step, 0))
        by_zeta = difference((0, step), (0, -step))
        t1, t2 = parts(0, 0)
        test = 1 - 2 * self.mu * mp.sqrt(self.delta) * t2 + self.mu**2 * by_zeta + self.star * by_z
        return {"test": test, "training": 1 - t1 - penalty * by_z, "optimum": 1 - t1}


POINTS = [
    ([1.0], 0.5, 4, 2, 1, 0.01, "tanh"),
    ([1.0], 0.1, 4, 3, 1, 0.01, "tanh"),
    ([1.0], 0.1, 2, 4, 4, 0.01, "tanh"),
    ([1.0], 1.0, 3, 6, 2, 0.01, "tanh"),
    ([0.4, 1.6], 0.3, 3, 2.5, 2, 0.02, "tanh"),
    ([0.4, 1.6], 0.8, 2, 3, 1, 0.05, "tanh"),
    ([1.0], 0.4, 2, 1.5, 2, 0.05, "erf"),
    ([0.4, 1.6], 0.4, 2, 3, 1, 0.05, "erf"),
    ([1.0], 0.4, 2, 1.5, 2, 0.05, "relu"),
    ([0.4, 1.6], 0.4, 2, 3, 1, 0.05, "relu"),
]


def main():
    names = ["variances", "time", "samples", "features", "noises", "penalty", "activation"]
    points = []
    for point in POINTS:
        variances, time, psi_n, psi_p, noises, penalty, activation = point
        losses = Limit(variances, time, psi_n, psi_p, noises, activation).losses(penalty)
        text = {key: mp.nstr(value, 20) for key, value in losses.items()}
        points.append({**dict(zip(names, point)), **text})
    golden = {
        "provenance": "generate_feature_denoiser.py: mpmath, Newton's method in 60 digits; "
        "samples and features are per dimension",
        "points": points,
    }
    target = pathlib.Path(__file__).with_name("feature_denoiser.json")
    target.write_text(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__":
    main()
