"""Every public vector of the time rules, through `sundial next --json`: one run, answers in order."""
import json
import pathlib
import subprocess
import sys

import harness as h

VECTORS = pathlib.Path(__file__).parent.parent / "vectors" / "time-sample.jsonl"


def fits(want, got):
    """Whether `got` has every field of `want`; of error codes, one of those that are right."""
    if set(want) - set(got):
        return False
    for field, value in want.items():
        if field == "error":
            right = value["code"] if isinstance(value["code"], list) else [value["code"]]
            if got["error"]["code"] not in right or not got["error"]["message"]:
                return False
        elif got[field] != value:
            return False
    return True


def main():
    header, *vectors = [json.loads(line) for line in VECTORS.read_text().splitlines()]
    assert header["header"]["tzdata"], header
    requests = "".join(json.dumps(vector["req"]) + "\n" for vector in vectors)
    done = subprocess.run([h.PROGRAM, "next", "--json"], input=requests, capture_output=True, text=True,
                          timeout=h.HANG_GUARD)
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(vectors), f"{len(answers)} answers to {len(vectors)} requests"
    wrong = 0
    for vector, answer in zip(vectors, answers):
        if not fits(vector["want"], answer):
            wrong += 1
            print("asked", json.dumps(vector["req"]), "\nwanted", json.dumps(vector["want"]), "\ngot", json.dumps(answer))
    print(f"{len(vectors) - wrong} of {len(vectors)} vectors answered as wanted")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
