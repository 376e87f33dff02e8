// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/race.hpp"

#include <pybind11/stl.h>

#include "bindings.hpp"
#include "quadrille/groups.hpp"
#include "schedule/policy_name.hpp"

namespace quadrille::python {
namespace {

struct Raced {
  RaceResult result;
};

// Returns the family under a name that no algorithm of the table has.
Family told_apart(const Family& family, Collective collective) {
  if (!find_algorithm(collective, family.name())) return family;
  return {"own/" + family.name(), [family](const Problem& problem) { return family.schedule(problem); }, family.made_by()};
}

Raced raced(const Problem& problem, const std::vector<Named>& algorithms, const std::string& op, const std::string& type,
            int repetitions, double seconds) {
  RaceOptions options{.repetitions = repetitions, .seconds_per_problem = seconds};
  if (is_reduction(problem.collective)) options.operation = built_in_operator(op, type);
  std::vector<RaceCandidate> candidates;
  for (const Named& named : algorithms) {
    const auto* text = std::get_if<std::string>(&named);
    candidates.push_back(
        {.algorithm = text ? parse_candidate(problem, *text) : Candidate(told_apart(std::get<Family>(named), problem.collective))});
  }
  Raced raced;
  run_threads(problem.ranks, [&](Communicator& threads) {
    RaceResult mine = race(threads, problem, candidates, options);
    if (threads.rank() == 0) raced.result = std::move(mine);
  });
  return raced;
}

py::list entries_of(const Raced& raced) {
  py::list records;
  for (const RaceEntry& entry : raced.result.entries) {
    py::dict record(py::arg("algorithm") = short_name(raced.result.problem, entry.candidate.algorithm),
                    py::arg("ranks") = raced.result.problem.ranks, py::arg("block_bytes") = raced.result.problem.block_bytes,
                    py::arg("policy") = std::string(name(entry.candidate.policy)), py::arg("median_s") = entry.seconds.median,
                    py::arg("lower_s") = entry.seconds.lower, py::arg("upper_s") = entry.seconds.upper,
                    py::arg("right") = entry.failed_check.empty());
    records.append(std::move(record));
  }
  return records;
}

py::list left_out_of(const Raced& raced) {
  py::list records;
  for (const auto& [candidate, reason] : raced.result.left_out)
    records.append(py::dict(py::arg("algorithm") = specification(candidate.algorithm), py::arg("reason") = reason));
  return records;
}

}  // namespace

void add_race(py::module_& module) {
  py::class_<Raced>(module, "Race", "Measured times of algorithms that ran side by side.")
      .def_property_readonly(
          "entries", &entries_of,
          "A record (dict) of each algorithm: algorithm, ranks, block_bytes, policy, the median_s of a run with its "
          "interval lower_s to upper_s, and right: was the data right? Algorithms with the same steps have one.")
      .def_property_readonly("left_out", &left_out_of, "A record (dict) of each algorithm that does not apply: algorithm, reason.")
      .def_property_readonly(
          "conclusion", [](const Raced& raced) { return std::string(name(raced.result.conclusion)); },
          "fastest, tied, noisy, too few repetitions, or wrong data.");
  module.def("race_on_threads", &raced, py::arg("problem"), py::arg("algorithms"), py::arg("op"), py::arg("type"),
             py::arg("repetitions"), py::arg("seconds"), py::call_guard<LockReleased>());
}

}  // namespace quadrille::python
