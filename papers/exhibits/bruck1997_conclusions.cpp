// SPDX-License-Identifier: BSD-3-Clause
// Which radix and algorithm [bruck1997] calls better in which case, compared with the choice of a plan on an SP-1.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "papers/exhibits/conclusions.hpp"
#include "papers/problems.hpp"
#include "quadrille/cost.hpp"

namespace quadrille::papers {
namespace {

constexpr Count n = 64;

Planner on_sp1(Collective collective, Bytes bytes) {
  return Planner({fmt::format("SP-1, {} ranks, {} of {} B", n, name(collective), bytes), problem_of(collective, n, bytes),
                  machine_of_paper("sp1")});
}

std::string with_radix(Count radix) { return fmt::format("bruck:radix={}", radix); }

Count best_radix(const Planner& planner, const std::vector<Count>& radices) {
  return *std::min_element(radices.begin(), radices.end(), [&](Count a, Count b) {
    return planner.seconds(with_radix(a), Policy::blocking) < planner.seconds(with_radix(b), Policy::blocking);
  });
}

// Figure 5 compares the best power of two with radices 2 and n, which are powers of two themselves. So the sentence always holds,
// and only the plan can fail.
void add_powers_of_two(Reproduction& made, const Making& making) {
  constexpr const char* place = "section 3.5, figure 5";
  for (const Bytes bytes :
       making.small ? std::vector<Bytes>{1, 1024} : std::vector<Bytes>{1, 4, 8, 16, 24, 32, 64, 128, 256, 512, 1024}) {
    making.show(fmt::format("index of {} B", bytes));
    Planner planner = on_sp1(Collective::alltoall, bytes);
    const Count power = best_radix(planner, {2, 4, 8, 16, 32, 64});
    planner.add(made, {.words = "The index algorithm with optimal power-of-two radix, as expected, is the best overall choice",
                       .place = place,
                       .better = with_radix(power)});
  }
}

void add_special_cases(Reproduction& made) {
  for (const auto& [bytes, radix, words] :
       {std::tuple{Bytes{1}, Count{2},
                   "r = 2 should be chosen when the start-up time of the underlying machine is relatively significant, and the "
                   "product of the block size b and the per-element transfer time is relatively small"},
        {Bytes{16384}, n, "r = n should be chosen when the start-up time is negligible"}}) {
    std::vector<Count> others;
    for (Count other = 2; other <= n; ++other)
      if (other != radix) others.push_back(other);
    Planner planner = on_sp1(Collective::alltoall, bytes);
    planner.add(
        made,
        {.words = words, .place = "section 3.3", .better = with_radix(radix), .than = with_radix(best_radix(planner, others))});
  }
}

// "Optimal" is about C1 and C2, so by the linear model the algorithm takes the least time of all.
void add_concatenation(Reproduction& made, const Making& making) {
  for (const Bytes bytes : {1, 1024, 65536}) {
    Planner planner = on_sp1(Collective::allgather, bytes);
    planner.add(made, {.words = "we present a concatenation algorithm that is optimal, for most values of n, in the number of "
                                "communication rounds and in the amount of data transferred",
                       .place = "abstract",
                       .better = "concatenation",
                       .than = fastest_of_all});
    planner.add(made, {.words = "This [folklore] algorithm is not optimal since it consists of C1 = 2 log2 n communication rounds "
                                "and transfers C2 = 2 b (n - 1) units of data",
                       .place = "section 4",
                       .better = "concatenation",
                       .than = "gather-broadcast"});
  }
  Count cases = 0, optimal = 0;
  for (Count ranks = 2; ranks <= (making.small ? 16 : 100); ++ranks)
    for (Count ports = 1; ports <= std::min<Count>(4, ranks - 1); ++ports)
      for (const Bytes bytes : {1, 8}) {
        const Problem problem = problem_of(Collective::allgather, ranks, bytes);
        const Figures counted = figures(make_schedule(problem, fmt::format("concatenation:ports={}", ports)));
        const std::vector<Bound> bounds = lower_bounds(problem, ports);
        ++cases;
        optimal += std::all_of(bounds.begin(), bounds.end(), [&](const Bound& bound) {
          return bound.value >= (bound.figure == "c1" ? counted.c1 : bound.figure == "c2" ? counted.c2 : 0);
        });
      }
  made.at_least(
          "share of n up to 100 on one to four ports, in blocks of 1 and 8 B, for which both C1 and C2 are the least (\"optimal, "
          "for most values of n\")",
          0.5, ratio(optimal, cases), "abstract")
      .reading();
}

Reproduction make_bruck1997_conclusions(const Making& making) {
  Reproduction made = conclusions_of(
      {"The paper's machine is fully connected, with one port, and the linear model holds (section 1.2). Section 3.5 also says "
       "where radix 2 and n break even, and how the best radix grows: bruck1997-fig5 and bruck1997-fig6.",
       "Figure 5 compares the best power of two with the radices 2 and 64, which are powers of two themselves. So its sentence is "
       "true by construction and has no verdict; the plan's time over that of the best power of two has one."});
  add_powers_of_two(made, making);
  add_special_cases(made);
  add_concatenation(made, making);
  return made;
}

}  // namespace

extern const Exhibit bruck1997_conclusions{
    .title = "Which radix is better when, and what a plan takes on an SP-1",
    .source = "bruck1997, abstract, and sections 3.3, 3.5 and 4",
    .about =
        "each sentence that says what is better when, with both times by the linear model, beside what a plan takes among all "
        "algorithms",
    .make = make_bruck1997_conclusions,
};

}  // namespace quadrille::papers
