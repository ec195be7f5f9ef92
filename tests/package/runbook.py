"""Every block of docs/operating/runbook.md, pasted in order into a root shell of a fresh Debian under systemd: runbook.py PACKAGE
BUILD, as root. Prints how long a reader who only pastes would wait."""
import contextlib
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

from machine import HANG_GUARD, Machine, debian, run

PACKAGE, BUILD = map(pathlib.Path, sys.argv[1:3])
RUNBOOK = PACKAGE.parent.parent / "docs/operating/runbook.md"
# For kernels without access lists on tmpfs, where systemd cannot let a service read its credentials: root copies them.
COPIED_CREDENTIALS = """[Service]
LoadCredential=
Environment=CREDENTIALS_DIRECTORY=/run/{unit}-credentials
ExecStartPre=+/bin/sh -c 'mkdir -p /run/{unit}-credentials; cd /etc/sundial/credentials; for f in *; do [ -e "$f" ] && \
cp "$f" /run/{unit}-credentials/sundial_$f; done; chown -R sundial /run/{unit}-credentials'
"""
# Port 8080, which no block names, may be in use.
OTHER_PORT = """sed -i 's/127.0.0.1:8080/127.0.0.1:{port}/' /etc/sundial/sundial.toml; export SUNDIAL_SERVER=http://127.0.0.1:{port}"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def blocks():
    """(section, commands). The machine has the network of this one, so the ports are others than those of the page."""
    text = RUNBOOK.read_text()
    for port in ("8443", "9000"):
        text = text.replace(port, str(free_port()))
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        for block in re.findall(r"^```sh\n(.*?)^```", section, flags=re.M | re.S):
            yield section.split("\n")[0], block


def credentials(machine):
    readable = machine.tried("systemd-run", "--wait", "-p", "DynamicUser=yes", "-p", "LoadCredential=a:/etc/hostname",
                             "sh", "-c", 'ls "$CREDENTIALS_DIRECTORY"').returncode == 0
    print("credentials: " + ("as in the unit" if readable else "copied, this kernel has no access lists on tmpfs"))
    if readable:
        return
    for unit in ("sundial", "sundial-backup"):
        dropin = machine.root / f"etc/systemd/system/{unit}.service.d/test.conf"
        dropin.parent.mkdir(parents=True)
        dropin.write_text(COPIED_CREDENTIALS.format(unit=unit))


class Shell:
    """One root shell: variables and background processes live on from block to block."""

    def __init__(self, machine):
        self.process = subprocess.Popen(machine.enter("bash", "-e"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)

    def paste(self, block):
        """Returns what it printed."""
        self.process.stdin.write(f"{block}\necho '--- done'\n")
        self.process.stdin.flush()
        said = []
        while (line := self.process.stdout.readline()) != "--- done\n":
            if not line:
                sys.exit(f"this block failed:\n{block}\n{''.join(said)}")
            said.append(line)
        return "".join(said)

    def end(self):
        self.process.kill()
        self.process.wait(HANG_GUARD)


def main():
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as ending:
        folder = pathlib.Path(folder)
        run(PACKAGE, BUILD, folder / "packages", "--program-only")
        debian(folder / "root")
        run("chroot", folder / "root", "apt-get", "-qq", "update")
        machine = Machine(folder / "root")
        ending.callback(machine.end)
        for package in (folder / "packages").glob("sundial_*.deb"):
            machine.bring(package)
        machine.run("systemctl", "daemon-reload")
        credentials(machine)
        shell = Shell(machine)
        ending.callback(shell.end)
        shell.paste("cd /root; export DEBIAN_FRONTEND=noninteractive")
        said, began, marks = "", time.monotonic(), {}
        for section, block in blocks():
            said += shell.paste(block)
            marks[section] = time.monotonic() - began
            if section.startswith("1."):
                shell.paste(OTHER_PORT.format(port=free_port()))
        assert 'genuine {"hello":"world"}' in said, said
        assert "sound" in said, said
        for section, seconds in marks.items():
            print(f"{seconds:6.1f} s  {section}")


main()
