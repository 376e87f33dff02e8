// SPDX-License-Identifier: BSD-3-Clause
#include "draw/schedule_trace.hpp"

#include <fmt/format.h>

#include <set>

#include "foundation/text/printable.hpp"
#include "foundation/text/wording.hpp"
#include "problem/problem_text.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/fault_cause.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

void add_findings(Trace& trace, const Schedule& schedule, const std::vector<Finding>& findings) {
  const FaultCauses found = causes_of(schedule, findings);
  for (const std::size_t i : order_of(findings, found)) {
    const Finding& finding = findings[i];
    trace.findings.push_back({.rule = std::string(name(finding.rule)),
                              .text = finding.message,
                              .rank = finding.rank,
                              .stage = finding.stage,
                              .round = finding.round,
                              .region = finding.region});
  }
  auto finding = trace.findings.begin();
  for (std::size_t i = 0; i < found.causes.size(); ++i) {
    const FaultCause& cause = found.causes[i];
    for (const auto end = finding + size(cause.findings); finding != end; ++finding) {
      finding->cause = static_cast<Count>(i);
      const bool is_said = cause.kind == CauseKind::rule || cause.message.find(finding->text) != std::string::npos;
      if (!is_said) finding->text += "; the cause: " + cause.message;
    }
  }
}

void add_bounds(Trace& trace, const Schedule& schedule, const Topology* topology) {
  const Figures counted = figures(schedule);
  std::vector<Bound> bounds = lower_bounds(schedule.problem, counted.ports, counted.c1);
  if (topology)
    for (Bound& bound : lower_bounds(schedule.problem, *topology)) bounds.push_back(std::move(bound));
  for (Bound& bound : bounds) trace.bounds.push_back({std::move(bound.figure), bound.value, std::move(bound.source)});
}

}  // namespace

Trace described_trace(const Schedule& schedule, const std::string& label, const Topology* topology,
                      const std::vector<Finding>& findings) {
  Trace trace = trace_of(schedule, topology);
  trace.title = fmt::format("{}, {}, {}", name(schedule.problem.collective), printable(label), problem_text(schedule.problem));
  if (const std::set<Count> nodes(schedule.problem.nodes.begin(), schedule.problem.nodes.end()); !nodes.empty())
    trace.title += fmt::format(", on {}", counted(static_cast<Count>(nodes.size()), "node"));
  if (topology) trace.title += fmt::format(", {}", topology->name());
  if (findings.empty())
    add_bounds(trace, schedule, topology);
  else
    add_findings(trace, schedule, findings);
  return trace;
}

}  // namespace quadrille
