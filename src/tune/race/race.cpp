// SPDX-License-Identifier: BSD-3-Clause
// Races candidates for one problem (race.hpp).
#include "tune/race/race.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <tuple>

#include "execute/executions/execution.hpp"
#include "foundation/assert.hpp"
#include "plan/gathered.hpp"
#include "plan/given_schedule.hpp"
#include "plan/placed.hpp"
#include "plan/plan.hpp"
#include "problem/limits.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/fit.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/race.hpp"
#include "quadrille/vendor_choice.hpp"
#include "schedule/regions.hpp"
#include "tune/median.hpp"
#include "tune/race/buffer_pairs.hpp"
#include "tune/race/clocks.hpp"
#include "tune/race/disturbances.hpp"
#include "tune/race/probe_data.hpp"

namespace quadrille {
namespace {

class Race {
 public:
  Race(Communicator& communicator, const Problem& problem, const RaceOptions& options)
      : communicator_(communicator),
        options_(options),
        stopwatch_(communicator),
        data_(probe_data(problem, communicator.rank(), options.operation)),
        buffers_(communicator, input_bytes(problem, communicator.rank()), output_bytes(problem, communicator.rank()),
                 options.shared_buffers, options.cold) {
    result_.problem = placed(communicator, problem);
    result_.fits = options.fits;
    result_.repetitions = options.repetitions;
    result_.buffer_pairs = buffers_.count();
  }

  RaceResult run(const std::vector<Way>& candidates) {
    for (const Way& candidate : candidates) enter(candidate);
    steps_.clear();
    assume_vendor();
    fill_buffers();
    for (std::size_t i = 0; i < plans_.size(); ++i) result_.entries[i].failed_check = checked(plans_[i]);
    if (!plans_.empty()) {
      measure();
      for (std::size_t i = 0; i < plans_.size(); ++i) result_.entries[i].phases = phases(plans_[i]);
    }
    return std::move(result_);
  }

 private:
  void enter(const Way& candidate) {
    const Problem& problem = result_.problem;
    RaceEntry entry{.candidate = candidate, .is_auto = options_.automatic == candidate};
    const PlanOptions plan_options = plan_options_of(candidate, {.operation = options_.operation});
    std::optional<Program> steps;  // this rank's program, if it is known before the run
    std::optional<Workload> counted;
    const auto count = [&](const Schedule& schedule) {
      entry.figures = figures(schedule);
      if (!result_.fits.empty()) counted = workload(schedule, {.nodes = true, .work = true});
    };
    try {
      if (const auto* family = std::get_if<Family>(&candidate.algorithm)) {
        const Result<Schedule> schedule = schedule_of(communicator_, *family, problem);
        if (!schedule) {
          result_.left_out.emplace_back(candidate, schedule.error());
          return;
        }
        plans_.push_back(plan(communicator_, *schedule, plan_options));
        count(*schedule);
        steps = steps_of(schedule->program(communicator_.rank()));
      } else if (const auto* choice = std::get_if<Choice>(&candidate.algorithm)) {
        if (const auto result = applies(problem, *choice); !result) {
          result_.left_out.emplace_back(candidate, result.error());
          return;
        }
        const Schedule schedule = make_schedule(problem, *choice);
        count(schedule);
        const Algorithm& algorithm = *choice->algorithm;
        if (!algorithm.incremental || !algorithm.incremental(problem, choice->parameters, communicator_.rank())) {
          steps = steps_of(schedule.program(communicator_.rank()));
          plans_.push_back(plan_schedule(communicator_, schedule, algorithm.needs_own_counts_only, plan_options));
        }
      }
      if (!steps) plans_.push_back(plan(communicator_, problem, plan_options));
    } catch (const Error& error) {
      // If the vendor lacks a collective, all ranks lack it, so it can be left out. Any other error ends the race.
      if (!candidate.is_vendor() || error.code() != ErrorCode::misuse) throw;
      result_.left_out.emplace_back(candidate, error.what());
      return;
    }
    execution_of(plans_.back()).stay();  // keeps the plan's memory, so that the timed executions never have to prepare it again
    entry.candidate.executor = plans_.back().executor();
    for (const ExecutorFit& fit : result_.fits)
      if (counted && fit.executor == entry.candidate.executor)
        entry.predicted_seconds = price_by(fit, *counted).seconds(candidate.policy);
    if (const auto same = same_before(entry.candidate, steps)) {
      RaceEntry& first = result_.entries[*same];
      first.is_auto = first.is_auto || entry.is_auto;
      if (candidate.algorithm != first.candidate.algorithm &&
          std::none_of(first.same_as.begin(), first.same_as.end(),
                       [&](const Way& other) { return candidate.algorithm == other.algorithm; }))
        first.same_as.push_back(candidate);
      plans_.pop_back();
      return;
    }
    entry.staging_bytes = largest(plans_.back().staging_bytes());
    result_.entries.push_back(std::move(entry));
    steps_.push_back(std::move(steps));
  }

  // Predicts the time of the MPI library's own choice. All ranks have the same entries, so either all or none ask for the
  // fingerprint.
  void assume_vendor() {
    for (RaceEntry& entry : result_.entries)
      if (entry.candidate.algorithm == Candidate(Vendor{}) && !result_.fits.empty())
        predict_vendor(entry, result_.problem, fingerprint(communicator_).mpi, result_.fits);
  }

  // Reduces a program to its operations, for comparison: drops the names of stages, and the rounds and stages in which this rank
  // has no operation. Sorts the receives of a round by sender, because the order of a round's messages, which are in flight
  // together, has no effect.
  static Program steps_of(Program program) {
    for (Round& round : program.rounds) for_all_regions(round, [](Regions& regions) { regions = merged_runs(regions); });
    for (Stage& stage : program.stages)
      stage = {"", stage.first_round, std::count_if(program.rounds.begin(), program.rounds.end(), [&](const Round& round) {
                 return round.number >= stage.first_round && round.number < stage.first_round + stage.round_count;
               })};
    std::erase_if(program.stages, [](const Stage& stage) { return stage.round_count == 0; });
    for (Round& round : program.rounds)
      std::stable_sort(round.receives.begin(), round.receives.end(),
                       [](const Message& a, const Message& b) { return a.peer < b.peer; });
    return program;
  }

  // Returns an earlier candidate with the same settings and, on every rank, the same program.
  std::optional<std::size_t> same_before(const Way& candidate, const std::optional<Program>& steps) {
    const auto settings = [](const Way& each) { return std::tuple(each.policy, each.buffers, each.executor, each.keep_step); };
    const std::size_t count = result_.entries.size();
    QUADRILLE_ASSERT(steps_.size() == count);
    if (count == 0) return std::nullopt;
    std::vector<char> mine(count), all(count * index(communicator_.size()));
    for (std::size_t i = 0; i < count; ++i)
      mine[i] = steps && steps == steps_[i] && settings(result_.entries[i].candidate) == settings(candidate);
    communicator_.all_gather(mine.data(), all.data(), static_cast<Bytes>(count));
    for (std::size_t i = 0; i < count; ++i) {
      bool same = true;
      for (std::size_t at = i; at < all.size(); at += count) same = same && all[at] != 0;
      if (same) return i;
    }
    return std::nullopt;
  }

  template <class Value>
  Value largest(Value mine) {
    const std::vector<Value> all = gathered(communicator_, mine);
    return *std::max_element(all.begin(), all.end());
  }

  // Fills all pairs, also those that are never checked. Otherwise the system would map all untouched memory to one zero page,
  // which is in the cache.
  void fill_buffers() {
    for (Count pair = 0; pair < buffers_.count(); ++pair) {
      data_->fill_input(0, buffers_.pair(pair).input);
      data_->spoil_output(0, buffers_.pair(pair).output);
    }
  }

  // Runs the plan once per pass. Returns the first error in its data, from the lowest rank that has one, or an empty text.
  std::string checked(Plan& plan) {
    std::string found;
    for (int pass = 0; pass < data_->pass_count() && found.empty(); ++pass) {
      const auto [input, output] = buffers_.next();
      data_->fill_input(pass, input);
      data_->spoil_output(pass, output);
      plan.execute(input, output);
      std::array<char, 200> sentence{};
      data_->compare_output(pass, output).copy(sentence.data(), sentence.size() - 1);
      for (const auto& each : gathered(communicator_, sentence))
        if (found.empty()) found = each.data();
    }
    return found;
  }

  void repeat(Plan& plan, Count runs) {
    for (Count i = 0; i < runs; ++i) {
      const auto [input, output] = buffers_.next();
      plan.execute(input, output);
    }
  }

  // Returns the seconds per run of each plan: the minimum over a few batches, to exclude cold and disturbed batches. Also warms
  // up.
  std::vector<double> warm_seconds(double batch, double& clock_bound) {
    std::vector<double> found;
    for (Plan& plan : plans_) {
      double seconds = 0;
      for (Count runs = 1; runs <= 1024; runs *= 4) {
        const auto spans = stopwatch_.time(3, [&](std::size_t) { repeat(plan, runs); });
        const Span span = *std::min_element(spans.begin(), spans.end(), [](Span x, Span y) { return x.seconds < y.seconds; });
        seconds = span.seconds / static_cast<double>(runs);
        clock_bound = std::max(clock_bound, span.bound);
        if (span.seconds >= batch) break;
      }
      found.push_back(std::max(seconds, 1e-9));
    }
    return found;
  }

  // Drops hopeless candidates, with two exceptions. The vendor's collective stays, because other times are shown relative to its
  // time. The fastest candidate of each executor stays, too.
  void leave_out_hopeless(std::vector<double>& seconds) {
    QUADRILLE_ASSERT(seconds.size() == plans_.size());
    std::map<Executor, double> least;
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      const auto [fastest, is_first] = least.try_emplace(result_.entries[i].candidate.executor, seconds[i]);
      if (!is_first) fastest->second = std::min(fastest->second, seconds[i]);
    }
    const double limit = options_.hopeless * *std::min_element(seconds.begin(), seconds.end());
    for (std::size_t i = plans_.size(); i-- > 0;) {
      const Way& candidate = result_.entries[i].candidate;
      if (seconds[i] <= limit || candidate.is_vendor() || seconds[i] == least[candidate.executor]) continue;
      result_.left_out.emplace_back(candidate,
                                    fmt::format("it takes more than {} times as long as the fastest", options_.hopeless));
      const auto at = static_cast<std::ptrdiff_t>(i);
      seconds.erase(seconds.begin() + at);
      plans_.erase(plans_.begin() + at);
      result_.entries.erase(result_.entries.begin() + at);
    }
    QUADRILLE_ASSERT(!plans_.empty());
  }

  // Returns the number of runs in a batch, which is equal for all candidates. A batch should take its share of the total time.
  // The shortest batch should be so long that its begin and end, and the error of the clocks' comparison, matter little.
  Count runs_per_batch() {
    if (options_.iterations) {
      for (Plan& plan : plans_) repeat(plan, *options_.iterations);
      return *options_.iterations;
    }
    constexpr double most_runs = 10000, least_batch = 200e-6;
    const auto share = [&] {
      return options_.seconds_per_problem / (options_.repetitions * static_cast<double>(batches_per_sample * plans_.size()));
    };
    double bound = 0;
    std::vector<double> seconds = warm_seconds(share(), bound);
    if (options_.hopeless > 0) leave_out_hopeless(seconds);
    const double mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
    const double shortest = *std::min_element(seconds.begin(), seconds.end());
    const double runs = std::max(share() / mean, std::max(least_batch, bound / tolerated_clock_error) / shortest);
    return std::llround(std::clamp(runs, 1.0, most_runs));
  }

  // Returns the mean time of each phase over the runs of a batch.
  Phases phases(Plan& plan) {
    Phases sum, mean;
    communicator_.barrier();
    for (Count run = 0; run < result_.runs_per_sample; ++run) {
      const auto [input, output] = buffers_.next();
      const Phases one = plan.execute_timed(input, output);
      for (const auto part : {&Phases::distribute_s, &Phases::communicate_s, &Phases::collect_s}) sum.*part += one.*part;
    }
    const double samples = static_cast<double>(result_.runs_per_sample) * static_cast<double>(communicator_.size());
    for (const Phases& each : gathered(communicator_, sum))
      for (const auto part : {&Phases::distribute_s, &Phases::communicate_s, &Phases::collect_s})
        mean.*part += each.*part / samples;
    return mean;
  }

  // The figures of one candidate from all repetitions.
  struct Measured {
    std::vector<std::vector<double>> samples;  // by repetition, then batch
    std::vector<double> seconds, ratios;       // by repetition
    std::vector<double> least, mean, most;     // least, mean and most over the ranks, by batch
    double bound = 0;

    void add(std::span<const Span> batches, double runs) {
      std::vector<double> times;
      for (const Span& batch : batches) {
        times.push_back(batch.seconds / runs);
        least.push_back(batch.least / runs), mean.push_back(batch.mean / runs), most.push_back(batch.most / runs);
        bound = std::max(bound, batch.bound / runs);
      }
      samples.push_back(times);
      seconds.push_back(median(times));
    }
  };

  void measure() {
    result_.runs_per_sample = runs_per_batch();
    const LoadMeter load;
    const std::size_t count = plans_.size();
    QUADRILLE_ASSERT(count == result_.entries.size() && result_.runs_per_sample > 0);
    std::vector<Measured> measured(count);
    const auto vendor = static_cast<std::size_t>(
        std::find_if(result_.entries.begin(), result_.entries.end(),
                     [](const RaceEntry& entry) { return entry.candidate.algorithm == Candidate(Vendor{}); }) -
        result_.entries.begin());
    std::mt19937_64 random(options_.seed);  // seeded alike, so all ranks draw the same orders
    std::vector<std::size_t> order(count);
    for (std::size_t i = 0; i < count; ++i) order[i] = i;
    ShuffledPlaces places(communicator_);
    for (int repetition = 0; repetition < options_.repetitions; ++repetition) {
      places.draw(random);
      if (options_.progress && communicator_.rank() == 0) options_.progress(repetition, options_.repetitions);
      std::shuffle(order.begin(), order.end(), random);
      const auto plan_of = [&](std::size_t batch) -> Plan& { return plans_[order[batch / batches_per_sample]]; };
      const std::vector<Span> batches = stopwatch_.time(
          count * batches_per_sample, [&](std::size_t batch) { repeat(plan_of(batch), result_.runs_per_sample); },
          [&](std::size_t batch) {
            if (batch % batches_per_sample == 0) repeat(plan_of(batch), options_.warm_up);
          });
      QUADRILLE_ASSERT(batches.size() == count * batches_per_sample);
      for (std::size_t at = 0; at < count; ++at)
        measured[order[at]].add(std::span(batches).subspan(at * batches_per_sample, batches_per_sample),
                                static_cast<double>(result_.runs_per_sample));
      if (vendor < count)
        for (Measured& each : measured) each.ratios.push_back(each.seconds.back() / measured[vendor].seconds.back());
    }
    result_.load = load.read(communicator_);
    std::vector<std::vector<double>> seconds;
    for (std::size_t i = 0; i < count; ++i) {
      record(measured[i], result_.entries[i]);
      seconds.push_back(std::move(measured[i].seconds));
    }
    result_.confidence = median_interval(seconds.front().size()).confidence;
    conclude(result_, seconds);
    std::vector<double> errors;
    for (const RaceEntry& entry : result_.entries)
      if (entry.predicted_seconds && !entry.assumed)
        errors.push_back(std::abs(*entry.predicted_seconds / entry.seconds.median - 1));
    if (!errors.empty()) result_.prediction_error = median(errors);
  }

  static void record(Measured& measured, RaceEntry& entry) {
    entry.seconds = spread_of(measured.seconds);
    if (!measured.ratios.empty()) entry.ratio = spread_of(measured.ratios);
    entry.samples_s = std::move(measured.samples);
    entry.clock_bound_s = measured.bound;
    entry.over_ranks = {.least = median(measured.least), .mean = median(measured.mean), .most = median(measured.most)};
  }

  Communicator& communicator_;
  const RaceOptions& options_;
  Stopwatch stopwatch_;
  const std::unique_ptr<ProbeData> data_;
  BufferPairs buffers_;  // declared before the plans, which use them
  std::vector<Plan> plans_;
  std::vector<std::optional<Program>> steps_;  // each plan's program, to recognise equal programs
  RaceResult result_;
};

}  // namespace

void check_memory(const Problem& problem) {
  const auto memory = static_cast<long double>(usable_memory());
  const auto of_rank = [&](Rank rank) {
    return static_cast<long double>(input_bytes(problem, rank)) + static_cast<long double>(output_bytes(problem, rank));
  };
  std::map<Count, long double> by_node;
  for (Rank rank = 0; rank < problem.ranks; ++rank)
    by_node[problem.nodes.empty() ? 0 : problem.nodes[index(rank)]] += of_rank(rank);
  long double needed = 0;
  for (const auto& [node, bytes] : by_node) needed = std::max(needed, bytes);
  if (needed > 0.8L * memory)
    throw Error(ErrorCode::too_large,
                fmt::format("{} ranks with {} need {:.1f} GiB for input and output; this machine has {:.1f} GiB", problem.ranks,
                            is_irregular(problem.collective) ? std::string("these counts")
                                                             : fmt::format("blocks of {} bytes", problem.block_bytes),
                            static_cast<double>(needed / (1 << 30)), static_cast<double>(memory / (1 << 30))));
}

std::string_view name(Conclusion conclusion) {
  static constexpr ByEnum<Conclusion, std::string_view, 5> names{{"wrong data", "too few repetitions", "noisy", "tied", "fastest"}};
  return names[conclusion];
}

RaceResult race(Communicator& communicator, const Problem& problem, const std::vector<Way>& candidates,
                const RaceOptions& options) {
  if (options.repetitions < 1 || options.iterations.value_or(1) < 1)
    throw Error(ErrorCode::misuse, "a race has at least one repetition, and a batch at least one run");
  check(problem);
  check_memory(placed(communicator, problem));
  return Race(communicator, problem, options).run(candidates);
}

void predict_vendor(RaceEntry& entry, const Problem& problem, std::string_view mpi, const std::vector<ExecutorFit>& fits) {
  const auto fit = std::find_if(fits.begin(), fits.end(), [](const ExecutorFit& each) { return each.executor == Executor::mpi; });
  const auto library = vendor_library_of(mpi);
  if (fit == fits.end() || !library) return;
  const auto algorithm = vendor_algorithm(library->id, problem);
  if (!algorithm) return;
  try {
    const auto equivalent = vendor_equivalent(library->id, problem, *algorithm);
    if (!equivalent) return;
    const Price price = price_by(*fit, workload(make_schedule(problem, *equivalent), {.nodes = true, .work = true}));
    entry.predicted_seconds = price.seconds(price.best_policy());
    entry.assumed = AssumedVendor{std::string(library->title), *algorithm, *equivalent};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::too_large) throw;
  }
}

}  // namespace quadrille
