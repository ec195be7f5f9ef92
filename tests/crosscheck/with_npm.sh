#!/usr/bin/env bash
# Runs a node script with the packages that its folder's package-lock.json names, installed below the build.
#
# usage: with_npm.sh FOLDER WORK SCRIPT [ARGUMENT...]    WORK is made, and used again while the lock is the same
set -euo pipefail

folder=$1 work=$2
shift 2
mkdir -p "$work"
cp "$folder"/*.mjs "$folder/package.json" "$work"
if ! cmp -s "$folder/package-lock.json" "$work/package-lock.json" || [[ ! -e $work/installed ]]; then
    rm -f "$work/installed"
    cp "$folder/package-lock.json" "$work"
    npm ci --prefix "$work" --silent --no-audit --no-fund
    touch "$work/installed"
fi
cd "$work"
exec node "$@"
