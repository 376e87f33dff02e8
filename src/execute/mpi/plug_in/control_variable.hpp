// SPDX-License-Identifier: BSD-3-Clause
// A control variable of the MPI library: a setting that MPI_T lets a program read and write by name.
#pragma once

#include <mpi.h>

#include <map>
#include <memory>
#include <string>

namespace quadrille {

class ControlVariable {
 public:
  // Returns null if the library has no variable of this name, or if the variable is bound to an MPI object instead of the process.
  static std::shared_ptr<ControlVariable> named(const std::string& name);

  ~ControlVariable();
  ControlVariable(const ControlVariable&) = delete;
  ControlVariable& operator=(const ControlVariable&) = delete;

  const std::string& description() const { return description_; }
  const std::map<std::string, int>& values() const {
    return values_;
  }  // names and values of an enumeration, as far as the library provides them
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

}  // namespace quadrille
