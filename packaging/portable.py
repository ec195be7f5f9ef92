"""The program for systems other than Debian: with the shared libraries that these have under other names or not at all.

The libraries lie in lib/sundial, beside bin. The program finds them by its own place.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from files import HERE, ROOT, run, write

# Libraries that distributions have under one name for all programs; programs use their security updates.
EVERYWHERE = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "libcrypto.so.3", "libssl.so.3", "libz.so.1", "libcurl.so.4",
              "libpq.so.5", "libsqlite3.so.0"}
SEARCH_PATH = "$ORIGIN/../lib/sundial"


def needed(file):
    return re.findall(r"\(NEEDED\) +Shared library: \[(.+)\]", run("readelf", "-d", file))


def bundled_libraries(program):
    """{name: file of this machine} of all that the program needs beyond EVERYWHERE, directly or through another of them."""
    files = dict(re.findall(r"^\s*(\S+) => (\S+)", run("ldd", program), re.M))
    found, waiting = {}, needed(program)
    while waiting:
        name = waiting.pop()
        if name in EVERYWHERE or name in found or name.startswith("ld-linux"):
            continue
        found[name] = files[name]
        waiting += needed(files[name])
    return dict(sorted(found.items()))


def package_of(library):
    file = os.path.realpath(library)
    # /lib is a link to /usr/lib; a package may have either path.
    for place in (file, file.removeprefix("/usr")):
        found = subprocess.run(["dpkg-query", "-S", place], capture_output=True, text=True, check=False)
        if found.returncode == 0:
            return found.stdout.split(":")[0]
    sys.exit(f"no Debian package has {library}, so its licence text is unknown")


def portable_tree(program, tree, bill):
    """Fills `tree` with bin, lib, share and licence texts. Returns the names of the bundled libraries."""
    binary = tree / "bin/sundial"
    binary.parent.mkdir(parents=True)
    shutil.copyfile(program, binary)
    binary.chmod(0o755)
    libraries = bundled_libraries(program)
    documents = tree / "share/doc/sundial"
    for name, file in libraries.items():
        target = tree / "lib/sundial" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
        target.chmod(0o755)
        package = package_of(file)
        write(documents / "libraries" / f"{package}.copyright", pathlib.Path(f"/usr/share/doc/{package}/copyright").read_text())
    # Inherited by the libraries, which need each other: DT_RPATH, not DT_RUNPATH.
    run("patchelf", "--force-rpath", "--set-rpath", SEARCH_PATH, binary)
    write(documents / "copyright", (HERE / "debian/copyright").read_text())
    write(documents / "LICENSE", (ROOT / "LICENSE").read_text())
    write(documents / "sbom.spdx.json", bill)
    return list(libraries)
