#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes the tag of a release, after checks; `tag.sh --help` says which. It never pushes.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh

usage='Usage: scripts/tag.sh [--dry-run]

Makes the tag vVERSION of this commit, if all of this is so:

  - the working tree is clean, and no tag has this name
  - CHANGELOG.md has nothing below "Unreleased", and then "## VERSION - YYYY-MM-DD", with the version of CMakeLists.txt and the date of today
  - ./check passes
  - the ABI is that of the stored dump (scripts/abi.sh)
  - the packages and the tarball can be made, and lintian finds no errors

--dry-run checks all and makes no tag. The tag stays here: push it by git push origin vVERSION.'
dry_run=
case ${1:-} in
  '') ;;
  --dry-run) dry_run=1 ;;
  --help | -h) printf '%s\n' "$usage"; exit 0 ;;
  *) fail "tag.sh: unknown word '$1'; the options are --dry-run and --help" ;;
esac

# What takes no time comes first.
version=$(sed -n 's/^project(quadrille VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
heading=$(grep '^## ' CHANGELOG.md | grep -vx -m 1 '## Unreleased')
unreleased=$(sed -n '/^## Unreleased/,/^## [0-9]/{/^## /d;/./p}' CHANGELOG.md)
today=$(date +%F)
[ -z "$(git status --porcelain)" ] || fail "The working tree has changes that are not committed; see git status"
! git rev-parse --quiet --verify "refs/tags/v$version" >/dev/null || fail "There is a tag v$version already. Raise the version in CMakeLists.txt"
[ "$heading" = "## $version - $today" ] || fail "The newest version in CHANGELOG.md is \"$heading\", not \"## $version - $today\""
[ -z "$unreleased" ] || fail "CHANGELOG.md has changes below Unreleased; move them below $version"

talk "== ./check"
./check || fail "./check fails"
if [ -e scripts/abi.sh ]; then
  talk "== ABI"
  scripts/abi.sh build/release/lib/libquadrille.so || fail "The ABI is not that of the stored dump, or cannot be compared"
fi
talk "== Packages"
scripts/package.sh deb || fail "The packages cannot be made"
lintian --allow-root --fail-on error build/packages/*.deb || fail "lintian finds errors"
scripts/package.sh tarball || fail "The tarball cannot be made"
[ -z "$(git status --porcelain)" ] || fail "The checks have changed files of the working tree; see git status"

[ -z "$dry_run" ] || { talk "All is as it must be for v$version; no tag was made"; exit 0; }
git tag --annotate "v$version" --message "Quadrille $version"
talk "Made the tag v$version. To publish it: git push origin v$version"
