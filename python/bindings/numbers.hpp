// SPDX-License-Identifier: BSD-3-Clause
// Whole numbers that Python passes: ranks, counts and displacements. The functions need the interpreter's lock. They throw
// Error{misuse}, naming the argument, if it is something else or has more than 63 bits.
#pragma once

#include <Python.h>

#include <vector>

#include "quadrille/types.hpp"

namespace quadrille::python {

Count number_of(PyObject* object, const char* argument);

// From a buffer of integers or a sequence.
std::vector<Count> numbers_of(PyObject* object, const char* argument);

}  // namespace quadrille::python
