// SPDX-License-Identifier: BSD-3-Clause
#include "reports/race_traces.hpp"

#include <fmt/format.h>

#include <sstream>

#include "options/cases.hpp"
#include "options/problem_options.hpp"
#include "plan/given_schedule.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/traced_run.hpp"

namespace quadrille::command {

std::vector<Trace> race_traces(Communicator& ranks, const RaceResult& race, const RaceOptions& options,
                               const std::function<void()>& beat) {
  std::vector<std::byte> input(index(input_bytes(race.problem, ranks.rank()))),
      output(index(output_bytes(race.problem, ranks.rank())));
  std::vector<Trace> traces;
  for (const RaceEntry& entry : race.entries) {
    const RaceCandidate& candidate = entry.candidate;
    if (candidate.is_vendor()) continue;
    beat();
    const auto* family = std::get_if<Family>(&candidate.algorithm);
    const Schedule schedule =
        family ? schedule_of(ranks, *family, race.problem).value() : make_schedule(race.problem, candidate.algorithm);
    Trace& trace = traces.emplace_back(traced_run(ranks, schedule,
                                                  {.policy = candidate.policy,
                                                   .executor = candidate.executor,
                                                   .buffers = candidate.buffers,
                                                   .operation = options.operation,
                                                   .keep_step = candidate.keep_step},
                                                  input.data(), output.data()));
    if (trace.times.empty()) continue;  // all ranks but the first
    trace.title = fmt::format("{}, {}, {}, {}", name(race.problem.collective), short_name(race.problem, candidate.algorithm),
                              problem_text(race.problem), trace.times.back().title);
  }
  return traces;
}

std::string to_text(const std::vector<Trace>& traces) {
  std::ostringstream text;
  text << (traces.size() == 1 ? "" : "[");
  for (const Trace& trace : traces) {
    text << (&trace == &traces.front() ? "" : ",\n");
    write_trace(text, trace);
  }
  text << (traces.size() == 1 ? "\n" : "]\n");
  return text.str();
}

}  // namespace quadrille::command
