// SPDX-License-Identifier: BSD-3-Clause
// The type of a buffer's elements, read from the format of Python's buffer protocol (PEP 3118).
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>

#include "quadrille/types.hpp"

namespace quadrille::python {

struct ElementType {
  enum class Kind : std::uint8_t { other, truth, whole, natural, real, complex };

  Kind kind = Kind::other;
  Bytes bytes = 1;
  const char* format = "B";  // lives as long as the buffer

  // True if both have elements of one kind and size; those of no known kind, such as structs, need the same format.
  bool operator==(const ElementType& other) const;
};

ElementType element_type_of(const Py_buffer& view);

// True if the elements are, or contain, addresses of Python objects.
bool has_objects(const ElementType& type);

// For sentences: the name in numpy, such as "float64"; for other kinds, what the format says.
std::string shown(const ElementType& type);

// "f64", "i32", "c128", "bool"; "f64_i32" for a pair of a value and an index; else the format of elements of no known kind.
std::string name(const ElementType& type);

}  // namespace quadrille::python
