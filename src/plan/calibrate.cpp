// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/statistics/univariate_statistics.hpp>
#include <cmath>
#include <cstring>
#include <functional>

#include "plan/timing.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/race.hpp"
#include "quadrille/traffic.hpp"
#include "quadrille/traffic_patterns.hpp"

namespace quadrille {
namespace {

constexpr Bytes smallest = 8, piece = 64;
constexpr int samples_per_time = 5;

class Measuring {
 public:
  Measuring(Communicator& communicator, Executor executor, double seconds_per_time)
      : communicator_(communicator),
        stopwatch_(communicator),
        executor_(executor),
        seconds_(seconds_per_time),
        ranks_(communicator.size()),
        // 16 MiB among all ranks, if they are not many
        longest_(std::clamp<Bytes>((Bytes{1} << 24) / (ranks_ * ranks_), 8 * piece, 65536)),
        input_(buffer(communicator, 2 * ranks_ * longest_, false)),
        output_(buffer(communicator, 2 * ranks_ * longest_, false)) {
    for (std::byte* memory : {input_.get(), output_.get()}) std::memset(memory, 0, index(2 * ranks_ * longest_));
  }

  Bytes longest() const { return longest_; }

  // Sizes of messages in powers of eight.
  std::vector<Bytes> sizes() const {
    std::vector<Bytes> list;
    for (Bytes bytes = smallest; bytes < longest_; bytes *= 8) list.push_back(bytes);
    list.push_back(longest_);
    return list;
  }

  // The median of a few batches.
  Span time_of(const Problem& problem, std::string_view algorithm, Policy policy) {
    Plan made = plan(communicator_, problem, {.algorithm = std::string(algorithm), .policy = policy, .executor = executor_});
    return median_of([&] { made.execute(input_.get(), output_.get()); });
  }

  // A byte that every rank copies in runs of `length` bytes, which lie two lengths apart where they are read.
  double copying_s_per_byte(Bytes length, Bytes apart) {
    const Bytes total = ranks_ * longest_ / length * length;
    const Span copying = median_of([&] {
      for (Bytes at = 0; at < total; at += length)
        std::memcpy(output_.get() + at, input_.get() + at / length * apart, index(length));
    });
    return copying.seconds / static_cast<double>(total);
  }

  // A line through the times of `rounds` equal rounds.
  template <class ProblemOf>
  LineFit line(std::string of, std::string_view algorithm, Count rounds, const ProblemOf& problem_of) {
    std::vector<LineFit::Sample> samples;
    for (const Bytes bytes : sizes()) {
      const Span all = time_of(problem_of(bytes), algorithm, Policy::blocking);
      samples.push_back({bytes, all.seconds / static_cast<double>(rounds), all.bound / static_cast<double>(rounds)});
    }
    return fit_line(std::move(of), std::move(samples));
  }

 private:
  // Of one run.
  Span median_of(const std::function<void()>& run) {
    constexpr double most_runs = 4096;
    const auto batches = [&](std::size_t count, Count runs) {
      return stopwatch_.time(count, [&](std::size_t) {
        for (Count i = 0; i < runs; ++i) run();
      });
    };
    const auto first = batches(4, 1);  // some are cold or disturbed
    const Span warm = *std::min_element(first.begin(), first.end(), [](Span x, Span y) { return x.seconds < y.seconds; });
    const double batch_s = std::max(seconds_ / samples_per_time, warm.bound / tolerated_clock_error);
    const auto runs = static_cast<Count>(std::clamp(batch_s / std::max(1e-7, warm.seconds), 1.0, most_runs));
    std::vector<double> times;
    double bound = 0;
    for (const Span& batch : batches(samples_per_time, runs)) {
      times.push_back(batch.seconds / static_cast<double>(runs));
      bound = std::max(bound, batch.bound / static_cast<double>(runs));
    }
    return {std::max(1e-9, boost::math::statistics::median(times)), bound};
  }

  Communicator& communicator_;
  Stopwatch stopwatch_;
  const Executor executor_;
  const double seconds_;
  const Count ranks_;
  const Bytes longest_;
  const std::shared_ptr<std::byte> input_, output_;
};

// In a permutation every rank has one message, but the steps in which these are due add up to many. Ranks that need not keep step
// do better than that: by how much is the contention factor.
std::optional<double> contention(Measuring& measuring, Count ranks, double s_per_byte) {
  const Bytes longest = measuring.longest();
  const Problem uneven = make_traffic(ranks, {.kind = TrafficKind::permutation, .most = longest, .small = 0, .typical = longest});
  const StageFigures figures = stage_figures(make_schedule(uneven, "shift")).front();
  const auto load = static_cast<double>(figures.load), volume = static_cast<double>(figures.volume);
  if (s_per_byte <= 0 || volume <= load) return std::nullopt;
  return std::clamp(measuring.time_of(uneven, "shift", Policy::nonblocking).seconds / (load * s_per_byte), 1.0, volume / load);
}

// To four digits, which is more than there is to know.
double rounded(double value) {
  if (value <= 0) return 0;
  const double scale = std::pow(10, 3 - std::floor(std::log10(value)));
  return std::round(value * scale) / scale;
}

double in_microseconds(double seconds) { return rounded(seconds * 1e6); }

// What one message more takes a rank: where it also receives one for each that it sends, and where it does not.
Coefficients loggp(Measuring& measuring, Count ranks, const LineFit& round) {
  const auto of_further = [&](double all_s, double first_s) {
    return std::max(0.0, all_s - first_s) / static_cast<double>(ranks - 2);
  };
  const auto time_of = [&](const Problem& problem, std::string_view algorithm) {
    return measuring.time_of(problem, algorithm, Policy::nonblocking).seconds;
  };
  const double both = of_further(time_of(alltoall(ranks, smallest), "direct"), round.at(smallest));
  Problem scatter = alltoall(ranks, smallest);
  scatter.collective = Collective::scatter;
  const Problem single = alltoallv(ranks, std::vector<TrafficEntry>{{.from = 0, .to = 1, .bytes = smallest}});
  const double one_way = of_further(time_of(scatter, "linear"), time_of(single, "direct"));
  const double overhead = std::min(both, round.startup_s) / 2;
  return {{"latency_us", in_microseconds(round.startup_s - 2 * overhead)},
          {"overhead_us", in_microseconds(overhead)},
          {"gap_us", in_microseconds(std::min(both, one_way))},
          {"gap_us_per_byte", in_microseconds(round.s_per_byte)}};
}

// Two ranks exchange, all others wait.
LineFit pair_line(Measuring& measuring, Count ranks, Rank one, Rank other, std::string of) {
  return measuring.line(std::move(of), "shift", 1, [&](Bytes bytes) {
    return alltoallv(
        ranks, std::vector<TrafficEntry>{{.from = one, .to = other, .bytes = bytes}, {.from = other, .to = one, .bytes = bytes}});
  });
}

// Nothing on one node.
std::optional<Coefficients> cluster(Measuring& measuring, const std::vector<Count>& nodes, std::vector<LineFit>& fits) {
  const auto ranks = size(nodes);
  const auto elsewhere = std::find_if(nodes.begin(), nodes.end(), [&](Count node) { return node != nodes[0]; });
  if (elsewhere == nodes.end()) return std::nullopt;
  const LineFit between = fits.emplace_back(pair_line(measuring, ranks, 0, elsewhere - nodes.begin(), "an exchange between nodes"));
  Coefficients costs{{"startup_us", in_microseconds(between.startup_s)},
                     {"transfer_us_per_byte", in_microseconds(between.s_per_byte)},
                     {"inside_startup_us", 0},
                     {"inside_us_per_byte", 0},
                     {"node_ports", 1}};
  const auto mate = std::find(nodes.begin() + 1, nodes.end(), nodes[0]);
  if (mate == nodes.end()) return costs;
  const LineFit inside = fits.emplace_back(pair_line(measuring, ranks, 0, mate - nodes.begin(), "an exchange inside a node"));
  costs["inside_startup_us"] = in_microseconds(inside.startup_s);
  costs["inside_us_per_byte"] = in_microseconds(inside.s_per_byte);
  return costs;
}

Count shift_rounds(Communicator& communicator) { return communicator.size() - 1; }

}  // namespace

double LineFit::error(const Sample& sample) const { return at(sample.bytes) / sample.seconds - 1; }

double LineFit::worst_error() const {
  double worst = 0;
  for (const Sample& sample : samples) worst = std::max(worst, std::abs(error(sample)));
  return worst;
}

// Least squares of startup x + s_per_byte y = 1 over x = 1 / seconds and y = bytes / seconds.
LineFit fit_line(std::string of, std::vector<LineFit::Sample> samples) {
  double xx = 0, xy = 0, yy = 0, sum_x = 0, sum_y = 0;
  for (const LineFit::Sample& sample : samples) {
    const double x = 1 / sample.seconds, y = static_cast<double>(sample.bytes) / sample.seconds;
    xx += x * x, xy += x * y, yy += y * y, sum_x += x, sum_y += y;
  }
  LineFit fit{.of = std::move(of), .samples = std::move(samples)};
  const double determinant = xx * yy - xy * xy;
  if (determinant > 0) {
    fit.startup_s = (yy * sum_x - xy * sum_y) / determinant;
    fit.s_per_byte = (xx * sum_y - xy * sum_x) / determinant;
  }
  if (determinant <= 0 || fit.s_per_byte < 0) fit.startup_s = sum_x / xx, fit.s_per_byte = 0;
  if (fit.startup_s < 0) fit.startup_s = 0, fit.s_per_byte = sum_y / yy;
  return fit;
}

std::vector<std::string> Calibration::remarks() const {
  std::vector<std::string> lines;
  for (const LineFit& fit : fits) lines.push_back(fmt::format("{}: off by {:.0f} % at most", fit.of, 100 * fit.worst_error()));
  lines.insert(lines.end(), missing.begin(), missing.end());
  return lines;
}

Calibration calibrate(Communicator& communicator, const CalibrateOptions& options) {
  const Count p = communicator.size();
  if (p == 1) throw Error(ErrorCode::misuse, "one rank alone exchanges nothing; calibrate with two at least");
  Measuring measuring(communicator, options.executor, options.seconds / 12);
  Calibration result;
  MachineCosts& machine = result.machine;
  machine = {.name = "this-machine",
             .description = fmt::format("{} ranks on {}", p, communicator.transport_name()),
             .source = "quadrille calibrate"};
  const LineFit round = result.fits.emplace_back(measuring.line("a round of an exchange", "shift", shift_rounds(communicator),
                                                                [&](Bytes bytes) { return alltoall(p, bytes); }));
  result.copy_s_per_byte = measuring.copying_s_per_byte(measuring.longest(), measuring.longest());
  result.gather_s_per_byte = measuring.copying_s_per_byte(piece, 2 * piece);
  const double copy = std::min(result.copy_s_per_byte, round.s_per_byte);
  Coefficients flat{{"startup_us", in_microseconds(round.startup_s)},
                    {"compose_us_per_byte", in_microseconds(std::max(0.0, result.gather_s_per_byte - result.copy_s_per_byte))},
                    {"copy_us_per_byte", in_microseconds(copy)},
                    {"wire_us_per_byte", in_microseconds(round.s_per_byte - copy)},
                    {"overlap", 1}};
  if (const auto factor = contention(measuring, p, round.s_per_byte)) flat["contention"] = rounded(*factor);
  machine.models["flat"] = std::move(flat);
  machine.models["linear"] = {
      {"startup_us", in_microseconds(round.startup_s)}, {"transfer_us_per_byte", in_microseconds(round.s_per_byte)}, {"ports", 1}};
  if (p > 2)
    machine.models["loggp"] = loggp(measuring, p, round);
  else
    result.missing.emplace_back("[loggp] is missing: it takes three ranks");
  if (auto costs = cluster(measuring, communicator.nodes(), result.fits))
    machine.models["cluster"] = std::move(*costs);
  else
    result.missing.emplace_back("[cluster] is missing: all ranks are on one node");
  result.missing.emplace_back("[torus] is missing: there are no links to measure");
  return result;
}

FlatModel fit_model(Communicator& communicator) {
  const Count p = communicator.size();
  FlatModel model;
  model.name = "fitted";
  model.is_fitted = true;
  model.description = fmt::format("{} ranks on {}, as they are now", p, communicator.transport_name());
  if (p == 1) return model;
  Measuring measuring(communicator, Executor::automatic, 0.1);
  const auto of = [&](Bytes bytes) {
    return LineFit::Sample{bytes,
                           measuring.time_of(alltoall(p, bytes), "shift", Policy::blocking).seconds / static_cast<double>(p - 1)};
  };
  const LineFit round = fit_line("", {of(smallest), of(measuring.longest())});
  model.startup_s = round.startup_s;
  model.wire_s_per_byte = round.s_per_byte;
  model.contention = contention(measuring, p, round.s_per_byte);
  return model;
}

}  // namespace quadrille
