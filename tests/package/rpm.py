"""The rpm in a fresh Debian under a real systemd, which has rpm but none of the libraries that the package bundles:
rpm.py PACKAGE BUILD, as root. No distribution with rpm is at hand, so its scriptlets and its program run here, with --nodeps."""
import contextlib
import hashlib
import json
import os
import pathlib
import sys
import tempfile

from machine import Machine, Service, debian, run

PACKAGE, BUILD = map(pathlib.Path, sys.argv[1:3])
# Debian's packages of what the rpm requires.
REQUIRED = ["rpm", "tzdata", "libpq5", "libsqlite3-0", "libcurl4", "libssl3", "zlib1g", "libstdc++6"]


def rpm(machine, *arguments, fails=False):
    # Without --force-debian, Debian's rpm advises against its use.
    return machine.run("sh", "-c", 'rpm --force-debian --nodeps "$@" 2>&1', "rpm", *arguments, fails=fails)


def installation(machine, service, package, bill):
    said = rpm(machine, "-i", machine.bring(package)).splitlines()
    assert all(line.startswith(("Creating group 'sundial'", "Creating user 'sundial'")) for line in said if line), said
    for library in ("libcctz.so.2", "libhiredis.so.0.14"):
        assert not list(machine.root.glob(f"usr/lib/*-linux-gnu/{library}")), f"this Debian has {library}: it proves nothing"
    shown = json.loads(machine.run("sundial", "version", "--json"))
    assert shown["sbomSha256"] == hashlib.sha256(bill).hexdigest(), shown
    assert machine.run("id", "-u", "sundial").strip() != "0"
    assert os.stat(machine.root / "etc/sundial/credentials").st_mode & 0o777 == 0o700
    assert machine.tried("systemctl", "is-enabled", "sundial.service").stdout.strip() == "disabled"
    assert service.state() == "inactive", "a new installation starts nothing"
    assert not machine.run("rpm", "-V", "--nodeps", "sundial")
    print("installed, disabled, as the package has it")


def upgrade(machine, service, old, new, user):
    before, edited = service.process(), service.settings.read_text()
    rpm(machine, "-U", machine.bring(new))
    service.replaced(before, "restart by the upgrade")
    assert service.settings.read_text() == edited, "an upgrade keeps the edited settings"
    assert service.has_user(user)
    refusal = rpm(machine, "-U", "--oldpackage", machine.bring(old), fails=True)
    assert "refusing to replace version 0.10.0 by the older 0.9.0" in refusal, refusal
    assert machine.run("rpm", "-q", "sundial").startswith("sundial-0.10.0-1")
    assert service.has_user(user)
    print("upgraded with a restart; the older version is refused, and the newer one goes on")


def removal(machine, service, package, user):
    said = rpm(machine, "-e", "sundial")
    assert "/var/lib/private/sundial is kept" in said and "/etc/sundial/credentials is kept" in said, said
    assert service.state() == "inactive"
    assert not (machine.root / "usr/bin/sundial").exists() and not (machine.root / "usr/lib/sundial").exists()
    assert (machine.root / "etc/sundial/sundial.toml.rpmsave").exists(), "edited settings are kept under another name"
    rpm(machine, "-i", machine.bring(package))
    service.on_any_port()
    service.start()
    assert service.has_user(user)
    print("a removal keeps the database, which a new installation uses")


def main():
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as ending:
        folder = pathlib.Path(folder)
        # 0.10.0 is newer, though it sorts before 0.9.0.
        for version in ("0.9.0", "0.10.0"):
            run(PACKAGE, BUILD, folder / version, "--program-only", "--version", version)
        old, new = (next((folder / version).glob("sundial-*.rpm")) for version in ("0.9.0", "0.10.0"))
        debian(folder / "root", *REQUIRED)
        machine = Machine(folder / "root")
        ending.callback(machine.end)
        service = Service(machine)
        installation(machine, service, old, (folder / "0.9.0/sundial-0.9.0.spdx.json").read_bytes())
        service.prepare()
        service.start()
        user = service.add_user()
        upgrade(machine, service, old, new, user)
        removal(machine, service, new, user)


main()
