// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/own_features.hpp"

#include <fmt/format.h>

#include "problem/collective_facts.hpp"

// Open MPI has no public interface for this setting. Its MPI_Init calls this function, which returns the former value. Declared
// weak, so that its address is null in versions without this function.
extern "C" __attribute__((weak)) bool opal_progress_set_yield_when_idle(bool yields);

namespace quadrille::own_algorithms {

const bool are_read_in_each_call = false;
const char* const rules_variable = "coll_tuned_dynamic_rules_filename";
const char* const environment_prefix = "OMPI_MCA_";

std::shared_ptr<ControlVariable> variable_of(Collective collective) {
  return ControlVariable::named(fmt::format("coll_tuned_{}_algorithm", mpi_name(collective)));
}

std::map<std::string, int> values_for(const ControlVariable& variable, const Problem& problem) {
  std::map<std::string, int> values = variable.values();
  if (problem.ranks != 2) values.erase("two_proc");
  return values;
}

std::string obstacle() {
  const auto dynamic = ControlVariable::named("coll_tuned_use_dynamic_rules");
  if (dynamic && (dynamic->number() & 0xFF) != 0) return {};
  return "Open MPI ignores forced algorithms with these settings; start it with OMPI_MCA_coll_tuned_use_dynamic_rules=1";
}

}  // namespace quadrille::own_algorithms

namespace quadrille {

bool QuietPolls::are_possible() {
  static const bool polls_yield = [] {
    if (!opal_progress_set_yield_when_idle) return false;
    const bool before = opal_progress_set_yield_when_idle(false);
    opal_progress_set_yield_when_idle(before);
    return before;
  }();
  return polls_yield;
}

// The destructor restores the value that MPI_Init has set. The last value may come from another thread that polls quietly.
QuietPolls::QuietPolls() {
  if (are_possible()) opal_progress_set_yield_when_idle(false);
}

QuietPolls::~QuietPolls() {
  if (are_possible()) opal_progress_set_yield_when_idle(true);
}

}  // namespace quadrille
