/* SPDX-License-Identifier: BSD-3-Clause
   What the tests of the C interface share. A check that fails prints its line and ends the program. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quadrille/c.h"

#define CHECK(right)                                                     \
  do {                                                                   \
    if (!(right)) {                                                      \
      fprintf(stderr, "%s:%d: wrong: %s\n", __FILE__, __LINE__, #right); \
      abort();                                                           \
    }                                                                    \
  } while (0)

/* The call succeeds. */
#define DO(call)                                                                                    \
  do {                                                                                              \
    const int error_ = (call);                                                                      \
    if (error_) {                                                                                   \
      fprintf(stderr, "%s:%d: error %d: %s\n", __FILE__, __LINE__, error_, quadrille_error_text()); \
      abort();                                                                                      \
    }                                                                                               \
  } while (0)

/* The call returns `code`, and the text of the error contains `words`. */
#define REFUSED(call, code, words)                                                                                            \
  do {                                                                                                                        \
    const int error_ = (call);                                                                                                \
    if (error_ != (code) || !strstr(quadrille_error_text(), words)) {                                                         \
      fprintf(stderr, "%s:%d: error %d: '%s', expected %d: '%s'\n", __FILE__, __LINE__, error_, quadrille_error_text(), code, \
              words);                                                                                                         \
      abort();                                                                                                                \
    }                                                                                                                         \
  } while (0)

int check_collectives(quadrille_group ranks, void* unused);
int check_misuse(quadrille_group ranks, void* unused);
