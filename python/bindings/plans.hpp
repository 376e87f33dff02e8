// SPDX-License-Identifier: BSD-3-Clause
// Making the plans of collectives, and the class Plan, which is bound to the buffers with which the plan was made.
#pragma once

#include <functional>
#include <memory>

#include "asked.hpp"
#include "communicator.hpp"
#include "quadrille/execute.hpp"

namespace quadrille::python {

// Collective. Makes the plan of a call whose arguments have been read. Without the interpreter's lock.
Plan plan_of(Communicator& group, const Asked& asked);

// Collective. Calls `read`, which reads arguments, with the interpreter's lock. If the arguments of one rank are wrong, all ranks
// throw: that rank says what is wrong, and the others throw an Error that quotes it.
void read_on_all(const Use& use, const std::function<void()>& read);

// Collective. Reads the arguments and makes the plan; returns a new Python object. Wrong arguments are refused on all ranks.
PyObject* python_plan(const std::shared_ptr<Ranks>& ranks, const Form& form, const std::function<Given()>& given);

}  // namespace quadrille::python
