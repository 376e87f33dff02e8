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

// Reads a wisdom file, which must exist; "-" is stdin. Throws Error{misuse, environment, malformed}.
Wisdom read_wisdom_of(const std::string& file);

// The actions, each one row of the table in wisdom.cpp. They return the exit code.
int show_wisdom(const WisdomOptions& options);
int export_wisdom(const WisdomOptions& options);

}  // namespace quadrille::command
