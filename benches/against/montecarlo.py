"""Monte Carlo work, ours against NumPy, SciPy and PyTorch: one run, the same work, one and two threads.

Run: python3 benches/against/montecarlo.py      (from the repository; a few minutes; writes MONTECARLO.md here)

The peers are installed from PyPI into target/against; nothing of them is committed. Times are the
least of the repeats. Every row also says the mean of what it computed: the same for all, up to the
error of sampling, since everybody has random numbers of their own.
"""

import json
import os
import pathlib
import platform
import sys

import run

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = ["numpy==2.4.6", "scipy==1.17.1", "torch==2.15.0"]
# settings of the machine that concern another BLAS; both or none
FOREIGN = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
REPEATS, SECONDS = 7, 8
RIDGE = {"samples": 256, "features": 128, "replicates": 1024}
SPECTRUM = {"samples": 2000, "features": 1000}
# title, unit, what is counted, ours, peers
TABLES = [
    (
        "Standard normals in single precision",
        "million a second",
        {"work": "normals", "precision": "f32", "replicates": 64, "length": 1 << 16},
        [("**rootrate** f32", {})],
        [("NumPy f32, `standard_normal`", "numpy_normals"), ("PyTorch f32, `normal_`", "torch_normals")],
    ),
    (
        "Standard normals in double precision",
        "million a second",
        {"work": "normals", "precision": "f64", "replicates": 64, "length": 1 << 16},
        [("**rootrate** f64", {})],
        [("NumPy f64, `standard_normal`", "numpy_normals"), ("PyTorch f64, `normal_`", "torch_normals")],
    ),
    (
        "Ridge regressions with their data, n = 256, p = 128",
        "problems a second",
        {"work": "ridge", **RIDGE},
        [("**rootrate** f32", {"precision": "f32"}), ("**rootrate** f64", {"precision": "f64"})],
        [
            ("NumPy and SciPy f64, one by one", "scipy_ridge"),
            ("PyTorch f32, batches of 64", "torch_ridge f32"),
            ("PyTorch f64, batches of 64", "torch_ridge f64"),
        ],
    ),
    (
        "Eigenvalues of XᵀX/n with X drawn, n = 2000, p = 1000",
        "milliseconds a matrix",
        {"work": "spectrum", **SPECTRUM},
        [
            ("**rootrate** f64, one after the other", {"replicates": 1}),
            ("**rootrate** f64, two at once", {"replicates": 2}),
        ],
        [("NumPy f64, `eigvalsh`", "numpy_spectrum"), ("PyTorch f64, `eigvalsh`", "torch_spectrum")],
    ),
]
INTRO = """# Monte Carlo against what others use

Written by `python3 benches/against/montecarlo.py`: everybody does the same work in the same run, on
one and on two threads of a shared two-core machine; the best of up to {repeats} repeats. The peers are
[`montecarlo_peers.py`](montecarlo_peers.py), ours [`against.rs`](../against.rs). "ratio" is how many
times slower than the first row of its table; "mean" is the mean of the normals' squares, of the risk, of
the largest eigenvalue. Two threads: ours takes replicates in parallel, and one matrix at a time only
shares XᵀX; NumPy draws normals from a generator a thread; else NumPy and PyTorch share the work inside
a call, where they can (PyTorch's normals do not).
Ours draws every number as a function of (seed, experiment, replicate, index), the same on any number of
threads; the others' generators have a state.

Python {python}; {packages}. {processor}.
"""


def environment(threads):
    keep = {k: v for k, v in os.environ.items() if k not in FOREIGN}
    counts = {k: str(threads) for k in run.ONE_THREAD if k.endswith("_THREADS")}
    return {**keep, **run.ONE_THREAD, **counts}


def measure(command, case, threads):
    """(the best time of one unit of `case`, the mean), or why there is none."""
    run.ENV = environment(threads)
    path = run.WORK / "montecarlo.json"
    case = {"indices": [0], "replicates": 1, **case, "threads": threads, "repeats": REPEATS, "seconds": SECONDS}
    path.write_text(json.dumps(case))
    result = run.run([*command, path])
    if "refused" in result:
        return result["refused"]
    units = case["replicates"] * case.get("length", 1)
    return min(result["times"]) / units, result["values"][0]


def rate(seconds, unit):
    factor = {"million a second": 1e-6 / seconds, "problems a second": 1 / seconds}
    return f"{factor.get(unit, seconds * 1e3):,.4g}"


def table(program, python, title, unit, case, ours, peers):
    rows, first = [], {}
    methods = [(label, [program], {**case, **extra}) for label, extra in ours]
    for label, method in peers:
        method, *precision = method.split()
        extra = {"precision": precision[0]} if precision else {}
        methods.append((label, [python, HERE / "montecarlo_peers.py", method], {**case, **extra}))
    for label, command, work in methods:
        print(" ", label, flush=True)
        cells = []
        for threads in (1, 2):
            found = measure(command, work, threads)
            if isinstance(found, str):
                cells += [found, "–"]
                continue
            time, mean = found
            cells += [rate(time, unit), f"{time / first.setdefault(threads, time):.2f}"]
        rows.append(f"| {label} | " + " | ".join(cells) + f" | {mean:.4f} |")
    head = f"| {unit} | one thread | ratio | two threads | ratio | mean |"
    return "\n".join([f"## {title}", "", head, "|---|--:|--:|--:|--:|--:|", *rows, ""])


def processor():
    names = [line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    return f"{len(names)} × {names[0]}" if names else platform.processor()


def main():
    run.WORK.mkdir(parents=True, exist_ok=True)
    run.ENVIRONMENTS = {"montecarlo": PACKAGES}
    failed = run.install()
    program = run.build()
    python = run.WORK / "montecarlo" / "bin" / "python"
    parts = []
    for title, *rest in TABLES:
        print(title, flush=True)
        parts.append(table(program, python, title, *rest))
    facts = INTRO.format(
        repeats=REPEATS, python=platform.python_version(), packages=", ".join(PACKAGES), processor=processor()
    )
    missing = "".join(f"\n* {name} could not be installed: {why}" for name, why in failed.items())
    (HERE / "MONTECARLO.md").write_text(f"{facts}{missing}\n" + "\n".join(parts))


if __name__ == "__main__":
    sys.exit(main())
