// SPDX-License-Identifier: BSD-3-Clause
// The bounds of the index operation of [bruck1997], of its rounds and of its volume.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "papers/exhibit.hpp"
#include "papers/problems.hpp"
#include "quadrille/cost.hpp"

namespace quadrille::papers {
namespace {

// Checks the bounds of the index operation, and the paper's statements about special cases, for many n, r and k.

Schedule index_operation(Count n, Count radix, Count ports) {
  return make_schedule(Problem::alltoall(n, 1), fmt::format("bruck:radix={},ports={}", radix, ports));
}

Count ceil_of(Count a, Count b) { return (a + b - 1) / b; }

// The largest of the lower bounds on a figure, "c1" or "c2", perhaps in a given number of rounds.
Count bound_on(std::string_view figure, const Problem& problem, Count ports, std::optional<Count> rounds = {}) {
  Count most = 0;
  for (const Bound& bound : lower_bounds(problem, ports, rounds))
    if (bound.figure == figure) most = std::max(most, bound.value);
  return most;
}

// Returns the number of slots whose digit at `place` is `digit`. In the classical form they travel in one message. With several
// ports, a round sends the slots of several digits; the lowest of these digits has the most slots.
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
  Count volume_by_closed_form = 0;  // cases with several ports in which the closed form exceeds the bound
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
  Sheet& sheet = made.add_sheet({.columns = {"n", "ports", "radix", "rounds", "blocks a port carries", "lower bound on rounds",
                                             "lower bound on blocks", "lower bound on blocks in this number of rounds"}});
  for (const auto& [n, k, r] : std::vector<std::tuple<Count, Count, Count>>{
           {5, 1, 2}, {5, 2, 3}, {6, 2, 3}, {8, 1, 2}, {9, 2, 3}, {64, 1, 2}, {64, 1, 8}, {64, 1, 64}, {64, 3, 4}}) {
    const Figures counted = figures(index_operation(n, r, k));
    const Problem problem = Problem::alltoall(n, 1);
    sheet.rows.push_back({n, k, r, counted.c1, counted.c2, bound_on("c1", problem, k), bound_on("c2", problem, k),
                          bound_on("c2", problem, k, counted.c1)});
  }

  const auto at = [](Count n, Count r, Count k) { return figures(index_operation(n, r, k)); };
  made.equal("theorem 2.5, n = 64, one port: blocks a port carries with radix 2, n/2 log2 n", 192, at(64, 2, 1).c2,
             "section 2.3, theorem 2.5");
  made.equal("theorem 2.5, n = 64, three ports: blocks a port carries with radix 4, n/4 log4 n", 48, at(64, 4, 3).c2,
             "section 2.3, theorem 2.5");
  made.equal("theorem 2.6, n = 64, one port: rounds with radix n, n - 1", 63, at(64, 64, 1).c1, "section 2.3, theorem 2.6");
  made.equal("section 3.3, n = 64, one port: blocks a port carries with radix n, n - 1", 63, at(64, 64, 1).c2, "section 3.3 (2)");

  const Count most = 100;
  const Violations found = violations(most, making);
  made.equal("cases with more rounds than ceil((r-1)/k) ceil(log_r n)", 0, found.rounds, "section 3.4");
  made.equal("cases on one port with more blocks than (r-1) ceil(n/r) ceil(log_r n)", 0, found.volume_of_one_port, "section 3.2");
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
  made.at_least("bytes a port carries for n = 5, k = 3, blocks of one byte and radix n: at least b (n-1)/k", 4.0 / 3,
                at(5, 5, 3).c2, "proposition 2.4")
      .found(Outcome::sharper_bound, bound_on("c2", Problem::alltoall(5, 1), 3),
             "a byte cannot be split, so the quotient can be rounded up");
  return made;
}

// Checks theorems 2.7 and 2.9, which bound the volume of the index operation in few rounds. The constants are taken from the
// theorems' proofs and compared with the volumes of our schedules.

// Blocks have as many bytes as there are ports, so that bounds on the bytes of a port are whole numbers.
Figures compound_index(Count n, Count radix, Count ports) {
  return figures(make_schedule(Problem::alltoall(n, ports), fmt::format("bruck:radix={},ports={}", radix, ports)));
}

// The proof of theorem 2.7 counts hops: after T rounds, at most C(T, f) k^f blocks of a rank can have made f hops.
double hops_bound(Count n, Count ports, Count rounds) {
  return ratio(bound_on("c2", Problem::alltoall(n, ports), ports, rounds), ports);
}

// Theorem 2.7: ceil(log_(k+1) n) rounds, for all n, with radix k + 1.
void compare_fewest_rounds(Reproduction& made, const Making& making) {
  Sheet& sheet = made.add_sheet({.name = "fewest-rounds", .columns = {"n", "one port", "two ports", "three ports", "four ports"}});
  Extremes volume_over_proof, volume_over_bound, proof_over_bound;
  const Count last = making.small ? 64 : 512;
  for (Count n = 8; n <= last; ++n) {
    std::vector<Cell> row{n};
    for (Count k = 1; k <= 4; ++k) {
      const Figures counted = compound_index(n, k + 1, k);
      const double blocks = ratio(counted.c2, k);
      const double logarithm = std::log(Number(n)) / std::log(Number(k + 1));
      const double bound = ratio(n, k + 1) * logarithm;
      const double proof = hops_bound(n, k, counted.c1);
      volume_over_proof.add(blocks / proof);
      volume_over_bound.add(blocks / bound);
      proof_over_bound.add(proof / bound);
      row.emplace_back(blocks / bound);
    }
    sheet.rows.push_back(std::move(row));
  }
  Panel& panel =
      made.add_panel({.title = "theorem 2.7: C2 over b n/(k+1) log_(k+1) n", .x_label = "n", .y_label = "ratio", .log_x = true});
  for (std::size_t k = 1; k <= 4; ++k) panel.curves.push_back({k, sheet.columns[k]});
  const std::string range = fmt::format("n from 8 to {}, one to four ports, fewest rounds", last);
  made.at_least(range + ": C2 over the number of hops that the proof counts, minimum", 1, volume_over_proof.least,
                "section 2.3, proof of theorem 2.7");
  made.at_least(range +
                    ": the proof's hops over b n/(k+1) log_(k+1) n, minimum (\"Omega\" is read as a factor of 1/4: half of the "
                    "ranks need half of the rounds)",
                0.25, proof_over_bound.least, "section 2.3, theorem 2.7")
      .reading();
  made.at_most(range +
                   ": C2 over b n/(k+1) log_(k+1) n, maximum (4 is allowed, because rounding up at most doubles n/(k+1) and the "
                   "logarithm)",
               4, volume_over_bound.most, "section 2.3, theorem 2.7")
      .reading();
}

// Lemma 2.8, about a distribution from one rank: a rank that first gets data after j rounds is in S_j; the weight of the rank is
// the number of hops of these data. Slot s of the index operation with radix k + 1 is the rank at distance s.
void compare_weights(Reproduction& made, const Making& making) {
  double most = -1e300;
  Count attained = 0, classes = 0;
  for (Count k = 1; k <= 4; ++k)
    for (Count n = k + 1; n <= (making.small ? 16 : 128); ++n) {
      const Schedule schedule =
          make_schedule(Problem::alltoall(n, 1), fmt::format("bruck:radix={},ports={},form=classical", k + 1, k));
      std::map<Bytes, std::vector<Count>> hops;  // by slot: the rounds in which the slot moves
      for (const Move& move : moves_of(schedule, 0))
        for (const Bytes slot : move.places) hops[slot].push_back(move.round);
      const Count first = hops.begin()->second.front(), rounds = ceil_log(n, k + 1);
      const bool is_power = n == static_cast<Count>(std::llround(std::pow(k + 1, rounds)));
      for (Count j = 1; j <= rounds; ++j) {
        std::map<std::size_t, Count> ranks{{0, 1}};  // by weight; the rank itself has weight 0
        for (const auto& [slot, list] : hops)
          if (list.back() - first < j) ++ranks[list.size()];
        double largest = 1;  // C(j, f) k^f
        for (Count f = 0; f <= j; largest *= ratio((j - f) * k, f + 1), ++f) {
          most = std::max(most, Number(ranks[index(f)]) - largest);
          if (is_power) ++classes, attained += Number(ranks[index(f)]) == largest ? 1 : 0;
        }
        for (const auto& [weight, count] : ranks)
          if (weight > index(j)) most = std::max<double>(most, Number(count));
      }
    }
  const char* words = "\"There are no more than C(j, f) k^f nodes of weight f in S_j\"";
  made.at_most(fmt::format("n up to 128, one to four ports: nodes of weight f in S_j minus C(j, f) k^f, maximum ({})", words), 0,
               most, "lemma 2.8");
  made.equal("powers of k + 1 among them: classes j, f that have as many nodes", classes, attained, "lemma 2.8");
}

// Theorem 2.9: one port, at most c log2 n rounds. Half of a rank's blocks make at least h hops, where h is the smallest number with
// sum_(j<=h) C(c log n, j) >= n/2. By lemma C.1, h is at least min(m/64, m / (8 log c)) for m = log(n/2).
void compare_logarithmic_rounds(Reproduction& made) {
  Sheet& sheet = made.add_sheet({.name = "logarithmic-rounds", .columns = {"n", "c = 1", "c = 2", "c = 3", "c = 4"}});
  Extremes over_lemma, over_bound;
  for (Count log_n = 3; log_n <= 12; ++log_n) {
    const Count n = Count{1} << log_n;
    std::vector<Cell> row{n};
    for (Count c = 1; c <= 4; ++c) {
      double least = 1e300;  // least volume, in blocks, over all radices with at most c log2 n rounds
      for (Count radix = 2; radix <= std::min<Count>(n, 64); ++radix)
        if (const Figures counted = compound_index(n, radix, 1); counted.c1 <= c * log_n)
          least = std::min<double>(least, Number(counted.c2));
      const Number m = log_n - 1, all = n * log_n;
      const double hops = c == 1 ? m / 64 : std::min(m / 64, m / (8 * std::log2(Number(c))));
      over_lemma.add(least / (Number(n) / 2 * hops));
      over_bound.add(least / all);
      row.emplace_back(least / all);
    }
    sheet.rows.push_back(std::move(row));
  }
  Panel& panel =
      made.add_panel({.title = "theorem 2.9: C2 over b n log2 n, best radix", .x_label = "n", .y_label = "ratio", .log_x = true});
  for (std::size_t c = 1; c <= 4; ++c) panel.curves.push_back({c, fmt::format("C1 at most {} log2 n", c)});
  const std::string range = "n from 8 to 4096, one port, at most c log2 n rounds, c from 1 to 4";
  made.at_least(range + ": C2 over b n/2 min(m/64, m/(8 log c)), where m = log2(n/2), minimum", 1, over_lemma.least,
                "section 2.3, proof of theorem 2.9, and lemma C.1");
  made.at_least(range + ": C2 of the best radix over b n log2 n, minimum (\"Omega(b n log n)\"; 1/256 by the lemma's constants)",
                1.0 / 256, over_bound.least, "section 2.3, theorem 2.9")
      .reading();
  made.at_most(range + ": C2 of the best radix over b n log2 n, maximum (radix 2 has half of b n log2 n)", 0.5, over_bound.most,
               "section 3.3")
      .reading();
}

Reproduction make_bruck1997_compound(const Making& making) {
  Reproduction made{.remarks = {"The theorems bound all algorithms. The ratios stay between constants, so the bounds are tight up "
                                "to a constant factor."}};
  compare_fewest_rounds(made, making);
  compare_weights(made, making);
  making.show("theorem 2.9");
  compare_logarithmic_rounds(made);
  return made;
}

}  // namespace

extern const Exhibit bruck1997_bounds{
    .title = "Bounds of the index operation",
    .source = "bruck1997, sections 2 and 3",
    .about = "the table shows some figures with their lower bounds; the comparisons cover all radices on up to eight ports",
    .make = make_bruck1997_bounds,
};

extern const Exhibit bruck1997_compound{
    .title = "Compound lower bounds of the index operation",
    .source = "bruck1997, theorems 2.7 and 2.9 and lemma 2.8, section 2.3",
    .about =
        "the bytes that a port carries in few rounds, counted from schedules and divided by the bounds with the constants of their "
        "proofs",
    .make = make_bruck1997_compound,
};

}  // namespace quadrille::papers
