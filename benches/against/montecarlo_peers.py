"""What others use for Monte Carlo work; one method a call, run by montecarlo.py.

Usage: python3 montecarlo_peers.py METHOD CASE.json     (CASE: written by montecarlo.py; prints one JSON object)

A method returns the mean of what it computed. Memory that can be reused is.
"""

import json
import sys
import threading
import time

import numpy as np


def population(case):
    """Σ_k = k^-0.8, w_k = 0.1, as in ../against.rs."""
    scales = np.arange(1, case["features"] + 1) ** -0.4
    return scales, 0.1 * np.ones(case["features"])


def numpy_normals(case):
    """A generator a thread; it lets go of the interpreter's lock while it draws."""
    threads, count = case["threads"], case["replicates"] // case["threads"]
    dtype = {"f32": np.float32, "f64": np.float64}[case["precision"]]
    generators = [np.random.default_rng([1, t]) for t in range(threads)]
    memory = [np.empty(case["length"], dtype) for _ in range(threads)]

    def fill(thread):
        for _ in range(count):
            generators[thread].standard_normal(out=memory[thread], dtype=dtype)

    def work():
        others = [threading.Thread(target=fill, args=(t,)) for t in range(1, threads)]
        [t.start() for t in others]
        fill(0)
        [t.join() for t in others]
        return np.mean(np.square(memory, dtype=np.float64))

    return work


def scipy_ridge(case):
    import scipy.linalg

    n, p = case["samples"], case["features"]
    rng = np.random.default_rng(1)
    scales, w = population(case)
    ridge, tau = 0.1 * np.eye(p), np.sqrt(0.3)

    def work():
        risks = []
        for _ in range(case["replicates"]):
            x = rng.standard_normal((n, p))
            x *= scales
            y = x @ w + tau * rng.standard_normal(n)
            gram = x.T @ x
            gram /= n
            gram += ridge
            factor = scipy.linalg.cho_factor(gram, lower=True, overwrite_a=True, check_finite=False)
            found = scipy.linalg.cho_solve(factor, x.T @ y / n, check_finite=False)
            risks.append(np.sum((scales * (found - w)) ** 2))
        return np.mean(risks)

    return work


def torch_start(case):
    import torch

    torch.set_num_threads(case["threads"])
    torch.manual_seed(1)
    return torch, {"f32": torch.float32, "f64": torch.float64}[case.get("precision", "f64")]


def torch_normals(case):
    torch, dtype = torch_start(case)
    memory = torch.empty(case["length"], dtype=dtype)

    def work():
        for _ in range(case["replicates"]):
            memory.normal_()
        return float((memory.double() ** 2).mean())

    return work


def torch_ridge(case):
    torch, dtype = torch_start(case)
    device = case.get("device", "cpu")
    n, p, batch = case["samples"], case["features"], case.get("batch", 64)
    scales, w = (torch.tensor(v, dtype=dtype, device=device) for v in population(case))
    ridge, tau = 0.1 * torch.eye(p, dtype=dtype, device=device), 0.3**0.5

    def work():
        total = torch.zeros((), dtype=torch.float64, device=device)
        for _ in range(case["replicates"] // batch):
            x = torch.randn(batch, n, p, dtype=dtype, device=device) * scales
            y = x @ w + tau * torch.randn(batch, n, dtype=dtype, device=device)
            gram = torch.baddbmm(ridge, x.mT, x, alpha=1 / n)
            moment = x.mT @ y.unsqueeze(2) / n
            found = torch.cholesky_solve(moment, torch.linalg.cholesky(gram)).squeeze(2)
            total += ((scales * (found - w)) ** 2).sum(dtype=torch.float64)
        return float(total) / (case["replicates"] // batch * batch)

    return work


def numpy_spectrum(case):
    rng = np.random.default_rng(1)
    x = np.empty((case["samples"], case["features"]))

    def work():
        rng.standard_normal(out=x)
        return np.linalg.eigvalsh(x.T @ x / case["samples"])[-1]

    return work


def torch_spectrum(case):
    torch, dtype = torch_start(case)

    def work():
        x = torch.randn(case["samples"], case["features"], dtype=dtype)
        return float(torch.linalg.eigvalsh(x.T @ x / case["samples"])[-1])

    return work


def main():
    case = json.load(open(sys.argv[2]))
    work = globals()[sys.argv[1]](case)
    work()
    times = []
    while len(times) < case["repeats"] and sum(times) < case["seconds"]:
        start = time.perf_counter()
        value = work()
        times.append(time.perf_counter() - start)
    print(json.dumps({"times": times, "values": [float(value)]}))


if __name__ == "__main__":
    main()
