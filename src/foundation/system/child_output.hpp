// SPDX-License-Identifier: BSD-3-Clause
// Runs another program and reads what it prints.
#pragma once

#include <string>
#include <vector>

namespace quadrille {

// Runs the program `words[0]`, found as the shell finds it, with the other words as its arguments; no shell reads them. Its stdin
// is empty, its stderr that of this process. Returns what it prints on stdout when it has ended. `label` names the program in
// errors. Throws Error{environment} if it cannot be started or does not end with exit code 0, and Error{too_large} if it prints
// more than `most_mebibytes`.
std::string output_of(const std::vector<std::string>& words, std::size_t most_mebibytes, const std::string& label);

}  // namespace quadrille
