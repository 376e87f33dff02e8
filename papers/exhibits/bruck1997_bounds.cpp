// SPDX-License-Identifier: BSD-3-Clause
// Checks the bounds of the index operation, and the paper's statements about special cases, for many n, r and k.
#include <fmt/format.h>

#include <algorithm>

#include "papers/exhibit.hpp"
#include "papers/machines.hpp"
#include "quadrille/cost.hpp"

namespace quadrille::papers {
namespace {

Schedule index_operation(Count n, Count radix, Count ports) {
  return make_schedule(Problem::alltoall(n, 1), fmt::format("bruck:radix={},ports={}", radix, ports));
}

Count ceil_log(Count n, Count base) {
  Count digits = 0;
  for (Count power = 1; power < n; power *= base) ++digits;
  return digits;
}

Count ceil_of(Count a, Count b) { return (a + b - 1) / b; }

Bytes longest_message(const Schedule& schedule) {
  Bytes longest = 0;
  for (const StageFigures& stage : stage_figures(schedule))
    for (const RoundFigures& round : stage.rounds) longest = std::max(longest, round.longest);
  return longest;
}

// Returns the number of slots whose digit at `place` is `digit`. In the classical form they travel in one message. With several
// ports, a round sends the slots of several digits; its lowest digit has the most slots.
Count slots(Count n, Count radix, Count place, Count digit) {
  const Count period = place * radix;
  return n / period * place + std::clamp<Count>(n % period - digit * place, 0, place);
}

Count closed_form_volume(Count n, Count radix, Count ports) {
  Count volume = 0;
  for (Count place = 1; place < n; place *= radix)
    for (Count digit = 1; digit < radix && digit * place < n; digit += ports) volume += slots(n, radix, place, digit);
  return volume;
}

struct Violations {
  Count cases = 0, rounds = 0, volume_of_one_port = 0, volume = 0;
  Count volume_by_closed_form = 0;  // with several ports
};

Violations violations(Count most, const Making& making) {
  Violations found;
  for (Count n = 2; n <= most; ++n) {
    making.show(fmt::format("bounds among {} processors", n));
    for (Count k = 1; k <= std::min<Count>(8, n - 1); ++k)
      for (Count r = 2; r <= n; ++r) {
        const Figures counted = figures(index_operation(n, r, k));
        const Count w = ceil_log(n, r), steps = ceil_of(r - 1, k);
        ++found.cases;
        found.rounds += counted.c1 > steps * w ? 1 : 0;
        const Count bound = steps * ceil_of(n, r) * w;
        if (k > 1 && closed_form_volume(n, r, k) > bound) ++found.volume_by_closed_form;
        if (counted.c2 > bound) ++(k == 1 ? found.volume_of_one_port : found.volume);
      }
  }
  return found;
}

// Returns the figures of the radix with the fewest rounds and, among these, the smallest volume.
Figures best_of(Count n, Count ports, bool multiples_only) {
  Figures best{.c1 = n, .c2 = n * n};
  for (Count r = 2; r <= n; ++r) {
    if (multiples_only && (r - 1) % ports != 0) continue;
    const Figures counted = figures(index_operation(n, r, ports));
    if (std::pair(counted.c1, counted.c2) < std::pair(best.c1, best.c2)) best = counted;
  }
  return best;
}

Reproduction make_bruck1997_bounds(const Making& making) {
  Reproduction made;
  Sheet sheet{.columns = {"n", "ports", "radix", "rounds", "blocks a port carries", "lower bound on rounds",
                          "lower bound on blocks", "lower bound on blocks in this number of rounds"}};
  for (const auto& [n, k, r] : std::vector<std::tuple<Count, Count, Count>>{
           {5, 1, 2}, {5, 2, 3}, {6, 2, 3}, {8, 1, 2}, {9, 2, 3}, {64, 1, 2}, {64, 1, 8}, {64, 1, 64}, {64, 3, 4}}) {
    const Figures counted = figures(index_operation(n, r, k));
    Count rounds = 0, blocks = 0, compound = 0;
    for (const Bound& bound : lower_bounds(Problem::alltoall(n, 1), k)) (bound.figure == "c1" ? rounds : blocks) = bound.value;
    for (const Bound& bound : lower_bounds(Problem::alltoall(n, 1), k, counted.c1))
      if (bound.figure == "c2") compound = std::max(compound, bound.value);
    sheet.rows.push_back({n, k, r, counted.c1, counted.c2, rounds, blocks, compound});
  }
  made.sheets.push_back(std::move(sheet));

  const auto at = [](Count n, Count r, Count k) { return figures(index_operation(n, r, k)); };
  const auto equal = [&](const char* what, double paper, Count ours, const char* place) { made.equal(what, paper, ours, place); };
  equal("theorem 2.5, n = 64, one port: blocks a port carries with radix 2, n/2 log2 n", 192, at(64, 2, 1).c2,
        "section 2.3, theorem 2.5");
  equal("theorem 2.5, n = 64, three ports: blocks a port carries with radix 4, n/4 log4 n", 48, at(64, 4, 3).c2,
        "section 2.3, theorem 2.5");
  equal("theorem 2.6, n = 64, one port: rounds with radix n, n - 1", 63, at(64, 64, 1).c1, "section 2.3, theorem 2.6");
  equal("section 3.3, n = 64, one port: blocks a port carries with radix n, n - 1", 63, at(64, 64, 1).c2, "section 3.3 (2)");

  const Count most = 100;
  const Violations found = violations(most, making);
  equal("cases with more rounds than ceil((r-1)/k) ceil(log_r n)", 0, found.rounds, "section 3.4");
  equal("cases on one port with more blocks than (r-1) ceil(n/r) ceil(log_r n)", 0, found.volume_of_one_port, "section 3.2");
  made.equal(fmt::format("cases on 2 to 8 ports with more blocks than ceil((r-1)/k) ceil(n/r) ceil(log_r n), n to {}", most), 0,
             found.volume, "section 3.4")
      .found(Outcome::paper_is_wrong, found.volume_by_closed_form,
             "a round that sends several digit values takes as long as its longest message, which may have more than ceil(n/r) "
             "blocks; this is so even with every quotient rounded up, in case the transcript has lost the rounding");
  made.at_most("the smallest such case, n = 6, k = 2, r = 3: blocks a port carries", 4, at(6, 3, 2).c2, "section 3.4")
      .found(Outcome::paper_is_wrong, 5, "the second digit is 1 for blocks 3, 4 and 5, so the second round carries 3 blocks");
  made.at_most("blocks of the longest message for n = 6 and r = 3, ceil(n/r)", 2, longest_message(index_operation(6, 3, 1)),
               "section 3.2")
      .found(Outcome::paper_is_wrong, 3,
             "the bound holds for r = 2 and if n is a power of r; the bound that always holds is floor(n/2)");
  made.equal(
          "fewest blocks in the fewest rounds for n = 6 and k = 3: paper with (r - 1) mod k = 0, which it \"clearly\" requires, "
          "ours with any r",
          best_of(6, 3, true).c2, best_of(6, 3, false).c2, "section 3.4")
      .found(Outcome::paper_is_wrong, 2, "radix 6 also takes two rounds, and carries fewer blocks");
  Count least = 0;
  for (const Bound& bound : lower_bounds(Problem::alltoall(5, 1), 3))
    if (bound.figure == "c2") least = bound.value;
  made.at_least("bytes a port carries for n = 5, k = 3, blocks of one byte and radix n: at least b (n-1)/k", 4.0 / 3,
                at(5, 5, 3).c2, "proposition 2.4")
      .found(Outcome::sharper_bound, least, "a byte cannot be split, so the quotient can be rounded up");
  return made;
}

}  // namespace

extern const Exhibit bruck1997_bounds{
    .id = "bruck1997-bounds",
    .title = "Bounds of the index operation",
    .source = "bruck1997, sections 2 and 3",
    .about = "the table shows some figures with their lower bounds; the comparisons cover all radices on up to eight ports",
    .make = make_bruck1997_bounds,
};

}  // namespace quadrille::papers
