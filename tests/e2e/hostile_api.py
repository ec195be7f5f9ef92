"""Thousands of requests made from openapi.json, valid, nearly valid and broken: every answer is one that the document
promises, and the server lives. The first argument says how many."""
import json
import os
import shutil
import subprocess
import sys

import harness as h

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hostile_api")


def main():
    count, seed = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else str(int.from_bytes(os.urandom(3)))
    with h.folder() as directory:
        for name in ("package.json", "package-lock.json", "hostile.mjs"):
            shutil.copy(os.path.join(HERE, name), directory)
        subprocess.run(["npm", "ci", "--silent", "--no-audit", "--no-fund"], cwd=directory, check=True, timeout=h.HANG_GUARD)
        made = subprocess.run([h.PROGRAM, "key", "create", "--db", "x.db", "--name", "hostile", "--role", "ADMIN"], cwd=directory,
                              capture_output=True, text=True, check=True)
        key = made.stdout.strip()
        with h.running("serve", "--db", "x.db", *h.LOCAL_RECEIVERS, "--ui.inbox=true", folder=directory) as server:
            done = subprocess.run(["node", "hostile.mjs", f"http://127.0.0.1:{server.port}", key, count, seed], cwd=directory,
                                  capture_output=True, text=True)
            assert done.returncode == 0, f"seed {seed}:\n{done.stdout}{done.stderr}"
            summary = json.loads(done.stdout)
            assert summary["sent"] >= int(count), summary
            assert summary["refused"] == summary["operations"], f"some operation was never refused: {summary}"
            errors = [line for line in server.log() if line["level"] == "error"]
            assert not errors, errors
            assert key[22:] not in server.log_text(), "a log line has the key"
            assert server.stop() == 0
    print(f"seed {seed}: {summary}")


if __name__ == "__main__":
    main()
