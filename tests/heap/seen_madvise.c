/* SPDX-License-Identifier: BSD-3-Clause
   A library to preload: sees the pages that are given back, as the memory hooks of MPI libraries and UCX do. Allocates and releases
   large blocks meanwhile, as they may. Says at the end how much was given back. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static size_t given_back;

int madvise(void* memory, size_t length, int advice) {
  static int (*next)(void*, size_t, int);
  if (!next) next = (int (*)(void*, size_t, int))dlsym(RTLD_NEXT, "madvise");
  if (advice == MADV_REMOVE) {
    given_back += length;
    char* volatile const block = malloc(1 << 18);
    if (block) *block = 1;
    free(block);
  }
  return next(memory, length, advice);
}

__attribute__((destructor)) static void say(void) { fprintf(stderr, "given back: %zu MiB\n", given_back >> 20); }
