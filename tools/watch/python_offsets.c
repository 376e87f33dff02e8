/* SPDX-License-Identifier: BSD-3-Clause */
/* Python's internal headers are no C++. */
#include "watch/python_offsets.h"

#define Py_BUILD_CORE 1
#include <Python.h>
#include <internal/pycore_frame.h>
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>

#if PY_MAJOR_VERSION != 3 || PY_MINOR_VERSION != 11
#error "the headers of CPython 3.11 are needed"
#endif

#define QUADRILLE_PYTHON_OFFSET(name, structure, member) .name = offsetof(structure, member),

const struct quadrille_python_offsets quadrille_python_3_11 = {
    QUADRILLE_PYTHON_MEMBERS(QUADRILLE_PYTHON_OFFSET).text_ascii_data = sizeof(PyASCIIObject),
    .text_data = sizeof(PyCompactUnicodeObject)};
