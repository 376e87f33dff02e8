// SPDX-License-Identifier: BSD-3-Clause
#include "cost/windows.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "quadrille/indexed.hpp"
#include "schedule/composition.hpp"
#include "schedule/dependence.hpp"
#include "schedule/ordering.hpp"

namespace quadrille {
namespace {

constexpr Count most_looked_at = Count{1} << 20;  // operations of programs, whose dependences take about a second

// Two neighbouring rounds of a program that must not be joined: a window must begin after round `after`, and at round `before` or
// earlier.
struct Gap {
  Count before = 0, after = 0;
};

class WindowSearch {
 public:
  explicit WindowSearch(const Schedule& schedule) : schedule_(schedule) {}

  // Returns the numbers of the rounds at which windows begin, in ascending order.
  std::vector<Count> run() && {
    if (schedule_.symmetry) {
      for (const Rank rank : schedule_.symmetry->representatives()) look_at(rank);
    } else {
      const Count ranks = schedule_.problem.ranks;
      Count step = std::max<Count>(1, ranks * 5 / 8);  // coprime to `ranks`, so that it visits every rank
      while (std::gcd(step, ranks) != 1) ++step;
      Rank rank = 0;
      for (Count i = 0; i < ranks && looked_at_ < most_looked_at; ++i, rank = (rank + step) % ranks) look_at(rank);
    }
    std::sort(gaps_.begin(), gaps_.end(), [](const Gap& a, const Gap& b) { return a.before < b.before; });
    std::vector<Count> begins;
    for (const Gap& gap : gaps_)
      if (begins.empty() || begins.back() <= gap.after) begins.push_back(gap.before);
    return begins;
  }

 private:
  void look_at(Rank rank) {
    const Program program = in_posting_order(schedule_.program(rank));
    if (looked_at_ == 0)
      for (const Stage& stage : program.stages) gaps_.push_back({stage.first_round, stage.first_round - 1});
    const DependenceGraph graph = dependences(program);
    looked_at_ += 1 + size(graph.operations);
    const std::vector<std::size_t> window = windows(program, graph, Policy::nonblocking);
    const Round* last = nullptr;  // the last round with a message
    std::size_t its_window = 0;
    for (std::size_t i = 0; i < program.rounds.size(); ++i) {
      const Round& round = program.rounds[i];
      if (round.sends.empty() && round.receives.empty()) continue;
      if (last && window[i] != its_window) gaps_.push_back({round.number, last->number});
      last = &round, its_window = window[i];
    }
  }

  const Schedule& schedule_;
  std::vector<Gap> gaps_;
  Count looked_at_ = 0;
};

Program with_rounds_joined(const Program& program, const std::vector<Count>& begins) {
  Program joined{.rank = program.rank, .scratch_bytes = program.scratch_bytes, .stages = program.stages, .rounds = {}};
  const auto append = [](auto& list, const auto& more) { list.insert(list.end(), more.begin(), more.end()); };
  for (const Round& round : program.rounds) {
    const auto behind = std::upper_bound(begins.begin(), begins.end(), round.number);
    const Count number = behind == begins.begin() ? 0 : *std::prev(behind);
    if (joined.rounds.empty() || joined.rounds.back().number != number) joined.rounds.push_back({.number = number});
    Round& whole = joined.rounds.back();
    append(whole.sends, round.sends), append(whole.receives, round.receives);
    append(whole.control_sends, round.control_sends), append(whole.control_receives, round.control_receives);
  }
  return joined;
}

}  // namespace

std::vector<Count> window_begins(const Schedule& schedule) { return WindowSearch(schedule).run(); }

Schedule with_windows_as_rounds(const Schedule& schedule, std::vector<Count> begins) {
  Schedule joined = schedule;
  joined.program = [program = schedule.program, begins = std::move(begins)](Rank rank) {
    return with_rounds_joined(program(rank), begins);
  };
  return joined;
}

}  // namespace quadrille
