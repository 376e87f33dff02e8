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
               options.seconds / (2 * std::max(1.0, static_cast<double>(cases_.size())))) {}

  std::vector<ResidualSample> run() {
    std::vector<ResidualSample> samples;
    of_ours(cases_.front().problem);  // the result is not used, because the first time after a pause is longer
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      const bool is_late = gathered(communicator_, elapsed)[0] > 2 * options_.seconds;
      if (is_late && cases_[i].class_bytes > classes[0].middle) break;
      if (options_.progress) options_.progress(fmt::format("comparing prices with times: {} %", 100 * i / cases_.size()));
      const Case& each = cases_[i];
      for (const Implementation by : {Implementation::ours, Implementation::vendor})
        if (const auto ratio = by == Implementation::vendor ? of_vendor(each.problem) : of_ours(each.problem))
          samples.push_back({each.problem.collective, by, each.class_bytes, *ratio});
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

  std::optional<double> of_ours(const Problem& problem) {
    Way way = decide(problem, {}, deciding(problem)).chosen;
    const Priced price = priced(problem, std::get<Choice>(way.algorithm));
    way.policy = price.policy, way.executor = options_.executor;
    return ratio(single_time(plan(communicator_, problem, plan_options_of(way, {.operation = operation_of(problem)}))),
                 price.seconds);
  }

  std::optional<double> of_vendor(const Problem& problem) {
    const double price_s = gathered(communicator_, vendor_price_s(problem))[0];
    if (!(price_s > 0) || !has_vendor(communicator_, problem, operation_of(problem))) return std::nullopt;
    return ratio(
        single_time(plan(communicator_, problem, {.algorithm = "vendor", .operation = operation_of(problem), .layouts = {}})),
        price_s);
  }

  // A program computes between its collectives, so its calls do not overlap as consecutive runs do.
  double single_time(Plan made) {
    return timer_.time_of_single([&] { made.execute(timer_.input(), timer_.output()); });
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

  static std::optional<double> ratio(double measured_s, double price_s) {
    if (!(price_s > 0)) return std::nullopt;
    return std::clamp(measured_s / price_s, Residual::least_ratio, Residual::most_ratio);
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
  std::map<std::tuple<Collective, Bytes, Implementation>, std::vector<double>> by_class;  // logarithms
  for (const ResidualSample& each : samples) by_class[{each.collective, each.class_bytes, each.by}].push_back(std::log(each.ratio));
  std::map<Implementation, std::vector<double>> deviations;  // the deviations in classes with several samples
  for (const auto& [key, logarithms] : by_class)
    if (logarithms.size() > 1) deviations[std::get<Implementation>(key)].push_back(deviation(logarithms));
  std::map<Implementation, double> usual;
  for (auto& [by, all] : deviations) usual[by] = std::min(Residual::most_spread, medians_to_deviation * median(all));
  std::vector<Residual> residuals;
  for (auto& [key, logarithms] : by_class) {
    const auto& [collective, class_bytes, by] = key;
    const auto least = usual.find(by);
    if (least == usual.end()) continue;
    residuals.push_back({.collective = collective,
                         .by = by,
                         .block_bytes = class_bytes,
                         .ratio = rounded(std::exp(median(logarithms))),
                         .spread = rounded(std::clamp(deviation(logarithms), least->second, Residual::most_spread))});
  }
  return residuals;
}

std::vector<Residual> measured_residuals(Communicator& communicator, const MachineCosts& machine, const ResidualOptions& options) {
  return residuals_of(Comparing(communicator, machine, options).run());
}

}  // namespace quadrille
