// SPDX-License-Identifier: BSD-3-Clause
// quadrille wisdom export: what was measured of an MPI library's own algorithms, as a file of rules that the library reads.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace quadrille::command {

// `library` is openmpi or mpich. Without `files`, the wisdom of this user's machine that `quadrille tune --vendor` has kept.
// Returns the exit code.
int export_wisdom(const std::optional<std::string>& library, const std::vector<std::string>& files,
                  const std::optional<std::string>& output);

}  // namespace quadrille::command
