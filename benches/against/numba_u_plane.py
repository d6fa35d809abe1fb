"""The strongest hand-written rival: compiled, in real arithmetic, with the mathematics of page 6.

On the real axis inside a component u = xi + iy, where y solves c sum h t^2/((t-xi)^2 + y^2) = 1,
is an increasing parametrisation of x. A table of it starts Newton's method for x(u) = x.
"""

import numpy as np
from numba import njit

NODES = 256


@njit(fastmath=True, cache=True)
def slope_sums(t, g, s):
    """phi(s) = sum g/(s-t)^2 and its derivative."""
    first = second = 0.0
    for j in range(t.size):
        r = 1.0 / (s - t[j])
        q = g[j] * r * r
        first += q
        second -= 2.0 * q * r
    return first, second


@njit(fastmath=True, cache=True)
def critical(t, g, below, above):
    """phi = 1 between phi(below) < 1 and the pole `above`."""
    s = 0.5 * (below + above)
    for _ in range(200):
        f, d = slope_sums(t, g, s)
        if f < 1.0:
            below = s
        else:
            above = s
        # Newton for 1/sqrt(phi) = 1, nearly linear next to a pole
        step = 2.0 * f * (1.0 - np.sqrt(f)) / d
        new = s + step
        if not (min(below, above) < new < max(below, above)):
            new = 0.5 * (below + above)
        if abs(new - s) <= 1e-16 * abs(s):
            return new
        s = new
    return s


@njit(fastmath=True, cache=True)
def criticals(t, g, a, c):
    n = t.size
    mass = a.sum()
    out = [0.0]
    if mass < 1.0:
        out[0] = critical(t, g, 0.0, t[0])
    elif mass > 1.0:
        # phi(0) = mass > 1, below everything phi < 1
        low = -2.0 * t[n - 1] * (1.0 + np.sqrt(c))
        high = 0.0
        for _ in range(200):
            middle = 0.5 * (low + high)
            if slope_sums(t, g, middle)[0] < 1.0:
                low = middle
            else:
                high = middle
        out[0] = low
    for j in range(n - 1):
        gap = t[j + 1] - t[j]
        if (g[j] ** (1 / 3) + g[j + 1] ** (1 / 3)) ** 3 >= gap * gap:
            continue
        low, high = t[j], t[j + 1]
        for _ in range(80):
            middle = 0.5 * (low + high)
            f, d = slope_sums(t, g, middle)
            if f < 1.0 or middle <= low or middle >= high:
                break
            if d < 0.0:
                low = middle
            else:
                high = middle
        middle = 0.5 * (low + high)
        if slope_sums(t, g, middle)[0] < 1.0:
            out.append(critical(t, g, middle, t[j]))
            out.append(critical(t, g, middle, t[j + 1]))
    out.append(critical(t, g, t[n - 1] * (2.0 + 2.0 * np.sqrt(c)), t[n - 1]))
    return np.array(out)


@njit(fastmath=True, cache=True)
def height(t, g, xi, start):
    """y^2 of the parametrisation: Newton on 1/sum - 1 from below the root, where it is monotone."""
    s = start
    for _ in range(60):
        f = d = 0.0
        for j in range(t.size):
            e = t[j] - xi
            r = 1.0 / (e * e + s)
            q = g[j] * r
            f += q
            d += q * r
        new = s + f * (f - 1.0) / d
        if abs(new - s) <= 1e-6 * s:
            return new
        s = new
    return s


@njit(fastmath=True, cache=True)
def real_x(t, a, xi, s):
    total = 0.0
    for j in range(t.size):
        e = xi - t[j]
        total += a[j] * t[j] * (e * xi + s) / (e * e + s)
    return xi + total


@njit(fastmath=True, cache=True)
def newton(t, a, x, xi, y):
    """Complex Newton for x(u) = x in real arithmetic."""
    for _ in range(30):
        pr = pi = qr = qi = 0.0
        for j in range(t.size):
            e = xi - t[j]
            r = t[j] / (e * e + y * y)
            wr, wi = e * r, -y * r
            pr += a[j] * wr
            pi += a[j] * wi
            qr += a[j] * (wr * wr - wi * wi)
            qi += a[j] * 2.0 * wr * wi
        fr = xi * (1.0 + pr) - y * pi - x
        fi = y * (1.0 + pr) + xi * pi
        dr, di = 1.0 - qr, -qi
        size = dr * dr + di * di
        sr, si = (fr * dr + fi * di) / size, (fi * dr - fr * di) / size
        while y - si <= 0.0:
            sr *= 0.5
            si *= 0.5
        xi -= sr
        y -= si
        if sr * sr + si * si <= 1e-18 * (xi * xi + y * y):
            # quadratic: the next step is below rounding
            return xi, y
    return xi, y


@njit(fastmath=True, cache=True)
def density(t, a, c, x):
    g = a * t * t
    s = criticals(t, g, a, c)
    components = s.size // 2
    nodes = max(16, NODES // components)
    out = np.zeros(x.size)
    table_xi, table_y, table_x = np.empty(nodes), np.empty(nodes), np.empty(nodes)
    i = 0
    for k in range(components):
        middle, half = 0.5 * (s[2 * k] + s[2 * k + 1]), 0.5 * (s[2 * k + 1] - s[2 * k])
        for m in range(nodes):
            xi = middle - half * np.cos(np.pi * (m + 0.5) / nodes)
            start = 0.0
            for j in range(t.size):
                start = max(start, g[j] - (t[j] - xi) ** 2)
            if m > 0 and start == 0.0:
                start = 0.25 * table_y[m - 1] ** 2
            square = height(t, g, xi, start)
            table_xi[m], table_y[m] = xi, np.sqrt(square)
            table_x[m] = real_x(t, a, xi, square)
        m = 0
        upper = s[2 * k + 1]
        edge = upper * (1.0 + np.sum(a * t / (upper - t)))
        while i < x.size and (x[i] <= edge or k == components - 1):
            while m < nodes - 2 and table_x[m + 1] < x[i]:
                m += 1
            share = (x[i] - table_x[m]) / (table_x[m + 1] - table_x[m])
            share = min(max(share, 0.0), 1.0)
            xi = table_xi[m] + share * (table_xi[m + 1] - table_xi[m])
            y = table_y[m] + share * (table_y[m + 1] - table_y[m])
            xi, y = newton(t, a, x[i], xi, y)
            out[i] = y / (np.pi * c * (xi * xi + y * y))
            i += 1
    return out


@njit(fastmath=True, cache=True)
def ridge(lam, n, noise, rhos):
    out = np.empty(rhos.size)
    y = np.log(rhos[0] + lam.sum())
    for i in range(rhos.size):
        low, high = np.log(rhos[i]), np.log(rhos[i] + lam.sum())
        y = min(max(y, low), high)
        for _ in range(100):
            kappa = np.exp(y)
            df1 = df2 = 0.0
            for j in range(lam.size):
                q = lam[j] / (lam[j] + kappa)
                df1 += q
                df2 += q * q
            gap = n - df1 - n * rhos[i] / kappa
            if gap > 0.0:
                high = y
            else:
                low = y
            step = gap / (df1 - df2 + n * rhos[i] / kappa)
            new = y - step
            if not (low <= new <= high):
                new = 0.5 * (low + high)
            step = y - new
            y = new
            if abs(step) < 1e-13:
                break
        kappa = np.exp(y)
        df2 = bias = 0.0
        for j in range(lam.size):
            r = 1.0 / (lam[j] + kappa)
            df2 += (lam[j] * r) ** 2
            bias += lam[j] * (kappa * r) ** 2
        out[i] = (bias / lam.size + noise * df2 / n) / (1.0 - df2 / n)
    return out
