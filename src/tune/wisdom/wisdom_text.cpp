// SPDX-License-Identifier: BSD-3-Clause
// Wisdom as the text of a file: JSON, in which each measured way has a line of its own. docs/wisdom.md describes the keys. All
// keys are required, so that a misspelt key is found. A file with 60 races of 12 ways is read in about 5 ms, while a program
// under the drop-in waits. The library that reads the machine files, which are TOML, takes four times as long for such a text.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "execute/executors.hpp"
#include "foundation/text/printable.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/wisdom.hpp"
#include "schedule/forms/json.hpp"
#include "schedule/ordering.hpp"
#include "tune/wisdom/wisdom_checks.hpp"
#include "tune/wisdom/wisdom_pool.hpp"

namespace quadrille {
namespace {

std::string_view name(Combining combining) {
  static constexpr ByEnum<Combining, std::string_view, 3> names{{"any_order", "rank_order", "fixed_tree"}};
  return names[combining];
}

constexpr std::array policies{Policy::blocking, Policy::nonblocking, Policy::dataflow};
constexpr std::array orders{Combining::any_order, Combining::rank_order, Combining::fixed_tree};

std::vector<Executor> known_executors() {
  std::vector<Executor> executors;
  for (const ExecutorRow& row : all_executors()) executors.push_back(row.executor);
  return executors;
}

std::string table_text() { return fmt::format("{:016x}", table_fingerprint()); }

Count whole(const JsonValue& object, std::string_view key, Count most = std::numeric_limits<Count>::max()) {
  return object.key(key).integer("a whole number", 0, most);
}

int small(const JsonValue& object, std::string_view key) {
  return static_cast<int>(whole(object, key, std::numeric_limits<int>::max()));
}

double number(const JsonValue& value) {
  const double number = value.value().is_number() ? value.value().get<double>() : -1;
  if (!(number >= 0)) value.expected("a number, 0 or more");
  return number;
}

double number(const JsonValue& object, std::string_view key) { return number(object.key(key)); }
double seconds(const JsonValue& object, std::string_view key) { return number(object, key) * 1e-6; }

// Returns the value of an enumeration that has this name.
template <class Values>
auto named(const JsonValue& word, const Values& values) {
  for (const auto value : values)
    if (name(value) == word.text()) return value;
  word.refuse(fmt::format("there is no '{}' here", excerpt(word.text(), 60)));
}

// Reads a name of the machine.
std::string plain(const JsonValue& object, std::string_view key) {
  const JsonValue value = object.key(key);
  const std::string& text = value.text();
  if (std::any_of(text.begin(), text.end(), [](unsigned char letter) { return letter < ' ' || letter == 0x7F; }))
    value.refuse("there is a control character");
  return text;
}

template <class Structure>
void read_structure(const JsonValue& object, Structure& structure) {
  structure.ranks = whole(object, "ranks");
  structure.nodes = whole(object, "nodes");
  structure.ranks_of_node = whole(object, "ranks_of_node");
}

WisdomEntry entry(const JsonValue& object, Collective collective) {
  WisdomEntry entry{.timing = {seconds(object, "median_us"), seconds(object, "lower_us"), seconds(object, "upper_us")}};
  entry.way.executor = named(object.key("executor"), known_executors());
  entry.way.policy = named(object.key("policy"), policies);
  entry.way.buffers = small(object, "buffers");
  const JsonValue algorithm = object.key("algorithm");
  if (algorithm.text().empty()) algorithm.refuse("expected an algorithm");
  try {
    entry.way.algorithm = parse_candidate(collective, algorithm.text());
  } catch (const Error& error) {
    algorithm.refuse(error.what());
  }
  return entry;
}

WisdomRecord record(const JsonValue& object) {
  WisdomRecord record;
  Situation& situation = record.situation;
  situation.collective = named(object.key("collective"), all_collectives());
  read_structure(object, situation);
  situation.block_bytes = whole(object, "block_bytes");
  situation.counts_known = object.key("counts_known").boolean();
  situation.skew = whole(object, "skew");
  situation.sparsity = whole(object, "sparsity");
  situation.irregularity = whole(object, "irregularity");
  situation.combining = named(object.key("combining"), orders);
  WisdomRace& race = record.races.emplace_back();
  race.date = object.key("date").text();
  race.time = object.key("time").text();
  race.repetitions = small(object, "repetitions");
  race.others = number(object, "others");
  const JsonValue ways = object.key("ways");
  ways.for_each([&](const JsonValue& way) { race.entries.push_back(entry(way, situation.collective)); });
  return record;
}

ExecutorFit executor_fit(const JsonValue& object) {
  ExecutorFit fit;
  fit.executor = named(object.key("executor"), known_executors());
  read_structure(object, fit);
  fit.date = object.key("date").text();
  fit.error = number(object, "error");
  fit.preset = object.key("preset").text();
  const JsonValue coefficients = object.key("coefficients");
  if (!coefficients.value().is_object()) coefficients.expected("an object");
  for (const auto& [key, value] : coefficients.value().items()) fit.coefficients.emplace(key, number(coefficients, key));
  return fit;
}

VendorFit vendor_fit(const JsonValue& object) {
  VendorFit fit;
  fit.collective = named(object.key("collective"), all_collectives());
  read_structure(object, fit);
  fit.date = object.key("date").text();
  const JsonValue sizes = object.key("sizes");
  sizes.for_each([&](const JsonValue& size) { fit.seconds.emplace_back(whole(size, "block_bytes"), seconds(size, "time_us")); });
  return fit;
}

template <class Item>
void add(std::vector<Item>& list, Item item, const JsonValue& object) {
  if (const auto good = check_wisdom(item); !good) object.refuse(good.error());
  if constexpr (std::is_same_v<Item, WisdomRecord>) item = pooled(std::move(item));
  Item* known = put_in_place(list, item);
  if (!known) return;
  if constexpr (std::is_same_v<Item, WisdomRecord>) {
    if (has_race_of(*known, item.races.front())) object.refuse("this situation occurs twice, with the same date and time");
    *known = pooled(*known, item);
  } else {
    object.refuse("this situation occurs twice");
  }
}

Wisdom wisdom_of(const JsonValue& file) {
  if (const JsonValue version = file.key("quadrille_wisdom"); version.integer("the version of the format") != wisdom_format)
    version.refuse(fmt::format("this version of quadrille reads version {} of the format, not {}", wisdom_format,
                               version.value().get<std::int64_t>()));
  if (const JsonValue table = file.key("algorithms"); table.text() != table_text())
    table.refuse(fmt::format("it is for the algorithms of another version of quadrille ({}, not {})", excerpt(table.text(), 60),
                             table_text()));
  const JsonValue machine = file.key("machine"), races = file.key("races"), fits = file.key("fits"), vendor = file.key("vendor");
  Wisdom wisdom{
      .machine = {plain(machine, "processor"), whole(machine, "cores"), plain(machine, "network"), plain(machine, "mpi")}};
  races.for_each([&](const JsonValue& each) { add(wisdom.records, record(each), each); });
  fits.for_each([&](const JsonValue& each) { add(wisdom.executors, executor_fit(each), each); });
  vendor.for_each([&](const JsonValue& each) { add(wisdom.vendor, vendor_fit(each), each); });
  fit_all_ranges(wisdom.records);
  return wisdom;
}

using Json = nlohmann::ordered_json;

// Rounds to four significant digits.
double rounded(double value) {
  const std::string text = fmt::format("{:.4g}", value);
  std::from_chars(text.data(), text.data() + text.size(), value);  // from_chars ignores the program's locale
  return value;
}

double microseconds(double seconds) { return rounded(seconds * 1e6); }

// Names of machines may not be UTF-8.
std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Returns a list with each entry on a line.
template <class List, class LineOf>
std::string lines_of(const List& list, const LineOf& line_of_entry) {
  std::string lines;
  for (const auto& each : list) lines += (lines.empty() ? "\n" : ",\n") + line_of_entry(each);
  return '[' + lines + ']';
}

template <class Structure>
void add_structure(Json& json, const Structure& structure) {
  json["ranks"] = structure.ranks;
  json["nodes"] = structure.nodes;
  json["ranks_of_node"] = structure.ranks_of_node;
}

std::string line_of(const WisdomEntry& entry) {
  return "  " + line_of(Json{{"median_us", microseconds(entry.timing.median_s)},
                             {"lower_us", microseconds(entry.timing.lower_s)},
                             {"upper_us", microseconds(entry.timing.upper_s)},
                             {"executor", name(entry.way.executor)},
                             {"policy", name(entry.way.policy)},
                             {"buffers", entry.way.buffers},
                             {"algorithm", specification(entry.way.algorithm)}});
}

std::string line_of(const Situation& situation, const WisdomRace& race) {
  Json json{{"collective", name(situation.collective)}};
  add_structure(json, situation);
  json.update(Json{{"block_bytes", situation.block_bytes},
                   {"counts_known", situation.counts_known},
                   {"skew", situation.skew},
                   {"sparsity", situation.sparsity},
                   {"irregularity", situation.irregularity},
                   {"combining", name(situation.combining)},
                   {"date", race.date},
                   {"time", race.time},
                   {"repetitions", race.repetitions},
                   {"others", rounded(race.others)}});
  std::string text = line_of(json);
  text.pop_back();  // the brace
  return text + ",\"ways\":" + lines_of(race.entries, [](const WisdomEntry& each) { return line_of(each); }) + '}';
}

std::string line_of(const ExecutorFit& fit) {
  Json json{{"executor", name(fit.executor)}}, coefficients = Json::object();
  add_structure(json, fit);
  const Model& model = *find_model("max-rate");
  for (const auto& [key, value] : fit.coefficients) {
    const auto coefficient = std::find_if(model.coefficients.begin(), model.coefficients.end(),
                                          [&key = key](const Coefficient& each) { return each.key == key; });
    coefficients[key] = coefficient->is_whole ? value : rounded(value);
  }
  json.update(Json{{"date", fit.date}, {"error", rounded(fit.error)}, {"preset", fit.preset}});
  json["coefficients"] = std::move(coefficients);
  return line_of(json);
}

std::string line_of(const VendorFit& fit) {
  Json json{{"collective", name(fit.collective)}}, sizes = Json::array();
  add_structure(json, fit);
  for (const auto& [bytes, seconds] : fit.seconds) sizes.push_back({{"block_bytes", bytes}, {"time_us", microseconds(seconds)}});
  json.update(Json{{"date", fit.date}, {"sizes", std::move(sizes)}});
  return line_of(json);
}

}  // namespace

Wisdom parse_wisdom(std::string_view text, const std::string& file) {
  const auto refuse = [&](std::string_view reason) -> Wisdom {
    throw Error(ErrorCode::malformed, fmt::format("the wisdom '{}': {}", file, reason));
  };
  if (text.starts_with("quadrille-wisdom "))
    return refuse("it has the form of an older version of quadrille; remove it, and measure again by 'quadrille tune'");
  try {
    const nlohmann::json tree = json_tree(text);
    return wisdom_of(JsonValue(tree));
  } catch (const Error& error) {
    return refuse(error.what());
  }
}

std::string wisdom_text(const Wisdom& wisdom) {
  const Fingerprint& machine = wisdom.machine;
  const Json named{{"processor", machine.processor}, {"cores", machine.cores}, {"network", machine.network}, {"mpi", machine.mpi}};
  std::vector<std::string> races;
  for (const WisdomRecord& record : wisdom.records)
    for (const WisdomRace& race : record.races) races.push_back(line_of(record.situation, race));
  const auto plain_list = [](const auto& list) { return lines_of(list, [](const auto& each) { return line_of(each); }); };
  return fmt::format(
      "{{\"quadrille_wisdom\":{},\n\"algorithms\":\"{}\",\n\"machine\":{},\n\"races\":{},\n\"fits\":{},\n\"vendor\":{}}}\n",
      wisdom_format, table_text(), line_of(named), lines_of(races, [](const std::string& line) { return line; }),
      plain_list(wisdom.executors), plain_list(wisdom.vendor));
}

}  // namespace quadrille
