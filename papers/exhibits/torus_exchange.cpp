// SPDX-License-Identifier: BSD-3-Clause
#include "papers/exhibits/torus_exchange.hpp"

#include <cmath>
#include <functional>
#include <numeric>

namespace quadrille::papers {

Schedule torus_exchange(const std::vector<Count>& sides, Bytes block_bytes, const std::string& specification) {
  Problem problem = Problem::alltoall(std::accumulate(sides.begin(), sides.end(), Count{1}, std::multiplies<>()), block_bytes);
  problem.grid = sides;
  return make_schedule(problem, specification);
}

std::vector<PrintedHop> printed_ring_hops(Count from, Count to, Count size) {
  const Count right = (to - from + size) % size, left = size - right;
  if (right == 0) return {};
  const Count early = to % 2 == 0 ? 1 : -1;
  const Count direction = right < left ? 1 : right > left ? -1 : early;
  const Count length = std::min(right, left);
  std::vector<PrintedHop> hops;
  if (length % 2 == 1) hops.push_back({0, direction});
  for (Count i = 0; i < length / 2; ++i) hops.push_back({(direction == early ? 1 : 1 + size / 4) + i, 2 * direction});
  return hops;
}

Count PrintedMessages::volume() const {
  Count sum = 0;
  for (const auto& [step, messages] : blocks_) {
    Count longest = 0;
    for (const auto& [message, blocks] : messages) longest = std::max(longest, blocks);
    sum += longest;
  }
  return sum;
}

namespace {

// Returns the links that a block takes in phase 1, to the group of its target. 1 and -1 are links along the
// columns, 2 and -2 along the rows.
std::vector<Count> first_links(Count dx, Count dy, Count rows, Count columns) {
  const Count down = 2 * dx < rows ? 1 : -1, right = 2 * dy < columns ? 2 : -2;
  if (dx % 2 == 0 && dy % 2 == 0) return {};
  if (dy % 2 == 0) return {down};
  if (dx % 2 == 0) return {right};
  return (down > 0) == (right > 0) ? std::vector{down, right} : std::vector{right, down};
}

}  // namespace

PrintedTorusVolumes printed_torus_volumes(Count rows, Count columns) {
  PrintedMessages first_phase, all;
  std::map<std::pair<Rank, Count>, Count> links[2];  // number of blocks, by phase, and by the link's first vertex and direction
  const Count phase_steps = std::max(rows, columns) / 4;
  for (Count x0 = 0; x0 < rows; ++x0)
    for (Count y0 = 0; y0 < columns; ++y0)
      for (Count u = 0; u < rows; ++u)
        for (Count v = 0; v < columns; ++v) {
          Count x = x0, y = y0, step = 0;
          const auto move = [&](Count link) {
            if (std::abs(link) == 1)
              x = (x + link + rows) % rows;
            else
              y = (y + link / 2 + columns) % columns;
          };
          for (const Count link : first_links((u - x0 + rows) % rows, (v - y0 + columns) % columns, rows, columns)) {
            first_phase.add(step, x * columns + y, link);
            all.add(step++, x * columns + y, link);
            move(link);
          }
          const bool along_rows_first = (u + v) % 2 == 0;  // groups G00 and G11
          for (int phase = 0; phase < 2; ++phase) {
            const bool along_row = (phase == 0) == along_rows_first;
            const auto hops = along_row ? printed_ring_hops(y / 2, v / 2, columns / 2) : printed_ring_hops(x / 2, u / 2, rows / 2);
            for (const PrintedHop& hop : hops) {
              const Count link = (along_row ? 2 : 1) * (hop.places > 0 ? 1 : -1);
              all.add(2 + phase * phase_steps + hop.step, x * columns + y, link);
              for (Count i = 0; i < 2 * std::abs(hop.places); ++i) {
                ++links[phase][{x * columns + y, link}];
                move(link);
              }
            }
          }
        }
  PrintedTorusVolumes volumes{.in_step = all.volume(), .by_link = first_phase.volume()};
  for (const auto& loads : links) {
    Count most = 0;
    for (const auto& [link, blocks] : loads) most = std::max(most, blocks);
    volumes.by_link += most;
  }
  return volumes;
}

double TorusCosts::us(const Coefficients& machine, double block_bytes) const {
  return startups * machine.at("startup_us") +
         block_bytes * (blocks * machine.at("wire_us_per_byte") + rearranged * machine.at("rearrange_us_per_byte"));
}

namespace {

double two_to(int exponent) { return std::exp2(exponent); }

double direct_volume(int d) { return 9 * two_to(3 * d - 4) + (d * d - 5 * d + 3) * two_to(2 * d - 1); }

}  // namespace

const std::vector<PublishedExchange> other_exchanges{
    {"Tseng et al. 1997",
     [](int d) {
       return TorusCosts{two_to(d - 1) + 2, two_to(3 * d - 2) + two_to(2 * d), (two_to(d - 1) + 1) * two_to(2 * d)};
     }},
    {"Suh and Yalamanchili 1998",
     [](int d) {
       return TorusCosts{3.0 * d - 3, direct_volume(d), direct_volume(d)};
     }},
    {"Suh and Shin 2001",
     [](int d) {
       return TorusCosts{two_to(d - 1) + 2, two_to(3 * d - 2) + two_to(2 * d), 3 * two_to(2 * d)};
     },
     "subtorus"}};

TorusCosts published_at2(int d) { return {two_to(d - 1) + 2, two_to(3 * d - 3), 3 * two_to(2 * d)}; }

TorusCosts counted(int d, const std::string& specification) {
  const Count side = Count{1} << d;
  const Topology torus = Topology::torus({side, side});
  const Workload counted = workload(torus_exchange({side, side}, 1, specification), {.topology = &torus});
  const Price price = price_of(counted, *find_model("torus"), machine_of_paper("paragon"));
  return {static_cast<double>(price.terms.at(0).amount), static_cast<double>(price.terms.at(1).amount),
          static_cast<double>(price.terms.at(2).amount)};
}

TorusCosts counted_at2(int d) { return counted(d, "torus:order=at2"); }

}  // namespace quadrille::papers
