#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests the filter of the reference pages: it must leave all code unchanged and turn the comments on declarations into documentation.
# Usage: reference_filter_test.sh SOURCE_FOLDER
set -euo pipefail
cd "$1"
without_comments() { sed 's, *//.*,,' | grep -v '^$'; }
for header in include/quadrille/*.hpp; do
  filtered=$(awk -f cmake/reference_filter.awk "$header")
  diff <(without_comments <"$header") <(without_comments <<<"$filtered") >&2 || { echo "the filter changes code of $header" >&2; exit 1; }
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/header.hpp" <<'END'
// SPDX-License-Identifier: none
// The head.
//
//   code();
#pragma once

struct Other;  // other.hpp

class Group {
 public:
  // Waits.
  void wait();

  int size;  // of all
};

// Sends.
template <class T>
void send(T value) {
  // inside
  if (value) return;  // inside
}

template <class T>
Request isend(T value);

template <class T>
void receive(T value);

// Both.
int first();
int second();  // own
int third();

// About nothing.

int fifth();
END
diff - <(awk -f cmake/reference_filter.awk "$folder/header.hpp") <<'END'
/// \file
/// The head.
///
///     code();
#pragma once

struct Other;  // other.hpp

/// See header.hpp.
class Group {
 public:
  /// Waits.
  void wait();

  int size;  ///< of all
};

/// Sends.
template <class T>
void send(T value) {
  // inside
  if (value) return;  // inside
}

/// Sends.
template <class T>
Request isend(T value);

template <class T>
void receive(T value);

/// Both.
int first();
int second();  ///< own
/// Both.
int third();

// About nothing.

int fifth();
END
