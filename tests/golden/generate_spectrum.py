"""Golden values of tests/suite/spectrum.rs and tests/suite/data.rs.

Run in this folder: python3 generate_spectrum.py   (needs mpmath and numpy; about a minute)
* ar1: eigenvalues of the dense matrix r^|i-j| by mpmath's symmetric solver in 60 digits, for
  the exact values of the doubles r; 30 digits are kept.
* digits: integer facts of the embedded digits, and the eigenvalues of their covariance, which
  is formed in exact integer arithmetic before numpy's (LAPACK's) eigvalsh.
* npy: files as numpy.save writes them, as lists of bytes, with their values.
"""

import gzip
import io
import json
import pathlib

import mpmath as mp
import numpy as np

HERE = pathlib.Path(__file__).parent
mp.mp.dps = 60


def ar1():
    cases = []
    for r in [1e-9, 0.3, -0.7, 0.999999, -(1 - 1e-12)]:
        for p in [1, 2, 3, 16]:
            x = mp.mpf(r)
            matrix = mp.matrix(p, p)
            for i in range(p):
                for j in range(p):
                    matrix[i, j] = x ** abs(i - j)
            values = sorted(mp.eigsy(matrix, eigvals_only=True))
            cases.append({"r": r, "p": p, "eigenvalues": [mp.nstr(v, 30) for v in values]})
    return cases


def digits():
    archive = HERE / "../../src/data/digits/mnist-10k.gz"
    content = gzip.decompress(archive.read_bytes())
    images, pixels = np.frombuffer(content[8:16], "<u4")
    labels = np.frombuffer(content[16 : 16 + images], np.uint8)
    data = np.frombuffer(content[16 + images :], np.uint8).reshape(images, pixels)
    k = data.astype(np.int64)
    sums = k.sum(axis=0)
    covariance = images * (k.T @ k) - np.outer(sums, sums)
    scale = float(int(images) ** 2 * 255**2)
    values = np.linalg.eigvalsh(covariance.astype(float))[::-1] / scale
    position = np.arange(1, k.size + 1, dtype=np.int64) % 65521
    return {
        "class_counts": np.bincount(labels, minlength=10).tolist(),
        "pixel_sum": int(k.sum()),
        "weighted_pixel_sum": int((position * k.ravel()).sum()),
        "first_label": int(labels[0]),
        "constant_pixels": int((k.min(axis=0) == k.max(axis=0)).sum()),
        "trace": int(np.trace(covariance)) / scale,
        "leading_eigenvalues": values[:40].tolist(),
    }


def npy():
    base = np.array([[0, 1, 2], [3, 100, 5]])
    arrays = [base.astype(t) for t in "<f8 >f8 <f4 >f4 <i8 >i8 <i4 >i2 |u1 |i1 <u2 >u4 <u8".split()]
    arrays += [np.asfortranarray(base.astype("<f8")), np.asfortranarray(base.astype(">f4"))]
    arrays += [base > 1, base.astype("<f8").ravel(), base.astype("<f8").reshape(1, 3, 2)]
    cases = []
    for array in arrays:
        out = io.BytesIO()
        np.save(out, array)
        rows = array.shape[0]
        cases.append(
            {
                "type": array.dtype.str,
                "rows": rows,
                "values": array.reshape(rows, -1).astype(float).ravel().tolist(),
                "bytes": list(out.getvalue()),
            }
        )
    return cases


def main():
    golden = {
        "provenance": "generate_spectrum.py; mpmath %s, numpy %s" % (mp.__version__, np.__version__),
        "ar1": ar1(),
        "digits": digits(),
        "npy": npy(),
    }
    (HERE / "spectrum.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
