/* SPDX-License-Identifier: BSD-3-Clause */
/* Where CPython 3.11 keeps the members that python_frames.cpp reads, in bytes from the beginning of their structures. */
#pragma once

#include <stddef.h>

/* Calls `offset` with the name of each offset, its structure and its member. */
#define QUADRILLE_PYTHON_MEMBERS(offset)                                                                                           \
  offset(runtime_interpreter, _PyRuntimeState, interpreters.main) offset(interpreter_threads, PyInterpreterState, threads.head)    \
      offset(thread_next, PyThreadState, next) offset(thread_native_id, PyThreadState, native_thread_id)                           \
          offset(thread_frame_pointer, PyThreadState, cframe) offset(frame_pointer_frame, _PyCFrame, current_frame)                \
              offset(frame_previous, _PyInterpreterFrame, previous) offset(frame_code, _PyInterpreterFrame, f_code)                \
                  offset(frame_instruction, _PyInterpreterFrame, prev_instr) offset(frame_owner, _PyInterpreterFrame, owner)       \
                      offset(object_type, PyObject, ob_type) offset(object_size, PyVarObject, ob_size)                             \
                          offset(code_name, PyCodeObject, co_name) offset(code_file, PyCodeObject, co_filename)                    \
                              offset(code_lines, PyCodeObject, co_linetable) offset(code_first_line, PyCodeObject, co_firstlineno) \
                                  offset(code_first_traced, PyCodeObject, _co_firsttraceable)                                      \
                                      offset(code_instructions, PyCodeObject, co_code_adaptive)                                    \
                                          offset(bytes_data, PyBytesObject, ob_sval) offset(text_length, PyASCIIObject, length)    \
                                              offset(text_state, PyASCIIObject, state)

#define QUADRILLE_PYTHON_DECLARED(name, structure, member) size_t name;

struct quadrille_python_offsets {
  QUADRILLE_PYTHON_MEMBERS(QUADRILLE_PYTHON_DECLARED)
  size_t text_ascii_data, text_data; /* after the structure of a text */
};

#ifdef __cplusplus
extern "C"
#else
extern
#endif
    const struct quadrille_python_offsets quadrille_python_3_11;
