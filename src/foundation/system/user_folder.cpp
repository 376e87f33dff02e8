// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/system/user_folder.hpp"

#include "foundation/environment.hpp"

namespace quadrille {

std::filesystem::path user_folder(const char* variable, const char* standard) {
  const std::filesystem::path named = environment_value(variable), home = environment_value("HOME");
  if (named.is_absolute()) return named;
  return home.is_absolute() ? home / standard : std::filesystem::path();
}

}  // namespace quadrille
