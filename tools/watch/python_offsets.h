/* SPDX-License-Identifier: BSD-3-Clause */
/* Where CPython 3.11 keeps the members that python_frames.cpp reads, in bytes from the beginning of their structures. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct quadrille_python_offsets {
  size_t runtime_interpreters; /* the first interpreter */
  size_t interpreter_next, interpreter_threads;
  size_t thread_next, thread_native_id, thread_frame_pointer;
  size_t frame_pointer_frame; /* of the structure that a thread's frame pointer leads to */
  size_t frame_previous, frame_code, frame_instruction, frame_owner;
  size_t object_type, object_size; /* of objects of variable size */
  size_t code_name, code_file, code_lines, code_first_line, code_first_traced, code_instructions;
  size_t bytes_data;
  size_t text_length, text_state, text_ascii_data, text_data;
};

extern const struct quadrille_python_offsets quadrille_python_3_11;

#ifdef __cplusplus
}
#endif
