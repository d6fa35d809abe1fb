"""Ours against what others use: one run, one thread, the same points, errors against golden.json.

Run: python3 benches/against/run.py      (from the repository; a quarter of an hour; writes README.md here)

The peers are installed from PyPI into target/against; nothing of them is committed. A method has
60 seconds a case. Times are the least of up to five repeats (the machine may be shared) with the
median beside it.
"""

import json
import math
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import venv

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = ROOT / "target" / "against"
LIMIT, REPEATS, SECONDS = 60, 5, 8
# scikit-rmt asks for numpy < 2, the others get the newest
ENVIRONMENTS = {
    "current": ["numpy==2.4.6", "scipy==1.17.1", "numba==0.68.1", "freealg==0.12.2", "rmtool==1.0.0"],
    "old-numpy": ["numpy==1.26.4", "scipy==1.12.0", "pandas==2.2.3", "scikit-rmt==2.1.1"],
}
DENSITY = {
    "numpy_fixed_point": ("numpy, damped fixed point, η = 1e-6 x", "current"),
    "numpy_roots": ("numpy, polynomial roots", "current"),
    "scipy_root": ("scipy, `root` at every point", "current"),
    "numba_u_plane": ("numba prototype in the u-plane", "current"),
    "freealg": ("freealg, η = 1e-3 (default)", "current"),
    "freealg_low": ("freealg, η = 1e-9", "current"),
    "rmtool": ("rmtool", "current"),
    "scikit_rmt": ("scikit-rmt", "old-numpy"),
    "simulation": ("simulation and histogram", "current"),
}
RIDGE = {
    "ridge_numpy_fixed_point": ("numpy, fixed point", "current"),
    "ridge_scipy_brentq": ("scipy, `brentq` at every penalty", "current"),
    "ridge_numba_newton": ("numba, Newton", "current"),
}
ONE_THREAD = {
    name: "1"
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
} | {
    "RAYON_NUM_THREADS": "1",
    "NUMBA_CACHE_DIR": str(WORK / "numba"),
    "PYTHONDONTWRITEBYTECODE": "1",
}
ENV = {**os.environ, **ONE_THREAD}


def install():
    """Installs what can be installed; returns the packages that failed, with the last line of why."""
    failed = {}
    for name, packages in ENVIRONMENTS.items():
        folder = WORK / name
        if not folder.exists():
            venv.create(folder, with_pip=True)
        for package in packages:
            command = [folder / "bin" / "python", "-m", "pip", "install", "-q", package]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                failed[package] = (done.stderr.strip().splitlines() or ["no message"])[-1]
    return failed


def compile_numba():
    """Into its cache, so that no case pays for it."""
    code = (
        "import numpy as np, numba_u_plane as n; t = np.array([1.0, 3.0]); a = np.array([0.1, 0.2]);"
        "n.density(t, a, 0.3, np.array([1.0])); n.ridge(t, 1.0, 0.3, np.array([0.1]))"
    )
    subprocess.run([WORK / "current" / "bin" / "python", "-c", code], env=ENV, cwd=HERE, check=False)


def cases(golden):
    """Every case as the programs read it, points included; numbers as strings, read exactly."""
    out = []
    for case in golden["density"]:
        if "geometric" in case:
            n = case["geometric"]
            atoms = [0.1 * 100.0 ** (k / (n - 1)) for k in range(n)]
            weights = [1 / n] * n
        else:
            atoms, weights = map(float, case["atoms"]), map(float, case["weights"])
        x = []
        components = len(case["edges"])
        for i, (a, b) in enumerate((float(a), float(b)) for a, b in case["edges"]):
            count = golden["points"] * (i + 1) // components - golden["points"] * i // components
            for k in range(count):
                x.append(a + (b - a) * math.sin(math.pi * (k + 0.5) / count / 2) ** 2)
        for index, value, _ in case["checks"]:
            assert math.isclose(x[index], float(value), rel_tol=1e-13), (case["name"], index)
            x[index] = float(value)
        out.append(
            {
                "name": case["name"],
                "ratio": case["ratio"],
                "atoms": list(map(repr, atoms)),
                "weights": list(map(repr, weights)),
                "x": list(map(repr, x)),
                "indices": [c[0] for c in case["checks"]],
                "exact": [float(c[2]) for c in case["checks"]],
            }
        )
    for case in golden["ridge"]:
        p = case["p"]
        out.append(
            {
                "name": case["name"],
                "eigenvalues": [repr(float(k) ** -0.8) for k in range(1, p + 1)],
                "samples": p / 2,
                "noise": 0.3,
                "ridges": [repr(10.0 ** (-6 + 9 * i / 999)) for i in range(1000)],
                "indices": [c[0] for c in case["checks"]],
                "exact": [float(c[1]) for c in case["checks"]],
            }
        )
    for case in out:
        case |= {"repeats": REPEATS, "seconds": SECONDS}
    return out


def run(command):
    """One JSON object, or why there is none."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=ENV, timeout=LIMIT, cwd=ROOT)
    except subprocess.TimeoutExpired:
        return {"refused": f"timed out ({LIMIT} s)"}
    if done.returncode != 0:
        return {"refused": "failed: " + (done.stderr.strip().splitlines() or ["?"])[-1][:100]}
    return json.loads(done.stdout.strip().splitlines()[-1])


def errors(result, exact):
    """Largest and median relative error; None where a value is missing."""
    if any(v is None for v in result["values"]):
        return None
    relative = sorted(abs(v / e - 1) for v, e in zip(result["values"], exact))
    return relative[-1], statistics.median(relative)


def duration(seconds):
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1 or unit == "µs":
            return f"{seconds * factor:.3g} {unit}"
    return ""


def row(label, result, exact, ours):
    if "refused" in result:
        return f"| {label} | – | – | – | – | {result['refused']} |"
    best, middle = min(result["times"]), statistics.median(result["times"])
    found = errors(result, exact)
    worst = "some values are NaN" if found is None else f"{found[0]:.1e}"
    usual = "–" if found is None else f"{found[1]:.1e}"
    ratio = "" if ours is None else f"{best / ours:.3g}"
    return f"| {label} | {duration(best)} | {duration(middle)} | {ratio} | {worst} | {usual} |"


def table(case, ours):
    head = ["| method | time | median | time / ours | largest rel. error | median rel. error |"]
    head.append("|---|--:|--:|--:|--:|--:|")
    own = min(ours["times"])
    rows = [row("**rootrate**, values and proofs", ours, case["exact"], own)]
    if ours["unproved_times"]:
        best, middle = min(ours["unproved_times"]), statistics.median(ours["unproved_times"])
        cells = f"{duration(best)} | {duration(middle)} | {best / own:.3g}"
        rows.append(f"| rootrate without the proofs | {cells} | | |")
    methods = RIDGE if "ridges" in case else DENSITY
    path = WORK / "case.json"
    path.write_text(json.dumps(case))
    for method, (label, environment) in methods.items():
        print(" ", method, flush=True)
        result = run([WORK / environment / "bin" / "python", HERE / "peers.py", method, path])
        rows.append(row(label, result, case["exact"], own))
    known = len(case["exact"])
    proved = f"{ours['certified']} of {ours['points']} values are proved"
    radius = f"largest proved relative bound {ours['largest_bound']:.1e}"
    covered = f"{ours['covered']} of {known} bounds contain the reference"
    return "\n".join([f"## {title(case)}", "", *head, *rows, "", f"Ours: {proved}, {radius}; {covered}.", ""])


def title(case):
    if "ridges" in case:
        return f"{case['name'].capitalize()}: risk at 1,000 penalties, {len(case['eigenvalues'])} eigenvalues"
    n = len(case["atoms"])
    atoms = f"{n:,} atom" + ("s" if n > 1 else "")
    return f"{case['name'].capitalize()}: density at 1,000 points, {atoms}, c = {case['ratio']:g}"


def build():
    """The program of our side."""
    command = ["cargo", "bench", "-q", "--bench", "against", "--no-run", "--message-format=json"]
    done = subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    ours = [m for m in messages if m.get("target", {}).get("name") == "against"]
    return next(m["executable"] for m in ours if m.get("executable"))


def own(program, case):
    path = WORK / "ours.json"
    path.write_text(json.dumps(case))
    result = run([program, path])
    if "refused" in result:
        sys.exit(f"ours: {case['name']}: {result['refused']}")
    pairs = zip(result["values"], result["bounds"], case["exact"])
    # the reference itself is rounded to a double
    result["covered"] = sum(abs(v - e) <= b + 2**-53 * abs(e) for v, b, e in pairs if b is not None)
    return result


def main():
    WORK.mkdir(parents=True, exist_ok=True)
    failed = install()
    compile_numba()
    program = build()
    golden = json.loads((HERE / "golden.json").read_text())
    parts = []
    for case in cases(golden):
        print(case["name"], flush=True)
        parts.append(table(case, own(program, case)))
    versions = ", ".join(p for packages in ENVIRONMENTS.values() for p in packages)
    missing = "".join(f"* {name} could not be installed: {why}\n" for name, why in failed.items())
    intro = (HERE / "intro.md").read_text()
    facts = f"Python {platform.python_version()}; {versions}.\n{missing}"
    (HERE / "README.md").write_text(f"{intro}\n{facts}\n" + "\n".join(parts))


if __name__ == "__main__":
    main()
