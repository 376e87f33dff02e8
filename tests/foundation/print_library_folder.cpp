// SPDX-License-Identifier: BSD-3-Clause
// Prints where the library looks for plug-ins and machine files, after changing to the folder that is named, if one is.
#include <unistd.h>

#include <iostream>

#include "foundation/system/files.hpp"

int main(int count, char** words) {
  if (count > 1 && ::chdir(words[1]) != 0) return 1;
  std::cout << quadrille::library_folder().string() << '\n';
}
