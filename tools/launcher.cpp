// SPDX-License-Identifier: BSD-3-Clause
#include "launcher.hpp"

#include <cstdlib>
#include <initializer_list>

namespace quadrille::command {
namespace {

std::optional<Count> first_of(std::initializer_list<const char*> variables) {
  for (const char* variable : variables)
    if (const char* text = std::getenv(variable)) return std::strtoll(text, nullptr, 10);
  return std::nullopt;
}

}  // namespace

std::optional<Count> launched_ranks() { return first_of({"QUADRILLE_RANKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}); }

bool speaks() { return first_of({"QUADRILLE_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK"}).value_or(0) == 0; }

}  // namespace quadrille::command
