#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# All tests of the viewer: scripts/test.sh COMMAND. Exits with 77, and the reason in the last line, if they cannot run here.
set -euo pipefail
command=$(realpath "${1:?the built command, such as build/release/bin/quadrille}")
cd "$(dirname "$0")/.."
skip() { printf '%s\n' "$1"; exit 77; }

command -v node >/dev/null && command -v npm >/dev/null || skip "there is no Node"
[ "$(node --print 'parseInt(process.versions.node)')" -ge 18 ] || skip "Node $(node --version) is older than 18"
command -v chromium >/dev/null || skip "there is no Chromium"
if ! cmp -s package-lock.json node_modules/.quadrille-lock; then
  timeout 120 npm ci --no-audit --no-fund || skip "the npm registry cannot be reached"
  cp package-lock.json node_modules/.quadrille-lock
fi
npm run format
npm run types
npm test
npx vite build
node scripts/seal.js --check
npm run e2e -- "$command"
node e2e/reach.js "$command"
node e2e/editor.js "$command"
