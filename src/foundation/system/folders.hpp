// SPDX-License-Identifier: BSD-3-Clause
// The folders in which the library's own files and the user's lie.
#pragma once

#include <filesystem>

namespace quadrille {

// Returns the folder lib/quadrille beside the library, wherever the library is installed: it holds the plug-ins and the machines'
// files. It is an absolute path, whether the folder exists or not. In a program that is linked statically it is the folder
// `quadrille` beside the program. If the system does not say where the library is, because /proc is not mounted, the path leads
// through /dev/null, which is no folder: nothing is then loaded.
std::filesystem::path library_folder();

// Returns the folder that an environment variable names, such as XDG_CACHE_HOME. If the variable is not set or its path is not
// absolute, returns the folder `standard` in the home folder, such as ".cache". Empty if there is no home folder, either. The
// folder need not exist. Source: the XDG Base Directory Specification.
std::filesystem::path user_folder(const char* variable, const char* standard);

}  // namespace quadrille
