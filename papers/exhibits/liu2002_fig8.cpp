// SPDX-License-Identifier: BSD-3-Clause
// The additional messages in arrays whose last row is incomplete.
#include <fmt/format.h>

#include "papers/exhibit.hpp"
#include "papers/exhibits/irregular.hpp"
#include "patterns/rank_array.hpp"

namespace quadrille::papers {
namespace {

Reproduction make_liu2002_fig8(const Making&) {
  Reproduction made;
  Sheet sheet{.columns = {"ranks", "from", "to", "for the column"}};
  for (const auto& [p, said] : {std::pair<Count, double>{18, 6}, {61, 15}}) {
    const RankArray array(p, RankArray::paper_columns(p));
    Count count = 0, elsewhere = 0;
    const StageTrace first =
        trace(make_schedule(make_traffic(p, {.kind = TrafficKind::equal, .typical = p}), irregular_algorithm(4))).at(0);
    for (const StageTrace::Sent& message : first.messages) {
      if (array.row_of(message.from) == array.row_of(message.to)) continue;
      ++count;
      elsewhere += array.row_of(message.to) == array.column_of(message.from) ? 0 : 1;
      if (p == 18) sheet.rows.push_back({p, message.from, message.to, array.column_of(message.to)});
    }
    made.equal(fmt::format("{} ranks: additional messages of stage I, r (C - r)", p), said, count,
               "section 3.2.2 (A) and figure 8");
    made.equal(fmt::format("{} ranks: additional messages that do not go from column i to row i", p), 0, elsewhere,
               "section 3.2.2 (A) and figure 8");
  }
  const RankArray array(19, RankArray::paper_columns(19));
  made.equal("19 ranks, 4 columns: complete rows, R - 1 = ceil(sqrt P) - 1 after rearranging", 4, array.rows() - 1,
             "section 3.2.2 (A)");
  made.equal("19 ranks before rearranging: complete rows, R - 1 = floor(sqrt P) - 2 as printed", 2, (19 + 4) / 5 - 1,
             "section 3.2.2 (A)")
      .found(Outcome::misprint, 3,
             "the sentence before has ceil(sqrt P) - 2, which is right, but still fewer than the r = 4 rows that are needed")
      .finding->is_transcript_in_doubt = true;
  made.sheets.push_back(std::move(sheet));
  return made;
}

}  // namespace

extern const Exhibit liu2002_fig8{
    .id = "liu2002-fig8",
    .title = "Additional messages in an incomplete array",
    .source = "liu2002, figure 8 and section 3.2.2",
    .about = "messages of stage I between different rows; the table shows those of 18 ranks",
    .make = make_liu2002_fig8,
};

}  // namespace quadrille::papers
