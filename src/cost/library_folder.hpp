// SPDX-License-Identifier: BSD-3-Clause
// What is installed beside the library, wherever that is: lib/quadrille.
#pragma once

#include <filesystem>

namespace quadrille {

std::filesystem::path library_folder();

}  // namespace quadrille
