// SPDX-License-Identifier: BSD-3-Clause
#include "reports/predicted_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "foundation/text/wording.hpp"
#include "quadrille/error.hpp"
#include "quadrille/picoseconds.hpp"
#include "reports/result_file.hpp"

namespace quadrille::command {
namespace {

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
          .seconds = exactly(std::max(seconds, 1e-12))};  // an algorithm without messages takes no time
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
