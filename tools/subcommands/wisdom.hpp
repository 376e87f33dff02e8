// SPDX-License-Identifier: BSD-3-Clause
// Options and functions that the actions of `quadrille wisdom` share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quadrille/wisdom.hpp"

namespace quadrille::command {

struct WisdomOptions {
  std::string action;
  std::vector<std::string> files, collectives;
  std::optional<std::string> library, output;
  bool json = false;
};

// Reads a wisdom file that the user names, which may be a pipe; "-" is stdin. Files that are found in the user's folder are read by
// read_any_wisdom. Throws Error{misuse, environment, malformed}.
Wisdom read_named_wisdom(const std::string& file);

// The actions, each one row of the table in wisdom.cpp. They return the exit code.
int show_wisdom(const WisdomOptions& options);
int export_wisdom(const WisdomOptions& options);

}  // namespace quadrille::command
