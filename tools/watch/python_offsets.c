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

const struct quadrille_python_offsets quadrille_python_3_11 = {
    .runtime_interpreters = offsetof(_PyRuntimeState, interpreters.head),
    .interpreter_next = offsetof(PyInterpreterState, next),
    .interpreter_threads = offsetof(PyInterpreterState, threads.head),
    .thread_next = offsetof(PyThreadState, next),
    .thread_native_id = offsetof(PyThreadState, native_thread_id),
    .thread_frame_pointer = offsetof(PyThreadState, cframe),
    .frame_pointer_frame = offsetof(_PyCFrame, current_frame),
    .frame_previous = offsetof(_PyInterpreterFrame, previous),
    .frame_code = offsetof(_PyInterpreterFrame, f_code),
    .frame_instruction = offsetof(_PyInterpreterFrame, prev_instr),
    .frame_owner = offsetof(_PyInterpreterFrame, owner),
    .object_type = offsetof(PyObject, ob_type),
    .object_size = offsetof(PyVarObject, ob_size),
    .code_name = offsetof(PyCodeObject, co_name),
    .code_file = offsetof(PyCodeObject, co_filename),
    .code_lines = offsetof(PyCodeObject, co_linetable),
    .code_first_line = offsetof(PyCodeObject, co_firstlineno),
    .code_first_traced = offsetof(PyCodeObject, _co_firsttraceable),
    .code_instructions = offsetof(PyCodeObject, co_code_adaptive),
    .bytes_data = offsetof(PyBytesObject, ob_sval),
    .text_length = offsetof(PyASCIIObject, length),
    .text_state = offsetof(PyASCIIObject, state),
    .text_ascii_data = sizeof(PyASCIIObject),
    .text_data = sizeof(PyCompactUnicodeObject),
};
