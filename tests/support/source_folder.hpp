// SPDX-License-Identifier: BSD-3-Clause
// The folder that contains src, include, tests and docs.
#pragma once

#include <filesystem>

namespace quadrille::testing {

inline const std::filesystem::path source_folder = QUADRILLE_SOURCE_DIR;

}  // namespace quadrille::testing
