// SPDX-License-Identifier: BSD-3-Clause
// The table of all exhibits. A row is the name of the variable that the exhibit's file defines.
#include <algorithm>

#include "papers/exhibit.hpp"

#define QUADRILLE_ROWS(ROW)    \
  ROW(bruck1997_fig3)          \
  ROW(bruck1997_fig4)          \
  ROW(bruck1997_fig5)          \
  ROW(bruck1997_fig6)          \
  ROW(bruck1997_fig7)          \
  ROW(bruck1997_table1)        \
  ROW(bruck1997_bounds)        \
  ROW(bruck1997_compound)      \
  ROW(bruck1997_conclusions)   \
  ROW(liu2002_table1)          \
  ROW(liu2002_table2)          \
  ROW(liu2002_table3)          \
  ROW(liu2002_table4)          \
  ROW(liu2002_equation3)       \
  ROW(liu2002_contention)      \
  ROW(liu2002_fig3)            \
  ROW(liu2002_fig8)            \
  ROW(liu2002_fig10)           \
  ROW(liu2002_fig13)           \
  ROW(liu2002_fig14)           \
  ROW(liu2002_fig15)           \
  ROW(liu2002_fig16)           \
  ROW(liu2002_fig17)           \
  ROW(liu2002_fig18)           \
  ROW(liu2002_fig19)           \
  ROW(liu2002_fig20)           \
  ROW(liu2002_fig21)           \
  ROW(liu2002_fig22)           \
  ROW(liu2002_fig23)           \
  ROW(liu2002_measured)        \
  ROW(liu2002_composing)       \
  ROW(liu2002_baselines)       \
  ROW(liu2002_stages)          \
  ROW(liu2002_groups)          \
  ROW(liu2002_conclusions)     \
  ROW(liu2005_fig3)            \
  ROW(liu2005_imaginary)       \
  ROW(liu2005_table1)          \
  ROW(liu2005_lemma4)          \
  ROW(liu2005_stages)          \
  ROW(liu2005_table2)          \
  ROW(liu2005_direct)          \
  ROW(liu2005_fig6)            \
  ROW(liu2005_conclusions)     \
  ROW(sanders2002_fig3)        \
  ROW(sanders2002_steps)       \
  ROW(sanders2002_graphs)      \
  ROW(sanders2002_bandwidth)   \
  ROW(sanders2002_conclusions) \
  ROW(grama2003_costs)         \
  ROW(grama2003_bounds)        \
  ROW(grama2003_ecube)         \
  ROW(grama2003_figures)       \
  ROW(grama2003_optimised)     \
  ROW(grama2003_conclusions)   \
  ROW(desensi2025_links)

namespace quadrille::papers {

#define QUADRILLE_DECLARE(record) extern const Exhibit record;
QUADRILLE_ROWS(QUADRILLE_DECLARE)
#undef QUADRILLE_DECLARE

std::span<const Exhibit* const> all_exhibits() {
#define QUADRILLE_ADDRESS(record) &record,
  static constexpr const Exhibit* table[] = {QUADRILLE_ROWS(QUADRILLE_ADDRESS)};
#undef QUADRILLE_ADDRESS
  return table;
}

const Exhibit* find_exhibit(std::string_view id) {
  const auto exhibits = all_exhibits();
  const auto found = std::find_if(exhibits.begin(), exhibits.end(), [&](const Exhibit* exhibit) { return exhibit->id == id; });
  return found == exhibits.end() ? nullptr : *found;
}

}  // namespace quadrille::papers
