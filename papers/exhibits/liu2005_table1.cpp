// SPDX-License-Identifier: BSD-3-Clause
// The blocks that a rank sends through each of its ports in phase 1 of the exchange on a torus.
#include <fmt/format.h>

#include "papers/exhibit.hpp"
#include "papers/exhibits/torus_exchange.hpp"

namespace quadrille::papers {
namespace {

// Returns the number of vertices of group G10 in the first quadrant of vertex (0, 0), as the paper defines
// the group and the quadrant.
Count in_first_quadrant(Count rows, Count columns) {
  Count count = 0;
  for (Count x = 0; x <= rows / 2; ++x)
    for (Count y = 0; y <= columns / 2; ++y) count += x % 2 == 1 && y % 2 == 0 ? 1 : 0;
  return count;
}

Reproduction make_liu2005_table1(const Making&) {
  Reproduction made{.remarks = {"Misprints that concern no number, some of which may be the transcript's: 0 <= y <= r - 1 should "
                                "end with c - 1; in the set A after phase 1 the offsets c/2 and r/2 are exchanged, and A is a "
                                "multiset; in figure 5 the lower port's set is missing, the other ports have T, L and B instead of "
                                "R, T and L, T* and L* are printed twice, and y = (y0 mod 2) means y = y0 (mod 2)."}};
  Sheet sheet{.columns = {"rows", "columns", "blocks per port, step 1", "3rc/16", "blocks per port, step 2", "rc/16"}};
  for (const auto& [rows, columns] : {std::pair<Count, Count>{4, 4}, {4, 8}, {8, 8}, {8, 12}, {12, 12}, {16, 16}}) {
    const std::vector<Bytes> longest = longest_by_round(torus_exchange({rows, columns}, 1, "torus:order=at2,kernel=ar"));
    sheet.rows.push_back({rows, columns, longest.at(0), 3 * rows * columns / 16, longest.at(1), rows * columns / 16});
    const Number all = rows * columns;
    made.equal(fmt::format("{}x{}: blocks per port, step 1, rc/8 + rc/16", rows, columns), all / 8 + all / 16, longest.at(0),
               "table I and section IV.B");
    made.equal(fmt::format("{}x{}: blocks per port, step 2, rc/16", rows, columns), all / 16, longest.at(1),
               "table I and section IV.B");
  }
  made.sheets.push_back(std::move(sheet));
  made.equal("8x8: vertices of G10 in QI, to which the lower port's rc/8 blocks go according to the paper", 8,
             in_first_quadrant(8, 8), "table I and section IV.A")
      .found(Outcome::misprint, 6,
             "QI has r/4 (c/4 + 1) of them; the set B of figure 5 has those in QI and QIV, and so on for the other ports");
  return made;
}

}  // namespace

extern const Exhibit liu2005_table1{
    .id = "liu2005-table1",
    .title = "Phase 1 of the exchange on a torus, port by port",
    .source = "liu2005, table I",
    .about = "the longest messages of the first two rounds",
    .make = make_liu2005_table1,
};

}  // namespace quadrille::papers
