"""A fresh Debian under a real systemd, and Sundial as a service on it. Needs root."""
import json
import pathlib
import shutil
import subprocess
import sys
import time
import urllib.request

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


def debian(root, *packages):
    run("mmdebstrap", "--variant=minbase", "--include=" + ",".join(["systemd", "dbus", "ca-certificates", *packages]), "bookworm", root)


def answer(address, path):
    with urllib.request.urlopen(f"http://{address}{path}", timeout=HANG_GUARD) as response:
        return response.read().decode()


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

    def bring(self, package):
        """Returns where the package lies for the machine."""
        shutil.copy(package, self.root / "root")
        return f"/root/{package.name}"

    def property_of(self, unit, name):
        return self.run("systemctl", "show", "--value", "-p", name, unit).strip()

    def end(self):
        subprocess.run(["kill", "-9", self.systemd], check=False)
        self.boot.wait(HANG_GUARD)


class Service:
    """sundial.service of a machine, on a port that the kernel chooses."""

    def __init__(self, machine):
        self.machine = machine
        self.settings = machine.root / "etc/sundial/sundial.toml"
        self.dropin = machine.root / "etc/systemd/system/sundial.service.d/test.conf"

    def state(self):
        return self.machine.property_of("sundial.service", "ActiveState")

    def process(self):
        return self.machine.property_of("sundial.service", "MainPID")

    def on_any_port(self):
        self.settings.write_text(self.settings.read_text().replace("127.0.0.1:8080", "127.0.0.1:0"))

    def prepare(self):
        self.on_any_port()
        self.dropin.parent.mkdir()
        readable = self.machine.tried("systemd-run", "--wait", "-p", "DynamicUser=yes", "-p", "LoadCredential=a:/etc/hostname",
                                      "sh", "-c", 'ls "$CREDENTIALS_DIRECTORY"').returncode == 0
        print("credentials: " + ("as in the unit" if readable else "left out, this kernel has no access lists on tmpfs"))
        self.dropin.write_text("" if readable else WITHOUT_CREDENTIALS)

    def start(self):
        self.machine.run("systemctl", "daemon-reload")
        self.machine.run("systemctl", "start", "sundial.service")

    def address(self):
        until(lambda: self.machine.property_of("sundial.service", "StatusText").startswith("ready on "), "ready service")
        return self.machine.property_of("sundial.service", "StatusText").removeprefix("ready on ")

    def add_user(self):
        user = {"externalId": "kept", "firstName": "Ada", "lastName": "Li", "dateOfBirth": "1990-12-10", "timezone": "Europe/London"}
        request = urllib.request.Request(f"http://{self.address()}/v1/users", json.dumps(user).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=HANG_GUARD) as response:
            return json.load(response)["id"]

    def has_user(self, user):
        return json.loads(answer(self.address(), f"/v1/users/{user}"))["id"] == user

    def replaced(self, before, by):
        until(lambda: self.process() not in (before, "0"), by)
