// SPDX-License-Identifier: BSD-3-Clause
// The table of the calls that a communicator has in Python. A row says which collective it is and, by a signature, which arguments
// it takes. Each row makes up to three methods: NAME waits, iNAME returns a request, plan_NAME returns a plan.
#pragma once

#include <Python.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/problem.hpp"

namespace quadrille::python {

// What an argument is. Its name in Python is that of its row in forms.cpp.
enum class Slot : std::uint8_t {
  neighbors,
  input,
  output,
  buffer,
  send_counts,
  receive_counts,
  send_displacements,
  receive_displacements,
  counts,         // of the side that the collective has
  displacements,  // likewise
  op,
  root,
  algorithm,
  effort,
  policy,
  executor,
};
inline constexpr std::size_t slot_count = 16;

// The arguments that a caller gave; null where there is none.
class Given {
 public:
  PyObject*& operator[](Slot slot) { return objects_[static_cast<std::size_t>(slot)]; }

  // Returns null also for None.
  PyObject* operator[](Slot slot) const {
    PyObject* const object = objects_[static_cast<std::size_t>(slot)];
    return object == Py_None ? nullptr : object;
  }

  // The operator: "sum" if none is given. None is no operator.
  PyObject* op() const {
    static PyObject* const sum = PyUnicode_InternFromString("sum");
    PyObject* const object = objects_[static_cast<std::size_t>(Slot::op)];
    return object ? object : sum;
  }

 private:
  std::array<PyObject*, slot_count> objects_{};
};

struct Form {
  std::string_view name;
  Collective collective;
  bool is_among_neighbors;  // then it takes no algorithm and makes no plan
  const char* signature;    // of the arguments before the options
  const char* text;         // for the docstring
};

inline constexpr std::size_t form_count = 20;
extern const std::array<Form, form_count> forms;

// The parameters of a form in the order of its signature.
class Parameters {
 public:
  explicit Parameters(const Form& form);

  // Reads the arguments of METH_FASTCALL | METH_KEYWORDS. Throws TypeError if they do not fit.
  Given read(PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) const;

  const std::string& signature() const { return signature_; }

 private:
  struct Parameter {
    Slot slot;
    PyObject* name;  // interned
    bool is_required;
  };

  const Parameter& named(PyObject* keyword) const;

  std::string_view form_;
  std::string signature_;  // with the options
  std::vector<Parameter> parameters_;
  std::size_t positional_ = 0;
};

}  // namespace quadrille::python
