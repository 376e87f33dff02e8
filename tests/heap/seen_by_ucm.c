/* SPDX-License-Identifier: BSD-3-Clause
   Uses large blocks while UCX's library of memory hooks (libucm) watches: it must be told of each page that goes back to the
   system, and the hooks may allocate. Prints "good", or says what is wrong. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucm/api/ucm.h>

static size_t given_back;
static uintptr_t watched;
static size_t watched_bytes;

static void see(ucm_event_type_t type, ucm_event_t* event, void* argument) {
  (void)type, (void)argument;
  const uintptr_t begin = (uintptr_t)event->vm_unmapped.address, end = begin + event->vm_unmapped.size;
  const uintptr_t first = begin > watched ? begin : watched;
  const uintptr_t last = end < watched + watched_bytes ? end : watched + watched_bytes;
  if (first >= last) return;
  given_back += last - first;
  char* volatile const block = malloc(1 << 18);
  if (block) *block = 1;
  free(block);
}

int main(void) {
  if (ucm_set_event_handler(UCM_EVENT_VM_UNMAPPED, 0, see, NULL) != UCS_OK) return puts("no hooks"), 77;
  char* block = malloc(300 << 20);
  memset(block, 1, 300 << 20);
  watched = (uintptr_t)block, watched_bytes = 300 << 20;
  block = realloc(block, 200 << 20);
  free(block);
  block = malloc(400 << 20); /* needs other pages, so the released ones are given back */
  if (given_back < watched_bytes) return printf("UCX was told of %zu MiB only\n", given_back >> 20), 1;
  watched_bytes = 0;
  static char* kept[50];
  static size_t bytes[50];
  for (int step = 0; step < 20000; ++step) {
    const int which = rand() % 50;
    if (kept[which] && (kept[which][0] != which || kept[which][bytes[which] - 1] != which)) return puts("a block has changed"), 1;
    free(kept[which]);
    bytes[which] = (size_t)rand() % (1 << 20) + 1;
    kept[which] = malloc(bytes[which]);
    kept[which][0] = kept[which][bytes[which] - 1] = (char)which;
  }
  free(block);
  return puts("good"), 0;
}
