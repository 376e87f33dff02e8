// SPDX-License-Identifier: BSD-3-Clause
// Measures the MPI library's own collectives at a few sizes, and interpolates between them (fit.hpp).
#include <algorithm>
#include <array>

#include "plan/placed.hpp"
#include "quadrille/fit.hpp"
#include "tune/fit/exchange_timer.hpp"
#include "tune/fit/fit_problem.hpp"

namespace quadrille {
namespace {

constexpr std::array<Bytes, 4> fit_vendor_blocks = {8, 1024, 32768, 1048576};

}  // namespace

std::vector<VendorFit> fit_vendor(Communicator& communicator, const std::vector<Collective>& collectives, double seconds) {
  std::vector<VendorFit> fits;
  if (communicator.size() == 1) return fits;
  const auto sum = built_in_operator("sum", "f64");
  const std::vector<Count> sizes = ranks_of_nodes(communicator);
  for (const Collective collective : collectives) {
    const std::shared_ptr<const Operator> operation = is_reduction(collective) ? sum : nullptr;
    std::vector<Problem> problems;
    for (const Bytes block : fit_vendor_blocks) {
      Problem problem = fit_problem(communicator, collective, block, *sum);
      if (is_small(problem) && (moves_data(collective) || problems.empty())) problems.push_back(std::move(problem));
    }
    if (problems.empty() || !has_vendor(communicator, problems.front(), operation)) continue;
    ExchangeTimer timer(communicator, Executor::automatic, std::max<Bytes>(1, longest_buffer(problems.back())),
                        seconds / static_cast<double>(problems.size() * collectives.size()));
    VendorFit& fit = fits.emplace_back(VendorFit{.collective = collective,
                                                 .ranks = communicator.size(),
                                                 .nodes = size(sizes),
                                                 .ranks_of_node = *std::max_element(sizes.begin(), sizes.end()),
                                                 .seconds = {},
                                                 .date = today()});
    for (std::size_t i = 0; i < problems.size(); ++i)
      fit.seconds.emplace_back(moves_data(collective) ? fit_vendor_blocks[i] : 0,
                               timer.time_of(problems[i], "vendor", Policy::blocking, operation).seconds);
  }
  return fits;
}

double seconds_by(const VendorFit& fit, Bytes block_bytes) {
  if (fit.seconds.empty()) return 0;
  const auto above =
      std::find_if(fit.seconds.begin(), fit.seconds.end(), [&](const auto& each) { return each.first >= block_bytes; });
  if (above == fit.seconds.begin()) return above->second;
  const auto& [lower, lower_s] = *std::prev(above);
  const auto position = static_cast<double>(block_bytes - lower);
  if (above != fit.seconds.end()) return lower_s + position / static_cast<double>(above->first - lower) * (above->second - lower_s);
  return lower > 0 ? lower_s * static_cast<double>(block_bytes) / static_cast<double>(lower) : lower_s;
}

}  // namespace quadrille
