// SPDX-License-Identifier: BSD-3-Clause
#include "launcher.hpp"

#include <cstdlib>
#include <initializer_list>
#include <vector>

#include "output.hpp"
#include "quadrille/error.hpp"
#include "talk.hpp"

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

bool first_can_write(Communicator& world, const std::optional<std::string>& file) {
  char fine = 1;
  if (world.rank() == 0) {
    try {
      Output{file};
    } catch (const Error& error) {
      complain(error.what());
      fine = 0;
    }
  }
  std::vector<char> all(static_cast<std::size_t>(world.size()));
  world.all_gather(&fine, all.data(), 1);
  return all[0] != 0;
}

}  // namespace quadrille::command
