// SPDX-License-Identifier: BSD-3-Clause
// Measures the executors of a group and fits the cost model max-rate to the times. Prices schedules by a fit, and takes fits from
// a preset machine. Measures the MPI library's own collectives at a few sizes, to interpolate between them (fit.hpp).

#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

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
#include "tune/median.hpp"

namespace quadrille {
namespace {

const Model& model() { return *find_model("max-rate"); }

// Returns the coefficients to fit: all but the number of cores and the memory rate of a whole node. If all measurements have the
// same number of ranks per node, this rate cannot be separated from a rank's own time per byte.
std::vector<std::string_view> fitted_keys() {
  std::vector<std::string_view> keys;
  for (const Coefficient& coefficient : model().coefficients)
    if (!coefficient.is_whole && coefficient.key != "memory_us_per_byte") keys.push_back(coefficient.key);
  return keys;
}

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

// Non-negative least squares by coordinate descent: returns the x >= 0 that minimises |A x - b|, from A^T A and A^T b.
Vector non_negative_least_squares(const Matrix& products, const Vector& right) {
  constexpr int most_sweeps = 5000;
  constexpr double accuracy = 1e-9;
  Vector x(right.size());
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double change = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (products[i][i] <= 0) continue;
      double rest = right[i];
      for (std::size_t j = 0; j < x.size(); ++j)
        if (j != i) rest -= products[i][j] * x[j];
      const double next = std::max(0.0, rest / products[i][i]);
      change = std::max(change, std::abs(next - x[i]) * std::sqrt(products[i][i]));
      x[i] = next;
    }
    if (change < accuracy) break;
  }
  return x;
}

class Fitting {
 public:
  Fitting(const std::vector<FitSample>& samples, Count cores) : samples_(samples), keys_(fitted_keys()), values_(keys_.size()) {
    for (const Coefficient& coefficient : model().coefficients) coefficients_.emplace(coefficient.key, 0.0);
    coefficients_["cores"] = static_cast<double>(cores);
  }

  // The model's formula is a sum of products of a coefficient and a figure. Some of its terms are the larger of two such sums. So
  // near given coefficients the formula is linear. Each step computes the slopes at the present coefficients and finds the next
  // coefficients by linear least squares.
  MaxRateFit run() {
    constexpr int steps = 12;
    Vector predicted;  // the predictions of the last step; empty in the first step
    MaxRateFit best;
    for (int step = 0; step < steps; ++step) {
      values_ = solved(slopes(), predicted);
      for (std::size_t k = 0; k < keys_.size(); ++k) coefficients_.find(keys_[k])->second = rounded(values_[k]);
      predicted = times();
      const double error = median_error(predicted);
      if (step == 0 || error < best.error) best = {coefficients_, error};
    }
    return best;
  }

 private:
  Vector times() const {
    Vector seconds;
    for (const FitSample& sample : samples_) seconds.push_back(price_of(sample.workload, model(), coefficients_).blocking_s);
    return seconds;
  }

  // Returns the slopes: one row for each sample, one column for each coefficient. A slope is the change of the predicted time per
  // unit of the coefficient, divided by the measured time.
  Matrix slopes() {
    Matrix rows(samples_.size(), Vector(keys_.size()));
    const Vector now = times();
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      double& value = coefficients_.find(keys_[k])->second;
      const double kept = value, more = std::max(1e-3, 0.01 * kept);  // prices are whole picoseconds, so take a large enough step
      value = kept + more;
      const Vector then = times();
      value = kept;
      for (std::size_t i = 0; i < samples_.size(); ++i) rows[i][k] = (then[i] - now[i]) / more / samples_[i].seconds;
    }
    return rows;
  }

  // Solves (row . coefficients = 1) for all samples, that is, minimises the squares of relative errors. Weights
  // from the last prediction change how errors count: an error counts as the logarithm of the ratio, and a
  // large one counts linearly instead of squared.
  Vector solved(const Matrix& rows, const Vector& predicted) const {
    constexpr double near = 0.1;  // relative errors below this count by their squares
    Matrix products(keys_.size(), Vector(keys_.size()));
    Vector right(keys_.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double weight = 1;
      if (!predicted.empty()) {
        const double ratio = std::max(1e-3, predicted[i] / samples_[i].seconds);
        weight = 1 / ratio / std::max(near, std::abs(std::log(ratio)));
      }
      for (std::size_t k = 0; k < keys_.size(); ++k) {
        right[k] += weight * rows[i][k];
        for (std::size_t j = 0; j < keys_.size(); ++j) products[k][j] += weight * rows[i][k] * rows[i][j];
      }
    }
    return non_negative_least_squares(products, right);
  }

  double median_error(const Vector& predicted) const {
    Vector errors;
    for (std::size_t i = 0; i < samples_.size(); ++i) errors.push_back(std::abs(predicted[i] / samples_[i].seconds - 1));
    return median(errors);
  }

  const std::vector<FitSample>& samples_;
  const std::vector<std::string_view> keys_;
  Vector values_;
  Coefficients coefficients_;
};

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

  // Only rank 0 computes the fit. Floating-point results may differ between machines, and where ranks share cores, one rank
  // should do the work.
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

// Returns the additional time of a round if a node has more ranks than cores. The round cannot end before each rank has run, so
// it takes as many context switches as there are ranks per core. Machine files have no such cost, because it depends on the
// number of ranks per core. A switch between two processes that yield takes about 1 us.
double crowded_round_us(Count ranks_of_node, Count cores) {
  constexpr double switch_us = 1;
  return ranks_of_node > cores ? switch_us * static_cast<double>(ceil_divide(ranks_of_node, cores)) : 0;
}

constexpr std::array<Bytes, 4> fit_vendor_blocks = {8, 1024, 32768, 1048576};

}  // namespace

MaxRateFit fit_max_rate(const std::vector<FitSample>& samples, Count cores) { return Fitting(samples, cores).run(); }

double rounded(double value) {
  if (value <= 0) return 0;
  const double scale = std::pow(10, 3 - std::floor(std::log10(value)));
  return std::round(value * scale) / scale;
}

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
                  .coefficients = coefficients_of(machine, model()),
                  .preset = machine.name,
                  .date = {}};
  if (cores > 0) {
    fit.coefficients["cores"] = static_cast<double>(cores);
    fit.coefficients["round_us"] += crowded_round_us(situation.ranks_of_node, cores);
  }
  return fit;
}

Price price_by(const ExecutorFit& fit, const Workload& workload) { return price_of(workload, model(), fit.coefficients); }

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
