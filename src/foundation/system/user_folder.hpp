// SPDX-License-Identifier: BSD-3-Clause
// The folders in which the user's own files lie (XDG base directory specification).
#pragma once

#include <filesystem>

namespace quadrille {

// Returns the folder that an environment variable names, such as XDG_CACHE_HOME. If the variable is not set or its path is not
// absolute, returns the folder `standard` in the home folder, such as ".cache". Empty if there is no home folder, either. The
// folder need not exist. Source: the XDG Base Directory Specification.
std::filesystem::path user_folder(const char* variable, const char* standard);

}  // namespace quadrille
