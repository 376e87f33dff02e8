// SPDX-License-Identifier: BSD-3-Clause
// Measures the executors of a group and fits the cost model max-rate to the times (fit.hpp).
#include "quadrille/fit.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "execute/executors.hpp"
#include "execute/transport.hpp"
#include "plan/gathered.hpp"
#include "plan/placed.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/indexed.hpp"
#include "tune/cores.hpp"
#include "tune/fit/exchange_timer.hpp"
#include "tune/fit/fit_max_rate.hpp"
#include "tune/fit/fit_problem.hpp"

namespace quadrille {
namespace {

// The measured schedules differ in everything that the model distinguishes: few and many rounds, short and long messages, one busy
// rank and all busy ranks, packing, copying and combining, ranks that wait for each other and ranks that run ahead.
constexpr std::pair<Collective, std::string_view> probes[] = {{Collective::alltoall, "shift"},
                                                              {Collective::alltoall, "direct"},
                                                              {Collective::alltoall, "bruck:radix=2"},
                                                              {Collective::alltoall, "torus"},
                                                              {Collective::broadcast, "linear"},
                                                              {Collective::broadcast, "binomial"},
                                                              {Collective::broadcast, "scatter-allgather"},
                                                              {Collective::scatter, "linear"},
                                                              {Collective::scatter, "binomial"},
                                                              {Collective::reduce, "linear"},
                                                              {Collective::allreduce, "recursive-doubling"},
                                                              {Collective::allreduce, "reduce-broadcast"}};
// Short and long sizes alternate: if time runs out, a short and a long size are more useful than two short ones.
constexpr std::array<Bytes, 6> blocks = {8, 4096, 512, 32768, 262144, 1048576};

// Returns the number of cores that the ranks of a node may use together, or 0 if no node has fewer cores than
// ranks. If nodes differ, returns the least number.
Count shared_cores(Communicator& communicator) {
  const std::vector<cpu_set_t> of_nodes = cores_of_nodes(communicator);
  const std::vector<Count> sizes = ranks_of_nodes(communicator);
  Count least = 0;
  for (std::size_t node = 0; node < sizes.size(); ++node)
    if (const Count cores = CPU_COUNT(&of_nodes[node]); cores > 0 && cores < sizes[node] && (least == 0 || cores < least))
      least = cores;
  return least;
}

struct Probe {
  Problem problem;
  std::string_view algorithm;
  std::shared_ptr<const Operator> operation;
};

std::vector<Probe> probes_for(Communicator& communicator) {
  const auto sum = built_in_operator("sum", "f64");
  std::vector<Probe> list;
  for (const Bytes bytes : blocks)
    for (const auto& [collective, algorithm] : probes) {
      Problem problem = fit_problem(communicator, collective, bytes, *sum);
      if (is_small(problem) && applies(problem, parse_choice(problem, algorithm)))
        list.push_back({std::move(problem), algorithm, is_reduction(collective) ? sum : nullptr});
    }
  return list;
}

class Fitter {
 public:
  Fitter(Communicator& communicator, double seconds)
      : communicator_(communicator), probes_(probes_for(communicator)), seconds_(seconds), cores_(shared_cores(communicator)) {
    for (const Probe& probe : probes_)
      workloads_.push_back(
          workload(make_schedule(probe.problem, parse_choice(probe.problem, probe.algorithm)), {.nodes = true, .work = true}));
  }

  ExecutorFit fit(Executor executor) {
    const MaxRateFit found = shared(fitted(samples(executor)));
    const std::vector<Count> sizes = ranks_of_nodes(communicator_);
    return {.executor = executor,
            .ranks = communicator_.size(),
            .nodes = size(sizes),
            .ranks_of_node = *std::max_element(sizes.begin(), sizes.end()),
            .coefficients = found.coefficients,
            .error = found.error,
            .preset = {},
            .date = today()};
  }

 private:
  // Measures the probes, in their order, until the time is up.
  std::vector<FitSample> samples(Executor executor) {
    Bytes longest = 0;
    for (const Probe& probe : probes_) longest = std::max(longest, longest_buffer(probe.problem));
    ExchangeTimer timer(communicator_, executor, longest, seconds_ / static_cast<double>(probes_.size()));
    std::vector<FitSample> list;
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < probes_.size(); ++i) {
      const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (gathered(communicator_, elapsed)[0] > 2 * seconds_) break;
      const Probe& probe = probes_[i];
      list.push_back({workloads_[i], timer.time_of(probe.problem, probe.algorithm, Policy::blocking, probe.operation).seconds});
    }
    return list;
  }

  // Only rank 0 computes the fit. Floating-point results may differ between machines, and where ranks
  // share cores, they need not all do the same work.
  MaxRateFit fitted(const std::vector<FitSample>& samples) const {
    return communicator_.rank() == 0 ? fit_max_rate(samples, cores_) : MaxRateFit{};
  }

  MaxRateFit shared(const MaxRateFit& own) {
    std::array<double, 32> numbers{};
    const auto& known = find_model("max-rate")->coefficients;
    for (std::size_t i = 0; i < known.size(); ++i)
      if (const auto found = own.coefficients.find(known[i].key); found != own.coefficients.end()) numbers[i] = found->second;
    numbers.back() = own.error;
    numbers = gathered(communicator_, numbers)[0];
    MaxRateFit fit{.error = numbers.back()};
    for (std::size_t i = 0; i < known.size(); ++i) fit.coefficients.emplace(known[i].key, numbers[i]);
    return fit;
  }

  Communicator& communicator_;
  const std::vector<Probe> probes_;
  std::vector<Workload> workloads_;
  const double seconds_;
  const Count cores_;
};

}  // namespace

std::vector<ExecutorFit> fit_executors(Communicator& communicator, const FitOptions& options) {
  if (communicator.size() == 1) return {};
  Fitter fitter(communicator, options.seconds);
  std::vector<ExecutorFit> fits;
  for (const Executor executor : options.executors.empty() ? executors_of(communicator) : options.executors)
    fits.push_back(fitter.fit(executor));
  return fits;
}

}  // namespace quadrille
