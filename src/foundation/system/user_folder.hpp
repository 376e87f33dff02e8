// SPDX-License-Identifier: BSD-3-Clause
// The folders in which the user's own files lie (XDG base directory specification).
#pragma once

#include <filesystem>

namespace quadrille {

// Returns the folder that a variable such as XDG_CACHE_HOME names, or else the folder `standard` in the home folder, such as
// ".cache". Only absolute paths count, as the specification demands. Empty if there is none. The folder need not exist.
std::filesystem::path user_folder(const char* variable, const char* standard);

}  // namespace quadrille
