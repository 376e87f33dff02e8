// SPDX-License-Identifier: BSD-3-Clause
// Measures a machine (fit.hpp).

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>

#include "execute/executors.hpp"
#include "foundation/text/wording.hpp"
#include "plan/gathered.hpp"
#include "plan/placed.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/fit.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/traffic.hpp"
#include "quadrille/traffic_patterns.hpp"
#include "tune/fit/exchange_timer.hpp"
#include "tune/fit/fit.hpp"
#include "tune/fit/residuals.hpp"

namespace quadrille {
namespace {

constexpr Bytes smallest = 8, piece = 64;

class Measuring : public ExchangeTimer {
 public:
  Measuring(Communicator& communicator, Executor executor, double seconds_per_time)
      : ExchangeTimer(communicator, executor, 2 * communicator.size() * longest_of(communicator.size()), seconds_per_time),
        ranks_(communicator.size()),
        longest_(longest_of(ranks_)) {}

  Bytes longest() const { return longest_; }

  // Message sizes in powers of eight, from the smallest to the longest.
  std::vector<Bytes> sizes() const {
    std::vector<Bytes> list;
    for (Bytes bytes = smallest; bytes < longest_; bytes *= 8) list.push_back(bytes);
    list.push_back(longest_);
    return list;
  }

  // Returns the seconds per byte if every rank copies pieces of `length` bytes. Sources of consecutive pieces are `apart` bytes
  // apart.
  double copying_s_per_byte(Bytes length, Bytes apart) {
    const Bytes total = ranks_ * longest_ / length * length;
    const Span copying = time_of([&] {
      for (Bytes at = 0; at < total; at += length) std::memcpy(output() + at, input() + at / length * apart, index(length));
    });
    return copying.seconds / static_cast<double>(total);
  }

  // Fits a line through the times of one round, for an algorithm with `rounds` equal rounds.
  template <class ProblemOf>
  LineFit line(std::string of, std::string_view algorithm, Count rounds, const ProblemOf& problem_of) {
    std::vector<LineFit::Sample> samples;
    for (const Bytes bytes : sizes()) {
      const Span all = time_of(problem_of(bytes), algorithm);
      samples.push_back({bytes, all.seconds / static_cast<double>(rounds), all.bound / static_cast<double>(rounds)});
    }
    return fit_line(std::move(of), std::move(samples));
  }

 private:
  // The buffers of all ranks together have about 16 MiB, unless there are very many ranks.
  static Bytes longest_of(Count ranks) { return std::clamp<Bytes>((Bytes{1} << 24) / (ranks * ranks), 8 * piece, 65536); }

  const Count ranks_;
  const Bytes longest_;
};

// Measures the contention factor of the model "flat". In a permutation every rank sends one message; the algorithm shift spreads
// these messages over many rounds. If the ranks ran round by round, the exchange would take the sum of the rounds' times
// (volume). If they ran freely without contention, the exchange would take the time of the busiest rank (load). The factor is the
// measured time divided by the time for `load` bytes. The factor is limited to the range from 1 to volume / load.
std::optional<double> contention(Measuring& measuring, Count ranks, double s_per_byte) {
  const Bytes longest = measuring.longest();
  const Problem uneven = make_traffic(ranks, {.kind = TrafficKind::permutation, .most = longest, .small = 0, .typical = longest});
  const StageFigures figures = stage_figures(make_schedule(uneven, "shift")).front();
  const auto load = static_cast<double>(figures.load), volume = static_cast<double>(figures.volume);
  if (s_per_byte <= 0 || volume <= load) return std::nullopt;
  return std::clamp(measuring.time_of(uneven, "shift", Policy::nonblocking).seconds / (load * s_per_byte), 1.0, volume / load);
}

double in_microseconds(double seconds) { return rounded(seconds * 1e6); }

// Finds LogGP's parameters from the time by which each further message delays a rank. `both` is this time on a rank that receives
// as many messages as it sends; `one_way` is this time on a rank that only sends.
Coefficients loggp(Measuring& measuring, Count ranks, const LineFit& round) {
  const auto of_further = [&](double all_s, double first_s) {
    return std::max(0.0, all_s - first_s) / static_cast<double>(ranks - 2);
  };
  const auto time_of = [&](const Problem& problem, std::string_view algorithm) {
    return measuring.time_of(problem, algorithm, Policy::nonblocking).seconds;
  };
  const double both = of_further(time_of(Problem::alltoall(ranks, smallest), "direct"), round.at(smallest));
  Problem scatter = Problem::alltoall(ranks, smallest);
  scatter.collective = Collective::scatter;
  const Problem single = Problem::alltoallv(ranks, std::vector<TrafficEntry>{{.from = 0, .to = 1, .bytes = smallest}});
  const double one_way = of_further(time_of(scatter, "linear"), time_of(single, "direct"));
  const double overhead = std::min(both, round.startup_s) / 2;
  return {{"latency_us", in_microseconds(round.startup_s - 2 * overhead)},
          {"overhead_us", in_microseconds(overhead)},
          {"gap_us", in_microseconds(std::min(both, one_way))},
          {"gap_us_per_byte", in_microseconds(round.s_per_byte)}};
}

// Fits a line through the times of an exchange between two ranks, while all other ranks wait.
LineFit pair_line(Measuring& measuring, Count ranks, Rank one, Rank other, std::string of) {
  return measuring.line(std::move(of), "shift", 1, [&](Bytes bytes) {
    return Problem::alltoallv(
        ranks, std::vector<TrafficEntry>{{.from = one, .to = other, .bytes = bytes}, {.from = other, .to = one, .bytes = bytes}});
  });
}

// Returns the coefficients of the model "cluster", or nothing if all ranks are on one node.
std::optional<Coefficients> cluster(Measuring& measuring, const std::vector<Count>& nodes, std::vector<LineFit>& fits) {
  const auto ranks = size(nodes);
  const auto elsewhere = std::find_if(nodes.begin(), nodes.end(), [&](Count node) { return node != nodes[0]; });
  if (elsewhere == nodes.end()) return std::nullopt;
  const LineFit between = fits.emplace_back(pair_line(measuring, ranks, 0, elsewhere - nodes.begin(), "an exchange between nodes"));
  Coefficients costs{{"startup_us", in_microseconds(between.startup_s)},
                     {"transfer_us_per_byte", in_microseconds(between.s_per_byte)},
                     {"inside_startup_us", 0},
                     {"inside_us_per_byte", 0},
                     {"node_ports", 1},
                     {"matching", 0}};
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

// Minimises the sum of (startup x + s_per_byte y - 1)^2 over x = 1 / seconds and y = bytes / seconds.
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
  lines.push_back(
      fmt::format("[max-rate]: half of the times that it was fitted to are off by {:.0f} % or less", 100 * max_rate_error));
  lines.insert(lines.end(), missing.begin(), missing.end());
  return lines;
}

Calibration calibrate(Communicator& communicator, const CalibrateOptions& options) {
  const Count p = communicator.size();
  if (p == 1) throw Error(ErrorCode::misuse, "one rank has no peer to exchange with; calibrate with two or more");
  const auto tell = [&](std::string_view doing) {
    if (options.progress && communicator.rank() == 0) options.progress(doing);
  };
  tell("timing exchanges");
  Measuring measuring(communicator, options.executor, options.seconds / 24);
  Calibration result;
  MachineCosts& machine = result.machine;
  machine = {.name = "this-machine",
             .description = fmt::format("{} on {}", counted(p, "rank"), communicator.transport_name()),
             .source = "quadrille calibrate"};
  const LineFit round = result.fits.emplace_back(measuring.line("a round of an exchange", "shift", shift_rounds(communicator),
                                                                [&](Bytes bytes) { return Problem::alltoall(p, bytes); }));
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
    result.missing.emplace_back("[loggp] is missing: it needs three ranks");
  if (auto costs = cluster(measuring, communicator.nodes(), result.fits))
    machine.models["cluster"] = std::move(*costs);
  else
    result.missing.emplace_back("[cluster] is missing: all ranks are on one node");
  const Executor executor = options.executor == Executor::automatic ? executors_of(communicator).front() : options.executor;
  tell("fitting max-rate");
  const ExecutorFit fit = fit_executors(communicator, {.executors = {executor}, .seconds = options.seconds / 4}).front();
  machine.models["max-rate"] = fit.coefficients;
  result.max_rate_error = fit.error;
  result.missing.emplace_back("[torus] is missing: there are no links to measure");
  if (options.residuals) {
    machine.residuals =
        measured_residuals(communicator, machine, {.executor = executor, .seconds = options.seconds, .progress = tell});
    const std::vector<Count>& nodes = communicator.nodes();
    if (!machine.residuals.empty() && std::is_sorted(nodes.begin(), nodes.end()))
      machine.residual_node_sizes = ranks_of_nodes(communicator);
    if (!machine.residuals.empty())
      machine.residual_date = fmt::format("{:%F}", fmt::gmtime(gathered(communicator, std::time(nullptr))[0]));
  }
  return result;
}

}  // namespace quadrille
