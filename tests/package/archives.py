"""The artefacts of packaging/package, made from a finished build: archives.py PACKAGE BUILD. Two runs in folders of different
names and time zones give the same bytes, and the units pass systemd's own checks."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PACKAGE, BUILD = map(pathlib.Path, sys.argv[1:3])
UNITS = PACKAGE.parent / "systemd"
# What `systemd-analyze security` gives today, with room for the wording of other versions: its scale ends at 10 (unsafe).
LARGEST_EXPOSURE = 2.0


def output_of(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **options).stdout


def packages_in(folder, zone):
    environment = {**os.environ, "TZ": zone, "SOURCE_DATE_EPOCH": "1790000000"}
    output_of(PACKAGE, BUILD, folder, "--program-only", env=environment)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def same_bytes(folder):
    first = packages_in(folder / "one", "UTC")
    second = packages_in(folder / "another", "Asia/Kathmandu")
    assert first.keys() == second.keys()
    different = [name for name in first if first[name] != second[name]]
    assert not different, f"two runs differ in {different}"
    print(f"{len(first)} artefacts, the same bytes twice")


def contents(folder):
    package, = (folder / "one").glob("sundial_*.deb")
    modes = {line.split()[5]: line.split()[0] for line in output_of("dpkg-deb", "-c", package).splitlines()}
    for path, mode in {"./usr/bin/sundial": "-rwxr-xr-x", "./etc/sundial/sundial.toml": "-rw-r--r--",
                       "./usr/lib/systemd/system/sundial.service": "-rw-r--r--",
                       "./usr/lib/systemd/system/sundial.socket": "-rw-r--r--",
                       "./usr/share/man/man1/sundial.1.gz": "-rw-r--r--",
                       "./usr/share/bash-completion/completions/sundial": "-rw-r--r--",
                       "./usr/share/zsh/vendor-completions/_sundial": "-rw-r--r--",
                       "./usr/share/fish/vendor_completions.d/sundial.fish": "-rw-r--r--",
                       "./usr/share/doc/sundial/copyright": "-rw-r--r--"}.items():
        assert modes.get(path) == mode, f"{path}: {modes.get(path)}, not {mode}"
    assert output_of("dpkg-deb", "-I", package, "conffiles").split() == ["/etc/sundial/sundial.toml"]
    depends = output_of("dpkg-deb", "-f", package, "Depends")
    for library in ("libc6 (>= ", "libpq5", "libsqlite3-0", "ca-certificates", "tzdata"):
        assert library in depends, f"{library} is not in Depends: {depends}"

    archive, = (folder / "one").glob("sundial-*.tar.gz")
    (folder / "unpacked").mkdir()
    output_of("tar", "-xzf", archive, "-C", folder / "unpacked")
    root, = (folder / "unpacked").iterdir()
    version = re.search(r"sundial-([0-9.]+)-linux", archive.name)[1]
    assert f"sundial {version} " in output_of(root / "bin/sundial", "version"), "the program of the tarball runs anywhere"
    print(f"{len(modes)} paths in {package.name}")


def units():
    faults = subprocess.run(["systemd-analyze", "verify", "--man=no", *UNITS.glob("sundial.s[eo]*")], capture_output=True, text=True)
    # The program is installed only by the package.
    unexpected = [line for line in faults.stderr.splitlines() if "is not executable" not in line]
    assert not unexpected, unexpected
    report = output_of("systemd-analyze", "security", "--offline=true", "--no-pager", UNITS / "sundial.service")
    exposure = float(re.search(r"Overall exposure level for sundial.service: ([0-9.]+)", report)[1])
    assert exposure <= LARGEST_EXPOSURE, f"systemd-analyze security: {exposure}"
    print(f"exposure {exposure}")


with tempfile.TemporaryDirectory() as made:
    same_bytes(pathlib.Path(made))
    contents(pathlib.Path(made))
    units()
