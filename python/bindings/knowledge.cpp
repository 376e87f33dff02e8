// SPDX-License-Identifier: BSD-3-Clause
// What the library knows: its algorithms, and which one a plan would take.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include "bindings.hpp"
#include "problem/problem_text.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/error.hpp"
#include "quadrille/explain.hpp"
#include "schedule/ordering.hpp"

namespace quadrille::python {
namespace {

py::dict record_of(const Algorithm& algorithm) {
  py::list parameters;
  for (const Parameter& parameter : algorithm.parameters)
    parameters.append(py::dict(py::arg("name") = std::string(parameter.name), py::arg("summary") = std::string(parameter.summary),
                               py::arg("default") = to_string(parameter.standard)));
  return py::dict(py::arg("collective") = std::string(name(algorithm.collective)), py::arg("name") = std::string(algorithm.id),
                  py::arg("summary") = algorithm.summary, py::arg("picture") = std::string(algorithm.picture),
                  py::arg("needs") = std::string(algorithm.needs), py::arg("source") = std::string(algorithm.source),
                  py::arg("parameters") = parameters);
}

py::list algorithms(const std::optional<std::string>& collective) {
  py::list records;
  if (collective) collective_of(*collective);
  for (const Algorithm* algorithm : all_algorithms())
    if (!collective || name(algorithm->collective) == *collective) records.append(record_of(*algorithm));
  return records;
}

std::vector<std::string> collectives() {
  std::vector<std::string> names;
  for (const Collective each : all_collectives()) names.emplace_back(name(each));
  return names;
}

std::optional<std::string> name_of_mpi(const std::string& function) {
  const auto collective = collective_of_mpi(function);
  return collective ? std::optional(std::string(name(*collective))) : std::nullopt;
}

struct Explained {
  Explanation explanation;
};

// Verifies the schedules of the families first.
Explained explained(const Problem& problem, const std::optional<std::string>& machine, const std::vector<Family>& families) {
  for (const Family& family : families) {
    Result<Schedule> schedule = [&] {
      const LockReleased released;
      return family.schedule(problem);
    }();
    if (!schedule) continue;  // the explanation says so
    Held held{*std::move(schedule), false};
    check_right(held);
  }
  const LockReleased released;
  const MachineKnowledge knowledge = machine ? MachineKnowledge{.preset = find_machine(*machine)} : knowledge_here();
  return {explain(problem, knowledge, {.families = families})};
}

py::list families_of(const Explained& explained) {
  py::list records;
  for (const ExplainedFamily& family : explained.explanation.families)
    records.append(py::dict(py::arg("algorithm") = family.name, py::arg("executor") = std::string(name(family.executor)),
                            py::arg("policy") = std::string(name(family.policy)), py::arg("predicted_s") = family.predicted_s,
                            py::arg("ratio") = family.ratio, py::arg("reason") = family.reason));
  return records;
}

py::list ways_of(const Explained& explained) {
  py::list ways;
  for (const ExplainedWay& way : explained.explanation.ways) {
    const Considered& considered = way.considered;
    py::dict record(py::arg("algorithm") = way.name, py::arg("executor") = std::string(name(considered.way.executor)),
                    py::arg("predicted_s") = py::none(), py::arg("measured_s") = py::none(),
                    py::arg("rejected") = considered.rejected);
    if (considered.predicted_s) record["predicted_s"] = *considered.predicted_s;
    if (considered.measured) record["measured_s"] = considered.measured->median_s;
    ways.append(std::move(record));
  }
  return ways;
}

}  // namespace

void add_knowledge(py::module_& module) {
  module.def("algorithms", &algorithms, py::arg("collective") = py::none(),
             "A record (dict) of each algorithm: collective, name, summary, picture, needs, source, parameters.");
  module.def("collectives", &collectives, "The names of the collectives.");
  module.def("collective_of_mpi", &name_of_mpi, "The name of the collective that MPI calls so; None if there is none.");
  py::class_<Explained>(module, "Explanation", "Which algorithm a plan would take, and why.")
      .def_property_readonly(
          "chosen", [](const Explained& told) { return specification(told.explanation.decision.chosen.algorithm); },
          "The algorithm.")
      .def_property_readonly(
          "reason", [](const Explained& told) { return told.explanation.decision.reason; }, "One sentence.")
      .def_property_readonly(
          "families", &families_of,
          "A record (dict) of each algorithm of your own: algorithm, executor, policy, predicted_s, the ratio of "
          "that time to the one of the chosen way, and the reason if it has no predicted time.")
      .def_property_readonly("ways", &ways_of,
                             "A record (dict) of each candidate: algorithm, executor, predicted_s, measured_s, rejected.")
      .def("__repr__", [](const Explained& told) {
        return fmt::format("<Explanation: {}: {}>", specification(told.explanation.decision.chosen.algorithm),
                           told.explanation.decision.reason);
      });
  module.def("explain_problem", &explained, py::arg("problem"), py::arg("machine"), py::arg("families"));
}

}  // namespace quadrille::python
