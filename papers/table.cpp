// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "papers/exhibit.hpp"

namespace quadrille::papers {

#define ROW(record) extern const Exhibit record;
#include "papers/exhibits.def"
#undef ROW

std::span<const Exhibit* const> all_exhibits() {
#define ROW(record) &record,
  static constexpr const Exhibit* table[] = {
#include "papers/exhibits.def"
  };
#undef ROW
  return table;
}

const Exhibit* find_exhibit(std::string_view id) {
  const auto exhibits = all_exhibits();
  const auto found = std::find_if(exhibits.begin(), exhibits.end(), [&](const Exhibit* exhibit) { return exhibit->id == id; });
  return found == exhibits.end() ? nullptr : *found;
}

}  // namespace quadrille::papers
