// SPDX-License-Identifier: BSD-3-Clause
// The classes of the module have no objects without a value.
#include "bindings.hpp"

namespace quadrille::python {
namespace {

// An own function, so that Python refuses Class.__new__(Class): it takes that of the common base class for unsafe then.
PyObject* new_instance(PyTypeObject* type, PyObject*, PyObject*) { return py::detail::make_new_instance(type); }

}  // namespace

void refuse_uninitialised(const py::module_& module) {
  const py::handle common(reinterpret_cast<PyObject*>(py::detail::get_internals().default_metaclass));
  for (const auto& [name, value] : py::dict(module.attr("__dict__"))) {
    if (!py::isinstance(value, common)) continue;
    auto* const type = reinterpret_cast<PyTypeObject*>(value.ptr());
    type->tp_new = &new_instance;
    type->tp_flags &= ~Py_TPFLAGS_BASETYPE;  // a class of Python's own could leave out the constructor
    PyType_Modified(type);
  }
}

}  // namespace quadrille::python
