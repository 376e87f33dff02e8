// SPDX-License-Identifier: BSD-3-Clause
// Checks how the last round of the concatenation is cut into areas, and when the result is not optimal.
#include "papers/exhibit.hpp"
#include "papers/machines.hpp"
#include "papers/moves.hpp"
#include "patterns/concatenation.hpp"
#include "quadrille/cost.hpp"

namespace quadrille::papers {
namespace {

Schedule bruck1997_table1_concatenation(Count n, Count ports, Bytes block_bytes) {
  return make_schedule(problem_of(Collective::allgather, n, block_bytes),
                       fmt::format("concatenation:ports={},last=one-round", ports));
}

// The table as printed: for each byte of p3 .. p9, the number of its area.
void cut(Reproduction& made) {
  const Count first = 3, columns = 7, rows = 3, ports = 3;
  const TablePartition partition = partition_table(columns, rows, ports, first);
  Sheet sheet{.columns = {"byte"}};
  for (Count column = 0; column < columns; ++column) sheet.columns.push_back(fmt::format("p{}", first + column));
  for (Count row = 0; row < rows; ++row) {
    auto& cells = sheet.rows.emplace_back(std::vector<Cell>{row});
    for (Count column = 0; column < columns; ++column)
      for (std::size_t area = 0; area < partition.areas.size(); ++area)
        if (const Count cell = column * rows + row; cell >= partition.areas[area].first && cell < partition.areas[area].last)
          cells.emplace_back(static_cast<Count>(area + 1));
  }
  made.sheets.push_back(std::move(sheet));
  const Count offsets[] = {3, 5, 7};
  for (std::size_t area = 0; area < 3; ++area) {
    const TableArea& ours = partition.areas.at(area);
    made.equal(fmt::format("offset of area A{}", area + 1), offsets[area], ours.offset, "section 4.2 and table 1");
    made.equal(fmt::format("bytes in area A{}", area + 1), 7, ours.last - ours.first, "section 4.2 and table 1");
  }
}

// Returns true if section 4.2 does not claim that the algorithm is optimal for these values.
bool in_range(Count n, Count k, Bytes b) {
  Count power = 1;
  while (power < n) power *= k + 1;
  return b >= 3 && k >= 3 && n > power - k && n < power;
}

// Returns true if, within that range, the largest of k areas must have more than ceil(b n2/k) bytes. Let t = (k+1)^d - n, e0 =
// floor(b t/k) and q = ceil(b/(b-e)). The largest area must exceed these bytes by e0 - max{e <= e0: b (q-1) floor(k/q) + (k mod q)
// e <= b t}. The formula agrees with an exhaustive search.
bool must_exceed(Count n, Count k, Bytes b) {
  Count power = 1;
  while (power < n) power *= k + 1;
  const Count missing = b * (power - n), share = missing / k;
  for (Bytes e = share; e >= 0; --e) {
    const Count q = (b + b - e - 1) / (b - e);
    if (b * (q - 1) * (k / q) + k % q * e <= missing) return e < share;
  }
  return true;
}

struct Excess {
  Count not_optimal = 0, in_the_range = 0, in_the_exact_range = 0, not_optimal_outside = 0;
  Bytes beyond_bound = 0;  // the most bytes by which a volume exceeds the lower bound plus b - 1
};

Excess excess(const Making& making) {
  Excess result;
  for (Count k = 3; k <= 10; ++k) {
    making.show(fmt::format("last rounds on {} ports", k));
    for (Count power = k + 1; power - k + 1 <= (k <= 6 ? 1500 : 400); power *= k + 1)
      for (Count n = power - k; n <= std::min<Count>(power, k <= 6 ? 1500 : 400); ++n)
        for (Bytes b = 3; b <= 24; ++b) {
          if (n <= k + 1) continue;  // a single round suffices
          const Bytes more = figures(bruck1997_table1_concatenation(n, k, b)).c2 - (b * (n - 1) + k - 1) / k;
          if (in_range(n, k, b)) {
            ++result.in_the_range;
            result.in_the_exact_range += must_exceed(n, k, b) ? 1 : 0;
            result.not_optimal += more > 0 ? 1 : 0;
            result.beyond_bound = std::max(result.beyond_bound, more - (b - 1));
          } else {
            result.not_optimal_outside += more > 0 ? 1 : 0;
          }
        }
  }
  return result;
}

Reproduction make_bruck1997_table1(const Making& making) {
  Reproduction made;
  cut(made);
  const std::vector<Move> ten = moves_of(bruck1997_table1_concatenation(10, 3, 3), 0);
  const auto first_round = std::count_if(ten.begin(), ten.end(), [&](const Move& move) { return move.round == ten.front().round; });
  made.equal("n1 of the example with n = 10 and k = 3", 3, 1 + first_round, "section 4.2 and table 1")
      .found(Outcome::misprint, 4,
             "section 4 defines n1 as (k+1)^(d-1), which is 4, so that n2 is 6; the table shows a valid cut, but not one that "
             "occurs in this algorithm");
  const std::vector<Move> four = moves_of(bruck1997_table1_concatenation(4, 2, 2), 0);
  const auto last = std::count_if(four.begin(), four.end(), [&](const Move& move) { return move.round == four.back().round; });
  made.equal(
          "processors addressed in the last round for n = 4, k = 2 and b = 2, if each offset \"is determined by the index of the "
          "leftmost column\"",
          1, last, "section 4.2, p. 1152")
      .found(Outcome::paper_is_wrong, 2,
             "both areas begin in the same column, but by section 1.2 the ports send to different processors; with offsets that "
             "differ, theorem 4.3 holds");
  const Excess counted = excess(making);
  made.equal("cases outside the range of theorem 4.3 that are not optimal", 0, counted.not_optimal_outside, "theorem 4.3");
  made.at_most("bytes by which the volume exceeds the lower bound plus b - 1, maximum in the range", 0, counted.beyond_bound,
               "remark after theorem 4.3");
  made.at_most(
          "cases that are not optimal: at most all cases in that range (k up to 10, b up to 24, n up to 1500, or 400 if k is 7 or "
          "more)",
          counted.in_the_range, counted.not_optimal, "theorem 4.3")
      .found(Outcome::sharper_bound, counted.in_the_exact_range,
             "theorem 4.3 promises nothing inside the range; a closed form says which of its cases cannot be optimal in one last "
             "round");
  return made;
}

}  // namespace

extern const Exhibit bruck1997_table1{
    .id = "bruck1997-table1",
    .title = "The last round of the concatenation cut into areas",
    .source = "bruck1997, table 1, proposition 4.2 and theorem 4.3",
    .about = "the table shows the area to which each byte belongs",
    .make = make_bruck1997_table1,
};

}  // namespace quadrille::papers
