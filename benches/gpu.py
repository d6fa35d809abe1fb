"""Throughput of the adapter, of the processor, and of PyTorch where it is installed: run by gpu.sh."""

import json
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "against"))
import run  # noqa: E402

SOFTWARE = "--allow-software" in sys.argv
RIDGE = {"work": "ridge", "samples": 256, "features": 128, "indices": [0], "repeats": 5, "seconds": 20}
REPLICATES = 64 if SOFTWARE else 1 << 16
MMSE = ["simulate", "mmse", "--diracs=-1,0,2", "--at", "0.7", "--seed", "1", "--json"]


def call(command, case):
    """(replicates a second, the mean, the engine), or why not."""
    path = run.WORK / "gpu.json"
    path.write_text(json.dumps(case))
    found = run.run([*command, path])
    if "refused" in found:
        return found["refused"]
    return case["replicates"] / min(found["times"]), found["values"][0], found.get("engine", "")


def mmse(backend):
    """The same of the command line: from the difference of two runs, which start-up leaves alone."""
    program = run.ROOT / "target" / "release" / "rootrate"
    times, count = [], 1 << (16 if SOFTWARE else 22)
    for replicates in (count, 3 * count):
        command = [program, *MMSE, "--backend", backend, "--replicates", str(replicates)]
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True)
        times.append(time.perf_counter() - start)
        if done.returncode != 0:
            return (done.stderr.strip().splitlines() or ["failed"])[-1]
    found = json.loads(done.stdout)
    if times[1] <= times[0]:
        return "too fast to measure"
    return 2 * count / (times[1] - times[0]), found["mean"], found["adapter"]


def main():
    run.WORK.mkdir(parents=True, exist_ok=True)
    run.ENV = {k: v for k, v in run.ENV.items() if k not in run.ONE_THREAD}
    program = run.build()
    adapter = {"adapter": "any" if SOFTWARE else "hardware"}
    few = {**RIDGE, "replicates": min(REPLICATES, 8192)}
    peer = [sys.executable, HERE / "against" / "montecarlo_peers.py", "torch_ridge"]
    torch = {**few, "threads": 1, "device": "cuda", "batch": 4096, "replicates": REPLICATES}
    rows = [
        ("ridge n = 256, p = 128, adapter", call([program], {**RIDGE, **adapter, "replicates": REPLICATES})),
        ("ridge n = 256, p = 128, processor f32", call([program], {**few, "precision": "f32"})),
        ("ridge n = 256, p = 128, processor f64", call([program], {**few, "precision": "f64"})),
        ("ridge n = 256, p = 128, PyTorch f32", call(peer, {**torch, "precision": "f32"})),
        ("mmse of three points, adapter", mmse("gpu")),
        ("mmse of three points, processor", mmse("cpu")),
    ]
    print("\n| work | replicates a second | mean | engine |\n|---|--:|--:|---|")
    for label, found in rows:
        cells = ("–", "–", found) if isinstance(found, str) else (f"{found[0]:,.0f}", f"{found[1]:.5f}", found[2])
        print(f"| {label} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
