// SPDX-License-Identifier: BSD-3-Clause
#include "tune/fit/residuals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "plan/gathered.hpp"
#include "quadrille/decision.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/vendor_choice.hpp"
#include "tune/fit/exchange_timer.hpp"
#include "tune/fit/fit.hpp"
#include "tune/median.hpp"

namespace quadrille {
namespace {

// A normal distribution has half of its values within 0.6745 standard deviations.
constexpr double medians_to_deviation = 1 / 0.6745;

struct SizeClass {
  Bytes middle;
  Bytes measured[2];
};

// The classes, in the order in which they are measured. The first class is always measured. Long sizes come second: if time runs
// out, a short and a long size tell more than two short sizes.
constexpr SizeClass classes[] = {{16, {8, 32}}, {32768, {16384, 65536}}, {1024, {512, 2048}}, {524288, {262144, 1048576}}};

constexpr std::size_t rounds = 2;

// The standard deviation; 0 for a single value.
double deviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / (count - 1));
}

class Comparing {
 public:
  Comparing(Communicator& communicator, const MachineCosts& machine, const ResidualOptions& options)
      : communicator_(communicator),
        machine_(machine),
        options_(options),
        library_(vendor_library_of(fingerprint(communicator).mpi)),
        cases_(cases_for(communicator, *sum_)),
        timer_(communicator, options.executor, longest_of(cases_),
               options.seconds / (6 * std::max(1.0, static_cast<double>(cases_.size())))) {}

  std::vector<ResidualSample> run() {
    std::vector<ResidualSample> samples;
    of_ours(cases_.front().problem);  // the result is not used, because the first time after a pause is longer
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < rounds * cases_.size(); ++i) {
      const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      const double passed = gathered(communicator_, elapsed)[0] / options_.seconds;
      const Case& each = cases_[i % cases_.size()];
      const bool is_first_round = i < cases_.size();
      if (is_first_round ? passed > 2 && each.class_bytes > classes[0].middle : passed > 1) break;
      if (options_.progress)
        options_.progress(fmt::format("comparing prices with times: {} %", 100 * i / (rounds * cases_.size())));
      for (const Implementation by : {Implementation::ours, Implementation::vendor})
        for (ResidualSample& sample : by == Implementation::vendor ? of_vendor(each.problem) : of_ours(each.problem)) {
          sample.collective = each.problem.collective, sample.by = by, sample.class_bytes = each.class_bytes;
          samples.push_back(sample);
        }
    }
    return samples;
  }

 private:
  struct Case {
    Problem problem;
    Bytes class_bytes = 0;
  };
  struct Priced {
    Policy policy = Policy::blocking;
    double seconds = 0;  // 0: none
  };

  static std::vector<Case> cases_for(Communicator& communicator, const Operator& operation) {
    std::vector<Case> cases;
    for (const SizeClass& each : classes)
      for (const Bytes block : each.measured)
        for (const Collective collective : all_collectives()) {
          Problem problem = fit_problem(communicator, collective, block, operation);
          const bool is_first = block == classes[0].measured[0];
          if (is_small(problem) && (moves_data(collective) || is_first))
            cases.push_back({std::move(problem), moves_data(collective) ? each.middle : 0});
        }
    return cases;
  }

  static Bytes longest_of(const std::vector<Case>& cases) {
    Bytes longest = 1;
    for (const Case& each : cases) longest = std::max(longest, longest_buffer(each.problem));
    return longest;
  }

  std::shared_ptr<const Operator> operation_of(const Problem& problem) const {
    return is_reduction(problem.collective) ? sum_ : nullptr;
  }

  DecisionOptions deciding(const Problem& problem) const {
    return {.executors = {options_.executor},
            .own_counts_only = problem.collective == Collective::alltoallv,
            .preset = machine_,
            .explain = true};
  }

  Priced priced(const Problem& problem, const Choice& choice) const {
    const Model& model = *model_of_preset(problem, deciding(problem))->model;
    const Price price = price_of(workload(make_schedule(problem, choice), {.nodes = true, .work = true}), model, machine_);
    return {price.best_policy(), price.seconds(price.best_policy())};
  }

  std::vector<ResidualSample> of_ours(const Problem& problem) {
    Way way = decide(problem, {}, deciding(problem)).chosen;
    const Priced price = priced(problem, std::get<Choice>(way.algorithm));
    way.policy = price.policy, way.executor = options_.executor;
    return samples_of(plan(communicator_, problem, plan_options_of(way, {.operation = operation_of(problem)})), price.seconds);
  }

  std::vector<ResidualSample> of_vendor(const Problem& problem) {
    const double price_s = gathered(communicator_, vendor_price_s(problem))[0];
    if (!(price_s > 0) || !has_vendor(communicator_, problem, operation_of(problem))) return {};
    return samples_of(plan(communicator_, problem, {.algorithm = "vendor", .operation = operation_of(problem), .layouts = {}}),
                      price_s);
  }

  // A program computes between most of its collectives, so these do not overlap as consecutive runs do.
  std::vector<ResidualSample> samples_of(Plan made, double price_s) {
    if (!(price_s > 0)) return {};
    const auto run = [&] { made.execute(timer_.input(), timer_.output()); };
    const auto ratio = [&](double seconds) { return std::clamp(seconds / price_s, Residual::least_ratio, Residual::most_ratio); };
    const ExchangeTimer::Single single = timer_.time_of_single(run);
    std::vector<ResidualSample> samples{{.ratio = ratio(single.seconds), .noise = single.noise}};
    if (single.seconds < longest_in_succession_s)
      samples.push_back({.ratio = ratio(timer_.time_of(run).seconds), .noise = single.noise, .in_succession = true});
    return samples;
  }

  // The predicted time of the library's own choice; 0 if that choice is not known. Only rank 0's value is used, because the
  // library's files may differ between hosts.
  double vendor_price_s(const Problem& problem) const {
    if (communicator_.rank() != 0 || !library_) return 0;
    const auto algorithm = vendor_algorithm(library_->id, problem);
    if (!algorithm) return 0;
    const auto equivalent = vendor_equivalent(library_->id, problem, *algorithm);
    return equivalent ? priced(problem, *equivalent).seconds : 0;
  }

  Communicator& communicator_;
  const MachineCosts& machine_;
  const ResidualOptions& options_;
  const std::optional<VendorLibrary> library_;
  const std::shared_ptr<const Operator> sum_ = built_in_operator("sum", "f64");
  const std::vector<Case> cases_;
  ExchangeTimer timer_;
};

}  // namespace

std::vector<Residual> residuals_of(const std::vector<ResidualSample>& samples) {
  struct Values {
    std::vector<double> logarithms, noises;
  };
  std::map<std::tuple<Collective, Bytes, Implementation, bool>, Values> by_class;
  for (const ResidualSample& each : samples) {
    Values& values = by_class[{each.collective, each.class_bytes, each.by, each.in_succession}];
    values.logarithms.push_back(std::log(each.ratio)), values.noises.push_back(each.noise);
  }
  std::map<Implementation, std::vector<double>> deviations;  // the deviations in classes with several samples
  for (const auto& [key, values] : by_class)
    if (values.logarithms.size() > 1) deviations[std::get<Implementation>(key)].push_back(deviation(values.logarithms));
  std::map<Implementation, double> usual;
  for (auto& [by, all] : deviations) usual[by] = std::min(Residual::most_spread, medians_to_deviation * median(all));
  std::vector<Residual> residuals;
  for (auto& [key, values] : by_class) {
    const auto& [collective, class_bytes, by, in_succession] = key;
    const auto least = usual.find(by);
    if (least == usual.end()) continue;
    const double spread = std::clamp(deviation(values.logarithms), least->second, Residual::most_spread);
    residuals.push_back({.collective = collective,
                         .by = by,
                         .block_bytes = class_bytes,
                         .ratio = rounded(std::exp(median(values.logarithms))),
                         .spread = rounded(spread),
                         .noise = rounded(std::min(median(values.noises), Residual::most_spread)),
                         .in_succession = in_succession});
  }
  return residuals;
}

std::vector<Residual> measured_residuals(Communicator& communicator, const MachineCosts& machine, const ResidualOptions& options) {
  return residuals_of(Comparing(communicator, machine, options).run());
}

}  // namespace quadrille
