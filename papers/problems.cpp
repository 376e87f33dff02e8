// SPDX-License-Identifier: BSD-3-Clause
#include "papers/problems.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>

#include "foundation/system/files.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille::papers {

// Exhibits ask for the same machines a hundred thousand times, from several threads, so each file is read once.
const MachineCosts& machine_of_paper(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, MachineCosts> known;
  const std::lock_guard lock(mutex);
  if (!known.contains(name)) known.emplace(name, read_machine((library_folder() / "machines" / (name + ".toml")).string()));
  return known.at(name);
}

Problem problem_of(Collective collective, Count ranks, Bytes block_bytes) {
  Problem problem;
  problem.collective = collective;
  problem.ranks = ranks;
  problem.block_bytes = block_bytes;
  return problem;
}

Problem on_nodes(const std::vector<Count>& sizes, Bytes block_bytes) {
  Problem problem = Problem::alltoall(std::accumulate(sizes.begin(), sizes.end(), Count{0}), block_bytes);
  for (std::size_t node = 0; node < sizes.size(); ++node)
    problem.nodes.insert(problem.nodes.end(), index(sizes[node]), static_cast<Count>(node));
  return problem;
}

Count least_exchange_steps(const std::vector<Count>& sizes) {
  Count least = 0;
  for (const Bound& bound : lower_bounds_by_matchings(on_nodes(sizes))) least = std::max(least, bound.value);
  return least;
}

Price plain_price(const Problem& problem, const char* specification, double startup_us, const Topology* network) {
  const Coefficients plain{{"startup_us", startup_us}, {"transfer_us_per_byte", 1}, {"ports", 1}};
  return price_of(workload(make_schedule(problem, specification), {.topology = network}), *find_model("linear"), plain);
}

std::vector<Bytes> places_of(const Regions& regions) {
  std::vector<Bytes> places;
  for (const Region& region : regions)
    for_each_run(region, [&](Bytes offset, Bytes length) {
      for (Bytes i = 0; i < length; ++i) places.push_back(offset + i);
    });
  return places;
}

std::vector<Move> moves_of(const Schedule& schedule, Rank rank) {
  std::vector<Move> moves;
  for (const Round& round : schedule.program(rank).rounds)
    for (const Message& message : round.sends) {
      Move& move = moves.emplace_back(
          Move{.round = round.number, .offset = (message.peer - rank + schedule.problem.ranks) % schedule.problem.ranks});
      move.length = bytes(message.regions);
      move.places = places_of(message.regions);
      std::sort(move.places.begin(), move.places.end());
    }
  return moves;
}

std::vector<Bytes> longest_by_round(const Schedule& schedule) {
  std::vector<Bytes> longest;
  for (const StageFigures& stage : stage_figures(schedule))
    for (const RoundFigures& round : stage.rounds) longest.push_back(round.longest);
  return longest;
}

Bytes longest_message(const Schedule& schedule) {
  const std::vector<Bytes> longest = longest_by_round(schedule);
  return *std::max_element(longest.begin(), longest.end());
}

Count ceil_log(Count n, Count base) {
  Count digits = 0;
  for (Count power = 1; power < n; power *= base) ++digits;
  return digits;
}

std::string listed(const std::vector<Bytes>& numbers) { return fmt::format("{}", fmt::join(numbers, " ")); }

}  // namespace quadrille::papers
