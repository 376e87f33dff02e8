// SPDX-License-Identifier: BSD-3-Clause
// What the page calls. The answer stays where it is until the next question.
#include <sys/sysinfo.h>

#include <string>

#include "answer.hpp"

extern "C" const char* quadrille_answer(const char* question) {
  static std::string last;
  last = quadrille::answer(question);
  return last.c_str();
}

// The memory of the machine, which emscripten does not tell. A page has at most 2 GiB.
extern "C" int sysinfo(struct sysinfo* facts) {
  *facts = {};
  facts->totalram = facts->freeram = 1UL << 31;
  facts->mem_unit = 1;
  return 0;
}
