# SPDX-License-Identifier: BSD-3-Clause
# The head of the tests here, which source it. `begin_hosts COUNT` starts so many hosts, or skips the test with the reason. $work is
# then a folder of the test's own; both are gone at its end.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
skip() { echo "skipped: $*"; exit 0; }
begin_hosts() {
  local reason
  reason=$("$here/hosts.sh" can) || skip "$reason"
  [ "$("$here/hosts.sh" status)" = "no hosts" ] || skip "there are hosts already, somebody else's"
  work=$(mktemp -d)
  "$here/hosts.sh" up "$1"
  trap '"$here/hosts.sh" down; rm -rf "$work"' EXIT
  export QUADRILLE_WISDOM=off
}
