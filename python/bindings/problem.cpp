// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/problem.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <optional>

#include "bindings.hpp"
#include "problem/problem_text.hpp"
#include "problem/same_problem.hpp"
#include "quadrille/error.hpp"
#include "quadrille/operator.hpp"

namespace quadrille::python {
namespace {

Problem problem_of(const std::string& collective, Count ranks, const std::optional<Size>& block,
                   const std::optional<std::vector<Size>>& counts, Rank root, const std::string& op, const std::string& type,
                   bool reproducible, std::vector<Count> nodes, std::vector<Count> grid) {
  Problem problem{.collective = collective_of(collective), .ranks = ranks};
  const auto demand = [&](bool holds, const char* what) {
    if (!holds) throw Error(ErrorCode::misuse, fmt::format("{} {}", collective, what));
  };
  demand(!block || has_blocks(problem.collective), "has no blocks of one size; leave block out");
  demand(!counts || is_irregular(problem.collective), "has no counts; leave them out, and say block if it moves data");
  demand(block || !has_blocks(problem.collective), "needs the size of a block, such as block='1KiB'");
  demand(counts || !is_irregular(problem.collective), "needs counts: the bytes of each rank's share");
  if (block) problem.block_bytes = bytes_of(*block);
  if (counts) {
    std::vector<Bytes> all;
    for (const Size& size : *counts) all.push_back(bytes_of(size));
    problem.counts = std::make_shared<const std::vector<Bytes>>(std::move(all));
  }
  if (is_reduction(problem.collective)) {
    const auto operation = built_in_operator(op, type);
    problem.element_bytes = operation->element_bytes;
    problem.commutative = operation->commutative;
    problem.reproducible = reproducible;
  }
  problem.root = root;
  problem.nodes = std::move(nodes);
  problem.grid = std::move(grid);
  check(problem);
  return problem;
}

}  // namespace

Bytes bytes_of(const Size& size) {
  const auto* text = std::get_if<std::string>(&size);
  return text ? parse_size(*text) : std::get<Bytes>(size);
}

Collective collective_of(const std::string& text) {
  if (const auto found = collective_named(text)) return *found;
  throw Error(ErrorCode::misuse, unknown_collective(text));
}

void add_problem(py::module_& module) {
  py::class_<Problem>(module, "Problem", "What is asked: a collective among some ranks, with sizes in bytes.")
      .def(py::init(&problem_of), py::arg("collective"), py::kw_only(), py::arg("ranks"), py::arg("block") = py::none(),
           py::arg("counts") = py::none(), py::arg("root") = 0, py::arg("op") = "sum", py::arg("type") = "f64",
           py::arg("reproducible") = false, py::arg("nodes") = std::vector<Count>{}, py::arg("grid") = std::vector<Count>{})
      .def_property_readonly(
          "collective", [](const Problem& problem) { return std::string(name(problem.collective)); }, "The name of the collective.")
      .def_readonly("ranks", &Problem::ranks, "The number of ranks.")
      .def_readonly("block", &Problem::block_bytes, "Bytes of a block; 0 if the collective has counts.")
      .def_property_readonly("counts", &all_counts, "Bytes of each share; of an alltoallv row by row; of others empty.")
      .def_readonly("root", &Problem::root, "The root's rank; 0 if there is no root.")
      .def_readonly("element", &Problem::element_bytes, "Bytes of an element of a reduction, otherwise 1.")
      .def_readonly("commutative", &Problem::commutative, "Does the operator commute?")
      .def_readonly("reproducible", &Problem::reproducible, "Must all algorithms give the same bits?")
      .def_readonly("nodes", &Problem::nodes, "The node of each rank; empty: not known.")
      .def_readonly("grid", &Problem::grid, "The sides of the grid that the ranks form; empty: not known.")
      .def("__eq__",
           [](const Problem& one, const Problem& other) { return moves_the_same(one, other) && one.nodes == other.nodes; })
      .def("__repr__", [](const Problem& problem) { return fmt::format("<Problem: {}>", collective_text(problem)); });
}

}  // namespace quadrille::python
