// SPDX-License-Identifier: BSD-3-Clause
#include "reports/simulated_times.hpp"

#include <fmt/format.h>

#include "quadrille/error.hpp"
#include "quadrille/fault_cause.hpp"
#include "quadrille/simulate.hpp"
#include "reports/bound_report.hpp"
#include "support/output.hpp"
#include "support/refuse.hpp"

namespace quadrille::command {
namespace {

// `topology` may be null. `by_rounds` as in time_bound.
void add_time(Trace& trace, TracedTime time, const Model& model, const MachineCosts& machine, const Problem& problem,
              const Topology* topology, bool by_rounds) {
  time.model = model.id;
  time.machine = machine.name;
  time.title += fmt::format(", model {}, machine {}, {}{}{}", time.model, time.machine, place_text(model, problem),
                            time.policy.empty() ? "" : ", ", time.policy);
  if (const auto least = least_seconds(problem, model, machine, topology, by_rounds))
    time.title += fmt::format(", {} of the least time of any schedule", over_bound_text(seconds_of(time.end), least));
  trace.times.push_back(std::move(time));
}

void add_time_by_rounds(Trace& trace, const Schedule& schedule, const Topology* topology, const ModelOptions& options) {
  const MachineCosts machine = options.machine_costs();
  const Model& model = *options.choose(machine, schedule.problem, topology != nullptr).model;
  const WorkloadOptions counted{.topology = topology, .nodes = model.needs_nodes, .work = model.needs_work};
  add_time(trace, time_by_rounds(trace, simulate_rounds(schedule, model, machine, counted)), model, machine, schedule.problem,
           topology, /*by_rounds=*/true);
}

void add_times_by_events(Trace& trace, const Schedule& schedule, const Topology* topology, const ModelOptions& options,
                         const EventArguments& arguments) {
  const MachineCosts machine = options.machine_costs();
  const auto suits = [&](const Model& each) { return simulates_events(each, machine, topology != nullptr); };
  const Model& model = *options.choose(machine, schedule.problem, topology != nullptr, suits).model;
  EventOptions events = arguments.options();
  events.topology = topology;
  for (const Policy policy : arguments.policy_list()) {
    events.policy = policy;
    add_time(trace, time_by_events(trace, schedule, message_times(model, machine), events), model, machine, schedule.problem,
             topology,
             /*by_rounds=*/false);
  }
}

}  // namespace

void refuse_wrong(const Schedule& schedule, const std::vector<Finding>& findings) {
  if (!findings.empty())
    refuse(fmt::format("a wrong schedule has no simulated times, so leave --machine out; it has {}",
                       summary_of(findings, causes_of(schedule, findings))));
}

void add_simulated_times(Trace& trace, const Schedule& schedule, const Topology* topology, const ModelOptions& model,
                         const EventArguments& events, const std::optional<std::string>& by) {
  if (by != "events") add_time_by_rounds(trace, schedule, topology, model);
  if (by == "rounds") return;
  try {
    add_times_by_events(trace, schedule, topology, model, events);
  } catch (const Error& error) {
    if (by || events.given() || error.code() != ErrorCode::misuse) throw;
    remark(fmt::format("simulated by rounds only: {}", error.what()));
  }
}

}  // namespace quadrille::command
