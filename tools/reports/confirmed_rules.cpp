// SPDX-License-Identifier: BSD-3-Clause
#include "reports/confirmed_rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "foundation/system/file_replacement.hpp"
#include "foundation/system/pipes.hpp"
#include "foundation/text/wording.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/error.hpp"
#include "reports/result_file.hpp"
#include "support/output.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

constexpr int launches = 3;                 // with rules and without, by turns
constexpr double clearly_faster = 1.05;     // from here on an algorithm that splits by nodes is worth a rule
using Settings = std::vector<std::string>;  // "NAME=VALUE"
using TimesBySize = std::map<Bytes, std::vector<double>>;

Settings words_in(const std::string& text) {
  std::istringstream stream(text);
  Settings words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

class RuleRaces {
 public:
  explicit RuleRaces(const std::string& launcher) : launcher_(launcher) {
    const RaceFile race = raced(Collective::barrier, {0}, {});
    ranks = race.ranks, nodes = race.nodes;
  }

  // Returns the times of the library's collective by size, in each repetition.
  TimesBySize times(Collective collective, const std::vector<Bytes>& sizes, const Settings& settings) {
    TimesBySize times;
    for (const RaceFileSize& size : raced(collective, sizes, settings).sizes)
      for (const RaceFileEntry& entry : size.entries)
        if (entry.is_vendor && entry.checked) times[size.bytes] = entry.repetitions_s;
    return times;
  }

  Count ranks = 0, nodes = 1;

 private:
  RaceFile raced(Collective collective, const std::vector<Bytes>& sizes, const Settings& settings) {
    progress_.show(fmt::format("racing {} {} rules", name(collective), settings.empty() ? "without" : "with"));
    std::vector<std::string> words{"env", "QUADRILLE_WISDOM=off"};
    words.insert(words.end(), settings.begin(), settings.end());
    words.insert(words.end(),
                 {"sh", "-c", launcher_ + " \"$@\"", "sh", std::filesystem::read_symlink("/proc/self/exe"), "race",
                  std::string(name(collective)), "--algorithm", "vendor", "--repetitions", "5", "--time", "0.3", "--json"});
    if (sizes.back() > 0) words.insert(words.end(), {"--block", fmt::format("{}", fmt::join(sizes, ","))});
    const std::string label = "'" + launcher_ + " quadrille race'";
    const std::string printed = output_of(words, {.mebibytes = 64, .seconds = 300, .raised_by = "--confirm"}, label);
    const std::size_t begin = printed.find('{');  // launchers may print lines of their own
    const Json json = Json::parse(printed.substr(std::min(begin, printed.size())), nullptr, false);
    if (json.is_discarded()) throw Error(ErrorCode::environment, label + " printed no race");
    return race_file_of(json, label);
  }

  const std::string launcher_;
  ProgressLine progress_;
};

std::vector<Bytes> sizes_of(const AlgorithmBySize& by_size) {
  std::vector<Bytes> sizes;
  for (const auto& [bytes, algorithm] : by_size) sizes.push_back(bytes);
  return sizes;
}

bool has_rules(const AlgorithmBySize& by_size) {
  return std::any_of(by_size.begin(), by_size.end(), [](const auto& each) { return !each.second.empty(); });
}

// Writes a file of rules, or removes it if there are none. Returns the settings with which the library reads it.
Settings written(const RulesFile& made, std::string_view setting, const std::string& file) {
  const std::string path = std::filesystem::absolute(file);
  if (made.rules == 0) {
    std::filesystem::remove(path);
    return {};
  }
  if (const Result<> done = replace_file(path, made.text); !done)
    throw Error(ErrorCode::environment, fmt::format("'{}' cannot be written: {}", path, done.error()));
  return words_in(std::string(setting) + path);
}

// Tries the algorithms that split collectives by nodes, which cannot be raced beside the others, and makes rules of those that are
// faster than the library with `settings`.
void try_by_nodes(VendorRules& rules, const VendorRules& measured, const RulesFormat& format, RuleRaces& races,
                  const Settings& settings) {
  Settings trying = settings;
  for (const std::string& setting : words_in(std::string(format.by_nodes->trying))) trying.push_back(setting);
  for (const auto& [key, by_size] : measured) {
    if (key.ranks != races.ranks || !format.by_nodes->splits(key.collective)) continue;
    const TimesBySize before = races.times(key.collective, sizes_of(by_size), settings);
    for (const auto& [bytes, times] : races.times(key.collective, sizes_of(by_size), trying))
      if (before.contains(bytes) && ratio_of_runs(times, before.at(bytes)).lower > clearly_faster) {
        AlgorithmBySize& all = rules[key];
        for (const auto& [each, algorithm] : by_size) all.try_emplace(each);
        all[bytes] = split_by_nodes;
      }
  }
}

}  // namespace

Settings write_rules(const VendorRules& rules, const RulesFormat& format, const std::string& file) {
  Settings settings = written(format.write(rules), format.setting, file);
  if (!format.by_nodes) return settings;
  const Settings more = written(format.by_nodes->write(rules), format.by_nodes->setting, file + ".nodes");
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

RulesConfirmation confirm(VendorRules& rules, const VendorRules& measured, const RulesFormat& format, const std::string& launcher,
                          const std::string& file) {
  RuleRaces races(launcher);
  std::erase_if(rules, [&](const auto& each) {
    const RuledGroup& group = each.first;
    return group.ranks != races.ranks || (group.ranks_of_node > 0 && group.ranks_of_node * races.nodes != group.ranks);
  });
  if (format.by_nodes && races.nodes > 1) try_by_nodes(rules, measured, format, races, write_rules(rules, format, file));
  const Settings settings = write_rules(rules, format, file);
  RulesConfirmation confirmation{races.ranks, races.nodes, {}};
  for (auto& [key, by_size] : rules) {
    if (settings.empty() || !has_rules(by_size)) continue;
    std::map<Bytes, std::vector<double>> without, with;  // the median of each launch
    for (int launch = 0; launch < launches; ++launch) {
      for (auto& [bytes, times] : races.times(key.collective, sizes_of(by_size), {})) without[bytes].push_back(median(times));
      for (auto& [bytes, times] : races.times(key.collective, sizes_of(by_size), settings)) with[bytes].push_back(median(times));
    }
    for (auto& [bytes, algorithm] : by_size) {
      if (algorithm.empty() || !with.contains(bytes) || !without.contains(bytes)) continue;
      confirmation.gains.push_back({key.collective, bytes, algorithm, ratio_of_runs(with.at(bytes), without.at(bytes))});
      if (!confirmation.gains.back().is_confirmed()) algorithm.clear();
    }
  }
  std::erase_if(rules, [](const auto& each) { return !has_rules(each.second); });
  write_rules(rules, format, file);
  return confirmation;
}

std::string text_of(const RulesConfirmation& confirmation) {
  Table table("collective|>block|algorithm|>gain|");
  for (const RuleGain& each : confirmation.gains)
    table.add({std::string(name(each.collective)), bytes_text(each.bytes), each.algorithm,
               fmt::format("{:.2f} ({:.2f}..{:.2f})", each.gain.median, each.gain.lower, each.gain.upper),
               each.is_confirmed() ? "confirmed" : "not confirmed: no rule"});
  return fmt::format("{} on {}, without our library: time without rules / with rules, {} launches each\n\n{}",
                     counted(confirmation.ranks, "rank"), counted(confirmation.nodes, "node"), launches, table.text());
}

}  // namespace quadrille::command
