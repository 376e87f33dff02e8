// SPDX-License-Identifier: BSD-3-Clause
#include "reports/result_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "foundation/text/wording.hpp"
#include "options/documents.hpp"
#include "quadrille/error.hpp"
#include "quadrille/picoseconds.hpp"
#include "support/text.hpp"
#include "tune/median.hpp"

namespace quadrille::command {
namespace {

Spread spread_of(const Json& json, const std::string& suffix) {
  const auto figure = [&](const char* name) {
    const double value = json.at(name + suffix).get<double>();
    demand(value >= 0 && value < 1e300, "a time or a ratio is not a number above 0");
    return std::max(value, 1e-12);  // a clock may report 0, which would make ratios infinite
  };
  return {.median = figure("median"),
          .least = figure("least"),
          .most = figure("most"),
          .lower = figure("lower"),
          .upper = figure("upper")};
}

std::optional<Spread> ratio_in(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return spread_of(json, "");
}

std::vector<double> repetitions_in(const Json& samples) {
  std::vector<double> repetitions;
  for (const Json& repetition : samples) {
    std::vector<double> batches = repetition.get<std::vector<double>>();
    demand(!batches.empty(), "a repetition has no samples");
    repetitions.push_back(std::max(median(batches), 1e-12));
  }
  demand(!repetitions.empty(), "a candidate has no samples");
  return repetitions;
}

RaceFileEntry entry_of(const Json& json) {
  const auto algorithm = json.at("algorithm").get<std::string>();
  const auto same_as = json.at("same_as").get<std::vector<std::string>>();
  return {.algorithm = algorithm,
          .same_as = same_as,
          .short_name = json.at("short_name").get<std::string>(),
          .policy = json.at("policy").get<std::string>(),
          .executor = json.at("executor").get<std::string>(),
          .same_as_short_names = json.value("same_as_short_names", same_as),  // older results have the long names only
          .buffers = json.at("buffers").get<int>(),
          .keep_step = json.at("keep_step").get<bool>(),
          .is_vendor = algorithm == "vendor",
          .checked = json.at("checked").get<bool>(),
          .repetitions_s = repetitions_in(json.at("samples_s")),
          .seconds = spread_of(json, "_s"),
          .ratio = ratio_in(json.at("ratio")),
          .to_best = ratio_in(json.at("to_best"))};
}

RaceFileSize size_of(const Json& json) {
  RaceFileSize size{.bytes = json.at("block_bytes").get<Bytes>(), .conclusion = json.at("conclusion").get<std::string>()};
  size.text = bytes_text(size.bytes);
  if (json.contains("counts")) take_counts(size, json["counts"]);
  demand(size.bytes >= 0, "a size is negative");
  size.root = json.value("root", Rank{0});
  size.reproducible = json.value("reproducible", false);
  for (const Json& entry : json.at("entries")) size.entries.push_back(entry_of(entry));
  if (!json.at("best").is_null()) size.best = json["best"].get<std::size_t>();
  demand(!size.best || *size.best < size.entries.size(), "the best candidate is none of the candidates");
  return size;
}

bool is_simulation(const Json& problem) { return problem.contains("by"); }

Spread exactly(double value) { return {.median = value, .least = value, .most = value, .lower = value, .upper = value}; }

RaceFileEntry predicted_entry(const Json& json, bool simulated) {
  const double seconds = simulated ? seconds_of(json.at("end_ps").get<Picoseconds>())
                                   : std::min({json.at("blocking_s").get<double>(), json.at("nonblocking_s").get<double>(),
                                               json.at("dataflow_s").get<double>()});
  if (!(seconds >= 0 && seconds < 1e300)) throw Error(ErrorCode::malformed, "a time is not a number from 0 on");
  return {.algorithm = json.at("algorithm").get<std::string>(),
          .short_name = json.at("short_name").get<std::string>(),
          .policy = json.value("policy", std::string()),
          .checked = true,
          .seconds = exactly(std::max(seconds, 1e-12))};  // 0 (no messages) would be a divisor
}

// Returns a problem's candidates. The fastest comes first in the file.
RaceFileSize predicted_size(const Json& problem) {
  RaceFileSize size{.bytes = problem.at("block_bytes").get<Bytes>()};
  size.text = bytes_text(size.bytes);
  if (problem.contains("counts")) take_counts(size, problem["counts"]);
  if (problem.contains("shares")) {
    size.bytes = problem.at("largest_share").get<Bytes>();
    size.text = problem["shares"].get<std::string>();
  }
  for (const Json& candidate : problem.at("candidates")) size.entries.push_back(predicted_entry(candidate, is_simulation(problem)));
  if (size.entries.empty()) throw Error(ErrorCode::malformed, "a problem has no candidates");
  const auto fastest = std::min_element(size.entries.begin(), size.entries.end(), [](const auto& one, const auto& other) {
    return one.seconds.median < other.seconds.median;
  });
  size.best = static_cast<std::size_t>(fastest - size.entries.begin());
  for (RaceFileEntry& entry : size.entries) entry.to_best = exactly(entry.seconds.median / fastest->seconds.median);
  size.conclusion = "fastest";
  return size;
}

RaceFile without_sizes(const Json& problem, const std::string& file) {
  const auto model = problem.at("model").get<std::string>(), machine = problem.at("machine").get<std::string>();
  const std::string how = is_simulation(problem) ? "simulated by " + problem.at("by").get<std::string>() : "priced";
  const std::string network = problem.contains("topology") ? " on " + problem["topology"].get<std::string>() : "";
  return {.file = file,
          .origin = fmt::format("{} with the model {} of the machine {}{}", how, model, machine, network),
          .is_predicted = true,
          .collective = problem.at("collective").get<std::string>(),
          .machine = machine,
          .ranks = problem.at("ranks").get<Count>()};
}

}  // namespace

void demand(bool holds, const char* what) {
  if (!holds) throw Error(ErrorCode::malformed, what);
}

void refuse_result(const std::string& file, std::string_view commands, const std::string& reason) {
  throw Error(ErrorCode::malformed, fmt::format("{} is not a result of {} of this version: {}", file, commands, reason));
}

std::string reason_of(const Json::exception& error) {
  const std::string what = error.what();  // "[json.exception.out_of_range.403] key 'sizes' not found"
  const std::size_t end = what.find("] ");
  return end == std::string::npos ? what : what.substr(end + 2);
}

std::string RaceFileEntry::settings() const {
  if (is_vendor) return {};
  return fmt::format("{}{}{}", policy, policy == "dataflow" && buffers == 1 ? "/1" : "", keep_step ? ", in step" : "");
}

void take_counts(RaceFileSize& size, const Json& json) {
  size.counts = json;
  const auto counts = json.get<std::vector<Bytes>>();
  demand(!counts.empty(), "it has no counts");
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  size.bytes = *most;
  size.text = *least == *most ? bytes_text(*most) : fmt::format("{}..{}", bytes_text(*least), bytes_text(*most));
}

RaceFile race_file_of(const Json& json, const std::string& file) {
  return read_result(file, "'quadrille race --json'", [&] {
    RaceFile race{.file = file, .origin = "last rank's end minus first rank's start; medians with their intervals"};
    race.collective = json.at("collective").get<std::string>();
    race.transport = json.at("transport").get<std::string>();
    race.memory = json.at("memory").get<std::string>();
    race.operation = json.value("op", std::string());
    race.type = json.value("type", std::string());
    race.machine = json.at("machine").at("model").get<std::string>();
    race.version = json.at("version").get<std::string>();
    race.ranks = json.at("ranks").get<Count>();
    race.nodes = json.at("nodes").get<Count>();
    race.cold = json.at("cold").get<bool>();
    for (const Json& size : json.at("sizes")) race.sizes.push_back(size_of(size));
    demand(!race.sizes.empty(), "it has no sizes");
    return race;
  });
}

Json read_json(const std::string& file) {
  return Json::parse(read_text(file, file == "-" ? "the results on stdin" : fmt::format("'{}'", file)), nullptr, false);
}

RaceFile read_race_file(const std::string& file) {
  const Json json = read_json(file);
  const std::string label = label_of(file);
  if (json.is_discarded() || !json.is_object())
    throw Error(ErrorCode::malformed, fmt::format("{} is not a result of 'quadrille race --json': it is no JSON object", label));
  return race_file_of(json, label);
}

bool is_predicted(const Json& json) {
  const Json& first = json.is_array() && !json.empty() ? json.front() : json;
  return first.is_object() && first.contains("candidates") && first.contains("model");
}

std::vector<RaceFile> predicted_files_of(const Json& json, const std::string& file) {
  return read_result(file, "'quadrille simulate --json' or 'quadrille price --json'", [&] {
    std::map<Count, RaceFile> files;
    for (const Json& problem : json.is_array() ? json : Json::array({json})) {
      RaceFile& all = files.try_emplace(problem.at("ranks").get<Count>(), without_sizes(problem, file)).first->second;
      RaceFileSize size = predicted_size(problem);
      if (std::any_of(all.sizes.begin(), all.sizes.end(), [&](const RaceFileSize& other) { return other.bytes == size.bytes; }))
        throw Error(ErrorCode::malformed, fmt::format("it has two problems with {} and {}", counted(all.ranks, "rank"), size.text));
      all.sizes.push_back(std::move(size));
    }
    std::vector<RaceFile> list;
    for (auto& [ranks, each] : files) list.push_back(std::move(each));
    return list;
  });
}

}  // namespace quadrille::command
