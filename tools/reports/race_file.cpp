// SPDX-License-Identifier: BSD-3-Clause
#include "reports/race_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "options/documents.hpp"
#include "quadrille/error.hpp"
#include "reports/result_file.hpp"
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

}  // namespace

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
  const std::string label = file == "-" ? "stdin" : fmt::format("'{}'", file);
  if (json.is_discarded() || !json.is_object())
    throw Error(ErrorCode::malformed, fmt::format("{} is not a result of 'quadrille race --json': it is no JSON object", label));
  return race_file_of(json, label);
}

}  // namespace quadrille::command
