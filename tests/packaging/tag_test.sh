#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# scripts/tag.sh makes a tag only if each of its checks passes. It runs in a small repository whose ./check, lintian and other scripts pass
# unless a file says otherwise.
# Usage: tag_test.sh CHECKOUT
set -euo pipefail
wrong() { echo "$*" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder"/{work/scripts,programs}
cp "$1"/scripts/{tag,setup}.sh "$folder/work/scripts"
cd "$folder/work"
for program in ./check scripts/package.sh scripts/abi.sh ../programs/lintian; do
  printf '#!/bin/sh\n[ ! -e "%s" ]\n' "$folder/fails-$(basename "$program")" >"$program"
  chmod +x "$program"
done
export PATH=$folder/programs:$PATH GIT_CONFIG_GLOBAL=/dev/null
git init --quiet .
commit() { git add --all && git -c user.name=test -c user.email=test@example.org commit --quiet --message "$1"; }
tag() { GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@example.org scripts/tag.sh "$@" >"$folder/said" 2>&1; }
refuses() {  # refuses WORDS: names the reason and makes no tag
  ! tag || wrong "tag.sh made a tag, which it must refuse: $1"
  grep -q "$1" "$folder/said" || wrong "tag.sh does not say '$1': $(cat "$folder/said")"
  [ -z "$(git tag)" ] || wrong "tag.sh failed and made a tag"
}
echo 'project(quadrille VERSION 1.2.3 LANGUAGES C CXX' >CMakeLists.txt
changelog() { printf '# Changelog\n\n## Unreleased\n%s\n## %s\n\n- A\n\n## 1.2.2 - 2000-01-01\n' "$1" "$2" >CHANGELOG.md; }
today=$(date +%F)
changelog '' "1.2.2 - $today"
commit first
refuses 'newest version in CHANGELOG.md is "## 1.2.2'
changelog '' "1.2.3 - 2000-01-01"
commit second
refuses "not \"## 1.2.3 - $today\""
changelog '- B' "1.2.3 - $today"
refuses "not committed"
commit third
refuses "changes below Unreleased"
changelog '' "1.2.3 - $today"
commit fourth
for each in check abi.sh package.sh lintian; do
  touch "$folder/fails-$each"
  refuses "fail\|stored dump\|cannot be made\|lintian finds errors"
  rm "$folder/fails-$each"
done
tag --dry-run || wrong "tag.sh refuses: $(cat "$folder/said")"
[ -z "$(git tag)" ] || wrong "a dry run made a tag"
tag || wrong "tag.sh refuses: $(cat "$folder/said")"
[ "$(git tag)" = v1.2.3 ] || wrong "tag.sh made the tags: $(git tag)"
! tag || wrong "tag.sh made a tag twice"
grep -q 'tag v1.2.3 already' "$folder/said" || wrong "tag.sh does not say why: $(cat "$folder/said")"
