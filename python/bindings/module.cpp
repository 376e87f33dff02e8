// SPDX-License-Identifier: BSD-3-Clause
#include "bindings.hpp"
#include "foundation/system/build_version.hpp"
#include "quadrille/version.hpp"

PYBIND11_MODULE(_quadrille, module) {
  using namespace quadrille::python;
  module.attr("built_for") = quadrille::build_version();
  module.attr("library_version") = std::string(quadrille::version());
  add_errors(module);
  add_problem(module);
  add_operations(module);
  add_family(module);
  add_schedule(module);
  add_estimates(module);
  add_race(module);
  add_knowledge(module);
  add_requests(module);
  add_in_place(module);
  add_plans(module);
  add_edges(module);
  add_communicator(module);
  add_tuning(module);
  refuse_uninitialised(module);
}
