// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/memory/process_state.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "foundation/system/proc.hpp"

namespace quadrille {
namespace {

// The state of one thread. `directory` may also be that of a process; then this is the state of its main thread.
std::optional<ProcessState> thread_state(const std::string& directory) {
  const auto stat = process_stat(directory);
  if (!stat) return std::nullopt;
  return ProcessState{.started = stat->started, .runs = stat->state != 'Z' && stat->state != 'X'};
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
