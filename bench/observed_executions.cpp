// SPDX-License-Identifier: BSD-3-Clause
// Measures how much longer an execution takes when it is observed (src/execute/script/execution_record.hpp). Plain and observed
// batches of the same alltoall take turns. Prints the medians, and the median of the ratios with its interval of 95 %.
// Usage: observed_executions ALGORITHM BLOCK_BYTES SECONDS [THREADS]    on threads (default 2), or under a launcher:
//   quadrille run -n 2 observed_executions bruck 1024 2
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "plan/plan.hpp"
#include "quadrille/quadrille.hpp"

namespace {

using namespace quadrille;

constexpr std::size_t batches = 201;

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

void measure(Communicator& ranks, const char* algorithm, Bytes block_bytes, double seconds) {
  using Clock = std::chrono::steady_clock;
  const Schedule schedule = make_schedule(Problem::alltoall(ranks.size(), block_bytes), algorithm);
  Plan plans[] = {plan_schedule(ranks, schedule, true, {}), observed_plan(ranks, schedule, true, {}).plan};
  const auto bytes = static_cast<std::size_t>(ranks.size() * block_bytes);
  std::vector<std::byte> input(bytes), output(bytes);
  const auto batch = [&](Plan& plan, long executions) {
    ranks.barrier();
    const auto start = Clock::now();
    for (long i = 0; i < executions; ++i) plan.execute(input.data(), output.data());
    return std::chrono::duration<double>(Clock::now() - start).count() / static_cast<double>(executions);
  };
  for (Plan& plan : plans) batch(plan, 100);
  const double own = batch(plans[0], 100);  // rank 0's time decides, because all ranks must run the same number
  std::vector<double> all(static_cast<std::size_t>(ranks.size()));
  ranks.all_gather(&own, all.data(), sizeof own);
  const long each = std::max(1L, std::lround(seconds / all[0] / (2 * batches)));
  std::vector<double> times[2], ratios;
  for (std::size_t i = 0; i < batches; ++i) {
    for (const std::size_t which : {i % 2, 1 - i % 2}) times[which].push_back(batch(plans[which], each));
    ratios.push_back(times[1].back() / times[0].back());
  }
  if (ranks.rank() != 0) return;
  std::sort(ratios.begin(), ratios.end());
  const auto margin = static_cast<std::size_t>(0.98 * std::sqrt(batches));  // order statistics of the normal approximation
  std::printf("%s among %ld ranks, %ld B: plain %.0f ns, observed %.0f ns, observed / plain %.3f [%.3f, %.3f]\n", algorithm,
              static_cast<long>(ranks.size()), static_cast<long>(block_bytes), 1e9 * median(times[0]), 1e9 * median(times[1]),
              ratios[batches / 2], ratios[batches / 2 - margin], ratios[batches / 2 + margin]);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) return std::fprintf(stderr, "usage: observed_executions ALGORITHM BLOCK_BYTES SECONDS [THREADS]\n"), 2;
  const long threads = count > 4 ? std::atol(arguments[4]) : 2;
  run_launched(threads,
               [&](Communicator& ranks) { measure(ranks, arguments[1], std::atol(arguments[2]), std::atof(arguments[3])); });
}
