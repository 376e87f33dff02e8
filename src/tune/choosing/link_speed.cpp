// SPDX-License-Identifier: BSD-3-Clause
#include "tune/choosing/link_speed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

// The least seconds of gathering few and more bytes. Each gathering begins when the one before it has ended on this rank, which has
// then heard of all ranks, so barriers would tell nothing more. The least time of some runs counts, because other programs only
// lengthen it. The first run warms up.
struct Gatherings {
  double few_s = std::numeric_limits<double>::infinity(), more_s = few_s;

  Gatherings(Communicator& communicator, Bytes few, Bytes more) {
    constexpr int runs = 2;
    const std::vector<std::byte> mine(index(more));
    std::vector<std::byte> all(index(more * communicator.size()));
    const auto seconds = [&](Bytes bytes) {
      const auto begin = std::chrono::steady_clock::now();
      communicator.all_gather(mine.data(), all.data(), bytes);
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    seconds(few);
    for (int run = 0; run < runs; ++run) {
      more_s = std::min(more_s, seconds(more));
      few_s = std::min(few_s, seconds(few));
    }
  }
};

}  // namespace

double measured_us_per_byte(Communicator& communicator) {
  constexpr Bytes few = 8, of_all = Bytes{1} << 15;
  const std::vector<Count>& nodes = communicator.nodes();
  const Count here = std::count(nodes.begin(), nodes.end(), nodes[index(communicator.rank())]);
  const Bytes more = std::max(2 * few, of_all / communicator.size());
  const Gatherings gathered(communicator, few, more);
  constexpr double times_the_least_bytes = 4;
  return std::max(0.0, gathered.more_s - gathered.few_s) * 1e6 / static_cast<double>((more - few) * (communicator.size() - here)) /
         times_the_least_bytes;
}

MachineCosts with_measured_links(MachineCosts machine, double us_per_byte) {
  constexpr double clearly_slower = 4;
  const auto found = machine.models.find("max-rate");
  if (found == machine.models.end()) return machine;
  Coefficients& figures = found->second;
  if (us_per_byte <= clearly_slower * figures["node_us_per_byte"]) return machine;
  figures["node_us_per_byte"] = us_per_byte;
  figures["us_per_byte"] = std::max(figures["us_per_byte"], us_per_byte);
  machine.name += fmt::format(" with links of about {:.2g} Gbit/s, as measured here", 8e-3 / us_per_byte);
  return machine;
}

}  // namespace quadrille
