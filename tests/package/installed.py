"""The Debian package in a fresh Debian under a real systemd: installed.py PACKAGE BUILD, as root.

mmdebstrap makes the Debian, and its systemd runs in namespaces of its own. Installs, starts, watches, upgrades, refuses an
older version, purges and installs again. Three minutes at most, most of it for apt.
"""
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

PACKAGE, BUILD = map(pathlib.Path, sys.argv[1:3])
HERE = pathlib.Path(__file__).resolve().parent
HANG_GUARD = 60
# A drop-in for kernels without access lists on tmpfs: there systemd cannot let the service read its credentials.
WITHOUT_CREDENTIALS = "[Service]\nLoadCredential=\n"


def run(*command, fails=False, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if (done.returncode != 0) != fails:
        sys.exit(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout + done.stderr if fails else done.stdout


def until(condition, what):
    end = time.monotonic() + HANG_GUARD
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"no {what} after {HANG_GUARD} s")
        time.sleep(0.05)


class Machine:
    """A Debian whose systemd runs beside this machine's, with this machine's network."""

    def __init__(self, root):
        self.root = root
        self.boot = subprocess.Popen(["unshare", "--mount", "--pid", "--cgroup", "--uts", "--ipc", "--fork", HERE / "boot", root],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        children = pathlib.Path(f"/proc/{self.boot.pid}/task/{self.boot.pid}/children")
        until(lambda: children.read_text().split(), "process in the namespaces")
        self.systemd = children.read_text().split()[0]
        until(lambda: self.tried("systemctl", "is-system-running").stdout.strip() in ("running", "degraded"), "running systemd")

    def enter(self, *command):
        return ["nsenter", "-t", self.systemd, "-m", "-p", "-u", "-i", "-C", "-r", "-w", *map(str, command)]

    def tried(self, *command):
        return subprocess.run(self.enter(*command), capture_output=True, text=True)

    def run(self, *command, fails=False):
        return run(*self.enter(*command), fails=fails)

    def install(self, package, *options, fails=False):
        shutil.copy(package, self.root / "root")
        return self.run("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "-y", "--no-install-recommends", *options,
                        "install", f"/root/{package.name}", fails=fails)

    def property_of(self, unit, name):
        return self.run("systemctl", "show", "--value", "-p", name, unit).strip()

    def end(self):
        subprocess.run(["kill", "-9", self.systemd], check=False)
        self.boot.wait(HANG_GUARD)


def debian(root):
    run("mmdebstrap", "--variant=minbase", "--include=systemd,dbus,ca-certificates", "bookworm", root)
    run("chroot", root, "apt-get", "-qq", "update")


def answer(address, path):
    with urllib.request.urlopen(f"http://{address}{path}", timeout=HANG_GUARD) as response:
        return response.read().decode()


def installation(machine, package):
    machine.install(package)
    assert machine.tried("systemctl", "is-enabled", "sundial.service").stdout.strip() == "disabled"
    assert machine.property_of("sundial.service", "ActiveState") == "inactive", "a new installation starts nothing"
    mode = os.stat(machine.root / "etc/sundial/credentials").st_mode & 0o777
    assert mode == 0o700, f"credentials: {mode:o}"
    print("installed, disabled")


def service(machine):
    settings = machine.root / "etc/sundial/sundial.toml"
    settings.write_text(settings.read_text().replace("127.0.0.1:8080", "127.0.0.1:0"))
    dropin = machine.root / "etc/systemd/system/sundial.service.d/test.conf"
    dropin.parent.mkdir()
    readable = machine.tried("systemd-run", "--wait", "-p", "DynamicUser=yes", "-p", "LoadCredential=a:/etc/hostname",
                             "sh", "-c", 'ls "$CREDENTIALS_DIRECTORY"').returncode == 0
    print("credentials: " + ("as in the unit" if readable else "left out, this kernel has no access lists on tmpfs"))
    dropin.write_text("" if readable else WITHOUT_CREDENTIALS)
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "start", "sundial.service")
    status = machine.property_of("sundial.service", "StatusText")
    assert status.startswith("ready on 127.0.0.1:"), status
    address = status.removeprefix("ready on ")
    assert answer(address, "/livez").strip() == "alive"
    assert machine.property_of("sundial.service", "WatchdogTimestampMonotonic") != "0", "the watchdog is served"
    print(f"started by systemd, {status}")
    return address


def frozen(machine):
    """A process that makes no progress is replaced."""
    before = machine.property_of("sundial.service", "MainPID")
    machine.run("systemctl", "kill", "--signal=STOP", "sundial.service")
    until(lambda: machine.property_of("sundial.service", "MainPID") not in (before, "0"), "new process after the watchdog's time")
    until(lambda: machine.property_of("sundial.service", "ActiveState") == "active", "started service")
    print("the watchdog replaced a stopped process")


def add_user(address):
    body = json.dumps({"externalId": "kept", "firstName": "Ada", "lastName": "Li", "dateOfBirth": "1990-12-10", "timezone": "Europe/London"}).encode()
    request = urllib.request.Request(f"http://{address}/v1/users", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=HANG_GUARD) as response:
        return json.load(response)["id"]


def address_of(machine):
    until(lambda: machine.property_of("sundial.service", "StatusText").startswith("ready on "), "ready service")
    return machine.property_of("sundial.service", "StatusText").removeprefix("ready on ")


def upgrade(machine, old, new, user):
    before = machine.property_of("sundial.service", "MainPID")
    edited = (machine.root / "etc/sundial/sundial.toml").read_text()
    machine.install(new)
    until(lambda: machine.property_of("sundial.service", "MainPID") not in (before, "0"), "restart by the upgrade")
    assert (machine.root / "etc/sundial/sundial.toml").read_text() == edited, "an upgrade keeps the edited settings"
    assert json.loads(answer(address_of(machine), f"/v1/users/{user}"))["id"] == user
    refusal = machine.install(old, "--allow-downgrades", fails=True)
    assert "refusing to replace version" in refusal, refusal
    machine.run("dpkg", "--configure", "-a")
    assert json.loads(answer(address_of(machine), f"/v1/users/{user}"))["id"] == user
    print("upgraded with a restart; the older version is refused, and the newer one goes on")


def purge(machine, package, user):
    said = machine.run("sh", "-c", "apt-get -qq -y purge sundial 2>&1")
    assert "/var/lib/private/sundial is kept" in said, said
    assert machine.property_of("sundial.service", "ActiveState") == "inactive"
    assert not (machine.root / "etc/sundial/sundial.toml").exists()
    machine.install(package)
    service_settings = machine.root / "etc/sundial/sundial.toml"
    service_settings.write_text(service_settings.read_text().replace("127.0.0.1:8080", "127.0.0.1:0"))
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "start", "sundial.service")
    assert json.loads(answer(address_of(machine), f"/v1/users/{user}"))["id"] == user
    print("a purge keeps the database, which a new installation uses")


def main():
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as ending:
        folder = pathlib.Path(folder)
        run(PACKAGE, BUILD, folder / "old", "--program-only", "--version", "0.1.0")
        run(PACKAGE, BUILD, folder / "new", "--program-only", "--version", "0.2.0")
        old, new = (next((folder / name).glob("sundial_*.deb")) for name in ("old", "new"))
        debian(folder / "root")
        machine = Machine(folder / "root")
        ending.callback(machine.end)
        installation(machine, old)
        address = service(machine)
        user = add_user(address)
        dropin = machine.root / "etc/systemd/system/sundial.service.d/test.conf"
        dropin.write_text(dropin.read_text() + "[Service]\nWatchdogSec=2\n")
        machine.run("systemctl", "daemon-reload")
        machine.run("systemctl", "restart", "sundial.service")
        frozen(machine)
        upgrade(machine, old, new, user)
        purge(machine, new, user)


main()
