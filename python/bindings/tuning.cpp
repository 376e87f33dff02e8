// SPDX-License-Identifier: BSD-3-Clause
// Tuning: measuring which ways to run collectives are the fastest on this machine.
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "communicator.hpp"
#include "quadrille/tune.hpp"
#include "schedule/ordering.hpp"

namespace quadrille::python {
namespace {

const char* state_of(CellState state) {
  switch (state) {
    case CellState::open: return "open";
    case CellState::known: return "known";
    case CellState::measured: return "measured";
    case CellState::left_out: return "left out";
  }
  return "";
}

py::dict record_of(const TuneCell& cell) {
  return py::dict(py::arg("collective") = std::string(name(cell.problem.collective)), py::arg("shape") = cell.shape,
                  py::arg("ranks") = cell.problem.ranks, py::arg("block_bytes") = cell.size,
                  py::arg("state") = state_of(cell.state), py::arg("reason") = cell.reason, py::arg("algorithm") = py::none(),
                  py::arg("policy") = py::none(), py::arg("executor") = py::none(), py::arg("median_s") = py::none(),
                  py::arg("lower_s") = py::none(), py::arg("upper_s") = py::none());
}

py::list records_of(const TuneResult& result) {
  py::list records;
  for (const TuneCell& cell : result.cells) {
    if (cell.record.entries.empty()) records.append(record_of(cell));
    for (const WisdomEntry& entry : cell.record.entries) {
      py::dict record = record_of(cell);
      record["algorithm"] = specification(entry.way.algorithm);
      record["policy"] = std::string(name(entry.way.policy));
      record["executor"] = std::string(name(entry.way.executor));
      record["median_s"] = entry.timing.median_s;
      record["lower_s"] = entry.timing.lower_s;
      record["upper_s"] = entry.timing.upper_s;
      records.append(std::move(record));
    }
  }
  return records;
}

TuneResult tuned(Ranks& ranks, const std::vector<std::string>& collectives, const std::vector<Size>& sizes, double seconds_per_cell,
                 std::optional<double> seconds, bool again, std::size_t ways) {
  TuneOptions options{.seconds_per_cell = seconds_per_cell, .seconds = seconds, .again = again, .ways = ways};
  for (const std::string& each : collectives) options.collectives.push_back(collective_of(each));
  for (const Size& each : sizes) options.sizes.push_back(bytes_of(each));
  TuneResult result;
  with_group(ranks, [&](Communicator& group) { result = tune(group, options); });
  return result;
}

}  // namespace

void add_tuning(py::module_& module) {
  py::class_<TuneResult>(module, "Tuning", "The cells of a session of tuning; a cell is a collective at a size.")
      .def_property_readonly(
          "records", &records_of,
          "A record (dict) of each way in each cell, the fastest of a cell first: collective, shape, ranks, block_bytes, "
          "state (measured, known, open or left out), reason, algorithm, policy, executor, the median_s of a run "
          "with its interval lower_s to upper_s. A cell without times has one record.")
      .def_readonly("file", &TuneResult::file, "Where the times are kept; plans made afterwards choose by them.")
      .def_readonly("transport", &TuneResult::transport, "What moved the data: threads, shared, openmpi or mpich.")
      .def_readonly("out_of_time", &TuneResult::out_of_time, "Did the limit end the session?")
      .def_readonly("wrong_data", &TuneResult::wrong_data, "Did a way give wrong data? Known on rank 0.");
  module.def("tune_group", &tuned, py::arg("ranks"), py::arg("collectives"), py::arg("sizes"), py::kw_only(),
             py::arg("seconds_per_cell"), py::arg("seconds"), py::arg("again"), py::arg("ways"));
}

}  // namespace quadrille::python
