// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/race.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "bindings.hpp"
#include "communicator.hpp"
#include "schedule/ordering.hpp"

namespace quadrille::python {
namespace {

struct Raced {
  std::vector<RaceResult> results;  // one for each size
};

// Returns the family under a name that no algorithm of the table has.
Family told_apart(const Family& family, Collective collective) {
  if (!find_algorithm(collective, family.name())) return family;
  return {"own/" + family.name(), [family](const Problem& problem) { return family.schedule(problem); }, family.made_by()};
}

RaceResult raced(Ranks& ranks, const Problem& problem, const std::vector<Named>& algorithms, const RaceOptions& options) {
  std::vector<Way> candidates;
  for (const Named& named : algorithms) {
    const auto* text = std::get_if<std::string>(&named);
    candidates.push_back(
        {.algorithm = text ? parse_candidate(problem, *text) : Candidate(told_apart(std::get<Family>(named), problem.collective))});
  }
  return with_group(ranks, [&](Communicator& group) { return race(group, problem, candidates, options); });
}

Raced raced_in_group(Ranks& ranks, const std::vector<Problem>& problems, const std::vector<Named>& algorithms,
                     const std::string& op, const std::string& type, int repetitions, double seconds) {
  RaceOptions options{.repetitions = repetitions, .seconds_per_problem = seconds};
  Raced raced;
  for (const Problem& problem : problems) {
    if (is_reduction(problem.collective)) options.operation = built_in_operator(op, type);
    raced.results.push_back(python::raced(ranks, problem, algorithms, options));
  }
  return raced;
}

void add_entries(py::list& records, const RaceResult& result) {
  for (const RaceEntry& entry : result.entries)
    records.append(py::dict(py::arg("algorithm") = short_name(result.problem, entry.candidate.algorithm),
                            py::arg("ranks") = result.problem.ranks, py::arg("block_bytes") = result.problem.block_bytes,
                            py::arg("policy") = std::string(name(entry.candidate.policy)),
                            py::arg("median_s") = entry.seconds.median, py::arg("lower_s") = entry.seconds.lower,
                            py::arg("upper_s") = entry.seconds.upper, py::arg("right") = entry.failed_check.empty()));
}

py::list entries_of(const Raced& raced) {
  py::list records;
  for (const RaceResult& result : raced.results) add_entries(records, result);
  return records;
}

py::list left_out_of(const Raced& raced) {
  py::list records;
  for (const RaceResult& result : raced.results)
    for (const auto& [candidate, reason] : result.left_out)
      records.append(py::dict(py::arg("algorithm") = specification(candidate.algorithm),
                              py::arg("block_bytes") = result.problem.block_bytes, py::arg("reason") = reason));
  return records;
}

std::string conclusion_of(const RaceResult& result) {
  return fmt::format("{} B: {}", result.problem.block_bytes, name(result.conclusion));
}

// Of one size "tied"; of several "8 B: tied; 1024 B: fastest".
std::string conclusion_of(const Raced& raced) {
  if (raced.results.size() == 1) return std::string(name(raced.results.front().conclusion));
  std::string text;
  for (const RaceResult& result : raced.results) text += (text.empty() ? "" : "; ") + conclusion_of(result);
  return text;
}

std::string race_text(const Raced& raced) {
  std::string text;
  for (const RaceResult& result : raced.results) {
    text += fmt::format("{}{}", text.empty() ? "" : "; ", conclusion_of(result));
    for (const RaceEntry& entry : result.entries)
      text += fmt::format(", {} {:.3g} s", short_name(result.problem, entry.candidate.algorithm), entry.seconds.median);
  }
  return fmt::format("<Race: {}>", text);
}

}  // namespace

void add_race(py::module_& module) {
  py::class_<Raced>(module, "Race", "Measured times of algorithms that ran side by side.")
      .def_property_readonly(
          "entries", &entries_of,
          "A record (dict) of each algorithm at each size: algorithm, ranks, block_bytes, policy, the median_s of a run with its "
          "interval lower_s to upper_s, and right: was the data right? Algorithms with the same steps have one.")
      .def_property_readonly("left_out", &left_out_of,
                             "A record (dict) of each algorithm that does not apply: algorithm, block_bytes, reason.")
      .def_property_readonly("conclusion", py::overload_cast<const Raced&>(&conclusion_of),
                             "fastest, tied, noisy, too few repetitions, or wrong data; for each size if there are several.")
      .def("__repr__", &race_text);
  module.def("race_in_group", &raced_in_group);
}

}  // namespace quadrille::python
