// SPDX-License-Identifier: BSD-3-Clause
// Sets of indices, stored as repeated runs: `count` runs of `length` consecutive indices, `stride` apart. Sets selected
// by one digit, such as all j < n whose third digit is 2, need one or two entries, however large n is.
#pragma once

#include <vector>

#include "quadrille/types.hpp"

namespace quadrille {

struct Runs {
  Count first = 0;
  Count length = 0;
  Count count = 1;
  Count stride = 0;  // >= length where count > 1
  bool operator==(const Runs&) const = default;
};

using IndexSet = std::vector<Runs>;  // ascending and disjoint

Count size(const IndexSet& set);

// The indices of `set` in [first, last), ascending.
IndexSet part(const IndexSet& set, Count first, Count last);

// Appends one run. It is merged into the last entry if it continues that entry's pattern.
void append_run(IndexSet& set, Count first, Count length);

// All j in [0, n) with (j / place) mod radix == digit, for n >= 0, place >= 1.
IndexSet indices_with_digit(Count n, Count place, Count radix, Count digit);

}  // namespace quadrille
