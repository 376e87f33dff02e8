// SPDX-License-Identifier: BSD-3-Clause
#include "tune/audit/audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>

#include "execute/executions/execution.hpp"
#include "plan/gathered.hpp"
#include "plan/placed.hpp"
#include "quadrille/indexed.hpp"
#include "tune/median.hpp"
#include "tune/race/clocks.hpp"
#include "tune/race/disturbances.hpp"
#include "tune/race/probe_data.hpp"

namespace quadrille {
namespace {

// Compares the fields in which two problems of an audit can differ. Counts are compared by value, because each mock-up makes its
// own lists.
bool asks_the_same(const Problem& a, const Problem& b) {
  const bool same_counts = a.counts == b.counts || (a.counts && b.counts && *a.counts == *b.counts);
  return same_counts && a.collective == b.collective && a.block_bytes == b.block_bytes && a.root == b.root &&
         a.element_bytes == b.element_bytes;
}

// A plan and the problem it solves. Operators need not be compared: all reductions of an audit use the same one.
struct Planned {
  Library library;
  Problem problem;
  Plan plan;
};

// What this rank runs for one side of a guideline.
struct Work {
  MockUp mock_up;
  Library library = Library::ours;
  std::vector<std::size_t> plans;  // indices of the calls' plans, in order
  std::string failed_check;

  // Returns the call if this work is one call on the caller's buffers, so that other guidelines can use the work, too; otherwise
  // null. All ranks get an equal call.
  const Call* single_call() const {
    const Call* call = mock_up.steps.size() == 1 ? std::get_if<Call>(&mock_up.steps.front()) : nullptr;
    return call && call->input.place == Place::input && call->output.place == Place::output ? call : nullptr;
  }
};

class Audit {
 public:
  Audit(Communicator& communicator, Collective collective, Bytes block_bytes, const AuditOptions& options)
      : communicator_(communicator), options_(options), stopwatch_(communicator) {
    result_.collective = collective;
    result_.block_bytes = moves_data(collective) ? block_bytes : 0;
  }

  AuditResult run() {
    for (const Guideline& guideline : options_.guidelines)
      if (guideline.left == result_.collective) enter(guideline);
    if (works_.empty()) return std::move(result_);
    for (std::size_t place = 0; place < extents_.size(); ++place) {
      buffers_[place] = buffer(communicator_, extents_[place], false);
      // Fills with zeros, which are valid numbers: a mock-up may combine operands that lie behind the end of a vector.
      std::memset(buffers_[place].get(), 0, index(extents_[place]));
    }
    for (Work& work : works_) work.failed_check = checked(work);
    measure();
    return std::move(result_);
  }

 private:
  struct Sides {
    std::size_t left, right;  // indices into works_
  };

  void enter(const Guideline& guideline) {
    const std::shared_ptr<const Operator> operation = is_reduction(guideline.left) ? options_.operation : nullptr;
    const Setting setting{placed(communicator_, left_side(guideline, communicator_.size(), result_.block_bytes, operation.get())),
                          operation, communicator_.rank()};
    const MockUp left{setting.problem, {Call{setting.problem, operation, {Place::input}, {Place::output}}}};
    const Result<MockUp> right = guideline.make(setting);
    if (!right) {
      result_.left_out.emplace_back(name(guideline), right.error());
      return;
    }
    for (const Library library : options_.libraries) enter(guideline, library, left, *right);
  }

  void enter(const Guideline& guideline, Library library, const MockUp& left, const MockUp& right) {
    try {
      const std::size_t left_work = work_of(library, left);
      sides_.push_back({left_work, work_of(library, right)});
    } catch (const Error& error) {
      // If the vendor lacks a collective, all ranks lack it, so it can be left out. Any other error ends the audit.
      if (library != Library::vendor || error.code() != ErrorCode::misuse) throw;
      result_.left_out.emplace_back(name(guideline), error.what());
      return;
    }
    result_.comparisons.push_back({.guideline = &guideline,
                                   .library = library,
                                   .left = algorithms(works_[sides_.back().left]),
                                   .right = algorithms(works_[sides_.back().right])});
  }

  std::size_t work_of(Library library, MockUp mock_up) {
    Work work{std::move(mock_up), library};
    if (const Call* call = work.single_call())
      for (std::size_t i = 0; i < works_.size(); ++i) {
        const Call* const other = works_[i].single_call();
        if (works_[i].library == library && other && asks_the_same(other->problem, call->problem)) return i;
      }
    for (const Step& step : work.mock_up.steps) {
      if (const Call* call = std::get_if<Call>(&step)) work.plans.push_back(plan_of(library, *call));
      extend(step);
    }
    works_.push_back(std::move(work));
    return works_.size() - 1;
  }

  std::size_t plan_of(Library library, const Call& call) {
    for (std::size_t i = 0; i < plans_.size(); ++i)
      if (plans_[i].library == library && asks_the_same(plans_[i].problem, call.problem)) return i;
    check_memory(call.problem);
    PlanOptions plan_options{.operation = call.operation};
    if (library == Library::vendor) plan_options.algorithm = Vendor{};
    plans_.push_back({library, call.problem, plan(communicator_, call.problem, plan_options)});
    // Keeps the plan's memory, so that no timed execution has to prepare memory again.
    execution_of(plans_.back().plan).stay();
    return plans_.size() - 1;
  }

  std::vector<std::string> algorithms(const Work& work) const {
    std::vector<std::string> names;
    for (const std::size_t plan : work.plans) names.push_back(plans_[plan].plan.algorithm());
    return names;
  }

  // Enlarges the required buffer lengths to what the step needs.
  void extend(const Step& step) {
    const auto reach = [&](Place place, Bytes end) {
      Bytes& extent = extents_[static_cast<std::size_t>(place)];
      extent = std::max(extent, end);
    };
    if (const auto* call = std::get_if<Call>(&step)) {
      reach(call->input.place, call->input.offset + input_bytes(call->problem, communicator_.rank()));
      reach(call->output.place, call->output.offset + output_bytes(call->problem, communicator_.rank()));
    } else if (const auto* copy = std::get_if<CopyPieces>(&step)) {
      reach(copy->source.place, copy->source.offset + (copy->pieces - 1) * copy->source_stride + copy->length);
      reach(copy->target.place, copy->target.offset + (copy->pieces - 1) * copy->target_stride + copy->length);
    } else if (const auto* clear = std::get_if<Clear>(&step)) {
      reach(clear->place, clear->length);
    }
  }

  std::byte* at(const Spot& spot) const { return buffers_[static_cast<std::size_t>(spot.place)].get() + spot.offset; }

  void run(const Work& work) {
    std::size_t calls = 0;
    for (const Step& step : work.mock_up.steps) {
      if (const auto* call = std::get_if<Call>(&step)) {
        plans_[work.plans[calls++]].plan.execute(at(call->input), at(call->output));
      } else if (const auto* copy = std::get_if<CopyPieces>(&step)) {
        for (Count i = 0; i < copy->pieces; ++i)
          std::memcpy(at(copy->target) + i * copy->target_stride, at(copy->source) + i * copy->source_stride, index(copy->length));
      } else if (const auto* clear = std::get_if<Clear>(&step)) {
        std::memset(at({clear->place}), 0, index(clear->length));
      } else if (const auto* local = std::get_if<CombineInto>(&step)) {
        const Operator& operation = *options_.operation;
        operation.combine(at({local->source}), at({local->target}), local->length / operation.element_bytes,
                          OperandOrder::target_first);
      }
    }
  }

  // Runs the work once per pass. Returns the first error in the data, from the lowest rank that has one, or an empty text.
  std::string checked(const Work& work) {
    const auto data = probe_data(work.mock_up.problem, communicator_.rank(), options_.operation);
    std::string found;
    for (int pass = 0; pass < data->pass_count() && found.empty(); ++pass) {
      data->fill_input(pass, at({Place::input}));
      data->spoil_output(pass, at({Place::output}));
      run(work);
      std::array<char, 200> sentence{};
      data->compare_output(pass, at({Place::output})).copy(sentence.data(), sentence.size() - 1);
      for (const auto& each : gathered(communicator_, sentence))
        if (found.empty()) found = each.data();
    }
    return found;
  }

  void repeat(const Work& work, Count runs) {
    for (Count i = 0; i < runs; ++i) run(work);
  }

  // Returns the number of runs in a batch, which is equal for all works, as in a race. A batch should take its share of the total
  // time, and the shortest batch should be long enough for the error of the clocks' comparison to be tolerable. The runs that
  // measure this also warm up.
  Count runs_per_batch() {
    constexpr double most_runs = 10000;
    const double batch = options_.seconds / (options_.repetitions * static_cast<double>(batches_per_sample * works_.size()));
    double total = 0, shortest = 1e9, bound = 0;
    for (const Work& work : works_) {
      double seconds = 0;  // of one run: the minimum of a few batches, to exclude cold and disturbed batches
      for (Count runs = 1; runs <= 1024; runs *= 4) {
        const auto spans = stopwatch_.time(3, [&](std::size_t) { repeat(work, runs); });
        const Span span = *std::min_element(spans.begin(), spans.end(), [](Span x, Span y) { return x.seconds < y.seconds; });
        seconds = span.seconds / static_cast<double>(runs);
        bound = std::max(bound, span.bound);
        if (span.seconds >= batch) break;
      }
      total += seconds;
      shortest = std::min(shortest, seconds);
    }
    const double mean = std::max(total / static_cast<double>(works_.size()), 1e-9);
    const double runs = std::max(batch / mean, bound / tolerated_clock_error / std::max(shortest, 1e-9));
    return std::llround(std::clamp(runs, 1.0, most_runs));
  }

  void measure() {
    result_.runs_per_sample = runs_per_batch();
    const LoadMeter load;
    const std::size_t count = works_.size();
    const auto runs = static_cast<double>(result_.runs_per_sample);
    std::vector<double> bounds(count);
    std::vector<std::vector<double>> seconds(count);
    std::mt19937_64 random(options_.seed);  // seeded alike, so all ranks draw the same orders
    std::vector<std::size_t> order(count);
    for (std::size_t i = 0; i < count; ++i) order[i] = i;
    for (int repetition = 0; repetition < options_.repetitions; ++repetition) {
      if (options_.progress && communicator_.rank() == 0) options_.progress(repetition, options_.repetitions);
      std::shuffle(order.begin(), order.end(), random);
      const std::vector<Span> batches = stopwatch_.time(count * batches_per_sample, [&](std::size_t batch) {
        repeat(works_[order[batch / batches_per_sample]], result_.runs_per_sample);
      });
      for (std::size_t at = 0; at < count; ++at) {
        std::vector<double> samples;
        for (std::size_t batch = at * batches_per_sample; batch < (at + 1) * batches_per_sample; ++batch) {
          samples.push_back(batches[batch].seconds / runs);
          bounds[order[at]] = std::max(bounds[order[at]], batches[batch].bound / runs);
        }
        seconds[order[at]].push_back(median(samples));
      }
    }
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      const auto [left, right] = sides_[i];
      Audited& comparison = result_.comparisons[i];
      comparison.left_s = spread_of(seconds[left]);
      comparison.right_s = spread_of(seconds[right]);
      comparison.ratio = ratio_by_repetitions(seconds[left], seconds[right]);
      comparison.clock_bound_s = std::max(bounds[left], bounds[right]);
      comparison.failed_check = works_[left].failed_check.empty() ? works_[right].failed_check : works_[left].failed_check;
    }
    result_.load = load.read(communicator_);
    result_.confidence = median_interval(index(options_.repetitions)).confidence;
  }

  Communicator& communicator_;
  const AuditOptions& options_;
  Stopwatch stopwatch_;
  std::array<Bytes, 4> extents_{1, 1, 1, 1};           // required buffer lengths, indexed by Place
  std::array<std::shared_ptr<std::byte>, 4> buffers_;  // declared before the plans, which use them
  std::vector<Planned> plans_;
  std::vector<Work> works_;
  std::vector<Sides> sides_;  // by comparison
  AuditResult result_;
};

}  // namespace

std::string_view name(Library library) { return library == Library::vendor ? "vendor" : "ours"; }

std::string_view name(Judgement judgement) {
  static constexpr ByEnum<Judgement, std::string_view, 4> names{{"held", "violated", "open", "wrong data"}};
  return names[judgement];
}

Spread ratio_by_repetitions(const std::vector<double>& left, const std::vector<double>& right) {
  std::vector<double> ratios;
  for (std::size_t repetition = 0; repetition < left.size(); ++repetition) ratios.push_back(left[repetition] / right[repetition]);
  return spread_of(std::move(ratios));
}

Judgement Audited::judgement(double tolerance) const {
  if (!failed_check.empty()) return Judgement::wrong_data;
  if (ratio.lower > tolerance) return Judgement::violated;
  return ratio.upper <= tolerance ? Judgement::held : Judgement::open;
}

AuditResult audit(Communicator& communicator, Collective collective, Bytes block_bytes, const AuditOptions& options) {
  if (is_reduction(collective) && !options.operation)
    throw Error(ErrorCode::misuse, fmt::format("{} needs an operator", name(collective)));
  return Audit(communicator, collective, block_bytes, options).run();
}

}  // namespace quadrille
