// SPDX-License-Identifier: BSD-3-Clause
// The folder lib/quadrille beside the library, wherever the library is installed: it holds the plug-ins and the machines' files.
#pragma once

#include <filesystem>

namespace quadrille {

std::filesystem::path library_folder();

}  // namespace quadrille
