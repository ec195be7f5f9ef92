"""The Debian package in a fresh Debian under a real systemd: installed.py PACKAGE BUILD, as root.

Installs, starts, watches, upgrades, refuses an older version, purges and installs again. Three minutes at most, most of it for
apt.
"""
import contextlib
import os
import pathlib
import sys
import tempfile

from machine import Machine, Service, answer, debian, run, until

PACKAGE, BUILD = map(pathlib.Path, sys.argv[1:3])


def install(machine, package, *options, fails=False):
    return machine.run("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "-y", "--no-install-recommends", *options,
                       "install", machine.bring(package), fails=fails)


def installation(machine, service, package):
    install(machine, package)
    assert machine.tried("systemctl", "is-enabled", "sundial.service").stdout.strip() == "disabled"
    assert service.state() == "inactive", "a new installation starts nothing"
    mode = os.stat(machine.root / "etc/sundial/credentials").st_mode & 0o777
    assert mode == 0o700, f"credentials: {mode:o}"
    print("installed, disabled")


def started(machine, service):
    service.prepare()
    service.start()
    status = machine.property_of("sundial.service", "StatusText")
    assert status.startswith("ready on 127.0.0.1:"), status
    assert answer(service.address(), "/livez").strip() == "alive"
    assert machine.property_of("sundial.service", "WatchdogTimestampMonotonic") != "0", "the watchdog is served"
    # The folder in which instances see each other's end.
    assert machine.run("stat", "-L", "-c", "%a", "/run/sundial").strip() == "700"
    print(f"started by systemd, {status}")


def frozen(machine, service):
    """A process that makes no progress is replaced."""
    service.dropin.write_text(service.dropin.read_text() + "[Service]\nWatchdogSec=2\n")
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "restart", "sundial.service")
    before = service.process()
    machine.run("systemctl", "kill", "--signal=STOP", "sundial.service")
    service.replaced(before, "new process after the watchdog's time")
    until(lambda: service.state() == "active", "started service")
    print("the watchdog replaced a stopped process")


def upgrade(machine, service, old, new, user):
    before, edited = service.process(), service.settings.read_text()
    install(machine, new)
    service.replaced(before, "restart by the upgrade")
    assert service.settings.read_text() == edited, "an upgrade keeps the edited settings"
    assert service.has_user(user)
    refusal = install(machine, old, "--allow-downgrades", fails=True)
    assert "refusing to replace version" in refusal, refusal
    machine.run("dpkg", "--configure", "-a")
    assert service.has_user(user)
    print("upgraded with a restart; the older version is refused, and the newer one goes on")


def purge(machine, service, package, user):
    said = machine.run("sh", "-c", "apt-get -qq -y purge sundial 2>&1")
    assert "/var/lib/private/sundial is kept" in said, said
    assert service.state() == "inactive"
    assert not service.settings.exists()
    install(machine, package)
    service.on_any_port()
    service.start()
    assert service.has_user(user)
    print("a purge keeps the database, which a new installation uses")


def main():
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as ending:
        folder = pathlib.Path(folder)
        run(PACKAGE, BUILD, folder / "old", "--program-only", "--version", "0.1.0")
        run(PACKAGE, BUILD, folder / "new", "--program-only", "--version", "0.2.0")
        old, new = (next((folder / name).glob("sundial_*.deb")) for name in ("old", "new"))
        debian(folder / "root")
        run("chroot", folder / "root", "apt-get", "-qq", "update")
        machine = Machine(folder / "root")
        ending.callback(machine.end)
        service = Service(machine)
        installation(machine, service, old)
        started(machine, service)
        user = service.add_user()
        frozen(machine, service)
        upgrade(machine, service, old, new, user)
        purge(machine, service, new, user)


main()
