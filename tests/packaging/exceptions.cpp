// SPDX-License-Identifier: BSD-3-Clause
// Catches an exception that libquadrille has thrown. Afterwards no exception may be counted, here or in the library.
#include <cstdio>
#include <exception>
#include <quadrille/bound.hpp>
#include <quadrille/error.hpp>

int main() {
  try {
    quadrille::parse_bounds("no document");
  } catch (const quadrille::Error&) {
    if (std::uncaught_exceptions() == 0) return 0;
    std::printf("%d exceptions are counted while none is thrown\n", std::uncaught_exceptions());
    return 1;
  }
  std::puts("no exception was caught");
  return 1;
}
