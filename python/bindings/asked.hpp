// SPDX-License-Identifier: BSD-3-Clause
// The arguments of a collective, read from Python objects. One class reads them for all forms, and for calls and plans.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "bindings.hpp"
#include "buffers.hpp"
#include "forms.hpp"
#include "quadrille/typed_call.hpp"

namespace quadrille {
class Neighbors;
}

namespace quadrille::python {

bool is_in_place(PyObject* object);  // true for quadrille.in_place

// `call` refers to the other members, so objects stay where they are made.
struct Asked {
  // Throws what is wrong with the arguments alone; sizes are compared by the calls. Needs the interpreter's lock.
  Asked(const Form& form, const Given& given);
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;

  bool in_place() const { return call.arguments.in_place; }

  LentBuffer input, output;      // in place only `output`
  IrregularCall call;            // forms without counts use `call.arguments` only
  CallOptions options;           // without the algorithm, unless it is a name
  std::optional<Family> family;  // an algorithm that has no name
  const Neighbors* neighbors = nullptr;

 private:
  void read_buffers(const Form& form, const Given& given);
  void read_blocks(const Form& form, const Given& given);
  void read_options(const Given& given);

  std::array<std::vector<Count>, 4> numbers_;  // the counts and displacements behind `call`
  CallOperator operation_;
};

}  // namespace quadrille::python
