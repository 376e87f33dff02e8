// SPDX-License-Identifier: BSD-3-Clause
#include "tune/fit/exchange_timer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "execute/transport.hpp"
#include "plan/gathered.hpp"
#include "plan/placed.hpp"
#include "problem/collective_facts.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/race.hpp"
#include "tune/median.hpp"

namespace quadrille {

ExchangeTimer::ExchangeTimer(Communicator& communicator, Executor executor, Bytes buffer_bytes, double seconds_per_time)
    : communicator_(communicator),
      stopwatch_(communicator),
      executor_(executor),
      seconds_(seconds_per_time),
      input_(buffer(communicator, buffer_bytes, false)),
      output_(buffer(communicator, buffer_bytes, false)) {
  for (std::byte* memory : {input(), output()}) std::memset(memory, 0, index(buffer_bytes));
}

Span ExchangeTimer::time_of(const Problem& problem, std::string_view algorithm, Policy policy,
                            const std::shared_ptr<const Operator>& operation) {
  Plan made = plan(communicator_, problem,
                   {.algorithm = std::string(algorithm), .policy = policy, .executor = executor_, .operation = operation});
  return time_of([&] { made.execute(input(), output()); });
}

// Chooses the batch length by the least time of the first runs, because some of these runs are cold or disturbed. If a single run
// takes longer than the whole measurement may take, this least time is the result.
Span ExchangeTimer::time_of(const std::function<void()>& run) {
  constexpr double most_runs = 4096;
  constexpr int samples_per_time = 5;
  const auto batches = [&](std::size_t count, Count runs) {
    return stopwatch_.time(count, [&](std::size_t) {
      for (Count i = 0; i < runs; ++i) run();
    });
  };
  const auto best_of = [&](std::size_t count) {
    const std::vector<Span> spans = batches(count, 1);
    return *std::min_element(spans.begin(), spans.end(), [](Span x, Span y) { return x.seconds < y.seconds; });
  };
  Span warm = best_of(2);
  if (warm.seconds > seconds_) return warm;
  warm = best_of(2);
  const double batch_s = std::max(seconds_ / samples_per_time, warm.bound / tolerated_clock_error);
  const auto runs = static_cast<Count>(std::clamp(batch_s / std::max(1e-7, warm.seconds), 1.0, most_runs));
  std::vector<double> times;
  double bound = 0;
  for (const Span& batch : batches(samples_per_time, runs)) {
    times.push_back(batch.seconds / static_cast<double>(runs));
    bound = std::max(bound, batch.bound / static_cast<double>(runs));
  }
  return {std::max(1e-9, median(times)), bound};
}

// The time between the first two starts tells how many runs can be measured. If none can, the second run is the result, because
// the first run is cold.
ExchangeTimer::Single ExchangeTimer::time_of_single(const std::function<void()>& run) {
  constexpr double most_runs = 256;
  std::chrono::steady_clock::time_point starts[2];
  std::vector<Span> spans = stopwatch_.time(2, [&](std::size_t i) {
    starts[i] = std::chrono::steady_clock::now();
    run();
  });
  const double mine_s = std::chrono::duration<double>(starts[1] - starts[0]).count();
  const double fit = seconds_ / std::max(1e-7, gathered(communicator_, mine_s)[0]);
  if (fit >= 1)
    spans = stopwatch_.time(static_cast<std::size_t>(std::min(fit, most_runs)), [&](std::size_t) { run(); });
  else
    spans.erase(spans.begin());
  double sum = 0, sum_of_logarithms = 0, squares = 0;
  for (const Span& each : spans) {
    const double logarithm = std::log(std::max(1e-9, each.mean));
    sum += each.mean, sum_of_logarithms += logarithm, squares += logarithm * logarithm;
  }
  const auto count = static_cast<double>(spans.size());
  const double variance = count > 1 ? (squares - sum_of_logarithms * sum_of_logarithms / count) / (count - 1) : 0;
  return {std::max(1e-9, sum / count), std::sqrt(std::max(0.0, variance))};
}

Problem fit_problem(Communicator& communicator, Collective collective, Bytes block, const Operator& operation) {
  const Count ranks = communicator.size();
  Problem problem{.collective = collective, .ranks = ranks};
  if (is_reduction(collective)) problem.element_bytes = operation.element_bytes, problem.commutative = operation.commutative;
  if (is_irregular(collective)) {
    problem.counts = std::make_shared<const std::vector<Bytes>>(index(has_pair_counts(collective) ? ranks * ranks : ranks), block);
    problem.block_bytes = 0;
  } else if (moves_data(collective)) {
    problem.block_bytes = block;
  }
  return placed(communicator, std::move(problem));
}

// The root has the longest buffers; fits use root 0.
Bytes longest_buffer(const Problem& problem) { return std::max(input_bytes(problem, 0), output_bytes(problem, 0)); }

// The limit is fixed, because all ranks must get the same answer and nodes may differ in memory.
bool is_small(const Problem& problem) {
  constexpr Bytes most = Bytes{1} << 28;
  return longest_buffer(problem) <= most / (2 * problem.ranks);
}

bool has_vendor(Communicator& communicator, const Problem& problem, const std::shared_ptr<const Operator>& operation) {
  const ByRank<char> has = gathered<char>(communicator, communicator.transport().vendor(problem, operation, {}) ? 1 : 0);
  return std::all_of(has.begin(), has.end(), [](char each) { return each != 0; });
}

}  // namespace quadrille
