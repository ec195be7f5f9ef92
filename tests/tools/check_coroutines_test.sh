#!/usr/bin/env bash
# tools/check_coroutines finds exactly the lines marked "// bad" in fixtures/coroutines.cpp, and does not take a file
# which cannot be parsed for a clean one.
# usage: check_coroutines_test.sh CHECK_COROUTINES
set -euo pipefail
check=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
fixture=$here/fixtures/coroutines.cpp
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo 'co_await nothing;' >"$work/broken.cpp"
sed '/\/\/ bad$/d' "$fixture" >"$work/clean.cpp"
{
    echo '['
    for file in "$fixture" "$work/clean.cpp" "$work/broken.cpp"; do
        printf '{"directory": "%s", "file": "%s", "command": "clang++-19 -std=c++20 -c %s"},\n' "$work" "$file" "$file"
    done | sed '$ s/,$//'
    echo ']'
} >"$work/compile_commands.json"

expected=$(grep -n '// bad$' "$fixture" | cut -d: -f1)
found=$("$check" "$work" "$fixture") && { echo "FAILED: bad coroutines pass"; exit 1; }
diff <(echo "$expected") <(grep -oP 'coroutines\.cpp:\K[0-9]+' <<<"$found" | sort -nu) ||
    { echo "FAILED: marked lines (<) are not the lines found (>)"; echo "$found"; exit 1; }
grep -q 'by value' <<<"$found" || { echo "FAILED: no word about parameters"; exit 1; }

"$check" "$work" "$work/clean.cpp" || { echo "FAILED: good coroutines do not pass"; exit 1; }
"$check" "$work" "$work/broken.cpp" && { echo "FAILED: a file that is not C++ passes"; exit 1; }
echo "every bad line found, no other"
