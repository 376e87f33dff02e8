// SPDX-License-Identifier: BSD-3-Clause
// Measures the time of one execution of a plan: an alltoall on threads, the median of batches, in ns. The shell script of the same
// name compiles this program against two builds.
// Usage: executions RANKS BLOCK_BYTES SECONDS
#include <quadrille/quadrille.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int count, char** arguments) {
  using Clock = std::chrono::steady_clock;
  if (count != 4) return std::fprintf(stderr, "usage: executions RANKS BLOCK_BYTES SECONDS\n"), 2;
  const long ranks = std::atol(arguments[1]), block = std::atol(arguments[2]);
  const double seconds = std::atof(arguments[3]);
  quadrille::run_threads(ranks, [&](quadrille::Communicator& communicator) {
    auto exchange = quadrille::plan(communicator, quadrille::Problem::alltoall(ranks, block), {.algorithm = "direct"});
    std::vector<std::byte> input(static_cast<std::size_t>(ranks * block)), output(input.size());
    const auto batch = [&](long executions) {
      communicator.barrier();
      const auto start = Clock::now();
      for (long i = 0; i < executions; ++i) exchange.execute(input.data(), output.data());
      return std::chrono::duration<double>(Clock::now() - start).count();
    };
    double shape[2] = {batch(200) / 200, 0};  // rank 0's time of one execution; all ranks must run the same number
    std::vector<double> all(static_cast<std::size_t>(2 * ranks));
    communicator.all_gather(shape, all.data(), sizeof shape);
    constexpr long batches = 101;
    const long each = std::max(1L, static_cast<long>(seconds / all[0] / batches));
    std::vector<double> times;
    for (long i = 0; i < batches; ++i) times.push_back(batch(each) / static_cast<double>(each));
    std::nth_element(times.begin(), times.begin() + batches / 2, times.end());
    if (communicator.rank() == 0) std::printf("%.1f\n", 1e9 * times[batches / 2]);
  });
}
