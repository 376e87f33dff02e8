// SPDX-License-Identifier: BSD-3-Clause
// What [bruck1997] says about when which radix and which algorithm is better, beside what a plan takes on an SP-1.
#include <fmt/format.h>

#include <algorithm>

#include "papers/exhibits/conclusions.hpp"
#include "papers/problems.hpp"
#include "quadrille/explain.hpp"

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

void add_concatenation(Reproduction& made) {
  for (const Bytes bytes : {1, 1024, 65536}) {
    Planner planner = on_sp1(Collective::allgather, bytes);
    planner.add(made, {.words = "we present a concatenation algorithm that is optimal, for most values of n, in the number of "
                                "communication rounds and in the amount of data transferred",
                       .place = "abstract",
                       .better = "concatenation"});
    planner.add(made, {.words = "The first is a simple folklore algorithm which consists of two phases",
                       .place = "section 4",
                       .better = "concatenation",
                       .than = "gather-broadcast"});
  }
}

Reproduction make_bruck1997_conclusions(const Making& making) {
  Reproduction made =
      conclusions_of({"The paper's machine is fully connected, with one port, and the linear model holds (section 1.2)."});
  constexpr const char* place = "section 3.5";
  std::vector<Count> every_radix;
  for (Count radix = 2; radix <= n; ++radix) every_radix.push_back(radix);
  Count decreases = 0, last_radix = 0;
  for (const Bytes bytes : making.small ? std::vector<Bytes>{1, 1024} : std::vector<Bytes>{1, 32, 64, 128, 256, 1024}) {
    making.show(fmt::format("index of {} B", bytes));
    Planner planner = on_sp1(Collective::alltoall, bytes);
    const Count power = best_radix(planner, {2, 4, 8, 16, 32, 64});
    planner.add(made, {.words = fmt::format("The index algorithm with optimal power-of-two radix, as expected, is the best overall "
                                            "choice (radix {})",
                                            power),
                       .place = place,
                       .better = with_radix(power),
                       .reason = "among all radices another one is better, and a cover of mixed radices may be better still; the "
                                 "paper compares powers of two"});
    const Count radix = best_radix(planner, every_radix);
    decreases += radix < last_radix ? 1 : 0;
    last_radix = radix;
  }
  made.equal(
      "sizes of 1 to 1024 B whose best radix of all is smaller than that of the size before (\"the minimal time of the curve tends "
      "to occur at a higher radix\")",
      0, decreases, place);
  const Problem problem = problem_of(Collective::alltoall, n, 1);
  const MachineCosts machine = machine_of_paper("sp1");
  const Flips flips = cheapest_by_block(problem, {parse_choice(problem, with_radix(2)), parse_choice(problem, with_radix(n))},
                                        *find_model("linear"), machine);
  const Count break_even = flips.list.size() == 2 ? flips.list[1].from : 0;
  made.at_least(
      "bytes of a block from which a choice between radix 2 and n takes n (\"the break-even point occurs at about 100 to "
      "200 bytes\")",
      100, break_even, place);
  made.at_most("the same", 200, break_even, place);
  on_sp1(Collective::alltoall, 1)
      .add(
          made,
          {.words =
               "C1 is an important measure when the communication start-up time is high, relative to the transfer time of one unit "
               "of data, and the message size per send/receive operation is relatively small",
           .place = "section 1.2",
           .better = with_radix(2)});
  on_sp1(Collective::alltoall, 16384)
      .add(made, {.words = "C2 is an important measure when the start-up time is small compared to the message size",
                  .place = "section 1.2",
                  .better = with_radix(n)});
  add_concatenation(made);
  return made;
}

}  // namespace

extern const Exhibit bruck1997_conclusions{
    .id = "bruck1997-conclusions",
    .title = "Which radix is better when, and what a plan takes on an SP-1",
    .source = "bruck1997, sections 1.2, 3.5 and 4",
    .about =
        "each sentence that says what is better when, with both times by the linear model, beside what a plan takes among all "
        "algorithms",
    .make = make_bruck1997_conclusions,
};

}  // namespace quadrille::papers
