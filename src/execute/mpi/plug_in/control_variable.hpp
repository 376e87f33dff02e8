// SPDX-License-Identifier: BSD-3-Clause
// A control variable of the MPI library, by MPI_T: a setting, known by its name.
#pragma once

#include <mpi.h>

#include <map>
#include <memory>
#include <string>

namespace quadrille {

class ControlVariable {
 public:
  // Null if the library has none of this name, or none that is for the whole process.
  static std::shared_ptr<ControlVariable> named(const std::string& name);

  ~ControlVariable();
  ControlVariable(const ControlVariable&) = delete;
  ControlVariable& operator=(const ControlVariable&) = delete;

  const std::string& description() const { return description_; }
  const std::map<std::string, int>& values() const { return values_; }  // of an enumeration, as far as the library tells them
  bool is_constant() const { return is_constant_; }

  // What the types say; a number is 0, and a text empty, where it is of another type.
  int number() const;
  std::string text() const;

  // Of a number. Returns whether the library takes it.
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
