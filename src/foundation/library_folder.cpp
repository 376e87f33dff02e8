// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/library_folder.hpp"

#include <dlfcn.h>

namespace quadrille {

std::filesystem::path library_folder() {
  Dl_info info{};
  static const char here = 0;
  if (dladdr(&here, &info) == 0 || !info.dli_fname) return "quadrille";
  std::error_code ignored;
  const auto library = std::filesystem::canonical(info.dli_fname, ignored);
  return (ignored ? std::filesystem::path(info.dli_fname) : library).parent_path() / "quadrille";
}

}  // namespace quadrille
