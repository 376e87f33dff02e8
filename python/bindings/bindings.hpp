// SPDX-License-Identifier: BSD-3-Clause
// The parts of the Python module. Each function adds classes and functions to it. C++ runs without the interpreter's lock (GIL); an
// algorithm written in Python takes it while it runs.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <string>
#include <variant>

#include "lock.hpp"
#include "quadrille/candidate.hpp"
#include "quadrille/error.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille::python {

namespace py = pybind11;

// A schedule as Python holds it.
struct Held {
  Schedule schedule;
  bool is_right = false;  // true for algorithms of the table, which tests verify, and for schedules that were verified
};

// What Python passes as an algorithm: text as on the command line, or an algorithm written in Python.
using Named = std::variant<std::string, Family>;

// Bytes, or text with a unit.
using Size = std::variant<Bytes, std::string>;
Bytes bytes_of(const Size& size);

// Throws Error{misuse} if there is no collective of this name.
Collective collective_of(const std::string& name);

void add_errors(py::module_& module);
void add_problem(py::module_& module);
void add_operations(py::module_& module);
void add_family(py::module_& module);
void add_schedule(py::module_& module);
void add_estimates(py::module_& module);
void add_race(py::module_& module);
void add_knowledge(py::module_& module);
void add_requests(py::module_& module);
void add_in_place(py::module_& module);
void add_plans(py::module_& module);
void add_edges(py::module_& module);
void add_communicator(py::module_& module);
void add_tuning(py::module_& module);

// Makes Class.__new__(Class) a TypeError, for all classes of the module.
void refuse_uninitialised(const py::module_& module);

// Calls the function. If it throws an Error because an algorithm written in Python raised an exception in this thread, throws that
// exception.
void with_exceptions_of_algorithms(const std::function<void()>& function);

// Verifies a schedule unless that was done. Throws the exception ScheduleError, with places and causes, if it is wrong.
void check_right(Held& held);

// Sets Python's error to one of the class Error.
void set_error(const Error& error);

// Raise ScheduleError or DoesNotApply with this text.
[[noreturn]] void raise_wrong(const std::string& text);
[[noreturn]] void raise_does_not_apply(const std::string& text);

}  // namespace quadrille::python
