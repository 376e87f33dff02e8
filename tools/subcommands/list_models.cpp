// SPDX-License-Identifier: BSD-3-Clause
#include "subcommands/list_models.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "options/model_options.hpp"
#include "quadrille/error.hpp"
#include "quadrille/model.hpp"
#include "support/output.hpp"
#include "support/text.hpp"
#include "topology/topology_kind.hpp"

namespace quadrille::command {
namespace {

std::vector<MachineCosts> all_machines() {
  std::vector<MachineCosts> machines;
  for (const std::string& name : machine_names()) {
    try {
      machines.push_back(find_machine(name));
      machines.back().name = name;  // the name by which --machine finds it
    } catch (const Error& error) {
      remark(error.what());
    }
  }
  return machines;
}

std::string when_left_out(const Coefficient& coefficient) {
  if (coefficient.required) return "";
  return coefficient.standard ? fmt::format(" (or {})", *coefficient.standard) : " (if known)";
}

// A table of a machine file: the models that read it, and its figures.
struct TableTexts {
  std::vector<std::string> models, values;  // "startup_us = 29"
};

std::vector<TableTexts> tables_of(const MachineCosts& machine) {
  std::vector<TableTexts> tables;
  for (const Model* owner : all_models()) {
    if (!owner->shared_table.empty() || !machine.models.contains(owner->id)) continue;
    TableTexts& table = tables.emplace_back();
    std::set<std::string_view> told;
    for (const Model* model : all_models()) {
      const auto coefficients = machine.models.find(model->id);
      if (model->table() != owner->id || coefficients == machine.models.end()) continue;
      table.models.emplace_back(model->id);
      for (const Coefficient& coefficient : model->coefficients)
        if (const auto value = coefficients->second.find(coefficient.key);
            told.insert(coefficient.key).second && value != coefficients->second.end() &&
            (coefficient.required || value->second != coefficient.standard))
          table.values.push_back(fmt::format("{} = {:.4g}{}", coefficient.key, value->second,
                                             assumptions_of(*model, machine).contains(coefficient.key) ? " (assumed)" : ""));
    }
  }
  return tables;
}

std::string needs_text(const Model& model) {
  if (model.needs_links) return "a topology";
  if (model.needs_nodes) return "ranks on nodes";
  return model.needs_exchange ? "alltoall or alltoallv" : "";
}

}  // namespace

std::string models_text() {
  std::size_t width = 0;  // the width of the longest key
  for (const Model* model : all_models())
    for (const Coefficient& coefficient : model->coefficients) width = std::max(width, coefficient.key.size());
  std::string text;
  for (const Model* model : all_models()) {
    text += paragraph(fmt::format("{}: {} [{}]", model->id, model->formula, model->source));
    if (const std::string needs = needs_text(*model); !needs.empty()) text += fmt::format("  needs {}\n", needs);
    for (const Coefficient& coefficient : model->coefficients)
      text += wrapped(fmt::format("  {:<{}}  {}{}", coefficient.key, width, coefficient.meaning, when_left_out(coefficient)),
                      terminal_width(), width + 4) +
              '\n';
  }
  return text;
}

std::string models_markdown() {
  std::string text = "| model | formula | coefficients | needs | source |\n| --- | --- | --- | --- | --- |\n";
  for (const Model* model : all_models()) {
    std::vector<std::string> coefficients;
    for (const Coefficient& coefficient : model->coefficients)
      coefficients.push_back(fmt::format("`{}`: {}{}", coefficient.key, coefficient.meaning, when_left_out(coefficient)));
    const std::string needs = needs_text(*model);
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", model->id, model->formula, fmt::join(coefficients, "<br>"),
                        needs.empty() ? "–" : needs, model->source);
  }
  return text;
}

Json models_json() {
  return array_of(all_models(), [](const Model* model) {
    Json object = MEMBERS_OF(*model, id, formula, source);
    object["needs"] = needs_text(*model);
    object["coefficients"] =
        array_of(model->coefficients, [](const Coefficient& each) { return MEMBERS_OF(each, key, meaning, required, standard); });
    return object;
  });
}

std::string exact_text(const MachineCosts& machine) { return machine.is_exact ? " (exact)" : ""; }

std::string machines_text() {
  std::string text;
  for (const MachineCosts& machine : all_machines()) {
    text += paragraph(fmt::format("{}: {}{} [{}]", machine.name, machine.description, exact_text(machine), machine.source));
    for (const TableTexts& table : tables_of(machine))
      text += paragraph(fmt::format("  {}: {}", fmt::join(table.models, ", "), fmt::join(table.values, ", ")), 4);
  }
  return text;
}

std::string machines_markdown() {
  std::string text = "| machine | what it is | figures | source |\n| --- | --- | --- | --- |\n";
  for (const MachineCosts& machine : all_machines()) {
    std::vector<std::string> figures;
    for (const TableTexts& table : tables_of(machine))
      figures.push_back(fmt::format("`{}`: {}", fmt::join(table.models, "`, `"), fmt::join(table.values, ", ")));
    text += fmt::format("| `{}` | {}{} | {} | {} |\n", machine.name, machine.description, exact_text(machine),
                        fmt::join(figures, "<br>"), machine.source);
  }
  return text;
}

Json machines_json() {
  return array_of(all_machines(), [](const MachineCosts& machine) {
    return MEMBERS_OF(machine, name, description, source, is_exact, models, assumed);
  });
}

std::string topologies_text() {
  std::size_t width = 0;
  for (const TopologyKind* kind : all_topology_kinds()) width = std::max(width, example_of(*kind).size());
  std::string text;
  for (const TopologyKind* kind : all_topology_kinds())
    text += wrapped(fmt::format("{:<{}}  {}", example_of(*kind), width, kind->description), terminal_width(), width + 2) + '\n';
  return text;
}

std::string topologies_markdown() {
  std::string text = "| topology | how ranks are linked | routings |\n| --- | --- | --- |\n";
  for (const TopologyKind* kind : all_topology_kinds()) {
    std::string routings;
    for (const std::string_view routing : kind->routings) routings += fmt::format("{}`,{}`", routings.empty() ? "" : " ", routing);
    text += fmt::format("| `{}` | {} | {} |\n", example_of(*kind), kind->description, routings.empty() ? "–" : routings);
  }
  return text;
}

Json topologies_json() {
  return array_of(all_topology_kinds(), [](const TopologyKind* kind) {
    return Json{{"name", kind->name},
                {"example", example_of(*kind)},
                {"description", kind->description},
                {"numbers", kind->numbers == 0 ? Json("one or more") : Json(kind->numbers)},
                {"routings", kind->routings}};
  });
}

}  // namespace quadrille::command
