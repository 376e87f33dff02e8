// SPDX-License-Identifier: BSD-3-Clause
#include "bindings.hpp"
#include "quadrille/version.hpp"

PYBIND11_MODULE(_quadrille, module) {
  using namespace quadrille::python;
  module.attr("built_for") = QUADRILLE_VERSION;
  module.attr("library_version") = std::string(quadrille::version());
  add_errors(module);
  add_problem(module);
  add_operations(module);
  add_family(module);
  add_schedule(module);
  add_estimates(module);
  add_race(module);
  add_knowledge(module);
}
