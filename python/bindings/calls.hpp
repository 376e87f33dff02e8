// SPDX-License-Identifier: BSD-3-Clause
// The methods of a communicator that run collectives, from the table of forms.hpp.
#pragma once

#include "bindings.hpp"

namespace quadrille::python {

// Adds NAME, iNAME and plan_NAME of each form to the class.
void add_calls(const py::object& to_class);

}  // namespace quadrille::python
