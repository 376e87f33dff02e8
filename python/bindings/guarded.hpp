// SPDX-License-Identifier: BSD-3-Clause
// The border between C++ and Python for functions that pybind11 does not call. Its dispatch takes longer than a short collective.
#pragma once

#include <new>

#include "bindings.hpp"
#include "quadrille/error.hpp"

namespace quadrille::python {

// Returns what `body` returns, or null with Python's error set if it throws.
template <class Body>
PyObject* guarded(const Body& body) noexcept {
  try {
    return body();
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const py::builtin_exception& error) {
    error.set_error();
  } catch (const Error& error) {
    set_error(error);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

// Returns the C++ object behind an instance of a final class.
template <class Object>
Object& object_in(PyObject* instance) {
  return *static_cast<Object*>(reinterpret_cast<py::detail::instance*>(instance)->get_value_and_holder().value_ptr());
}

// Adds a method that takes its arguments as METH_FASTCALL | METH_KEYWORDS does. `definition` must live as long as the class.
inline void add_method(const py::object& to_class, PyMethodDef& definition) {
  definition.ml_flags = METH_FASTCALL | METH_KEYWORDS;
  const auto method =
      py::reinterpret_steal<py::object>(PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(to_class.ptr()), &definition));
  if (!method) throw py::error_already_set();
  to_class.attr(definition.ml_name) = method;
}

// A function of Python's C interface with these arguments, as PyMethodDef holds it.
using FastCall = PyObject*(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords);
inline PyCFunction stored(FastCall* function) { return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)); }

}  // namespace quadrille::python
