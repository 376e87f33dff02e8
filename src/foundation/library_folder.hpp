// SPDX-License-Identifier: BSD-3-Clause
// The folder lib/quadrille beside the library, wherever the library is installed: it holds the plug-ins and the machines' files.
#pragma once

#include <filesystem>

namespace quadrille {

// Returns the folder as an absolute path, whether it exists or not. In a program that is linked statically it is the folder
// `quadrille` beside the program. If the system does not say where the library is, because /proc is not mounted, the path leads
// through /dev/null, which is no folder: nothing is then loaded.
std::filesystem::path library_folder();

}  // namespace quadrille
