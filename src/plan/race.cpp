// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/race.hpp"
#include "quadrille/traffic_patterns.hpp"

#include <fmt/format.h>
#include <sys/sysinfo.h>
#include <time.h>

#include <algorithm>
#include <boost/math/statistics/univariate_statistics.hpp>
#include <cmath>
#include <cstring>
#include <random>

#include "plan/placed.hpp"
#include "plan/probe_data.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {
namespace {

// The clock that all processes of a machine share.
std::int64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Whole pages, of this process's own memory or of what the ranks share.
std::shared_ptr<std::byte> buffer(Communicator& communicator, Bytes bytes, bool shared) {
  const Bytes length = ceil_divide(std::max<Bytes>(bytes, 1), 4096) * 4096;
  std::shared_ptr<std::byte> memory;
  try {
    if (shared)
      memory = communicator.allocate(length);
    else
      memory = {static_cast<std::byte*>(std::aligned_alloc(4096, static_cast<std::size_t>(length))), std::free};
  } catch (const std::bad_alloc&) {}
  if (!memory) throw Error(ErrorCode::too_large, fmt::format("there is no memory for a buffer of {} bytes", bytes));
  return memory;
}

Spread spread_of(std::vector<double> values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const Spread ends{0, *least, *most};
  return {boost::math::statistics::median(values), ends.least, ends.most};
}

template <class Value>
std::vector<Value> gathered(Communicator& communicator, Value mine) {
  std::vector<Value> all(static_cast<std::size_t>(communicator.size()));
  communicator.all_gather(&mine, all.data(), sizeof mine);
  return all;
}

// Seconds of one run in a batch of `runs`: last end minus first start.
double batch_seconds(Communicator& communicator, Plan& plan, Count runs, const std::byte* input, std::byte* output) {
  struct Interval {
    std::int64_t start, end;
  } mine{};
  communicator.barrier();
  mine.start = now_ns();
  for (Count run = 0; run < runs; ++run) plan.execute(input, output);
  mine.end = now_ns();
  const auto all = gathered(communicator, mine);
  const auto first =
      std::min_element(all.begin(), all.end(), [](const Interval& a, const Interval& b) { return a.start < b.start; })->start;
  const auto last =
      std::max_element(all.begin(), all.end(), [](const Interval& a, const Interval& b) { return a.end < b.end; })->end;
  return static_cast<double>(last - first) * 1e-9 / static_cast<double>(runs);
}

class Race {
 public:
  Race(Communicator& communicator, const Problem& problem, const RaceOptions& options)
      : communicator_(communicator),
        options_(options),
        data_(probe_data(problem, communicator.rank(), options.operation)),
        input_(buffer(communicator, input_bytes(problem, communicator.rank()), options.shared_buffers)),
        output_(buffer(communicator, output_bytes(problem, communicator.rank()), options.shared_buffers)) {
    result_.problem = placed(communicator, problem);
    result_.model = options.model ? *options.model : fit_model(communicator);
    result_.rounds = options.rounds;
  }

  RaceResult run(const std::vector<RaceCandidate>& candidates) {
    for (const RaceCandidate& candidate : candidates) enter(candidate);
    for (std::size_t i = 0; i < plans_.size(); ++i) result_.entries[i].failed_check = checked(plans_[i]);
    if (!plans_.empty()) {
      measure();
      for (std::size_t i = 0; i < plans_.size(); ++i) result_.entries[i].phases = phases(plans_[i]);
    }
    return std::move(result_);
  }

 private:
  void enter(const RaceCandidate& candidate) {
    const Problem& problem = result_.problem;
    RaceEntry entry{.candidate = candidate};
    try {
      if (candidate.algorithm != "vendor") {
        const Choice choice = parse_choice(problem, candidate.algorithm);
        if (const auto reason = reason_against(problem, choice)) {
          result_.left_out.emplace_back(candidate.algorithm, *reason);
          return;
        }
        const Schedule schedule = make_schedule(problem, choice);
        entry.candidate.algorithm = specification(schedule);
        entry.figures = figures(schedule);
        entry.predicted_seconds = predict(stage_figures(schedule), result_.model).seconds(candidate.policy);
      }
      plans_.push_back(plan(communicator_, problem,
                            {.algorithm = entry.candidate.algorithm,
                             .policy = candidate.policy,
                             .executor = candidate.executor,
                             .buffers = candidate.buffers,
                             .operation = options_.operation,
                             .keep_step = candidate.keep_step}));
    } catch (const Error& error) {
      // What does not apply, does not apply on all ranks alike; anything else ends the race.
      if (candidate.algorithm != "vendor" || error.code() != ErrorCode::misuse) throw;
      result_.left_out.emplace_back(candidate.algorithm, error.what());
      return;
    }
    entry.candidate.executor = plans_.back().executor();
    entry.staging_bytes = largest(plans_.back().staging_bytes());
    result_.entries.push_back(std::move(entry));
  }

  template <class Value>
  Value largest(Value mine) {
    const std::vector<Value> all = gathered(communicator_, mine);
    return *std::max_element(all.begin(), all.end());
  }

  // What is wrong with a candidate's data, at the first rank where something is.
  std::string checked(Plan& plan) {
    std::string found;
    for (int pass = 0; pass < data_->pass_count() && found.empty(); ++pass) {
      data_->fill_input(pass, input_.get());
      data_->spoil_output(pass, output_.get());
      plan.execute(input_.get(), output_.get());
      std::array<char, 200> sentence{};
      data_->compare_output(pass, output_.get()).copy(sentence.data(), sentence.size() - 1);
      for (const auto& each : gathered(communicator_, sentence))
        if (found.empty()) found = each.data();
    }
    return found;
  }

  double timed(Plan& plan, Count runs) { return batch_seconds(communicator_, plan, runs, input_.get(), output_.get()); }

  // A sample of one candidate in one round: the median of a few batches.
  static constexpr int batches_per_sample = 5;

  // The same number of runs for all candidates, so that one batch takes its share of the time. Also warms up.
  Count runs_per_batch() {
    const double batch = options_.seconds_per_problem / (options_.rounds * batches_per_sample * static_cast<double>(plans_.size()));
    double total = 0;
    for (Plan& plan : plans_) {
      double seconds = std::min(timed(plan, 1), timed(plan, 1));  // the first run is cold
      for (Count runs = 4; seconds * static_cast<double>(runs) < batch && runs <= 1024; runs *= 4) seconds = timed(plan, runs);
      total += seconds;
    }
    const double mean = std::max(total / static_cast<double>(plans_.size()), 1e-9);
    return std::clamp<Count>(static_cast<Count>(std::llround(batch / mean)), 1, 10000);
  }

  // Where the time of a batch of runs goes.
  Phases phases(Plan& plan) {
    Phases sum, mean;
    communicator_.barrier();
    for (Count run = 0; run < result_.runs_per_sample; ++run) {
      const Phases one = plan.execute_timed(input_.get(), output_.get());
      for (const auto part : {&Phases::distribute_s, &Phases::communicate_s, &Phases::collect_s}) sum.*part += one.*part;
    }
    const double samples = static_cast<double>(result_.runs_per_sample) * static_cast<double>(communicator_.size());
    for (const Phases& each : gathered(communicator_, sum))
      for (const auto part : {&Phases::distribute_s, &Phases::communicate_s, &Phases::collect_s})
        mean.*part += each.*part / samples;
    return mean;
  }

  void measure() {
    result_.runs_per_sample = runs_per_batch();
    const std::size_t count = plans_.size();
    std::vector<std::vector<double>> seconds(count), ratios(count);
    const auto vendor =
        static_cast<std::size_t>(std::find_if(result_.entries.begin(), result_.entries.end(),
                                              [](const RaceEntry& entry) { return entry.candidate.algorithm == "vendor"; }) -
                                 result_.entries.begin());
    std::mt19937_64 random(options_.seed);  // all ranks draw the same orders
    std::vector<std::size_t> order(count);
    for (std::size_t i = 0; i < count; ++i) order[i] = i;
    for (int round = 0; round < options_.rounds; ++round) {
      if (options_.progress && communicator_.rank() == 0) options_.progress(round, options_.rounds);
      std::shuffle(order.begin(), order.end(), random);
      for (const std::size_t i : order) {
        std::vector<double> batches;
        for (int batch = 0; batch < batches_per_sample; ++batch) batches.push_back(timed(plans_[i], result_.runs_per_sample));
        seconds[i].push_back(boost::math::statistics::median(batches));
      }
      if (vendor < count)
        for (std::size_t i = 0; i < count; ++i) ratios[i].push_back(seconds[i].back() / seconds[vendor].back());
    }
    for (std::size_t i = 0; i < count; ++i) {
      result_.entries[i].seconds = spread_of(seconds[i]);
      if (vendor < count) result_.entries[i].ratio = spread_of(ratios[i]);
    }
  }

  Communicator& communicator_;
  const RaceOptions& options_;
  const std::unique_ptr<ProbeData> data_;
  std::shared_ptr<std::byte> input_, output_;  // outlive the plans
  std::vector<Plan> plans_;
  RaceResult result_;
};

}  // namespace

FlatModel fit_model(Communicator& communicator) {
  constexpr Bytes small = 8;
  constexpr double seconds_per_fit = 0.1;
  constexpr int samples = 5;
  const Count p = communicator.size();
  FlatModel model;
  model.name = "fitted";
  model.description = fmt::format("{} ranks on {}, as they are now", p, communicator.transport());
  if (p == 1) return model;
  const Bytes large = std::clamp<Bytes>((Bytes{1} << 24) / (p * p), 64, 65536);  // 16 MiB among all ranks, if they are not many
  const auto input = buffer(communicator, p * large, false), output = buffer(communicator, p * large, false);
  std::memset(input.get(), 0, static_cast<std::size_t>(p * large));
  const auto time_of = [&](const Problem& problem, Policy policy) {
    Plan shift = plan(communicator, problem, {.algorithm = "shift", .policy = policy});
    const auto seconds = [&](Count runs) { return batch_seconds(communicator, shift, runs, input.get(), output.get()); };
    seconds(1);  // cold
    const auto runs = static_cast<Count>(std::clamp(seconds_per_fit / samples / std::max(1e-7, seconds(1)), 1.0, 64.0));
    std::vector<double> times;
    for (int i = 0; i < samples; ++i) times.push_back(seconds(runs));
    return boost::math::statistics::median(times);
  };
  const auto rounds = static_cast<double>(p - 1);
  const double of_small = time_of(alltoall(p, small), Policy::blocking) / rounds,
               of_large = time_of(alltoall(p, large), Policy::blocking) / rounds;
  model.wire_s_per_byte = std::max(0.0, (of_large - of_small) / static_cast<double>(large - small));
  model.startup_s = std::max(0.0, of_small - model.wire_s_per_byte * static_cast<double>(small));

  // In a permutation every rank has one message, but the steps in which these are due add up to many. Ranks that need not
  // keep step do better than that: by how much is the contention factor.
  const Problem uneven = make_traffic(p, {.kind = TrafficKind::permutation, .most = large, .small = 0, .typical = large});
  const std::vector<StageFigures> figures = stage_figures(make_schedule(uneven, "shift"));
  const auto load = static_cast<double>(figures.front().load), volume = static_cast<double>(figures.front().volume);
  if (model.wire_s_per_byte > 0 && volume > load)
    model.contention = std::clamp(time_of(uneven, Policy::nonblocking) / (load * model.wire_s_per_byte), 1.0, volume / load);
  return model;
}

void check_memory(const Problem& problem) {
  struct sysinfo machine {};
  sysinfo(&machine);
  const auto memory = static_cast<long double>(machine.totalram) * machine.mem_unit;
  const auto of_rank = [&](Rank rank) {
    return static_cast<long double>(input_bytes(problem, rank)) + static_cast<long double>(output_bytes(problem, rank));
  };
  long double needed = 0;
  if (is_rooted(problem.collective) || is_irregular(problem.collective))
    for (Rank rank = 0; rank < problem.ranks; ++rank) needed += of_rank(rank);
  else
    needed = static_cast<long double>(problem.ranks) * of_rank(0);
  if (needed > 0.8L * memory)
    throw Error(ErrorCode::too_large,
                fmt::format("{} ranks with {} need {:.1f} GiB for input and output; this machine has {:.1f} GiB", problem.ranks,
                            is_irregular(problem.collective) ? std::string("these counts")
                                                             : fmt::format("blocks of {} bytes", problem.block_bytes),
                            static_cast<double>(needed / (1 << 30)), static_cast<double>(memory / (1 << 30))));
}

RaceResult race(Communicator& communicator, const Problem& problem, const std::vector<RaceCandidate>& candidates,
                const RaceOptions& options) {
  check(problem);
  check_memory(problem);
  return Race(communicator, problem, options).run(candidates);
}

}  // namespace quadrille
