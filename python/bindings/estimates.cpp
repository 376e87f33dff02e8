// SPDX-License-Identifier: BSD-3-Clause
// Prices and simulations.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include <optional>

#include "bindings.hpp"
#include "quadrille/error.hpp"
#include "quadrille/model_choice.hpp"
#include "quadrille/simulate.hpp"
#include "schedule/ordering.hpp"

namespace quadrille::python {
namespace {

// What an estimate is made with.
struct Setting {
  Schedule schedule;  // with the grid and the nodes of the network
  MachineCosts machine;
  ModelChoice model;
  std::optional<Topology> topology;

  const Topology* links() const { return topology ? &*topology : nullptr; }
};

Setting setting_of(const Schedule& schedule, const std::string& machine, const std::optional<std::string>& model,
                   const std::optional<std::string>& topology) {
  Setting setting{.schedule = schedule, .machine = find_machine(machine), .model = {}, .topology = {}};
  if (topology) {
    setting.topology = parse_topology(*topology);
    Problem& problem = setting.schedule.problem;
    if (problem.ranks != setting.topology->ranks())
      throw Error(ErrorCode::misuse,
                  fmt::format("the topology '{}' has {} ranks, not {}", *topology, setting.topology->ranks(), problem.ranks));
    if (problem.grid.empty()) problem.grid = setting.topology->grid();
    if (problem.nodes.empty()) problem.nodes = setting.topology->nodes();
  }
  if (model) {
    setting.model.model = find_model(*model);
    if (!setting.model.model) throw Error(ErrorCode::misuse, fmt::format("there is no model '{}'", *model));
    return setting;
  }
  const Result<ModelChoice> chosen = choose_model(setting.machine, pricing_facts(setting.schedule.problem, setting.links()));
  if (!chosen) throw Error(ErrorCode::misuse, chosen.error());
  setting.model = *chosen;
  return setting;
}

struct Priced {
  std::string machine, model, place;
  Price price;

  double seconds() const { return price.seconds(price.best_policy()); }
};

struct Simulated {
  std::string machine, model, place;
  Simulation simulation;
};

Priced priced(Held& held, const std::string& machine, const std::optional<std::string>& model,
              const std::optional<std::string>& topology) {
  check_right(held);
  const LockReleased released;
  const Setting setting = setting_of(held.schedule, machine, model, topology);
  const Model& by = *setting.model.model;
  return {setting.machine.name, std::string(by.id), place_text(by, setting.schedule.problem),
          price_of(workload_for(by, setting.schedule, setting.links()), by, setting.machine)};
}

Simulated simulated(Held& held, const std::optional<std::string>& topology, const std::string& machine,
                    const std::optional<std::string>& model) {
  check_right(held);
  const LockReleased released;
  const Setting setting = setting_of(held.schedule, machine, model, topology);
  const Model& by = *setting.model.model;
  const WorkloadOptions counted{.topology = setting.links(), .nodes = by.needs_nodes, .work = by.needs_work};
  return {setting.machine.name, std::string(by.id), place_text(by, setting.schedule.problem),
          simulate_rounds(setting.schedule, by, setting.machine, counted)};
}

py::list terms_of(const Priced& priced) {
  py::list terms;
  for (const PriceTerm& term : priced.price.terms_of(priced.price.best_policy()))
    terms.append(
        py::dict(py::arg("name") = std::string(term.name), py::arg("amount") = term.amount, py::arg("seconds") = term.seconds));
  return terms;
}

py::list rounds_of(const Simulated& simulated) {
  py::list rounds;
  for (const SimulatedStage& stage : simulated.simulation.stages)
    for (const SimulatedRound& round : stage.rounds)
      rounds.append(py::dict(py::arg("round") = round.number, py::arg("stage") = stage.name,
                             py::arg("begin_s") = seconds_of(round.begin), py::arg("end_s") = seconds_of(round.end),
                             py::arg("sharing") = round.sharing, py::arg("link_bytes") = round.link_bytes));
  return rounds;
}

}  // namespace

void add_estimates(py::module_& module) {
  py::class_<Priced>(module, "Price", "The predicted time of a schedule, by the formula of a model.")
      .def_readonly("machine", &Priced::machine, "The name of the machine.")
      .def_readonly("model", &Priced::model, "The name of the model.")
      .def_property_readonly("seconds", &Priced::seconds, "Seconds under the best policy.")
      .def_property_readonly(
          "policy", [](const Priced& priced) { return std::string(name(priced.price.best_policy())); },
          "The best policy: blocking, nonblocking or dataflow.")
      .def_property_readonly(
          "blocking_s", [](const Priced& priced) { return priced.price.blocking_s; }, "Seconds under the policy blocking.")
      .def_property_readonly(
          "nonblocking_s", [](const Priced& priced) { return priced.price.nonblocking_s; }, "Seconds under the policy nonblocking.")
      .def_property_readonly(
          "dataflow_s", [](const Priced& priced) { return priced.price.dataflow_s; }, "Seconds under the policy dataflow.")
      .def_property_readonly("terms", &terms_of, "Dictionaries with name, amount and seconds; the seconds add up to the price.")
      .def("__repr__", [](const Priced& priced) {
        return fmt::format("<Price: {:.3g} s on {}, {}, by {}, {}>", priced.seconds(), priced.machine, priced.place, priced.model,
                           name(priced.price.best_policy()));
      });
  py::class_<Simulated>(module, "Simulation", "The time of a schedule, simulated round by round.")
      .def_readonly("machine", &Simulated::machine, "The name of the machine.")
      .def_readonly("model", &Simulated::model, "The name of the model.")
      .def_property_readonly(
          "seconds", [](const Simulated& simulated) { return seconds_of(simulated.simulation.end); },
          "Seconds until the last rank has ended.")
      .def_property_readonly(
          "rounds", &rounds_of,
          "Dictionaries with round, stage, begin_s, end_s, sharing (messages on its busiest link) and link_bytes.")
      .def("__repr__", [](const Simulated& simulated) {
        return fmt::format("<Simulation: {:.3g} s on {}, {}, by {}>", seconds_of(simulated.simulation.end), simulated.machine,
                           simulated.place, simulated.model);
      });
  auto schedule = py::class_<Held>(module.attr("Schedule"));
  schedule.def("price", &priced, py::arg("machine"), py::kw_only(), py::arg("model") = py::none(), py::arg("topology") = py::none(),
               "Predicts the time on a named machine, such as 'hdr', or one of a file. Raises ScheduleError for a wrong schedule.");
  schedule.def("simulate", &simulated, py::arg("topology") = py::none(), py::kw_only(), py::arg("machine") = "hdr",
               py::arg("model") = py::none(),
               "Simulates the rounds on a network, such as 'torus:4x4'. Raises ScheduleError for a wrong schedule.");
}

}  // namespace quadrille::python
