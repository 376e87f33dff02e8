// SPDX-License-Identifier: BSD-3-Clause
#include "cost/windows.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "cost/work.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/composition.hpp"
#include "schedule/dependence.hpp"
#include "schedule/ordering.hpp"

namespace quadrille {
namespace {

constexpr Count most_looked_at = Count{1} << 20;  // operations of programs, whose dependences take about a second
constexpr Count most_kept = Count{1} << 18;       // operations of programs that are kept

// Two neighbouring rounds of a program that must not be joined: a window must begin after round `after`, and at round `before` or
// earlier.
struct Gap {
  Count before = 0, after = 0;
};

class WindowSearch {
 public:
  explicit WindowSearch(const Schedule& schedule) : schedule_(schedule) {}

  Windows run() && {
    if (schedule_.symmetry) {
      for (const Rank rank : schedule_.symmetry->representatives()) look_at(rank);
    } else {
      for_each_spread(schedule_.problem.ranks, /*zero_first=*/true,
                      [&](Rank rank) { return look_at(rank), looked_at_ < most_looked_at; });
    }
    std::sort(gaps_.begin(), gaps_.end(), [](const Gap& a, const Gap& b) { return a.before < b.before; });
    for (const Gap& gap : gaps_)
      if (found_.begins.empty() || found_.begins.back() <= gap.after) found_.begins.push_back(gap.before);
    return std::move(found_);
  }

 private:
  void look_at(Rank rank) {
    Program made = schedule_.program(rank);
    const std::optional<Program> ordered = is_in_posting_order(made) ? std::nullopt : std::optional(in_posting_order(made));
    const Program& program = ordered ? *ordered : made;
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
    if (looked_at_ <= most_kept) found_.programs.emplace(rank, std::move(made));
  }

  const Schedule& schedule_;
  Windows found_;
  std::vector<Gap> gaps_;
  Count looked_at_ = 0;
};

}  // namespace

Windows find_windows(const Schedule& schedule) { return WindowSearch(schedule).run(); }

Program with_rounds_joined(Program program, const std::vector<Count>& begins) {
  const auto append = [](auto& list, auto& more) { std::move(more.begin(), more.end(), std::back_inserter(list)); };
  std::vector<Round> windows;
  for (Round& round : program.rounds) {
    const auto behind = std::upper_bound(begins.begin(), begins.end(), round.number);
    const Count number = behind == begins.begin() ? 0 : *std::prev(behind);
    if (windows.empty() || windows.back().number != number) windows.push_back({.number = number});
    Round& whole = windows.back();
    append(whole.sends, round.sends), append(whole.receives, round.receives);
    append(whole.control_sends, round.control_sends), append(whole.control_receives, round.control_receives);
  }
  program.rounds = std::move(windows);
  return program;
}

}  // namespace quadrille
