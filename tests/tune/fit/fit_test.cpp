// SPDX-License-Identifier: BSD-3-Clause
// Fits: known coefficients are recovered, predictions are the sums of their terms, and all ranks get the same result.
#include "quadrille/fit.hpp"
#include "quadrille/groups.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "quadrille/algorithm.hpp"
#include "quadrille/error.hpp"
#include "tune/fit/fit.hpp"

namespace quadrille {
namespace {

Problem on_nodes(Problem problem, Count ranks_of_node) {
  for (Rank rank = 0; rank < problem.ranks; ++rank) problem.nodes.push_back(rank / ranks_of_node);
  return problem;
}

Workload work_of(const Problem& problem, const std::string& algorithm) {
  return workload(make_schedule(problem, parse_choice(problem, algorithm)), {.nodes = true, .work = true});
}

Problem of_blocks(Collective collective, Count ranks, Bytes block) {
  return {.collective = collective, .ranks = ranks, .block_bytes = block};
}

std::vector<Workload> workloads(Count ranks, Count ranks_of_node) {
  std::vector<Workload> list;
  for (const Bytes block : {8, 512, 4096, 32768, 262144, 1048576}) {
    for (const char* algorithm : {"shift", "direct", "bruck:radix=2"})
      list.push_back(work_of(on_nodes(Problem::alltoall(ranks, block), ranks_of_node), algorithm));
    for (const char* algorithm : {"linear", "binomial", "scatter-allgather"})
      list.push_back(work_of(on_nodes(of_blocks(Collective::broadcast, ranks, block), ranks_of_node), algorithm));
  }
  return list;
}

double time_of(const Workload& counted, const Coefficients& coefficients) {
  return price_of(counted, *find_model("max-rate"), coefficients).blocking_s;
}

// Coefficients as a machine file would give them.
Coefficients known(double startup_us, double us_per_byte) {
  return {{"startup_us", startup_us},
          {"us_per_byte", us_per_byte},
          {"node_us_per_byte", us_per_byte / 2},
          {"node_gap_us", 0},
          {"inside_startup_us", 0.25},
          {"inside_us_per_byte", 2e-4},
          {"inside_1k_us_per_byte", 5e-4},
          {"inside_16k_us_per_byte", 3e-4},
          {"inside_128k_us_per_byte", 1e-4},
          {"memory_us_per_byte", 0},
          {"copy_us_per_byte", 1.5e-4},
          {"pack_us_per_byte", 4e-5},
          {"combine_us_per_byte", 0},
          {"round_us", 2},
          {"operation_us", 1},
          {"cores", 2}};
}

std::vector<FitSample> samples_of(const std::vector<Workload>& list, const Coefficients& coefficients) {
  std::vector<FitSample> samples;
  for (const Workload& counted : list) samples.push_back({counted, time_of(counted, coefficients)});
  return samples;
}

TEST(FitMaxRate, RecoversTheCoefficients) {
  const auto list = workloads(8, 8);
  const Coefficients truth = known(0, 0);
  const MaxRateFit fit = fit_max_rate(samples_of(list, truth), 2);
  EXPECT_LT(fit.error, 0.01);
  for (const char* key : {"inside_startup_us", "inside_us_per_byte", "inside_128k_us_per_byte", "round_us"})
    EXPECT_NEAR(fit.coefficients.at(key), truth.at(key), 0.1 * truth.at(key)) << key;
  EXPECT_EQ(fit.coefficients.at("cores"), 2);
  EXPECT_EQ(fit.coefficients.at("startup_us"), 0) << "all messages stay within the node";
  const Workload other = work_of(on_nodes(Problem::alltoall(8, 1000), 8), "one-factor");
  EXPECT_NEAR(time_of(other, fit.coefficients), time_of(other, truth), 0.05 * time_of(other, truth));
}

TEST(FitMaxRate, SeparatesTheRateOfARankFromThatOfANode) {
  const auto list = workloads(12, 4);
  const MaxRateFit fit = fit_max_rate(samples_of(list, known(20, 0.01)), 2);
  EXPECT_LT(fit.error, 0.05);
  const Workload other = work_of(on_nodes(Problem::alltoall(12, 100000), 4), "one-factor");
  const double truth = time_of(other, known(20, 0.01));
  EXPECT_NEAR(time_of(other, fit.coefficients), truth, 0.2 * truth);
}

TEST(FitMaxRate, IsRobustAgainstADisturbedSample) {
  const auto list = workloads(8, 8);
  auto samples = samples_of(list, known(0, 0));
  const double before = time_of(list[7], fit_max_rate(samples, 2).coefficients);
  samples[6].seconds *= 20;
  EXPECT_NEAR(time_of(list[7], fit_max_rate(samples, 2).coefficients), before, 0.2 * before);
}

TEST(FitMaxRate, HasNoNegativeCoefficients) {
  auto samples = samples_of(workloads(4, 4), known(0, 0));
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i].seconds = 1e-6 / static_cast<double>(i + 1);
  for (const auto& [key, value] : fit_max_rate(samples, 0).coefficients) EXPECT_GE(value, 0) << key;
}

TEST(Price, ByAFitIsTheSumOfItsTerms) {
  const ExecutorFit fit{.coefficients = known(20, 0.01), .preset = {}, .date = {}};
  const Price price = price_by(fit, work_of(on_nodes(Problem::alltoall(8, 100), 4), "bruck:radix=2"));
  for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow}) {
    double sum = 0;
    for (const PriceTerm& term : price.terms_of(policy)) sum += term.seconds;
    EXPECT_NEAR(sum, price.seconds(policy), 1e-11);
  }
  EXPECT_LE(price.nonblocking_s, price.blocking_s);
  const Price steps = price_by(fit, work_of(on_nodes(Problem::alltoall(8, 100), 8), "shift"));
  EXPECT_NEAR(steps.blocking_s - steps.nonblocking_s, 6 * 2e-6, 1e-11) << "nonblocking saves the waits after six of seven rounds";
}

TEST(Price, OfRanksThatRunAheadHasNoWaits) {
  const auto rounds = [](const Workload& counted) {
    for (const PriceTerm& term : price_by({.coefficients = known(20, 0.01), .preset = {}, .date = {}}, counted).terms)
      if (term.name == "rounds") return term.amount;
    return Count{-1};
  };
  EXPECT_EQ(rounds(work_of(of_blocks(Collective::broadcast, 8, 100), "binomial")), 0);
  EXPECT_GT(rounds(work_of(of_blocks(Collective::broadcast, 8, 100), "scatter-allgather")), 0) << "all ranks wait for each other";
  EXPECT_EQ(rounds(work_of(Problem::alltoall(8, 100), "shift")), 7);
  EXPECT_EQ(rounds(work_of(Problem::alltoall(1, 100), "direct")), 0);
}

TEST(Preset, HasTheFiguresOfItsFile) {
  MachineCosts machine{.name = "preset", .description = {}, .source = {}};
  EXPECT_THROW(preset_fit(machine, Executor::hybrid, {}, 0), Error);
  machine.models["max-rate"] = known(20, 0.01);
  const ExecutorFit fit = preset_fit(machine, Executor::hybrid, {.ranks = 64, .nodes = 8, .ranks_of_node = 8}, 0);
  EXPECT_EQ(fit.preset, "preset");
  EXPECT_EQ(fit.coefficients, known(20, 0.01));
  EXPECT_EQ(fit.nodes, 8);
  EXPECT_EQ(preset_fit(machine, Executor::hybrid, {}, 16).coefficients.at("cores"), 16);
}

TEST(VendorFit, IsALineBetweenMeasuredSizes) {
  const VendorFit fit{.seconds = {{8, 1e-6}, {1000, 2e-6}, {10000, 5e-6}}, .date = {}};
  EXPECT_DOUBLE_EQ(seconds_by(fit, 1), 1e-6);
  EXPECT_DOUBLE_EQ(seconds_by(fit, 8), 1e-6);
  EXPECT_DOUBLE_EQ(seconds_by(fit, 504), 1.5e-6);
  EXPECT_DOUBLE_EQ(seconds_by(fit, 10000), 5e-6);
  EXPECT_DOUBLE_EQ(seconds_by(fit, 30000), 15e-6);
}

TEST(FitExecutors, IsTheSameOnAllRanks) {
  run_threads(3, [](Communicator& communicator) {
    const std::vector<ExecutorFit> fits = fit_executors(communicator, {.executors = {}, .seconds = 0.1});
    ASSERT_EQ(fits.size(), 1u);
    EXPECT_EQ(fits[0].ranks, 3);
    EXPECT_EQ(fits[0].ranks_of_node, 3);
    EXPECT_GE(fits[0].error, 0);
    EXPECT_EQ(fits[0].date.size(), 10u);
    const Price price = price_by(fits[0], work_of(Problem::alltoall(3, 1000), "shift"));
    EXPECT_GT(price.blocking_s, 0);
    EXPECT_TRUE(std::isfinite(price.blocking_s));
    double all[3];
    communicator.all_gather(&price.blocking_s, all, sizeof price.blocking_s);
    for (const double each : all) EXPECT_EQ(each, price.blocking_s);
    EXPECT_TRUE(fit_vendor(communicator, {Collective::alltoall, Collective::barrier}).empty()) << "threads have no vendor";
  });
  run_threads(1, [](Communicator& communicator) { EXPECT_TRUE(fit_executors(communicator).empty()); });
}

}  // namespace
}  // namespace quadrille
