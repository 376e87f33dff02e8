// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/process_state.hpp"

#include <fstream>
#include <sstream>

namespace quadrille {

std::optional<ProcessState> process_state(const std::string& directory) {
  std::ifstream in(directory + "/stat");
  std::string text;
  std::getline(in, text, '\0');
  const std::size_t name_end = text.rfind(')');  // "12 (name) S ...", where the name may hold anything, also parentheses
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  char state = 0;
  fields >> state;  // the 3rd field
  std::string skipped;
  for (int field = 4; field < 22; ++field) fields >> skipped;
  ProcessState result{};
  if (!(fields >> result.started)) return std::nullopt;
  result.runs = state != 'Z' && state != 'X';
  return result;
}

}  // namespace quadrille
