// SPDX-License-Identifier: BSD-3-Clause
// What the actions of `quadrille wisdom` have in common.
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

// Of a file that is there; "-" is stdin. Throws Error{misuse, environment, malformed}.
Wisdom read_wisdom_of(const std::string& file);

// Each is an action, one row of the table in wisdom.cpp; returns the exit code.
int show_wisdom(const WisdomOptions& options);
int export_wisdom(const WisdomOptions& options);

}  // namespace quadrille::command
