"""The artefacts of packaging/package, made from a finished build: archives.py PACKAGE BUILD. Two runs in folders of different
names and time zones give the same bytes, the program of each package names the hash of its SBOM, and the units pass systemd's
own checks."""
import gzip
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PACKAGE, BUILD = map(pathlib.Path, sys.argv[1:3])
UNITS = PACKAGE.parent / "systemd"
# The result of `systemd-analyze security` today, with room for the wording of other versions: its scale ends at 10 (unsafe).
LARGEST_EXPOSURE = 2.0
LARGEST_PROGRAM = 15_000_000  # bytes, stripped
# What a system needs that is not Debian, apart from certificates and time zones.
NEWEST_C_LIBRARY = (2, 36)
LIBRARIES_OF_THE_SYSTEM = {"libc", "libcrypto", "libcurl", "libgcc_s", "libm", "libpq", "libsqlite3", "libssl", "libstdc++", "libz", "ld-linux-x86-64", "ld-linux-aarch64"}


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
                       "./usr/lib/systemd/system/sundial-backup.timer": "-rw-r--r--",
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
    output_of("dpkg-deb", "-x", package, folder / "deb")
    size = (folder / "deb/usr/bin/sundial").stat().st_size
    assert size <= LARGEST_PROGRAM, f"the program has {size} bytes"
    print(f"{len(modes)} paths in {package.name}")


def tarball(folder):
    archive, = (folder / "one").glob("sundial-*.tar.gz")
    (folder / "tar").mkdir()
    output_of("tar", "-xzf", archive, "-C", folder / "tar")
    root, = (folder / "tar").iterdir()
    version = re.search(r"sundial-([0-9.]+)-linux", archive.name)[1]
    assert f"sundial {version} " in output_of(root / "bin/sundial", "version"), "the program of the tarball runs anywhere"
    assert (root / "share/doc/sundial/LICENSE").exists() and list((root / "share/doc/sundial/libraries").iterdir()), "licence texts"
    bundled(root)
    return root


def bundled(root):
    """The program finds the libraries that came with it, and needs no others than those of any system."""
    files = [root / "bin/sundial", *sorted((root / "lib/sundial").glob("*.so*"))]
    places = dict(re.findall(r"^\s*(\S+) => (\S+)", output_of("ldd", files[0]), re.M))
    for file in files:
        for name in re.findall(r"Shared library: \[(\S+)\]", output_of("readelf", "-d", file)):
            if name.split(".so")[0] not in LIBRARIES_OF_THE_SYSTEM:
                assert pathlib.Path(places[name]).resolve() == (root / "lib/sundial" / name).resolve(), f"{name} comes from {places[name]}"
        wanted = [tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_([0-9.]+)", output_of("readelf", "-V", file))]
        assert max(wanted) <= NEWEST_C_LIBRARY, f"{file.name} needs glibc {max(wanted)}"


def rpm(folder):
    """Its files, modes, requirements and scriptlets, as rpm reads them. tests/package/rpm.py runs them."""
    package, = (folder / "one").glob("sundial-*.rpm")

    def asked(form):
        return output_of("rpm", "-qp", "--qf", form, package).splitlines()
    files = {name: (mode, owner) for mode, owner, name in (line.split() for line in asked("[%{FILEMODES:perms} %{FILEUSERNAME} %{FILENAMES}\n]"))}
    for path, mode in {"/usr/bin/sundial": "-rwxr-xr-x", "/etc/sundial/sundial.toml": "-rw-r--r--",
                       "/usr/lib/systemd/system/sundial.service": "-rw-r--r--", "/usr/lib/systemd/system/sundial.socket": "-rw-r--r--",
                       "/usr/lib/sysusers.d/sundial.conf": "-rw-r--r--", "/usr/lib/tmpfiles.d/sundial.conf": "-rw-r--r--",
                       "/usr/share/zsh/site-functions/_sundial": "-rw-r--r--", "/usr/share/man/man1/sundial.1.gz": "-rw-r--r--",
                       "/usr/share/doc/sundial/copyright": "-rw-r--r--"}.items():
        assert files.get(path) == (mode, "root"), f"{path}: {files.get(path)}, not {mode}"
    assert [path for path in files if path.startswith("/var")] == [], "the service makes its folder"
    kept_if_edited = [line.split()[0] for line in asked("[%{FILENAMES} %{FILEFLAGS:fflags}\n]") if line.endswith(" cn")]
    assert kept_if_edited == ["/etc/sundial/sundial.toml"], kept_if_edited
    requirements = output_of("rpm", "-qp", "--requires", package).split("\n")
    libraries = {name.split(".so")[0] for name in requirements if ".so" in name}
    assert libraries <= LIBRARIES_OF_THE_SYSTEM, libraries - LIBRARIES_OF_THE_SYSTEM
    assert {"systemd", "tzdata", "ca-certificates", "findutils"} <= set(requirements), requirements
    assert not any("CURL" in name for name in requirements), "only Debian's libcurl has a version"
    assert not any(".so" in name for name in output_of("rpm", "-qp", "--provides", package).split("\n")), "the bundled libraries are no one else's"
    scriptlets = output_of("rpm", "-qp", "--scripts", package)
    for part in ("systemd-sysusers sundial.conf", "systemd-tmpfiles --create", "refusing to replace version", "try-restart sundial.service"):
        assert part in scriptlets, f"{part} is in no scriptlet"
    (folder / "rpm").mkdir()
    copied = folder / "rpm" / package.name
    copied.write_bytes(package.read_bytes())
    output_of("rpm2archive", copied)
    output_of("tar", "-xzf", f"{copied}.tgz", "-C", folder / "rpm")
    bundled(folder / "rpm/usr")
    print(f"{len(files)} paths in {package.name}")
    return folder / "rpm/usr"


def bill_of_materials(folder, tar_root, rpm_root):
    """SPDX 2.3, the same in each package, named by the program."""
    file, = (folder / "one").glob("sundial-*.spdx.json")
    bill = file.read_bytes()
    digest = hashlib.sha256(bill).hexdigest()
    for program in (folder / "deb/usr/bin/sundial", tar_root / "bin/sundial", rpm_root / "bin/sundial"):
        assert json.loads(output_of(program, "version", "--json"))["sbomSha256"] == digest, program
    assert json.loads(output_of(BUILD / "bin/sundial", "version", "--json"))["sbomSha256"] is None, "built, not packaged"
    assert gzip.decompress((folder / "deb/usr/share/doc/sundial/sbom.spdx.json.gz").read_bytes()) == bill
    for root in (tar_root, rpm_root):
        assert (root / "share/doc/sundial/sbom.spdx.json").read_bytes() == bill
    document = json.loads(bill)
    assert document["spdxVersion"] == "SPDX-2.3" and document["documentNamespace"] and document["creationInfo"]["created"]
    names = [package["SPDXID"] for package in document["packages"]]
    assert len(set(names)) == len(names) and all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", name) for name in names), names
    related = {relation["relatedSpdxElement"] for relation in document["relationships"]}
    assert related == set(names), related ^ set(names)
    found = {package["name"] for package in document["packages"]}
    assert {"sundial", "libpq5", "libsqlite3-0", "libcctz2", "libboost1.81-dev"} <= found, found
    print(f"{len(names)} packages in the SBOM")


def units():
    faults = subprocess.run(["systemd-analyze", "verify", "--man=no", *UNITS.glob("*.service"), *UNITS.glob("*.socket"), *UNITS.glob("*.timer")], capture_output=True, text=True)
    # The program is installed only by the package.
    unexpected = [line for line in faults.stderr.splitlines() if "is not executable" not in line]
    assert not unexpected, unexpected
    for unit in ("sundial.service", "sundial-backup.service"):
        report = output_of("systemd-analyze", "security", "--offline=true", "--no-pager", UNITS / unit)
        exposure = float(re.search(rf"Overall exposure level for {unit}: ([0-9.]+)", report)[1])
        assert exposure <= LARGEST_EXPOSURE, f"systemd-analyze security of {unit}: {exposure}"
        print(f"{unit}: exposure {exposure}")


with tempfile.TemporaryDirectory() as made:
    same_bytes(pathlib.Path(made))
    contents(pathlib.Path(made))
    bill_of_materials(pathlib.Path(made), tarball(pathlib.Path(made)), rpm(pathlib.Path(made)))
    units()
