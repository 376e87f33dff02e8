// SPDX-License-Identifier: BSD-3-Clause
// The operators of reductions, as Python names them.
#pragma once

#include <Python.h>

#include "elements.hpp"
#include "quadrille/call.hpp"

namespace quadrille::python {

// Returns the operator for `given`, a name such as "max" or a ufunc of numpy such as numpy.maximum, on elements of this type.
// Throws Error{misuse} if there is none. Needs the interpreter's lock.
CallOperator operator_on(PyObject* given, const ElementType& type);

}  // namespace quadrille::python
