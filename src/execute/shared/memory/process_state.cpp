// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/memory/process_state.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace quadrille {
namespace {

// The state of one thread. `directory` may also be that of a process; then this is the state of its main thread.
std::optional<ProcessState> thread_state(const std::string& directory) {
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

}  // namespace

std::optional<ProcessState> process_state(const std::string& directory) {
  auto state = thread_state(directory);
  if (!state || state->runs) return state;
  const auto threads = directories_of_threads(directory);
  state->runs = std::any_of(threads.begin(), threads.end(), [](const std::string& each) {
    const auto thread = thread_state(each);
    return thread && thread->runs;
  });
  return state;
}

std::vector<std::string> directories_of_threads(const std::string& directory) {
  std::vector<std::string> threads;
  std::error_code error;
  std::filesystem::directory_iterator entry(directory + "/task", error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
    threads.push_back(entry->path().string());
  return threads;
}

}  // namespace quadrille
