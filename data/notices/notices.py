#!/usr/bin/env python3
"""Writes THIRD-PARTY-NOTICES.txt: every crate that a binary, a wheel or the engine of a page links, with its licence.

    python3 data/notices/notices.py

Asks `cargo tree` what is linked on 64-bit Linux, and takes the texts from the sources in Cargo's registry folder. The test
`notices::` fails when a lock file has a package that the notices do not name.
"""

import re
import subprocess
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "THIRD-PARTY-NOTICES.txt"
# `cargo tree` lists the packages of one manifest: the command, the wheel, the engine of pages.
MANIFESTS = ["Cargo.toml", "python/Cargo.toml", "wasm/Cargo.toml"]
LOCK_FILES = ["Cargo.lock", "wasm/Cargo.lock"]
NAMES = re.compile(r"^(licen[cs]e|copying|copyright|unlicense|notice)", re.I)
# C sources that crates bundle.
BUNDLED = {"zstd-sys": ["zstd/LICENSE"], "libmimalloc-sys": ["c_src/mimalloc/*/LICENSE", "c_src/mimalloc/LICENSE"]}


def cargo(manifest, *words):
    target = "wasm32-unknown-unknown" if manifest.startswith("wasm") else "x86_64-unknown-linux-gnu"
    command = ["cargo", *words, "--locked", "--offline", "--manifest-path", ROOT / manifest, "--target", target]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def linked():
    """Returns name, version and licence of each linked crate, except macros."""
    found = {}
    for manifest in MANIFESTS:
        words = ["tree", "-e", "normal,no-proc-macro", "--prefix", "none", "-f", "{p}|{l}"]
        for line in cargo(manifest, *words).splitlines():
            package, licence = line.split("|")
            name, version, *path = package.removesuffix(" (*)").split(" ")
            if not path:
                found[name, version.removeprefix("v")] = licence.removesuffix(" (*)")
    return found


def locked():
    """Returns name and version of every third-party package in the lock files."""
    found = set()
    for file in LOCK_FILES:
        lock = tomllib.loads((ROOT / file).read_text())
        found |= {(p["name"], p["version"]) for p in lock["package"] if "source" in p}
    return found


def sources(name, version):
    registry = Path.home() / ".cargo/registry/src"
    return next(registry.glob(f"*/{name}-{version}"))


def texts(name, version, licence):
    """Returns the licence files of a crate. If there is a choice of licences with an MIT file, returns only that file."""
    folder = sources(name, version)
    files = sorted(path for path in folder.iterdir() if path.is_file() and NAMES.match(path.name))
    mit = [path for path in files if "mit" in path.name.lower()]
    if mit and " AND " not in licence:
        files = mit
    for pattern in BUNDLED.get(name, []):
        files += sorted(folder.glob(pattern))
    return ["\n".join(line.rstrip() for line in path.read_text(errors="replace").strip().splitlines()) for path in files]


def authors(name, version):
    package = tomllib.loads((sources(name, version) / "Cargo.toml").read_text())["package"]
    return ", ".join(re.sub(r" <.*?>", "", author) for author in package.get("authors", [])) or "its authors"


def main():
    crates = linked()
    groups, without = defaultdict(list), []
    bodies = {}

    def add(text, name):
        """Groups texts that differ only in copyright lines and line breaks, so that each is written once."""
        lines = text.splitlines()
        rights = [line.strip() for line in lines[:12] if re.match(r"\s*(copyright\b|\(c\)|©)", line, re.I)]
        body = [line for line in lines if line.strip() not in rights or not rights]
        key = re.sub(r"\W+", " ", " ".join(body)).strip().lower()
        key = re.sub(r"^(the )?mit license( mit)? ", "", key)
        bodies.setdefault(key, "\n".join(body).strip())
        groups[key].append("\n".join([name, *(f"    {right}" for right in rights)]))

    for (name, version), licence in sorted(crates.items()):
        found = texts(name, version, licence)
        if not found:
            without.append(f"{name} {version} ({licence}), copyright {authors(name, version)}")
        for text in found:
            add(text, f"{name} {version} ({licence})")
    uplot = (ROOT / "src/page/assets/uplot/LICENSE").read_text().strip()
    add(uplot, "uPlot (MIT), in pages of `tetrastat view`")
    parts = [
        "Third-party notices of tetrastat\n\nThe command, the Python package and the engine of pages hold code of the packages below, besides the\n"
        "standard library of Rust (MIT OR Apache-2.0, copyright The Rust Project Developers). Each text\nfollows the packages to which it applies. "
        "Where a package offers several licences, tetrastat uses it under MIT if that is one of them.\n\n"
        "Written by data/notices/notices.py."
    ]
    for key, names in sorted(groups.items(), key=lambda group: group[1]):
        parts.append("\n".join(sorted(names)) + "\n\n" + bodies[key])
    if without:
        parts.append("Packages that come without a licence file\n\n" + "\n".join(without))
    others = sorted(f"{name} {version}" for name, version in locked() - set(crates))
    parts.append(
        "Packages of the lock files that are not linked: for tests, build scripts, macros and other systems\n\n" + "\n".join(others)
    )
    OUT.write_text(("\n\n" + "-" * 80 + "\n\n").join(parts) + "\n")
    # A wheel can include files only from its own folder.
    for path in [OUT, ROOT / "LICENSE"]:
        (ROOT / "python" / path.name).write_text(path.read_text())
    print(f"{len(crates)} linked, {len(others)} others: {OUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
