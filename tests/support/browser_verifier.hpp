// SPDX-License-Identifier: BSD-3-Clause
// Where the verifier for browsers is, if it has been built (cmake/browser_verifier.cmake).
#pragma once

#include <filesystem>
#include <string>

namespace quadrille::testing {

inline std::string browser_verifier_file() {
  return std::filesystem::path(QUADRILLE_COMMAND).parent_path().parent_path() / "lib/quadrille/verifier.js";
}

}  // namespace quadrille::testing
