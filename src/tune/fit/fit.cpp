// SPDX-License-Identifier: BSD-3-Clause
// Measures the executors of a group and fits the cost model max-rate to the times; prices by a fit, and fits that are taken from a
// preset machine; and measures the MPI library's own collectives at a few sizes, to interpolate between them (fit.hpp).
#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "execute/executors.hpp"
#include "execute/transport.hpp"
#include "plan/gathered.hpp"
#include "plan/placed.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/fit.hpp"
#include "quadrille/indexed.hpp"
#include "tune/cores.hpp"
#include "tune/fit/exchange_timer.hpp"
#include "tune/fit/fit_max_rate.hpp"

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

const Model& fit_price_model() { return *find_model("max-rate"); }

// Returns the additional time of a round if a node has more ranks than cores. The round cannot end before each rank has run, so it
// takes as many context switches as a core has ranks. Machine files have no such cost, because they do not know the number of ranks
// per core. A switch between two processes that yield takes about 1 us.
double crowded_round_us(Count ranks_of_node, Count cores) {
  constexpr double switch_us = 1;
  return ranks_of_node > cores ? switch_us * static_cast<double>(ceil_divide(ranks_of_node, cores)) : 0;
}

constexpr std::array<Bytes, 4> fit_vendor_blocks = {8, 1024, 32768, 1048576};

}  // namespace

std::vector<ExecutorFit> fit_executors(Communicator& communicator, const FitOptions& options) {
  if (communicator.size() == 1) return {};
  Fitter fitter(communicator, options.seconds);
  std::vector<ExecutorFit> fits;
  for (const Executor executor : options.executors.empty() ? executors_of(communicator) : options.executors)
    fits.push_back(fitter.fit(executor));
  return fits;
}

ExecutorFit preset_fit(const MachineCosts& machine, Executor executor, const Situation& situation, Count cores) {
  ExecutorFit fit{.executor = executor,
                  .ranks = situation.ranks,
                  .nodes = situation.nodes,
                  .ranks_of_node = situation.ranks_of_node,
                  .coefficients = coefficients_of(machine, fit_price_model()),
                  .preset = machine.name,
                  .date = {}};
  if (cores > 0) {
    fit.coefficients["cores"] = static_cast<double>(cores);
    fit.coefficients["round_us"] += crowded_round_us(situation.ranks_of_node, cores);
  }
  return fit;
}

Price price_by(const ExecutorFit& fit, const Workload& workload) { return price_of(workload, fit_price_model(), fit.coefficients); }

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
