"""`sundial doctor`: what it finds, and that each finding has a remedy."""
import json
import os
import socket
import subprocess
import sys

import harness as h


def run(*arguments, directory):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SUNDIAL")}
    done = subprocess.run([h.PROGRAM, "doctor", "--json", *arguments], cwd=directory, env=clean, capture_output=True, text=True,
                          timeout=h.HANG_GUARD)
    return done.returncode, {row["check"]: row for row in json.loads(done.stdout)}


def main(kind):
    with h.folder() as directory, h.database(kind, directory, empty=True) as database:
        code, found = run("--db", database, "--http.listen=127.0.0.1:0", directory=directory)
        assert found["settings"]["state"] == "ok" and found["tz"]["state"] in ("ok", "warn"), found
        subprocess.run([h.PROGRAM, "db", "migrate", "--db", database], check=True, stdout=subprocess.DEVNULL)
        code, found = run("--db", database, "--http.listen=127.0.0.1:0", directory=directory)
        assert code == 0 and found["database"]["state"] == "ok", found
        if kind == "postgres":
            assert found["clock"]["state"] == "ok" and found["transactions"]["state"] == "ok", found
        else:
            assert "disk" in found and found["permissions"]["state"] == "ok", found
            os.chmod(database, 0o644)
            _, found = run("--db", database, "--http.listen=127.0.0.1:0", directory=directory)
            assert found["permissions"]["state"] == "warn" and "chmod" in found["permissions"]["remedy"], found
        code, found = run("--db", database, "--http.listen=127.0.0.1:0", "--security.encryption_key=short", directory=directory)
        assert code == 1 and found["settings"]["state"] == "fail" and found["settings"]["remedy"], found
        with socket.create_server(("127.0.0.1", 0)) as taken:
            _, found = run("--db", database, f"--http.listen=127.0.0.1:{taken.getsockname()[1]}", directory=directory)
            assert found["http.listen"]["state"] == "warn" and found["http.listen"]["remedy"], found
        absent = "postgresql://127.0.0.1:1/none" if kind == "postgres" else os.path.join(directory, "letter.txt")
        with open(os.path.join(directory, "letter.txt"), "w", encoding="ascii") as letter:
            letter.write("Dear Sundial, I am no database at all. " * 100)
        code, found = run("--db", absent, "--http.listen=127.0.0.1:0", directory=directory)
        assert code == 1 and found["database"]["state"] == "fail" and found["database"]["remedy"], found


if __name__ == "__main__":
    main(sys.argv[1])
    print("ok doctor", sys.argv[1])
