#!/bin/sh
# Finds the commit that broke something, in a copy: the working folder is left as it is.
# Usage: sh bisect.sh GOOD_COMMIT 'COMMAND'        (in the repository; COMMAND succeeds where all is well)
set -eu
if [ "$#" -ne 2 ]; then
  echo "usage: bisect.sh GOOD_COMMIT 'COMMAND'" >&2
  exit 2
fi
good=$(git rev-parse --verify --quiet "$1^{commit}") || { echo "bisect.sh: no commit is called $1" >&2; exit 2; }
bad=$(git rev-parse HEAD)
copy=$(mktemp -d)
trap 'git worktree remove --force "$copy/tree" >/dev/null 2>&1 || true; rm -rf "$copy"' EXIT
git worktree add --quiet --detach "$copy/tree" "$bad"
cd "$copy/tree"
if sh -c "$2" >/dev/null 2>&1; then
  echo "bisect.sh: the command succeeds at HEAD; what is not committed may be the cause" >&2
  exit 1
fi
git checkout --quiet "$good"
if ! sh -c "$2" >/dev/null 2>&1; then
  echo "bisect.sh: the command fails at $1 as well: name an older commit" >&2
  exit 1
fi
git bisect start "$bad" "$good" >/dev/null
# A crash ends with 128 or more, which git takes for the end of the search; 125 stays "cannot be judged".
judge='sh -c "$1"; code=$?; [ "$code" -lt 126 ] || code=1; exit "$code"'
if ! said=$(git bisect run sh -c "$judge" judge "$2" 2>&1); then
  printf '%s\n' "$said" | tail -n 12 >&2
  echo "bisect.sh: no single commit was found" >&2
  exit 1
fi
git --no-pager show --no-patch --format='first bad commit: %H%n%an, %ad%n%s' refs/bisect/bad
git bisect reset >/dev/null 2>&1
