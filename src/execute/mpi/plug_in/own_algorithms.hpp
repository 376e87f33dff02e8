// SPDX-License-Identifier: BSD-3-Clause
// How one MPI library lets a program choose among its own algorithms. Each library's folder defines these functions and constants
// (<library>/own_algorithms.cpp), and only its plug-in contains them. All are local.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "execute/mpi/plug_in/control_variable.hpp"
#include "quadrille/problem.hpp"

namespace quadrille::own_algorithms {

// True if the library reads the variable in each call, false if it does so only when a communicator is made.
extern const bool are_read_in_each_call;

// The variable that names a file of the library's rules, which overrule a forced algorithm, and what precedes its name in the
// environment. Both are empty if there is no such variable.
extern const char* const rules_variable;
extern const char* const environment_prefix;

// Returns the variable that forces the algorithm of a collective; null if the library has none, or does not obey it.
std::shared_ptr<ControlVariable> variable_of(Collective collective);

// Returns the variable's values by the names of their algorithms. They may include the value 0, which is the library's own choice.
// Without those that the library is known to refuse for the problem.
std::map<std::string, int> values_for(const ControlVariable& variable, const Problem& problem);

// Returns the reason why the library ignores every forced algorithm; empty if it does not.
std::string obstacle();

}  // namespace quadrille::own_algorithms
