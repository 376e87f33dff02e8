// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/simulate.hpp"

#include <algorithm>
#include <limits>

#include "foundation/assert.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

// Simulates one late rank: it enters when all ranks would have left if it were punctual. A rank that waits for the late rank
// leaves after the late rank has entered; the delay is the time between these two events.
class LateRank {
 public:
  LateRank(const Schedule& schedule, const MessageTimes& times, Policy policy)
      : schedule_(schedule),
        times_(times),
        policy_(policy),
        punctual_(simulate_events(schedule, times, {.policy = policy})),
        late_by_(add_times(punctual_.end, 1)) {}

  Count messages() const { return punctual_.messages; }

  // Returns by rank the delay after the entry of `late`.
  std::vector<double> delays_after(Rank late) const {
    std::vector<Picoseconds> begins(index(schedule_.problem.ranks), 0);
    begins[index(late)] = late_by_;
    const EventSimulation simulation = simulate_events(schedule_, times_, {.policy = policy_, .rank_begins = std::move(begins)});
    std::vector<double> delays;
    delays.reserve(simulation.rank_ends.size());
    for (const Picoseconds end : simulation.rank_ends) delays.push_back(end < late_by_ ? never : seconds_of(end - late_by_));
    return delays;
  }

 private:
  const Schedule& schedule_;
  const MessageTimes& times_;
  const Policy policy_;
  const EventSimulation punctual_;
  const Picoseconds late_by_;
};

}  // namespace

ExitDelays::ExitDelays(Count ranks, std::vector<double> delays)
    : ranks_(ranks), delays_(std::move(delays)), together_(*std::max_element(delays_.begin(), delays_.end())) {
  QUADRILLE_ASSERT(delays_.size() == index(ranks) * index(ranks));
}

std::optional<double> ExitDelays::delay(Rank exits, Rank enters) const {
  const double delay = delays_[index(enters) * index(ranks_) + index(exits)];
  return delay == never ? std::nullopt : std::optional(delay);
}

ExitDelays ExitDelays::scaled(double factor) const {
  std::vector<double> delays = delays_;
  for (double& delay : delays) delay *= factor;
  return {ranks_, std::move(delays)};
}

void ExitDelays::exits(std::span<const double> entries, std::span<double> exits) const {
  const std::size_t ranks = index(ranks_);
  std::fill(exits.begin(), exits.end(), never);
  for (std::size_t enters = 0; enters < ranks; ++enters) {
    const double entry = entries[enters];
    const double* const delays = &delays_[enters * ranks];
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const double exit = entry + delays[rank];
      exits[rank] = exits[rank] < exit ? exit : exits[rank];
    }
  }
}

ExitDelays exit_delays(const Schedule& schedule, const MessageTimes& times, const ExitDelayOptions& options) {
  const Count ranks = schedule.problem.ranks;
  const auto p = index(ranks);
  const LateRank simulated(schedule, times, options.policy);
  std::vector<double> delays(p * p);
  std::vector<double> after;  // of `late`
  Rank late = -1;
  const auto simulate = [&](Rank rank) {
    if (late == rank) return;
    after = simulated.delays_after(rank);
    QUADRILLE_ASSERT(after.size() == p && after[index(rank)] >= 0);  // a rank leaves after it has entered
    late = rank;
  };
  const bool is_symmetric =
      schedule.symmetry && static_cast<Count>(schedule.symmetry->representatives().size()) <= options.most_simulations;
  if (is_symmetric) {
    for (const Rank representative : schedule.symmetry->representatives()) {
      simulate(representative);
      for (Rank enters = 0; enters < ranks; ++enters) {
        if (schedule.symmetry->representative_of(enters) != representative) continue;
        for (Rank rank = 0; rank < ranks; ++rank)
          delays[index(enters) * p + index(schedule.symmetry->image(enters, rank))] = after[index(rank)];
      }
    }
    return {ranks, std::move(delays)};
  }
  constexpr Count fewest_simulations = 4;
  const Count affordable = std::max(fewest_simulations, options.most_messages / std::max<Count>(simulated.messages(), 1));
  const Count step = ceil_divide(ranks, std::max<Count>(std::min(options.most_simulations, affordable), 1));
  for (Rank enters = 0; enters < ranks; ++enters) {
    simulate(enters - enters % step);
    for (Rank rank = 0; rank < ranks; ++rank)
      delays[index(enters) * p + index((rank + enters % step) % ranks)] = after[index(rank)];
  }
  return {ranks, std::move(delays)};
}

}  // namespace quadrille
