// SPDX-License-Identifier: BSD-3-Clause
#include "seeds/truth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace quadrille::seeds {
namespace {

using What = RecordedStep::What;

// Up to this time both times of a call take 9 bits each.
constexpr std::uint64_t short_limit = std::uint64_t{1} << 22;
constexpr std::uint32_t most_short_sites = 16'376;

// The words of the header after some steps.
struct Header {
  std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> messages;  // by function: calls, ticks
  std::uint64_t unseen = 0, end = 0;
  bool uses_wall_time = false;
  double rate = 0;

  void add(const RecordedStep& step) {
    if (step.what == What::message) ++messages[step.number].first, messages[step.number].second += step.duration;
    if (step.what == What::unseen) ++unseen;
    if (step.what == What::wall_time) uses_wall_time = true;
    if (step.what == What::begin || step.what == What::rate) rate = step.rate;
    if (step.what == What::end) end = step.duration;
  }
};

// What the units hold after some steps.
struct Units {
  std::vector<RecordedCommunicator> communicators;
  std::vector<RecordedSite> sites;
  std::vector<const RecordedStep*> calls;

  void add(const RecordedStep& step, const RankHistory& history) {
    if (step.what == What::communicator) communicators.push_back(history.communicators[communicators.size()]);
    if (step.what == What::name) communicators[step.number].name = step.text;
    if (step.what == What::site) sites.push_back(history.sites[sites.size()]);
    if (step.what == What::sampled) sites[step.number].are_sampled = true;
    if (step.what == What::call) calls.push_back(&step);
  }
};

// How far a time that was read may be from the time that was written.
class Tolerance {
 public:
  void add(std::uint64_t ticks, bool is_short) {
    if (is_short)
      longest_short_ = std::max(longest_short_, ticks);
    else
      of_long_ += of(ticks, false);
    sum_ += static_cast<double>(ticks), ++count_;
  }
  static double of(std::uint64_t ticks, bool is_short) {
    return is_short ? ticks < 32 ? 0.01 : static_cast<double>(ticks) / 15 + 1 : static_cast<double>(ticks) * 0x1p-25 + 0.01;
  }
  // Of the sum: the error of a short time is carried to the next ones.
  bool allows(double sum, bool is_folded) const {
    const double folded = is_folded ? 0.5 * static_cast<double>(count_) + sum_ * 0x1p-24 : 0;
    return std::abs(sum - sum_) <= of_long_ + static_cast<double>(longest_short_) / 24 + 2 + sum_ * 1e-9 + folded;
  }
  double sum() const { return sum_; }

 private:
  std::uint64_t longest_short_ = 0, count_ = 0;
  double of_long_ = 0, sum_ = 0;
};

bool is_short(const RecordedStep& call) { return (call.gap | call.duration) < short_limit && call.number < most_short_sites; }

std::string wrong_header(const RecordedRank& rank, const RankHistory& history, const Header& least, const Header& most) {
  if (rank.uses_wall_time != least.uses_wall_time && rank.uses_wall_time != most.uses_wall_time) return "wall time is wrong";
  if (rank.has_ended != (least.end > 0) && rank.has_ended != (most.end > 0)) return "has_ended is wrong";
  const auto unseen = static_cast<std::uint64_t>(rank.unseen_calls);
  if (unseen < least.unseen || unseen > most.unseen) return fmt::format("{} unseen calls", unseen);
  std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> read;
  for (const RecordedFunction& each : rank.functions) {
    const auto at = std::find(history.functions.begin(), history.functions.end(), each.name) - history.functions.begin();
    const bool is_new = read.try_emplace(static_cast<std::uint32_t>(at), static_cast<std::uint64_t>(each.calls),
                                         static_cast<std::uint64_t>(std::llround(each.seconds / rank.tick_s)))
                            .second;
    if (!is_new || at == std::ssize(history.functions)) return fmt::format("messages of '{}'", each.name);
  }
  for (std::uint32_t i = 0; i < history.functions.size(); ++i) {
    const auto of = [&](const auto& all) { return all.contains(i) ? all.at(i) : std::pair<std::uint64_t, std::uint64_t>(); };
    const auto [low, high, here] = std::tuple(of(least.messages), of(most.messages), of(read));
    if (here.first < low.first || here.first > high.first || (here.first > 0 && here.second < low.second) ||
        here.second > high.second)
      return fmt::format("{} messages of '{}', {} ticks", here.first, history.functions[i], here.second);
  }
  return {};
}

// The least and the greatest times of a site's calls, for calls of which only the mean is known.
struct Range {
  double low = 1e300, high = 0;
  void add(double ticks) { low = std::min(low, ticks), high = std::max(high, ticks); }
  bool has(double ticks) const { return ticks >= low * 15 / 16 - 1 && ticks <= high * 17 / 16 + 1; }
};

std::string wrong_calls(const recording::RankContents& contents, const Units& truth, bool is_folded) {
  RecordedRank rank = contents.recorded;
  for (std::uint32_t site = 0; site < contents.sites.size(); ++site) rank.sites.push_back(site);
  std::vector<std::array<Tolerance, 3>> tolerances(rank.sites.size());
  std::vector<std::array<Range, 3>> ranges(rank.sites.size());
  std::vector<Count> count(rank.sites.size());
  for (const RecordedStep* const each : truth.calls) {
    auto& tolerance = tolerances[each->number];
    tolerance[0].add(each->gap, is_short(*each)), tolerance[1].add(each->away, false);
    tolerance[2].add(each->duration, is_short(*each));
    auto& range = ranges[each->number];
    range[0].add(static_cast<double>(each->gap)), range[1].add(static_cast<double>(each->away));
    range[2].add(static_cast<double>(each->duration));
    ++count[each->number];
  }
  RecordedCalls calls(rank);
  std::size_t at = 0;
  while (const auto call = calls.next()) {
    const RecordedStep& made = *truth.calls[at];
    if (call->site != made.number) return fmt::format("call {} is of site {}, not {}", at, call->site, made.number);
    const double read[] = {call->gap_s / rank.tick_s, call->away_s / rank.tick_s, call->duration_s / rank.tick_s};
    const std::uint64_t written[] = {made.gap, made.away, made.duration};
    for (std::size_t i = 0; i < 3; ++i) {
      const double error = std::abs(read[i] - static_cast<double>(written[i]));
      if (is_folded ? !ranges[made.number][i].has(read[i]) : error > Tolerance::of(written[i], i != 1 && is_short(made)))
        return fmt::format("time {} of call {} is {}, not {}", i, at, read[i], written[i]);
    }
    ++at;
  }
  if (at != truth.calls.size()) return fmt::format("{} of {} calls are read", at, truth.calls.size());
  for (std::size_t site = 0; site < count.size(); ++site) {
    const RecordedTimes& times = rank.times[site];
    if (times.calls != count[site]) return fmt::format("{} calls of site {}, not {}", times.calls, site, count[site]);
    const double read[] = {times.gap_s / rank.tick_s, times.away_s / rank.tick_s, times.duration_s / rank.tick_s};
    for (std::size_t i = 0; i < 3; ++i)
      if (!tolerances[site][i].allows(read[i], is_folded))
        return fmt::format("the sum of times {} of site {} is {}, not {}", i, site, read[i], tolerances[site][i].sum());
  }
  return {};
}

std::string wrong_seconds(const RecordedRank& rank, const Header& most) {
  double sum = 0;
  for (const RecordedTimes& each : rank.times) sum += each.gap_s + each.away_s + each.duration_s;
  const double expected = rank.has_ended ? static_cast<double>(most.end) * rank.tick_s : sum;
  return std::abs(rank.seconds - expected) <= 1e-9 * expected + 1e-12
             ? ""
             : fmt::format("the rank ran for {} s, not {} s", rank.seconds, expected);
}

std::string wrong_units(const recording::RankContents& contents, const Units& truth, bool is_folded) {
  for (std::size_t i = 0; i < truth.communicators.size(); ++i)
    if (contents.communicators[i] != truth.communicators[i]) return fmt::format("communicator {} differs", i);
  for (std::size_t i = 0; i < truth.sites.size(); ++i)
    if (contents.sites[i] != truth.sites[i]) return fmt::format("site {} differs", i);
  return wrong_calls(contents, truth, is_folded);
}

bool are_equal(const recording::RankFacts& a, const recording::RankFacts& b) {
  return a.program == b.program && a.mpi == b.mpi && a.version == b.version && a.host == b.host && a.settings == b.settings &&
         a.rank == b.rank && a.world_size == b.world_size && a.run == b.run && a.start_unix_ns == b.start_unix_ns &&
         a.process == b.process && a.folds == b.folds;
}

}  // namespace

std::string_view name(What what) {
  constexpr std::string_view names[] = {"make",    "begin",  "communicator", "name", "site", "sampled", "call",
                                        "message", "unseen", "wall_time",    "rate", "end",  "close",   "fold"};
  return names[static_cast<std::size_t>(what)];
}

std::string wrong_in(const recording::RankContents& contents, const RankHistory& history, const Fate& fate, std::size_t cut) {
  const RecordedRank& rank = contents.recorded;
  if (!are_equal(contents.facts, history.facts)) return "the facts of the run are wrong";
  if (rank.rank != history.facts.rank || rank.host != history.facts.host) return "the rank or its host is wrong";
  const std::size_t until = fate.units_done + (fate.is_within ? 1 : 0), header_until = fate.header_done + (fate.is_within ? 1 : 0);
  if (rank.is_cut != (cut < fate.header_done) && rank.is_cut != (cut < header_until)) return "is_cut is wrong";
  Header least, most;
  bool has_rate = false;
  for (std::size_t i = 0; i < header_until; ++i) {
    most.add(history.steps[i]);
    if (i + 1 == fate.header_done) least = most;
    if (i + 1 >= fate.header_done) has_rate |= std::abs(most.rate * rank.tick_s - 1) < 1e-12;
  }
  if (!has_rate) return fmt::format("the rate of the clock is {} Hz", 1 / rank.tick_s);
  if (auto wrong = wrong_header(rank, history, least, most); !wrong.empty()) return wrong;
  if (auto wrong = wrong_seconds(rank, most); !wrong.empty()) return wrong;
  const bool is_folded = until > 0 && history.steps[until - 1].what == What::fold;
  Units truth;
  std::string wrong;
  for (std::size_t done = 0; done <= std::min(until, cut); ++done) {
    if (done > 0) truth.add(history.steps[done - 1], history);
    if (done < std::min(fate.header_done, cut)) continue;
    if (static_cast<std::size_t>(rank.calls) != truth.calls.size() || contents.communicators.size() != truth.communicators.size() ||
        contents.sites.size() != truth.sites.size() || rank.times.size() != truth.sites.size())
      continue;
    wrong = wrong_units(contents, truth, is_folded);
    if (wrong.empty()) return {};
  }
  if (!wrong.empty()) return wrong;
  return fmt::format("there are {} calls, {} sites and {} communicators, but {} calls, {} sites and {} communicators at the end",
                     rank.calls, contents.sites.size(), contents.communicators.size(), truth.calls.size(), truth.sites.size(),
                     truth.communicators.size());
}

}  // namespace quadrille::seeds
