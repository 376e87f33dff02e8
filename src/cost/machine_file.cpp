// SPDX-License-Identifier: BSD-3-Clause
// Machines as TOML files: those installed with the library, the user's, and any other file.
#define TOML_HEADER_ONLY 1
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <set>
#include <sstream>

#include "foundation/system/files.hpp"
#include "foundation/text/wording.hpp"
#include "quadrille/error.hpp"
#include "quadrille/model.hpp"

namespace quadrille {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_mebibytes = 1;
constexpr std::string_view assumed = "assumed";        // name of a subtable in the table of a model
constexpr std::string_view residuals = "residuals";    // name of a table
constexpr std::string_view node_sizes = "node_sizes";  // a key in that table

// Returns the folders of machine files, in the order in which they are searched.
std::vector<fs::path> machine_folders() {
  std::vector<fs::path> folders;
  if (const std::string own = user_machine_folder(); !own.empty()) folders.emplace_back(own);
  folders.push_back(library_folder() / "machines");
  return folders;
}

std::string label_of(const std::string& file) { return fmt::format("the machine file '{}'", file); }

std::string contents(const std::string& file) {
  FileText read = read_regular_file(file, most_mebibytes, label_of(file));
  if (read.error != 0)
    throw Error(ErrorCode::environment, fmt::format("{} cannot be read: {}", label_of(file), std::strerror(read.error)));
  return std::move(read.text);
}

constexpr std::string_view date = "date";                 // another one
constexpr std::string_view in_succession = "succession";  // a value of `load`

const std::array<Coefficient, 4> residual_keys{
    {{.key = "block", .meaning = "bytes of a block", .least = 0, .most = 0x1p53, .is_whole = true},
     {.key = "ratio",
      .meaning = "median of measured / predicted time",
      .least = Residual::least_ratio,
      .most = Residual::most_ratio},
     {.key = "spread", .meaning = "standard deviation of its logarithm", .least = 0, .most = Residual::most_spread},
     {.key = "noise", .meaning = "that of single calls", .required = false, .least = 0, .most = Residual::most_spread}}};

class Reader {
 public:
  // `place` names the text in error messages.
  Reader(const std::string& text, std::string place) : place_(std::move(place)) {
    try {
      table_ = toml::parse(text);
    } catch (const toml::parse_error& wrong) {
      fail(fmt::format("line {}: {}", wrong.source().begin.line, wrong.description()));
    }
  }

  MachineCosts machine() const {
    std::vector<std::string> known{"name", "description", "source", "exact"}, tables;
    for (const Model* model : all_models())
      if (model->shared_table.empty()) tables.emplace_back(model->id);
    known.insert(known.end(), tables.begin(), tables.end());
    known.emplace_back(residuals);
    refuse_shared_tables();
    refuse_unknown(table_, known);
    MachineCosts machine{.name = text("name"), .description = text("description"), .source = text("source")};
    if (const toml::node* node = table_.get("exact")) {
      if (!node->is_boolean()) fail(fmt::format("line {}: 'exact' is neither true nor false", line_of(*node)));
      machine.is_exact = *node->value<bool>();
    }
    for (const Model* model : all_models())
      if (const toml::node* node = table_.get(model->table())) {
        if (!node->is_table()) fail(fmt::format("line {}: '{}' is not a table", line_of(*node), model->table()));
        machine.models.emplace(model->id, coefficients(*model, *node->as_table()));
        if (Assumptions rules = assumptions(*model, *node->as_table()); !rules.empty())
          machine.assumed.emplace(model->id, std::move(rules));
      }
    if (machine.models.empty()) fail(fmt::format("there is no table of a model; there are: {}", fmt::join(tables, ", ")));
    if (const toml::node* node = table_.get(residuals)) {
      if (!node->is_table()) fail(fmt::format("line {}: '{}' is not a table", line_of(*node), residuals));
      machine.residuals = residuals_of(*node->as_table());
      machine.residual_node_sizes = residual_node_sizes_of(*node->as_table());
      if (const toml::node* day = node->as_table()->get(date)) {
        if (!day->is_string()) fail(fmt::format("line {}: '{}' is not text, such as '2026-11-30'", line_of(*day), date));
        machine.residual_date = *day->value<std::string>();
      }
    }
    return machine;
  }

 private:
  [[noreturn]] void fail(const std::string& sentence) const {
    throw Error(ErrorCode::malformed, fmt::format("{}: {}", place_, sentence));
  }

  static toml::source_index line_of(const toml::node& node) { return node.source().begin.line; }

  void refuse_unknown(const toml::table& table, const std::vector<std::string>& known) const {
    for (const auto& [key, value] : table)
      if (std::find(known.begin(), known.end(), key.str()) == known.end())
        fail(fmt::format("line {}: there is no '{}'; there are: {}", line_of(value), key.str(), fmt::join(known, ", ")));
  }

  // Refuses tables of models that read another model's table.
  void refuse_shared_tables() const {
    for (const Model* model : all_models())
      if (const toml::node* node = table_.get(model->id); node && !model->shared_table.empty())
        fail(fmt::format("line {}: the model {} has no table of its own; it reads the table [{}], so its figures belong there",
                         line_of(*node), model->id, model->shared_table));
  }

  std::string text(const char* key) const {
    const auto value = table_[key].value<std::string>();
    if (!value) fail(fmt::format("'{}' is missing or is not text", key));
    return *value;
  }

  Coefficients coefficients(const Model& model, const toml::table& table) const {
    std::vector<std::string> known;
    for (const Model* sharing : all_models())
      if (sharing->table() == model.table())
        for (const Coefficient& coefficient : sharing->coefficients)
          if (std::find(known.begin(), known.end(), coefficient.key) == known.end()) known.emplace_back(coefficient.key);
    known.emplace_back(assumed);
    refuse_unknown(table, known);
    Coefficients values;
    for (const Coefficient& coefficient : model.coefficients) {
      const toml::node* node = table.get(coefficient.key);
      if (node)
        values.emplace(coefficient.key, number(coefficient, *node));
      else if (coefficient.required)
        fail(fmt::format("line {}: '{}' is missing in the table [{}]", line_of(table), coefficient.key, model.table()));
      else if (coefficient.standard)
        values.emplace(coefficient.key, *coefficient.standard);
    }
    return values;
  }

  // Returns the rules by which coefficients of this model were assumed. Several models may share the table, so rules for
  // coefficients of other models are skipped.
  Assumptions assumptions(const Model& model, const toml::table& table) const {
    Assumptions rules;
    const toml::node* node = table.get(assumed);
    if (!node) return rules;
    if (!node->is_table()) fail(fmt::format("line {}: '{}' is not a table", line_of(*node), assumed));
    for (const auto& [key, value] : *node->as_table()) {
      if (key.str() == assumed || !table.contains(key.str()))
        fail(fmt::format("line {}: '{}' is assumed, but the table [{}] has no such coefficient", line_of(value), key.str(),
                         model.table()));
      const auto rule = value.value<std::string>();
      if (!rule || rule->empty())
        fail(fmt::format("line {}: the rule by which '{}' is assumed is not text", line_of(value), key.str()));
      if (model.knows(key.str())) rules.emplace(key.str(), *rule);
    }
    return rules;
  }

  double number(const Coefficient& coefficient, const toml::node& node) const {
    const auto value = node.value<double>();
    if (!value || !node.is_number()) fail(fmt::format("line {}: '{}' is not a number", line_of(node), coefficient.key));
    if (!(*value >= coefficient.least && *value <= coefficient.most) || (coefficient.is_whole && *value != std::trunc(*value)))
      fail(fmt::format("line {}: '{}' is {}; it must be {}from {} to {:g}", line_of(node), coefficient.key, *value,
                       coefficient.is_whole ? "a whole number " : "", coefficient.least, coefficient.most));
    return *value;
  }

  std::vector<Residual> residuals_of(const toml::table& table) const {
    std::vector<std::string> known;
    for (const Collective collective : all_collectives()) known.emplace_back(name(collective));
    known.emplace_back(node_sizes);
    known.emplace_back(date);
    refuse_unknown(table, known);
    std::vector<Residual> all;
    for (const Collective collective : all_collectives()) {
      const toml::node* list = table.get(name(collective));
      if (!list) continue;
      if (!list->is_array()) fail(fmt::format("line {}: the residuals of {} are not a list", line_of(*list), name(collective)));
      for (const toml::node& entry : *list->as_array()) {
        const Residual found = residual_of(collective, entry);
        for (const Residual& other : all)
          if (other.collective == collective && other.by == found.by && other.block_bytes == found.block_bytes &&
              other.in_succession == found.in_succession)
            fail(fmt::format("line {}: there is a second residual of {} by {} with blocks of {} B", line_of(entry),
                             name(collective), name(found.by), found.block_bytes));
        all.push_back(found);
      }
    }
    return all;
  }

  std::vector<Count> residual_node_sizes_of(const toml::table& table) const {
    std::vector<Count> sizes;
    const toml::node* list = table.get(node_sizes);
    if (!list) return sizes;
    const auto refuse = [&](const toml::node& node) {
      fail(fmt::format("line {}: '{}' is not a list of the numbers of ranks of each node, such as [4, 4]", line_of(node),
                       node_sizes));
    };
    if (!list->is_array() || list->as_array()->empty()) refuse(*list);
    for (const toml::node& entry : *list->as_array()) {
      const auto ranks = entry.value_exact<std::int64_t>();
      if (!ranks || *ranks < 1) refuse(entry);
      sizes.push_back(*ranks);
    }
    return sizes;
  }

  Residual residual_of(Collective collective, const toml::node& node) const {
    if (!node.is_table())
      fail(fmt::format("line {}: a residual of {} is not a table such as {{by = 'ours', block = 8, ratio = 1.2, spread = 0.1}}",
                       line_of(node), name(collective)));
    const toml::table& table = *node.as_table();
    std::vector<std::string> known{"by", "load"};
    for (const Coefficient& key : residual_keys) known.emplace_back(key.key);
    refuse_unknown(table, known);
    const auto by = table["by"].value<std::string>();
    if (by != name(Implementation::ours) && by != name(Implementation::vendor))
      fail(fmt::format("line {}: a residual is not by '{}' or '{}'", line_of(node), name(Implementation::ours),
                       name(Implementation::vendor)));
    if (table.contains("load") && table["load"].value<std::string>() != in_succession)
      fail(fmt::format("line {}: the load of a residual is not '{}'", line_of(node), in_succession));
    std::vector<double> values;
    for (const Coefficient& key : residual_keys) {
      const toml::node* value = table.get(key.key);
      if (!value && key.required) fail(fmt::format("line {}: a residual has no '{}'", line_of(node), key.key));
      values.push_back(value ? number(key, *value) : 0);
    }
    return {.collective = collective,
            .by = by == name(Implementation::ours) ? Implementation::ours : Implementation::vendor,
            .block_bytes = static_cast<Bytes>(values[0]),
            .ratio = values[1],
            .spread = values[2],
            .noise = values[3],
            .in_succession = table.contains("load")};
  }

  std::string place_;
  toml::table table_;
};

std::string residuals_text(const MachineCosts& machine) {
  const std::vector<Residual>& all = machine.residuals;
  if (all.empty()) return "";
  std::string text = "\n# by size of block:";
  for (std::size_t i = 1; i < residual_keys.size(); ++i)
    text += fmt::format("{} {} = {}", i == 1 ? "" : ",", residual_keys[i].key, residual_keys[i].meaning);
  text += fmt::format("\n[{}]\n", residuals);
  if (!machine.residual_date.empty()) text += fmt::format("{} = '{}'  # when they were measured\n", date, machine.residual_date);
  if (!machine.residual_node_sizes.empty())
    text += fmt::format("{} = [{}]  # ranks of each node, when they were measured\n", node_sizes,
                        fmt::join(machine.residual_node_sizes, ", "));
  for (const Collective collective : all_collectives()) {
    std::string list;
    for (const Residual& each : all)
      if (each.collective == collective)
        list += fmt::format("  {{by = '{}', block = {}, ratio = {}, spread = {}{}{}}},\n", name(each.by), each.block_bytes,
                            each.ratio, each.spread, each.noise > 0 ? fmt::format(", noise = {}", each.noise) : "",
                            each.in_succession ? fmt::format(", load = '{}'", in_succession) : "");
    if (!list.empty()) text += fmt::format("{} = [\n{}]\n", name(collective), list);
  }
  return text;
}

const std::string* rule_of(const MachineCosts& machine, const Model& model, std::string_view key) {
  const auto rules = machine.assumed.find(model.id);
  if (rules == machine.assumed.end()) return nullptr;
  const auto rule = rules->second.find(key);
  return rule == rules->second.end() ? nullptr : &rule->second;
}

}  // namespace

std::string_view name(Implementation by) { return by == Implementation::vendor ? "vendor" : "ours"; }

MachineCosts read_machine(const std::string& file) { return Reader(contents(file), label_of(file)).machine(); }

std::string machine_text(const MachineCosts& machine, const std::vector<std::string>& remarks) {
  std::string text;
  for (const std::string& remark : remarks) text += "# " + remark + '\n';
  const auto quoted = [](const std::string& words) {
    std::ostringstream out;
    out << toml::value<std::string>(words);
    return out.str();
  };
  text += fmt::format("name = {}\ndescription = {}\nsource = {}\n", quoted(machine.name), quoted(machine.description),
                      quoted(machine.source));
  if (machine.is_exact) text += "exact = true  # a document's model defines the machine: plans take the least price alone\n";
  for (const Model* owner : all_models()) {
    if (!owner->shared_table.empty() || !machine.models.contains(owner->id)) continue;
    text += fmt::format("\n[{}]\n", owner->id);
    std::set<std::string_view> told;  // keys already written by an earlier model of the table
    std::string rules;
    for (const Model* model : all_models()) {
      const auto values = machine.models.find(model->id);
      if (model->table() != owner->id || values == machine.models.end()) continue;
      for (const Coefficient& coefficient : model->coefficients) {
        const auto value = values->second.find(coefficient.key);
        if (!told.insert(coefficient.key).second || value == values->second.end()) continue;
        text += fmt::format("{} = {}  # {}\n", coefficient.key, value->second, coefficient.meaning);
        if (const std::string* rule = rule_of(machine, *model, coefficient.key))
          rules += fmt::format("{} = {}\n", coefficient.key, quoted(*rule));
      }
    }
    if (!rules.empty()) text += fmt::format("\n[{}.{}]\n{}", owner->id, assumed, rules);
  }
  text += residuals_text(machine);
  Reader(text, fmt::format("the machine '{}' makes no machine file", machine.name)).machine();
  return text;
}

std::string user_machine_folder() {
  const fs::path own = user_folder("XDG_CONFIG_HOME", ".config");
  return own.empty() ? "" : (own / "quadrille" / "machines").string();
}

MachineCosts find_machine(const std::string& name_or_file) {
  std::error_code ignored;
  if (!name_or_file.empty() && name_or_file.find('/') == std::string::npos)
    for (const fs::path& folder : machine_folders())
      if (const fs::path file = folder / (name_or_file + ".toml"); fs::exists(file, ignored)) return read_machine(file.string());
  if (fs::exists(name_or_file, ignored)) return read_machine(name_or_file);
  if (name_or_file == "this-machine")
    throw Error(ErrorCode::misuse, "this-machine is not known yet; measure it: quadrille calibrate");
  std::vector<std::string> known = machine_names();
  if (std::find(known.begin(), known.end(), "this-machine") == known.end()) known.emplace_back("this-machine");
  throw Error(ErrorCode::misuse,
              fmt::format("there is no machine '{}', and no such file; {}", name_or_file, guess_or_list(name_or_file, known)));
}

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  for (const fs::path& folder : machine_folders()) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
      if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace quadrille
