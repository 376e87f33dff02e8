// SPDX-License-Identifier: BSD-3-Clause
// What one MPI library has beyond the standard: control variables, its own algorithms and how they are forced, and polls that do
// not yield. Each library's folder defines QuietPolls, and the functions and constants of `own_algorithms`
// (<library>/own_features.cpp); only its plug-in contains them.
#pragma once

#include <mpi.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "execute/mpi/plug_in/mpi_calls.hpp"
#include "execute/transport.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/result.hpp"

namespace quadrille {

// A control variable of the MPI library: a setting that MPI_T lets a program read and write by name.
class ControlVariable {
 public:
  // Returns null if the library has no variable of this name, or if the variable belongs to an MPI object rather than to the
  // process.
  static std::shared_ptr<ControlVariable> named(const std::string& name);

  ~ControlVariable();
  ControlVariable(const ControlVariable&) = delete;
  ControlVariable& operator=(const ControlVariable&) = delete;

  const std::string& description() const { return description_; }
  const std::map<std::string, int>& values() const {
    return values_;
  }  // names and values of an enumeration, if the library provides them
  bool is_constant() const { return is_constant_; }

  // The value. number() returns 0, and text() "", if the variable has another type.
  int number() const;
  std::string text() const;

  // Sets a variable that is a number. Returns whether the library has accepted the value.
  bool set(int value) const;

 private:
  ControlVariable() = default;

  MPI_T_cvar_handle handle_{};
  bool has_handle_ = false, is_constant_ = false;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  int count_ = 0;
  std::string description_;
  std::map<std::string, int> values_;
};

// While an object of this class exists, polls of the MPI library do not yield the core, so that the caller decides when to yield.
// If Open MPI is set to yield, it yields in each poll that has found no message in shared memory, even if the poll has found a
// message from another node. The caller learns of that message only when this rank gets its core back.
class QuietPolls {
 public:
  // Can polls of this library yield the core, and can a program switch that off? If not, objects of this class do nothing.
  static bool are_possible();

  QuietPolls();
  ~QuietPolls();
  QuietPolls(const QuietPolls&) = delete;
  QuietPolls& operator=(const QuietPolls&) = delete;
};

}  // namespace quadrille

// How the library lets a program choose among its own algorithms. All functions are local.
namespace quadrille::own_algorithms {

// True if the library reads the variable in each call, false if it reads the variable only when a communicator is made.
extern const bool are_read_in_each_call;

// The variable that names a file with the library's rules, and the prefix of that variable's name in the environment. These rules
// overrule a forced algorithm. Both are empty if there is no such variable.
extern const char* const rules_variable;
extern const char* const environment_prefix;

// Returns the variable that forces the algorithm of a collective; null if the library has none, or does not obey it.
std::shared_ptr<ControlVariable> variable_of(Collective collective);

// Returns the variable's values by the names of their algorithms. The values may include 0, which is the library's own choice.
// Values that the library is known to refuse for the problem are left out.
std::map<std::string, int> values_for(const ControlVariable& variable, const Problem& problem);

// Returns the reason why the library ignores every forced algorithm; empty if there is none.
std::string obstacle();

}  // namespace quadrille::own_algorithms

namespace quadrille {

// Forces the MPI library to use one of its own algorithms for a collective, by setting its control variables (MPI_T). Open MPI
// reads the variables when a communicator is made, so a forced collective has its own communicator. MPICH reads the variables in
// each call, so they are set during the call. Calls of the same collective in other threads during that time are forced, too.
class ForcedAlgorithm {
 public:
  // Local. Returns the names of all algorithms that the library offers for the problem, or the reason why none can be forced.
  static Result<std::vector<std::string>> names(const Problem& problem);

  // Local. Returns the algorithm of this name, or the reason why it cannot be forced.
  static Result<ForcedAlgorithm> of(const Problem& problem, const std::string& name);

  // Collective. Returns an executable that forces the algorithm. `made` makes the library's collective for the communicator of a
  // lease.
  using Made = std::function<std::unique_ptr<Executable>(const Lease&)>;
  std::unique_ptr<Executable> make(const Lease& lease, const Made& made) const;

 private:
  ForcedAlgorithm(std::shared_ptr<const ControlVariable> variable, int value) : variable_(std::move(variable)), value_(value) {}

  std::shared_ptr<const ControlVariable> variable_;
  int value_;
};

}  // namespace quadrille
