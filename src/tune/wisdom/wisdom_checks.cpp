// SPDX-License-Identifier: BSD-3-Clause
#include "tune/wisdom/wisdom_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>

#include "execute/executors.hpp"
#include "foundation/hash.hpp"
#include "foundation/text/wording.hpp"
#include "patterns/integers.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

Result<> check_structure(Count ranks, Count nodes, Count ranks_of_node) {
  if (ranks < 1 || nodes < 1 || nodes > ranks)
    return cannot(fmt::format("{} cannot be on {} nodes", counted(ranks, "rank"), nodes));
  if (ranks_of_node < ceil_divide(ranks, nodes) || ranks_of_node > ranks - nodes + 1)
    return cannot(fmt::format("of {} nodes with {}, none can be the largest with {}", nodes, counted(ranks, "rank"),
                              counted(ranks_of_node, "rank")));
  return {};
}

Result<> check_date(std::string_view date) {
  const auto number = [&](std::size_t begin, std::size_t length) {
    int value = 0;
    for (const char digit : date.substr(begin, length)) {
      if (digit < '0' || digit > '9') return 0;
      value = 10 * value + (digit - '0');
    }
    return value;
  };
  const bool good = date.size() == 10 && date[4] == '-' && date[7] == '-' && number(0, 4) > 0 && number(5, 2) > 0 &&
                    number(5, 2) <= 12 && number(8, 2) > 0 && number(8, 2) <= 31;
  if (!good) return cannot(fmt::format("'{}' is not a date such as 2026-11-22", date));
  return {};
}

Result<> check_time(std::string_view time) {
  static constexpr std::string_view most = "23:59:59.999";
  if (time.empty()) return {};
  bool good = time.size() == most.size() && time.substr(0, 2) <= "23" && time.substr(3, 2) <= "59" && time.substr(6, 2) <= "59";
  for (std::size_t i = 0; good && i < most.size(); ++i)
    good = most[i] < '0' || most[i] > '9' ? time[i] == most[i] : time[i] >= '0' && time[i] <= '9';
  if (!good) return cannot(fmt::format("'{}' is not a time such as 13:05:22.123", time));
  return {};
}

// Limits that keep all numbers of a file within the range of a double.
constexpr double shortest_s = 1e-15, longest_s = 1e9;

bool is_time(double seconds) { return seconds == 0 || (seconds >= shortest_s && seconds <= longest_s); }

Result<> check_timing(const Timing& timing) {
  if (!is_time(timing.lower_s) || !is_time(timing.median_s) || !is_time(timing.upper_s))
    return cannot("a time is 0, or from 1e-9 us to 1e15 us");
  if (timing.lower_s > timing.median_s || timing.median_s > timing.upper_s || timing.median_s == 0)
    return cannot("the median is more than 0 and in its interval");
  return {};
}

// The values of parameters can be checked only against a problem.
Result<> check_algorithm(Collective collective, const Candidate& candidate) {
  if (is_vendor(candidate)) return {};
  const auto* choice = std::get_if<Choice>(&candidate);
  if (choice && choice->algorithm && find_algorithm(collective, choice->algorithm->id) == choice->algorithm) return {};
  return cannot(fmt::format("{} has no algorithm '{}' in the table", name(collective), specification(candidate)));
}

Result<> check_way(Collective collective, const Way& way) {
  if (way.executor == Executor::automatic) return cannot("the executor is " + executor_names());
  if (way.buffers != 1 && way.buffers != 2) return cannot(fmt::format("there are 1 or 2 buffers, not {}", way.buffers));
  return check_algorithm(collective, way.algorithm);
}

Result<> check_race(Collective collective, const WisdomRace& race) {
  if (const auto good = check_date(race.date); !good) return good;
  if (const auto good = check_time(race.time); !good) return good;
  if (race.repetitions < 1) return cannot("a race has at least one repetition");
  if (!(race.others >= 0 && race.others <= 1e6)) return cannot("others use from 0 to 1e6 cores");
  if (race.entries.empty()) return cannot("a race has at least one way");
  for (std::size_t i = 0; i < race.entries.size(); ++i) {
    const WisdomEntry& entry = race.entries[i];
    if (const auto good = check_way(collective, entry.way); !good) return good;
    if (const auto good = check_timing(entry.timing); !good) return good;
    if (i > 0 && entry.timing.median_s < race.entries[i - 1].timing.median_s) return cannot("the fastest way must come first");
    for (std::size_t before = 0; before < i; ++before)
      if (race.entries[before].way == entry.way) return cannot(fmt::format("{} occurs twice in a race", to_string(entry.way)));
  }
  return {};
}

}  // namespace

Result<> check_wisdom(const Situation& s) {
  if (const auto good = check_structure(s.ranks, s.nodes, s.ranks_of_node); !good) return good;
  if (s.block_bytes < 0) return cannot("blocks have 0 bytes or more");
  if (!is_power_of_two(s.skew) || !is_power_of_two(s.sparsity) || !is_power_of_two(s.irregularity))
    return cannot("skew, sparsity and irregularity are powers of two");
  const bool plain = s.skew == 1 && s.sparsity == 1 && s.irregularity == 1 && s.counts_known;
  if (!is_irregular(s.collective) && !plain) return cannot(fmt::format("{} has no counts", name(s.collective)));
  if (!is_reduction(s.collective) && s.combining != Combining::any_order)
    return cannot(fmt::format("{} combines nothing", name(s.collective)));
  return {};
}

Result<> check_wisdom(const WisdomRecord& record) {
  if (const auto good = check_wisdom(record.situation); !good) return good;
  for (std::size_t i = 0; i < record.races.size(); ++i) {
    const WisdomRace& race = record.races[i];
    if (const auto good = check_race(record.situation.collective, race); !good) return good;
    for (std::size_t before = 0; before < i; ++before)
      if (record.races[before].date == race.date && record.races[before].time == race.time)
        return cannot("two races of a situation have the same date and time");
  }
  return {};
}

Result<> check_wisdom(const ExecutorFit& fit) {
  if (fit.executor == Executor::automatic) return cannot("the executor is " + executor_names());
  if (const auto good = check_structure(fit.ranks, fit.nodes, fit.ranks_of_node); !good) return good;
  if (const auto good = check_date(fit.date); !good) return good;
  if (!(fit.error >= 0 && fit.error <= 1e9)) return cannot("the error of a fit is from 0 to 1e9");
  if (std::any_of(fit.preset.begin(), fit.preset.end(), [](unsigned char letter) { return letter <= ' ' || letter > '~'; }))
    return cannot("the name of a machine has no spaces");
  const Model& model = *find_model("max-rate");
  for (const Coefficient& coefficient : model.coefficients) {
    const auto found = fit.coefficients.find(coefficient.key);
    if (found == fit.coefficients.end()) {
      if (coefficient.required) return cannot(fmt::format("the coefficient '{}' is missing", coefficient.key));
      continue;
    }
    const double value = found->second;
    if (!(value >= coefficient.least && value <= coefficient.most) ||
        (coefficient.is_whole && value != static_cast<double>(static_cast<Count>(value))))
      return cannot(fmt::format("'{}' is {}; it is {}from {} to {:g}", coefficient.key, value,
                                coefficient.is_whole ? "a whole number " : "", coefficient.least, coefficient.most));
  }
  for (const auto& [key, value] : fit.coefficients)
    if (!model.knows(key)) return cannot(fmt::format("the model {} has no coefficient '{}'", model.id, key));
  return {};
}

Result<> check_wisdom(const VendorFit& fit) {
  if (const auto good = check_structure(fit.ranks, fit.nodes, fit.ranks_of_node); !good) return good;
  if (const auto good = check_date(fit.date); !good) return good;
  if (fit.seconds.empty()) return cannot("there is at least one size");
  for (std::size_t i = 0; i < fit.seconds.size(); ++i) {
    if (fit.seconds[i].first < 0 || (i > 0 && fit.seconds[i].first <= fit.seconds[i - 1].first))
      return cannot("sizes are 0 or more, and ascend");
    if (!is_time(fit.seconds[i].second)) return cannot("a time is 0, or from 1e-9 us to 1e15 us");
  }
  return {};
}

std::uint64_t table_fingerprint() {
  static const std::uint64_t hash = [] {
    std::vector<std::string> rows;
    for (const Algorithm* algorithm : all_algorithms()) {
      std::string row = fmt::format("{}/{}", name(algorithm->collective), algorithm->id);
      for (const Parameter& parameter : algorithm->parameters) {
        row += fmt::format(" {}={}|{}|{}..{}", parameter.name, fmt::join(parameter.choices, "|"), parameter.form, parameter.least,
                           parameter.range);
        for (const NamedNumber& named : parameter.named) row += fmt::format("|{}", named.name);
      }
      rows.push_back(std::move(row));
    }
    std::sort(rows.begin(), rows.end());  // the fingerprint must not depend on the order of the table
    return text_hash(fmt::format("{}", fmt::join(rows, "\n")));
  }();
  return hash;
}

}  // namespace quadrille
