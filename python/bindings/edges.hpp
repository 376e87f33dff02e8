// SPDX-License-Identifier: BSD-3-Clause
// The methods of a communicator that take lists of edges or of views.
#pragma once

#include <memory>

#include "communicator.hpp"

namespace quadrille::python {

void add_edge_calls(py::class_<Ranks, std::shared_ptr<Ranks>>& communicator);

}  // namespace quadrille::python
